#include "engines/wait_roles.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"
#include "engines/rules.hpp"

namespace heapwright::engines {
namespace {

// Preferably one between two pieces of work, which says more than the transitions beside them.
std::optional<Violation> first_violation(const Schedule& schedule, Rules rules) {
    const HappensBefore order(schedule);
    std::vector<Violation> violations = check_accesses(schedule, order, rules);
    if (violations.empty() && rules == Rules::kVulkan) violations = check_ownership(schedule, play(schedule), order);
    if (violations.empty()) return std::nullopt;
    const auto work = std::ranges::find_if(violations, [&](const Violation& violation) {
        return std::ranges::all_of(violation.operations, [&](std::size_t operation) {
            return std::holds_alternative<Execute>(schedule.operations[operation].what);
        });
    });
    return std::move(work == violations.end() ? violations.front() : *work);
}

}  // namespace

// An empty piece of work stands in the wait's place, so that positions stay what they are.
Schedule without(const Schedule& schedule, std::size_t wait) {
    Schedule less = schedule;
    less.operations[wait].what = Execute{.name = "nothing", .accesses = {}, .bundle = false, .duration_ns = 0};
    return less;
}

std::vector<WaitFinding> find_wait_roles(const Schedule& schedule, Rules rules) {
    std::vector<WaitFinding> findings;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const Operation& operation = schedule.operations[i];
        if (!std::holds_alternative<Wait>(operation.what)) continue;
        WaitFinding finding{
            .wait = i, .role = WaitRole::kRedundant, .shown_by = first_violation(without(schedule, i), rules)};
        if (finding.shown_by) {
            finding.role = WaitRole::kNecessary;
        } else if (schedule.actors[operation.actor.value].kind == ActorKind::kHost) {
            finding.role = WaitRole::kThrottle;
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace heapwright::engines
