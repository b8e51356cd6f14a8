#include "contract/scaling.hpp"

#include <algorithm>

#include "contract/chunks.hpp"
#include "contract/feasibility.hpp"
#include "model/claims.hpp"

namespace heapwright::contract {
namespace {

// value * numerator / denominator, rounded down; the product has up to 128 bits.
std::uint64_t share_of(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
    if (denominator == 0) return 0;
    __extension__ using Wide = unsigned __int128;
    const Wide share = static_cast<Wide>(value) * numerator / denominator;
    return share > ~0ull ? ~0ull : static_cast<std::uint64_t>(share);
}

class Scaling {
public:
    Scaling(model::DevicePolicy& policy, const RunningMemory& memory) : policy_(policy), memory_(memory) {}

    std::vector<Scaled> run() {
        scale_heaps();
        if (changes_.empty()) return {};
        scale_chunks();
        policy_.feasibility.clear();
        for (std::uint32_t heap = 0; heap < memory_.heaps.size(); ++heap) fit_heap(heap);
        return std::move(changes_);
    }

private:
    [[nodiscard]] bool lies_in(const model::BucketPolicy& bucket, std::uint32_t heap) const {
        return bucket.memory_type < memory_.heap_of_type.size() && memory_.heap_of_type[bucket.memory_type] == heap;
    }

    void scale_heaps() {
        for (std::size_t i = 0; i < policy_.heaps.size(); ++i) {
            model::HeapPolicy& heap = policy_.heaps[i];
            const RunningHeap& running = memory_.heaps[i];
            const std::uint64_t base = heap.base_bytes;
            const bool same_size = running.size_bytes == heap.size_bytes;
            // Without a budget to go by, the policy's own stands for a heap of the same size.
            const bool keeps = same_size && !known_budget(running.budget_bytes);
            HeapScaled change{.heap = i,
                              .base_before = base,
                              .base_now = keeps ? base : usable_budget(running.size_bytes, running.budget_bytes),
                              .usable_before = heap.usable_bytes.value,
                              .usable_now = heap.usable_bytes.value};
            if (change.base_now != base) change.usable_now = share_of(change.usable_before, change.base_now, base);
            heaps_.push_back(change);
            if (change.usable_now != change.usable_before || !same_size) changes_.emplace_back(change);
            heap.size_bytes = running.size_bytes;
            heap.base_bytes = change.base_now;
            heap.usable_bytes.value = change.usable_now;
        }
    }

    void set_chunk(std::size_t index, std::uint64_t bytes, bool for_others) {
        model::BucketPolicy& bucket = policy_.buckets[index];
        changes_.emplace_back(ChunkScaled{
            .bucket = index, .before = bucket.chunk_size_bytes.value, .now = bytes, .for_others = for_others});
        bucket.chunk_size_bytes.value = bytes;
        fit_to_chunk(bucket);
        if (!bucket.dedicated_threshold_bytes && policy_.largest_ordinary_bytes.value > bytes) {
            const auto ordinary = model::bytes(policy_.largest_ordinary_bytes.value);
            bucket.dedicated_threshold_bytes = model::because<std::uint64_t>(
                bytes, {model::claim<model::ClaimId::kThresholdScaled>(ordinary), {}, {}});
        }
    }

    void scale_chunks() {
        for (std::size_t i = 0; i < policy_.buckets.size(); ++i) {
            const model::BucketPolicy& bucket = policy_.buckets[i];
            if (bucket.memory_type >= memory_.heap_of_type.size()) continue;
            const HeapScaled& heap = heaps_[memory_.heap_of_type[bucket.memory_type]];
            if (heap.usable_now >= heap.usable_before) continue;
            const std::uint64_t before = bucket.chunk_size_bytes.value;
            const std::uint64_t unit = planned_unit_bytes(bucket);
            const std::uint64_t most =
                std::max(heap.usable_now / kFewestChunks, share_of(before, heap.usable_now, heap.usable_before));
            const std::uint64_t now = std::min(before, std::max(unit, most / unit * unit));
            if (now != before) set_chunk(i, now, false);
        }
    }

    void fit_heap(std::uint32_t heap) {
        std::vector<std::size_t> members;
        std::vector<ChunkWish> wishes;
        for (std::size_t i = 0; i < policy_.buckets.size(); ++i) {
            const model::BucketPolicy& bucket = policy_.buckets[i];
            if (!lies_in(bucket, heap) || !model::is_in_use(bucket)) continue;
            const std::uint64_t chunk = bucket.chunk_size_bytes.value;
            members.push_back(i);
            wishes.push_back({.wanted_bytes = chunk,
                              .smallest_bytes = std::min(chunk, planned_unit_bytes(bucket)),
                              .unit_bytes = planned_unit_bytes(bucket)});
        }
        if (members.empty()) return;
        const OneChunkEach each = fit_one_chunk_each(policy_.heaps[heap], wishes);
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (each.chunk_bytes[i] != wishes[i].wanted_bytes) set_chunk(members[i], each.chunk_bytes[i], true);
        }
        policy_.feasibility.push_back(each.proof);
        RoomAhead room(policy_.heaps[heap], policy_.feasibility);
        for (const std::size_t index : members) {
            model::BucketPolicy& bucket = policy_.buckets[index];
            if (!bucket.chunks_ahead) continue;
            std::uint64_t& ahead = bucket.chunks_ahead->value;
            if (const std::uint64_t fitting = room.chunks(bucket); fitting < ahead) {
                changes_.emplace_back(ChunksAheadScaled{.bucket = index, .before = ahead, .now = fitting});
                ahead = fitting;
            }
            room.take(ahead, bucket);
        }
    }

    model::DevicePolicy& policy_;
    const RunningMemory& memory_;
    std::vector<HeapScaled> heaps_;
    std::vector<Scaled> changes_;
};

}  // namespace

std::vector<Scaled> scale(model::DevicePolicy& policy, const RunningMemory& memory) {
    return Scaling(policy, memory).run();
}

void fit_to_chunk(model::BucketPolicy& bucket) {
    const std::uint64_t chunk = bucket.chunk_size_bytes.value;
    auto& growth = bucket.growth;
    if (growth && growth->first_chunk_bytes.value >= chunk) growth.reset();
    auto& threshold = bucket.dedicated_threshold_bytes;
    if (threshold) threshold->value = std::min(threshold->value, chunk);
}

}  // namespace heapwright::contract
