#include "pool/budgeted_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "contract/chunks.hpp"
#include "contract/feasibility.hpp"
#include "core/checked.hpp"

namespace heapwright::pool {
namespace {

constexpr std::size_t kPageBytes = 4096;

bool exceeds(std::uint64_t held, std::uint64_t more, std::uint64_t limit) {
    const auto sum = checked_add(held, more);
    return !sum || *sum > limit;
}

tl::unexpected<Error> exhausted(std::string message, std::uint64_t value, std::uint64_t limit) {
    return fail(Error{.code = ErrorCode::kExhausted, .message = std::move(message), .value = value, .limit = limit});
}

}  // namespace

BudgetedMemory::BudgetedMemory(const model::DeviceReport& facts, device::MemorySource& source,
                               const model::DevicePolicy& policy, std::uint64_t memory_limit_bytes,
                               std::optional<double> budget_reserve_share)
    : source_(source) {
    state_.heaps.resize(facts.heaps.size());
    under_way_.resize(facts.heaps.size());
    reserve_shares_.resize(facts.heaps.size(), std::clamp(budget_reserve_share.value_or(0), 0.0, 1.0));
    for (const model::HeapPolicy& heap : policy.heaps) {
        if (heap.heap >= state_.heaps.size()) continue;
        state_.heaps[heap.heap].limit_bytes = std::min(heap.usable_bytes.value, facts.heaps[heap.heap].size_bytes);
        if (heap.reserve_share && !budget_reserve_share)
            reserve_shares_[heap.heap] = std::clamp(heap.reserve_share->value, 0.0, 1.0);
    }
    for (const model::MemoryHeap& heap : facts.heaps) heap_bytes_.push_back(heap.size_bytes);
    for (const model::MemoryType& type : facts.memory_types) heap_of_type_.push_back(type.heap_index);
    state_.limit_bytes = memory_limit_bytes;
    state_.max_allocations = policy.max_chunks.value;
}

Status BudgetedMemory::check_device_budget(std::uint32_t heap, std::uint64_t size_bytes, UnderWay under_way) {
    while (true) {
        const auto budgets = source_.budgets();
        // A device that cannot say what is left does not forbid anything: the policy's own limit still holds.
        if (!budgets || heap >= budgets->size()) return {};
        const model::HeapBudget& budget = (*budgets)[heap];
        const std::optional<std::uint64_t> most = ours(heap, budget);
        if (!most || !exceeds(budget.usage_bytes, under_way.bytes, *most)) return {};
        {
            // What was made meanwhile may stand in both figures.
            const std::lock_guard lock(mutex_);
            if (under_way_[heap].settled != under_way.settled) {
                under_way = under_way_[heap];
                continue;
            }
        }
        return fail(Error{
            .code = ErrorCode::kOverBudget,
            .message = fmt::format("heap {} has {} bytes in use and {} under way, {} more do not fit the {} of its "
                                   "budget that are not left to others",
                                   heap, budget.usage_bytes, under_way.bytes - size_bytes, size_bytes, *most),
            .value = size_bytes,
            .limit = *most});
    }
}

std::optional<std::uint64_t> BudgetedMemory::ours(std::uint32_t heap, const model::HeapBudget& budget) const {
    if (heap >= heap_bytes_.size() || !contract::known_budget(budget.budget_bytes)) return std::nullopt;
    return contract::without_share(contract::usable_budget(heap_bytes_[heap], budget.budget_bytes),
                                   reserve_shares_[heap]);
}

std::vector<std::uint32_t> BudgetedMemory::over_budget() {
    std::vector<std::uint32_t> heaps;
    const auto budgets = source_.budgets();
    if (!budgets) return heaps;
    for (std::uint32_t heap = 0; heap < budgets->size(); ++heap) {
        const model::HeapBudget& budget = (*budgets)[heap];
        if (const auto most = ours(heap, budget); most && budget.usage_bytes > *most) heaps.push_back(heap);
    }
    return heaps;
}

BudgetPressure BudgetedMemory::pressure(std::uint32_t heap, std::uint64_t wanted_bytes) {
    BudgetPressure pressure{.heap = heap, .wanted_bytes = wanted_bytes};
    const auto budgets = source_.budgets();
    if (!budgets || heap >= budgets->size()) return pressure;
    pressure.budget_bytes = ours(heap, (*budgets)[heap]).value_or(0);
    pressure.usage_bytes = (*budgets)[heap].usage_bytes;
    return pressure;
}

bool BudgetedMemory::passes_limit_of_all(std::uint64_t size_bytes) const {
    const std::lock_guard lock(mutex_);
    return exceeds(state_.reserved_bytes, size_bytes, state_.limit_bytes) ||
           state_.allocations >= state_.max_allocations;
}

bool BudgetedMemory::keep_empty(MemoryTypeIndex memory_type, std::uint64_t size_bytes, std::uint64_t most_bytes) {
    const std::lock_guard lock(mutex_);
    std::uint64_t& kept = state_.heaps[heap_of_type_[memory_type.value]].kept_empty_bytes;
    if (!contract::may_keep_empty(kept, size_bytes, most_bytes)) return false;
    kept += size_bytes;
    return true;
}

void BudgetedMemory::end_keeping(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    state_.heaps[heap_of_type_[memory_type.value]].kept_empty_bytes -= size_bytes;
}

Status BudgetedMemory::reserve(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    if (memory_type.value >= heap_of_type_.size()) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the device has no such memory type",
                          .value = memory_type.value,
                          .limit = heap_of_type_.size()});
    }
    const std::uint32_t heap = heap_of_type_[memory_type.value];
    UnderWay under_way;
    {
        const std::lock_guard lock(mutex_);
        HeapState& account = state_.heaps[heap];
        if (exceeds(account.reserved_bytes, size_bytes, account.limit_bytes)) {
            return exhausted(fmt::format("heap {} has {} of its {} usable bytes reserved, {} more do not fit", heap,
                                         account.reserved_bytes, account.limit_bytes, size_bytes),
                             size_bytes, account.limit_bytes);
        }
        if (exceeds(state_.reserved_bytes, size_bytes, state_.limit_bytes)) {
            return exhausted(fmt::format("{} of the memory limit of {} bytes are reserved, {} more do not fit",
                                         state_.reserved_bytes, state_.limit_bytes, size_bytes),
                             size_bytes, state_.limit_bytes);
        }
        if (state_.allocations >= state_.max_allocations) {
            return fail(Error{.code = ErrorCode::kTooManyObjects,
                              .message = "the policy's number of device allocations is used up",
                              .value = state_.allocations,
                              .limit = state_.max_allocations});
        }
        account.reserved_bytes += size_bytes;
        state_.reserved_bytes += size_bytes;
        ++state_.allocations;
        ++state_.calls;
        under_way_[heap].bytes += size_bytes;
        under_way = under_way_[heap];
    }
    Rollback counted([&] { settle(memory_type, size_bytes, false); });
    HEAPWRIGHT_TRY(check_device_budget(heap, size_bytes, under_way));
    counted.keep();
    return {};
}

