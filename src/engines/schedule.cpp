#include "engines/schedule.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace heapwright::engines {
namespace {

bool is_whole(std::uint64_t begin, std::uint64_t end) {
    return begin == 0 && end == std::numeric_limits<std::uint64_t>::max();
}

struct Describer {
    const Schedule& schedule;

    std::string operator()(const Execute& execute) const { return fmt::format("execute {}", execute.name); }
    std::string operator()(const Signal& signal) const {
        return fmt::format("signal {} = {}", schedule.fences[signal.fence.value].name, signal.value);
    }
    std::string operator()(const Wait& wait) const {
        return fmt::format("wait for {} >= {}", schedule.fences[wait.fence.value].name, wait.value);
    }
    std::string operator()(const Transition& transition) const {
        return fmt::format("transition {}", schedule.resources[transition.resource.value].name);
    }
    std::string operator()(const Present& present) const {
        return fmt::format("present {}", schedule.resources[present.resource.value].name);
    }
    std::string operator()(const ReleaseOwnership& release) const {
        return fmt::format("release {} to family {}", part(release.resource, release.begin, release.end),
                           release.to_family);
    }
    std::string operator()(const AcquireOwnership& acquire) const {
        return fmt::format("acquire {} from family {}", part(acquire.resource, acquire.begin, acquire.end),
                           acquire.from_family);
    }

    [[nodiscard]] std::string part(ScheduledResourceIndex resource, std::uint64_t begin, std::uint64_t end) const {
        const std::string& name = schedule.resources[resource.value].name;
        return is_whole(begin, end) ? name : fmt::format("{} of {}", describe_range(begin, end), name);
    }
};

}  // namespace

std::string describe(const Schedule& schedule, std::size_t operation) {
    const Operation& described = schedule.operations[operation];
    return fmt::format("{}: {} (operation {})", schedule.actors[described.actor.value].name,
                       std::visit(Describer{schedule}, described.what), operation);
}

std::string describe_range(std::uint64_t begin, std::uint64_t end) {
    return is_whole(begin, end) ? "the whole resource" : fmt::format("bytes {} to {}", begin, end);
}

Schedule merge_queues(Schedule schedule, const std::vector<ActorIndex>& from, ActorIndex to) {
    for (Operation& operation : schedule.operations) {
        if (std::find(from.begin(), from.end(), operation.actor) != from.end()) operation.actor = to;
    }
    return schedule;
}

Schedule reorder(const Schedule& schedule, const std::vector<std::size_t>& order) {
    Schedule reordered{schedule.actors, schedule.fences, schedule.resources, {}};
    reordered.operations.reserve(order.size());
    for (const std::size_t position : order) reordered.operations.push_back(schedule.operations[position]);
    return reordered;
}

}  // namespace heapwright::engines
