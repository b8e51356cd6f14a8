// A driver whose allocations became dear: the policy's number of chunks kept ready changes with it, to the chunk.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "heapwright/compare/policy_impact.hpp"

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
