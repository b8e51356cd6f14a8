// A placer over a replayed device's memory, so that a test may ask for any requirements.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "pool_scene.hpp"

namespace heapwright::test {

struct PlacerScene {
    explicit PlacerScene(const model::DevicePolicy& policy, const model::DeviceReport& report = small_report(),
                         const pool::PoolOptions& options = {}) {
        auto opened = replay::open_replay(report, {.interpolate = true});
        REQUIRE(opened);
        device = std::move(*opened);
        auto index = contract::BucketIndex::create(device->facts(), policy);
        if (!index) FAIL(to_string(index.error()));
        placer = std::make_unique<pool::MemoryPlacer>(
            pool::MemoryPlacer::Source{.facts = device->facts(), .memory = device->memory()}, policy, std::move(*index),
            options);
    }
    ~PlacerScene() { (void)collect(); }

    // What its release will be. Memory of one's own is a device allocation, whose id stands in for the resource.
    Result<pool::Release> place(const pool::MemoryPlacer::Request& request) {
        pool::Release made;
        const auto take = [&](MemoryTypeIndex memory_type) -> Status {
            HEAPWRIGHT_ASSIGN(
                const device::AllocationId memory,
                device->memory().allocate({.memory_type = memory_type, .size_bytes = request.requirements.size_bytes}));
            made.resource = device::ResourceId{memory.value};
            return {};
        };
        HEAPWRIGHT_ASSIGN(const pool::MemoryPlacer::Placed placed, placer->place(request, take));
        if (const auto* placement = std::get_if<pool::Placement>(&placed)) made.placement = *placement;
        if (const auto* alone = std::get_if<pool::DedicatedAllocation>(&placed)) made.dedicated = *alone;
        return made;
    }
    Status collect() {
        return placer->release_completed(TimelineValue{~0ull}, [this](device::ResourceId alone) {
            device->memory().free(device::AllocationId{alone.value});
        });
    }
    void free(const pool::Release& made) {
        placer->release(made);
        REQUIRE(collect());
    }

    std::unique_ptr<replay::ReplayDevice> device;
    std::unique_ptr<pool::MemoryPlacer> placer;
};

[[nodiscard]] inline std::uint32_t type_of(const pool::Release& made) {
    return made.placement ? made.placement->memory_type.value : made.dedicated.memory_type.value;
}

inline void check_sound(const pool::MemoryPlacer& placer) {
    const Status sound = placer.validate_invariants();
    if (!sound) FAIL(to_string(sound.error()));
}

}  // namespace heapwright::test
