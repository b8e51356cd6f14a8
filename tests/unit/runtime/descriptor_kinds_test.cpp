// A descriptor heap's manager over every kind of suballocator, and what it says of its occupancy.
#include <map>
#include <optional>
#include <vector>

#include "heapwright/core/random.hpp"
#include "heapwright/runtime/descriptor_heap_allocation_manager.hpp"
#include "render_scene.hpp"

using namespace heapwright;
using device::DescriptorHeapKind;
using model::SuballocatorKind;
using runtime::DescriptorHeapAllocationManager;
using runtime::DescriptorRange;

namespace {

constexpr std::uint32_t kCapacity = 1024;

std::unique_ptr<DescriptorHeapAllocationManager> manager_on(device::ReplayDevice& device,
                                                            const DescriptorHeapAllocationManager::Options& options) {
    auto made = DescriptorHeapAllocationManager::create(
        *device.descriptors(), {.kind = DescriptorHeapKind::kCbvSrvUav, .capacity = kCapacity, .shader_visible = false},
        options);
    REQUIRE(made);
    return std::move(*made);
}

}  // namespace

TEST_CASE("a descriptor heap takes any kind of suballocator and gives out nothing twice") {
    const auto device = *device::open_replay(test::bindable_report(), {.interpolate = true});
    for (const auto kind : {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks, SuballocatorKind::kSlots,
                            SuballocatorKind::kLinear, SuballocatorKind::kRing}) {
        const bool is_slots = kind == SuballocatorKind::kSlots;
        CAPTURE(static_cast<int>(kind));
        const auto manager = manager_on(*device, {.ranges = kind, .granule = is_slots ? 32u : 1u});
        Random random(7);
        std::map<std::uint32_t, std::uint32_t> taken;  // first -> end; what is stale is still taken
        std::vector<DescriptorRange> live;
        std::map<std::uint64_t, std::vector<DescriptorRange>> stale;
        std::uint64_t frame = 1;
        std::uint64_t served = 0;
        for (int step = 0; step < 20'000; ++step) {
            if (random.below(2) == 0) {
                const auto range = manager->allocate(static_cast<std::uint32_t>(random.between(1, 32)));
                if (range) {
                    ++served;
                    const std::uint32_t end = range->first + range->count;
                    REQUIRE(end <= kCapacity);
                    const auto next = taken.lower_bound(range->first);
                    REQUIRE((next == taken.end() || next->first >= end));
                    REQUIRE((next == taken.begin() || std::prev(next)->second <= range->first));
                    taken.emplace(range->first, end);
                    live.push_back(*range);
                }
            } else if (!live.empty()) {
                std::swap(live[random.below(live.size())], live.back());
                manager->free(live.back(), TimelineValue{frame});
                stale[frame].push_back(live.back());
                live.pop_back();
            }
            if (step % 50 == 49) {
                ++frame;
                if (random.below(8) == 0) {
                    // From time to time the scene ends, which is when a stack and a ring come back whole.
                    for (const DescriptorRange& range : live) {
                        manager->free(range, TimelineValue{frame});
                        stale[frame].push_back(range);
                    }
                    live.clear();
                }
                manager->release_stale(TimelineValue{frame - 1});
                while (!stale.empty() && stale.begin()->first < frame) {
                    for (const DescriptorRange& range : stale.begin()->second) taken.erase(range.first);
                    stale.erase(stale.begin());
                }
                REQUIRE(manager->validate_invariants());
            }
        }
        CHECK(served > 2000);
        for (const DescriptorRange& range : live) manager->free(range, TimelineValue{frame});
        manager->release_stale(TimelineValue{frame});
        CHECK(manager->is_empty());
        CHECK(manager->allocate(is_slots ? 32 : kCapacity).has_value());
    }
}

TEST_CASE("a descriptor heap tells its occupancy, chunks and ranges together") {
    //   chunks of 256: [0, 768)  cc......   ranges: [768, 1024)  rrr...
    const auto device = *device::open_replay(test::bindable_report(), {.interpolate = true});
    const auto manager = manager_on(*device, {.chunk = 256});
    REQUIRE(manager->allocate(256));
    const auto first = manager->allocate(64);
    const auto second = manager->allocate(32);
    REQUIRE((first && second));
    manager->free(*first, TimelineValue{1});
    CHECK(manager->occupancy().used == 256 + 96);  // stale ranges count as used
    manager->release_stale(TimelineValue{1});
    const suballoc::Figures figures = manager->occupancy();
    CHECK(figures.capacity == kCapacity);
    CHECK(figures.used == 256 + 32);
    CHECK(figures.free == kCapacity - 256 - 32);
    CHECK(figures.largest_free_range == 512);
    CHECK(figures.free_range_count == 3);
    CHECK(figures.suballocation_count == 2);
    CHECK(figures.free_ranges_by_size[9] == 1);  // 512
    CHECK(figures.free_ranges_by_size[7] == 1);  // 160
    CHECK(figures.free_ranges_by_size[6] == 1);  // 64
    CHECK(figures.external_fragmentation() > 0.0);
    CHECK(manager->occupancy_map(4) == std::vector<double>{1.0, 0.0, 0.0, 32.0 / 256.0});
}
