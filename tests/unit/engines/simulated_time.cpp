#include "simulated_time.hpp"

#include <algorithm>
#include <limits>

#include "engines/progress.hpp"

namespace heapwright::engines {
namespace {

struct SignalTime {
    std::uint64_t value = 0;
    std::uint64_t at_ns = 0;
};

// The earliest time at which the fence has reached the value.
std::uint64_t reached_ns(const std::vector<SignalTime>& signals, std::uint64_t initial, std::uint64_t value) {
    if (initial >= value) return 0;
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (const SignalTime& signal : signals) {
        if (signal.value >= value) earliest = std::min(earliest, signal.at_ns);
    }
    return earliest;
}

}  // namespace

SimulatedTime simulate(const Schedule& schedule) {
    const Progress progress = play(schedule);
    std::vector<std::uint64_t> submitted_ns(schedule.operations.size(), 0);
    std::vector<std::uint64_t> now(schedule.actors.size(), 0);
    std::vector<std::vector<SignalTime>> signals(schedule.fences.size());
    SimulatedTime time;
    time.busy_ns.assign(schedule.actors.size(), 0);
    time.waiting_ns.assign(schedule.actors.size(), 0);

    // Played order respects every dependence, so one pass suffices once the submission times are known; these come from
    // the host's own clock at the operation's place.
    std::vector<std::size_t> submitter_next(schedule.actors.size(), 0);
    const auto stamp_submissions = [&](ActorIndex host, std::size_t until) {
        for (std::size_t& next = submitter_next[host.value]; next < until; ++next) {
            if (schedule.operations[next].submitter == host) submitted_ns[next] = now[host.value];
        }
    };
    for (const std::size_t position : progress.order) {
        const Operation& operation = schedule.operations[position];
        const std::uint32_t actor = operation.actor.value;
        const bool by_host = schedule.actors[actor].kind == ActorKind::kHost;
        if (by_host) {
            stamp_submissions(operation.actor, position);
        } else {
            stamp_submissions(operation.submitter, position + 1);
            now[actor] = std::max(now[actor], submitted_ns[position]);
        }
        const std::uint64_t begin = now[actor];
        if (const auto* execute = std::get_if<Execute>(&operation.what)) {
            now[actor] += execute->duration_ns;
            time.busy_ns[actor] += execute->duration_ns;
            time.spans.push_back({position, begin, now[actor]});
        } else if (const auto* wait = std::get_if<Wait>(&operation.what)) {
            const std::uint64_t reached =
                reached_ns(signals[wait->fence.value], schedule.fences[wait->fence.value].initial_value, wait->value);
            now[actor] = std::max(begin, reached);
            time.waiting_ns[actor] += now[actor] - begin;
            if (now[actor] > begin) time.spans.push_back({position, begin, now[actor]});
        } else if (const auto* signal = std::get_if<Signal>(&operation.what)) {
            signals[signal->fence.value].push_back({signal->value, now[actor]});
        }
        time.total_ns = std::max(time.total_ns, now[actor]);
    }
    return time;
}

}  // namespace heapwright::engines
