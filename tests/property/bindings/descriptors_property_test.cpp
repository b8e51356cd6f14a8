// Random lives of descriptors through the whole stack, against a map of owners that knows nothing of managers, chunks
// or release queues. The device completes late, in bursts. At every step: a range has no descriptor in common with one
// that is live or waits for the device; static and dynamic ranges keep to their parts. At the end all of it comes back
// and the whole capacity can be had as one range.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "../../unit/frame/render_scene.hpp"
#include "../suballoc/property_run.hpp"
#include "core/random.hpp"

using namespace heapwright;
using device::DescriptorHeapKind;

namespace {

// Which descriptors of one heap of the device are taken.
class Owners {
public:
    // False: one of them has an owner.
    [[nodiscard]] bool take(std::uint32_t first, std::uint32_t count) {
        if (taken_.size() < first + std::size_t{count}) taken_.resize(first + std::size_t{count});
        const auto begin = taken_.begin() + first;
        if (std::any_of(begin, begin + count, [](std::uint8_t one) { return one != 0; })) return false;
        std::fill_n(begin, count, std::uint8_t{1});
        return true;
    }
    void give_back(std::uint32_t first, std::uint32_t count) {
        std::fill_n(taken_.begin() + first, count, std::uint8_t{0});
    }

private:
    std::vector<std::uint8_t> taken_;
};

struct Waiting {
    std::uint64_t value = 0;
    std::uint64_t heap = 0;  // of the device
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

// A device that completes what was submitted late: most frames nothing, then several lists at once.
class LateDevice {
public:
    explicit LateDevice(Random& random) : random_(random) {}
    [[nodiscard]] std::uint64_t completed(std::uint64_t submitted) {
        if (random_.below(3) == 0) completed_ += random_.below(submitted - completed_ + 1);
        return completed_;
    }

private:
    Random& random_;
    std::uint64_t completed_ = 0;
};

// Ranges that were handed out, with what they wait for.
class Ledger {
public:
    void take(std::uint64_t heap, std::uint32_t first, std::uint32_t count) {
        REQUIRE(owners_[heap].take(first, count));
    }
    void release(std::uint64_t value, std::uint64_t heap, std::uint32_t first, std::uint32_t count) {
        waiting_.push_back({.value = value, .heap = heap, .first = first, .count = count});
    }
    std::uint64_t collect(std::uint64_t completed) {
        std::uint64_t released = 0;
        std::erase_if(waiting_, [&](const Waiting& one) {
            if (one.value > completed) return false;
            owners_[one.heap].give_back(one.first, one.count);
            released += one.count;
            return true;
        });
        return released;
    }

private:
    std::map<std::uint64_t, Owners> owners_;
    std::vector<Waiting> waiting_;
};

void take_and_free_views(std::uint64_t operations, std::uint64_t seed) {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    frame::FrameClock clock;
    frame::CPUDescriptorHeap heap(*device->descriptors(), clock, DescriptorHeapKind::kCbvSrvUav, 128);
    Random random(seed);
    LateDevice late(random);
    Ledger ledger;
    std::vector<frame::DescriptorHeapAllocation> live;
    std::uint64_t stale = 0;
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
        INFO(test::replay_hint(seed, operation));
        if (live.size() < 40 || (live.size() < 400 && random.below(2) == 0)) {
            auto made = heap.allocate(1 + static_cast<std::uint32_t>(random.below(random.below(50) == 0 ? 300 : 9)));
            REQUIRE(made);
            ledger.take(made->heap().value, made->first_index(), made->count());
            live.push_back(std::move(*made));
        } else {
            frame::DescriptorHeapAllocation& gone = live[static_cast<std::size_t>(random.below(live.size()))];
            ledger.release(clock.next() + 1, gone.heap().value, gone.first_index(), gone.count());
            stale += gone.count();
            gone = std::move(live.back());
            live.pop_back();
        }
        if (operation % 37 != 0) continue;
        clock.advance();
        const std::uint64_t completed = late.completed(clock.next());
        const std::uint64_t released = heap.release_completed(TimelineValue{completed});
        REQUIRE(released == ledger.collect(completed));
        stale -= released;
        REQUIRE(heap.figures().stale == stale);
        REQUIRE(heap.validate_invariants());
        if (random.below(20) == 0) heap.trim();
    }
    live.clear();
    heap.release_completed(TimelineValue{~0ull});
    CHECK(heap.figures().live == 0);
    CHECK(heap.figures().stale == 0);
    heap.trim();
    CHECK(heap.figures().capacity == 0);
    CHECK(device->counters().descriptor_heaps == 0);
}

struct Context {
    explicit Context(frame::GPUDescriptorHeap& heap, std::uint32_t number) : rows(heap, number) {}
    frame::DynamicSuballocationsManager rows;
    std::vector<frame::DynamicDescriptors> made;
};

void take_and_free_tables(std::uint64_t operations, std::uint64_t seed) {
    constexpr std::uint32_t kStatic = 240;
    constexpr std::uint32_t kDynamic = 400;
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    frame::FrameClock clock;
    const auto heap = *frame::GPUDescriptorHeap::create(
        *device->descriptors(), clock,
        {.capacity = kStatic + kDynamic, .dynamic_capacity = kDynamic, .dynamic_chunk = 24});
    Random random(seed);
    LateDevice late(random);
    Ledger ledger;
    std::vector<frame::DescriptorHeapAllocation> live;
    std::vector<std::unique_ptr<Context>> contexts;
    for (std::uint32_t i = 0; i < 5; ++i) contexts.push_back(std::make_unique<Context>(*heap, i));
    std::uint64_t refused = 0;
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
        INFO(test::replay_hint(seed, operation));
        switch (random.below(4)) {
            case 0: {
                auto table = heap->allocate(1 + static_cast<std::uint32_t>(random.below(12)));
                if (!table) {
                    ++refused;
                    break;
                }
                REQUIRE(table->first_index() + table->count() <= kStatic);
                ledger.take(1, table->first_index(), table->count());
                live.push_back(std::move(*table));
                break;
            }
            case 1: {
                if (live.empty()) break;
                frame::DescriptorHeapAllocation& gone = live[static_cast<std::size_t>(random.below(live.size()))];
                ledger.release(clock.next() + 1, 1, gone.first_index(), gone.count());
                gone = std::move(live.back());
                live.pop_back();
                break;
            }
            default: {
                Context& context = *contexts[static_cast<std::size_t>(random.below(contexts.size()))];
                const auto row =
                    context.rows.allocate(1 + static_cast<std::uint32_t>(random.below(random.below(30) == 0 ? 60 : 6)));
                if (!row) {
                    ++refused;
                    break;
                }
                REQUIRE(row->first >= kStatic);
                REQUIRE(row->first + row->count <= kStatic + kDynamic);
                ledger.take(1, row->first, row->count);
                context.made.push_back(*row);
            }
        }
        if (operation % 11 != 0) continue;
        // One context's list is submitted: all its rows are stale, and the device may be done with them at once.
        Context& submitted = *contexts[static_cast<std::size_t>(random.below(contexts.size()))];
        clock.advance();
        for (const frame::DynamicDescriptors& row : submitted.made)
            ledger.release(clock.next(), 1, row.first, row.count);
        submitted.made.clear();
        submitted.rows.discard(TimelineValue{clock.next()});
        const std::uint64_t completed = late.completed(clock.next());
        heap->release_completed(TimelineValue{completed});
        ledger.collect(completed);
        REQUIRE(heap->validate_invariants());
    }
    CHECK(refused > 0);  // both parts were full at times
    live.clear();
    contexts.clear();
    heap->release_completed(TimelineValue{~0ull});
    CHECK(heap->static_figures().live + heap->static_figures().stale == 0);
    CHECK(heap->dynamic_figures().live + heap->dynamic_figures().stale == 0);
    CHECK(heap->static_figures().peak <= kStatic);
    CHECK(heap->dynamic_figures().peak <= kDynamic);
    auto whole = heap->allocate(kStatic);
    REQUIRE(whole);
    CHECK(whole->first_index() == 0);
}

}  // namespace

TEST_CASE("views never share a descriptor with one that is live or that the device may still read") {
    const std::uint64_t seed = test::property_seed();
    for (std::uint64_t i = 0; i < 4; ++i) take_and_free_views(test::property_operations() / 8, seed + i);
}

TEST_CASE("tables and dynamic rows never share a descriptor, and keep to their parts") {
    const std::uint64_t seed = test::property_seed();
    for (std::uint64_t i = 0; i < 4; ++i) take_and_free_tables(test::property_operations() / 8, seed + i);
}
