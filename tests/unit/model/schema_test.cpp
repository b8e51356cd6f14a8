// The reader and the schema agree: for every key of every schema, mutated documents get one verdict from both.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "core/file.hpp"
#include "example.hpp"
#include "heapwright/model/json.hpp"
#include "model/comparison.hpp"
#include "model/detail/check.hpp"
#include "model/what_if.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::model;
using Json = nlohmann::json;

namespace {

class Validator {
public:
    explicit Validator(const Json& schema) {
        const valijson::adapters::NlohmannJsonAdapter adapter(schema);
        valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, schema_);
    }

    bool accepts(const Json& document) {
        const valijson::adapters::NlohmannJsonAdapter adapter(document);
        return validator_.validate(schema_, adapter, nullptr);
    }

private:
    valijson::Schema schema_;
    valijson::Validator validator_{valijson::Validator::kStrongTypes};
};

const std::vector<Json>& replacements() {
    static const std::vector<Json> kValues = {
        nullptr,
        true,
        false,
        "x",
        "",
        "0x0020000000000000",
        "0x001fffffffffffff",
        "0xffffffffffffffff",
        "BIT_0",
        "BIT_31",
        -1,
        -9007199254740992,
        0,
        1,
        1.5,
        -0.5,
        1e300,
        3,
        16,
        17,
        31,
        32,
        33,
        64,
        65,
        128,
        65536,
        65537,
        4294967295,
        4294967296,
        1ull << 40,
        1ull << 41,
        9007199254740991,
        9007199254740992,
        Json::object(),
        Json{{"surprise", 1}},
        Json::array(),
        Json::array({1, 1}),
        Json::array({"SAMPLED", "SAMPLED"}),
    };
    return kValues;
}

// "/devices/0/heaps" -> "/devices/*/heaps", so that the second of two alike is not mutated again.
std::string general(const Json::json_pointer& pointer, const Json& document) {
    std::string path;
    for (Json::json_pointer at = pointer; !at.empty(); at = at.parent_pointer()) {
        path = "/" + (document[at.parent_pointer()].is_array() ? "*" : at.back()) + path;
    }
    return path;
}

using Visit = std::function<void(const Json::json_pointer&)>;

void walk(const Json& node, const Json::json_pointer& pointer, const Visit& visit) {
    visit(pointer);
    if (node.is_object()) {
        for (const auto& [key, child] : node.items()) walk(child, pointer / key, visit);
    } else if (node.is_array()) {
        for (std::size_t i = 0; i < node.size(); ++i) walk(node[i], pointer / i, visit);
    }
}

// Every key that the schema names, as a general path.
void schema_paths(const Json& root, const Json& node, const std::string& path, std::set<std::string>& paths) {
    // A reference with a description beside it.
    if (node.contains("allOf")) return schema_paths(root, node["allOf"][0], path, paths);
    if (node.contains("$ref")) {
        const std::string reference = node["$ref"];
        return schema_paths(root, root.at(Json::json_pointer(reference.substr(1))), path, paths);
    }
    if (node.contains("properties")) {
        for (const auto& [key, child] : node["properties"].items()) {
            paths.insert(path + "/" + key);
            schema_paths(root, child, path + "/" + key, paths);
        }
    }
    if (node.contains("items") && node["items"].is_object()) schema_paths(root, node["items"], path + "/*", paths);
}

struct Disagreement {
    int checked = 0;
    int rejected = 0;
    std::vector<std::string> places;
};

template <class T>
void compare(Validator& validator, const Json& document, const std::string& what, Disagreement& result) {
    const auto read = detail::read_shape<T>(document.dump(), "d");
    ++result.checked;
    result.rejected += read ? 0 : 1;
    if (validator.accepts(document) == read.has_value()) return;
    result.places.push_back(what + ": reader says " + (read ? "good" : to_string(read.error())));
}

