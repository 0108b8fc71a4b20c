// SPDX-License-Identifier: Apache-2.0
#include "compiler/execute_values.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "runtime/verbose.hpp"

namespace tern::compiler {
namespace {

std::string text_of(const value &v) {
    if (v.is_absent()) return "absent";
    if (!v.is_tensor()) return to_string(v.type());
    const dims shape = [&] {
        dims known;
        known.assign(v.shape().begin(), v.shape().end());
        return known;
    }();
    return format_text("{} of shape {}", to_string(v.type()), to_string(shape));
}

/// Dims that are known must agree.
bool shape_fits(const tensor_desc &port, const value::dims &shape) {
    if (!port.is_tensor() || !port.rank_known) return true;
    return std::equal(port.shape.begin(), port.shape.end(), shape.begin(), shape.end(),
            [](std::int64_t known, std::int64_t found) {
                return known == unknown_dim || known == found;
            });
}

bool fits(const tensor_desc &port, const value &v) {
    return !v.is_absent() && v.type() == port.value_type()
           && (!v.is_tensor() || shape_fits(port, v.shape()));
}

std::string text_of(const tensor_desc &port) {
    const std::string type = to_string(port.value_type());
    return port.is_tensor() && port.rank_known
                   ? format_text("{} of shape {}", type, shape_to_string(port))
                   : type;
}

/// What a port takes in place of a value that does not fit as it is: a tensor or a sequence becomes
/// the optional that holds it, an absent value an empty one.
value converted(const compiled &c, std::size_t port, const tensor_desc &desc, const value &v) {
    if (is_optional(desc.form)) {
        const value_type held{held_form(desc.form), desc.type};
        if (v.is_absent()) return value::empty_optional(held);
        if (v.type() == held) return value::optional(v);
    }
    fail(status::invalid_arguments, "execute: {} is given as {}, expected {}", c.input(port),
            text_of(v), text_of(desc));
}

/// The values of one call by port, converted where they have to be.
class input_values {
public:
    input_values(const compiled &c, std::span<const value> given) : given_(given) {
        const std::vector<runtime::plan_port> &ports = c.plan->parts().inputs;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (fits(ports[i].desc, given[i])) continue;
            value fitting = converted(c, i, ports[i].desc, given[i]);
            if (own_.empty()) own_.assign(given.begin(), given.end());
            own_[i] = std::move(fitting);
        }
    }
    std::span<const value> get() const { return own_.empty() ? given_ : own_; }

private:
    std::span<const value> given_;
    std::vector<value> own_;
};

void evaluate(const compiled &c, std::span<const value> in, std::span<value> out) {
    const ir::op &op = c.part->op(c.part->ops.front());
    std::vector<value> repeated; // one value may go to several ports of the op
    if (op.inputs.size() != in.size()) {
        for (int v : op.inputs) {
            const auto at = std::find(c.part->inputs.begin(), c.part->inputs.end(), v);
            repeated.push_back(in[static_cast<std::size_t>(at - c.part->inputs.begin())]);
        }
        in = repeated;
    }
    value single;
    std::vector<value> several(out.size() == 1 ? 0 : out.size());
    const std::span<value> results = out.size() == 1 ? std::span(&single, 1) : std::span(several);
    const ir::op_label label = op.label();
    op.def->evaluate({label, op.attrs, in, results});
    for (std::size_t o = 0; o < out.size(); ++o) {
        const tensor_desc &port = c.plan->parts().outputs[o].desc;
        if (!fits(port, results[o]))
            fail(status::invalid_arguments,
                    "execute: the inputs make {} a {}, but the graph has it as {}", c.output(o),
                    text_of(results[o]), text_of(port));
    }
    std::move(results.begin(), results.end(), out.begin());
}

/// Results of a plan that works on memory: made when their shapes are known, which may be as late
/// as during the execution.
class result_values final : public runtime::output_places {
public:
    explicit result_values(std::size_t count) : values_(count) {}

    const runtime::plan_port *room(std::size_t) const noexcept override { return nullptr; }
    bool can_provide(std::size_t) const noexcept override { return true; }
    void *provide(std::size_t output, const runtime::plan_port &layout) override {
        const tensor_desc &desc = layout.desc;
        void *data = nullptr;
        values_[output] =
                value::make_tensor(desc.type, {desc.shape.begin(), desc.shape.end()}, data);
        return data;
    }
    void finish(std::size_t, const runtime::plan_port &) noexcept override {}

    std::span<value> get() { return values_; }

private:
    std::vector<value> values_;
};

void run_plan(const compiled &c, std::span<const value> in, std::span<value> out) {
    const runtime::plan_parts &parts = c.plan->parts();
    auto check_dense = [](const runtime::plan_port &port, const std::string &name) {
        if (!is_dense(port.desc.shape, port.desc.strides))
            fail(status::invalid_arguments,
                    "execute: {} is compiled as {}; values are dense and row-major", name,
                    to_string(port.desc));
    };
    std::vector<const void *> from;
    for (std::size_t i = 0; i < in.size(); ++i) {
        check_dense(parts.inputs[i], c.input(i));
        from.push_back(in[i].data());
    }
    for (std::size_t o = 0; o < out.size(); ++o)
        if (!parts.outputs[o].is_open) check_dense(parts.outputs[o], c.output(o));
    result_values made(out.size());
    c.execute(from.data(), nullptr, nullptr, &made);
    const std::span<value> results = made.get();
    for (value &result : results) // the references are the inputs'; a value owns its characters
        if (result.type().element == data_type::string)
            result = value::tensor(data_type::string, result.shape(), result.data());
    std::move(results.begin(), results.end(), out.begin());
}

} // namespace

void execute_values(const compiled &c, std::span<const value> in, std::span<value> out) {
    const input_values fitting(c, in);
    const bool is_one = c.part->ops.size() == 1;
    if (!is_one || c.part->op(c.part->ops.front()).def->evaluate == nullptr) {
        run_plan(c, fitting.get(), out);
        return;
    }
    if (!runtime::verbose().exec) {
        evaluate(c, fitting.get(), out);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    evaluate(c, fitting.get(), out);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    const runtime::plan_parts &parts = c.plan->parts();
    runtime::write_verbose("graph,exec,{},scratchpad:library:0,evaluate,tern_backend,{:g}",
            c.verbose_text(parts.inputs, parts.outputs), took.count());
}

} // namespace tern::compiler
