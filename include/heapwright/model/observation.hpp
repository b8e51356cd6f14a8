// What can be said of a sweep in few words, after the observations of "Vulkan Memory Allocation (Part 1 of N)":
// derived from the tables, never measured. Plain values; sizes in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heapwright::model {

// A rule that tells the alignment of every point of a table. Stated only when it was found on one part of the points
// and predicts all of the held-out ones.
enum class AlignmentCondition : std::uint8_t {
    kAlways,            // one alignment for all points
    kBothSidesAtLeast,  // min(width, height) >= threshold
    kAnySideAtLeast,    // max(width, height) >= threshold
    kWidthAtLeast,
    kHeightAtLeast,
    kAreaAtLeast,       // width * height >= threshold
    kSizeBytesAtLeast,  // the driver's own size >= threshold
};

struct AlignmentStep {
    std::uint64_t threshold = 0;
    std::uint64_t alignment_bytes = 1;  // from this threshold on, until the next step's
};

struct AlignmentRule {
    AlignmentCondition condition = AlignmentCondition::kAlways;
    std::uint64_t below_alignment_bytes = 1;  // the alignment below the first step
    std::vector<AlignmentStep> steps;         // ascending thresholds; empty for kAlways
    std::uint32_t found_on_points = 0;
    std::uint32_t held_out_points = 0;  // all of them predicted
};

struct Overhead {
    double smallest = 0;  // size_bytes / packed bytes
    double median = 0;
    double largest = 0;
    std::array<std::uint32_t, 2> largest_at{};
};

// A run of extents along one side that cost the same: from one power of two up to another, whatever the other side.
struct EqualCost {
    bool along_width = true;
    std::uint32_t from = 0;
    std::uint32_t to = 0;  // every extent with this side in [from, to] takes the same bytes as at `to`
};

struct ImageObservation {
    std::uint32_t table = 0;
    std::vector<std::uint64_t> alignments;  // ascending, distinct
    std::uint64_t smallest_size_bytes = 0;
    bool sizes_are_powers_of_two = false;  // over the power-of-two part of the grid
    std::optional<AlignmentRule> alignment_rule;
    std::vector<EqualCost> equal_cost;
    Overhead overhead;
    std::string statement;
};

struct BufferObservation {
    std::uint32_t table = 0;
    std::vector<std::uint64_t> alignments;
    std::uint64_t minimum_size_bytes = 0;
    std::optional<std::uint64_t> rounding_bytes;    // every size is the request rounded up to this
    std::optional<std::uint64_t> exact_from_bytes;  // smallest request from which on every answer equals the request
    std::string statement;
};

struct Observations {
    std::vector<ImageObservation> images;    // one per image table
    std::vector<BufferObservation> buffers;  // one per buffer table
    bool buffer_usage_changes_size = false;
    bool buffer_usage_changes_alignment = false;
    bool buffer_usage_changes_memory_types = false;
    std::vector<std::string> statements;  // about the device as a whole
};

}  // namespace heapwright::model
