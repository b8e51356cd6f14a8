// A report as a device: what was probed once, anywhere, answers as the device did, so that an allocator, a policy or a
// test runs on it without the hardware.
//
// Guarantees
//  - Requirements are the sweep's own answers. A description that the sweep does not hold is refused (kOutOfRange), or,
//    with `interpolate`, told from the next larger swept image or buffer and listed in interpolated(). Where there is
//    no sweep, as in an import, they are assumed and listed too (contract/swept_requirements.hpp for both).
//  - Heap sizes (or budgets), maxMemoryAllocationSize and maxMemoryAllocationCount are enforced.
//  - Every allocation has real bytes, taken from the system on first touch; one that is never mapped, and for which no
//  work
//    is submitted, may be larger than the host's address space. Two resources that overlap overwrite each other; a
//    resource made where another one was sees the bytes that it left. New allocations are zero.
//  - Images lie packed (layer by layer, mip by mip, depth before stencil) from the start of their placement. Texels
//    beyond the size that the driver asked for are kept beside the allocation, where they alias nothing.
//  - Time is simulated: an allocation advances the clock by the report's cost curve (log-log interpolation), nothing
//    else does except `submission_ns`. Mapping and first touch cost nothing.
//  - What a validation layer would object to (misaligned or wrong memory type, a resource destroyed under pending
//    work, memory freed under live resources, a timeline that goes back, a descriptor rewritten under pending work or
//    never written, a command allocator reset too early) comes out of take_validation_messages().
//  - Dispatches run on the host: the project's programs, on shadow bytes.
// Host and device see the same bytes at once, so a forgotten flush or invalidate is not shown.
//
// Ownership and thread-safety: as of device::Device. The scheduler is deterministic when one thread uses the device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::replay {

enum class ReplayMode : std::uint8_t {
    kImmediate,  // a submission runs as soon as its waits are met
    kDeferred,   // seeded: submissions complete late, in bursts, queues out of step with each other
    kManual,     // submissions run in advance(), and while a call waits for them
};

struct ReplayOptions {
    bool interpolate = false;
    bool enforce_budget = true;  // false: the whole heap size, whatever the budget was
    ReplayMode mode = ReplayMode::kImmediate;
    std::uint64_t seed = 1;                           // of the kDeferred and kManual schedules
    std::uint64_t submission_ns = 0;                  // simulated time that one submission takes
    std::uint64_t shadow_limit_bytes = 2ull << 30;    // bytes that may be taken from the system in all
    std::uint64_t stuck_timeout_ns = 10'000'000'000;  // real time that wait_idle() waits for a signal nobody sent yet
    ManualClock* clock = nullptr;                     // outlives the device; its own when null
};

struct InterpolatedRequirement {
    model::ResourceDescription resource;
    model::MemoryRequirements requirements;
    std::string taken_from;     // the swept point that stood in; empty: assumed, for want of a sweep
    std::uint64_t queries = 0;  // how often it was asked for
};

// What is alive; all zero once everything has been given back.
struct ReplayCounters {
    std::uint64_t source_allocations = 0;  // by device::MemorySource::allocate
    std::uint64_t resources = 0;           // placed and dedicated
    std::uint64_t dedicated = 0;           // of them with memory of their own
    std::uint64_t timelines = 0;
    std::uint64_t descriptor_heaps = 0;
    std::uint64_t command_allocators = 0;
    std::uint64_t pipelines = 0;
    std::uint64_t allocated_bytes = 0;  // chunks and dedicated resources
    std::uint64_t shadow_bytes = 0;     // taken from the system
    std::uint64_t pending_submissions = 0;
};

class ReplayDevice : public device::Device {
public:
    [[nodiscard]] virtual ManualClock& clock() = 0;
    [[nodiscard]] virtual ReplayCounters counters() const = 0;

    // In the order of the first query.
    [[nodiscard]] virtual std::vector<InterpolatedRequirement> interpolated() const = 0;

    // Runs at most `submissions` of those whose waits are met and says how many ran.
    virtual std::uint64_t advance(std::uint64_t submissions) = 0;
};

// The report is copied. Errors: kInvalidArgument when it has no memory types, or one of a heap that does not exist.
[[nodiscard]] Result<std::unique_ptr<ReplayDevice>> open_replay(const model::DeviceReport& report,
                                                                const ReplayOptions& options = {});

}  // namespace heapwright::replay
