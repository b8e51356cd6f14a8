#include "replay/fault_state.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace heapwright::replay {

Status FaultState::enter(SeamCall call) {
    const std::scoped_lock lock(mutex_);
    ++counters_.calls[static_cast<std::size_t>(call)];
    if (lost_) return inject(ErrorCode::kDeviceLost, call, submissions_seen_);
    if (call == SeamCall::kSubmit && ++submissions_seen_ == plan_.device_lost_at) {
        lost_ = true;
        for (CompletionEvent& event : events_) event.signal();
        events_.clear();
        return inject(ErrorCode::kDeviceLost, call, submissions_seen_);
    }
    if (plan_.fail_at == 0 || (plan_.only && *plan_.only != call)) return {};
    ++counted_;
    if (counted_ == plan_.fail_at || (plan_.keep_failing && counted_ > plan_.fail_at)) {
        return inject(plan_.code, call, counted_);
    }
    return {};
}

bool FaultState::passes_waits() {
    const std::scoped_lock lock(mutex_);
    if (plan_.pass_waits_from == 0 || submissions_seen_ < plan_.pass_waits_from) return false;
    ++counters_.injected;
    return true;
}

Status FaultState::begin_allocation(SeamCall call, std::uint64_t size_bytes) {
    {
        const std::scoped_lock lock(mutex_);
        const std::uint64_t bytes = counters_.heap_bytes + size_bytes;
        if (plan_.oom_after_bytes && bytes > *plan_.oom_after_bytes) {
            return inject(ErrorCode::kOutOfDeviceMemory, call, bytes, plan_.oom_after_bytes);
        }
        if (plan_.oom_after_allocations && counters_.allocations >= *plan_.oom_after_allocations) {
            return inject(ErrorCode::kOutOfDeviceMemory, call, counters_.allocations + 1, plan_.oom_after_allocations);
        }
        counters_.heap_bytes = bytes;
        ++counters_.allocations;
    }
    if (plan_.slow_allocation_ns == 0) return {};
    if (plan_.clock != nullptr) {
        plan_.clock->advance_ns(plan_.slow_allocation_ns);
    } else {
        std::this_thread::sleep_for(std::chrono::nanoseconds(plan_.slow_allocation_ns));
    }
    return {};
}

void FaultState::end_allocation(std::uint64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    counters_.heap_bytes -= size_bytes;
    --counters_.allocations;
}

void FaultState::add_heap(device::AllocationId heap, std::uint64_t size_bytes) {
    const std::scoped_lock lock(mutex_);
    heap_bytes_.emplace(heap.value, size_bytes);
    ++counters_.heaps;
}

void FaultState::remove_heap(device::AllocationId heap) {
    std::uint64_t size_bytes = 0;
    {
        const std::scoped_lock lock(mutex_);
        const auto entry = heap_bytes_.find(heap.value);
        if (entry == heap_bytes_.end()) return;
        size_bytes = entry->second;
        heap_bytes_.erase(entry);
        --counters_.heaps;
    }
    end_allocation(size_bytes);
}

void FaultState::add_resource(device::ResourceId resource, std::optional<std::uint64_t> own_bytes) {
    const std::scoped_lock lock(mutex_);
    resource_bytes_.emplace(resource.value, own_bytes);
    ++counters_.resources;
}

void FaultState::remove_resource(device::ResourceId resource) {
    std::optional<std::uint64_t> own_bytes;
    {
        const std::scoped_lock lock(mutex_);
        const auto entry = resource_bytes_.find(resource.value);
        if (entry == resource_bytes_.end()) return;
        own_bytes = entry->second;
        resource_bytes_.erase(entry);
        --counters_.resources;
    }
    if (own_bytes) end_allocation(*own_bytes);
}

void FaultState::count(std::uint64_t FaultCounters::*counter, bool made) {
    const std::scoped_lock lock(mutex_);
    counters_.*counter += made ? 1 : ~0ull;
}

void FaultState::await(CompletionEvent event) {
    const std::scoped_lock lock(mutex_);
    if (lost_) event.signal();
    std::erase_if(events_, [](const CompletionEvent& awaited) { return awaited.is_signalled(); });
    if (!event.is_signalled()) events_.push_back(std::move(event));
}

void FaultState::accept_submission() {
    const std::scoped_lock lock(mutex_);
    ++counters_.submissions;
}

FaultCounters FaultState::counters() const {
    const std::scoped_lock lock(mutex_);
    return counters_;
}

tl::unexpected<Error> FaultState::inject(ErrorCode code, SeamCall call, std::uint64_t value,
                                         std::optional<std::uint64_t> limit) {
    ++counters_.injected;
    return fail({.code = code,
                 .message = fmt::format("injected fault: {}", to_string(code)),
                 .where = std::string(to_string(call)),
                 .value = value,
                 .limit = limit});
}

}  // namespace heapwright::replay
