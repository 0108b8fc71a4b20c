// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tern::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What a kernel was called with.
struct call_record {
    std::vector<const void *> in;
    std::vector<void *> out;
    void *scratch = nullptr;
    int calls = 0;
};

class recording_kernel final : public kernel {
public:
    recording_kernel(call_record &record, std::size_t inputs, std::size_t outputs)
        : record_(record),
          inputs_(inputs),
          outputs_(outputs) {}

    void run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        record_.in.assign(in, in + inputs_);
        record_.out.assign(out, out + outputs_);
        record_.scratch = scratch;
        ++record_.calls;
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return true; }

private:
    call_record &record_;
    std::size_t inputs_;
    std::size_t outputs_;
};

int live_blocks = 0;
std::size_t last_size = 0;
std::size_t last_alignment = 0;

void *counting_allocate(std::size_t size, std::size_t alignment) {
    ++live_blocks;
    last_size = size;
    last_alignment = alignment;
    return std::malloc(size);
}
void counting_deallocate(void *ptr) {
    --live_blocks;
    std::free(ptr);
}
void *refusing_allocate(std::size_t, std::size_t) {
    return nullptr;
}

const engine_state counting_engine = {engine::kind::cpu, 0, counting_allocate, counting_deallocate};
const engine_state refusing_engine = {engine::kind::cpu, 0, refusing_allocate, default_deallocate};

class test_names final : public plan_names {
public:
    std::string input(std::size_t port) const override {
        return "input " + std::to_string(port) + " of the test";
    }
    std::string output(std::size_t port) const override {
        return "output " + std::to_string(port) + " of the test";
    }
    std::string verbose_text(
            std::span<const plan_port>, std::span<const plan_port>) const override {
        return "test";
    }
};
const test_names names;

plan_port make_plan_port(std::int64_t n) {
    plan_port p;
    p.desc.type = data_type::f32;
    p.desc.layout = layout_type::strided;
    p.desc.rank_known = true;
    p.desc.shape = {n};
    p.desc.strides = {1};
    p.bytes = n * 4;
    p.is_empty = n == 0;
    return p;
}

/// Two inputs, of which the kernel reads the second one twice, and two outputs of four floats each.
plan_parts make_parts(call_record &record) {
    plan_parts parts;
    parts.inputs = {make_plan_port(4), make_plan_port(4)};
    parts.outputs = {make_plan_port(4), make_plan_port(4)};
    parts.may_alias = {1, 0, 0, 0};
    using memory = step_operand::memory;
    plan_step step;
    step.work = std::make_unique<recording_kernel>(record, 3, 2);
    step.in = {{memory::input, 1}, {memory::input, 0}, {memory::input, 1}};
    step.out = {{memory::output, 0}, {memory::output, 1}};
    parts.steps.push_back(std::move(step));
    return parts;
}

template <typename Matcher>
void expect_refusal(const plan &made, const void *const *in, void *const *out, status code,
        const Matcher &message) {
    try {
        made.execute(in, out, nullptr, names);
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, code);
        EXPECT_THAT(std::string(e.message), message);
    }
}

class plan_test : public testing::Test {
protected:
    float memory[4][4] = {};
    const void *in[2] = {memory[0], memory[1]};
    void *out[2] = {memory[2], memory[3]};
    call_record record;
};

TEST_F(plan_test, ports_feed_the_kernel) {
    plan made(make_parts(record), counting_engine);
    made.execute(in, out, nullptr, names);
    EXPECT_EQ(record.calls, 1);
    EXPECT_EQ(record.in, (std::vector<const void *>{memory[1], memory[0], memory[1]}));
    EXPECT_EQ(record.out, (std::vector<void *>{memory[2], memory[3]}));
    EXPECT_EQ(record.scratch, nullptr);
    EXPECT_EQ(live_blocks, 0);
}

TEST_F(plan_test, scratch_comes_from_the_engine) {
    plan_parts parts = make_parts(record);
    parts.scratch_bytes = 100;
    plan made(std::move(parts), counting_engine);
    last_size = 0;
    made.execute(in, out, nullptr, names);
    EXPECT_NE(record.scratch, nullptr);
    EXPECT_EQ(last_size, 100u);
    EXPECT_EQ(last_alignment, 64u);
    EXPECT_EQ(live_blocks, 0);
}

