// A comparison says of each edit (edits.hpp) what its table has, both ways, for documents of several drivers.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "committed.hpp"
#include "compare/compare.hpp"
#include "compare/documents.hpp"
#include "core/file.hpp"
#include "edits.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::ChangeStatus;
using model::DeviceReport;
using model::Report;

namespace {

constexpr const char* kReports[] = {"radv-navi10-mesa-25.0.7", "anv-kbl-mesa-22.3.6", "nvidia-h100-580.159.04-vulkan",
                                    "nvidia-h100-580.159.04-vkd3d-1.2"};

compare::LoadedDocument as_loaded(const Report& report, const char* file) {
    return loaded(report, file);
}
compare::LoadedDocument as_loaded(const model::Policy& policy, const char* file) {
    return loaded_policy(policy, file);
}
compare::LoadedDocument as_loaded(const model::Validation& validation, const char* file) {
    return {.file = file, .stable_hash = {}, .host = {}, .document = validation};
}

template <class Document>
model::Comparison compared(const Document& from, const Document& to, const compare::CompareOptions& options = {}) {
    model::Comparison comparison;
    auto result = compare::compare_documents(as_loaded(from, "from.json"), as_loaded(to, "to.json"), options);
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    return comparison;
}

template <class Document>
bool fails(const Document& from, const Document& to, const compare::CompareOptions& options = {}) {
    return compare::outcome_of(compared(from, to, options)).fails(false);
}

Report measured_report(const char* name) {
    Report report = committed_report(name);
    for (DeviceReport& device : report.devices) {
        add_rare_facts(device);
        add_measurements(device);
    }
    return report;
}

// Whether the edit changes the document.
template <class Document>
bool check_edit(const Edit<Document>& edit, const Document& original) {
    Document edited = original;
    edit.apply(edited);
    if (edit.name != "nothing" && model::write(edited) == model::write(original)) return false;
    INFO(edit.name);
    CHECK(fails(original, edited) == edit.fails);
    CHECK(fails(edited, original) == edit.back_fails);
    return true;
}

template <class Document>
void check_table(const std::vector<Edit<Document>>& table, const std::vector<Document>& documents) {
    for (const Edit<Document>& edit : table) {
        bool applied = false;
        for (const Document& document : documents) {
            INFO(document.devices.front().identity.name);
            applied |= check_edit(edit, document);
        }
        INFO(edit.name << " changes one of the documents");
        CHECK(applied);
    }
}

void check_reports(const std::vector<Edit<Report>>& table) {
    std::vector<Report> reports;
    for (const char* name : kReports) reports.push_back(measured_report(name));
    check_table(table, reports);
}

template <class Document>
Document read_committed(const std::string& path, Result<Document> (*read)(std::string_view, std::string_view)) {
    const auto text = read_file(source_path(path));
    REQUIRE(text.has_value());
    auto document = read(*text, path);
    if (!document) FAIL(to_string(document.error()));
    return std::move(*document);
}

}  // namespace

TEST_CASE("each edit of a fact has the verdict of its table") {
    check_reports(edits_of_facts());
}

TEST_CASE("each edit of a sweep has the verdict of its table") {
    check_reports(edits_of_sweeps());
}

TEST_CASE("each edit of a measured cost has the verdict of its table") {
    check_reports(edits_of_costs());
}

TEST_CASE("each edit of a measured engine has the verdict of its table") {
    check_reports(edits_of_engines());
}

TEST_CASE("each edit of a failure has the verdict of its table") {
    std::vector<Report> reports;
    for (const char* name : kReports) {
        reports.push_back(committed_report(name));
        add_failures(reports.back());
    }
    check_table(edits_of_failures(), reports);
}

TEST_CASE("each edit of a policy has the verdict of its table") {
    std::vector<model::Policy> policies;
    for (const char* name : {"lavapipe-mesa-22.3.6-desktop-app", "nvidia-h100-580.159.04-vulkan-general-engine"})
        policies.push_back(read_committed(std::string("policies/") + name + ".json", model::read_policy));
    check_table(edits_of_policies(), policies);
}

TEST_CASE("each edit of a validation has the verdict of its table") {
    std::vector<model::Validation> validations;
    for (const char* name : {"lavapipe-mesa-22.3.6", "nvidia-h100-580.159.04-vkd3d-1.2"})
        validations.push_back(
            read_committed(std::string("reports/") + name + "-validation.json", model::read_validation));
    check_table(edits_of_validations(), validations);
}

