#include "probe/allocation_count.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/interrupt.hpp"

namespace heapwright::probe {
namespace {

class HeldAllocations {
public:
    explicit HeldAllocations(device::MemorySource& memory) : memory_(memory) {}
    HeldAllocations(const HeldAllocations&) = delete;
    HeldAllocations& operator=(const HeldAllocations&) = delete;
    ~HeldAllocations() {
        for (auto memory = held_.rbegin(); memory != held_.rend(); ++memory) memory_.free(*memory);
    }

    void add(device::AllocationId memory) { held_.push_back(memory); }
    [[nodiscard]] std::uint64_t count() const { return held_.size(); }

private:
    device::MemorySource& memory_;
    std::vector<device::AllocationId> held_;
};

Result<std::uint64_t> used_bytes(device::MemorySource& memory, std::uint32_t heap_index) {
    HEAPWRIGHT_ASSIGN(const std::vector<model::HeapBudget> budgets, memory.budgets());
    return heap_index < budgets.size() ? budgets[heap_index].usage_bytes : 0;
}

bool is_limit(ErrorCode code) {
    return code == ErrorCode::kTooManyObjects || code == ErrorCode::kOutOfDeviceMemory ||
           code == ErrorCode::kOutOfHostMemory || code == ErrorCode::kOverBudget;
}

}  // namespace

Result<model::AllocationCount> count_allocations(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                                                 const CountBounds& bounds) {
    // A driver may round every allocation up to its own granule, so the usage is read again now and then.
    constexpr std::uint64_t kReadUsageEvery = 64;
    device::MemorySource& source = device.memory();
    const std::uint32_t heap_index = device.facts().memory_types[memory_type.value].heap_index;
    HEAPWRIGHT_ASSIGN(const std::uint64_t used_before, used_bytes(source, heap_index));

    const std::uint64_t most = contract::most_allocations(device.facts());
    model::AllocationCount result{.bytes_each = kCountedAllocationBytes};
    HeldAllocations held(source);
    const auto stop_reason = [&]() -> Result<std::string> {
        if (held.count() >= most) return std::string("maxMemoryAllocationCount");
        if (held.count() >= bounds.allocations) return fmt::format("the bound of {} allocations", bounds.allocations);
        if ((held.count() + 1) * kCountedAllocationBytes > bounds.bytes) {
            return fmt::format("the bound of {} bytes", bounds.bytes);
        }
        if (held.count() % kReadUsageEvery == 0) {
            HEAPWRIGHT_TRY(check_interrupted());
            HEAPWRIGHT_ASSIGN(const std::uint64_t used, used_bytes(source, heap_index));
            if (used > used_before && used - used_before > bounds.bytes) {
                return fmt::format("the bound of {} bytes, by the heap's usage", bounds.bytes);
            }
        }
        if (held.count() >= kConformanceAllocations && clock.now_ns() >= bounds.deadline_ns) {
            return std::string("the time budget");
        }
        return std::string();
    };
    while (result.stopped_by.empty()) {
        HEAPWRIGHT_ASSIGN(result.stopped_by, stop_reason());
        if (!result.stopped_by.empty()) break;
        const auto memory = source.allocate({.memory_type = memory_type, .size_bytes = kCountedAllocationBytes});
        if (memory) {
            held.add(*memory);
            continue;
        }
        if (!is_limit(memory.error().code)) return tl::unexpected(memory.error());
        const Error judged = judge_allocation(device, memory_type, kCountedAllocationBytes, memory.error());
        const bool is_lack = judged.code == ErrorCode::kOutOfDeviceMemory || judged.code == ErrorCode::kOutOfHostMemory;
        if (is_lack && bounds.on_failure) bounds.on_failure("the count of allocations", judged);
        result.limit_hit = judged.code != ErrorCode::kOverBudget;
        result.stopped_by = to_string(result.limit_hit ? memory.error() : judged);
    }
    result.reached = held.count();
    return result;
}

}  // namespace heapwright::probe
