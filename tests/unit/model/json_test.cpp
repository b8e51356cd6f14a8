// Round trips, errors and their wording, versions, references, volatile sections.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "example.hpp"
#include "heapwright/model/json.hpp"
#include "model/workload_identity.hpp"

using namespace heapwright;
using namespace heapwright::model;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::ordered_json;

namespace {

// The error of reading the example report after `change`.
std::string error_after(const std::function<void(Json&)>& change) {
    Json document = Json::parse(write(example::report()));
    change(document);
    const auto result = read_report(document.dump(), "report.json");
    return result ? std::string("no error") : to_string(result.error());
}

}  // namespace

TEST_CASE("Every document reads back and is written again byte for byte") {
    const std::string report = write(example::report());
    CHECK(write(read_report(report, "report").value()) == report);
    const std::string workload = write(example::workload());
    CHECK(write(read_workload(workload, "workload").value()) == workload);
    const std::string policy = write(example::policy());
    CHECK(write(read_policy(policy, "policy").value()) == policy);
    const std::string validation = write(example::validation());
    CHECK(write(read_validation(validation, "validation").value()) == validation);
    CHECK(report.back() == '\n');
}

TEST_CASE("A large report is compact and reads back") {
    const std::string text = write(example::large_report(700));
    CHECK(text.size() < 600'000);
    CHECK(write(read_report(text, "report").value()) == text);
}

TEST_CASE("A reference that leads nowhere names its place, value and limit") {
    CHECK(error_after([](Json& d) { d["devices"][0]["memory_types"][1]["heap_index"] = 7; }) ==
          "report.json: /devices/0/memory_types/1/heap_index: no such heap (value 7, limit 3)");
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["requirements"][1]["memory_type_bits"] = 8; }),
               ContainsSubstring("/devices/0/image_sweep/requirements/1/memory_type_bits: bit 3 names no memory type"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["requirements"][1]["memory_type_bits"] = 0; }),
               ContainsSubstring("memory_type_bits: below the smallest value (value 0, limit 1)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["requirements"][0]["alignment_bytes"] = 3; }),
               ContainsSubstring("alignment_bytes: not a power of two (value 3)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["cases"][0]["table"] = 2; }),
               ContainsSubstring("/cases/0/table: no such table (value 2, limit 2)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["tables"][0]["size_bytes"].push_back(1); }),
               ContainsSubstring("/tables/0/size_bytes: the grid has another number of points (value 8, limit 7)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["image_sweep"]["tables"][0]["requirement"][1][0] = 2; }),
               ContainsSubstring("no such requirement at grid point 6 (value 2, limit 2)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["buffer_sweep"]["sizes"][1] = 1; }),
               ContainsSubstring("/buffer_sweep/sizes/1: not above the entry before it"));
    CHECK_THAT(error_after([](Json& d) {
                   for (int i = 0; i < 37; ++i) {
                       d["devices"][0]["memory_types"].push_back(d["devices"][0]["memory_types"][0]);
                   }
               }),
               ContainsSubstring("/devices/0/memory_types: too many items (value 40, limit 32)"));
}

TEST_CASE("A heap of no size needs the finding that states it") {
    CHECK(error_after([](Json&) {}) == "no error");
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["heaps"][0]["size_bytes"] = 0; }),
               ContainsSubstring("/devices/0/heaps/0/size_bytes: a heap of no size that no finding"));
}

