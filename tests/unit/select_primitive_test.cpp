// SPDX-License-Identifier: Apache-2.0
#include "primitives/select_primitive.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/parallel.hpp"
#include "onednn_here.hpp"
#include "select_case.hpp"

namespace tern {
namespace {

using namespace kernels;
using namespace tests;
using primitives::make_select_primitive;
using primitive = std::shared_ptr<const primitives::select_primitive>;

tensor_desc dense(data_type type, const dims &shape) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = *dense_strides(shape);
    return desc;
}

primitive make(const dims &cond, const dims &src_0, const dims &src_1, const dims &dst,
        std::string &reason, data_type type = data_type::f32) {
    return make_select_primitive(
            {{"cond", dense(data_type::boolean, cond)}, {"src_0", dense(type, src_0)},
                    {"src_1", dense(type, src_1)}, {"dst", dense(type, dst)}},
            reason);
}

std::string refusal(const dims &cond, const dims &src_0, const dims &src_1, const dims &dst,
        data_type type = data_type::f32) {
    std::string reason;
    EXPECT_EQ(make(cond, src_0, src_1, dst, reason, type), nullptr);
    return reason;
}

/// Every cond byte occurs where there is room.
void fill_cond(const select_case &tested) {
    std::uint8_t *cond = tested.at(select_cond);
    for (std::size_t i = 0; i < tested.home(select_cond)->bytes(); ++i)
        cond[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 0 : i * 7);
}

void expect_reference_result(const primitives::select_primitive &tested, const select_case &work) {
    auto wanted = work.expected();
    tested.run(work.at(select_cond), work.at(select_src_0), work.at(select_src_1),
            work.at(select_dst));
    ASSERT_EQ(work.contents(), wanted);
}

TEST(select_primitive, equals_the_reference) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    for (std::int64_t n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 1000, 100003})
        for (bool is_one : {false, true})
            for (int in_place : {0, 1, 2}) {
                if (is_one && in_place == 2) continue;
                std::string reason;
                primitive tested = make({n}, {n}, {is_one ? 1 : n}, {n}, reason);
                ASSERT_NE(tested, nullptr) << n << ": " << reason;
                EXPECT_EQ(reason, "");
                EXPECT_EQ(tested->name().rfind("jit", 0), 0U) << tested->name();
                select_case work(dense_form({n}, {1, 1, is_one ? 0U : 1U}, 4));
                work.place();
                fill_cond(work);
                if (in_place != 0) work.share_with_dst(in_place == 1 ? select_src_0 : select_src_1);
                ASSERT_NO_FATAL_FAILURE(expect_reference_result(*tested, work))
                        << n << (is_one ? " with one src_1" : "") << " in place " << in_place;
            }
}

TEST(select_primitive, takes_any_rank) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    for (const dims &shape : {dims{}, {5}, {1, 1}, {2, 3, 4}, {2, 3, 4, 5, 2, 3}, dims(12, 2)})
        for (const dims &src_1 : {shape, dims{}, dims(shape.rank(), 1)}) {
            std::string reason;
            primitive tested = make(shape, shape, src_1, shape, reason);
            ASSERT_NE(tested, nullptr) << reason;
            unsigned all = (1U << shape.rank()) - 1;
            select_case work(dense_form(shape, {all, all, src_1 == shape ? all : 0}, 4));
            work.place();
            ASSERT_NO_FATAL_FAILURE(expect_reference_result(*tested, work)) << to_string(shape);
        }
}

TEST(select_primitive, copies_bits) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    const std::array<std::uint32_t, 6> bits = {
            0x80000000, 0x00000001, 0x80000001, 0x7f810000, 0xffbfffff, 0x7f800000};
    std::string reason;
    primitive tested = make({60}, {60}, {60}, {60}, reason);
    select_case work(dense_form({60}, {1, 1, 1}, 4));
    work.place();
    for (std::size_t operand : {select_src_0, select_src_1})
        for (std::size_t i = 0; i < 60; ++i)
            std::memcpy(work.at(operand) + 4 * i, &bits[(i + operand) % bits.size()], 4);
    expect_reference_result(*tested, work);
}

