#include "replay/memory_source.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "contract/feasibility.hpp"

namespace heapwright::replay {
namespace {

using CostMember = std::uint64_t model::MemoryCostPoint::*;

// Log-log interpolation of a cost curve; beyond its ends the nearest segment goes on, a single point is scaled with
// the size only above itself.
std::uint64_t cost_ns(const std::vector<model::MemoryCostPoint>& points, std::uint64_t size_bytes, CostMember member) {
    std::vector<std::pair<double, double>> curve;
    for (const model::MemoryCostPoint& point : points) {
        if (point.size_bytes == 0 || point.*member == 0) continue;
        curve.emplace_back(std::log2(static_cast<double>(point.size_bytes)),
                           std::log2(static_cast<double>(point.*member)));
    }
    if (curve.empty()) return 0;
    const double size = std::log2(static_cast<double>(size_bytes));
    if (size <= curve.front().first) return static_cast<std::uint64_t>(std::llround(std::exp2(curve.front().second)));
    if (curve.size() == 1) {
        return static_cast<std::uint64_t>(std::llround(std::exp2(curve[0].second + size - curve[0].first)));
    }
    auto upper =
        std::find_if(curve.begin() + 1, curve.end(), [size](const auto& point) { return point.first >= size; });
    if (upper == curve.end()) --upper;
    const auto [x0, y0] = *(upper - 1);
    const auto [x1, y1] = *upper;
    const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0.0;
    const double exponent = std::min(y0 + slope * (size - x0), 62.0);
    return static_cast<std::uint64_t>(std::llround(std::exp2(exponent)));
}

}  // namespace

ReplayMemory::ReplayMemory(ReplayContext& context) : context_(context), used_bytes_(context.facts.heaps.size()) {}

std::uint64_t ReplayMemory::heap_limit_bytes(std::size_t heap_index) const {
    if (!context_.options.enforce_budget) return context_.facts.heaps[heap_index].size_bytes;
    return contract::usable_budget(context_.facts, heap_index);
}

bool ReplayMemory::is_host_visible(MemoryTypeIndex memory_type) const {
    return (context_.facts.memory_types[memory_type.value].property_flags & model::memory_property::kHostVisible) != 0;
}

void ReplayMemory::pass_time(const ReplayAllocation& allocation, bool allocating) {
    for (const model::MemoryCostCurve& curve : context_.facts.run.memory_cost) {
        if (curve.memory_type != allocation.memory_type.value) continue;
        const bool of_image = allocation.dedicated_image && !curve.dedicated_image_points.empty();
        context_.clock().advance_ns(
            cost_ns(of_image ? curve.dedicated_image_points : curve.points, allocation.size_bytes,
                    allocating ? &model::MemoryCostPoint::allocate_ns : &model::MemoryCostPoint::free_ns));
        return;
    }
}

Result<ReplayAllocation> ReplayMemory::take_locked(const device::AllocationRequest& request, bool dedicated_image) {
    const model::DeviceReport& facts = context_.facts;
    if (request.memory_type.value >= facts.memory_types.size()) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "no such memory type",
                     .where = "replay",
                     .value = request.memory_type.value,
                     .limit = facts.memory_types.size() - 1});
    }
    const std::uint64_t largest = contract::largest_allocation_bytes(facts);
    if (request.size_bytes == 0 || request.size_bytes > largest) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "an allocation of this size cannot be made (maxMemoryAllocationSize)",
                     .where = "replay",
                     .value = request.size_bytes,
                     .limit = largest});
    }
    const std::uint64_t most = contract::most_allocations(facts);
    if (alive_ >= most) {
        return fail({.code = ErrorCode::kTooManyObjects,
                     .message = "as many allocations are alive as the device allows (maxMemoryAllocationCount)",
                     .where = "replay",
                     .value = alive_ + 1,
                     .limit = most});
    }
    const std::uint32_t heap_index = facts.memory_types[request.memory_type.value].heap_index;
    const std::uint64_t limit = heap_limit_bytes(heap_index);
    if (request.size_bytes > limit || used_bytes_[heap_index] > limit - request.size_bytes) {
        return fail({.code = ErrorCode::kOutOfDeviceMemory,
                     .message = fmt::format("memory heap {} cannot hold {} bytes more", heap_index, request.size_bytes),
                     .where = "replay",
                     .value = used_bytes_[heap_index] + request.size_bytes,
                     .limit = limit});
    }
    used_bytes_[heap_index] += request.size_bytes;
    ++alive_;
    ReplayAllocation taken{.memory_type = request.memory_type,
                           .size_bytes = request.size_bytes,
                           .memory = std::make_shared<ShadowMemory>(request.size_bytes),
                           .dedicated_image = dedicated_image};
    pass_time(taken, true);
    return taken;
}

