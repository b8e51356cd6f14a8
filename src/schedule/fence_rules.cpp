#include "heapwright/schedule/fence_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heapwright::schedule {
namespace {

const Signal& signal_at(const Schedule& schedule, std::size_t operation) {
    return std::get<Signal>(schedule.operations[operation].what);
}

std::string stakes(const Schedule& schedule, const HappensBefore& order, std::size_t first, std::size_t second) {
    std::string text;
    for (const WaitAtStake& stake : waits_at_stake(schedule, order, first, second)) {
        text += fmt::format(
            "; {} {}", describe(schedule, stake.wait),
            stake.met_while_outstanding ? "is met whichever value remains" : "is met only if the higher value remains");
    }
    return text;
}

}  // namespace

std::vector<WaitAtStake> waits_at_stake(const Schedule& schedule, const HappensBefore& order, std::size_t first_signal,
                                        std::size_t second_signal) {
    const Signal& a = signal_at(schedule, first_signal);
    const Signal& b = signal_at(schedule, second_signal);
    const std::uint64_t low = std::min(a.value, b.value);
    const std::uint64_t high = std::max(a.value, b.value);
    std::vector<WaitAtStake> waits;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const auto* wait = std::get_if<Wait>(&schedule.operations[i].what);
        if (!wait || wait->fence != a.fence || wait->value <= low || wait->value > high) continue;
        const bool after_both = order.ordered(first_signal, i) && order.ordered(second_signal, i);
        waits.push_back({i, !after_both && !order.ordered(a.value < b.value ? first_signal : second_signal, i)});
    }
    return waits;
}

std::vector<Violation> check_fences(const Schedule& schedule, const HappensBefore& order) {
    std::vector<std::vector<std::size_t>> signals(schedule.fences.size());
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        if (const auto* signal = std::get_if<Signal>(&schedule.operations[i].what))
            signals[signal->fence.value].push_back(i);
    }
    std::vector<Violation> violations;
    for (std::size_t fence = 0; fence < signals.size(); ++fence) {
        for (std::size_t i = 0; i < signals[fence].size(); ++i) {
            for (std::size_t j = i + 1; j < signals[fence].size(); ++j) {
                std::size_t first = signals[fence][i];
                std::size_t second = signals[fence][j];
                if (order.unordered(first, second)) {
                    violations.push_back(
                        {Rule::kSignalRace,
                         {first, second},
                         fmt::format("fence {}: {} and {} come in no order{}", schedule.fences[fence].name,
                                     describe(schedule, first), describe(schedule, second),
                                     stakes(schedule, order, first, second))});
                    continue;
                }
                if (order.ordered(second, first)) std::swap(first, second);
                if (signal_at(schedule, second).value >= signal_at(schedule, first).value) continue;
                violations.push_back({Rule::kFenceRewind,
                                      {first, second},
                                      fmt::format("fence {}: {} goes back below {}{}", schedule.fences[fence].name,
                                                  describe(schedule, second), describe(schedule, first),
                                                  stakes(schedule, order, first, second))});
            }
        }
    }
    return violations;
}

}  // namespace heapwright::schedule
