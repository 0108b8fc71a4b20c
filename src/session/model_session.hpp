// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_SESSION_MODEL_SESSION_HPP
#define TERN_SESSION_MODEL_SESSION_HPP

/// \file
/// A model that runs: finds or makes the stages for the shapes of a call, and goes through them.

#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/stage.hpp"

namespace tern::session_parts {

struct session_settings {
    const runtime::engine_state *engine = nullptr;
    std::string implementation;   ///< As compiler::compile.
    std::size_t most_shapes = 16; ///< Sets of input shapes that are kept compiled.
};

class model_session {
public:
    model_session(std::shared_ptr<const formats::onnx::model> model, const std::string &file,
            session_settings settings);

    const formats::onnx::program &program() const { return program_; }

    /// Inputs by position, checked against what the model declares. An output that is a borrowed
    /// tensor is written there, and must have the right type and shape; what is absent is allocated
    /// and filled in. Throws tern::error naming the input or output. Any number of threads.
    void run(frame inputs, std::span<value> outputs) const;

private:
    /// A stage with those that can follow it, by the shapes and contents that make the difference.
    struct stage_node {
        stage_node(formats::onnx::imported_stage imported, const session_settings &settings,
                const formats::onnx::program &program);

        stage work;
        std::vector<int> output_slots; ///< By output of the model; -1: not of this stage.
        std::vector<int> shape_slots;
        std::vector<int> content_slots; ///< Guarded by `mutex`, as is what follows.
        std::mutex mutex;
        std::list<std::pair<std::string, std::shared_ptr<stage_node>>> recent; ///< Latest first.
        std::unordered_map<std::string, decltype(recent)::iterator> by_key;
    };

    std::shared_ptr<stage_node> next(stage_node &from, const frame &values) const;
    std::shared_ptr<stage_node> make_next(stage_node &from, const frame &values,
            std::span<const int> content_slots, std::vector<int> &demanded) const;
    void check_apart(const frame &inputs, std::span<const value> outputs) const;
    void check_given(
            std::size_t index, const value &given, const value_type &type, const dims &shape) const;
    void give_memory(const stage_node &at, frame &values, std::span<const value> outputs) const;
    void take_output(const stage_node &last, std::size_t index, const frame &values,
            bool is_computed, value &output) const;
    /// With memory of its own.
    value copy(const value &found) const;
    std::string output_name(std::size_t index) const;

    formats::onnx::program program_;
    session_settings settings_;
    std::unique_ptr<stage_node> first_;
};

} // namespace tern::session_parts

#endif
