// What two drivers mean to a policy: the figures are those that the policies themselves promise.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "committed.hpp"
#include "compare/policy_impact.hpp"
#include "policy/advise.hpp"
#include "workload/read.hpp"

using namespace heapwright;

namespace {

model::DeviceReport device_with(std::uint64_t allocate_ns) {
    model::DeviceReport device;
    device.identity.name = "one type";
    device.heaps = {{.size_bytes = 8ull << 30, .flags = model::memory_heap::kDeviceLocal}};
    device.memory_types = {{.heap_index = 0,
                            .property_flags = model::memory_property::kDeviceLocal |
                                              model::memory_property::kHostVisible |
                                              model::memory_property::kHostCoherent}};
    model::MemoryCostCurve curve{.memory_type = 0};
    for (const std::uint64_t size : {1ull << 20, 1ull << 30})
        curve.points.push_back({.size_bytes = size, .samples = 1, .allocate_ns = allocate_ns, .free_ns = 1000});
    device.run.memory_cost = {curve};
    return device;
}

model::Workload small_workload() {
    model::Workload workload;
    workload.name = "small";
    workload.churn_steps = 200;
    workload.images = {{.largest_side = 256, .count = 60}};
    workload.buffers = {{.count = 60}};
    return workload;
}

}  // namespace

TEST_CASE("two drivers whose allocations cost otherwise differ in the chunks kept ready, exactly") {
    const auto impact = compare::policy_impact(device_with(1'000), device_with(400'000), small_workload());
    const auto change = std::ranges::find_if(
        impact.numbers, [](const model::PolicyNumberChange& one) { return one.path.ends_with("/chunks_ahead"); });
    INFO(impact.statement);
    REQUIRE(change != impact.numbers.end());
    CHECK(change->from == "0");
    CHECK(change->to == "1");
    const auto same = compare::policy_impact(device_with(400'000), device_with(400'000), small_workload());
    CHECK(same.numbers.empty());
}

TEST_CASE("a workload that asks for nothing is not simulated, and the statement says so") {
    const auto impact = compare::policy_impact(device_with(1'000), device_with(400'000), {.name = "nothing"});
    CHECK(impact.statement.starts_with("not simulated under nothing: it asks for no memory"));
}

TEST_CASE("the waste of a comparison is what each policy promises, under every preset") {
    for (const std::string_view name : workload::preset_names()) {
        const auto workload = workload::preset(name);
        REQUIRE(workload.has_value());
        model::DeviceReport before = committed_report("anv-kbl-mesa-22.3.6").devices[0];
        model::DeviceReport after = committed_report("radv-navi10-mesa-25.0.7").devices[0];
        const auto impact = compare::policy_impact(before, after, *workload);
        compare::make_comparable(before, after);
        const auto from = policy::advise(before, *workload, 0);
        const auto to = policy::advise(after, *workload, 0);
        INFO(name << ": " << impact.statement);
        REQUIRE(from.has_value());
        REQUIRE(to.has_value());
        REQUIRE(from->expectations.has_value());
        REQUIRE(to->expectations.has_value());
        CHECK(impact.waste_from == from->expectations->mean_waste.value);
        CHECK(impact.waste_to == to->expectations->mean_waste.value);
    }
}
