#include "engines/rules.hpp"

#include <iterator>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"

namespace heapwright::engines {

std::vector<Violation> check(const Schedule& schedule, Rules rules) {
    const Progress progress = play(schedule);
    const HappensBefore order(schedule);
    std::vector<Violation> violations = check_accesses(schedule, order, rules);
    const auto add = [&violations](std::vector<Violation> more) {
        violations.insert(violations.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    add(check_fences(schedule, order, rules));
    add(rules == Rules::kDirect3D12 ? check_states(schedule, progress) : check_ownership(schedule, progress, order));
    add(check_deadlocks(schedule, progress));
    return violations;
}

std::vector<std::size_t> signals_first(const Schedule& schedule) {
    Progress progress = play(schedule);
    if (!progress.blocked.empty()) return {};
    return std::move(progress.order);
}

}  // namespace heapwright::engines