TEST_CASE("a fact more that a driver does not report is one failure, and names the fact") {
    const Report report = committed_report("radv-navi10-mesa-25.0.7");
    Report edited = report;
    auto& list = first(edited).unreported;
    list.insert(list.begin(), {.name = "VkZzz", .reason = "the extension is not there"});
    const model::Comparison comparison = compared(report, edited);
    CHECK(compare::outcome_of(comparison).failing == 1);
    const auto& fields = comparison.documents.at(0).devices.at(0).fields;
    REQUIRE(fields.size() == 1);
    CHECK(fields[0].path == "/unreported/VkZzz");
    CHECK(fields[0].status == ChangeStatus::kRegressed);
}

TEST_CASE("--no-cost leaves the costs alone, and nothing else") {
    const Report report = measured_report("radv-navi10-mesa-25.0.7");
    Report edited = report;
    first(edited).run.memory_cost.clear();
    CHECK_FALSE(fails(report, edited, {.costs = false}));
    first(edited).run.engines.reset();
    CHECK(fails(report, edited, {.costs = false}));
}

TEST_CASE("a bound fails what the host decides") {
    const Report report = committed_report("radv-navi10-mesa-25.0.7");
    Report edited = report;
    first(edited).heaps.at(0).size_bytes /= 4;
    const auto half = compare::parse_fail_on("heap_size<0.5");
    const auto eighth = compare::parse_fail_on("/heaps/*/size_bytes<0.125");
    REQUIRE((half && eighth));
    CHECK(fails(report, edited, {.fail_on = {*half}}));
    CHECK_FALSE(fails(edited, report, {.fail_on = {*half}}));
    CHECK_FALSE(fails(report, edited, {.fail_on = {*eighth}}));
    for (const char* bad : {"", "heaps<0.5", "/heaps<", "/heaps<x", "/heaps<-1", "heap_size<4GiB", "/heaps<0x10"}) {
        INFO(bad);
        CHECK_FALSE(compare::parse_fail_on(bad).has_value());
    }
}

TEST_CASE("a bound reaches every part of a document, and is told where it reaches none") {
    const Report report = measured_report("radv-navi10-mesa-25.0.7");
    const auto improved = [&](std::function<void(Report&)> apply) {
        Report edited = report;
        apply(edited);
        return edited;
    };
    const Report aligned = improved([](Report& r) {
        for (auto& each : first(r).image_sweep.requirements)
            each.alignment_bytes = std::max<std::uint64_t>(1, each.alignment_bytes / 2);
    });
    const Report quicker = improved([](Report& r) {
        for (auto& copy : first(r).run.engines->copies)
            copy.time = {.ns = copy.time.ns / 100, .min_ns = copy.time.min_ns / 100, .p90_ns = copy.time.p90_ns / 100};
        for (auto& curve : first(r).run.memory_cost) curve.host_bandwidth->write_bytes_per_s *= 100;
    });
    const Report more = improved([](Report& r) {
        r.devices.push_back(first(r));
        r.devices.back().identity.device_uuid = std::string(32, 'b');
        r.devices.back().identity.pci = model::PciAddress{.bus = 78};
    });
    const Report failing = improved([](Report& r) { add_failures(r); });
    struct Bound {
        const char* text;
        const Report& from;
        const Report& to;
        bool fails;
    };
    const Bound bounds[] = {{"/image_sweep/**/alignment_bytes", report, aligned, true},
                            {"/image_sweep/**/alignment_bytes<0.6", report, aligned, true},
                            {"/image_sweep/**/alignment_bytes<0.4", report, aligned, false},
                            {"/image_sweep/**/size_bytes", report, aligned, false},
                            {"/**", report, aligned, true},
                            {"/volatile/engines/copies/**<0.1", report, quicker, true},
                            {"/volatile/memory_cost/**/host_bandwidth/*>50", report, quicker, true},
                            {"/volatile/memory_cost/**/host_bandwidth/*>200", report, quicker, false},
                            {"/", report, more, true},
                            {"/failures/**", failing, report, true},
                            {"/failures/vkQueueSubmit", failing, report, true},
                            {"/failures/vkMapMemory", failing, report, false}};
    const std::vector<std::string> paths = compare::paths_of(loaded(report, "a"));
    for (const Bound& bound : bounds) {
        INFO(bound.text);
        const auto parsed = compare::parse_fail_on(bound.text);
        REQUIRE(parsed.has_value());
        CHECK_FALSE(fails(bound.from, bound.to));
        CHECK(fails(bound.from, bound.to, {.fail_on = {*parsed}}) == bound.fails);
        CHECK(compare::without_match(std::vector{*parsed}, paths).empty());
    }
    // What is not compared is matched by nothing.
    const std::vector<std::string> without_costs = compare::paths_of(loaded(report, "a"), false);
    for (const char* cost :
         {"/volatile/memory_cost/**", "/volatile/engines/copies/*/time", "/volatile/engines/**/gained"}) {
        INFO(cost);
        const auto parsed = compare::parse_fail_on(cost);
        REQUIRE(parsed.has_value());
        CHECK(compare::without_match(std::vector{*parsed}, without_costs).size() == 1);
        CHECK(compare::without_match(std::vector{*parsed}, paths).empty());
    }
    for (const char* nothing : {"/heap/*/size_bytes<0.5", "/image_sweep/*/alignment", "/volatile/engines/copy/**"}) {
        INFO(nothing);
        const auto parsed = compare::parse_fail_on(nothing);
        REQUIRE(parsed.has_value());
        CHECK(compare::without_match(std::vector{*parsed}, paths).size() == 1);
    }
}

