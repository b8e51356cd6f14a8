#include "loader/match.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>

#include "contract/scaling.hpp"
#include "core/text.hpp"
#include "model/claims.hpp"
#include "policy/context.hpp"

namespace heapwright::loader {

namespace {

constexpr std::uint32_t kNvidia = 0x10de;

using Version = std::array<std::uint32_t, 4>;

// NVIDIA packs 10, 8, 8 and 6 bits, the others the 10, 10 and 12 of VK_VERSION.
Version parts_of(std::uint32_t vendor_id, std::uint32_t version) {
    if (vendor_id == kNvidia) return {version >> 22, version >> 14 & 0xff, version >> 6 & 0xff, version & 0x3f};
    return {version >> 22, version >> 12 & 0x3ff, version & 0xfff, 0};
}

Version distance(std::uint32_t vendor_id, std::uint32_t a, std::uint32_t b) {
    const Version left = parts_of(vendor_id, a);
    const Version right = parts_of(vendor_id, b);
    Version far{};
    for (std::size_t i = 0; i < far.size(); ++i) far[i] = std::max(left[i], right[i]) - std::min(left[i], right[i]);
    return far;
}

bool same_driver(const model::DeviceIdentity& a, const model::DeviceIdentity& b) {
    if (!a.driver_id.empty() && !b.driver_id.empty()) return a.driver_id == b.driver_id;
    return a.driver_name == b.driver_name;
}

std::uint64_t device_bytes(const std::vector<model::HeapPolicy>& heaps) {
    std::uint64_t most = 0;
    for (const model::HeapPolicy& heap : heaps) most = std::max(most, heap.size_bytes);
    return most;
}

std::uint64_t device_bytes(const RunningDevice& device) {
    std::uint64_t most = 0;
    for (const model::MemoryHeap& heap : device.heaps) most = std::max(most, heap.size_bytes);
    return most;
}

// Smaller is better: level, then how far the driver's version or the memory's size is, then whether it is for another
// workload, then the older driver.
using Rank = std::tuple<MatchLevel, Version, std::uint64_t, bool, std::uint32_t>;

struct Candidate {
    Rank rank;
    std::string reason;
};

std::string versions(const model::DeviceIdentity& stored, const model::DeviceIdentity& running) {
    return fmt::format("driver {} instead of {}", driver_version_text(stored.vendor_id, stored.driver_version),
                       driver_version_text(running.vendor_id, running.driver_version));
}

// A candidate, or why it is none.
Result<Candidate> judge(const StoredPolicy& entry, const RunningDevice& device, std::string_view workload) {
    const model::DevicePolicy& policy = entry.device;
    const bool other_workload = !workload.empty() && entry.workload_name != workload;
    const model::DeviceIdentity& stored = policy.identity;
    const model::DeviceIdentity& running = device.identity;
    const auto refuse = [](std::string why) { return fail(ErrorCode::kNotSupported, std::move(why)); };
    if (stored.api != running.api) return refuse("for the other API");
    if (stored.vendor_id != running.vendor_id) {
        return refuse(fmt::format("for vendor {:#06x}, not {:#06x}", stored.vendor_id, running.vendor_id));
    }
    if (!same_driver(stored, running)) {
        return refuse(fmt::format("for the driver {}, not {}",
                                  stored.driver_id.empty() ? stored.driver_name : stored.driver_id,
                                  running.driver_id.empty() ? running.driver_name : running.driver_id));
    }
    if (const auto difference = layout_difference(policy, device)) return refuse(*difference);

    const Version far = distance(running.vendor_id, stored.driver_version, running.driver_version);
    if (stored.device_id == running.device_id && stored.driver_version == running.driver_version) {
        return Candidate{.rank = {MatchLevel::kExact, far, 0, other_workload, stored.driver_version},
                         .reason = "made for this device and this driver version"};
    }
    if (stored.device_id == running.device_id) {
        return Candidate{
            .rank = {MatchLevel::kDriver, far, 0, other_workload, stored.driver_version},
            .reason = fmt::format("made for this device with {}, the nearest version; its memory types are "
                                  "the same",
                                  versions(stored, running))};
    }
    const std::uint64_t ours = device_bytes(device);
    const std::uint64_t theirs = device_bytes(policy.heaps);
    const std::uint64_t ratio = std::max(ours, theirs) / std::max<std::uint64_t>(1, std::min(ours, theirs) / 1024);
    return Candidate{
        .rank = {MatchLevel::kFamily, Version{}, ratio, other_workload, stored.driver_version},
        .reason = fmt::format("made for {} ({:04x}:{:04x}), a device of the same vendor and driver with the "
                              "same memory types, the nearest in memory size",
                              stored.name, stored.vendor_id, stored.device_id)};
}

}  // namespace

std::string driver_version_text(std::uint32_t vendor_id, std::uint32_t version) {
    const Version parts = parts_of(vendor_id, version);
    if (vendor_id == kNvidia) return fmt::format("{}.{}.{}.{}", parts[0], parts[1], parts[2], parts[3]);
    return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

std::optional<std::string> layout_difference(const model::DevicePolicy& policy, const RunningDevice& device) {
    if (policy.heaps.size() != device.heaps.size()) {
        return fmt::format("for {}, this device has {}", counted(policy.heaps.size(), "memory heap"),
                           device.heaps.size());
    }
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        for (const std::uint32_t type : use.memory_types.value) {
            const model::MemoryType* stored = model::memory_type_of(policy, type);
            if (stored == nullptr) return fmt::format("it does not say what its memory type {} is", type);
            if (type >= device.memory_types.size()) {
                return fmt::format("it uses memory type {}, this device has {}", type, device.memory_types.size());
            }
            const model::MemoryType& running = device.memory_types[type];
            if (stored->heap_index != running.heap_index || stored->property_flags != running.property_flags) {
                return fmt::format("its memory type {} is {} on heap {}, here it is {} on heap {}", type,
                                   policy::property_flags_text(stored->property_flags), stored->heap_index,
                                   policy::property_flags_text(running.property_flags), running.heap_index);
            }
        }
    }
    return std::nullopt;
}

MatchResult find_match(std::span<const StoredPolicy> policies, const RunningDevice& device, std::string_view workload) {
    MatchResult result;
    std::optional<Rank> best_rank;
    std::vector<std::string> why_not(policies.size());
    for (std::size_t i = 0; i < policies.size(); ++i) {
        auto candidate = judge(policies[i], device, workload);
        if (!candidate) {
            why_not[i] = candidate.error().message;
            continue;
        }
        why_not[i] = "fits less well: " + candidate->reason;
        if (best_rank && *best_rank <= candidate->rank) continue;
        best_rank = candidate->rank;
        result.best = Match{.level = std::get<0>(candidate->rank), .policy = i, .reason = candidate->reason};
    }
    for (std::size_t i = 0; i < policies.size(); ++i) {
        if (result.best && result.best->policy == i) continue;
        result.passed_over.push_back(fmt::format("{}: {}", policies[i].file, why_not[i]));
    }
    return result;
}

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
