// What a scenario asks of an allocator: the memory pools of the runtime, a baseline, or a broken double in a test.
// Everything it does to the device passes the shadow checker, so it needs no hooks of its own.
// Called from one thread. The device outlives it; it is destroyed when the device is idle and gives everything back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"
#include "validate/occupancy_recorder.hpp"

namespace heapwright::pool {
class MemoryPool;
}

namespace heapwright::validate {

class AllocatorUnderTest {
public:
    struct Created {
        device::ResourceId resource;
        std::uint64_t token = 0;  // the allocator's own name for it
    };

    virtual ~AllocatorUnderTest() = default;

    // Error kRefused: the request belongs to create_dedicated().
    [[nodiscard]] virtual Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                                                 model::OwnMemory own_memory) = 0;
    [[nodiscard]] virtual Result<Created> create_dedicated(const model::ResourceDescription& description,
                                                           model::MemoryUse use) = 0;

    // The device uses it until `last_use`, which the submission recorded now will signal.
    virtual void release(const Created& created, TimelineValue last_use) = 0;
    // Once a frame.
    [[nodiscard]] virtual Status release_completed(TimelineValue completed) = 0;
    [[nodiscard]] virtual Status validate_invariants() const = 0;
    // The rest of a frame: what works in the background may go on for at most that long.
    virtual void rest(std::uint64_t /*at_most_ns*/) {}
    // Since it was made; empty where no chunk is prepared ahead of need.
    [[nodiscard]] virtual std::optional<model::PreparedChunks> prepared_chunks() const { return std::nullopt; }
    // What its background did on a real device, in nanoseconds since `origin_ns` of the steady clock.
    [[nodiscard]] virtual std::vector<model::EngineSpan> background_spans(std::uint64_t /*origin_ns*/) const {
        return {};
    }
    // Each pool that it keeps, by the id of its bucket; none of an allocator that keeps none.
    [[nodiscard]] virtual std::vector<OccupancyFigures> pools() const { return {}; }
    // Of the chunks of these pools, now; nothing of an allocator that keeps none.
    [[nodiscard]] virtual std::optional<model::ChunkMap> chunk_map() const { return std::nullopt; }
};

[[nodiscard]] std::vector<OccupancyFigures> occupancy_of(const pool::MemoryPool& pool);

using AllocatorFactory = std::function<Result<std::unique_ptr<AllocatorUnderTest>>(
    device::Device& device, const model::DevicePolicy& policy, std::uint64_t memory_limit_bytes)>;

// The runtime's memory pool, with a background that keeps the policy's chunks ahead, if it has any.
[[nodiscard]] Result<std::unique_ptr<AllocatorUnderTest>> make_pool_under_test(device::Device& device,
                                                                               const model::DevicePolicy& policy,
                                                                               std::uint64_t memory_limit_bytes);

}  // namespace heapwright::validate