void ReplayMemory::give_back_locked(ReplayAllocation& allocation) {
    used_bytes_[context_.facts.memory_types[allocation.memory_type.value].heap_index] -= allocation.size_bytes;
    --alive_;
    context_.shadow_bytes -= allocation.memory->charged_bytes();
    pass_time(allocation, false);
}

Result<device::AllocationId> ReplayMemory::allocate(const device::AllocationRequest& request) {
    const std::scoped_lock lock(context_.mutex);
    HEAPWRIGHT_ASSIGN(auto allocation, take_locked(request));
    allocations_.emplace(next_id_, std::move(allocation));
    return device::AllocationId{next_id_++};
}

void ReplayMemory::free(device::AllocationId memory) {
    const std::scoped_lock lock(context_.mutex);
    const auto entry = allocations_.find(memory.value);
    if (entry == allocations_.end()) {
        context_.message_locked(fmt::format("free: no device allocation {}", memory.value));
        return;
    }
    if (entry->second.placed_resources != 0) {
        context_.message_locked(fmt::format("free: device allocation {} still holds {} resources", memory.value,
                                            entry->second.placed_resources));
    }
    give_back_locked(entry->second);
    allocations_.erase(entry);
}

ReplayAllocation* ReplayMemory::find_locked(device::AllocationId memory) {
    const auto entry = allocations_.find(memory.value);
    return entry == allocations_.end() ? nullptr : &entry->second;
}

Status ReplayMemory::charge_locked(ShadowMemory& memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::uint64_t more = memory.uncharged_bytes(offset_bytes, size_bytes);
    const std::uint64_t limit = context_.options.shadow_limit_bytes;
    if (more > limit || context_.shadow_bytes > limit - more) {
        return fail({.code = ErrorCode::kOutOfHostMemory,
                     .message = "the replayed device may not take more bytes from the system",
                     .where = "replay",
                     .value = context_.shadow_bytes + more,
                     .limit = limit});
    }
    memory.charge(offset_bytes, size_bytes);
    context_.shadow_bytes += more;
    return {};
}

Result<std::span<std::byte>> ReplayMemory::map(device::AllocationId memory) {
    const std::scoped_lock lock(context_.mutex);
    const ReplayAllocation* entry = find_locked(memory);
    if (entry == nullptr)
        return fail(ErrorCode::kInvalidArgument, fmt::format("no device allocation {}", memory.value), "replay");
    if (!is_host_visible(entry->memory_type)) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "the memory type is not host visible",
                     .where = "replay",
                     .value = entry->memory_type.value});
    }
    HEAPWRIGHT_TRY(entry->memory->reserve());
    return entry->memory->bytes();
}

Status ReplayMemory::check_range_locked(device::AllocationId memory, std::uint64_t offset_bytes,
                                        std::uint64_t size_bytes) {
    const ReplayAllocation* entry = find_locked(memory);
    if (entry == nullptr)
        return fail(ErrorCode::kInvalidArgument, fmt::format("no device allocation {}", memory.value), "replay");
    if (offset_bytes > entry->size_bytes || size_bytes > entry->size_bytes - offset_bytes) {
        return fail(
            {.code = ErrorCode::kInvalidArgument,
             .message = fmt::format("range of {} bytes at {} leaves the device allocation", size_bytes, offset_bytes),
             .where = "replay",
             .value = offset_bytes,
             .limit = entry->size_bytes});
    }
    return {};
}

Status ReplayMemory::flush(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::scoped_lock lock(context_.mutex);
    return check_range_locked(memory, offset_bytes, size_bytes);
}

Status ReplayMemory::invalidate(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const std::scoped_lock lock(context_.mutex);
    return check_range_locked(memory, offset_bytes, size_bytes);
}

Result<std::vector<model::HeapBudget>> ReplayMemory::budgets() {
    const std::scoped_lock lock(context_.mutex);
    std::vector<model::HeapBudget> result;
    for (std::size_t i = 0; i < used_bytes_.size(); ++i) {
        result.push_back({.budget_bytes = heap_limit_bytes(i), .usage_bytes = used_bytes_[i]});
    }
    return result;
}

std::uint64_t ReplayMemory::allocated_bytes_locked() const {
    return std::accumulate(used_bytes_.begin(), used_bytes_.end(), std::uint64_t{0});
}

}  // namespace heapwright::replay
