// SPDX-License-Identifier: Apache-2.0
#include "tern/session.hpp"

#include <span>

#include "base/error.hpp"
#include "formats/onnx/reader.hpp"
#include "session/model_session.hpp"

namespace tern {

namespace onnx = formats::onnx;

// Part of an exported class, and so exported as well if nothing were said.
struct TERN_NO_EXPORT session::state {
    state(std::shared_ptr<const onnx::model> model, const std::string &file,
            const session_options &options);

    session_parts::model_session runs;
    std::vector<session_port> inputs;
    std::vector<session_port> outputs;
};

namespace {

session_port to_port(const onnx::value_info &info) {
    session_port port;
    port.name = info.name;
    port.type = onnx::traced::declared(info).desc.value_type();
    const onnx::value_type &type = *info.type;
    port.rank_known = type.kind == onnx::value_kind::tensor && type.shape;
    if (!port.rank_known) return port;
    for (const onnx::dimension &dim : *type.shape)
        port.dims.push_back({dim.size.value_or(-1), dim.name});
    return port;
}

std::vector<session_port> to_ports(const std::vector<const onnx::value_info *> &infos) {
    std::vector<session_port> ports;
    for (const onnx::value_info *info : infos)
        ports.push_back(to_port(*info));
    return ports;
}

session_parts::session_settings to_settings(const session_options &options) {
    const engine where = options.engine ? options.engine : engine(engine::kind::cpu, 0);
    return {where.state(), options.implementation, options.most_shapes};
}

} // namespace

session::state::state(std::shared_ptr<const onnx::model> model, const std::string &file,
        const session_options &options)
    : runs(std::move(model), file, to_settings(options)),
      inputs(to_ports(runs.program().inputs)),
      outputs(to_ports(runs.program().outputs)) {}

session::session(const std::string &path, const session_options &options)
    : state_(std::make_shared<const state>(
            std::make_shared<const onnx::model>(onnx::read_model_file(path)), path, options)) {}

session::session(const void *data, std::size_t bytes, const std::string &name,
        const std::string &folder, const session_options &options) {
    if (!data) fail(status::invalid_arguments, "session: the memory of the model is null");
    state_ = std::make_shared<const state>(
            std::make_shared<const onnx::model>(
                    onnx::read_model({static_cast<const std::byte *>(data), bytes}, name, folder)),
            name, options);
}

const session::state &session::checked(const char *what) const {
    if (!state_) fail(status::invalid_arguments, "{}: the handle is empty", what);
    return *state_;
}

const std::vector<session_port> &session::inputs() const {
    return checked("session::inputs").inputs;
}

const std::vector<session_port> &session::outputs() const {
    return checked("session::outputs").outputs;
}

std::vector<value> session::run(const std::vector<value> &inputs) const {
    const state &self = checked("session::run");
    std::vector<value> outputs(self.outputs.size());
    self.runs.run(inputs, outputs);
    return outputs;
}

std::vector<value> session::run(const std::vector<std::pair<std::string, value>> &inputs) const {
    const state &self = checked("session::run");
    std::vector<value> ordered(self.inputs.size());
    std::vector<bool> is_given(self.inputs.size());
    for (const auto &[name, given] : inputs) {
        std::size_t at = 0;
        while (at < ordered.size() && self.inputs[at].name != name)
            ++at;
        if (at == ordered.size())
            fail(status::invalid_arguments, "run: the model has no input \"{}\"", name);
        if (is_given[at]) fail(status::invalid_arguments, "run: input \"{}\" is given twice", name);
        is_given[at] = true;
        ordered[at] = given;
    }
    return run(ordered);
}

void session::run(
        const std::vector<value> &inputs, const std::vector<output_tensor> &outputs) const {
    const state &self = checked("session::run");
    if (outputs.size() != self.outputs.size())
        fail(status::invalid_arguments, "run: memory for {} outputs is given, expected {}",
                outputs.size(), self.outputs.size());
    std::vector<value> places;
    for (const output_tensor &output : outputs)
        places.push_back(value::borrow(output.type, output.dims, output.data));
    self.runs.run(inputs, places);
}

} // namespace tern
