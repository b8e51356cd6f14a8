// LinearAllocator: a bump pointer with reset, and a stack: rollback to a marker, or frees in reverse order. Freeing out
// of order is accepted; that space comes back when everything above it is freed.
// Guarantees: no overlap, offsets aligned, an empty block gives its whole capacity. Not thread-safe.
// Errors: create() and rollback() by value, the rest by enum.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/suballoc/figures.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::suballoc {

struct LinearOptions {
    std::uint64_t capacity = 0;  // at most 2^62
    std::uint32_t reserved_suballocations = 256;
};

class LinearAllocator {
public:
    // A place in the stack: what was allocated before it survives a rollback.
    struct Marker {
        std::size_t depth = 0;
        std::uint32_t generation = 0;  // of the suballocation on top at that time; 0 for an empty stack
    };

    [[nodiscard]] static Result<LinearAllocator> create(const LinearOptions& options);

    [[nodiscard]] AllocateResult allocate(std::uint64_t size, std::uint64_t alignment = 1) {
        const std::uint64_t lead = (0 - head_) & (alignment - 1);
        const std::uint64_t room = capacity_ - head_;
        if (size - 1 >= room || !is_alignment(alignment) || lead > room - size) [[unlikely]]
            return refuse(size, alignment);
        generation_ = generation_ % kMaxGeneration + 1;
        const auto index = static_cast<std::uint32_t>(stack_.size());
        const std::uint64_t offset = head_ + lead;
        stack_.push_back({head_, offset, generation_, false});
        padding_ += lead;
        ++live_count_;
        head_ = offset + size;
        return Suballocation{offset, size, {index, generation_}};
    }

    FreeOutcome free(SuballocationHandle handle);
    void reset();

    [[nodiscard]] Marker marker() const { return {stack_.size(), stack_.empty() ? 0 : stack_.back().generation}; }
    // Frees all that was allocated since. Fails, and changes nothing, when the stack has fallen below the marker.
    [[nodiscard]] Status rollback(const Marker& marker);

    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] std::uint64_t used() const { return head_; }  // padding and what is freed out of order included
    [[nodiscard]] std::uint64_t suballocation_count() const { return live_count_; }
    [[nodiscard]] bool is_empty() const { return live_count_ == 0; }
    [[nodiscard]] Figures figures() const;
    [[nodiscard]] Status validate_invariants() const;

    // visit(offset, size, is_used): each suballocation with the padding before it, then the rest.
    template <class Visit>
    void for_each_range(Visit&& visit) const {
        for (std::size_t index = 0; index < stack_.size(); ++index) {
            const std::uint64_t end = index + 1 < stack_.size() ? stack_[index + 1].begin : head_;
            visit(stack_[index].begin, end - stack_[index].begin, true);
        }
        if (head_ < capacity_) visit(head_, capacity_ - head_, false);
    }

private:
    static constexpr std::uint32_t kMaxGeneration = 0x7fff'ffffu;

    struct Entry {
        std::uint64_t begin;   // the head before it
        std::uint64_t offset;  // aligned
        std::uint32_t generation;
        bool is_dead;  // freed below something live
    };

    explicit LinearAllocator(const LinearOptions& options);
    void pop();
    [[nodiscard]] AllocateResult refuse(std::uint64_t size, std::uint64_t alignment) const;

    std::uint64_t capacity_;
    std::uint64_t head_ = 0;
    std::uint64_t padding_ = 0;
    std::uint64_t live_count_ = 0;
    std::uint32_t generation_ = 0;
    std::vector<Entry> stack_;
};

}  // namespace heapwright::suballoc
