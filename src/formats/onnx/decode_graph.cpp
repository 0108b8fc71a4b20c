// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "formats/onnx/decoders.hpp"
#include "formats/onnx/reader.hpp"

namespace tern::formats::onnx {
namespace {

value_info decode_value_info(message_reader &in) {
    value_info result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.name = in.label("name"); break;
            case 2: read_once(in, "type", result.type, decode_type); break;
            default: in.skip();
        }
    return result;
}

node decode_node(message_reader &in) {
    node result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.inputs.push_back(in.text("input")); break;
            case 2: result.outputs.push_back(in.text("output")); break;
            case 3: result.name = in.label("name"); break;
            case 4: result.op_type = in.text("op_type"); break;
            case 5: append_message(in, "attribute", result.attributes, decode_attribute); break;
            case 7: result.domain = in.text("domain"); break;
            case 8: result.overload = in.text("overload"); break;
            default: in.skip();
        }
    return result;
}

/// Of a SparseTensorProto its name: that of the tensor of its values.
std::string decode_sparse_name(message_reader &in) {
    std::optional<tensor> values;
    while (in.next())
        if (in.tag() == 1)
            read_once(in, "values", values, decode_tensor);
        else
            in.skip();
    return values ? values->name : "";
}

opset_import decode_opset_import(message_reader &in) {
    opset_import result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.domain = in.label("domain"); break;
            case 2: result.version = in.s64("version"); break;
            default: in.skip();
        }
    return result;
}

function decode_function(message_reader &in) {
    function result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.name = in.label("name"); break;
            case 4: result.inputs.push_back(in.text("input")); break;
            case 5: result.outputs.push_back(in.text("output")); break;
            case 6: result.attributes.push_back(in.text("attribute")); break;
            case 7: append_message(in, "node", result.nodes, decode_node); break;
            case 9:
                append_message(in, "opset_import", result.opset_imports, decode_opset_import);
                break;
            case 10: result.domain = in.text("domain"); break;
            case 11:
                append_message(in, "attribute_proto", result.default_attributes, decode_attribute);
                break;
            case 12: append_message(in, "value_info", result.value_infos, decode_value_info); break;
            case 13: result.overload = in.text("overload"); break;
            default: in.skip();
        }
    return result;
}

} // namespace

metadata_entry decode_metadata(message_reader &in) {
    metadata_entry result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.key = in.label("key"); break;
            case 2: result.value = in.text("value"); break;
            default: in.skip();
        }
    return result;
}

graph decode_graph(message_reader &in) {
    graph result;
    while (in.next())
        switch (in.tag()) {
            case 1: append_message(in, "node", result.nodes, decode_node); break;
            case 2: result.name = in.text("name"); break;
            case 5: append_message(in, "initializer", result.initializers, decode_tensor); break;
            case 10: result.doc = in.text("doc_string"); break;
            case 11: append_message(in, "input", result.inputs, decode_value_info); break;
            case 12: append_message(in, "output", result.outputs, decode_value_info); break;
            case 13: append_message(in, "value_info", result.value_infos, decode_value_info); break;
            case 15:
                append_message(
                        in, "sparse_initializer", result.sparse_initializers, decode_sparse_name);
                break;
            default: in.skip();
        }
    return result;
}

model decode_model(message_reader &in) {
    model result;
    std::optional<graph> main_graph;
    while (in.next())
        switch (in.tag()) {
            case 1: result.ir_version = in.s64("ir_version"); break;
            case 2: result.producer_name = in.text("producer_name"); break;
            case 3: result.producer_version = in.text("producer_version"); break;
            case 4: result.domain = in.text("domain"); break;
            case 5: result.model_version = in.s64("model_version"); break;
            case 6: result.doc = in.text("doc_string"); break;
            case 7: read_once(in, "graph", main_graph, decode_graph); break;
            case 8:
                append_message(in, "opset_import", result.opset_imports, decode_opset_import);
                break;
            case 14: append_message(in, "metadata_props", result.metadata, decode_metadata); break;
            case 25: append_message(in, "functions", result.functions, decode_function); break;
            default: in.skip();
        }
    if (!main_graph) in.fail("graph", "no graph is given");
    result.main_graph = std::move(*main_graph);
    return result;
}

} // namespace tern::formats::onnx
