#include "policy/counted_memory.hpp"

#include <algorithm>

#include "contract/feasibility.hpp"

namespace heapwright::policy {
namespace {

tl::unexpected<Error> refused_allocation(ErrorCode code, const char* message, std::uint64_t value,
                                         std::uint64_t limit) {
    return fail(Error{.code = code, .message = message, .where = "simulation", .value = value, .limit = limit});
}

}  // namespace

CountedMemory::CountedMemory(const model::DeviceReport& facts, device::MemorySource* memory)
    : facts_(facts),
      memory_(memory),
      largest_(contract::largest_allocation_bytes(facts)),
      most_(contract::most_allocations(facts)),
      used_bytes_(facts.heaps.size(), 0),
      peak_bytes_(facts.heaps.size(), 0) {
    for (std::uint32_t heap = 0; heap < facts.heaps.size(); ++heap)
        limits_.push_back(contract::usable_budget(facts, heap));
}

CountedMemory::~CountedMemory() {
    if (memory_ == nullptr) return;
    for (const auto& [id, alive] : alive_) memory_->free(alive.memory);
}

Result<device::AllocationId> CountedMemory::take(const device::AllocationRequest& request, bool dedicated_image) {
    const std::uint32_t type = request.memory_type.value;
    if (type >= facts_.memory_types.size())
        return refused_allocation(ErrorCode::kInvalidArgument, "no such memory type", type, facts_.memory_types.size());
    if (request.size_bytes == 0 || request.size_bytes > largest_) {
        return refused_allocation(ErrorCode::kInvalidArgument, "an allocation of this size cannot be made",
                                  request.size_bytes, largest_);
    }
    if (alive_.size() >= most_)
        return refused_allocation(ErrorCode::kTooManyObjects, "as many allocations as the device allows", most_, most_);
    const std::uint32_t heap = facts_.memory_types[type].heap_index;
    const std::uint64_t limit = limits_[heap];
    if (request.size_bytes > limit || used_bytes_[heap] > limit - request.size_bytes)
        return refused_allocation(ErrorCode::kOutOfDeviceMemory, "the heap cannot hold more", request.size_bytes,
                                  limit);
    Alive taken{.call = {.takes = true,
                         .memory_type = type,
                         .size_bytes = request.size_bytes,
                         .dedicated_image = dedicated_image},
                .memory = {}};
    if (memory_ != nullptr) {
        const std::uint64_t began_ns = clock_.now_ns();
        HEAPWRIGHT_ASSIGN(taken.memory, memory_->allocate(request));
        taken.call.measured_ns = clock_.now_ns() - began_ns;
    }
    used_bytes_[heap] += request.size_bytes;
    peak_bytes_[heap] = std::max(peak_bytes_[heap], used_bytes_[heap]);
    calls_.push_back(taken.call);
    alive_.emplace(next_id_, taken);
    return device::AllocationId{next_id_++};
}

void CountedMemory::free(device::AllocationId memory) {
    const auto entry = alive_.find(memory.value);
    if (entry == alive_.end()) return;
    DeviceMemoryCall call = entry->second.call;
    call.takes = false;
    if (memory_ != nullptr) {
        const std::uint64_t began_ns = clock_.now_ns();
        memory_->free(entry->second.memory);
        call.measured_ns = clock_.now_ns() - began_ns;
    }
    used_bytes_[facts_.memory_types[call.memory_type].heap_index] -= call.size_bytes;
    calls_.push_back(call);
    alive_.erase(entry);
}

Result<std::span<std::byte>> CountedMemory::map(device::AllocationId) {
    return fail(ErrorCode::kNotSupported, "memory that is numbers cannot be mapped", "simulation");
}

Result<std::vector<model::HeapBudget>> CountedMemory::budgets() {
    std::vector<model::HeapBudget> budgets;
    for (std::size_t heap = 0; heap < used_bytes_.size(); ++heap)
        budgets.push_back({.budget_bytes = limits_[heap], .usage_bytes = used_bytes_[heap]});
    return budgets;
}

}  // namespace heapwright::policy
