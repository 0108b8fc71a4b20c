// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_SESSION_STAGE_HPP
#define TERN_SESSION_STAGE_HPP

/// \file
/// One stage of a model, compiled: partitions in order, with the places of all that they read and
/// write.

#include <mutex>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "formats/onnx/importer.hpp"
#include "session/frame.hpp"

namespace tern::session_parts {

class stage {
public:
    /// Partitions and compiles the graph of `imported`. Throws as compiler::compile.
    stage(formats::onnx::imported_stage imported, const runtime::engine_state &engine,
            const std::string &implementation);

    const formats::onnx::imported_stage &imported() const { return imported_; }
    bool is_last() const { return imported_.deferred.empty(); }

    /// Runs it: reads slots that are there, fills those that it produces. A slot that has memory
    /// already is written there. Any number of threads.
    void run(frame &values) const;

    /// Number of partitions.
    std::size_t size() const { return steps_.size(); }

private:
    struct step {
        compiler::compiled partition;
        std::string where;      ///< File and node, for messages, where it is one op.
        int open_slot = -1;     ///< Of the output whose shape depends on data; -1: there is none.
        std::size_t inputs = 0; ///< Position of the first pointer in a workspace.
        std::size_t outputs = 0;
    };
    /// A pointer that differs from run to run.
    struct slot_pointer {
        std::size_t pointer;
        int slot;
    };
    struct produced {
        int slot;
        data_type type;
        dims shape;
        std::size_t bytes;
    };
    /// What one run needs at a time: all pointers, those that never change filled in, and the
    /// memory behind them.
    struct workspace {
        std::vector<void *> pointers;
        std::shared_ptr<void> memory;
    };

    class builder;
    void run_values(frame &values) const;
    void run_step(const step &each, workspace &work, void *scratch, frame &values) const;
    std::unique_ptr<workspace> take_workspace() const;
    void give_back(std::unique_ptr<workspace> used) const;

    formats::onnx::imported_stage imported_;
    const runtime::engine_state &engine_;
    std::vector<step> steps_;
    std::vector<slot_pointer> slot_pointers_;
    std::vector<produced> produced_;
    /// Constants; and positions of pointers into the arena with their offsets.
    std::vector<void *> fixed_pointers_;
    std::vector<std::pair<std::size_t, std::size_t>> arena_pointers_;
    std::size_t arena_bytes_ = 0;   ///< What one partition leaves for another.
    std::size_t scratch_bytes_ = 0; ///< Behind the arena: the most that a partition needs.

    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<workspace>> free_; ///< Used before, as many as ran at once.
};

} // namespace tern::session_parts

#endif