TEST_F(plan_test, scratch_of_the_caller_is_used) {
    plan_parts parts = make_parts(record);
    parts.scratch_bytes = 100;
    plan made(std::move(parts), refusing_engine);
    alignas(64) char scratch[100];
    made.execute(in, out, scratch, names);
    EXPECT_EQ(record.scratch, scratch);
}

TEST_F(plan_test, no_scratch_memory) {
    plan_parts parts = make_parts(record);
    parts.scratch_bytes = 100;
    plan made(std::move(parts), refusing_engine);
    expect_refusal(made, in, out, status::out_of_memory, HasSubstr("100 bytes of scratch"));
    EXPECT_EQ(record.calls, 0);
}

TEST_F(plan_test, lists_and_pointers_must_be_there) {
    plan made(make_parts(record), counting_engine);
    expect_refusal(made, nullptr, out, status::invalid_arguments,
            AllOf(HasSubstr("list of inputs is null"), HasSubstr("2 pointers")));
    expect_refusal(made, in, nullptr, status::invalid_arguments,
            AllOf(HasSubstr("list of outputs is null"), HasSubstr("2 pointers")));
    in[1] = nullptr;
    expect_refusal(made, in, out, status::invalid_arguments,
            AllOf(HasSubstr("input 1 of the test"), HasSubstr("16 bytes")));
    in[1] = memory[1];
    out[1] = nullptr;
    expect_refusal(made, in, out, status::invalid_arguments, HasSubstr("output 1 of the test"));
    EXPECT_EQ(record.calls, 0);
}

TEST_F(plan_test, memory_of_outputs_is_their_own) {
    plan made(make_parts(record), counting_engine);
    out[1] = memory[2];
    expect_refusal(made, in, out, status::invalid_arguments,
            AllOf(HasSubstr("output 1 of the test"), HasSubstr("output 0 of the test"),
                    HasSubstr("another output")));
    out[1] = memory[2] + 3; // the last element of the other output
    expect_refusal(made, in, out, status::invalid_arguments, HasSubstr("another output"));
    out[1] = memory[1]; // a pair that may not alias
    expect_refusal(made, in, out, status::invalid_arguments,
            AllOf(HasSubstr("output 1 of the test"), HasSubstr("input 1 of the test")));
    EXPECT_EQ(record.calls, 0);

    out[0] = memory[0]; // one that may
    out[1] = memory[3];
    made.execute(in, out, nullptr, names);
    EXPECT_EQ(record.calls, 1);
    out[0] = memory[0] + 1; // but only exactly
    expect_refusal(made, in, out, status::invalid_arguments, HasSubstr("input 0 of the test"));
}

TEST_F(plan_test, empty_ports_need_no_memory) {
    plan_parts parts = make_parts(record);
    parts.inputs[1] = make_plan_port(0);
    parts.outputs[0] = make_plan_port(0);
    plan made(std::move(parts), counting_engine);
    in[1] = nullptr;
    out[0] = nullptr;
    made.execute(in, out, nullptr, names);
    EXPECT_EQ(record.calls, 1);
    in[1] = memory[3]; // the very address of an output: there is nothing to share
    out[0] = memory[0];
    made.execute(in, out, nullptr, names);
    EXPECT_EQ(record.calls, 2);
}

TEST_F(plan_test, nothing_to_do) {
    plan_parts parts = make_parts(record);
    parts.steps.clear();
    plan made(std::move(parts), counting_engine);
    made.execute(in, out, nullptr, names);
    EXPECT_EQ(record.calls, 0);
    in[0] = nullptr; // checked all the same
    expect_refusal(made, in, out, status::invalid_arguments, HasSubstr("input 0"));
}

TEST(engine_state, interned_by_what_it_is) {
    const engine_state *first = intern_engine(counting_engine);
    EXPECT_EQ(intern_engine(counting_engine), first);
    EXPECT_NE(intern_engine(refusing_engine), first);
    EXPECT_EQ(first->allocate, counting_allocate);
    EXPECT_EQ(first->deallocate, counting_deallocate);
}

TEST(engine_state, default_memory) {
    for (std::size_t alignment : {1, 64, 4096}) {
        void *ptr = default_allocate(100, alignment);
        ASSERT_NE(ptr, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ptr) % 64, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(ptr) % alignment, 0u);
        default_deallocate(ptr);
    }
    EXPECT_EQ(default_allocate(SIZE_MAX - 10, 64), nullptr);
}

} // namespace
} // namespace tern::runtime