TEST(select_primitive, touches_nothing_around_its_operands) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    for (auto where : {placement::ends_at_guard, placement::begins_at_guard})
        for (std::int64_t n = 1; n <= 70; ++n)
            for (unsigned src_1 : {0U, 1U}) {
                std::string reason;
                primitive tested = make({n}, {n}, {src_1 == 0 ? 1 : n}, {n}, reason);
                select_case work(dense_form({n}, {1, 1, src_1}, 4));
                work.place({where});
                ASSERT_NO_FATAL_FAILURE(expect_reference_result(*tested, work)) << n;
            }
}

TEST(select_primitive, says_why_not) {
    SKIP_WITHOUT_ONEDNN();
    const dims full = {2, 3};
    EXPECT_EQ(refusal({3}, full, full, full), "cond is broadcast");
    EXPECT_EQ(refusal({}, full, full, full), "cond is broadcast");
    EXPECT_EQ(refusal(full, {2, 1}, full, full), "src_0 is broadcast");
    EXPECT_EQ(refusal(full, full, {2, 1}, full), "src_1 is broadcast, but is not one element");
    EXPECT_EQ(refusal({0, 3}, {0, 3}, {0, 3}, {0, 3}), "dst is empty");
    EXPECT_EQ(refusal(full, full, full, full, data_type::bf16),
            "data type bf16: generated code only for f32");
    EXPECT_EQ(refusal(full, full, full, full, data_type::s32),
            "data type s32: generated code only for f32");

    const char *names[] = {
            "cond is not dense", "src_0 is not dense", "src_1 is not dense", "dst is not dense"};
    for (std::size_t operand = 0; operand < 4; ++operand) {
        std::array<tensor_desc, 4> all;
        all.fill(dense(data_type::f32, full));
        all[0].type = data_type::boolean;
        all[operand].strides = {1, 2};
        std::string reason;
        EXPECT_EQ(make_select_primitive(
                          {{"cond", all[0]}, {"src_0", all[1]}, {"src_1", all[2]}, {"dst", all[3]}},
                          reason),
                nullptr);
        EXPECT_EQ(reason, names[operand]);
    }
}

TEST(select_primitive, any_number_of_threads) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    constexpr std::int64_t n = 200003;
    std::string reason;
    primitive tested = make({n}, {n}, {n}, {n}, reason);
    for (int threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            select_case work(dense_form({n}, {1, 1, 1}, 4), static_cast<unsigned>(threads));
            work.place();
            ASSERT_NO_FATAL_FAILURE(expect_reference_result(*tested, work));
        });
}

// B145, B146: made on one thread, run on several others at once, released on another.
TEST(select_primitive, runs_on_several_threads_at_once) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    constexpr std::int64_t n = 5003;
    primitive tested;
    std::thread([&] {
        std::string reason;
        tested = make({n}, {n}, {n}, {n}, reason);
    }).join();
    std::vector<std::thread> callers;
    for (unsigned caller = 0; caller < 4; ++caller)
        callers.emplace_back([&, caller] {
            select_case work(dense_form({n}, {1, 1, 1}, 4), caller);
            work.place();
            for (int i = 0; i < 100; ++i)
                ASSERT_NO_FATAL_FAILURE(expect_reference_result(*tested, work));
        });
    for (std::thread &caller : callers)
        caller.join();
    std::thread([&] { tested.reset(); }).join();
}

TEST(select_primitive, runs_within_parallel_work) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    constexpr std::int64_t n = 100003;
    std::string reason;
    primitive tested = make({n}, {n}, {1}, {n}, reason);
    std::vector<std::unique_ptr<select_case>> all;
    std::vector<std::vector<std::vector<std::uint8_t>>> wanted;
    for (unsigned i = 0; i < 8; ++i) {
        all.push_back(std::make_unique<select_case>(dense_form({n}, {1, 1, 0}, 4), i));
        all.back()->place();
        wanted.push_back(all.back()->expected());
    }
    parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) noexcept {
        for (std::int64_t i = begin; i < end; ++i) {
            const select_case &work = *all[static_cast<std::size_t>(i)];
            tested->run(work.at(select_cond), work.at(select_src_0), work.at(select_src_1),
                    work.at(select_dst));
        }
    });
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(all[i]->contents(), wanted[i]);
}

} // namespace
} // namespace tern
