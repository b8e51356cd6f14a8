// A replayed device, a policy of round numbers for it, and a pool on both.
//   heap 0: 64 GiB device local, types 0 and 2 (2 is host visible too); heap 1: 1 GiB host, type 1.
//   Images: alignment 1024, 65536 once both sides are 128. Buffers: alignment 16.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "../replay/replay_report.hpp"
#include "pool/memory_pool.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"

namespace heapwright::test {

inline constexpr std::uint64_t kKib = 1024;

template <class T>
model::Decided<T> chosen(T value) {
    return {.value = std::move(value), .why = {}};
}

inline model::BucketPolicy pool_bucket(std::string id, model::ResourceClass resource_class, std::uint64_t alignment,
                                       std::uint32_t memory_type, std::uint64_t chunk_bytes) {
    return {.id = std::move(id),
            .resource_classes = {resource_class},
            .alignment_bytes = alignment,
            .memory_type = memory_type,
            .chunk_size_bytes = chosen(chunk_bytes),
            .growth = {},
            .dedicated_threshold_bytes = {},
            .suballocator = chosen(model::SuballocatorKind::kTlsf),
            .granule_bytes = chosen<std::uint64_t>(16)};
}

enum PoolBucket : std::uint32_t { kSmallImages, kLargeImages, kHostImages, kBuffers, kUploads, kBarBuffers };

inline model::DevicePolicy pool_policy() {
    using model::MemoryUse;
    using model::ResourceClass;
    model::DevicePolicy policy;
    policy.heaps = {{.heap = 0, .usable_bytes = chosen<std::uint64_t>(256 * kMib)},
                    {.heap = 1, .usable_bytes = chosen<std::uint64_t>(64 * kMib)}};
    const auto use = [](MemoryUse which, std::vector<std::uint32_t> types) {
        return model::MemoryUsePolicy{.use = which, .memory_types = chosen(std::move(types)), .excluded = {}};
    };
    policy.memory_uses = {use(MemoryUse::kDeviceOnly, {0, 2}), use(MemoryUse::kUpload, {1, 2}),
                          use(MemoryUse::kReadback, {1}), use(MemoryUse::kStreaming, {2, 1})};
    policy.largest_ordinary_bytes = chosen<std::uint64_t>(4 * kMib);
    policy.humongous_threshold_bytes = chosen<std::uint64_t>(4 * kMib);
    policy.dedicated = chosen(model::DedicatedRule::kWhenRequired);
    policy.separate_linear_and_optimal = chosen(true);
    policy.max_chunks = chosen<std::uint64_t>(60);
    policy.buckets = {pool_bucket("optimal/1024/0", ResourceClass::kOptimal, 1024, 0, 8 * kMib),
                      pool_bucket("optimal/65536/0", ResourceClass::kOptimal, 65536, 0, 8 * kMib),
                      pool_bucket("optimal/65536/2", ResourceClass::kOptimal, 65536, 2, 8 * kMib),
                      pool_bucket("linear/256/0", ResourceClass::kLinear, 256, 0, 8 * kMib),
                      pool_bucket("linear/256/1", ResourceClass::kLinear, 256, 1, 4 * kMib),
                      pool_bucket("linear/256/2", ResourceClass::kLinear, 256, 2, 4 * kMib)};
    return policy;
}

inline model::BufferDescription buffer_of(std::uint64_t size_bytes) {
    return {.size_bytes = size_bytes, .usage = kBufferUsage};
}

inline model::MemoryRequirements needs(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 16,
                                       std::uint32_t memory_type_bits = 0b111) {
    return {.size_bytes = size_bytes, .alignment_bytes = alignment_bytes, .memory_type_bits = memory_type_bits};
}

// The pool on a replay device behind fault injection; the pool goes before the device.
struct PoolScene {
    explicit PoolScene(const model::DevicePolicy& policy = pool_policy(), const replay::FaultPlan& plan = {},
                       const pool::PoolOptions& options = {}, const model::DeviceReport& report = small_report()) {
        auto opened = replay::open_replay(report, {.interpolate = true});
        REQUIRE(opened);
        replay = opened->get();
        faulty = replay::inject_faults(std::move(*opened), plan);
        auto made = pool::MemoryPool::create(*faulty, policy, options);
        if (!made) FAIL(to_string(made.error()));
        pool = std::move(*made);
    }

    [[nodiscard]] Result<pool::Placement> buffer_memory(std::uint64_t size_bytes) const {
        return pool->allocate(needs(size_bytes), model::ResourceClass::kLinear, model::MemoryUse::kDeviceOnly);
    }
    void free(const pool::Placement& placement) const {
        pool->release(placement, {});
        REQUIRE(pool->release_completed({}));
    }
    [[nodiscard]] std::uint64_t chunks(std::size_t bucket) const { return pool->figures().buckets[bucket].chunks; }

    replay::ReplayDevice* replay = nullptr;
    std::unique_ptr<replay::FaultyDevice> faulty;
    std::unique_ptr<pool::MemoryPool> pool;
};

inline void check_sound(const pool::MemoryPool& pool) {
    const Status sound = pool.validate_invariants();
    if (!sound) FAIL(to_string(sound.error()));
}

}  // namespace heapwright::test
