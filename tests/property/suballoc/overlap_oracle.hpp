// What is allocated, kept apart from the suballocator under test: a map of live ranges by offset. It knows nothing of
// bins, tails or merging, so a mistake there cannot hide here.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

namespace heapwright::test {

class OverlapOracle {
public:
    explicit OverlapOracle(std::uint64_t capacity) : capacity_(capacity) {}

    // Empty when the range is inside the block, aligned, large enough and overlaps nothing; else what is wrong.
    [[nodiscard]] std::string add(std::uint64_t offset, std::uint64_t size, std::uint64_t asked,
                                  std::uint64_t alignment) {
        if (size < asked) return fmt::format("[{}, +{}) is smaller than the {} asked for", offset, size, asked);
        if (size > capacity_ || offset > capacity_ - size)
            return fmt::format("[{}, +{}) leaves the block of {}", offset, size, capacity_);
        if (offset % alignment != 0) return fmt::format("[{}, +{}) is not aligned to {}", offset, size, alignment);
        const auto next = live_.lower_bound(offset);
        if (next != live_.end() && next->first < offset + size)
            return fmt::format("[{}, +{}) overlaps what begins at {}", offset, size, next->first);
        if (next != live_.begin()) {
            const auto previous = std::prev(next);
            if (previous->first + previous->second > offset)
                return fmt::format("[{}, +{}) overlaps what begins at {}", offset, size, previous->first);
        }
        live_.emplace_hint(next, offset, size);
        used_ += size;
        return {};
    }
    void remove(std::uint64_t offset) {
        const auto found = live_.find(offset);
        if (found == live_.end()) return;
        used_ -= found->second;
        live_.erase(found);
    }
    void clear() {
        live_.clear();
        used_ = 0;
    }

    [[nodiscard]] std::uint64_t used() const { return used_; }
    [[nodiscard]] std::size_t count() const { return live_.size(); }

    // The largest range free that begins at a multiple of `alignment`, and the number of free ranges. O(n).
    struct Gaps {
        std::uint64_t largest = 0;
        std::uint64_t largest_aligned = 0;
        std::uint64_t count = 0;
    };
    [[nodiscard]] Gaps gaps(std::uint64_t alignment = 1) const {
        Gaps gaps;
        std::uint64_t begin = 0;
        const auto close = [&](std::uint64_t end) {
            if (end <= begin) return;
            const std::uint64_t aligned = (begin + alignment - 1) & ~(alignment - 1);
            ++gaps.count;
            gaps.largest = end - begin > gaps.largest ? end - begin : gaps.largest;
            if (aligned < end && end - aligned > gaps.largest_aligned) gaps.largest_aligned = end - aligned;
        };
        for (const auto& [offset, size] : live_) {
            close(offset);
            begin = offset + size;
        }
        close(capacity_);
        return gaps;
    }

private:
    std::uint64_t capacity_;
    std::map<std::uint64_t, std::uint64_t> live_;
    std::uint64_t used_ = 0;
};

}  // namespace heapwright::test
