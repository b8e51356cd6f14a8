// A whole policy run over numbers: the memory pool's own placer (pool/memory_placer.hpp) takes an application's
// operations on heaps that the report describes, and says where everything went. What a pool on the device would do,
// but for what others take of the device's memory meanwhile; nothing is prepared in the background, and what is not
// given by the operations happens at once.
//   a resource is created through the ordinary interface; one that is refused as humongous is asked for by name
//   a destroyed one is given back when the frame in which it was destroyed is through, `frames_in_flight` frames later
// Sizes in bytes. Pure; same input, same outcome. Errors: those of contract::BucketIndex::create, and
// kInvariantBroken when the placer's books do not agree.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/policy/counted_heaps.hpp"
#include "heapwright/workload/operation.hpp"

namespace heapwright::policy {

// Where a resource went. All zero but the error where it went nowhere.
struct SimulatedPlace {
    std::optional<ErrorCode> error;
    bool alone = false;  // memory of its own: no bucket, chunk or offset
    std::uint32_t memory_type = 0;
    std::uint32_t bucket = 0;
    std::uint32_t chunk = 0;  // the bucket's slot
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const SimulatedPlace&, const SimulatedPlace&) = default;
};

struct SimulatedPool {
    std::vector<SimulatedPlace> places;  // of each creation, in order
    std::vector<DeviceMemoryCall> calls;
    std::vector<std::uint64_t> peak_bytes;  // by heap
};

struct SimulatedPoolOptions {
    std::uint64_t memory_limit_bytes = ~0ull;
    std::uint64_t frames_in_flight = 2;
};

// `requirements_of`: what the driver asks for a resource; an error of it is the creation's.
[[nodiscard]] Result<SimulatedPool> simulate_pool(
    const model::DeviceReport& facts, const model::DevicePolicy& policy,
    std::span<const workload::Operation> operations,
    const std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>& requirements_of,
    const SimulatedPoolOptions& options = {});

}  // namespace heapwright::policy