TEST_CASE("Keys and types are strict") {
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["surprise"] = 1; }),
               ContainsSubstring("report.json: /devices/0/surprise: unknown key"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0].erase("heaps"); }),
               ContainsSubstring("report.json: /devices/0: missing key \"heaps\""));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["heaps"][0]["size_bytes"] = "big"; }),
               ContainsSubstring("/size_bytes: \"big\" is not an integer"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["heaps"][0]["size_bytes"] = -5; }),
               ContainsSubstring("/size_bytes: -5 is negative"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["identity"]["vendor_id"] = 4294967296; }),
               ContainsSubstring("above the largest value (value 4294967296, limit 4294967295)"));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["heaps"][0]["flags"][0] = "NONSENSE"; }),
               ContainsSubstring("/heaps/0/flags/0: unknown flag \"NONSENSE\""));
    CHECK_THAT(error_after([](Json& d) { d["devices"][0]["identity"]["api"] = "metal"; }),
               ContainsSubstring("\"metal\" is none of: vulkan, d3d12"));
}

TEST_CASE("Another document or version is refused with both named") {
    const auto other = read_policy(write(example::report()), "p.json");
    REQUIRE(!other);
    CHECK(other.error().code == ErrorCode::kUnsupportedVersion);
    CHECK_THAT(to_string(other.error()), ContainsSubstring("urn:heapwright:schema:report:1") &&
                                             ContainsSubstring("urn:heapwright:schema:policy:2"));
    Json document = Json::parse(write(example::report()));
    document["schema_version"] = 2;
    const auto version = read_report(document.dump(), "r.json");
    REQUIRE(!version);
    CHECK(version.error().code == ErrorCode::kUnsupportedVersion);
    CHECK(to_string(version.error())
              .starts_with("r.json: /schema_version: a report of schema version 2, this heapwright reads version 1"));
    CHECK(document_kind(write(example::policy()), "p").value() == DocumentKind::kPolicy);
    CHECK(!document_kind("{\"$schema\": \"urn:other\"}", "p"));
    CHECK(!document_kind("[]", "p"));
}

TEST_CASE("A policy of version 1 is refused with the versions and the command that makes it anew") {
    const std::string current = write(example::policy());
    const std::string first = "urn:heapwright:schema:policy:1";
    std::string old = current;
    old.replace(old.find("urn:heapwright:schema:policy:2"), first.size(), first);
    old.replace(old.find("\"schema_version\": 2"), 19, "\"schema_version\": 1");
    const std::string expected =
        "p.json: /$schema: a policy of schema version 1, this heapwright reads version 2; make it anew from its "
        "report: heapwright advise REPORT";
    for (const auto& error : {read_policy(old, "p.json").error(), document_kind(old, "p.json").error()}) {
        CHECK(error.code == ErrorCode::kUnsupportedVersion);
        CHECK(to_string(error).starts_with(expected));
    }
    // The id alone is not the version, and a policy of a later version is not to be made anew by this program.
    Json mixed = Json::parse(current);
    mixed["schema_version"] = 1;
    CHECK_THAT(to_string(read_policy(mixed.dump(), "p.json").error()),
               ContainsSubstring("/schema_version: a policy of schema version 1"));
    Json later = Json::parse(current);
    later["$schema"] = "urn:heapwright:schema:policy:10";
    const std::string text = to_string(read_policy(later.dump(), "p.json").error());
    CHECK_THAT(text, ContainsSubstring("a policy of schema version 10") && !ContainsSubstring("advise"));
    later["$schema"] = "urn:heapwright:schema:policy:x";
    CHECK_THAT(to_string(read_policy(later.dump(), "p.json").error()), ContainsSubstring("expected \"urn:heapwright"));
}

TEST_CASE("A flag is its bit: a number that has a name here reads as the named one") {
    Policy policy = example::policy();
    policy.devices[0].memory_types[0].property_flags = memory_property::kRdmaCapableNv | 0x4000'0000;
    const std::string named = write(policy);
    std::string by_number = named;
    by_number.replace(by_number.find("RDMA_CAPABLE_NV"), 15, "BIT_8");
    CHECK_THAT(named, ContainsSubstring("\"BIT_30\""));
    const auto read = read_policy(by_number, "p.json");
    REQUIRE(read);
    CHECK(read->devices[0].memory_types[0].property_flags == policy.devices[0].memory_types[0].property_flags);
    CHECK(write(*read) == named);
    // One bit under both names stands twice.
    std::string twice = named;
    twice.replace(twice.find("\"RDMA_CAPABLE_NV\""), 17, "\"RDMA_CAPABLE_NV\", \"BIT_8\"");
    CHECK_THAT(to_string(read_policy(twice, "p.json").error()), ContainsSubstring("\"BIT_8\" stands twice"));
}

