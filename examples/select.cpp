// SPDX-License-Identifier: Apache-2.0
//
// Select with a mask: where the mask is false, a score is replaced by a fill value. The mask is the
// same for every row, the fill value for every element: both broadcast.
#include <cstdio>

#include <tern/graph.hpp>

using namespace tern::graph;

int main() {
    using type = logical_tensor::data_type;
    const auto strided = logical_tensor::layout_type::strided;
    logical_tensor mask(0, type::boolean, {1, 4}, strided);
    logical_tensor scores(1, type::f32, {2, 4}, strided);
    logical_tensor fill(2, type::f32, logical_tensor::dims{}, strided);
    logical_tensor result(3, type::f32, {2, 4}, strided);

    graph g(engine::kind::cpu);
    g.add_op(op(0, op::kind::Select, {mask, scores, fill}, {result}));
    g.finalize();

    engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    compiled_partition select =
            g.get_partitions().front().compile({mask, scores, fill}, {result}, cpu);

    bool mask_data[] = {true, true, false, true};
    float score_data[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float fill_data = -1;
    float result_data[8];
    select.execute(queue,
            {tensor(mask, cpu, mask_data), tensor(scores, cpu, score_data),
                    tensor(fill, cpu, &fill_data)},
            {tensor(result, cpu, result_data)});

    for (int i = 0; i < 8; ++i)
        std::printf("%g%c", result_data[i], i % 4 == 3 ? '\n' : ' ');
}
