#include "engines/happens_before.hpp"

#include <algorithm>

namespace heapwright::engines {

HappensBefore::HappensBefore(const Schedule& schedule)
    : actors_(schedule.actors.size()),
      clocks_(schedule.operations.size() * actors_, 0),
      signals_(schedule.fences.size(), std::vector<std::vector<std::size_t>>(actors_)) {
    std::vector<std::uint32_t> count(actors_, 0);
    std::vector<std::optional<std::size_t>> last(actors_);
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const Operation& operation = schedule.operations[i];
        actor_of_.push_back(operation.actor.value);
        own_position_.push_back(++count[operation.actor.value]);
        before_.push_back({last[operation.actor.value]});
        if (operation.submitter != operation.actor) before_.back()[1] = last[operation.submitter.value];
        last[operation.actor.value] = i;
        if (const auto* signal = std::get_if<Signal>(&operation.what))
            signals_[signal->fence.value][operation.actor.value].push_back(i);
    }
    while (raise(schedule)) {
    }
}

// The first signal of each actor that can meet the wait is the one that follows the least.
void HappensBefore::meet_signals(const Schedule& schedule, std::size_t wait, std::vector<std::uint32_t>& known) const {
    const Wait& waited = std::get<Wait>(schedule.operations[wait].what);
    known.assign(actors_, 0);
    if (schedule.fences[waited.fence.value].initial_value >= waited.value) return;
    bool any = false;
    for (const std::vector<std::size_t>& signals : signals_[waited.fence.value]) {
        const auto first = std::find_if(signals.begin(), signals.end(), [&](std::size_t signal) {
            return std::get<Signal>(schedule.operations[signal].what).value >= waited.value;
        });
        if (first == signals.end() || ordered(wait, *first)) continue;
        for (std::size_t actor = 0; actor < actors_; ++actor) {
            std::uint32_t ended = clocks_[*first * actors_ + actor];
            if (actor == actor_of_[*first]) ended = std::max(ended, own_position_[*first]);
            known[actor] = any ? std::min(known[actor], ended) : ended;
        }
        any = true;
    }
}

bool HappensBefore::raise(const Schedule& schedule) {
    bool raised = false;
    std::vector<std::uint32_t> known;
    const auto join = [&](std::size_t operation, std::size_t actor, std::uint32_t ended) {
        std::uint32_t& clock = clocks_[operation * actors_ + actor];
        if (ended > clock) {
            clock = ended;
            raised = true;
        }
    };
    const auto follow = [&](std::size_t operation, std::size_t before) {
        for (std::size_t actor = 0; actor < actors_; ++actor) join(operation, actor, clocks_[before * actors_ + actor]);
        join(operation, actor_of_[before], own_position_[before]);
    };
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        for (const std::optional<std::size_t> before : before_[i]) {
            if (before) follow(i, *before);
        }
        if (std::holds_alternative<Wait>(schedule.operations[i].what)) {
            meet_signals(schedule, i, known);
            for (std::size_t other = 0; other < actors_; ++other) join(i, other, known[other]);
        }
    }
    return raised;
}

}  // namespace heapwright::engines
