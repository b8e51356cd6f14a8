#include "vulkan/known_requirements.hpp"

#include <bit>

#include "core/checked.hpp"

namespace heapwright::vulkan {
namespace {

using Cache = ReadMostlyCache<5, 2, 256>;

// The last word of a key says what it is the key of, and is not 0.
constexpr std::uint64_t kImage = 1;
constexpr std::uint64_t kBuffer = 2;
constexpr std::uint64_t kAlignedBuffers = 3;

constexpr std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
}

Cache::Key key_of(const model::ImageDescription& image) {
    const auto shape = static_cast<std::uint32_t>(static_cast<std::uint32_t>(image.tiling) << 1 |
                                                  static_cast<std::uint32_t>(image.dimension));
    return {pair(image.usage, image.flags), pair(image.width, image.height), pair(image.depth, image.mip_levels),
            pair(image.array_layers, image.samples),
            static_cast<std::uint64_t>(image.format) << 16 | shape << 8 | kImage};
}

Cache::Key key_of(const model::BufferDescription& buffer) {
    return {buffer.usage, buffer.size_bytes, 0, 0, kBuffer};
}

Cache::Key key_of_aligned(const model::BufferDescription& buffer) {
    return {buffer.usage, static_cast<std::uint64_t>(std::bit_width(buffer.size_bytes)), 0, 0, kAlignedBuffers};
}

Cache::Value to_words(const model::MemoryRequirements& requirements) {
    const auto alignment = static_cast<std::uint64_t>(std::countr_zero(requirements.alignment_bytes));
    return {requirements.size_bytes,
            static_cast<std::uint64_t>(requirements.dedicated) << 40 | alignment << 32 | requirements.memory_type_bits};
}

model::MemoryRequirements to_requirements(const Cache::Value& words) {
    return {.size_bytes = words[0],
            .alignment_bytes = 1ull << (words[1] >> 32 & 63),
            .memory_type_bits = static_cast<std::uint32_t>(words[1]),
            .dedicated = static_cast<model::Dedicated>(words[1] >> 40)};
}

}  // namespace

std::optional<model::MemoryRequirements> KnownRequirements::find(const model::ResourceDescription& resource) const {
    std::optional<Cache::Value> known;
    if (const auto* image = std::get_if<model::ImageDescription>(&resource)) {
        known = cache_.find(key_of(*image));
        return known ? std::optional(to_requirements(*known)) : std::nullopt;
    }
    const auto& buffer = std::get<model::BufferDescription>(resource);
    if (has_maintenance4_ && (known = cache_.find(key_of_aligned(buffer)))) {
        model::MemoryRequirements requirements = to_requirements(*known);
        const auto aligned = checked_align_up(buffer.size_bytes, requirements.alignment_bytes);
        if (!aligned) return std::nullopt;
        requirements.size_bytes = *aligned;
        return requirements;
    }
    known = cache_.find(key_of(buffer));
    return known ? std::optional(to_requirements(*known)) : std::nullopt;
}

void KnownRequirements::insert(const model::ResourceDescription& resource,
                               const model::MemoryRequirements& requirements) {
    if (!is_power_of_two(requirements.alignment_bytes)) return;
    const Cache::Value words = to_words(requirements);
    if (const auto* image = std::get_if<model::ImageDescription>(&resource))
        return cache_.insert(key_of(*image), words);
    const auto& buffer = std::get<model::BufferDescription>(resource);
    const auto aligned = checked_align_up(buffer.size_bytes, requirements.alignment_bytes);
    // A size that is aligned already does not tell whether the driver aligns.
    const bool aligns = aligned == requirements.size_bytes && aligned != buffer.size_bytes;
    cache_.insert(has_maintenance4_ && aligns ? key_of_aligned(buffer) : key_of(buffer), words);
}

}  // namespace heapwright::vulkan
