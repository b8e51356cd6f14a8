#include "policy/largest_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/memory_types.hpp"
#include "workload/draw.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// What VkPhysicalDeviceMaintenance3Properties guarantees.
constexpr std::uint64_t kGuaranteedAllocationBytes = 1ull << 30;

bool is_storage(const model::BufferHint& hint) {
    return hint.count != 0 && (hint.usage & model::buffer_usage::kStorage) != 0;
}

enum class BufferKind { kAny, kStorage };

// Beside the heap that device-only memory comes from first.
std::vector<BufferLimit> list_limits(const Context& context, BufferKind kind) {
    std::vector<BufferLimit> limits;
    const auto add = [&](model::FactName name) {
        if (const auto limit = find_limit(context, name, {}, model::Unit::kBytes))
            limits.push_back({.name = std::string(name.text()), .bytes = limit->value, .input = limit->input});
    };
    if (auto limit = find_buffer_limit(context)) limits.push_back(std::move(*limit));
    add("maxMemoryAllocationSize");
    if (kind == BufferKind::kStorage) add("maxStorageBufferRange");
    return limits;
}

const model::HeapPolicy* first_device_heap(const Context& context, const model::DevicePolicy& policy) {
    const auto device_only =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kDeviceOnly, &model::MemoryUsePolicy::use);
    if (device_only == policy.memory_uses.end() || device_only->memory_types.value.empty()) return nullptr;
    return &policy.heaps[context.device.memory_types[device_only->memory_types.value.front()].heap_index];
}

bool lacks_allocation_limit(const Context& context) {
    return !find_limit(context, "maxMemoryAllocationSize") && context.device.identity.api == model::Api::kVulkan;
}

// The least of what bounds a buffer.
BufferLimit least_limit(const Context& context, const model::HeapPolicy& heap, BufferKind kind) {
    BufferLimit least{.name = fmt::format("heap {}", heap.heap), .bytes = heap.usable_bytes.value, .input = {}};
    const auto bound = [&](BufferLimit limit) {
        if (limit.bytes < least.bytes) least = std::move(limit);
    };
    for (const BufferLimit& limit : list_limits(context, kind)) bound(limit);
    if (lacks_allocation_limit(context))
        bound({.name = "maxMemoryAllocationSize", .bytes = kGuaranteedAllocationBytes, .input = {}});
    return least;
}

model::Decided<std::uint64_t> decide_largest(const Context& context, const model::HeapPolicy& heap, BufferKind kind) {
    model::Decided<std::uint64_t> decided;
    std::vector<model::DecisionInput>& inputs = decided.why.inputs;
    const std::uint64_t most = least_limit(context, heap, kind).bytes;
    model::Statement& reason = decided.why.reason;
    reason = kind == BufferKind::kStorage ? claim<ClaimId::kLargestStorageBuffer>() : claim<ClaimId::kLargestBuffer>();
    reason += claim<ClaimId::kBoundByFirstHeap>(model::count(heap.heap), model::bytes(heap.usable_bytes.value));
    inputs = heap.usable_bytes.why.inputs;
    for (const BufferLimit& limit : list_limits(context, kind)) {
        reason += claim<ClaimId::kBoundByLimit>(limit.name, model::bytes(limit.bytes));
        inputs.push_back(limit.input);
    }
    if (lacks_allocation_limit(context))
        reason += claim<ClaimId::kBoundGuaranteed>(model::bytes(kGuaranteedAllocationBytes));
    decided.value = most > workload::kPartUnit ? align_down(most, workload::kPartUnit) : most;
    if (decided.value < most) reason += claim<ClaimId::kBoundInMultiples>(model::bytes(workload::kPartUnit));
    decided.why.alternatives.push_back(
        {.value = model::bytes(decided.value / 2), .reason = claim<ClaimId::kHalfBufferLost>()});
    decided.why.alternatives.push_back({.value = "any", .reason = claim<ClaimId::kAnyBufferLost>(model::bytes(most))});
    return decided;
}

}  // namespace

