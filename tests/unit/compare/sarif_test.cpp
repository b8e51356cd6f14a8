// Comparisons as SARIF: rules and fingerprints that stay, levels, counts and bounds. What its own validator says of it
// is asked in tests/sarif.
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "committed.hpp"
#include "compare/compare.hpp"
#include "core/file.hpp"
#include "model/comparison.hpp"
#include "render/comparison_forms.hpp"
#include "render/comparison_words.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

using Json = nlohmann::json;
using Known = std::multiset<std::string>;

model::Comparison sarif_comparison(const model::Report& from, const model::Report& to) {
    model::Comparison comparison;
    comparison.header.tool_version = "1.2.3";
    auto result = compare::compare_documents(loaded(from, "reports/old.json"), loaded(to, "reports/new.json"), {});
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    return comparison;
}

model::Comparison sarif_versions() {
    return sarif_comparison(committed_report("anv-kbl-mesa-22.3.6"), committed_report("anv-kbl-mesa-25.0.7"));
}

Json run_of(const std::string& text) {
    const Json document = Json::parse(text);
    CHECK(document.at("version") == "2.1.0");
    REQUIRE(document.at("runs").size() == 1);
    return document.at("runs").at(0);
}

Json run_of(const model::Comparison& comparison, bool strict = false) {
    return run_of(render::comparison_sarif(comparison, strict));
}

Known fingerprints(const Json& run) {
    Known known;
    for (const Json& result : run.at("results"))
        known.insert(result.at("partialFingerprints").at("primaryLocationLineHash").get<std::string>());
    return known;
}

// Of the limits alone.
std::map<std::string, std::string> limit_fingerprints(const Json& run) {
    std::map<std::string, std::string> known;
    for (const Json& result : run.at("results")) {
        if (result.at("ruleId") != "HW-LIMIT") continue;
        known[result.at("locations")[0].at("logicalLocations")[0].at("name")] =
            result.at("partialFingerprints").at("deviceAndPath/v1");
    }
    return known;
}

}  // namespace

TEST_CASE("the rules of SARIF are these, in this order") {
    const std::vector<std::string> kIds{"HW-FINDING",
                                        "HW-DEVICE",
                                        "HW-FAILURE",
                                        "HW-IDENTITY",
                                        "HW-HEAP",
                                        "HW-MEMORY-TYPE",
                                        "HW-LIMIT",
                                        "HW-FEATURE",
                                        "HW-QUEUE",
                                        "HW-EXTENSION",
                                        "HW-FACT",
                                        "HW-SWEEP-ALIGNMENT",
                                        "HW-SWEEP-SIZE",
                                        "HW-SWEEP-MEMORY-TYPES",
                                        "HW-SWEEP-DEDICATED",
                                        "HW-SWEEP-SUPPORT",
                                        "HW-SWEEP-CASE",
                                        "HW-COST",
                                        "HW-ENGINE",
                                        "HW-POLICY",
                                        "HW-VALIDATION",
                                        "HW-LEFT-OUT",
                                        "HW-ALLOW-LIST",
                                        "HW-OTHER"};
    std::vector<std::string> ids;
    const Json empty = run_of(model::Comparison{});
    for (const Json& rule : empty.at("tool").at("driver").at("rules")) {
        ids.push_back(rule.at("id"));
        for (const char* text : {"shortDescription", "fullDescription", "help"}) {
            INFO(rule.dump());
            CHECK(rule.at(text).at("text").get<std::string>().ends_with('.'));
        }
    }
    CHECK(ids == kIds);
    const auto rule = [](const char* path) {
        return std::string(render::comparison_rules()[render::rule_of_path(path)].id);
    };
    CHECK(rule("/") == "HW-DEVICE");
    CHECK(rule("/image_sweep/R8_UNORM/optimal/2d/SAMPLED/none/layers_1/samples_1/alignment_bytes") ==
          "HW-SWEEP-ALIGNMENT");
    CHECK(rule("/buffer_sweep/TRANSFER_SRC/size_bytes") == "HW-SWEEP-SIZE");
    CHECK(rule("/buffer_sweep/cases") == "HW-SWEEP-CASE");
    CHECK(rule("/volatile/memory_cost/DEVICE_LOCAL/host_bandwidth") == "HW-COST");
    CHECK(rule("/volatile/engines/copies/x") == "HW-ENGINE");
    CHECK(rule("/volatile/heap_budgets") == "HW-HEAP");
    CHECK(rule("/limitsless/x") == "HW-OTHER");
}