TEST_CASE("A heap of no size has its place in a policy, as in the report that it was made from") {
    Policy policy = example::policy();
    policy.devices[0].heaps.push_back(
        {.heap = 1, .usable_bytes = {.value = 0, .why = {}}, .parts = {.value = 1, .why = {}}, .reserve_share = {}});
    const std::string text = write(policy);
    const auto read = read_policy(text, "p.json");
    REQUIRE(read);
    CHECK(write(*read) == text);
}

TEST_CASE("What a policy refers to stands in it") {
    const auto error_after = [](auto&& change) {
        Json document = Json::parse(write(example::policy()));
        change(document["devices"][0]);
        const auto read = read_policy(document.dump(), "p.json");
        return read ? std::string("read") : to_string(read.error());
    };
    CHECK_THAT(error_after([](Json& d) { d["memory_types"][2]["heap_index"] = 1; }),
               ContainsSubstring("/devices/0/memory_types/2/heap_index: no such heap (value 1, limit 1)"));
    CHECK_THAT(error_after([](Json& d) { d["memory_uses"][0]["memory_types"]["value"][1] = 3; }),
               ContainsSubstring("/memory_uses/0/memory_types/value/1: no such memory type (value 3, limit 3)"));
    CHECK_THAT(error_after([](Json& d) { d["buckets"][0]["memory_type"] = 3; }),
               ContainsSubstring("/buckets/0/memory_type: no such memory type"));
    CHECK_THAT(error_after([](Json& d) { d["heaps"][0]["base_bytes"] = d["heaps"][0]["size_bytes"].get<long>() + 1; }),
               ContainsSubstring("/heaps/0/base_bytes: more than the heap has"));
    CHECK_THAT(error_after([](Json& d) { d.erase("memory_types"); }),
               ContainsSubstring("missing key \"memory_types\""));
}

