// How large a shader-visible heap of a replayed device may be: as the Vulkan backend decides it from the same answers.
#include <catch2/catch_test_macros.hpp>

#include "replay/device.hpp"
#include "replay_report.hpp"

using namespace heapwright;

namespace {

constexpr const char* kLimits = "VkPhysicalDeviceLimits";
constexpr const char* kIndexingLimits = "VkPhysicalDeviceDescriptorIndexingProperties";
constexpr const char* kIndexing = "VkPhysicalDeviceDescriptorIndexingFeatures";

// lavapipe of Mesa 22.3.6 states limits of update-after-bind without the features: its tables are sets from pools.
model::DeviceReport without_arrays() {
    model::DeviceReport report = test::small_report();
    report.features = {{kIndexing, "descriptorBindingSampledImageUpdateAfterBind", 0},
                       {kIndexing, "descriptorBindingStorageBufferUpdateAfterBind", 0},
                       {kIndexing, "descriptorBindingStorageImageUpdateAfterBind", 0},
                       {kIndexing, "runtimeDescriptorArray", 0}};
    for (const char* name :
         {"maxDescriptorSetUpdateAfterBindSampledImages", "maxDescriptorSetUpdateAfterBindStorageBuffers",
          "maxDescriptorSetUpdateAfterBindSamplers"})
        report.limits.push_back({kIndexingLimits, name, 65'536});
    return report;
}

model::DeviceReport with_arrays() {
    model::DeviceReport report = test::small_report();
    for (const char* name :
         {"descriptorBindingPartiallyBound", "descriptorBindingVariableDescriptorCount", "runtimeDescriptorArray",
          "descriptorBindingUniformBufferUpdateAfterBind", "descriptorBindingSampledImageUpdateAfterBind",
          "descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingStorageImageUpdateAfterBind"})
        report.features.push_back({kIndexing, name, 1});
    for (const char* name : {"shaderUniformBufferArrayDynamicIndexing", "shaderStorageBufferArrayDynamicIndexing",
                             "shaderSampledImageArrayDynamicIndexing"})
        report.features.push_back({"VkPhysicalDeviceFeatures", name, 1});
    for (const char* type : {"Samplers", "UniformBuffers", "StorageBuffers", "SampledImages", "StorageImages"}) {
        for (const char* scope : {"maxPerStageDescriptorUpdateAfterBind", "maxDescriptorSetUpdateAfterBind"})
            report.limits.push_back({kIndexingLimits, std::string(scope) + type, 500'000});
    }
    report.limits.push_back({kIndexingLimits, "maxPerStageUpdateAfterBindResources", 600'000});
    report.limits.push_back({kIndexingLimits, "maxUpdateAfterBindDescriptorsInAllPools", 1'000'000});
    report.limits.push_back({kLimits, "maxSamplerAllocationCount", 4000});
    return report;
}

std::optional<std::uint64_t> limit(const model::DeviceReport& report, device::DescriptorHeapKind kind) {
    const auto opened = replay::open_replay(report, {.interpolate = true});
    REQUIRE(opened);
    return (*opened)->descriptors()->stated_limit(kind, true);
}

}  // namespace

TEST_CASE("a replayed device without arrays of descriptors has no limit of a heap, as the device has none") {
    const model::DeviceReport report = without_arrays();
    CHECK_FALSE(limit(report, device::DescriptorHeapKind::kCbvSrvUav));
    CHECK_FALSE(limit(report, device::DescriptorHeapKind::kSampler));
    const auto opened = replay::open_replay(report, {.interpolate = true});
    REQUIRE(opened);
    CHECK((*opened)->descriptors()->create(
        {.kind = device::DescriptorHeapKind::kCbvSrvUav, .capacity = 267'648, .shader_visible = true}));
}

TEST_CASE("a replayed device with arrays of descriptors holds a heap to what every array can have") {
    const model::DeviceReport report = with_arrays();
    CHECK(limit(report, device::DescriptorHeapKind::kSampler) == 4000);
    CHECK(limit(report, device::DescriptorHeapKind::kCbvSrvUav) == 600'000 / 3);
    const auto opened = replay::open_replay(report, {.interpolate = true});
    REQUIRE(opened);
    CHECK_FALSE((*opened)->descriptors()->create(
        {.kind = device::DescriptorHeapKind::kCbvSrvUav, .capacity = 200'001, .shader_visible = true}));
}

TEST_CASE("a report without features is held to the limits that it states") {
    model::DeviceReport report = test::small_report();
    report.limits.push_back({kLimits, "maxDescriptorSetSampledImages", 3000});
    CHECK(limit(report, device::DescriptorHeapKind::kCbvSrvUav) == 3000);
}
