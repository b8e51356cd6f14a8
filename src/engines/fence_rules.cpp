#include "engines/rules.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

namespace heapwright::engines {
namespace {

const Signal& signal_at(const Schedule& schedule, std::size_t operation) {
    return std::get<Signal>(schedule.operations[operation].what);
}

std::vector<std::size_t> signals_of(const Schedule& schedule, FenceIndex fence) {
    std::vector<std::size_t> signals;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const auto* signal = std::get_if<Signal>(&schedule.operations[i].what);
        if (signal && signal->fence == fence) signals.push_back(i);
    }
    return signals;
}

class FenceCheck {
public:
    FenceCheck(const Schedule& schedule, const HappensBefore& order, Rules rules, FenceIndex fence)
        : schedule_(schedule),
          order_(order),
          rules_(rules),
          fence_(schedule.fences[fence.value]),
          signals_(signals_of(schedule, fence)),
          by_actor_(schedule.actors.size()) {
        for (const std::size_t signal : signals_) by_actor_[schedule.operations[signal].actor.value].push_back(signal);
    }

    void run(std::vector<Violation>& violations) const {
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            for (std::size_t earlier = 0; earlier < i; ++earlier) {
                if (order_.unordered(signals_[earlier], signals_[i]))
                    violations.push_back(race(signals_[earlier], signals_[i]));
            }
            const std::vector<std::size_t> before = latest_before(signals_[i]);
            const std::uint64_t value = signal_at(schedule_, signals_[i]).value;
            for (const std::size_t first : before) {
                if (!rises(signal_at(schedule_, first).value, value)) violations.push_back(rewind(first, signals_[i]));
            }
            if (before.empty() && !rises(fence_.initial_value, value))
                violations.push_back(below_initial_value(signals_[i]));
        }
    }

private:
    bool rises(std::uint64_t from, std::uint64_t to) const { return rules_ == Rules::kVulkan ? to > from : to >= from; }

    // The signals that are certain to come before this one, less those that another of them follows: of each actor at
    // most one.
    std::vector<std::size_t> latest_before(std::size_t signal) const {
        std::vector<std::size_t> latest;
        for (const std::vector<std::size_t>& own : by_actor_) {
            const auto end = std::ranges::partition_point(
                own, [&](std::size_t candidate) { return order_.ordered(candidate, signal); });
            if (end != own.begin()) latest.push_back(*(end - 1));
        }
        std::vector<std::size_t> last;
        std::ranges::copy_if(latest, std::back_inserter(last), [&](std::size_t candidate) {
            return std::ranges::none_of(latest, [&](std::size_t other) { return order_.ordered(candidate, other); });
        });
        return last;
    }

    std::string_view falls() const { return rules_ == Rules::kVulkan ? "does not rise above" : "goes back below"; }

    Violation race(std::size_t first, std::size_t second) const {
        return {Rule::kSignalRace,
                {first, second},
                fmt::format("fence {}: {} and {} come in no order{}", fence_.name, describe(schedule_, first),
                            describe(schedule_, second), consequence(first, second, false))};
    }

    Violation rewind(std::size_t first, std::size_t second) const {
        return {Rule::kFenceRewind,
                {first, second},
                fmt::format("fence {}: {} {} {}{}", fence_.name, describe(schedule_, second), falls(),
                            describe(schedule_, first), consequence(first, second, true))};
    }

    Violation below_initial_value(std::size_t signal) const {
        return {Rule::kFenceRewind,
                {signal},
                fmt::format("fence {}: {} {} the initial value {}", fence_.name, describe(schedule_, signal), falls(),
                            fence_.initial_value)};
    }

    std::string consequence(std::size_t first, std::size_t second, bool lower_comes_last) const {
        if (rules_ == Rules::kVulkan) return "; a timeline semaphore only rises";
        std::string text;
        for (const WaitAtStake& stake : waits_at_stake(schedule_, order_, first, second)) {
            text += fmt::format("; {} {}", describe(schedule_, stake.wait), fate(stake.outcome, lower_comes_last));
        }
        return text;
    }

    static std::string_view fate(StakeOutcome outcome, bool lower_comes_last) {
        if (outcome == StakeOutcome::kOnlyHigherHelps)
            return lower_comes_last ? "comes later and is compared with the lower value"
                                    : "comes later and is met only if the higher value remains";
        return lower_comes_last ? "is met if it is reached before the lower value comes"
                                : "is met whichever value remains if it is reached before both have come, otherwise "
                                  "only if the higher one remains";
    }

    const Schedule& schedule_;
    const HappensBefore& order_;
    Rules rules_;
    const Fence& fence_;
    std::vector<std::size_t> signals_;                // in the schedule's order
    std::vector<std::vector<std::size_t>> by_actor_;  // in the actor's order
};

}  // namespace

std::vector<WaitAtStake> waits_at_stake(const Schedule& schedule, const HappensBefore& order, std::size_t first_signal,
                                        std::size_t second_signal) {
    const Signal& a = signal_at(schedule, first_signal);
    const Signal& b = signal_at(schedule, second_signal);
    const std::uint64_t low = std::min(a.value, b.value);
    const std::uint64_t high = std::max(a.value, b.value);
    const std::vector<std::size_t> signals = signals_of(schedule, a.fence);
    const auto replaced_before = [&](std::size_t wait) {
        return std::ranges::any_of(signals, [&](std::size_t signal) {
            return order.ordered(first_signal, signal) && order.ordered(second_signal, signal) &&
                   order.ended_when_reached(signal, wait);
        });
    };
    std::vector<WaitAtStake> waits;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const auto* wait = std::get_if<Wait>(&schedule.operations[i].what);
        if (!wait || wait->fence != a.fence || wait->value <= low || wait->value > high) continue;
        if (order.ordered(i, first_signal) || order.ordered(i, second_signal) || replaced_before(i)) continue;
        const bool later = order.ended_when_reached(first_signal, i) && order.ended_when_reached(second_signal, i);
        waits.push_back({i, later ? StakeOutcome::kOnlyHigherHelps : StakeOutcome::kDependsOnArrival});
    }
    return waits;
}

std::vector<Violation> check_fences(const Schedule& schedule, const HappensBefore& order, Rules rules) {
    std::vector<Violation> violations;
    for (std::uint32_t fence = 0; fence < schedule.fences.size(); ++fence)
        FenceCheck(schedule, order, rules, FenceIndex{fence}).run(violations);
    return violations;
}

}  // namespace heapwright::engines
