// The default workload at the size that devices hold, and hints that are left out by plan.
#include <algorithm>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "policy/advise.hpp"
#include "policy/default_workload.hpp"
#include "policy/left_out.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"
#include "workload/read.hpp"

namespace default_workload_test {

using namespace heapwright;

namespace {

constexpr std::uint64_t kMib = 1ull << 20;

model::Report report_of_one_heap(std::uint64_t heap_bytes) {
    model::Report report;
    report.devices = {test::radv_like_device()};
    model::DeviceReport& device = report.devices.front();
    device.heaps = {{.size_bytes = heap_bytes, .flags = model::memory_heap::kDeviceLocal}};
    for (model::MemoryType& type : device.memory_types) type.heap_index = 0;
    device.run.heap_budgets.clear();
    return report;
}

bool fits(const model::Report& report, const model::Workload& workload) {
    const auto policy = policy::advise(report.devices.front(), workload);
    REQUIRE(policy);
    REQUIRE(policy->capacity);
    return policy->capacity->fits;
}

}  // namespace

TEST_CASE("the default workload is taken whole where it fits, else at the largest percentage that does") {
    const auto whole = workload::preset(workload::preset_names().front());
    REQUIRE(whole);
    std::uint32_t images_before = 0;
    for (const std::uint64_t heap_bytes : {300 * kMib, 1400 * kMib, 64 * 1024 * kMib}) {
        CAPTURE(heap_bytes);
        const model::Report report = report_of_one_heap(heap_bytes);
        const auto chosen = policy::default_workload(report, {}, *whole);
        if (!chosen) FAIL(to_string(chosen.error()));
        CAPTURE(chosen->statement, chosen->workload.name);
        CHECK(fits(report, chosen->workload));
        CHECK(chosen->statement.empty() == (chosen->workload.name == whole->name));
        CHECK(chosen->statement.empty() == (heap_bytes == 64 * 1024 * kMib));
        if (!chosen->statement.empty()) {
            CHECK(chosen->statement.find("%, so that it fits ") != std::string::npos);
            // The name says it to whoever validates the policy.
            const auto named = workload::preset(chosen->workload.name);
            REQUIRE(named);
            CHECK(std::ranges::equal(named->buffers, chosen->workload.buffers, {}, &model::BufferHint::count,
                                     &model::BufferHint::count));
        }
        CHECK(chosen->workload.images.front().count >= images_before);
        images_before = chosen->workload.images.front().count;
    }
}

TEST_CASE(
    "the default workload leaves room within what may be taken, and says that it does not fit where it does not") {
    const auto whole = workload::preset(workload::preset_names().front());
    const model::Report report = report_of_one_heap(64 * 1024 * kMib);
    const auto most = [](const model::DeviceReport&) { return 700 * kMib; };
    const auto limited = policy::default_workload(report, {}, *whole, most);
    REQUIRE(limited);
    CHECK(limited->statement.ends_with("%, so that it fits 700 MiB"));
    const auto plan = policy::advise(report.devices.front(), limited->workload);
    REQUIRE(plan);
    REQUIRE(plan->expectations);
    CHECK(plan->expectations->heaps.front().peak_reserved_bytes.value <= 700 * kMib);
    const auto none = policy::default_workload(report, {}, *whole, [](const model::DeviceReport&) { return kMib; });
    REQUIRE(none);
    CHECK(none->statement.find("at 1%, which does not fit, either, 1 MiB") != std::string::npos);
    // A device that holds 1% and no more, and one that does not hold that: the second is the one to name.
    const auto least = policy::advise(report.devices.front(), workload::at_percent(*whole, 1));
    REQUIRE(least);
    REQUIRE(least->expectations);
    const std::uint64_t just_enough = least->expectations->heaps.front().peak_reserved_bytes.value * 32 / 31 + 1;
    model::Report two = report;
    two.devices.push_back(two.devices.front());
    two.devices.back().identity.name = "the small one";
    const auto room = [&](const model::DeviceReport& device) {
        return device.identity.name == "the small one" ? kMib : just_enough;
    };
    const std::vector<std::size_t> first{0};
    const auto one = policy::default_workload(two, first, *whole, room);
    REQUIRE(one);
    REQUIRE(one->statement.find(" at 1%, so that it fits ") != std::string::npos);
    const auto both = policy::default_workload(two, {}, *whole, room);
    REQUIRE(both);
    CHECK(both->statement.ends_with("which does not fit, either, 1 MiB of the small one"));
}

TEST_CASE("of several devices the smallest decides, and is named") {
    const auto whole = workload::preset(workload::preset_names().front());
    model::Report report = report_of_one_heap(64 * 1024 * kMib);
    report.devices.push_back(report_of_one_heap(1000 * kMib).devices.front());
    report.devices.back().identity.name = "the small one";
    const auto both = policy::default_workload(report, {}, *whole);
    REQUIRE(both);
    CHECK(both->statement.ends_with(" of the small one"));
    const std::vector<std::size_t> first{0};
    CHECK(policy::default_workload(report, first, *whole)->statement.empty());
}

TEST_CASE("a hint is left out where the device says that it lacks what the hint requires, and not where it is silent") {
    model::DeviceReport device = test::radv_like_device();
    model::Workload workload = test::small_workload();
    REQUIRE(workload.buffers.size() >= 2);
    const auto left_out = [&](model::Capability capability) {
        model::Workload asking = workload;
        asking.buffers.front().needs = {capability};
        return policy::plan_workload(device, asking).left_out.size();
    };
    using enum model::Capability;
    CHECK(left_out(kAccelerationStructures) == 1);
    device.extensions.push_back({.name = "VK_KHR_acceleration_structure", .spec_version = 13});
    CHECK(left_out(kAccelerationStructures) == 0);
    device.extensions.clear();
    device.absent = {"/extensions"};
    CHECK(left_out(kAccelerationStructures) == 0);
    CHECK(left_out(kLazilyAllocatedMemory) == 1);
    device.memory_types.front().property_flags |= model::memory_property::kLazilyAllocated;
    CHECK(left_out(kLazilyAllocatedMemory) == 0);
    for (const auto& [capability, name] : {std::pair{kTextureCompressionBc, "textureCompressionBC"},
                                           std::pair{kTextureCompressionEtc2, "textureCompressionETC2"},
                                           std::pair{kTextureCompressionAstc, "textureCompressionASTC_LDR"}}) {
        CAPTURE(name);
        std::erase_if(device.features, [name](const model::Fact& fact) { return fact.name == name; });
        CHECK(left_out(capability) == 0);
        device.features.push_back({.group = "VkPhysicalDeviceFeatures", .name = name, .value = 0});
        CHECK(left_out(capability) == 1);
        device.features.back().value = 1;
        CHECK(left_out(capability) == 0);
    }
    device.identity.api = model::Api::kD3d12;
    CHECK(left_out(kAccelerationStructures) == 0);
    device.limits.push_back({"D3D12_FEATURE_DATA_D3D12_OPTIONS5", "RaytracingTier", 0});
    CHECK(left_out(kAccelerationStructures) == 1);
    device.limits.back().value = 10;
    CHECK(left_out(kAccelerationStructures) == 0);
    CHECK(left_out(kTextureCompressionBc) == 0);
    CHECK(left_out(kTextureCompressionEtc2) == 1);
    CHECK(left_out(kTextureCompressionAstc) == 1);
}

TEST_CASE("a policy says first what it leaves out, keeps the places of the other hints, and needs no room for it") {
    const model::DeviceReport device = test::radv_like_device();
    model::Workload workload = test::small_workload();
    const auto before = policy::advise(device, workload);
    REQUIRE(before);
    workload.buffers.front().needs = {model::Capability::kAccelerationStructures};
    const auto policy = policy::advise(device, workload);
    if (!policy) FAIL(to_string(policy.error()));
    REQUIRE(policy->left_out.size() == 1);
    const model::HintLeftOut& left_out = policy->left_out.front();
    CHECK(left_out.hint == "buffers/0");
    CHECK(left_out.resources == workload.buffers.front().count);
    CHECK(left_out.bytes_share > 0);
    CHECK(left_out.bytes_share < 1);
    CHECK(test::makes(policy->warnings, model::ClaimId::kLeftOutByPlan));
    const auto wanted = [](const model::DevicePolicy& of) {
        std::uint64_t sum = 0;
        for (const model::HeapCapacity& heap : of.capacity->heaps) sum += heap.wanted_bytes;
        return sum;
    };
    CHECK(wanted(*policy) < wanted(*before));
}

}  // namespace default_workload_test
