// How a device keeps shader-visible descriptors, decided from what it states: the Vulkan backend asks its driver, a
// replay its report, and both plan by this code. Pure.
//
// In order: a descriptor buffer; one large set with update-after-bind; one large set without it, of which as many
// copies are kept as submitted work reads; a set for each table, from pools. A "large set" is one array of mutable
// descriptors where the device has those, else an array for each descriptor type, all with the heap's indices.
// Where only uniform buffers cannot be in such an array they come in a small set for each dispatch.
// Source: VK_EXT_descriptor_buffer, VK_EXT_mutable_descriptor_type; Vulkan specification, descriptor indexing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/descriptor_heap_source.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::device {

// Features and limits that decide. Counts of descriptors, sizes in bytes.
struct DescriptorAbilities {
    bool descriptor_buffer = false;
    bool mutable_descriptors = false;
    bool runtime_arrays = false;
    bool variable_counts = false;
    bool partially_bound = false;
    bool updates_while_pending = false;

    // Arrays of these indexed by a value that is no constant.
    bool indexed_uniform_buffers = false;
    bool indexed_storage_buffers = false;
    bool indexed_sampled_images = false;

    // Update-after-bind; samplers go with sampled images.
    bool updated_uniform_buffers = false;
    bool updated_storage_buffers = false;
    bool updated_sampled_images = false;
    bool updated_storage_images = false;

    // The smaller of what a stage and what a pipeline layout may have.
    struct Counts {
        std::uint64_t samplers = 0;
        std::uint64_t uniform_buffers = 0;
        std::uint64_t storage_buffers = 0;
        std::uint64_t sampled_images = 0;
        std::uint64_t storage_images = 0;
        std::uint64_t resources = 0;  // of a stage, samplers apart
    };
    Counts plain;
    Counts updated;  // in layouts for update-after-bind pools
    std::uint64_t updated_in_all_pools = 0;

    // VK_EXT_descriptor_buffer's.
    std::uint64_t resource_range_bytes = 0;
    std::uint64_t sampler_range_bytes = 0;
    std::uint64_t uniform_buffer_bytes = 0;
    std::uint64_t storage_buffer_bytes = 0;
    std::uint64_t sampled_image_bytes = 0;
    std::uint64_t storage_image_bytes = 0;
    std::uint64_t sampler_bytes = 0;

    std::uint64_t live_samplers = 0;  // maxSamplerAllocationCount
};

struct DescriptorPlan {
    DescriptorFormChoice choice;
    bool mutable_descriptors = false;
    bool uniform_in_table = false;
    bool updates_while_pending = false;
    // The most of one shader-visible heap; empty: nothing states one.
    std::optional<std::uint64_t> resource_limit;
    std::optional<std::uint64_t> sampler_limit;

    [[nodiscard]] bool is(DescriptorForm form) const { return choice.form == form; }
};

// The best form, or `forced`. Errors: kNotSupported with the reason when the device cannot have the forced one.
[[nodiscard]] Result<DescriptorPlan> plan_descriptors(const DescriptorAbilities& abilities,
                                                      std::optional<DescriptorForm> forced);

}  // namespace heapwright::device
