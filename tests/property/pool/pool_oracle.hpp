// What is live in a pool, told from its placements alone, and random requests for it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "core/random.hpp"
#include "pool/memory_pool.hpp"

namespace heapwright::test {

// add() says what is wrong with a placement, or nothing.
class PoolOracle {
public:
    [[nodiscard]] std::string add(const pool::Placement& placement, const model::MemoryRequirements& asked) {
        const std::uint64_t begin = placement.offset_bytes;
        const std::uint64_t end = begin + placement.size_bytes;
        if (placement.size_bytes < asked.size_bytes)
            return fmt::format("{} bytes for {}", placement.size_bytes, asked.size_bytes);
        if (begin % asked.alignment_bytes != 0)
            return fmt::format("offset {} for alignment {}", begin, asked.alignment_bytes);
        if ((asked.memory_type_bits >> placement.memory_type.value & 1u) == 0)
            return fmt::format("memory type {} is not admitted", placement.memory_type.value);
        auto& ranges = ranges_[placement.memory.value];
        const auto next = ranges.lower_bound(begin);
        if (next != ranges.end() && next->first < end) return fmt::format("overlaps what begins at {}", next->first);
        if (next != ranges.begin() && std::prev(next)->second > begin)
            return fmt::format("overlaps what begins at {}", std::prev(next)->first);
        ranges.emplace_hint(next, begin, end);
        return {};
    }
    void remove(const pool::Placement& placement) { ranges_[placement.memory.value].erase(placement.offset_bytes); }

private:
    std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> ranges_;
};

// The same for many threads: a lock for some heaps each.
class SharedPoolOracle {
public:
    [[nodiscard]] std::string add(const pool::Placement& placement, const model::MemoryRequirements& asked) {
        Part& part = part_of(placement);
        const std::lock_guard lock(part.mutex);
        return part.oracle.add(placement, asked);
    }
    void remove(const pool::Placement& placement) {
        Part& part = part_of(placement);
        const std::lock_guard lock(part.mutex);
        part.oracle.remove(placement);
    }

private:
    struct Part {
        std::mutex mutex;
        PoolOracle oracle;
    };
    Part& part_of(const pool::Placement& placement) { return parts_[placement.memory.value % parts_.size()]; }

    std::array<Part, 16> parts_;
};

// Sizes over the whole range, small ones most often; alignments of 1 to 64 KiB.
inline model::MemoryRequirements draw(Random& random, std::uint32_t largest_bits) {
    const std::uint64_t size = random.between(1, 1ull << random.between(4, largest_bits));
    return {.size_bytes = size, .alignment_bytes = 1ull << random.between(0, 16), .memory_type_bits = 0b111};
}

}  // namespace heapwright::test
