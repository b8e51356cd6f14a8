#include "export/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heapwright::exporting {
namespace {

std::vector<std::size_t> buckets_of(const model::DevicePolicy& device, bool of_device) {
    std::vector<std::size_t> indexes;
    for (std::size_t index = 0; index < device.buckets.size(); ++index) {
        const bool device_only = use_of(device, device.buckets[index].memory_type) == model::MemoryUse::kDeviceOnly;
        if (device_only == of_device) indexes.push_back(index);
    }
    return indexes;
}

}  // namespace

model::MemoryUse use_of(const model::DevicePolicy& device, std::uint32_t memory_type) {
    auto best = model::MemoryUse::kDeviceOnly;
    std::size_t best_rank = std::numeric_limits<std::size_t>::max();
    for (const model::MemoryUsePolicy& use : device.memory_uses) {
        const auto& ranked = use.memory_types.value;
        const auto found = std::find(ranked.begin(), ranked.end(), memory_type);
        if (found == ranked.end()) continue;
        const auto rank = static_cast<std::size_t>(found - ranked.begin());
        if (rank < best_rank) {
            best_rank = rank;
            best = use.use;
        }
    }
    return best;
}

std::vector<std::size_t> device_buckets(const model::DevicePolicy& device) {
    return buckets_of(device, true);
}

std::vector<std::size_t> host_buckets(const model::DevicePolicy& device) {
    return buckets_of(device, false);
}

std::optional<std::size_t> fullest(const model::DevicePolicy& device, const std::vector<std::size_t>& buckets) {
    const auto found = std::max_element(buckets.begin(), buckets.end(), [&](std::size_t a, std::size_t b) {
        return device.buckets[a].expected_bytes < device.buckets[b].expected_bytes;
    });
    return found == buckets.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::size_t> fullest_with(const model::DevicePolicy& device, const std::vector<std::size_t>& buckets,
                                        model::ResourceClass resource_class) {
    std::vector<std::size_t> fitting;
    for (const std::size_t index : buckets) {
        const auto& classes = device.buckets[index].resource_classes;
        if (std::find(classes.begin(), classes.end(), resource_class) != classes.end()) fitting.push_back(index);
    }
    return fullest(device, fitting);
}

std::optional<std::uint32_t> first_heap(const model::DevicePolicy& device, model::MemoryUse use) {
    for (const model::MemoryUsePolicy& ranked : device.memory_uses) {
        if (ranked.use == use && !ranked.memory_types.value.empty()) {
            const model::MemoryType* first = model::memory_type_of(device, ranked.memory_types.value.front());
            return first == nullptr ? std::nullopt : std::optional(first->heap_index);
        }
    }
    return std::nullopt;
}

std::optional<bool> has_properties(const model::DevicePolicy& device, std::uint32_t memory_type,
                                   model::Flags properties) {
    const model::MemoryType* type = model::memory_type_of(device, memory_type);
    return type == nullptr ? std::nullopt : std::optional((type->property_flags & properties) == properties);
}

std::string bucket_path(std::size_t bucket, std::string_view member) {
    return fmt::format("/buckets/{}/{}", bucket, member);
}

}  // namespace heapwright::exporting
