// A device that fails on purpose: any device behind it, and a plan of which call fails and how. Every seam function
// passes through it, so that "fail the Nth call, for every N" is one loop:
//
//   for (n = 1; ; ++n) { run the scenario on inject_faults(open(), {.fail_at = n}); if no fault was injected: done }
//
// Ownership: the faulty device owns the device behind it, and a clock that the plan names outlives it.
// Thread-safety: as the device behind it. Functions that cannot fail (free, destroy, engines, ...) are never counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::replay {

enum class SeamCall : std::uint8_t {
    kAllocate,
    kMap,
    kFlush,
    kInvalidate,
    kBudgets,
    kRequirements,
    kCreatePlaced,
    kCreateDedicated,
    kMapDedicated,
    kSubmit,
    kWaitIdle,
    kCreateTimeline,
    kTimelineCompleted,
    kTimelineSignal,
    kTimelineWait,
    kTimelineEvent,
    kCreateDescriptorHeap,
    kWriteDescriptor,
    kCopyDescriptors,
    kCreateAllocator,
    kResetAllocator,
    kRecord,
    kCreatePipeline,
};

inline constexpr std::size_t kSeamCallCount = 23;

// "allocate", "create-placed", ...
[[nodiscard]] std::string_view to_string(SeamCall call);

struct FaultPlan {
    std::uint64_t fail_at = 0;          // the call that fails, from 1; 0: none
    std::optional<SeamCall> only = {};  // counts these calls alone; empty: all of them
    ErrorCode code = ErrorCode::kOutOfDeviceMemory;
    bool keep_failing = false;                                // every counted call from then on, not that one alone
    std::optional<std::uint64_t> oom_after_bytes = {};        // no allocation may raise the live bytes above this
    std::optional<std::uint64_t> oom_after_allocations = {};  // nor their number
    std::uint64_t device_lost_at = 0;      // the submission that loses the device, from 1; every later call fails too
    std::uint64_t pass_waits_from = 0;     // the submission from which on waits are taken for met, from 1; 0: none
    std::uint64_t slow_allocation_ns = 0;  // added to every allocation
    ManualClock* clock = nullptr;          // where slow_allocation_ns is added; null: the calling thread sleeps
};

// A comma-separated plan as a command line gives it: "oom-after=64MiB", "oom-after-allocations=8",
// "device-lost-at=3", "pass-waits-from=1", "slow-allocation=5ms", "fail=17" (any call), "fail=create-placed:3". Sizes
// take B, KiB, MiB, GiB; times ns, us, ms, s; without a unit bytes and nanoseconds. Errors: kInvalidArgument with the
// part at fault.
[[nodiscard]] Result<FaultPlan> parse_fault_plan(std::string_view text);

// What is alive behind the faulty device, and what was called.
struct FaultCounters {
    std::uint64_t source_allocations = 0;  // by device::MemorySource::allocate
    std::uint64_t resources = 0;           // placed and dedicated
    std::uint64_t timelines = 0;
    std::uint64_t descriptor_heaps = 0;
    std::uint64_t command_allocators = 0;
    std::uint64_t pipelines = 0;
    std::uint64_t allocated_bytes = 0;  // with dedicated resources
    std::uint64_t allocations = 0;      // alive, with dedicated resources
    std::uint64_t submissions = 0;      // that were accepted
    std::uint64_t injected = 0;         // failures that this device made up
    std::array<std::uint64_t, kSeamCallCount> calls{};

    // Nothing is left of what was made.
    [[nodiscard]] bool nothing_alive() const {
        return source_allocations == 0 && resources == 0 && timelines == 0 && allocated_bytes == 0 &&
               allocations == 0 && descriptor_heaps == 0 && command_allocators == 0 && pipelines == 0;
    }
};

class FaultyDevice : public device::Device {
public:
    [[nodiscard]] virtual FaultCounters counters() const = 0;
    [[nodiscard]] virtual device::Device& inner() = 0;
};

[[nodiscard]] std::unique_ptr<FaultyDevice> inject_faults(std::unique_ptr<device::Device> device,
                                                          const FaultPlan& plan);

}  // namespace heapwright::replay
