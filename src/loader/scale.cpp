#include "heapwright/loader/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::loader {
namespace {

constexpr std::uint64_t kFewestChunks = 8;  // as policy/source_rule.cpp
constexpr std::uint64_t kAheadParts = 16;   // as policy/chunks_ahead.cpp

// value * numerator / denominator, rounded down; the product has up to 128 bits.
std::uint64_t share_of(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) {
    if (denominator == 0) return 0;
    __extension__ using Wide = unsigned __int128;
    const Wide share = static_cast<Wide>(value) * numerator / denominator;
    return share > ~0ull ? ~0ull : static_cast<std::uint64_t>(share);
}

struct HeapChange {
    std::uint64_t usable_before = 0;
    std::uint64_t usable_now = 0;
};

std::vector<HeapChange> scale_heaps(model::DevicePolicy& policy, const RunningDevice& device,
                                    std::vector<std::string>& changes) {
    std::vector<HeapChange> heaps;
    for (std::size_t i = 0; i < policy.heaps.size(); ++i) {
        model::HeapPolicy& heap = policy.heaps[i];
        const std::uint64_t before = heap.usable_bytes.value;
        const std::uint64_t base = heap.base_bytes;
        const bool same_size = device.heaps[i].size_bytes == heap.size_bytes;
        // Without a budget to go by, the policy's own stands for a heap of the same size.
        const std::uint64_t base_now = same_size && !device.budget_bytes[i] ? base : base_bytes(device, i);
        const std::uint64_t now = base_now == base ? before : share_of(before, base_now, base);
        heaps.push_back({.usable_before = before, .usable_now = now});
        if (now != before || !same_size) {
            changes.push_back(fmt::format("heap {}: {} usable of {} bytes, as {} of {} in the policy", i, now, base_now,
                                          before, base));
        }
        heap.size_bytes = device.heaps[i].size_bytes;
        heap.base_bytes = base_now;
        heap.usable_bytes.value = now;
    }
    return heaps;
}

std::uint64_t unit_of(const model::BucketPolicy& bucket) {
    return std::max<std::uint64_t>(1, std::max(bucket.granule_bytes.value, bucket.alignment_bytes));
}

void set_chunk(model::BucketPolicy& bucket, std::uint64_t bytes, std::uint64_t largest_ordinary_bytes) {
    bucket.chunk_size_bytes.value = bytes;
    if (bucket.growth) {
        auto& first = bucket.growth->first_chunk_bytes.value;
        first = std::min(first, bytes);
    }
    const bool holds_all = largest_ordinary_bytes <= bytes;
    if (bucket.dedicated_threshold_bytes) {
        auto& threshold = bucket.dedicated_threshold_bytes->value;
        threshold = std::min(threshold, bytes);
    } else if (!holds_all) {
        bucket.dedicated_threshold_bytes = model::because(
            bytes, {.reason = "a chunk, which became smaller with its heap than the largest ordinary resource",
                    .inputs = {},
                    .alternatives = {}});
    }
}

void scale_chunks(model::DevicePolicy& policy, const RunningDevice& device, const std::vector<HeapChange>& heaps,
                  std::vector<std::string>& changes) {
    for (model::BucketPolicy& bucket : policy.buckets) {
        if (bucket.memory_type >= device.memory_types.size()) continue;
        const HeapChange& heap = heaps[device.memory_types[bucket.memory_type].heap_index];
        if (heap.usable_now >= heap.usable_before) continue;
        const std::uint64_t before = bucket.chunk_size_bytes.value;
        const std::uint64_t unit = unit_of(bucket);
        const std::uint64_t most =
            std::max(heap.usable_now / kFewestChunks, share_of(before, heap.usable_now, heap.usable_before));
        const std::uint64_t now = std::min(before, std::max(unit, most / unit * unit));
        if (now == before) continue;
        set_chunk(bucket, now, policy.largest_ordinary_bytes.value);
        changes.push_back(fmt::format("bucket {}: chunks of {} bytes instead of {}, because its heap is smaller",
                                      bucket.id, now, before));
    }
}

// What is kept ready comes after one chunk for each bucket.
void hold_chunks_ahead(const std::vector<model::BucketPolicy*>& buckets, std::uint64_t usable, std::uint64_t one_each,
                       std::vector<std::string>& changes) {
    std::uint64_t room = std::min(usable / kAheadParts, usable - std::min(usable, one_each));
    for (model::BucketPolicy* bucket : buckets) {
        if (!bucket->chunks_ahead) continue;
        std::uint64_t& ahead = bucket->chunks_ahead->value;
        const std::uint64_t chunk = std::max<std::uint64_t>(1, bucket->chunk_size_bytes.value);
        if (const std::uint64_t fitting = room / chunk; fitting < ahead) {
            changes.push_back(fmt::format("bucket {}: {} kept ready instead of {}, because its heap is smaller",
                                          bucket->id, counted(fitting, "chunk"), ahead));
            ahead = fitting;
        }
        room -= ahead * chunk;
    }
}

// One chunk for each bucket of a heap fits its usable bytes; the largest chunks give way first.
void make_feasible(model::DevicePolicy& policy, const RunningDevice& device, std::vector<std::string>& changes) {
    policy.feasibility.clear();
    for (std::uint32_t heap = 0; heap < device.heaps.size(); ++heap) {
        std::vector<model::BucketPolicy*> buckets;
        for (model::BucketPolicy& bucket : policy.buckets) {
            const bool here = bucket.memory_type < device.memory_types.size() &&
                              device.memory_types[bucket.memory_type].heap_index == heap;
            if (here) buckets.push_back(&bucket);
        }
        if (buckets.empty()) continue;
        const auto sum = [&buckets] {
            return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0},
                                   [](std::uint64_t total, const model::BucketPolicy* bucket) {
                                       return checked_add(total, bucket->chunk_size_bytes.value).value_or(~0ull);
                                   });
        };
        const std::uint64_t usable = policy.heaps[heap].usable_bytes.value;
        while (sum() > usable) {
            auto* largest = *std::max_element(buckets.begin(), buckets.end(), [](const auto* a, const auto* b) {
                return a->chunk_size_bytes.value < b->chunk_size_bytes.value;
            });
            const std::uint64_t unit = unit_of(*largest);
            const std::uint64_t half = largest->chunk_size_bytes.value / 2 / unit * unit;
            if (half == 0) break;
            changes.push_back(fmt::format("bucket {}: chunks of {} bytes, so that one for each bucket fits heap {}",
                                          largest->id, half, heap));
            set_chunk(*largest, half, policy.largest_ordinary_bytes.value);
        }
        const std::uint64_t one_each = sum();
        hold_chunks_ahead(buckets, usable, one_each, changes);
        if (one_each > usable) {
            policy.warnings.push_back(fmt::format(
                "heap {}: one chunk for each bucket takes {} bytes, {} are usable: a bucket may find no room", heap,
                one_each, usable));
        }
        policy.feasibility.push_back({.heap = heap,
                                      .buckets = static_cast<std::uint32_t>(buckets.size()),
                                      .one_chunk_each_bytes = one_each,
                                      .usable_bytes = usable,
                                      .fits = one_each <= usable});
    }
}

}  // namespace

std::vector<std::string> scale(model::DevicePolicy& policy, const RunningDevice& device) {
    std::vector<std::string> changes;
    const std::vector<HeapChange> heaps = scale_heaps(policy, device, changes);
    if (changes.empty()) return changes;
    scale_chunks(policy, device, heaps, changes);
    make_feasible(policy, device, changes);
    return changes;
}

}  // namespace heapwright::loader
