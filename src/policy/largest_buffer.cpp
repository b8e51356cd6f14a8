#include "heapwright/policy/largest_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/core/checked.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kPartUnit = 65536;
// What VkPhysicalDeviceMaintenance3Properties guarantees.
constexpr std::uint64_t kGuaranteedAllocationBytes = 1ull << 30;

}  // namespace

std::optional<model::Decided<std::uint64_t>> decide_largest_buffer(const Context& context,
                                                                   const model::DevicePolicy& policy) {
    const auto device_only =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kDeviceOnly, &model::MemoryUsePolicy::use);
    if (device_only == policy.memory_uses.end() || device_only->memory_types.value.empty()) return std::nullopt;
    const std::uint32_t type = device_only->memory_types.value.front();
    const model::HeapPolicy& heap = policy.heaps[context.device.memory_types[type].heap_index];
    const auto buffer = find_limit(context, "maxBufferSize");
    const auto allocation = find_limit(context, "maxMemoryAllocationSize");
    const bool has_guarantee = !allocation && context.device.identity.api == model::Api::kVulkan;

    model::Decided<std::uint64_t> decided;
    std::vector<model::DecisionInput>& inputs = decided.why.inputs;
    std::uint64_t most = heap.usable_bytes.value;
    std::string bounds = fmt::format("heap {}'s {} usable bytes, where device-only memory comes from first", heap.heap,
                                     heap.usable_bytes.value);
    inputs = heap.usable_bytes.why.inputs;
    const auto bound = [&](const std::string& name, std::uint64_t bytes) {
        most = std::min(most, bytes);
        bounds += fmt::format(", {} {}", name, bytes);
    };
    if (buffer) bound("maxBufferSize", buffer->value);
    if (allocation) bound("maxMemoryAllocationSize", allocation->value);
    if (has_guarantee)
        bound("what Vulkan guarantees of the missing maxMemoryAllocationSize,", kGuaranteedAllocationBytes);
    for (const auto& limit : {buffer, allocation}) {
        if (limit) inputs.push_back(limit->input);
    }
    decided.value = most > kPartUnit ? align_down(most, kPartUnit) : most;
    decided.why.reason = fmt::format(
        "what is larger is split into buffers of {} bytes, each in memory of its own: the least of {}{}", decided.value,
        bounds, decided.value < most ? ", in multiples of 65536 so that no element lies across two parts" : "");
    decided.why.alternatives.push_back(
        {.value = std::to_string(decided.value / 2),
         .reason = "twice the buffers, bindings and device allocations for the same data"});
    decided.why.alternatives.push_back(
        {.value = "one buffer whatever its size",
         .reason = fmt::format("above {} bytes the device refuses the buffer or its memory", most)});
    return decided;
}

}  // namespace heapwright::policy
