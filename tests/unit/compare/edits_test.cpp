// A table of edits to real reports, and what the comparison must say of each, both ways: a field of every class that is
// added, removed, reordered or changed.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <iterator>

#include "committed.hpp"
#include "heapwright/compare/compare.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::ChangeStatus;
using model::DeviceReport;
using model::Report;

namespace {

constexpr const char* kReports[] = {"radv-navi10-mesa-25.0.7", "anv-kbl-mesa-22.3.6", "nvidia-h100-580.159.04-vulkan",
                                    "nvidia-h100-580.159.04-vkd3d-1.2"};

struct Edit {
    const char* name;
    std::function<void(Report&)> apply;
    bool fails;       // the edited report against the original
    bool back_fails;  // the original against the edited report
};

DeviceReport& first(Report& report) {
    return report.devices.at(0);
}

// Measured anew, so that the committed reports, which hold no costs, have some.
void add_costs(DeviceReport& device) {
    device.run.memory_cost.clear();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (std::uint64_t size = 1 << 16; size <= 1 << 24; size *= 4) {
            curve.points.push_back({.size_bytes = size,
                                    .samples = 16,
                                    .allocate_ns = 100'000,
                                    .allocate_min_ns = 90'000,
                                    .allocate_p90_ns = 110'000,
                                    .allocate_worst_ns = 120'000,
                                    .touch_ns = 50'000,
                                    .touch_min_ns = 40'000,
                                    .touch_p90_ns = 55'000,
                                    .touch_worst_ns = 60'000,
                                    .free_ns = 20'000,
                                    .free_min_ns = 19'000,
                                    .free_p90_ns = 21'000,
                                    .free_worst_ns = 22'000});
        }
        curve.dedicated_image_points = curve.points;
        curve.host_bandwidth = model::HostBandwidth{
            .bytes_each = 4096, .samples = 8, .write_bytes_per_s = 1'000'000, .read_bytes_per_s = 1'000'000};
        curve.allocation_count = model::AllocationCount{.reached = 4096, .bytes_each = 4096, .stopped_by = "bound"};
        curve.steadiness = model::MeasurementSteadiness{.answer = model::Steadiness::kSteady};
        curve.load = model::MachineLoad{.others_share = 0.01, .waiting_share = 0};
        device.run.memory_cost.push_back(std::move(curve));
    }
    device.run.engines = model::EngineMeasurements{.engines = {{.name = "graphics"}, {.name = "copy"}}};
    device.run.heap_budgets.assign(device.heaps.size(), {.budget_bytes = 1 << 20, .usage_bytes = 0});
}

void scale_costs(
    DeviceReport& device, std::uint64_t factor,
    std::vector<model::MemoryCostPoint> model::MemoryCostCurve::*points = &model::MemoryCostCurve::points) {
    for (model::MemoryCostCurve& curve : device.run.memory_cost) {
        for (model::MemoryCostPoint& point : curve.*points) {
            for (std::uint64_t model::MemoryCostPoint::*cost :
                 {&model::MemoryCostPoint::allocate_ns, &model::MemoryCostPoint::allocate_min_ns,
                  &model::MemoryCostPoint::allocate_p90_ns, &model::MemoryCostPoint::allocate_worst_ns})
                point.*cost *= factor;
        }
    }
}

void set_load(DeviceReport& device, double others) {
    for (model::MemoryCostCurve& curve : device.run.memory_cost) curve.load->others_share = others;
}

template <class List>
void rotate(List& list) {
    if (list.size() > 1) std::rotate(list.begin(), list.begin() + 1, list.end());
}

const std::vector<Edit>& edits() {
    static const std::vector<Edit> table{
        {"nothing", [](Report&) {}, false, false},
        // Identity: the host decides most of it.
        {"name", [](Report& r) { first(r).identity.name += "x"; }, false, false},
        {"driver info", [](Report& r) { first(r).identity.driver_info += "x"; }, false, false},
        {"driver version", [](Report& r) { ++first(r).identity.driver_version; }, false, false},
        {"device UUID", [](Report& r) { first(r).identity.device_uuid = std::string(32, 'a'); }, false, false},
        {"PCI address", [](Report& r) { first(r).identity.pci = model::PciAddress{.bus = 77}; }, false, false},
        {"device id", [](Report& r) { ++first(r).identity.device_id; }, true, true},
        {"device gone", [](Report& r) { r.devices.erase(r.devices.begin()); }, true, false},
        {"device twice, on another bus",
         [](Report& r) {
             r.devices.push_back(first(r));
             r.devices.back().identity.device_uuid = std::string(32, 'b');
             r.devices.back().identity.pci = model::PciAddress{.bus = 78};
         },
         false, true},
        // Heaps and memory types.
        {"heap size", [](Report& r) { first(r).heaps.at(0).size_bytes /= 4; }, false, false},
        {"memory type gone", [](Report& r) { first(r).memory_types.pop_back(); }, true, false},
        // Facts.
        {"limit gone", [](Report& r) { first(r).limits.erase(first(r).limits.begin()); }, true, false},
        {"limits reordered", [](Report& r) { rotate(first(r).limits); }, false, false},
        {"feature gone", [](Report& r) { first(r).features.pop_back(); }, true, false},
        {"extension new", [](Report& r) { first(r).extensions.push_back({.name = "VK_ZZZ_a", .spec_version = 1}); },
         false, true},
        {"extension of the host's",
         [](Report& r) { first(r).extensions.push_back({.name = "VK_KHR_video_decode_zzz", .spec_version = 1}); },
         false, false},
        {"extensions reordered", [](Report& r) { rotate(first(r).extensions); }, false, false},
        {"text fact new",
         [](Report& r) { first(r).texts.push_back({.group = "ZGroup", .name = "zName", .value = "1"}); }, false, true},
        {"text facts reordered", [](Report& r) { rotate(first(r).texts); }, false, false},
        {"unreported new at the front",
         [](Report& r) {
             first(r).unreported.insert(first(r).unreported.begin(), {.name = "VkZzz", .reason = "not there"});
         },
         true, false},
        {"unreported reordered", [](Report& r) { rotate(first(r).unreported); }, false, false},
        {"unreported for another reason",
         [](Report& r) {
             for (auto& fact : first(r).unreported) fact.reason += "!";
         },
         false, false},
        {"layered API new", [](Report& r) { first(r).layered_apis.push_back({.api = "ZAPI", .name = "z"}); }, false,
         true},
        {"queue family gone", [](Report& r) { first(r).queue_families.pop_back(); }, true, false},
        {"queue families of more queues", [](Report& r) { ++first(r).queue_families.at(0).queue_count; }, false, true},
        // Sweeps.
        {"image case gone", [](Report& r) { first(r).image_sweep.cases.pop_back(); }, true, false},
        {"image cases all gone", [](Report& r) { first(r).image_sweep = {}; }, true, false},
        {"image cases reordered", [](Report& r) { rotate(first(r).image_sweep.cases); }, false, false},
        {"buffer case gone", [](Report& r) { first(r).buffer_sweep.cases.pop_back(); }, true, false},
        {"buffer cases all gone", [](Report& r) { first(r).buffer_sweep = {}; }, true, false},
        // Findings and failures.
        {"violation",
         [](Report& r) {
             first(r).findings.push_back(
                 {.id = "zz", .severity = model::FindingSeverity::kViolation, .statement = "broken"});
         },
         true, false},
        {"note gone the other way",
         [](Report& r) { first(r).findings.push_back({.id = "zz", .statement = "a remark"}); }, false, true},
        {"measurement failed",
         [](Report& r) { first(r).findings.push_back({.id = "memory-cost-not-measured", .statement = "device lost"}); },
         true, false},
        {"findings reordered", [](Report& r) { rotate(first(r).findings); }, false, false},
        {"driver crashed",
         [](Report& r) {
             r.failures.push_back({.driver = "/a/icd.json", .last_call = "vkDestroyInstance", .reason = "signal 11"});
         },
         true, false},
        // What was measured.
        {"costs gone", [](Report& r) { first(r).run.memory_cost.clear(); }, true, false},
        {"a type's costs gone", [](Report& r) { first(r).run.memory_cost.pop_back(); }, true, false},
        {"a size gone",
         [](Report& r) {
             auto& points = first(r).run.memory_cost.at(0).points;
             points.erase(points.begin());
         },
         true, false},
        {"no time for the largest size", [](Report& r) { first(r).run.memory_cost.at(0).points.pop_back(); }, false,
         false},
        {"costs reordered", [](Report& r) { rotate(first(r).run.memory_cost); }, false, false},
        {"touching gone",
         [](Report& r) {
             for (auto& point : first(r).run.memory_cost.at(0).points) point.touch_worst_ns = point.touch_p90_ns = 0;
         },
         true, false},
        {"copies gone", [](Report& r) { first(r).run.memory_cost.at(0).host_bandwidth.reset(); }, true, false},
        {"count gone", [](Report& r) { first(r).run.memory_cost.at(0).allocation_count.reset(); }, true, false},
        {"an allocation refused",
         [](Report& r) {
             auto& curve = first(r).run.memory_cost.at(0);
             curve.refused = model::RefusedAllocation{.size_bytes = 1 << 16, .reason = "vkAllocateMemory: -2"};
             curve.points.clear();
         },
         true, false},
        {"an image's own memory refused",
         [](Report& r) {
             auto& curve = first(r).run.memory_cost.at(0);
             curve.dedicated_image_refused =
                 model::RefusedAllocation{.size_bytes = 1 << 16, .reason = "vkAllocateMemory: -2"};
             curve.dedicated_image_points.clear();
         },
         true, false},
        {"costs of six times", [](Report& r) { scale_costs(first(r), 6); }, true, false},
        {"dedicated costs of six times",
         [](Report& r) { scale_costs(first(r), 6, &model::MemoryCostCurve::dedicated_image_points); }, true, false},
        {"dedicated costs gone", [](Report& r) { first(r).run.memory_cost.at(0).dedicated_image_points.clear(); }, true,
         false},
        {"a dedicated size gone",
         [](Report& r) {
             auto& points = first(r).run.memory_cost.at(0).dedicated_image_points;
             points.erase(points.begin());
         },
         true, false},
        {"costs of six times beside a busy core",
         [](Report& r) {
             scale_costs(first(r), 6);
             set_load(first(r), 0.5);
         },
         false, false},
        {"costs of six times that had not settled",
         [](Report& r) {
             scale_costs(first(r), 6);
             for (auto& curve : first(r).run.memory_cost) curve.steadiness->answer = model::Steadiness::kDidNotSettle;
         },
         false, false},
        {"engines gone", [](Report& r) { first(r).run.engines.reset(); }, true, false},
        {"an engine gone", [](Report& r) { first(r).run.engines->engines.pop_back(); }, true, false},
        {"budgets gone", [](Report& r) { first(r).run.heap_budgets.clear(); }, true, false},
        {"budgets changed", [](Report& r) { first(r).run.heap_budgets.at(0).usage_bytes = 7; }, false, false},
        {"timing", [](Report& r) { first(r).run.timing.total_ns += 5; }, false, false},
    };
    return table;
}

model::Comparison compared(const Report& from, const Report& to, const compare::CompareOptions& options = {}) {
    model::Comparison comparison;
    auto result = compare::compare_documents(loaded(from, "from.json"), loaded(to, "to.json"), options);
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    return comparison;
}

bool fails(const Report& from, const Report& to, const compare::CompareOptions& options = {}) {
    return compare::outcome_of(compared(from, to, options)).fails(false);
}

Report measured_report(const char* name) {
    Report report = committed_report(name);
    for (DeviceReport& device : report.devices) add_costs(device);
    return report;
}

}  // namespace

TEST_CASE("each edit of a report has the verdict of the table, both ways") {
    for (const char* name : kReports) {
        const Report report = measured_report(name);
        for (const Edit& edit : edits()) {
            Report edited = report;
            edit.apply(edited);
            INFO(name << ": " << edit.name);
            CHECK(fails(report, edited) == edit.fails);
            CHECK(fails(edited, report) == edit.back_fails);
        }
    }
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
    for (const char* bad : {"", "heaps<0.5", "/heaps<", "/heaps<x", "/heaps<-1"}) {
        INFO(bad);
        CHECK_FALSE(compare::parse_fail_on(bad).has_value());
    }
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
