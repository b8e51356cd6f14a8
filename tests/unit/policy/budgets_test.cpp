// Budgets and usage that cannot be: what a policy plans, promises and warns of.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "core/units.hpp"
#include "expected_of.hpp"
#include "policy/advise.hpp"
#include "policy/expectations.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"
#include "workload/read.hpp"

namespace budgets_test {

using namespace heapwright;

namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

model::DevicePolicy policy_of(const model::DeviceReport& device, const model::Workload& workload) {
    auto policy = policy::advise(device, workload);
    if (!policy) FAIL(to_string(policy.error()));
    return std::move(*policy);
}

std::size_t warned(const model::DevicePolicy& policy, std::string_view start) {
    return test::times(policy.warnings, start);
}

// What is planned in a heap is promised there.
void check_promised_as_planned(const model::DevicePolicy& policy) {
    REQUIRE(policy.capacity);
    REQUIRE(policy.expectations);
    CHECK(policy.expectations->device_allocations.value >= 1);
    CHECK_FALSE(policy.expectations->failed_requests);
    for (const model::HeapCapacity& planned : policy.capacity->heaps) {
        INFO("heap " << planned.heap);
        const auto& promised = policy.expectations->heaps.at(planned.heap).peak_reserved_bytes.value;
        CHECK(static_cast<double>(promised) >= 0.9 * static_cast<double>(planned.expected_bytes));
    }
}

}  // namespace

TEST_CASE("a heap without budget beside others with one is one thing to plan and to promise") {
    const model::Workload workload = workload::preset("general-engine").value();
    for (const unsigned unknown : {0b001u, 0b010u, 0b101u, 0b111u}) {
        INFO("heaps without budget " << unknown);
        model::DeviceReport device = test::radv_like_device();
        for (std::size_t heap = 0; heap < device.heaps.size(); ++heap)
            if ((unknown >> heap & 1u) != 0) device.run.heap_budgets[heap].budget_bytes = 0;
        const auto policy = policy_of(device, workload);
        CHECK(policy.capacity->fits);
        check_promised_as_planned(policy);
        for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
            CHECK(warned(policy, "heap " + std::to_string(heap) + ": the device reports no budget") ==
                  (unknown >> heap & 1u));
        }
    }
}

TEST_CASE("a budget above its heap is told, and the heap's size is planned with") {
    const model::Workload workload = workload::preset("general-engine").value();
    for (const std::uint64_t budget : {12 * 1024 * kMiB, kMost - 4095, kMost}) {
        INFO("budget " << budget);
        model::DeviceReport device = test::radv_like_device();
        device.run.heap_budgets[0].budget_bytes = budget;
        const auto policy = policy_of(device, workload);
        CHECK(policy.heaps[0].base_bytes == device.heaps[0].size_bytes);
        CHECK(policy.heaps[0].usable_bytes.value < device.heaps[0].size_bytes);
        check_promised_as_planned(policy);
        CHECK(test::times(policy.warnings, model::ClaimId::kBudgetAboveSize) == 1);
        CHECK(warned(policy, "heap 0: the device reports a budget of " + model::text_of(model::bytes(budget))) == 1);
    }
}

TEST_CASE("usage above the budget or the heap is told and takes nothing off a plan for another process") {
    const model::Workload workload = workload::preset("general-engine").value();
    model::DeviceReport device = test::radv_like_device();
    const auto before = policy_of(device, workload);
    device.run.heap_budgets[0].usage_bytes = device.run.heap_budgets[0].budget_bytes;
    CHECK(warned(policy_of(device, workload), "heap 0: ") == 0);
    for (const std::uint64_t usage :
         {device.run.heap_budgets[0].budget_bytes + 1, device.heaps[0].size_bytes + 1, kMost}) {
        INFO("usage " << usage);
        device.run.heap_budgets[0].usage_bytes = usage;
        const auto policy = policy_of(device, workload);
        CHECK(warned(policy, "heap 0: the process that made the report used " + model::text_of(model::bytes(usage))) ==
              1);
        CHECK(policy.heaps[0].usable_bytes.value == before.heaps[0].usable_bytes.value);
        check_promised_as_planned(policy);
    }
}

TEST_CASE("where nothing of the workload finds memory in the simulation, nothing is promised, and a warning says why") {
    const model::DeviceReport device = test::radv_like_device();
    const model::Workload workload = test::small_workload();
    model::DevicePolicy policy = policy_of(device, workload);
    REQUIRE(policy.expectations);
    for (model::HeapPolicy& heap : policy.heaps) heap.usable_bytes.value = 0;
    model::Statement warnings;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    CHECK_FALSE(test::expected_of(context, policy, warnings));
    CHECK(test::times(warnings, model::ClaimId::kNothingServed) == 1);
}

TEST_CASE("where some requests find no memory in the simulation, the promise counts them") {
    const model::DeviceReport device = test::radv_like_device();
    const model::Workload workload = test::small_workload();
    model::DevicePolicy policy = policy_of(device, workload);
    REQUIRE(policy.expectations);
    CHECK_FALSE(policy.expectations->failed_requests);
    std::uint64_t peak = 0;
    for (const model::HeapExpectation& heap : policy.expectations->heaps) peak += heap.peak_reserved_bytes.value;
    for (model::HeapPolicy& heap : policy.heaps) heap.usable_bytes.value = peak / 8;
    model::Statement warnings;
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const auto expected = test::expected_of(context, policy, warnings);
    REQUIRE(expected);
    REQUIRE(expected->failed_requests);
    CHECK(*expected->failed_requests > 0);
    CHECK(expected->device_allocations.value > 0);
    CHECK(test::makes(warnings, model::ClaimId::kExpectWithout));
}

}  // namespace budgets_test
