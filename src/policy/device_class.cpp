#include "heapwright/policy/device_class.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "heapwright/core/byte_text.hpp"

namespace heapwright::policy {
namespace {

void warn_of_one_ram(const Context& context, const model::CapacityPlan& capacity, std::vector<std::string>& warnings) {
    if (!shares_one_ram(context.device)) return;
    std::vector<std::string> planned;
    for (const model::HeapCapacity& heap : capacity.heaps) {
        if (heap.expected_bytes != 0)
            planned.push_back(fmt::format("{} in heap {}", byte_text(heap.expected_bytes), heap.heap));
    }
    if (planned.size() < 2) return;
    warnings.push_back(
        fmt::format("{} are planned, and the heaps of an integrated device are one RAM, which the rest of the system "
                    "uses, too: what one heap takes the other may lack; {}caps in the workload hold them down",
                    fmt::join(planned, " and "),
                    context.workload.reserve_share > 0 ? "the reserve share is left twice over, and " : ""));
}

bool is_read_by_host(const model::Workload& workload) {
    const auto reads = [](const auto& hint) {
        return hint.count != 0 && model::planned_use(hint) == model::MemoryUse::kReadback;
    };
    return std::ranges::any_of(workload.images, reads) || std::ranges::any_of(workload.buffers, reads);
}

void warn_of_uncached(const Context& context, const model::DevicePolicy& policy, std::vector<std::string>& warnings) {
    const auto readback =
        std::ranges::find(policy.memory_uses, model::MemoryUse::kReadback, &model::MemoryUsePolicy::use);
    if (readback == policy.memory_uses.end() || readback->memory_types.value.empty()) return;
    const std::uint32_t type = readback->memory_types.value.front();
    const bool is_cached =
        (context.device.memory_types[type].property_flags & model::memory_property::kHostCached) != 0;
    if (is_cached || !is_read_by_host(context.workload)) return;
    warnings.push_back(
        fmt::format("memory type {}, the best for what the host reads, is not host cached: each read goes to memory, "
                    "so read it once and in order",
                    type));
}

}  // namespace

bool shares_one_ram(const model::DeviceReport& device) {
    const model::DeviceType type = device.identity.type;
    if (type != model::DeviceType::kIntegratedGpu && type != model::DeviceType::kCpu) return false;
    std::set<std::uint32_t> heaps;
    for (const model::MemoryType& memory : device.memory_types) {
        const bool is_protected = (memory.property_flags & model::memory_property::kProtected) != 0;
        if (!is_protected && device.heaps[memory.heap_index].size_bytes != 0) heaps.insert(memory.heap_index);
    }
    return heaps.size() > 1;
}

void warn_of_device_class(const Context& context, const model::DevicePolicy& policy,
                          std::vector<std::string>& warnings) {
    if (policy.capacity) warn_of_one_ram(context, *policy.capacity, warnings);
    warn_of_uncached(context, policy, warnings);
}

}  // namespace heapwright::policy
