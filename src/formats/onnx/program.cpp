// SPDX-License-Identifier: Apache-2.0
//
// What is checked of a model before anything is known of its inputs.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "base/error.hpp"
#include "base/topological.hpp"
#include "formats/onnx/importer.hpp"
#include "formats/onnx/op_table.hpp"
#include "ir/print.hpp"

namespace tern::formats::onnx {
namespace {

class program_maker {
public:
    program_maker(std::shared_ptr<const model> source, const std::string &file)
        : graph_(source->main_graph) {
        result_.source = std::move(source);
        result_.file = file;
    }

    program make() {
        find_version();
        find_rules();
        take_inputs();
        find_producers();
        for (const value_info &output : graph_.outputs) {
            check_known(output.name, "the graph's outputs");
            result_.outputs.push_back(&output);
        }
        order_nodes();
        return std::move(result_);
    }

private:
    template <typename... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> format, Args &&...args) const {
        fail(status::invalid_graph, "{}: {}", result_.file,
                format_text(format, std::forward<Args>(args)...));
    }

    std::string label(std::size_t node) const { return label_of(graph_.nodes[node], node); }

    void find_version() {
        std::int64_t version = 0;
        for (const opset_import &import : result_.source->opset_imports)
            if (is_default_domain(import.domain)) version = import.version;
        const bool is_needed = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                [](const node &each) { return is_default_domain(each.domain); });
        if (version == 0 && is_needed)
            refuse("no version of ONNX's operator set is imported (opset_import)");
        if (version < 0 || version > newest_version)
            refuse("version {} of ONNX's operator set is not known; the newest one known is {}",
                    version, newest_version);
        result_.version = static_cast<int>(version);
    }

    /// All that is not supported is told at once.
    void find_rules() {
        std::set<std::string> unknown;
        std::string first;
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const node &source = graph_.nodes[i];
            rules_.push_back(find_rule(source, result_.version));
            if (rules_.back()) {
                check_ports(i, *rules_.back());
                continue;
            }
            if (unknown.empty()) first = qualified_name(source);
            unknown.insert(format_text("{} ({})", qualified_name(source), label(i)));
        }
        if (unknown.empty()) return;
        std::string list;
        for (const std::string &name : unknown)
            list += (list.empty() ? "" : ", ") + name;
        throw declined(first, format_text("{}: not supported in operator set {}: {}", result_.file,
                                      result_.version, list));
    }

    void check_ports(std::size_t index, const op_rule &rule) const {
        const node &source = graph_.nodes[index];
        const auto given = static_cast<int>(source.inputs.size());
        if (given > rule.most_inputs)
            refuse("{}: {} inputs are given; expected at most {}", label(index), given,
                    rule.most_inputs);
        for (int port = 0; port < rule.least_inputs; ++port)
            if (port >= given || source.inputs[static_cast<std::size_t>(port)].empty())
                refuse("{}: input {} is required", label(index), port);
        if (source.outputs.empty()) refuse("{}: there is no output", label(index));
        std::unordered_set<std::string_view> names;
        for (const attribute &a : source.attributes) {
            if (!names.insert(a.name).second)
                refuse("{}: attribute {} is given twice", label(index), a.name);
            if (!a.reference.empty())
                refuse("{}: attribute {} refers to {}, outside of a function", label(index), a.name,
                        a.reference);
        }
    }

    void add_value(const std::string &name, int producer, const std::string &where) {
        if (name.empty()) refuse("{}: a value has no name", where);
        auto [known, fresh] = producer_.try_emplace(name, producer);
        if (!fresh) refuse("{}: there is another value \"{}\"", where, name);
    }

    /// An input with an initializer is a constant.
    void take_inputs() {
        for (const tensor &initializer : graph_.initializers) {
            add_value(initializer.name, -1, initializer.where);
            try {
                result_.constants.emplace(
                        initializer.name, stage_builder::of(constant_of(initializer)));
            } catch (const declined &failure) {
                throw declined("initializer", format_text("{}: {}", result_.file, failure.message));
            }
        }
        for (const std::string &name : graph_.sparse_initializers)
            throw declined("sparse_initializer",
                    format_text("{}: the sparse initializer {} is not supported", result_.file,
                            ir::quoted(name)));
        for (const value_info &input : graph_.inputs) {
            if (result_.constants.contains(input.name)) continue;
            add_value(input.name, -1, "the graph's inputs");
            result_.inputs.push_back(&input);
        }
    }

    void find_producers() {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
            for (const std::string &name : graph_.nodes[i].outputs)
                if (!name.empty()) add_value(name, static_cast<int>(i), label(i));
    }

    int check_known(const std::string &name, const std::string &where) const {
        auto found = producer_.find(name);
        if (found == producer_.end()) refuse("{}: there is no value \"{}\"", where, name);
        return found->second;
    }

    void order_nodes() {
        std::vector<std::vector<int>> needs(graph_.nodes.size());
        for (std::size_t i = 0; i < needs.size(); ++i)
            for (const std::string &name : graph_.nodes[i].inputs) {
                if (name.empty()) continue;
                if (int producer = check_known(name, label(i)); producer >= 0)
                    needs[i].push_back(producer);
            }
        const std::vector<int> order = topological_order(needs);
        if (order.size() < needs.size())
            refuse("there is a cycle through {}",
                    label(static_cast<std::size_t>(find_on_cycle(needs, order))));
        std::vector<bool> is_needed(needs.size());
        auto need = [&](int producer) {
            if (producer >= 0) is_needed[static_cast<std::size_t>(producer)] = true;
        };
        for (const value_info *output : result_.outputs)
            need(producer_.at(output->name));
        for (auto at = order.rbegin(); at != order.rend(); ++at)
            if (is_needed[static_cast<std::size_t>(*at)])
                for (int producer : needs[static_cast<std::size_t>(*at)])
                    need(producer);
        for (int at : order) {
            const auto index = static_cast<std::size_t>(at);
            if (is_needed[index])
                result_.nodes.push_back({&graph_.nodes[index], rules_[index], index});
        }
    }

    const graph &graph_;
    program result_;
    std::vector<const op_rule *> rules_;            ///< By node.
    std::unordered_map<std::string, int> producer_; ///< -1: an input or initializer.
};

} // namespace

program make_program(std::shared_ptr<const model> source, const std::string &file) {
    return program_maker(std::move(source), file).make();
}

} // namespace tern::formats::onnx
