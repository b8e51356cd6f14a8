// Plays a program on a device: each of its queues on an engine, its fences as timelines. Every byte that it leaves is
// compared with the host's account (program_memory.hpp).
//
// No rule is broken on the way: what is written down is checked before each submission, and whole, deadlocks included,
// before the host waits for the end. A broken rule ends the run, and nothing more is submitted.
// A run that ends early leaves the device at rest. What does not come to rest within the host's limit is kTimeLimit,
// and its resources are kept for ever, since the device may still use them. When what goes out: device_run_submit.cpp.
// Which queue family owns what: ownership.hpp. How a device comes to rest: device_run_rest.cpp. When a submission was
// over is known to some 50 us on a real device, and by the engines' timestamps where they write some that compare
// (run_spans.hpp): device_run_timestamps.cpp.
//
// One instance runs once. Not thread-safe. The device outlives it and is idle before and after.
// Errors: the device's, kTimeLimit. Source: "Multi-engine synchronization" (Direct3D 12 programming guide).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "device/timestamps.hpp"
#include "engines/conductor.hpp"
#include "engines/disorder.hpp"
#include "engines/engine_map.hpp"
#include "engines/program_memory.hpp"
#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "heapwright/core/completion_event.hpp"

namespace heapwright::engines {

struct DeviceRunOptions {
    std::uint64_t seed = 1;
    bool one_queue = false;
    bool checked = true;          // false: submits what breaks the rules, to see what comes of it
    bool checked_before = false;  // the program that is played was checked whole: looked at again at the end only
    std::uint64_t host_wait_limit_ns = 20'000'000'000;
    // Of the program that is played and this device's map; outlives the run. Null: every resource belongs to all queue
    // families (VK_SHARING_MODE_CONCURRENT) and nothing is handed over, so that a device does what the article's
    // examples say and no more.
    const OwnershipPlan* owners = nullptr;
};

struct RunOutcome {
    std::uint64_t submissions = 0;
    std::uint64_t early_waits = 0;  // submitted before their signal
    std::uint64_t bytes_checked = 0;
    std::vector<Difference> differences;  // from the host's account
    std::uint64_t wrong_host_reads = 0;
    std::vector<RunSubmission> seen;  // of the queues, in the order in which they went out
    std::uint64_t duration_ns = 0;
};

class DeviceRun final : public Conductor {
public:
    DeviceRun(device::Device& device, Clock& clock, const DeviceRunOptions& options);
    DeviceRun(const DeviceRun&) = delete;
    DeviceRun& operator=(const DeviceRun&) = delete;
    ~DeviceRun() override;

    // Waits for the device and compares. After the example. Errors: what stopped the run, kTimeLimit, the device's.
    // `account`: the bytes that are expected; null: those that the program that was played leaves on the host.
    [[nodiscard]] Result<RunOutcome> finish(const HostMemory* account = nullptr);

    // The rules that stopped the run; of a run that stood still, the deadlock where the schedule has one.
    [[nodiscard]] const std::vector<engines::Violation>& violations() const { return violations_; }
    [[nodiscard]] const EngineMap& map() const { return map_; }

protected:
    Status on_begin() override;
    Status on_record(ListIndex list) override;
    Status on_operation(std::size_t position) override;
    Status on_host_wait(FencePoint point) override;
    Result<std::size_t> on_host_wait_any(std::span<const FencePoint> points) override;
    Result<std::uint64_t> on_completed(FenceIndex fence) override;
    Status on_host_write(const HostWrite& write) override;
    Result<std::vector<std::byte>> on_host_read(const HostRead& read) override;

private:
    struct Outgoing {
        std::vector<FencePoint> waits;
        std::vector<device::Work> work;
        std::vector<device::CommandListId> lists;
        std::vector<FencePoint> signals;
        std::vector<device::OwnershipTransfer> acquires;
        std::vector<device::OwnershipTransfer> releases;
        std::string name;

        [[nodiscard]] bool has_work() const {
            return !work.empty() || !lists.empty() || !acquires.empty() || !releases.empty();
        }
        [[nodiscard]] bool empty() const { return waits.empty() && !has_work() && signals.empty(); }
    };
    struct Queue {
        Outgoing open;
        std::deque<Outgoing> closed;
        std::unique_ptr<device::Timeline> chain;
        std::uint64_t submitted = 0;
        std::uint64_t seen = 0;                               // of them, seen to be over
        std::vector<std::size_t> sent;                        // of sent_
        std::optional<device::CommandAllocatorId> allocator;  // of recorded lists
    };
    struct Fence {
        std::unique_ptr<device::Timeline> timeline;
        std::uint64_t submitted = 0;     // the highest value that a submission or the host signals
        std::set<std::uint64_t> values;  // all of them
    };

    [[nodiscard]] device::OwnershipTransfer transfer_of(ResourceIndex resource, std::uint64_t begin, std::uint64_t end,
                                                        std::uint32_t from, std::uint32_t to) const;
    void close(Queue& queue);
    Status submit_ready();
    Status flush();
    Status submit(ActorIndex actor, Outgoing outgoing);
    [[nodiscard]] bool may_go(const Outgoing& outgoing) const;
    [[nodiscard]] FencePoint met_by(FencePoint wait) const;
    Status check_rules();
    Status check_whole();
    void note_deadlock();
    [[nodiscard]] engines::Rules rules() const;
    Status look();
    [[nodiscard]] std::uint64_t slice_ns() const;
    Status wait_for_event(const CompletionEvent& event, std::span<const FencePoint> points);
    [[nodiscard]] tl::unexpected<Error> stuck(std::span<const FencePoint> points);
    Result<RunOutcome> end(const HostMemory* account);
    Status wait_for_queues();
    void prepare_timestamps();
    [[nodiscard]] std::optional<device::TimestampPairId> timestamps_for(ActorIndex actor, const Outgoing& outgoing);
    Status read_timestamps();
    void destroy_timestamps();
    [[nodiscard]] Result<bool> is_met(FencePoint point) const;
    [[nodiscard]] Result<std::optional<std::size_t>> first_met(std::span<const FencePoint> points) const;
    [[nodiscard]] bool may_be_given(FencePoint point) const;
    Result<bool> release_lowest_wait();
    Status come_to_rest();
    [[nodiscard]] tl::unexpected<Error> restless() const;
    void give_up();
    void compare(RunOutcome& outcome, const HostMemory& expected,
                 const std::vector<std::vector<std::byte>>& seen) const;

    device::Device& device_;
    Clock& clock_;
    DeviceRunOptions options_;
    EngineMap map_;
    bool early_ = false;
    bool chained_ = false;
    std::unique_ptr<ProgramMemory> memory_;
    std::vector<Queue> queues_;  // by actor
    std::vector<Fence> fences_;
    std::vector<std::optional<device::CommandListId>> lists_;
    std::vector<std::vector<std::byte>> reads_;
    std::vector<engines::Violation> violations_;
    std::size_t checked_ = 0;           // operations
    std::vector<FencePoint> stood_at_;  // what the host waited for in vain
    std::uint64_t started_ns_ = 0;
    std::uint64_t submissions_ = 0;
    std::uint64_t early_waits_ = 0;
    std::vector<RunSubmission> sent_;
    std::vector<std::optional<device::TimestampPairId>> timestamps_;  // of sent_
    std::optional<device::TimestampUnits> timestamp_units_;           // empty: none are written
    std::uint64_t looks_ = 0;
    bool at_rest_ = true;
};

}  // namespace heapwright::engines
