#include "loader/scale.hpp"

#include <fmt/format.h>

#include "contract/scaling.hpp"
#include "core/count_text.hpp"
#include "model/claims.hpp"

namespace heapwright::loader {
namespace {

contract::RunningMemory memory_of(const RunningDevice& device) {
    contract::RunningMemory memory;
    for (std::size_t i = 0; i < device.heaps.size(); ++i)
        memory.heaps.push_back({.size_bytes = device.heaps[i].size_bytes, .budget_bytes = device.budget_bytes[i]});
    for (const model::MemoryType& type : device.memory_types) memory.heap_of_type.push_back(type.heap_index);
    return memory;
}

struct ScaledText {
    const model::DevicePolicy& policy;

    std::string operator()(const contract::HeapScaled& heap) const {
        return fmt::format("heap {}: {} usable of {} bytes, as {} of {} in the policy", heap.heap, heap.usable_now,
                           heap.base_now, heap.usable_before, heap.base_before);
    }
    std::string operator()(const contract::ChunkScaled& chunk) const {
        const model::BucketPolicy& bucket = policy.buckets[chunk.bucket];
        return fmt::format(
            "bucket {}: chunks of {} bytes instead of {}, {}", bucket.id, chunk.now, chunk.before,
            chunk.for_others ? "so that one for each bucket fits its heap" : "because its heap is smaller");
    }
    std::string operator()(const contract::ChunksAheadScaled& ahead) const {
        return fmt::format("bucket {}: {} kept ready instead of {}, because its heap is smaller",
                           policy.buckets[ahead.bucket].id, counted(ahead.now, "chunk"), ahead.before);
    }
};

}  // namespace

std::vector<std::string> scale(model::DevicePolicy& policy, const RunningDevice& device) {
    std::vector<std::string> changes;
    for (const contract::Scaled& change : contract::scale(policy, memory_of(device)))
        changes.push_back(std::visit(ScaledText{policy}, change));
    if (changes.empty()) return changes;
    for (const model::HeapFeasibility& proof : policy.feasibility) {
        if (proof.fits) continue;
        policy.warnings += model::claim<model::ClaimId::kHeapTooSmallForBuckets>(
            model::count(proof.heap), model::bytes(proof.one_chunk_each_bytes), model::bytes(proof.usable_bytes));
    }
    return changes;
}

}  // namespace heapwright::loader
