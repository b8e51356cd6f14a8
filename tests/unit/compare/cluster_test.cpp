// Groups of equal behaviour, against the known truth of generated reports.
#include "compare/cluster.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "committed.hpp"
#include "compare/device_pairing.hpp"
#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"
#include "varied_reports.hpp"
#include "workload/read.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

std::filesystem::path fresh_folder(const std::string& name) {
    const auto folder = std::filesystem::path(test::build_path(name));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

// Imports only: small, so that the test is fast.
std::vector<model::Report> small_reports() {
    const auto real = real_reports(test::source_path());
    REQUIRE(real.has_value());
    std::vector<model::Report> small;
    for (const model::Report& report : *real) {
        if (report.devices.at(0).origin == model::ReportOrigin::kImport) small.push_back(report);
    }
    REQUIRE(small.size() >= 10);
    return small;
}

}  // namespace

TEST_CASE("a fingerprint follows behaviour, never names, versions or heap sizes") {
    const model::DeviceReport device = committed_report("radv-navi10-mesa-25.0.7").devices[0];
    const std::string original = compare::fingerprint(device);
    CHECK(original.size() == 32);
    model::DeviceReport other = device;
    other.identity = {.name = "something else", .vendor_id = 1, .driver_id = "X"};
    other.heaps[0].size_bytes -= 4096 * 1000;
    other.run = {};
    other.findings.clear();
    other.extensions.clear();
    CHECK(compare::fingerprint(other) == original);

    std::set<std::string> prints{original};
    other = device;
    double_alignment(other, model::Format::kR8Unorm);
    CHECK(prints.insert(compare::fingerprint(other)).second);
    other = device;
    std::swap(other.memory_types[0], other.memory_types[2]);
    CHECK(prints.insert(compare::fingerprint(other)).second);
    other = device;
    other.image_sweep.requirements[0].memory_type_bits ^= 1;
    CHECK(prints.insert(compare::fingerprint(other)).second);
    other = device;
    other.buffer_sweep.tables[0].size_bytes[5] += 1;
    CHECK(prints.insert(compare::fingerprint(other)).second);
    other = device;
    for (model::Fact& limit : other.limits) {
        if (limit.name == "bufferImageGranularity") limit.value = 4096;
    }
    CHECK(prints.insert(compare::fingerprint(other)).second);
    other = device;
    other.image_sweep.cases[3].table.reset();
    CHECK(prints.insert(compare::fingerprint(other)).second);

    // Tables in another order say the same.
    other = device;
    std::swap(other.image_sweep.tables[0], other.image_sweep.tables[1]);
    for (model::ImageCase& entry : other.image_sweep.cases) {
        if (entry.table && *entry.table < 2) entry.table = 1 - *entry.table;
    }
    CHECK(compare::fingerprint(other) == original);
}

TEST_CASE("generated reports fall into the groups that they were made as, broken ones are named") {
    const std::vector<model::Report> real = small_reports();
    const auto folder = fresh_folder("cluster-test");
    std::map<std::string, std::set<std::string>> truth;  // behaviour -> files
    std::string lines;
    constexpr std::uint64_t kReports = 300;
    for (std::uint64_t index = 0; index < kReports; ++index) {
        const VariedReport varied = vary(real, index);
        const std::string text = model::write(varied.report);
        if (index % 3 == 0) {
            lines += nlohmann::ordered_json::parse(text).dump() + "\n";
        } else {
            REQUIRE(write_file_atomically(folder / ("report-" + std::to_string(index) + ".json"), text));
        }
        for (const model::DeviceReport& device : varied.report.devices)
            truth[compare::fingerprint(device)].insert(varied.behaviour);
    }
    REQUIRE(write_file_atomically(folder / "many.ndjson", lines + "\n{\"$schema\": 1}\n"));
    REQUIRE(write_file_atomically(folder / "broken.json", "{\"$schema\": \"urn:heapwright:schema:report:1\", "));
    // Equal fingerprints only where the behaviour was made equal.
    for (const auto& [print, behaviours] : truth) CHECK(behaviours.size() == 1);

    std::string first;
    for (const std::size_t threads : {1u, 2u, 5u}) {
        const auto clusters = compare::cluster_reports({folder.string()}, {.threads = threads});
        REQUIRE(clusters.has_value());
        CHECK(clusters->reports == kReports);
        CHECK(clusters->groups.size() == truth.size());
        REQUIRE(clusters->skipped.size() == 2);
        CHECK(clusters->skipped[0].file.ends_with("broken.json"));
        CHECK(clusters->skipped[1].file.ends_with("many.ndjson:102"));
        CHECK_FALSE(clusters->version_changes.empty());
        model::Comparison comparison;
        comparison.clusters = *clusters;
        const std::string text = model::write(comparison);
        if (first.empty()) first = text;
        CHECK(text == first);
        CHECK(model::read_comparison(text, "clusters").has_value());
    }
    const auto none = compare::cluster_reports({(folder / "broken.json").string()}, {});
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().message.find("no report there could be read") != std::string::npos);
    CHECK_FALSE(compare::cluster_reports({(folder / "absent").string()}, {}).has_value());
    std::filesystem::remove_all(folder);
}

