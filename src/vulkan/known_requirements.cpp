#include "heapwright/vulkan/known_requirements.hpp"

#include <bit>

#include "heapwright/core/checked.hpp"

namespace heapwright::vulkan {
namespace {

// The last word of a key says what it is the key of, and is not 0.
constexpr std::uint64_t kImage = 1;
constexpr std::uint64_t kBuffer = 2;

constexpr std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
}

}  // namespace

KnownRequirements::Cache::Key KnownRequirements::key_of(const model::ResourceDescription& resource) const {
    if (const auto* image = std::get_if<model::ImageDescription>(&resource)) {
        const auto shape = static_cast<std::uint32_t>(static_cast<std::uint32_t>(image->tiling) << 1 |
                                                      static_cast<std::uint32_t>(image->dimension));
        return {pair(image->usage, image->flags), pair(image->width, image->height),
                pair(image->depth, image->mip_levels), pair(image->array_layers, image->samples),
                static_cast<std::uint64_t>(image->format) << 16 | shape << 8 | kImage};
    }
    const auto& buffer = std::get<model::BufferDescription>(resource);
    const std::uint64_t size = has_maintenance4_ ? static_cast<std::uint64_t>(std::bit_width(buffer.size_bytes))
                                                 : buffer.size_bytes;
    return {buffer.usage, size, 0, 0, kBuffer};
}

std::optional<model::MemoryRequirements> KnownRequirements::find(const model::ResourceDescription& resource) const {
    const auto known = cache_.find(key_of(resource));
    if (!known) return std::nullopt;
    model::MemoryRequirements requirements{.size_bytes = (*known)[0],
                                           .alignment_bytes = 1ull << ((*known)[1] >> 32 & 63),
                                           .memory_type_bits = static_cast<std::uint32_t>((*known)[1]),
                                           .dedicated = static_cast<model::Dedicated>((*known)[1] >> 40)};
    if (const auto* buffer = std::get_if<model::BufferDescription>(&resource)) {
        const auto aligned = checked_align_up(buffer->size_bytes, requirements.alignment_bytes);
        if (!aligned) return std::nullopt;
        if (has_maintenance4_) requirements.size_bytes = *aligned;
    }
    return requirements;
}

void KnownRequirements::insert(const model::ResourceDescription& resource,
                               const model::MemoryRequirements& requirements) {
    if (!is_power_of_two(requirements.alignment_bytes)) return;
    if (const auto* buffer = std::get_if<model::BufferDescription>(&resource); buffer != nullptr && has_maintenance4_) {
        if (checked_align_up(buffer->size_bytes, requirements.alignment_bytes) != requirements.size_bytes) return;
    }
    const auto alignment = static_cast<std::uint64_t>(std::countr_zero(requirements.alignment_bytes));
    cache_.insert(key_of(resource), {requirements.size_bytes, static_cast<std::uint64_t>(requirements.dedicated) << 40 |
                                                                  alignment << 32 | requirements.memory_type_bits});
}

}  // namespace heapwright::vulkan