std::optional<BufferLimit> find_buffer_limit(const Context& context) {
    if (const auto limit = find_limit(context, "maxBufferSize", {}, model::Unit::kBytes))
        return BufferLimit{.name = "maxBufferSize", .bytes = limit->value, .input = limit->input};
    const auto bits = find_limit(context, "MaxGPUVirtualAddressBitsPerResource");
    if (!bits || bits->value == 0 || bits->value >= 64) return std::nullopt;
    return BufferLimit{
        .name = "MaxGPUVirtualAddressBitsPerResource", .bytes = 1ull << bits->value, .input = bits->input};
}

std::optional<model::Decided<std::uint64_t>> decide_largest_buffer(const Context& context,
                                                                   const model::DevicePolicy& policy) {
    const model::HeapPolicy* const heap = first_device_heap(context, policy);
    if (heap == nullptr) return std::nullopt;
    return decide_largest(context, *heap, BufferKind::kAny);
}

std::optional<model::Decided<std::uint64_t>> decide_largest_storage_buffer(const Context& context,
                                                                           const model::DevicePolicy& policy) {
    const model::HeapPolicy* const heap = first_device_heap(context, policy);
    if (heap == nullptr || std::ranges::none_of(context.workload.buffers, is_storage)) return std::nullopt;
    model::Decided<std::uint64_t> decided = decide_largest(context, *heap, BufferKind::kStorage);
    if (policy.largest_buffer_bytes && decided.value >= policy.largest_buffer_bytes->value) return std::nullopt;
    return decided;
}

std::vector<model::HintSplit> list_split(const Context& context, const model::DevicePolicy& policy) {
    std::vector<model::HintSplit> split;
    const model::HeapPolicy* const heap = first_device_heap(context, policy);
    if (heap == nullptr || !policy.largest_buffer_bytes) return split;
    for (std::size_t index = 0; index < context.workload.buffers.size(); ++index) {
        const model::BufferHint& hint = context.workload.buffers[index];
        const model::Decided<std::uint64_t>& largest = *workload::largest_of(hint, policy);
        const workload::Parts parts = workload::parts_of(hint, largest.value);
        if (hint.count == 0 || parts.count == 1) continue;
        const bool by_range = &largest != &*policy.largest_buffer_bytes;
        const BufferLimit least = least_limit(context, *heap, by_range ? BufferKind::kStorage : BufferKind::kAny);
        model::HintSplit& one = split.emplace_back();
        one.hint = fmt::format("buffers/{}", index);
        one.exceeded = {.limit = least.name, .limit_bytes = least.bytes, .size_bytes = hint.largest_bytes};
        one.parts = parts.count;
        one.part_bytes.value = parts.bytes;
        one.part_bytes.why.reason = exceeds(one.exceeded);
        one.part_bytes.why.reason += claim<ClaimId::kSplitParts>(
            model::count(parts.count), by_range ? "largest_storage_buffer_bytes" : "largest_buffer_bytes",
            model::bytes(largest.value));
        one.part_bytes.why.inputs = largest.why.inputs;
        one.part_bytes.why.inputs.push_back(
            context.cite_workload(fmt::format("/buffers/{}/largest_bytes", index), model::bytes(hint.largest_bytes)));
        one.part_bytes.why.alternatives.push_back({.value = "whole", .reason = exceeds(one.exceeded)});
        one.part_bytes.why.alternatives.back().reason += claim<ClaimId::kSplitWhole>();
    }
    return split;
}

void warn_of_storage_range(const Context& context, model::Statement& warnings) {
    const auto range = find_limit(context, "maxStorageBufferRange");
    if (!range) return;
    for (std::size_t index = 0; index < context.workload.buffers.size(); ++index) {
        const model::BufferHint& hint = context.workload.buffers[index];
        if (!is_storage(hint) || hint.largest_bytes <= range->value) continue;
        warnings += claim<ClaimId::kWarnStorageRange>(model::count(index), model::bytes(hint.largest_bytes),
                                                      model::bytes(range->value));
    }
}

}  // namespace heapwright::policy
