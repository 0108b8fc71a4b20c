// SPDX-License-Identifier: Apache-2.0
#include "session/model_session.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "session/check_inputs.hpp"

namespace tern::session_parts {
namespace {

using formats::onnx::environment;
using formats::onnx::imported_stage;
using formats::onnx::traced;

/// Content of tensors decides what is imported only where it is a shape, an axis or the like.
constexpr std::size_t most_content_bytes = std::size_t{1} << 20;

const value &at_slot(const frame &values, int slot) {
    return values[static_cast<std::size_t>(slot)];
}

void append(std::string &key, const void *data, std::size_t bytes) {
    key.append(static_cast<const char *>(data), bytes);
}

std::string make_key(
        const frame &values, std::span<const int> shape_slots, std::span<const int> content_slots) {
    std::string key;
    auto append_shape = [&](const value::dims &shape) {
        key += static_cast<char>(shape.size());
        append(key, shape.data(), shape.size() * sizeof(std::int64_t));
    };
    for (int slot : shape_slots)
        append_shape(at_slot(values, slot).shape());
    for (int slot : content_slots) {
        const value &tensor = at_slot(values, slot);
        append_shape(tensor.shape());
        append(key, tensor.data(), tensor.bytes());
    }
    return key;
}

/// What the next stage knows of the values in slots.
environment complete(
        const imported_stage &from, const frame &values, std::span<const int> content_slots) {
    environment known = from.after;
    for (auto &[name, entry] : known) {
        if (entry.slot < 0 || !entry.is_tensor()) continue;
        const value &found = at_slot(values, entry.slot);
        entry.desc = formats::onnx::dense_desc(entry.desc.type, dims_of(found));
        if (std::find(content_slots.begin(), content_slots.end(), entry.slot)
                == content_slots.end())
            continue;
        if (found.bytes() > most_content_bytes)
            throw formats::onnx::declined("content of an input",
                    format_text("value \"{}\": the model depends on the content of {} bytes; more "
                                "than {} are not supported",
                            name, found.bytes(), most_content_bytes));
        formats::onnx::new_constant made =
                formats::onnx::make_constant(entry.desc.type, entry.desc.shape);
        if (found.bytes() > 0) std::memcpy(made.data, found.data(), found.bytes());
        entry.content = std::move(made.value);
    }
    return known;
}

/// What an optional input would hold.
value_type held_type(const formats::onnx::value_info &input) {
    const value_type type = traced::declared(input).desc.value_type();
    return {held_form(type.form), type.element};
}

bool ranges_meet(const value &a, const value &b) {
    if (!a.is_tensor() || !b.is_tensor()) return false;
    const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data());
    const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data());
    return a_begin < b_begin + b.bytes() && b_begin < a_begin + a.bytes();
}

} // namespace

model_session::stage_node::stage_node(imported_stage imported, const session_settings &settings,
        const formats::onnx::program &program)
    : work(std::move(imported), *settings.engine, settings.implementation) {
    const imported_stage &made = work.imported();
    for (const auto &[name, value] : made.after)
        if (value.slot >= 0 && value.is_tensor() && !value.desc.shape_known())
            shape_slots.push_back(value.slot);
    std::sort(shape_slots.begin(), shape_slots.end());
    shape_slots.erase(std::unique(shape_slots.begin(), shape_slots.end()), shape_slots.end());
    for (const formats::onnx::value_info *output : program.outputs) {
        output_slots.push_back(-1);
        auto found = made.after.find(output->name);
        if (found == made.after.end()) continue;
        for (auto [id, slot] : made.outputs)
            if (slot == found->second.slot) output_slots.back() = slot;
    }
}

model_session::model_session(std::shared_ptr<const formats::onnx::model> model,
        const std::string &file, session_settings settings)
    : program_(formats::onnx::make_program(std::move(model), file)),
      settings_(std::move(settings)),
      first_(std::make_unique<stage_node>(
              formats::onnx::import_constants(program_), settings_, program_)) {}

void model_session::run(frame inputs, std::span<value> outputs) const {
    check_inputs(program_, inputs);
    check_apart(inputs, outputs);
    frame values = std::move(inputs);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].is_absent())
            values[i] = value::empty_optional(held_type(*program_.inputs[i]));
    std::vector<bool> is_computed(outputs.size());
    stage_node *at = first_.get();
    std::shared_ptr<stage_node> holder;
    for (;;) {
        give_memory(*at, values, outputs);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (at->output_slots[i] >= 0) is_computed[i] = true;
        at->work.run(values);
        if (at->work.is_last()) break;
        holder = next(*at, values);
        at = holder.get();
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
        take_output(*at, i, values, is_computed[i], outputs[i]);
}

void model_session::check_apart(const frame &inputs, std::span<const value> outputs) const {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (ranges_meet(outputs[o], inputs[i]))
                fail(status::invalid_arguments,
                        "run: the memory of {} overlaps that of input \"{}\"", output_name(o),
                        program_.inputs[i]->name);
        for (std::size_t other = 0; other < o; ++other)
            if (ranges_meet(outputs[o], outputs[other]))
                fail(status::invalid_arguments, "run: the memory of {} overlaps that of {}",
                        output_name(o), output_name(other));
    }
}