template <class T>
void mutate_everything(std::string_view name, const std::string& text) {
    const Json schema_json = Json::parse(schema(name).value());
    Validator validator(schema_json);
    const Json document = Json::parse(text);
    REQUIRE(validator.accepts(document));

    Disagreement result;
    std::set<std::string> met;
    Json mutated = document;
    const auto try_value = [&](const std::string& what, const Json::json_pointer& pointer, Json value) {
        mutated[pointer].swap(value);
        compare<T>(validator, mutated, what, result);
        mutated[pointer].swap(value);
    };
    walk(document, Json::json_pointer(), [&](const Json::json_pointer& pointer) {
        const std::string path = general(pointer, document);
        if (!met.insert(path).second) return;
        for (const Json& value : replacements()) {
            try_value(path + " = " + value.dump(), pointer, value);
        }
        const Json& node = document[pointer];
        if (node.is_object()) {
            Json more = node;
            more["surprise"] = 1;
            try_value(path + " with an unknown key", pointer, std::move(more));
        }
        if (node.is_array() && !node.empty()) {
            for (const std::size_t count : {2u, 16u, 17u, 32u, 33u, 65u}) {
                try_value(path + " with more items", pointer, Json::array_t(count, node[0]));
            }
        }
        if (!pointer.empty() && document[pointer.parent_pointer()].is_object()) {
            Json less = document[pointer.parent_pointer()];
            less.erase(pointer.back());
            try_value(path + " missing", pointer.parent_pointer(), std::move(less));
        }
    });
    for (const std::string& place : result.places) FAIL_CHECK(place);
    CHECK(result.checked > 1000);
    CHECK(result.rejected > result.checked / 2);

    std::set<std::string> keys;
    schema_paths(schema_json, schema_json, "", keys);
    for (const std::string& key : keys) {
        INFO("key of the schema that the example lacks: " << key);
        CHECK(met.contains(key));
    }
}

// With every member that a hint may have.
Workload whole_workload() {
    Workload workload = example::workload();
    workload.images.push_back({.extents = {{16, 16}},
                               .depth = 8,
                               .mip_levels = 2,
                               .flags = image_creation::k2dArrayCompatible,
                               .host_access = HostAccess::kRandom,
                               .dedicated = OwnMemory::kNever,
                               .importance = 40,
                               .needs = {Capability::kLazilyAllocatedMemory}});
    workload.buffers[0].host_access = HostAccess::kSequential;
    workload.buffers[0].dedicated = OwnMemory::kAlways;
    workload.buffers[0].importance = 0;
    workload.buffers[0].needs = {Capability::kAccelerationStructures};
    workload.caps = MemoryCaps{.device_local_bytes = 1 << 30, .host_bytes = 1 << 20};
    return workload;
}

// HEAPWRIGHT_UPDATE_GOLDEN writes the file anew.
void check_committed(const std::string& path, const std::string& text) {
    const std::string whole_path = test::source_path(path);
    if (std::getenv("HEAPWRIGHT_UPDATE_GOLDEN") != nullptr) REQUIRE(write_file_atomically(whole_path, text));
    INFO(path << " (HEAPWRIGHT_UPDATE_GOLDEN=1 writes it anew)");
    const auto committed = read_file(whole_path);
    REQUIRE(committed);
    CHECK(*committed == text);
}

}  // namespace

TEST_CASE("Schema and reader agree on every key of a report") {
    mutate_everything<Report>("report", write(example::report()));
}

TEST_CASE("Schema and reader agree on every key of a workload") {
    mutate_everything<Workload>("workload", write(whole_workload()));
}

TEST_CASE("Schema and reader agree on every key of a policy") {
    Policy policy = example::policy();
    policy.workload = whole_workload();
    mutate_everything<Policy>("policy", write(policy));
}

TEST_CASE("Schema and reader agree on every key of a validation") {
    mutate_everything<Validation>("validation", write(example::validation()));
}

TEST_CASE("Schema and reader agree on every key of a comparison") {
    mutate_everything<Comparison>("comparison", write(example::comparison()));
}

TEST_CASE("Schema and reader agree on every key of a what-if") {
    mutate_everything<WhatIf>("what-if", write(example::what_if()));
}

TEST_CASE("The committed schemas are the program's own") {
    for (const std::string_view name : schema_names()) {
        check_committed("policies/schema/" + std::string(name) + ".schema.json", schema(name).value());
    }
    CHECK(!schema("nonsense"));
}

TEST_CASE("The committed documents with every member are the examples") {
    const std::string corpus = "tests/fuzz/corpus/read_";
    check_committed(corpus + "report/every-member.json", write(example::report()));
    check_committed(corpus + "policy/every-member.json", write(example::policy()));
    check_committed(corpus + "validation/every-member.json", write(example::validation()));
    check_committed(corpus + "what_if/every-member.json", write(example::what_if()));
}
