// The sweep: what the driver asks for every combination of a case (format, tiling, usage, shape) and a grid point
// (an extent or a buffer size), in tables that cases share where the driver's answers are equal. Plain values; sizes in
// bytes, extents in texels.
//
//   case 0 (RGBA8 sampled)    --+
//   case 1 (RGBA8 attachment) --+--> table 0: size_bytes per grid point, requirement per grid point --> requirements
//   case 2 (R8 sampled)       -----> table 1: ...
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/resource.hpp"

namespace heapwright::model {

// What accompanies a size. At most 65,535 of them in one sweep.
struct RequirementClass {
    std::uint64_t alignment_bytes = 1;
    std::uint32_t memory_type_bits = 0;
    Dedicated dedicated = Dedicated::kNone;

    friend bool operator==(const RequirementClass&, const RequirementClass&) = default;
};

// Every (width, height) of widths x heights, width-major, then the extra extents.
struct ImageGrid {
    std::vector<std::uint32_t> widths;
    std::vector<std::uint32_t> heights;
    std::vector<std::array<std::uint32_t, 2>> extra;

    [[nodiscard]] std::size_t point_count() const { return widths.size() * heights.size() + extra.size(); }
    [[nodiscard]] std::array<std::uint32_t, 2> point(std::size_t index) const;
    // Index of an extent, or nothing when the grid does not hold it.
    [[nodiscard]] std::optional<std::size_t> find(std::uint32_t width, std::uint32_t height) const;
};

struct SweepTable {
    // Grid order. size_bytes 0: the point is beyond the case's extent (or buffer size) limit, or the driver refused it.
    std::vector<std::uint64_t> size_bytes;
    std::vector<std::uint16_t> requirement;  // index into requirements; 0 and meaningless where size_bytes is 0

    friend bool operator==(const SweepTable&, const SweepTable&) = default;
};

// A 3D case without a depth of its own has depth = min(width, height) at every grid point. A case with `full_mips` has
// the full mip chain there.
struct ImageCase {
    Format format = Format::kR8G8B8A8Unorm;
    ImageTiling tiling = ImageTiling::kOptimal;
    ImageDimension dimension = ImageDimension::k2d;
    Flags usage = 0;
    bool full_mips = false;
    std::uint32_t array_layers = 1;
    std::uint32_t samples = 1;
    std::optional<std::uint32_t> table;  // empty: not supported, for the reason below
    std::string not_supported;
    // Of a workload's hints; the cases of the grid have none.
    std::optional<std::uint32_t> depth;
    std::optional<std::uint32_t> mip_levels;  // at most, where full_mips is false
    Flags flags = 0;

    [[nodiscard]] ImageDescription description(std::uint32_t width, std::uint32_t height) const;
};

// A point outside the grid that a workload asked for.
struct ImagePoint {
    ImageDescription description;
    std::optional<MemoryRequirements> requirements;  // empty: not supported, for the reason below
    std::string not_supported;
};

// An answer that breaks what the specification guarantees of every answer: no size, an alignment that is no power of
// two, no memory type, a memory type that does not exist. The tables and points hold nothing of it, or (where only
// memory types that do not exist were named beside real ones) the real ones alone. The first of its kind is kept.
// A type of its own because the reader checks none of its values.
struct OddAnswer : MemoryRequirements {};

struct OddImage {
    ImageDescription description;
    OddAnswer answer;
    std::uint64_t count = 1;  // answers of this kind in the whole sweep
};

struct OddBuffer {
    BufferDescription description;
    OddAnswer answer;
    std::uint64_t count = 1;
};

struct ImageSweep {
    ImageGrid grid;
    std::vector<RequirementClass> requirements;
    std::vector<SweepTable> tables;
    std::vector<ImageCase> cases;
    std::vector<ImagePoint> points;
    std::vector<OddImage> odd_answers;
};

struct BufferCase {
    Flags usage = 0;
    std::optional<std::uint32_t> table;
    std::string not_supported;
};

struct BufferPoint {
    BufferDescription description;
    std::optional<MemoryRequirements> requirements;
    std::string not_supported;
};

struct BufferSweep {
    std::vector<std::uint64_t> sizes;  // ascending; the grid
    std::vector<RequirementClass> requirements;
    std::vector<SweepTable> tables;
    std::vector<BufferCase> cases;
    std::vector<BufferPoint> points;
    std::vector<OddBuffer> odd_answers;
};

// The driver's answer at one point of a table's grid; nothing where it gave none.
[[nodiscard]] inline std::optional<MemoryRequirements> answer_at(const std::vector<RequirementClass>& requirements,
                                                                 const SweepTable& table, std::size_t point) {
    if (table.size_bytes[point] == 0) return std::nullopt;
    const RequirementClass& entry = requirements[table.requirement[point]];
    return MemoryRequirements{.size_bytes = table.size_bytes[point],
                              .alignment_bytes = entry.alignment_bytes,
                              .memory_type_bits = entry.memory_type_bits,
                              .dedicated = entry.dedicated};
}

// The driver's answer for exactly this description, when the sweep holds it.
[[nodiscard]] std::optional<MemoryRequirements> find_requirements(const ImageSweep& sweep,
                                                                  const ImageDescription& image);
[[nodiscard]] std::optional<MemoryRequirements> find_requirements(const BufferSweep& sweep,
                                                                  const BufferDescription& buffer);

}  // namespace heapwright::model