void BudgetedMemory::settle(MemoryTypeIndex memory_type, std::uint64_t size_bytes, bool made) {
    const std::lock_guard lock(mutex_);
    UnderWay& under_way = under_way_[heap_of_type_[memory_type.value]];
    under_way.bytes -= size_bytes;
    ++under_way.settled;
    if (made) return;
    unreserve_locked(memory_type, size_bytes);
    --state_.calls;
}

void BudgetedMemory::unreserve_locked(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    state_.heaps[heap_of_type_[memory_type.value]].reserved_bytes -= size_bytes;
    state_.reserved_bytes -= size_bytes;
    --state_.allocations;
}

void BudgetedMemory::unreserve(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    unreserve_locked(memory_type, size_bytes);
}

Result<device::AllocationId> BudgetedMemory::take(const device::AllocationRequest& request) {
    return charge(request.memory_type, request.size_bytes, [&] { return source_.allocate(request); });
}

Result<device::AllocationId> BudgetedMemory::take_beside(const device::AllocationRequest& request) {
    auto taken = take(request);
    if (!taken) return taken;
    const std::lock_guard lock(mutex_);
    state_.heaps[heap_of_type_[request.memory_type.value]].beside_bytes += request.size_bytes;
    ++state_.beside_allocations;
    return taken;
}

void BudgetedMemory::give_back_beside(device::AllocationId memory, MemoryTypeIndex memory_type,
                                      std::uint64_t size_bytes) {
    source_.free(memory);
    const std::lock_guard lock(mutex_);
    unreserve_locked(memory_type, size_bytes);
    state_.heaps[heap_of_type_[memory_type.value]].beside_bytes -= size_bytes;
    --state_.beside_allocations;
}

void BudgetedMemory::give_back(device::AllocationId memory, MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    source_.free(memory);
    unreserve(memory_type, size_bytes);
}

void BudgetedMemory::touch(device::AllocationId memory) {
    const auto bytes = source_.map(memory);
    if (!bytes) return;
    for (std::size_t at = 0; at < bytes->size(); at += kPageBytes) {
        // Volatile, because nobody reads it.
        *static_cast<volatile std::byte*>(bytes->data() + at) = std::byte{0};
    }
    // A failed flush costs nothing that was asked for: the pages hold no data yet, and the writes were zeros.
    (void)source_.flush(memory, 0, bytes->size());
}

BudgetedMemory::State BudgetedMemory::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

}  // namespace heapwright::pool
