// SPDX-License-Identifier: Apache-2.0
#include "driver/onnx_case.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "driver/guard.hpp"
#include "driver/measure.hpp"
#include "driver/onnx_data.hpp"
#include "driver/op_classes.hpp"
#include "driver/report.hpp"
#include "formats/onnx/op_table.hpp"
#include "formats/onnx/reader.hpp"

namespace tern::driver {
namespace {

namespace onnx = formats::onnx;

/// True when no number of the model's results is calculated: every op moves elements or decides.
bool is_exact(const onnx::graph &graph) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const onnx::node &node) {
        const onnx::op_rule *rule = onnx::find_rule(node, onnx::newest_version);
        if (!rule) return false;
        const op_class kind = class_of(rule->kind);
        return rule->kind == op_kind::Wildcard || kind == op_class::moves
               || kind == op_class::decides;
    });
}

class onnx_run {
public:
    onnx_run(const std::string &path, const dim_sizes &dims, const run_settings &settings,
            case_result &result)
        : path_(path),
          dims_(dims),
          settings_(settings),
          result_(result) {}

    void run() {
        {
            phase_timer timer(result_.phases.create_pd);
            model_ = onnx::read_model_file(model_file(path_));
            runs_ = session(model_file(path_), options(settings_.implementation));
        }
        if (settings_.mode == run_mode::initialize) {
            result_.end = outcome::initialized;
            return;
        }
        {
            phase_timer timer(result_.phases.fill);
            if (dims_.empty()) sets_ = read_data_sets(path_, model_.main_graph, runs_);
            if (sets_.empty()) sets_.push_back({"", make_up_inputs(runs_, dims_, settings_), {}});
        }
        if (measures(settings_.mode)) return measure_first();
        for (const data_set &set : sets_)
            run_set(set);
        const bool compares =
                settings_.mode == run_mode::correctness || settings_.mode == run_mode::bitwise;
        result_.end = !compares             ? outcome::executed
                      : result_.errors == 0 ? outcome::passed
                                            : outcome::failed;
    }

private:
    static session_options options(const std::string &implementation) {
        session_options made;
        made.implementation = implementation;
        return made;
    }

    void run_set(const data_set &set) {
        const std::vector<value> found = execute(runs_, set.inputs);
        if (settings_.mode == run_mode::bitwise)
            compare_all(execute(runs_, set.inputs), found, true, "SECOND RUN");
        if (settings_.mode != run_mode::correctness) return;
        if (!set.folder.empty())
            return compare_all(set.outputs, found, is_exact(model_.main_graph), "DST");
        std::vector<value> expected;
        {
            phase_timer timer(result_.phases.compute_ref);
            expected = session(model_file(path_), options("reference")).run(set.inputs);
        }
        compare_all(expected, found, is_exact(model_.main_graph), "DST");
    }

    std::vector<value> execute(const session &runs, const std::vector<value> &inputs) {
        phase_timer timer(result_.phases.execute);
        return runs.run(inputs);
    }

    void compare_all(const std::vector<value> &expected, const std::vector<value> &found,
            bool exact, std::string_view label) {
        phase_timer timer(result_.phases.compare);
        for (std::size_t i = 0; i < found.size(); ++i) {
            const comparison one = compare_values(expected[i], found[i], exact,
                    format_text("{} {}", label, runs_.outputs()[i].name), settings_.verbose);
            result_.errors += one.errors;
            result_.total += one.total;
        }
    }

    /// Outputs that are tensors are written to memory that is there already.
    void measure_first() {
        const std::vector<value> inputs = with_conditions(sets_[0].inputs, settings_);
        const std::vector<value> found = execute(runs_, inputs);
        const bool all_tensors = std::all_of(
                found.begin(), found.end(), [](const value &each) { return each.is_tensor(); });
        std::vector<output_tensor> outputs;
        std::vector<value> memory;
        for (const value &each : found) {
            if (!all_tensors) break;
            void *data = nullptr;
            memory.push_back(value::make_tensor(each.type().element, each.shape(), data));
            outputs.push_back({each.type().element, each.shape(), data});
        }
        measure_calls(settings_, result_, [&] {
            if (all_tensors)
                runs_.run(inputs, outputs);
            else
                runs_.run(inputs);
        });
        result_.end = outcome::executed;
    }

    const std::string &path_;
    const dim_sizes &dims_;
    const run_settings &settings_;
    case_result &result_;
    onnx::model model_;
    session runs_;
    std::vector<data_set> sets_;
};

} // namespace

case_result run_onnx_case(const std::string &path, const dim_sizes &dims,
        const run_settings &settings, const std::string &case_text, std::size_t index) noexcept {
    return guard(
            [&](case_result &result) {
                check_start(index, settings);
                if (settings.verbose >= 1) print_line("run: " + case_text);
                if (settings.mode == run_mode::list) {
                    result.end = outcome::listed;
                    return;
                }
                try {
                    onnx_run(path, dims, settings, result).run();
                } catch (const onnx::declined &refused) {
                    result.declined = refused.op;
                    throw;
                }
            },
            settings.verbose);
}

} // namespace tern::driver