std::shared_ptr<model_session::stage_node> model_session::next(
        stage_node &from, const frame &values) const {
    for (;;) {
        std::string key;
        std::vector<int> content_slots;
        {
            const std::lock_guard lock(from.mutex);
            key = make_key(values, from.shape_slots, from.content_slots);
            if (auto found = from.by_key.find(key); found != from.by_key.end()) {
                from.recent.splice(from.recent.begin(), from.recent, found->second);
                return found->second->second;
            }
            content_slots = from.content_slots;
        }
        std::vector<int> demanded;
        std::shared_ptr<stage_node> made = make_next(from, values, content_slots, demanded);
        const std::lock_guard lock(from.mutex);
        if (!made) { // the same again, knowing more
            for (int slot : demanded)
                if (std::find(from.content_slots.begin(), from.content_slots.end(), slot)
                        == from.content_slots.end())
                    from.content_slots.push_back(slot);
            from.by_key.clear();
            from.recent.clear();
            continue;
        }
        if (from.content_slots != content_slots) return made; // the key has become another one
        if (auto found = from.by_key.find(key); found != from.by_key.end())
            return found->second->second;
        from.recent.emplace_front(key, made);
        from.by_key.emplace(std::move(key), from.recent.begin());
        if (from.recent.size() > settings_.most_shapes) {
            from.by_key.erase(from.recent.back().first);
            from.recent.pop_back();
        }
        return made;
    }
}

/// Null when the content of slots that are there already would let the stage go further: these are
/// `demanded`.
std::shared_ptr<model_session::stage_node> model_session::make_next(stage_node &from,
        const frame &values, std::span<const int> content_slots, std::vector<int> &demanded) const {
    const imported_stage &before = from.work.imported();
    imported_stage imported =
            import_next(program_, before, complete(before, values, content_slots));
    for (int slot : imported.demanded)
        if (slot < before.slots) demanded.push_back(slot);
    if (!demanded.empty()) return nullptr;
    if (imported.deferred.size() == before.deferred.size() && !before.deferred.empty()
            && imported.demanded.empty())
        fail(status::runtime_error, "{}: {} cannot be imported", program_.file,
                label_of(*program_.nodes[before.deferred[0]].source,
                        program_.nodes[before.deferred[0]].index));
    std::vector<int> wanted = imported.demanded;
    auto made = std::make_shared<stage_node>(std::move(imported), settings_, program_);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    made->content_slots = std::move(wanted);
    return made;
}

std::string model_session::output_name(std::size_t index) const {
    return format_text("output \"{}\"", program_.outputs[index]->name);
}

void model_session::check_given(
        std::size_t index, const value &given, const value_type &type, const dims &shape) const {
    if (type.form != value_form::tensor)
        fail(status::invalid_arguments, "run: {} is {}, which cannot be written to memory",
                output_name(index), to_string(type));
    if (given.type() == type && dims_of(given) == shape) return;
    fail(status::invalid_arguments, "run: {} is given as {} {}, but it is {} {}",
            output_name(index), to_string(given.type()), to_string(dims_of(given)), to_string(type),
            to_string(shape));
}

void model_session::give_memory(
        const stage_node &at, frame &values, std::span<const value> outputs) const {
    values.resize(static_cast<std::size_t>(at.work.imported().slots));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (at.output_slots[i] < 0 || outputs[i].is_absent()) continue;
        const traced &made = at.work.imported().after.at(program_.outputs[i]->name);
        if (!made.desc.shape_known()) continue; // copied at the end
        check_given(i, outputs[i], {value_form::tensor, made.desc.type}, made.desc.shape);
        value &slot = values[static_cast<std::size_t>(at.output_slots[i])];
        if (slot.is_absent()) slot = outputs[i];
    }
}

void model_session::take_output(const stage_node &last, std::size_t index, const frame &values,
        bool is_computed, value &output) const {
    const traced &made = last.work.imported().after.at(program_.outputs[index]->name);
    const value found = made.content ? to_value(*made.content) : at_slot(values, made.slot);
    if (output.is_absent()) {
        // What was not computed may be memory of the caller's, as may be the characters of what
        // was.
        const bool is_text = found.type().element == data_type::string;
        output = made.content || (is_computed && !is_text) ? found : copy(found);
        return;
    }
    check_given(index, output, found.type(), found.is_tensor() ? dims_of(found) : dims());
    if (output.data() != found.data())
        std::memcpy(const_cast<void *>(output.data()), found.data(), found.bytes());
}

value model_session::copy(const value &found) const {
    const data_type element = found.type().element;
    if (found.is_optional())
        return found.has_element() ? value::optional(copy(found.element())) : found;
    if (found.is_sequence()) {
        std::vector<value> items;
        for (std::size_t i = 0; i < found.size(); ++i)
            items.push_back(copy(found.at(i)));
        return value::sequence(element, std::move(items));
    }
    if (element == data_type::string) return value::tensor(element, found.shape(), found.data());
    value result = allocate_tensor(*settings_.engine, element, dims_of(found), found.bytes());
    if (found.bytes() > 0)
        std::memcpy(const_cast<void *>(result.data()), found.data(), found.bytes());
    return result;
}

} // namespace tern::session_parts
