// An application's operations on a memory pool on a device, written down as policy::simulate_pool() writes them: what
// the simulation says is what this gives. The device is any that the seams name.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "../pool/memory_in_front.hpp"
#include "../pool/resources_in_front.hpp"
#include "policy/simulated_pool.hpp"
#include "pool/memory_pool.hpp"

namespace heapwright::test {

// Writes down what is taken from a device and given back to it, chunks and resources with memory of their own.
class WatchedDevice final : public MemoryInFront, private ResourcesInFront {
public:
    explicit WatchedDevice(device::Device& inner)
        : MemoryInFront(inner),
          ResourcesInFront(inner.resources()),
          used_bytes_(inner.facts().heaps.size(), 0),
          peak_bytes_(used_bytes_) {}

    device::ResourceBinder& resources() override { return *this; }
    [[nodiscard]] const std::vector<policy::DeviceMemoryCall>& calls() const { return calls_; }
    [[nodiscard]] const std::vector<std::uint64_t>& peak_bytes() const { return peak_bytes_; }

private:
    using Alive = std::map<std::uint64_t, policy::DeviceMemoryCall>;

    void note_taken(Alive& alive, std::uint64_t id, const policy::DeviceMemoryCall& call) {
        calls_.push_back(call);
        alive.emplace(id, call);
        const std::uint32_t heap = facts().memory_types[call.memory_type].heap_index;
        used_bytes_[heap] += call.size_bytes;
        peak_bytes_[heap] = std::max(peak_bytes_[heap], used_bytes_[heap]);
    }
    void note_given_back(Alive& alive, std::uint64_t id) {
        const auto entry = alive.find(id);
        if (entry == alive.end()) return;
        calls_.push_back(entry->second);
        calls_.back().takes = false;
        used_bytes_[facts().memory_types[entry->second.memory_type].heap_index] -= entry->second.size_bytes;
        alive.erase(entry);
    }

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        auto allocation = MemoryInFront::allocate(request);
        if (allocation)
            note_taken(chunks_, allocation->value,
                       {.memory_type = request.memory_type.value, .size_bytes = request.size_bytes});
        return allocation;
    }
    void free(device::AllocationId memory) override {
        note_given_back(chunks_, memory.value);
        MemoryInFront::free(memory);
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex memory_type,
                                                float priority) override {
        auto id = ResourcesInFront::create_dedicated(resource, memory_type, priority);
        if (id)
            note_taken(alone_, id->value,
                       {.memory_type = memory_type.value,
                        .size_bytes = requirements(resource).value().size_bytes,
                        .dedicated_image = model::resource_class(resource, false) != model::ResourceClass::kLinear});
        return id;
    }
    void destroy(device::ResourceId resource) override {
        note_given_back(alone_, resource.value);
        ResourcesInFront::destroy(resource);
    }

    Alive chunks_;
    Alive alone_;
    std::vector<std::uint64_t> used_bytes_;
    std::vector<std::uint64_t> peak_bytes_;
    std::vector<policy::DeviceMemoryCall> calls_;
};

inline policy::SimulatedPlace place_of(const pool::Resource& resource) {
    policy::SimulatedPlace place{.alone = resource.is_dedicated(), .memory_type = resource.memory_type().value};
    place.size_bytes = resource.requirements().size_bytes;
    if (resource.is_dedicated()) return place;
    place.bucket = resource.placement()->bucket;
    place.chunk = resource.placement()->chunk;
    place.offset_bytes = resource.placement()->offset_bytes;
    place.size_bytes = resource.placement()->size_bytes;
    return place;
}

// Nothing waits for the device: no work is submitted.
inline policy::SimulatedPool play_on(device::Device& device, const model::DevicePolicy& policy,
                                     std::span<const workload::Operation> operations,
                                     const policy::SimulatedPoolOptions& options) {
    WatchedDevice watched(device);
    policy::SimulatedPool outcome;
    auto pool = pool::MemoryPool::create(watched, policy, {.memory_limit_bytes = options.memory_limit_bytes});
    REQUIRE(pool);
    std::map<std::uint64_t, pool::Resource> live;
    std::uint64_t frame = 1;
    (*pool)->begin_recording(TimelineValue{frame});
    for (const workload::Operation& operation : operations) {
        if (const auto* create = std::get_if<workload::Create>(&operation)) {
            auto made = (*pool)->create(create->resource, create->memory_use, create->own_memory);
            if (!made && made.error().code == ErrorCode::kRefused)
                made = (*pool)->allocate_dedicated(create->resource, create->memory_use);
            if (!made) {
                outcome.places.push_back({.error = made.error().code});
                continue;
            }
            outcome.places.push_back(place_of(*made));
            live.insert_or_assign(create->id, std::move(*made));
        } else if (const auto* destroy = std::get_if<workload::Destroy>(&operation)) {
            live.erase(destroy->id);
        } else {
            const std::uint64_t in_flight = options.frames_in_flight;
            const TimelineValue completed{frame > in_flight ? frame - in_flight : 0};
            (*pool)->begin_recording(TimelineValue{++frame});
            REQUIRE((*pool)->release_completed(completed));
        }
    }
    REQUIRE((*pool)->validate_invariants());
    outcome.calls = watched.calls();
    outcome.peak_bytes = watched.peak_bytes();
    return outcome;
}

inline void check_agreement(const policy::SimulatedPool& simulated, const policy::SimulatedPool& played) {
    REQUIRE(simulated.places.size() == played.places.size());
    for (std::size_t i = 0; i < played.places.size(); ++i) {
        if (simulated.places[i] == played.places[i]) continue;
        const policy::SimulatedPlace& one = simulated.places[i];
        const policy::SimulatedPlace& other = played.places[i];
        FAIL("creation " << i << ": simulated bucket " << one.bucket << " type " << one.memory_type << " chunk "
                         << one.chunk << " offset " << one.offset_bytes << " size " << one.size_bytes << " alone "
                         << one.alone << " error " << one.error.has_value() << ", played bucket " << other.bucket
                         << " type " << other.memory_type << " chunk " << other.chunk << " offset "
                         << other.offset_bytes << " size " << other.size_bytes << " alone " << other.alone << " error "
                         << other.error.has_value());
    }
    CHECK(simulated.calls == played.calls);
    CHECK(simulated.peak_bytes == played.peak_bytes);
}

}  // namespace heapwright::test
