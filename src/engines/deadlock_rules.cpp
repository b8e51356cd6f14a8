#include "engines/rules.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heapwright::engines {
namespace {

class Deadlocks {
public:
    Deadlocks(const Schedule& schedule, const Progress& progress)
        : schedule_(schedule), blocked_(progress.blocked), ran_(schedule.operations.size(), false) {
        for (const std::size_t operation : progress.order) ran_[operation] = true;
        for (const Blocked& blocked : blocked_) behind_.push_back(find_behind(blocked));
    }

    std::vector<Violation> report() const {
        std::vector<Violation> violations;
        std::vector<bool> told(blocked_.size(), false);
        for (std::size_t i = 0; i < blocked_.size(); ++i) {
            if (told[i]) continue;
            violations.push_back(explain(i));
            if (!in_circle(i)) continue;
            for (std::size_t other = behind_[i]->wait; other != i; other = behind_[other]->wait) told[other] = true;
        }
        return violations;
    }

private:
    // Why the first signal of a blocked wait does not run.
    struct Behind {
        std::size_t wait = 0;     // in blocked_
        bool same_queue = false;  // else the actor stands at work that is not submitted, because a host waits
    };

    std::optional<std::size_t> blocked_at(ActorIndex actor) const {
        const auto found = std::ranges::find_if(
            blocked_, [&](const Blocked& blocked) { return schedule_.operations[blocked.operation].actor == actor; });
        if (found == blocked_.end()) return std::nullopt;
        return static_cast<std::size_t>(found - blocked_.begin());
    }

    std::optional<Behind> find_behind(const Blocked& blocked) const {
        if (blocked.signals.empty()) return std::nullopt;
        const ActorIndex actor = schedule_.operations[blocked.signals.front()].actor;
        if (const auto wait = blocked_at(actor)) return Behind{*wait, true};
        std::size_t next = 0;
        while (ran_[next] || schedule_.operations[next].actor != actor) ++next;
        if (const auto wait = blocked_at(schedule_.operations[next].submitter)) return Behind{*wait, false};
        return std::nullopt;
    }

    bool in_circle(std::size_t start) const {
        std::size_t at = start;
        for (std::size_t steps = 0; steps < blocked_.size() && behind_[at]; ++steps) {
            at = behind_[at]->wait;
            if (at == start) return true;
        }
        return false;
    }

    std::string needs(std::size_t at) const {
        std::vector<std::string> signals;
        for (const std::size_t signal : blocked_[at].signals) signals.push_back(describe(schedule_, signal));
        return fmt::format("needs {}, {} {} {}", fmt::join(signals, " or "),
                           signals.size() > 1 ? "the first of which" : "which",
                           behind_[at]->same_queue ? "stands behind" : "is submitted only after",
                           describe(schedule_, blocked_[behind_[at]->wait].operation));
    }

    // Follows what holds the wait back until it comes to a wait of a circle, back to this one, or to one that nothing
    // holds back because nothing is to come.
    Violation explain(std::size_t start) const {
        Violation violation{
            Rule::kDeadlock, {}, describe(schedule_, blocked_[start].operation) + " waits for ever: it "};
        std::size_t at = start;
        const auto visit = [&] { violation.operations.push_back(blocked_[at].operation); };
        visit();
        while (behind_[at]) {
            violation.operations.push_back(blocked_[at].signals.front());
            violation.statement += needs(at);
            at = behind_[at]->wait;
            if (at == start) return violation;
            visit();
            violation.statement += "; that ";
            if (in_circle(at) && !in_circle(start)) {
                violation.statement += "waits in a circle";
                return violation;
            }
        }
        violation.statement += fmt::format(
            "finds the fence at {}, and no signal of the value that it needs comes later", blocked_[at].fence_value);
        return violation;
    }

    const Schedule& schedule_;
    const std::vector<Blocked>& blocked_;
    std::vector<bool> ran_;                      // by operation
    std::vector<std::optional<Behind>> behind_;  // by blocked wait
};

}  // namespace

std::vector<Violation> check_deadlocks(const Schedule& schedule, const Progress& progress) {
    return Deadlocks(schedule, progress).report();
}

}  // namespace heapwright::engines
