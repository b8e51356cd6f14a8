// The ranges of one block in order of offset, free and used, as nodes of one flat array with 32-bit links: what the
// general and the best-fit suballocator have in common. Sizes are granules. No allocation while the array has spare
// nodes (reserve()); beyond that it doubles by realloc(), which moves a large array's pages and not its bytes, and no
// node is written before it is taken. Not thread-safe; checks nothing: its owners do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc::detail {

// 32 bytes, two to a cache line. A used range needs no bin links, so their place holds its waste and its generation.
struct RangeNode {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t before = 0;  // neighbours by offset, kBorder at both ends
    std::uint32_t after = 0;
    std::uint32_t link_or_waste = 0;       // free: the previous of its bin; used: units of waste
    std::uint32_t link_or_generation = 0;  // free: the next of its bin; used: kUsedBit | generation; spare: the next

    static constexpr std::uint32_t kUsedBit = 0x8000'0000u;
    [[nodiscard]] bool is_used() const { return (link_or_generation & kUsedBit) != 0; }
    [[nodiscard]] std::uint32_t generation() const { return link_or_generation & ~kUsedBit; }
};
static_assert(sizeof(RangeNode) == 32);
static_assert(std::is_trivially_copyable_v<RangeNode>);  // realloc() moves them

struct Granules {
    std::uint64_t count = 0;
    std::uint32_t shift = 0;  // log2 of the granule
};

// What create() of every suballocator over ranges checks: a granule that is a power of two up to 2^30, at least one
// and at most 2^62 granules, at most 2^30 reserved ranges.
[[nodiscard]] Result<Granules> to_granules(std::uint64_t capacity, std::uint64_t granule,
                                           std::uint32_t reserved_ranges);

struct GranulePlace {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// [offset, offset + size) in granules, for allocate_at().
[[nodiscard]] tl::expected<GranulePlace, AllocateFailure> to_place(std::uint64_t offset, std::uint64_t size,
                                                                   std::uint32_t shift, std::uint64_t granules);

class RangeTable {
public:
    // Two nodes that are no range: the border counts as used, so that merging needs no test for the block's ends, and
    // the bin end takes the links that a bin's first and last range write.
    static constexpr std::uint32_t kBorder = 0;
    static constexpr std::uint32_t kBinEnd = 1;
    static constexpr std::uint32_t kFirst = 2;

    // One free range over all `granules` (not 0), its node is kFirst.
    RangeTable(std::uint64_t granules, std::uint32_t reserved_nodes) : granules_(granules) {
        reserve(reserved_nodes);
        reset();
    }
    RangeTable(const RangeTable& other);
    RangeTable& operator=(const RangeTable& other) { return *this = RangeTable(other); }
    RangeTable(RangeTable&&) noexcept = default;
    RangeTable& operator=(RangeTable&&) noexcept = default;
    ~RangeTable() = default;

    void reset();
    void reserve(std::uint32_t node_count);

    [[nodiscard]] RangeNode& operator[](std::uint32_t index) { return nodes_[index]; }
    [[nodiscard]] const RangeNode& operator[](std::uint32_t index) const { return nodes_[index]; }
    [[nodiscard]] std::uint32_t first() const { return nodes_[kBorder].after; }
    [[nodiscard]] std::uint64_t granules() const { return granules_; }

    // A node for a new range; references to nodes are void afterwards.
    [[nodiscard]] std::uint32_t take() {
        if (spare_ == kBorder) [[unlikely]]
            return take_fresh();
        const std::uint32_t index = spare_;
        spare_ = nodes_[index].link_or_generation;
        return index;
    }
    void give_back(std::uint32_t index) {
        nodes_[index].link_or_generation = spare_;
        spare_ = index;
    }

    void link_before(std::uint32_t index, std::uint32_t next) {
        const std::uint32_t previous = nodes_[next].before;
        nodes_[index].before = previous;
        nodes_[index].after = next;
        nodes_[previous].after = index;
        nodes_[next].before = index;
    }
    void unlink(std::uint32_t index) {
        const std::uint32_t previous = nodes_[index].before;
        const std::uint32_t next = nodes_[index].after;
        nodes_[previous].after = next;
        nodes_[next].before = previous;
    }

    [[nodiscard]] SuballocationHandle mark_used(std::uint32_t index, std::uint64_t waste) {
        generation_ = (generation_ + 1) & ~RangeNode::kUsedBit;
        nodes_[index].link_or_waste = static_cast<std::uint32_t>(waste);
        nodes_[index].link_or_generation = RangeNode::kUsedBit | generation_;
        // As one number where that is its form in memory: written as two, who reads the whole handle waits for both.
        if constexpr (std::endian::native == std::endian::little)
            return std::bit_cast<SuballocationHandle>(std::uint64_t{generation_} << 32 | index);
        return {index, generation_};
    }
    // Computed in 64 bits, so that a node that is not used never equals a generation.
    [[nodiscard]] bool is_live(SuballocationHandle handle) const {
        return handle.index - kFirst < written_ranges_ &&
               std::uint64_t{nodes_[handle.index].link_or_generation} - RangeNode::kUsedBit == handle.generation;
    }

    // The free range that holds [begin, end), kBorder if none does. O(n).
    [[nodiscard]] std::uint32_t find_free(std::uint64_t begin, std::uint64_t end) const;

    // Whole, in order, without gap or overlap, no two free neighbours, counters as told.
    [[nodiscard]] Status validate(std::uint64_t used_granules, std::uint64_t used_count, std::uint64_t waste) const;

private:
    struct Free {
        void operator()(RangeNode* nodes) const { std::free(nodes); }
    };

    // One that was never written, in order of address.
    [[nodiscard]] std::uint32_t take_fresh();
    void make_room(std::uint32_t nodes);

    std::uint64_t granules_;
    std::unique_ptr<RangeNode[], Free> nodes_;
    std::uint32_t capacity_ = 0;
    std::uint32_t written_ranges_ = 0;  // all nodes from kFirst on that were ever taken
    std::uint32_t spare_ = kBorder;     // of those
    std::uint32_t generation_ = 0;
};

}  // namespace heapwright::suballoc::detail