TEST_CASE("Malformed text is an error with its place") {
    const auto reason = [](std::string_view text) {
        const auto result = read_report(text, "r.json");
        return result ? std::string("no error") : to_string(result.error());
    };
    CHECK_THAT(reason(""), ContainsSubstring("r.json"));
    CHECK_THAT(reason("{} x"), ContainsSubstring("line 1, column"));
    CHECK_THAT(reason("{\"a\": NaN}"), ContainsSubstring("line 1, column"));
    CHECK_THAT(reason("{\"a\": 1, \"a\": 2}"), ContainsSubstring("key \"a\" stands twice"));
    CHECK_THAT(reason("{\"a\": \"\xFF\"}"), ContainsSubstring("UTF-8"));
    CHECK_THAT(reason(std::string(100'000, '[')), ContainsSubstring("nested deeper than 32 levels"));
    std::string huge = write(example::report());
    huge.replace(huge.find("8589934592"), 10, "99999999999999999999");
    CHECK_THAT(reason(huge), ContainsSubstring("expected an integer, found an integer beyond 64 bits"));
}

TEST_CASE("A truncated document is an error at every length") {
    const std::string text = write(example::report());
    for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
        INFO("length " << length);
        REQUIRE(!read_report(std::string_view(text).substr(0, length), "r"));
    }
}

TEST_CASE("64-bit limits and bytes that are not UTF-8 survive") {
    Report report = example::report();
    report.devices[0].identity.name = "bad \xC3( name";
    const Report back = read_report(write(report), "r").value();
    CHECK(back.devices[0].identity.name == "bad \xEF\xBF\xBD( name");
    CHECK(back.devices[0].limit("maxBufferSize") == 0xFFFFFFFFFFFFFFFFull);
    CHECK(read_workload(write(example::workload()), "w")->seed == 0xFEDCBA9876543210ull);
}

TEST_CASE("A workload written by hand may leave out what has a default") {
    const auto workload = read_workload(R"({"$schema": "urn:heapwright:schema:workload:1", "schema_version": 1,
        "name": "mine", "images": [{"format": "R8_UNORM", "usage": ["SAMPLED"], "count": 3}], "buffers": []})",
                                        "w.json");
    REQUIRE(workload);
    CHECK(workload->frames_in_flight == Workload{}.frames_in_flight);
    CHECK(workload->images[0].largest_side == ImageHint{}.largest_side);
}

TEST_CASE("A policy's workload is a whole document, read as strictly as one of its own") {
    const std::string text = write(example::policy());
    const Policy policy = read_policy(text, "p.json").value();
    REQUIRE(policy.workload);
    CHECK(write(*policy.workload) == write(example::workload()));
    CHECK(stable_hash(*policy.workload) == stable_hash(example::workload()));
    CHECK(read_workload(Json::parse(text)["workload"].dump(), "w.json"));

    const auto error_after = [&](const std::string& pointer, const Json& value) {
        Json document = Json::parse(text);
        document[Json::json_pointer(pointer)] = value;
        const auto read = read_policy(document.dump(), "p.json");
        REQUIRE_FALSE(read);
        return to_string(read.error());
    };
    CHECK_THAT(error_after("/workload/$schema", "urn:heapwright:schema:report:1"),
               ContainsSubstring("p.json: /workload/$schema"));
    CHECK_THAT(error_after("/workload/schema_version", 7), ContainsSubstring("p.json: /workload/schema_version"));
    CHECK_THAT(error_after("/workload/images/0/smallest_side", 70'000),
               ContainsSubstring("p.json: /workload/images/0/smallest_side"));

    Json older = Json::parse(text);
    older.erase("workload");
    const auto read = read_policy(older.dump(), "p.json");
    REQUIRE(read);
    CHECK_FALSE(read->workload);
    CHECK(Json::parse(write(*read)) == older);
}

TEST_CASE("Workloads are told apart by their hashes, and by name where that is enough") {
    const Workload own = example::workload();
    Policy policy = example::policy();
    CHECK(other_workload_text(policy, own) ==
          "the policy was made for \"synthetic\" of hash fedcba98, and \"synthetic\" of hash " +
              stable_hash(own).substr(0, 8) + " was played");
    policy.header.sources[1].stable_hash = stable_hash(own);
    CHECK(other_workload_text(policy, own).empty());
    Workload renamed = own;
    renamed.name = "mine";
    CHECK(other_workload_text(policy, renamed) == "the policy was made for \"synthetic\", and \"mine\" was played");
    policy.header.sources.clear();
    CHECK(other_workload_text(policy, renamed).empty());
    CHECK(told_from({.name = {}, .stable_hash = "ab"}, workload_of(own)) == "a workload of hash ab");
}

TEST_CASE("A policy that names no suballocator for descriptors has the usual ones") {
    Json document = Json::parse(write(example::policy()));
    Json& descriptors = document["devices"][0]["descriptors"];
    descriptors.erase("cpu_suballocator");
    for (const char* heap : {"resources", "samplers"}) {
        descriptors[heap].erase("static_suballocator");
        descriptors[heap].erase("dynamic_suballocator");
    }
    const Policy policy = read_policy(document.dump(), "policy").value();
    const DescriptorPolicy& read = policy.devices[0].descriptors;
    CHECK_FALSE(read.cpu_suballocator);
    CHECK(cpu_suballocator_of(read) == SuballocatorKind::kTlsf);
    CHECK(static_suballocator_of(read.resources) == SuballocatorKind::kTlsf);
    CHECK(dynamic_suballocator_of(read.resources) == SuballocatorKind::kSlots);
    CHECK(Json::parse(write(policy)) == document);  // nothing is made up

    const DescriptorPolicy named = example::policy().devices[0].descriptors;
    CHECK(static_suballocator_of(named.resources) == SuballocatorKind::kFixedBlocks);
    CHECK(dynamic_suballocator_of(named.samplers) == SuballocatorKind::kRing);

    descriptors["cpu_suballocator"] = {
        {"value", "buddy"}, {"reason", ""}, {"inputs", Json::array()}, {"alternatives", Json::array()}};
    const auto unknown = read_policy(document.dump(), "policy");
    REQUIRE_FALSE(unknown);
    CHECK_THAT(to_string(unknown.error()), ContainsSubstring("/devices/0/descriptors/cpu_suballocator/value"));
}

TEST_CASE("A promise has one of its names, and of a heap alone the heap") {
    const auto read_with = [](std::string_view name) {
        Json document = Json::parse(write(example::validation()));
        document["devices"][0]["scenarios"][0]["volatile"]["promises"][0]["name"] = name;
        return read_validation(document.dump(), "v.json");
    };
    const auto of_heap = read_with("peak_reserved_bytes/15");
    REQUIRE(of_heap);
    const Promise& promise = of_heap->devices[0].scenarios[0].run.promises[0];
    CHECK(promise.name == PromiseName{PromiseKind::kPeakReservedBytes, 15});
    CHECK(label_of(promise.name) == "Reserved at most, heap 15");
    CHECK(figure_text(promise, 1536) == "1.5 KiB");
    for (const char* wrong : {"", "waste", "mean_waste/0", "peak_reserved_bytes", "peak_reserved_bytes/",
                              "peak_reserved_bytes/16", "peak_reserved_bytes/01"}) {
        CAPTURE(wrong);
        const auto refused = read_with(wrong);
        REQUIRE_FALSE(refused);
        CHECK_THAT(to_string(refused.error()), ContainsSubstring("\" is none of: mean_waste, peak_waste, "));
    }
}

TEST_CASE("A validation without maps of chunks reads, and a map has its bounds") {
    Json document = Json::parse(write(example::validation()));
    Json& occupancy = document["devices"][0]["scenarios"][0]["occupancy"];
    Json& map = occupancy["maps"][0];
    map["chunks"][0]["used_percent"][0] = 101;
    const auto above = read_validation(document.dump(), "validation");
    REQUIRE_FALSE(above);
    CHECK_THAT(to_string(above.error()),
               ContainsSubstring("/occupancy/maps/0/chunks/0/used_percent/0: above the largest value"));
    occupancy.erase("maps");
    const auto without = read_validation(document.dump(), "validation");
    REQUIRE(without);
    CHECK(without->devices[0].scenarios[0].occupancy->maps.empty());
}

TEST_CASE("Only the volatile paths change with what is volatile") {
    Report other = example::report();
    other.run = {.created_utc = "2027-01-01T00:00:00Z", .host = "elsewhere"};
    other.devices[0].run = {};
    Json first = Json::parse(write(example::report()));
    Json second = Json::parse(write(other));
    CHECK(first != second);
    for (Json* document : {&first, &second}) {
        document->erase("volatile");
        (*document)["devices"][0].erase("volatile");
    }
    CHECK(first == second);
    CHECK(volatile_paths(DocumentKind::kReport) == std::vector<std::string_view>{"/volatile", "/devices/*/volatile"});
    CHECK(volatile_paths(DocumentKind::kValidation) ==
          std::vector<std::string_view>{"/volatile", "/devices/*/scenarios/*/volatile"});
    CHECK(without_volatile(other) == without_volatile(example::report()));
    CHECK(stable_hash(other) == stable_hash(example::report()));
    other.devices[0].heaps[0].size_bytes += 1;
    CHECK(stable_hash(other) != stable_hash(example::report()));
}
