#include "engines/progress.hpp"

#include <algorithm>

namespace heapwright::engines {
namespace {

bool is_host(const Schedule& schedule, ActorIndex actor) {
    return schedule.actors[actor.value].kind == ActorKind::kHost;
}

class TurnPlayer {
public:
    explicit TurnPlayer(const Schedule& schedule)
        : schedule_(schedule),
          own_(schedule.actors.size()),
          next_(schedule.actors.size(), 0),
          outstanding_(schedule.actors.size()),
          submitted_(schedule.operations.size(), false) {
        for (const Fence& fence : schedule.fences) values_.push_back(fence.initial_value);
        for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
            const Operation& operation = schedule.operations[i];
            own_[operation.actor.value].push_back(i);
            // A host thread also passes the places at which it submits other actors' work.
            if (operation.submitter != operation.actor) own_[operation.submitter.value].push_back(i);
        }
    }

    // Whether anything ran.
    bool run(ActorIndex actor) {
        bool moved = false;
        std::vector<std::size_t>& own = own_[actor.value];
        std::size_t& next = next_[actor.value];
        while (next < own.size() && step(actor, own[next])) {
            ++next;
            moved = true;
        }
        return moved;
    }

    Progress finish() {
        for (std::uint32_t actor = 0; actor < schedule_.actors.size(); ++actor) {
            if (next_[actor] == own_[actor].size()) continue;
            const std::size_t operation = own_[actor][next_[actor]];
            const Outstanding& outstanding = outstanding_[actor];
            if (!outstanding.active || outstanding.met) continue;
            const auto& wait = std::get<Wait>(schedule_.operations[operation].what);
            progress_.blocked.push_back({operation, outstanding.fence_value, unsent_signals(wait)});
        }
        return std::move(progress_);
    }

private:
    struct Outstanding {
        bool active = false;
        bool met = false;
        std::uint64_t fence_value = 0;  // when it was reached
    };

    bool submitted_or_host(std::size_t operation) const {
        return submitted_[operation] || is_host(schedule_, schedule_.operations[operation].actor);
    }

    bool step(ActorIndex actor, std::size_t position) {
        const Operation& operation = schedule_.operations[position];
        if (operation.actor != actor) {
            submitted_[position] = true;
            return true;
        }
        if (!submitted_or_host(position)) return false;
        if (const auto* wait = std::get_if<Wait>(&operation.what)) {
            if (!passes(actor, position, *wait)) return false;
        } else if (const auto* signal = std::get_if<Signal>(&operation.what)) {
            send(*signal);
        }
        progress_.order.push_back(position);
        return true;
    }

    bool passes(ActorIndex actor, std::size_t position, const Wait& wait) {
        Outstanding& outstanding = outstanding_[actor.value];
        if (!outstanding.active) {
            const std::uint64_t value = values_[wait.fence.value];
            outstanding = {true, value >= wait.value, value};
            progress_.waits.push_back({position, value, outstanding.met});
        }
        if (!outstanding.met) return false;
        outstanding.active = false;
        return true;
    }

    void send(const Signal& signal) {
        values_[signal.fence.value] = signal.value;
        for (std::uint32_t actor = 0; actor < schedule_.actors.size(); ++actor) {
            if (!outstanding_[actor].active) continue;
            const auto& wait = std::get<Wait>(schedule_.operations[own_[actor][next_[actor]]].what);
            if (wait.fence == signal.fence && signal.value >= wait.value) outstanding_[actor].met = true;
        }
    }

    std::vector<std::size_t> unsent_signals(const Wait& wait) const {
        std::vector<std::size_t> signals;
        for (std::size_t i = 0; i < schedule_.operations.size(); ++i) {
            const auto* signal = std::get_if<Signal>(&schedule_.operations[i].what);
            if (!signal || signal->fence != wait.fence || signal->value < wait.value) continue;
            if (std::find(progress_.order.begin(), progress_.order.end(), i) == progress_.order.end())
                signals.push_back(i);
        }
        return signals;
    }

    const Schedule& schedule_;
    std::vector<std::vector<std::size_t>> own_;
    std::vector<std::size_t> next_;
    std::vector<Outstanding> outstanding_;
    std::vector<bool> submitted_;
    std::vector<std::uint64_t> values_;
    Progress progress_;
};

}  // namespace

Progress play(const Schedule& schedule) {
    TurnPlayer player(schedule);
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::uint32_t actor = 0; actor < schedule.actors.size(); ++actor) moved |= player.run(ActorIndex{actor});
    }
    return player.finish();
}

Progress play_turns(const Schedule& schedule, const std::vector<ActorIndex>& turns) {
    TurnPlayer player(schedule);
    for (const ActorIndex actor : turns) player.run(actor);
    return player.finish();
}

}  // namespace heapwright::engines
