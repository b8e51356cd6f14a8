// A descriptor heap's manager over every kind of suballocator, and what it says of its occupancy.
#include <map>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "frame/descriptor_heap_allocation_manager.hpp"
#include "frame/dynamic_suballocations_manager.hpp"
#include "render_scene.hpp"

using namespace heapwright;
using device::DescriptorHeapKind;
using frame::DescriptorHeapAllocationManager;
using frame::DescriptorRange;
using model::SuballocatorKind;

namespace {

constexpr std::uint32_t kCapacity = 1024;
constexpr SuballocatorKind kAllKinds[] = {SuballocatorKind::kTlsf, SuballocatorKind::kFixedBlocks,
                                          SuballocatorKind::kSlots, SuballocatorKind::kLinear, SuballocatorKind::kRing};

std::unique_ptr<DescriptorHeapAllocationManager> manager_on(replay::ReplayDevice& device,
                                                            const DescriptorHeapAllocationManager::Options& options) {
    auto made = DescriptorHeapAllocationManager::create(
        *device.descriptors(), {.kind = DescriptorHeapKind::kCbvSrvUav, .capacity = kCapacity, .shader_visible = false},
        options);
    REQUIRE(made);
    return std::move(*made);
}

}  // namespace

TEST_CASE("a descriptor heap takes any kind of suballocator and gives out nothing twice") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    for (const auto kind : kAllKinds) {
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
                manager->release_completed(TimelineValue{frame - 1});
                while (!stale.empty() && stale.begin()->first < frame) {
                    for (const DescriptorRange& range : stale.begin()->second) taken.erase(range.first);
                    stale.erase(stale.begin());
                }
                REQUIRE(manager->validate_invariants());
            }
        }
        CHECK(served > 2000);
        for (const DescriptorRange& range : live) manager->free(range, TimelineValue{frame});
        manager->release_completed(TimelineValue{frame});
        CHECK(manager->is_empty());
        CHECK(manager->allocate(is_slots ? 32 : kCapacity).has_value());
    }
}

TEST_CASE("a descriptor heap tells its occupancy, chunks and ranges together") {
    //   chunks of 256: [0, 768)  cc......   ranges: [768, 1024)  rrr...
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const auto manager = manager_on(*device, {.chunk = 256});
    REQUIRE(manager->allocate(256));
    const auto first = manager->allocate(64);
    const auto second = manager->allocate(32);
    REQUIRE((first && second));
    manager->free(*first, TimelineValue{1});
    CHECK(manager->occupancy().used == 256 + 96);  // stale ranges count as used
    manager->release_completed(TimelineValue{1});
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

TEST_CASE("a CPU heap is divided by the kind that it is made with") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const frame::FrameClock clock;
    for (const auto kind : kAllKinds) {
        CAPTURE(static_cast<int>(kind));
        frame::CPUDescriptorHeap heap(*device->descriptors(), clock, DescriptorHeapKind::kRtv, 16, kind);
        std::vector<frame::DescriptorHeapAllocation> views;
        for (int i = 0; i < 40; ++i) {
            auto view = heap.allocate(1);
            REQUIRE(view);
            REQUIRE_FALSE(view->is_null());
            views.push_back(std::move(*view));
        }
        CHECK(heap.figures().managers == 3);
        CHECK(heap.validate_invariants());
        const auto row = heap.allocate(3);
        if (kind == SuballocatorKind::kSlots) {
            REQUIRE_FALSE(row);
            CHECK(row.error().code == ErrorCode::kInvalidArgument);
            CHECK(to_string(row.error()).find("/descriptors/cpu_suballocator") != std::string::npos);
        } else {
            REQUIRE(row);
            CHECK(row->count() == 3);
        }
        views.clear();
        heap.release_completed(TimelineValue{100});
        CHECK(heap.figures().live == (row ? 3u : 0u));
        CHECK(heap.validate_invariants());
    }
}

TEST_CASE("both parts of a shader-visible heap are divided by the kinds that the layout names") {
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const frame::FrameClock clock;
    const frame::VisibleHeapLayout layout{.capacity = 1024, .dynamic_capacity = 512, .dynamic_chunk = 64};
    for (const auto kind : kAllKinds) {
        CAPTURE(static_cast<int>(kind));
        frame::VisibleHeapLayout other = layout;
        other.dynamic_chunks = kind;
        auto heap = frame::GPUDescriptorHeap::create(*device->descriptors(), clock, other);
        REQUIRE(heap);
        {
            frame::DynamicSuballocationsManager context(**heap, 0);
            for (std::uint64_t frame = 1; frame <= 200; ++frame) {
                // Three chunks, and a larger range now and then.
                for (int i = 0; i < 6; ++i) REQUIRE(context.allocate(32));
                if (frame % 4 == 0) REQUIRE(context.allocate(100));
                context.discard(TimelineValue{frame});
                (*heap)->release_completed(TimelineValue{frame});
                REQUIRE((*heap)->validate_invariants());
            }
        }
        CHECK((*heap)->dynamic_figures().live == 0);
        // Slots leave a quarter to larger ranges; everything else gives the whole part.
        const auto whole = (*heap)->allocate_dynamic(512);
        CHECK(whole.has_value() == (kind != SuballocatorKind::kSlots));

        other = layout;
        other.static_ranges = kind;
        auto tables = frame::GPUDescriptorHeap::create(*device->descriptors(), clock, other);
        if (kind == SuballocatorKind::kSlots) {
            REQUIRE_FALSE(tables);
            CHECK(tables.error().code == ErrorCode::kInvalidArgument);
            CHECK(to_string(tables.error()).find("static_suballocator (CBV_SRV_UAV)") != std::string::npos);
            continue;
        }
        REQUIRE(tables);
        auto first = (*tables)->allocate(500);
        REQUIRE(first);
        CHECK_FALSE((*tables)->allocate(13));
        *first = {};
        (*tables)->release_completed(TimelineValue{100});
        CHECK((*tables)->allocate(512));
    }
    CHECK(device->counters().descriptor_heaps == 0);
}

TEST_CASE("a render device's heaps are divided as the policy says") {
    const auto named = [](SuballocatorKind kind) { return model::Decided<SuballocatorKind>{.value = kind, .why = {}}; };
    model::DevicePolicy policy = test::render_policy();
    policy.descriptors.cpu_suballocator = named(SuballocatorKind::kSlots);
    policy.descriptors.resources.static_suballocator = named(SuballocatorKind::kFixedBlocks);
    policy.descriptors.resources.dynamic_suballocator = named(SuballocatorKind::kRing);
    const test::RenderScene scene({.interpolate = true}, {}, policy);
    CHECK_FALSE(scene.render->cpu_heap(DescriptorHeapKind::kCbvSrvUav).allocate(2));
    CHECK(scene.render->resource_heap().layout().static_ranges == SuballocatorKind::kFixedBlocks);
    CHECK(scene.render->resource_heap().layout().dynamic_chunks == SuballocatorKind::kRing);
    CHECK(scene.render->sampler_heap().layout().static_ranges == SuballocatorKind::kTlsf);
    CHECK(scene.render->sampler_heap().layout().dynamic_chunks == SuballocatorKind::kSlots);

    policy.descriptors.samplers.static_suballocator = named(SuballocatorKind::kSlots);
    const auto device = *replay::open_replay(test::bindable_report(), {.interpolate = true});
    const auto refused = frame::RenderDevice::create(*device, policy, {});
    REQUIRE_FALSE(refused);
    CHECK(to_string(refused.error()).find("static_suballocator (sampler)") != std::string::npos);
}
