// A backend that creates a resource before it has memory is asked to create it once, and to cancel it where no memory
// is found.
#include <cstdint>
#include <map>

#include "memory_in_front.hpp"
#include "pool_scene.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

// Numbers for resources; what each call of the pool was counted as.
class TwoSteps final : public MemoryInFront, private device::ResourceBinder {
public:
    explicit TwoSteps(device::Device& inner) : MemoryInFront(inner), requirements_(inner.resources()) {}

    device::ResourceBinder& resources() override { return *this; }

    std::uint64_t creations = 0;
    std::uint64_t other_calls = 0;
    bool binding_fails = false;
    std::map<std::uint64_t, bool> live;  // whether it has memory, by id

private:
    Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override {
        ++other_calls;
        return requirements_.requirements(resource);
    }
    Result<device::ResourceId> create_placed(const model::ResourceDescription&, device::AllocationId,
                                             std::uint64_t) override {
        return fail(ErrorCode::kNotSupported, "the second creation of one resource");
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription&, MemoryTypeIndex, float) override {
        return fail(ErrorCode::kNotSupported, "the second creation of one resource");
    }
    Result<Begun> begin(const model::ResourceDescription& resource) override {
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements wanted, requirements_.requirements(resource));
        live[++creations] = false;
        return Begun{.id = {creations}, .requirements = wanted};
    }
    Result<device::ResourceId> bind(const Begun& begun) {
        if (binding_fails) return fail(ErrorCode::kOutOfDeviceMemory, "as the test says");
        REQUIRE(live.contains(begun.id.value));
        live[begun.id.value] = true;
        return begun.id;
    }
    Result<device::ResourceId> bind_placed(const Begun& begun, const model::ResourceDescription&, device::AllocationId,
                                           std::uint64_t) override {
        return bind(begun);
    }
    Result<device::ResourceId> bind_dedicated(const Begun& begun, const model::ResourceDescription&, MemoryTypeIndex,
                                              float) override {
        return bind(begun);
    }
    void cancel(const Begun& begun) override {
        REQUIRE_FALSE(live.at(begun.id.value));
        live.erase(begun.id.value);
    }
    void destroy(device::ResourceId resource) override { live.erase(resource.value); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId) override {
        return fail(ErrorCode::kNotSupported, "numbers");
    }

    device::ResourceBinder& requirements_;
};

struct TwoStepScene {
    explicit TwoStepScene(const model::DevicePolicy& policy = pool_policy()) {
        auto opened = replay::open_replay(small_report(), {.interpolate = true});
        REQUIRE(opened);
        replay = std::move(*opened);
        device = std::make_unique<TwoSteps>(*replay);
        pool = pool::MemoryPool::create(*device, policy, {}).value();
    }

    std::unique_ptr<replay::ReplayDevice> replay;
    std::unique_ptr<TwoSteps> device;
    std::unique_ptr<pool::MemoryPool> pool;
};

}  // namespace

TEST_CASE("a resource is created once, with no other call, in a chunk and alone") {
    model::DevicePolicy policy = pool_policy();
    policy.buckets[kBuffers].dedicated_threshold_bytes = chosen<std::uint64_t>(65536);
    TwoStepScene scene(policy);
    auto placed = scene.pool->create(buffer_of(4096), model::MemoryUse::kDeviceOnly);
    REQUIRE(placed);
    CHECK_FALSE(placed->is_dedicated());
    auto alone = scene.pool->create(buffer_of(kMib), model::MemoryUse::kDeviceOnly);
    REQUIRE(alone);
    CHECK(alone->is_dedicated());
    CHECK(scene.device->creations == 2);
    CHECK(scene.device->other_calls == 0);
    CHECK(scene.device->live == std::map<std::uint64_t, bool>{{1, true}, {2, true}});
    placed->reset();
    alone->reset();
    REQUIRE(scene.pool->release_completed({}));
    CHECK(scene.device->live.empty());
    check_sound(*scene.pool);
}

TEST_CASE("a resource that finds no memory is cancelled, and nothing is kept") {
    model::DevicePolicy policy = pool_policy();
    for (model::HeapPolicy& heap : policy.heaps) heap.usable_bytes = chosen<std::uint64_t>(512 * kKib);
    TwoStepScene scene(policy);
    CHECK_FALSE(scene.pool->create(buffer_of(kMib), model::MemoryUse::kDeviceOnly));
    CHECK(scene.device->live.empty());
    scene.device->binding_fails = true;
    CHECK_FALSE(scene.pool->create(buffer_of(4096), model::MemoryUse::kDeviceOnly));
    CHECK(scene.device->live.empty());
    CHECK(scene.pool->figures().buckets[kBuffers].suballocations.suballocation_count == 0);
    check_sound(*scene.pool);
}
