// What goes out to the device, and when.
//
// What a queue was told since its last submission goes out together, waits first, then work, then signals: when the
// next operation does not fit that order, or when the host turns to another queue, waits or looks. Acquires go to the
// front of a submission and releases to its end: between its waits and its signals nothing orders its work with another
// queue's, so the place within makes no difference. A wait goes out before its signal where the device's queues hold
// it, no two queues of the program share one, and nothing changes its owner: a release has to be submitted before its
// acquire (VUID-vkQueueSubmit-pSubmits-02207). Elsewhere the queue's submissions stay at the host until a signal that
// meets the wait has been submitted, so that nothing waits for work behind it. On Vulkan the submissions of one queue
// follow each other by a timeline of their own: a Direct3D 12 queue runs its lists one after the other, a Vulkan queue
// only starts them so.
#include <algorithm>
#include <utility>

#include "engines/device_run.hpp"
#include "engines/progress.hpp"
#include "engines/rules.hpp"

namespace heapwright::engines {

void DeviceRun::close(Queue& queue) {
    if (!queue.open.empty()) queue.closed.push_back(std::exchange(queue.open, {}));
}

bool DeviceRun::may_go(const Outgoing& outgoing) const {
    return early_ || std::ranges::all_of(outgoing.waits, [this](const FencePoint& wait) {
               return fences_[wait.fence.value].submitted >= wait.value;
           });
}

// A wait for 3 where 2 and 5 are signalled is a wait for 5. Said so where all signals are known, since validation
// layers before 1.3.296 know a wait's signal by an equal value alone. What was submitted before does not wait for this.
FencePoint DeviceRun::met_by(FencePoint wait) const {
    const Fence& fence = fences_[wait.fence.value];
    const auto signal = fence.values.lower_bound(wait.value);
    if (early_ || signal == fence.values.end() ||
        wait.value <= program().schedule.fences[wait.fence.value].initial_value)
        return wait;
    return {wait.fence, *signal};
}

Status DeviceRun::submit_ready() {
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t actor = 0; actor < queues_.size(); ++actor) {
            Queue& queue = queues_[actor];
            while (!queue.closed.empty() && may_go(queue.closed.front())) {
                Outgoing next = std::move(queue.closed.front());
                queue.closed.pop_front();
                HEAPWRIGHT_TRY(submit({actor}, std::move(next)));
                moved = true;
            }
        }
    }
    return {};
}

Status DeviceRun::flush() {
    for (Queue& queue : queues_) close(queue);
    return submit_ready();
}

// What stands behind a wait whose signal is still to come is judged when that is written down.
Status DeviceRun::check_rules() {
    const engines::Schedule& schedule = program().schedule;
    if (!options_.checked || options_.checked_before || checked_ == schedule.operations.size()) return {};
    checked_ = schedule.operations.size();
    std::vector<bool> runs(checked_, false);
    for (const std::size_t position : engines::play(schedule).order) runs[position] = true;
    for (engines::Violation& found : engines::check(schedule, rules())) {
        if (std::ranges::all_of(found.operations, [&runs](std::size_t position) { return runs[position]; }))
            violations_.push_back(std::move(found));
    }
    if (violations_.empty()) return {};
    return fail(ErrorCode::kInvalidArgument, violations_.front().statement, "schedule");
}

// Nothing more is to come: what can never run is a deadlock.
Status DeviceRun::check_whole() {
    if (!options_.checked || !violations_.empty()) return {};
    violations_ = engines::check(program().schedule, rules());
    if (violations_.empty()) return {};
    return fail(ErrorCode::kInvalidArgument, violations_.front().statement, "schedule");
}

// A host that waited in vain did so in a deadlock where nothing that was submitted can meet its wait; a device may just
// have been slow.
void DeviceRun::note_deadlock() {
    if (!options_.checked || stood_at_.empty() || !violations_.empty()) return;
    engines::Schedule stood = program().schedule;
    const std::size_t last = stood.operations.size();
    stood.operations.push_back({kHost, engines::Wait{}, kHost});
    for (const FencePoint& point : stood_at_) {
        stood.operations[last].what = engines::Wait{point.fence, point.value};
        const std::vector<engines::Blocked> blocked = engines::play(stood).blocked;
        if (std::ranges::find(blocked, last, &engines::Blocked::operation) == blocked.end()) return;
    }
    for (engines::Violation& found : engines::check(stood, rules())) {
        if (found.rule == engines::Rule::kDeadlock) violations_.push_back(std::move(found));
    }
}

engines::Rules DeviceRun::rules() const {
    return device_.facts().identity.api == model::Api::kD3d12 ? engines::Rules::kDirect3D12 : engines::Rules::kVulkan;
}

Status DeviceRun::submit(ActorIndex actor, Outgoing outgoing) {
    HEAPWRIGHT_TRY(check_rules());
    Queue& queue = queues_[actor.value];
    for (FencePoint& wait : outgoing.waits) wait = met_by(wait);
    const auto points = [this](const std::vector<FencePoint>& from) {
        std::vector<device::TimelinePoint> real;
        real.reserve(from.size() + 1);
        for (const FencePoint& point : from) real.push_back({fences_[point.fence.value].timeline.get(), {point.value}});
        return real;
    };
    std::vector<device::TimelinePoint> waits = points(outgoing.waits);
    std::vector<device::TimelinePoint> signals = points(outgoing.signals);
    if (queue.submitted == 0) {
        waits.push_back(memory_->filled());
    } else if (chained_) {
        waits.push_back({queue.chain.get(), {queue.submitted}});
    }
    signals.push_back({queue.chain.get(), {queue.submitted + 1}});
    at_rest_ = false;
    const auto timestamps = timestamps_for(actor, outgoing);
    HEAPWRIGHT_TRY(device_.submitter().submit({.engine = map_.engine_of[actor.value],
                                               .waits = waits,
                                               .work = outgoing.work,
                                               .signals = signals,
                                               .lists = outgoing.lists,
                                               .acquires = outgoing.acquires,
                                               .releases = outgoing.releases,
                                               .timestamps = timestamps}));
    ++queue.submitted;
    ++submissions_;
    for (const FencePoint& wait : outgoing.waits)
        early_waits_ += fences_[wait.fence.value].submitted < wait.value ? 1u : 0u;
    for (const FencePoint& signal : outgoing.signals) {
        std::uint64_t& submitted = fences_[signal.fence.value].submitted;
        submitted = std::max(submitted, signal.value);
        fences_[signal.fence.value].values.insert(signal.value);
    }
    queue.sent.push_back(sent_.size());
    timestamps_.push_back(timestamps);
    sent_.push_back({.actor = actor,
                     .name = outgoing.name.empty() ? "signal" : std::move(outgoing.name),
                     .submitted_ns = clock_.now_ns() - started_ns_,
                     .waits = std::move(outgoing.waits),
                     .signals = std::move(outgoing.signals),
                     .has_work = !outgoing.work.empty() || !outgoing.lists.empty()});
    return device_.is_real() ? look() : Status{};
}

}  // namespace heapwright::engines
