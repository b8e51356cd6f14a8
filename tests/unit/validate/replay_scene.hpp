// A replayed device of round numbers, a policy for it and a workload that it can serve.
#pragma once

#include "../frame/render_scene.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/workload.hpp"
#include "validate/validate.hpp"

namespace heapwright::test {

// bindable_report() is large enough for staging memory.
inline constexpr std::uint64_t kGranularityBytes = 4096;

inline model::DeviceReport scene_report() {
    model::DeviceReport report = bindable_report();
    report.limits.push_back({"VkPhysicalDeviceLimits", "bufferImageGranularity", kGranularityBytes});
    return report;
}

template <class T>
model::Decided<T> decided(T value) {
    return {.value = std::move(value), .why = {}};
}

inline model::BucketPolicy scene_bucket(std::string id, model::ResourceClass resource_class, std::uint64_t alignment,
                                        std::uint32_t memory_type, std::uint64_t chunk_bytes) {
    return {.id = std::move(id),
            .resource_classes = {resource_class},
            .alignment_bytes = alignment,
            .memory_type = memory_type,
            .chunk_size_bytes = decided(chunk_bytes),
            .suballocator = decided(model::SuballocatorKind::kTlsf),
            .granule_bytes = decided<std::uint64_t>(16)};
}

inline model::DevicePolicy scene_policy() {
    using model::MemoryUse;
    using model::ResourceClass;
    model::DevicePolicy policy;
    policy.heaps = {{.heap = 0, .usable_bytes = decided<std::uint64_t>(kGib)},
                    {.heap = 1, .usable_bytes = decided<std::uint64_t>(256 * kMib)}};
    const auto use = [](MemoryUse which, std::vector<std::uint32_t> types) {
        return model::MemoryUsePolicy{.use = which, .memory_types = decided(std::move(types)), .excluded = {}};
    };
    policy.memory_uses = {use(MemoryUse::kDeviceOnly, {0, 2}), use(MemoryUse::kUpload, {1, 2}),
                          use(MemoryUse::kReadback, {1}), use(MemoryUse::kStreaming, {2, 1})};
    policy.largest_ordinary_bytes = decided<std::uint64_t>(4 * kMib);
    policy.humongous_threshold_bytes = decided<std::uint64_t>(4 * kMib);
    policy.dedicated = decided(model::DedicatedRule::kWhenRequired);
    policy.separate_linear_and_optimal = decided(true);
    policy.max_chunks = decided<std::uint64_t>(60);
    policy.buckets = {scene_bucket("optimal/1024/0", ResourceClass::kOptimal, 1024, 0, 8 * kMib),
                      scene_bucket("optimal/65536/0", ResourceClass::kOptimal, 65536, 0, 8 * kMib),
                      scene_bucket("optimal/65536/2", ResourceClass::kOptimal, 65536, 2, 8 * kMib),
                      scene_bucket("linear/256/0", ResourceClass::kLinear, 256, 0, 8 * kMib),
                      scene_bucket("linear/256/1", ResourceClass::kLinear, 256, 1, 4 * kMib),
                      scene_bucket("linear/256/2", ResourceClass::kLinear, 256, 2, 4 * kMib)};
    add_binding_policy(policy);
    return policy;
}

inline model::Workload scene_workload() {
    model::Workload workload;
    workload.name = "scene";
    workload.images = {{.usage = sampled_image(1, 1).usage, .largest_side = 256, .count = 80},
                       {.usage = sampled_image(1, 1).usage, .largest_side = 128, .full_mips = true, .count = 20}};
    const model::Flags vertex = kBufferUsage | model::buffer_usage::kVertex;
    workload.buffers = {
        {.usage = vertex, .largest_bytes = 65536, .count = 150},
        {.usage = kBufferUsage, .largest_bytes = 16384, .count = 50, .memory_use = model::MemoryUse::kUpload}};
    workload.steps_per_frame = 10;
    workload.churn_steps = 1500;
    return workload;
}

inline validate::ValidateOptions scene_options() {
    // Memory alone: the scenarios of descriptors have tests of their own.
    validate::ValidateOptions options;
    options.scenarios = {"mixed-workload", "streaming", "defragmentation"};
    options.seed = 7;
    options.memory_limit_bytes = 512 * kMib;
    return options;
}

}  // namespace heapwright::test