TEST_CASE("every path that a comparison names is one that a bound can reach") {
    const Report report = measured_report("nvidia-h100-580.159.04-vulkan");
    std::vector<std::string> paths = compare::paths_of(loaded(report, "a"));
    std::ranges::sort(paths);
    for (const auto& table : {edits_of_facts(), edits_of_sweeps(), edits_of_costs(), edits_of_engines()}) {
        for (const Edit<Report>& edit : table) {
            Report edited = report;
            edit.apply(edited);
            const model::Comparison comparison = compared(report, edited);
            for (const auto& device : comparison.documents.at(0).devices) {
                for (const model::FieldChange& change : device.fields) {
                    if (change.from.empty()) continue;  // what only the edited report has
                    INFO(edit.name << ": " << change.path);
                    CHECK(std::ranges::binary_search(paths, change.path));
                }
            }
        }
    }
}

TEST_CASE("a probe of another driver is named, and the first that measured stands for what is measured") {
    const Report report = measured_report("radv-navi10-mesa-25.0.7");
    Report without = report;
    first(without).run = {};
    const std::vector probes{loaded(report, "b.json"), loaded(committed_report("radv-navi10-mesa-22.3.6"), "c.json")};
    CHECK(compare::unused_probes(loaded(without, "a.json"), probes) == std::vector<std::string>{"c.json"});
    CHECK_FALSE(fails(without, report, {.further_probes = probes}));
    CHECK(fails(without, without, {.further_probes = probes}));
}

TEST_CASE("of several versions of a driver in a baseline the identical one is compared") {
    const Report report = committed_report("radv-navi10-mesa-25.0.7");
    Report baseline = report;
    baseline.devices.insert(baseline.devices.begin(), first(baseline));
    DeviceReport& old = first(baseline);
    old.identity.driver_version -= 5;
    old.identity.driver_info = "Mesa 24.0.0";
    old.limits.pop_back();
    old.extensions.pop_back();
    const model::Comparison comparison = compared(baseline, report);
    REQUIRE(comparison.documents.at(0).devices.size() == 1);
    CHECK(comparison.documents[0].devices[0].status == ChangeStatus::kSame);
}

TEST_CASE("of two alike devices the one that is gone is named by its own UUID and address") {
    Report report = committed_report("nvidia-h100-580.159.04-vulkan");
    report.devices.resize(1);
    report.devices.push_back(first(report));
    for (std::uint32_t index = 0; index < 2; ++index) {
        report.devices[index].identity.device_uuid = std::string(32, index == 0 ? 'a' : 'b');
        report.devices[index].identity.pci = model::PciAddress{.bus = 10 + index};
    }
    report.devices[1].limits.at(0).value += 1;
    Report one = report;
    one.devices.erase(one.devices.begin());
    const auto devices = compared(report, one).documents.at(0).devices;
    REQUIRE(devices.size() == 2);
    CHECK(devices[0].status == ChangeStatus::kSame);
    CHECK(devices[0].other->device_uuid == std::string(32, 'b'));
    CHECK(devices[1].status == ChangeStatus::kMissing);
    CHECK(devices[1].baseline->device_uuid == std::string(32, 'a'));
}
