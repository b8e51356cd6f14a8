// Whatever budgets a report names, policy, simulation and replayed device mean the same by them.
#include <catch2/catch_test_macros.hpp>

#include "contract/feasibility.hpp"
#include "policy/advise.hpp"
#include "policy/counted_memory.hpp"
#include "replay/device.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

// The first memory type of a heap.
std::optional<std::uint32_t> type_in(const model::DeviceReport& device, std::size_t heap) {
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type)
        if (device.memory_types[type].heap_index == heap) return type;
    return std::nullopt;
}

bool gives(policy::CountedMemory& heaps, std::uint32_t type, std::uint64_t bytes) {
    return heaps.allocate({.memory_type = {type}, .size_bytes = bytes}).has_value();
}

}  // namespace

TEST_CASE("policy, simulation and replay agree on what of a heap is usable, whatever its budget") {
    std::size_t unknown = 0;
    std::size_t above = 0;
    std::size_t advised = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        model::DeviceReport device = test::random_device(random);
        std::erase_if(device.limits, [](const model::Fact& fact) { return fact.name.starts_with("maxMemory"); });
        policy::CountedMemory simulated(device);
        const auto replayed = replay::open_replay(device, {.interpolate = true});
        REQUIRE(replayed);
        const auto of_simulation = simulated.budgets().value();
        const auto of_replay = (*replayed)->memory().budgets().value();
        REQUIRE(of_simulation.size() == device.heaps.size());
        REQUIRE(of_replay.size() == device.heaps.size());
        for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
            INFO("heap " << heap);
            const std::uint64_t usable = contract::usable_budget(device, heap);
            CHECK(of_simulation[heap].budget_bytes == usable);
            CHECK(of_replay[heap].budget_bytes == usable);
            const auto& budgets = device.run.heap_budgets;
            if (!budgets.empty()) {
                unknown += budgets[heap].budget_bytes == 0 ? 1u : 0u;
                above += budgets[heap].budget_bytes > device.heaps[heap].size_bytes ? 1u : 0u;
            }
            const auto type = type_in(device, heap);
            if (!type) continue;
            CHECK_FALSE(gives(simulated, *type, usable + 1));
            if (usable != 0) CHECK(gives(simulated, *type, usable));
            CHECK_FALSE(gives(simulated, *type, 1));
        }
        model::Workload workload = test::random_workload(random);
        workload.caps.reset();
        const auto policy = policy::advise(
            device, workload, 0,
            {.sample = {.most_resources = 50, .churn_steps = 10, .most_played = 50}, .with_expectations = false});
        if (!policy) continue;
        ++advised;
        for (const model::HeapPolicy& heap : policy->heaps) {
            INFO("heap " << heap.heap);
            CHECK(heap.base_bytes == of_simulation[heap.heap].budget_bytes);
            CHECK(heap.usable_bytes.value == contract::without_share(heap.base_bytes, workload.reserve_share));
        }
    }
    CHECK(unknown > 50);
    CHECK(above > 50);
    CHECK(advised > 100);
}