TEST_CASE("every part of a document has a SARIF rule of its own") {
    for (const char* file :
         {"reports/anv-kbl-mesa-25.0.7.json", "reports/nvidia-h100-580.159.04-vulkan.json",
          "reports/nvidia-h100-580.159.04-vkd3d-1.2.json", "reports/lavapipe-mesa-22.3.6-validation.json",
          "policies/nvidia-h100-580.159.04-vulkan-general-engine.json"}) {
        const auto text = read_file(test::source_path(file));
        REQUIRE(text.has_value());
        const Json document = Json::parse(*text);
        for (const Json& device : document.at("devices")) {
            for (const auto& [key, value] : device.items()) {
                INFO(file << ": " << key);
                CHECK(render::comparison_rules()[render::rule_of_path("/" + key)].id != "HW-OTHER");
            }
        }
    }
}

TEST_CASE("SARIF holds as many results of each status as the text counts, and their levels") {
    for (const bool strict : {false, true}) {
        model::Comparison comparison = sarif_versions();
        comparison.allow_list.push_back({.file = "allow 1.toml", .line = 7, .statement = "allowed nothing"});
        const Json run = run_of(comparison, strict);
        std::map<std::string, std::uint64_t> statuses;
        std::map<std::string, std::uint64_t> levels;
        for (const Json& result : run.at("results")) {
            INFO(result.dump());
            ++statuses[result.at("properties").at("status")];
            ++levels[result.at("level")];
            const Json& rules = run.at("tool").at("driver").at("rules");
            CHECK(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id") == result.at("ruleId"));
            const bool expected = result.at("properties").at("status") == "expected";
            CHECK(result.at("suppressions").size() == (expected ? 1 : 0));
            if (expected) {
                CHECK(result.at("suppressions")[0].at("kind") == "external");
                CHECK_FALSE(result.at("suppressions")[0].at("justification").get<std::string>().empty());
            }
            CHECK_FALSE(result.contains("baselineState"));
        }
        render::StatusCounts counts = render::counts_of(comparison.documents[0].devices[0]);
        for (const model::ChangeStatus status : render::kCountedStatuses)
            CHECK(statuses[std::string(name_of(status))] == counts[status]);
        CHECK(statuses["allow-list"] == 1);
        const compare::Outcome outcome = compare::outcome_of(comparison);
        CHECK(levels["error"] == outcome.failing + (strict ? outcome.improved + outcome.allow_list_notes : 0));
        CHECK(levels["warning"] == outcome.inconclusive + (strict ? 0 : outcome.allow_list_notes));
        CHECK(run.dump().find("\"allow%201.toml\"") != std::string::npos);
        // A violation comes first, and the accepted come last.
        CHECK(run.at("results").front().at("ruleId") == "HW-FINDING");
        CHECK(run.at("results").back().at("properties").at("status") == "expected");
    }
}

TEST_CASE("an alert's fingerprint outlives values, versions and names, and is one result's alone") {
    const model::Report from = committed_report("anv-kbl-mesa-22.3.6");
    model::Report to = from;
    for (std::size_t limit = 0; limit < 20; ++limit) to.devices[0].limits[limit].value += 1;
    const Json before = run_of(sarif_comparison(from, to));
    REQUIRE(limit_fingerprints(before).size() == 20);
    for (std::size_t limit = 0; limit < 20; ++limit) to.devices[0].limits[limit].value += 3;
    to.devices[0].identity.driver_version += 7;
    to.devices[0].identity.driver_info = "Mesa 99";
    to.devices[0].identity.name += " (LLVM 99)";
    CHECK(limit_fingerprints(run_of(sarif_comparison(from, to))) == limit_fingerprints(before));
    // A limit that gets better instead has another level, and is the same alert.
    for (std::size_t limit = 0; limit < 20; ++limit) to.devices[0].limits[limit].value = 0;
    for (const auto& [name, fingerprint] : limit_fingerprints(run_of(sarif_comparison(from, to)))) {
        const auto known = limit_fingerprints(before);
        if (known.contains(name)) CHECK(known.at(name) == fingerprint);
    }
    const Known all = fingerprints(run_of(sarif_versions()));
    CHECK(std::set(all.begin(), all.end()).size() == all.size());
    // So has each of several documents and of devices that are alike.
    model::Report twins = to;
    twins.devices.push_back(twins.devices[0]);
    twins.devices[1].identity.device_uuid = std::string(32, 'a');
    model::Comparison many = sarif_comparison(from, twins);
    many.documents.push_back(many.documents[0]);
    many.documents[1].other.file = "reports/other.json";
    const Known of_many = fingerprints(run_of(many));
    CHECK(of_many.size() > 40);
    CHECK(std::set(of_many.begin(), of_many.end()).size() == of_many.size());
}

TEST_CASE("SARIF is read whatever devices and files are called") {
    const std::string evil = "\x1b[31m\n\"{0}\" [text](1) \xff\xc2\x9b \\ %41";
    model::Report to = committed_report("anv-kbl-mesa-22.3.6");
    to.devices[0].limits[0].value += 1;
    to.devices[0].limits[1].name = evil;
    model::Comparison comparison = sarif_comparison(committed_report("anv-kbl-mesa-22.3.6"), to);
    comparison.documents[0].devices[0].other->name = evil;
    comparison.documents[0].other.file = "a:b/" + evil;
    const std::string text = render::comparison_sarif(comparison, false);
    for (const char c : text) CHECK((c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f')));
    const Json run = run_of(text);
    const Json& result = run.at("results").at(0);
    CHECK(result.at("locations")[0].at("physicalLocation").at("artifactLocation").at("uri") ==
          "a%3Ab/%1B%5B31m%0A%22%7B0%7D%22%20%5Btext%5D%281%29%20%FF%C2%9B%20%5C%20%2541");
    const std::string message = result.at("message").at("text");
    CHECK(message.find("\\x1b[31m\\n\"{{0}}\" [text\\](1) \\xff\\u009b") != std::string::npos);
}

TEST_CASE("SARIF of nothing: no difference, and nothing that could be compared") {
    const model::Report report = committed_report("anv-kbl-mesa-22.3.6");
    const Json same = run_of(sarif_comparison(report, report));
    CHECK(same.at("results") == Json::array());
    CHECK(same.at("invocations")[0].at("executionSuccessful") == true);
    CHECK(same.at("invocations")[0].at("toolExecutionNotifications") == Json::array());
    CHECK(run_of(model::Comparison{}).at("results") == Json::array());

    const Json none = run_of(render::no_comparison_sarif("new.json: cannot {be} opened\n\x1b"));
    CHECK(none.at("results") == Json::array());
    const Json& invocation = none.at("invocations")[0];
    CHECK(invocation.at("executionSuccessful") == false);
    const Json& said = invocation.at("toolExecutionNotifications").at(0);
    CHECK(said.at("level") == "error");
    CHECK(said.at("message").at("text") == "not compared: new.json: cannot {{be}} opened\\n\\x1b");
    const Json& known = none.at("tool").at("driver").at("notifications");
    CHECK(known.at(said.at("descriptor").at("index").get<std::size_t>()).at("id") == said.at("descriptor").at("id"));
}

TEST_CASE("a SARIF run holds no more results than code scanning takes, and says what it left out") {
    model::Comparison comparison = sarif_versions();
    auto& fields = comparison.documents[0].devices[0].fields;
    const std::size_t before = run_of(comparison).at("results").size();
    while (fields.size() < render::kSarifResults)
        fields.push_back({.path = "/identity/made/up/" + std::to_string(fields.size()),
                          .status = model::ChangeStatus::kExpected,
                          .from = "1",
                          .to = "2",
                          .reason = "host-dependent"});
    const Json run = run_of(comparison);
    CHECK(run.at("results").size() == render::kSarifResults);
    std::size_t errors = 0;
    for (const Json& result : run.at("results")) errors += result.at("level") == "error" ? 1u : 0u;
    CHECK(errors == compare::outcome_of(comparison).failing);
    const Json& notifications = run.at("invocations")[0].at("toolExecutionNotifications");
    REQUIRE(notifications.size() == 1);
    CHECK(notifications[0].at("message").at("text").get<std::string>().find("least grave") != std::string::npos);
    CHECK(before < 5000);
    CHECK(run_of(render::comparison_sarif(comparison, false, 10)).at("results").size() == 10);
}
