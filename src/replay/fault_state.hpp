// What the seams of one faulty device share: the plan, and what was called and is alive so far. Bytes and counts.
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "heapwright/core/completion_event.hpp"
#include "heapwright/core/result.hpp"
#include "replay/fault_injection.hpp"

namespace heapwright::replay {

class FaultState {
public:
    explicit FaultState(const FaultPlan& plan) : plan_(plan) {}

    // Counts the call and says whether it must fail before it reaches the device.
    [[nodiscard]] Status enter(SeamCall call);

    // Of the submission that entered last.
    [[nodiscard]] bool passes_waits();

    // Reserves the bytes of an allocation before the device is asked, so that two threads cannot both pass the limit.
    [[nodiscard]] Status begin_allocation(SeamCall call, std::uint64_t size_bytes);
    void end_allocation(std::uint64_t size_bytes);

    void add_memory(device::AllocationId memory, std::uint64_t size_bytes);
    void remove_memory(device::AllocationId memory);

    // `own_bytes` is empty for a placed resource.
    void add_resource(device::ResourceId resource, std::optional<std::uint64_t> own_bytes);
    void remove_resource(device::ResourceId resource);

    // One more or one less of what is alive.
    void count(std::uint64_t FaultCounters::*counter, bool made);

    // A lost device signals what is awaited.
    void await(CompletionEvent event);

    void accept_submission();

    [[nodiscard]] FaultCounters counters() const;

private:
    [[nodiscard]] tl::unexpected<Error> inject(ErrorCode code, SeamCall call, std::uint64_t value,
                                               std::optional<std::uint64_t> limit = {});

    const FaultPlan plan_;
    mutable std::mutex mutex_;
    FaultCounters counters_;
    std::unordered_map<std::uint64_t, std::uint64_t> allocation_bytes_;
    std::unordered_map<std::uint64_t, std::optional<std::uint64_t>> resource_bytes_;
    std::vector<CompletionEvent> events_;
    std::uint64_t counted_ = 0;
    std::uint64_t submissions_seen_ = 0;
    bool lost_ = false;
};

}  // namespace heapwright::replay
