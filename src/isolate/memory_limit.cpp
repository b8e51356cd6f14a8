#include "isolate/memory_limit.hpp"

#include <algorithm>

#include "contract/feasibility.hpp"

namespace heapwright::isolate {
namespace {

std::uint64_t left_of_heap(const model::DeviceReport& device, std::size_t heap) {
    // The process that probed the device is the one that takes more.
    const auto& budgets = device.run.heap_budgets;
    const model::HeapBudget now = heap < budgets.size() ? budgets[heap] : model::HeapBudget{};
    return contract::usable_budget(device.heaps[heap].size_bytes, now.budget_bytes, now.usage_bytes);
}

std::uint64_t largest_device_local_budget(const model::DeviceReport& device) {
    std::uint64_t largest = 0;
    for (std::size_t heap = 0; heap < device.heaps.size(); ++heap) {
        if ((device.heaps[heap].flags & model::memory_heap::kDeviceLocal) == 0) continue;
        largest = std::max(largest, left_of_heap(device, heap));
    }
    return largest;
}

}  // namespace

bool device_memory_is_ram(const model::DeviceReport& device) {
    if (device.identity.type == model::DeviceType::kCpu || device.identity.type == model::DeviceType::kIntegratedGpu) {
        return true;
    }
    return std::all_of(
               device.heaps.begin(), device.heaps.end(),
               [](const model::MemoryHeap& heap) { return (heap.flags & model::memory_heap::kDeviceLocal) != 0; }) &&
           device.identity.type != model::DeviceType::kDiscreteGpu;
}

std::uint64_t memory_limit_bytes(const model::DeviceReport& device, std::optional<std::uint64_t> asked_bytes,
                                 std::optional<std::uint64_t> available_ram_bytes) {
    const std::uint64_t budget = largest_device_local_budget(device);
    if (asked_bytes) return std::min(*asked_bytes, budget);
    if (!device_memory_is_ram(device)) return budget;
    // Without a reading of the free RAM half a GiB is safe on every machine that runs a software driver.
    constexpr std::uint64_t kUnknownRamBytes = 512ull << 20;
    return std::min(budget, available_ram_bytes ? *available_ram_bytes / 4 : kUnknownRamBytes);
}

}  // namespace heapwright::isolate