TEST_CASE("what is hidden below a named folder, or in node_modules, is not looked for reports") {
    const auto folder = fresh_folder("cluster-places-test");
    const std::string report = model::write(committed_report("radv-navi10-mesa-25.0.7"));
    const auto put = [&](const char* name, const std::string& text) {
        std::filesystem::create_directories((folder / name).parent_path());
        REQUIRE(write_file_atomically(folder / name, text));
    };
    put("deep/er/report.json", report);
    put("node_modules/package/package.json", "{}");
    put("page/node_modules/report.json", report);
    put(".git/report.json", report);
    put(".report.json", report);
    put("modules/other.json", "{}");
    const auto clusters = compare::cluster_reports({folder.string()}, {});
    REQUIRE(clusters.has_value());
    CHECK(clusters->reports == 1);
    REQUIRE(clusters->skipped.size() == 1);
    CHECK(clusters->skipped[0].file.ends_with("other.json"));
    // What is named itself is read.
    const auto named = compare::cluster_reports(
        {(folder / ".git").string(), (folder / ".report.json").string(), (folder / "page" / "node_modules").string()},
        {});
    REQUIRE(named.has_value());
    CHECK(named->reports == 3);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a few policies serve many groups, each within the waste") {
    const auto folder = fresh_folder("cover-test");
    const model::Report radv = committed_report("radv-navi10-mesa-25.0.7");
    model::Report finer = radv;
    for (model::RequirementClass& requirement : finer.devices[0].image_sweep.requirements)
        requirement.alignment_bytes = std::min<std::uint64_t>(requirement.alignment_bytes, 4096);
    const model::Report intel = committed_report("anv-kbl-mesa-25.0.7");
    REQUIRE(write_file_atomically(folder / "a.json", model::write(radv)));
    REQUIRE(write_file_atomically(folder / "b.json", model::write(finer)));
    REQUIRE(write_file_atomically(folder / "c.json", model::write(intel)));
    const auto workload = workload::preset("desktop-app");
    REQUIRE(workload.has_value());
    const auto clusters =
        compare::cluster_reports({folder.string()}, {.workload = &*workload, .allowed_waste = 0.5, .threads = 2});
    REQUIRE(clusters.has_value());
    REQUIRE(clusters->groups.size() == 3);
    for (const model::BehaviourGroup& group : clusters->groups) {
        INFO(group.representative << ": " << group.not_served);
        CHECK(group.served_by.has_value());
    }
    // RADV's policy has buckets for every alignment that the finer driver asks for; Intel's memory types are others.
    CHECK(clusters->policies.size() == 2);
    const auto strict =
        compare::cluster_reports({folder.string()}, {.workload = &*workload, .allowed_waste = 0, .threads = 2});
    REQUIRE(strict.has_value());
    CHECK(strict->policies.size() >= clusters->policies.size());
    std::filesystem::remove_all(folder);
}
