// Random operations on the suballocators that take space back in groups: the ring (frames behind fences that complete
// late and in bursts) and the linear one (stack, markers, reset).
#include <catch2/catch_test_macros.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "heapwright/suballoc/linear_allocator.hpp"
#include "heapwright/suballoc/ring_allocator.hpp"
#include "overlap_oracle.hpp"
#include "property_run.hpp"

using namespace heapwright;
using namespace heapwright::suballoc;
using namespace heapwright::test;

namespace {

void require(bool holds, std::string_view what, std::uint64_t seed, std::uint64_t operation) {
    if (!holds) FAIL(what << "; " << replay_hint(seed, operation));
}

void run_ring(std::uint64_t capacity, std::uint64_t operations, std::uint64_t seed) {
    struct Frame {
        std::uint64_t value;
        std::vector<std::uint64_t> offsets;
        std::vector<SuballocationHandle> handles;
    };
    auto ring = RingAllocator::create({.capacity = capacity}).value();
    OverlapOracle oracle(capacity);
    Random random(seed);
    std::deque<Frame> pending;
    Frame open = {};
    std::uint64_t next_value = 1;
    std::uint64_t operation = 0;
    const auto check = [&](bool holds, std::string_view what) { require(holds, what, seed, operation); };

    const auto finish = [&] {
        // Command list numbers may jump: several lists a frame.
        next_value += random.below(4);
        open.value = next_value;
        check(ring.finish_frame({next_value}).has_value(), "a frame cannot be finished");
        pending.push_back(std::move(open));
        open = {};
    };
    const auto complete = [&](std::uint64_t value) {
        ring.release_completed({value});
        for (; !pending.empty() && pending.front().value <= value; pending.pop_front()) {
            for (const std::uint64_t offset : pending.front().offsets) oracle.remove(offset);
            if (!pending.front().handles.empty())
                check(ring.free(pending.front().handles.front()) == FreeOutcome::kInvalidHandle,
                      "a released handle is accepted");
        }
    };

    for (; operation < operations; ++operation) {
        const std::uint64_t choice = random.below(100);
        if (choice < 90) {
            const std::uint64_t size = random.between(1, 1ull << random.below(random.below(50) == 0 ? 21 : 14));
            const std::uint64_t alignment = 1ull << random.below(17);
            const auto made = ring.allocate(size, alignment);
            if (made) {
                const std::string wrong = oracle.add(made->offset, made->size, size, alignment);
                check(wrong.empty(), wrong);
                check(ring.free(made->handle) == FreeOutcome::kDeferred, "a live handle is refused");
                open.offsets.push_back(made->offset);
                open.handles.push_back(made->handle);
            } else if (size <= capacity) {
                check(!ring.is_empty(), "an empty ring refuses");
            }
        } else if (choice < 96) {
            finish();
        } else if (!pending.empty()) {
            // The GPU is late, then catches up in a burst.
            const std::size_t burst = random.below(4) == 0 ? pending.size() : random.below(pending.size() / 2 + 1);
            complete(burst == 0 ? pending.front().value - 1 : pending[burst - 1].value);
        }
        if (operation % 64 == 0) {
            const Status valid = ring.validate_invariants();
            check(valid.has_value(), valid ? std::string_view() : std::string_view(valid.error().message));
            const Figures figures = ring.figures();
            check(figures.used >= oracle.used() && figures.suballocation_count == oracle.count(),
                  "the ring counts less than what is live");
            check(figures.used - figures.internal_waste == oracle.used(), "used less the skipped is not what is live");
            check(figures.used + figures.free == capacity, "free + used is not the capacity");
        }
    }
    finish();
    complete(next_value);
    check(ring.is_empty() && ring.used() == 0 && ring.figures().free_range_count == 1, "the ring does not empty");
    check(ring.allocate(capacity, 65536).has_value(), "the empty ring refuses its whole capacity");
}

void run_linear(std::uint64_t capacity, std::uint64_t operations, std::uint64_t seed) {
    auto linear = LinearAllocator::create({.capacity = capacity}).value();
    OverlapOracle oracle(capacity);
    Random random(seed);
    struct Live {
        Suballocation suballocation;
        bool is_dead;
    };
    std::vector<Live> stack;
    struct Mark {
        LinearAllocator::Marker marker;
        std::size_t depth;
    };
    std::vector<Mark> marks;
    std::uint64_t operation = 0;
    const auto check = [&](bool holds, std::string_view what) { require(holds, what, seed, operation); };
    const auto drop_top = [&] {
        oracle.remove(stack.back().suballocation.offset);
        stack.pop_back();
    };
    const auto settle = [&] {
        while (!stack.empty() && stack.back().is_dead) drop_top();
        while (!marks.empty() && marks.back().depth > stack.size()) marks.pop_back();
    };

    for (; operation < operations; ++operation) {
        const std::uint64_t choice = random.below(100);
        if (choice < 60) {
            const std::uint64_t size = random.between(1, 1ull << random.below(random.below(50) == 0 ? 21 : 12));
            const std::uint64_t alignment = 1ull << random.below(17);
            const auto made = linear.allocate(size, alignment);
            if (made) {
                const std::string wrong = oracle.add(made->offset, made->size, size, alignment);
                check(wrong.empty(), wrong);
                check(stack.empty() || made->offset > stack.back().suballocation.offset, "offsets do not rise");
                stack.push_back({*made, false});
            } else if (size <= capacity) {
                check(linear.used() > 0, "an empty block refuses");
            }
        } else if (choice < 85) {
            if (stack.empty()) continue;
            const bool is_top = random.below(4) != 0;
            const std::size_t index = is_top ? stack.size() - 1 : random.below(stack.size());
            const FreeOutcome expected = stack[index].is_dead        ? FreeOutcome::kInvalidHandle
                                         : index + 1 == stack.size() ? FreeOutcome::kFreed
                                                                     : FreeOutcome::kDeferred;
            check(linear.free(stack[index].suballocation.handle) == expected, "free says something else");
            stack[index].is_dead = true;
            settle();
        } else if (choice < 92) {
            marks.push_back({linear.marker(), stack.size()});
        } else if (choice < 99) {
            if (marks.empty()) continue;
            const std::size_t index = random.below(marks.size());
            const Mark mark = marks[index];
            marks.resize(index);
            check(linear.rollback(mark.marker).has_value(), "a marker on the stack is refused");
            while (stack.size() > mark.depth) drop_top();
            settle();
        } else if (random.below(20) == 0) {
            linear.reset();
            stack.clear();
            marks.clear();
            oracle.clear();
        }
        if (operation % 256 == 0) {
            const Status valid = linear.validate_invariants();
            check(valid.has_value(), valid ? std::string_view() : std::string_view(valid.error().message));
            check(linear.used() ==
                      (stack.empty() ? 0 : stack.back().suballocation.offset + stack.back().suballocation.size),
                  "the head is not behind the top");
        }
    }
    while (!stack.empty()) {
        linear.free(stack.back().suballocation.handle);
        stack.back().is_dead = true;
        settle();
    }
    check(linear.is_empty() && linear.used() == 0, "the stack does not empty");
    check(linear.allocate(capacity).has_value(), "the empty block refuses its whole capacity");
}

}  // namespace

TEST_CASE("the ring never gives out what a pending frame holds") {
    const std::uint64_t operations = property_operations();
    SECTION("1 MiB") {
        run_ring(1 << 20, operations * 8 / 10, property_seed());
    }
    SECTION("an odd capacity") {
        run_ring(99'991, operations / 10, property_seed() + 1);
    }
    SECTION("hardly any room") {
        run_ring(257, operations / 10, property_seed() + 2);
    }
}

TEST_CASE("the linear block is a stack in any order of frees") {
    const std::uint64_t operations = property_operations();
    SECTION("1 MiB") {
        run_linear(1 << 20, operations * 8 / 10, property_seed());
    }
    SECTION("an odd capacity") {
        run_linear(99'991, operations * 2 / 10, property_seed() + 1);
    }
}
