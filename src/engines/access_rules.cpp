#include "engines/rules.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

namespace heapwright::engines {
namespace {

struct Use {
    std::size_t operation = 0;
    Access access;
};

// A barrier may rewrite the resource as a whole, in any layout; either half of an ownership transfer the bytes that it
// hands over.
struct AccessesOf {
    std::vector<Access> operator()(const Execute& execute) const { return execute.accesses; }
    std::vector<Access> operator()(const Transition& transition) const {
        return {{.resource = transition.resource, .write = true}};
    }
    std::vector<Access> operator()(const ReleaseOwnership& release) const {
        return {{.resource = release.resource, .begin = release.begin, .end = release.end, .write = true}};
    }
    std::vector<Access> operator()(const AcquireOwnership& acquire) const {
        return {{.resource = acquire.resource, .begin = acquire.begin, .end = acquire.end, .write = true}};
    }
    std::vector<Access> operator()(const Present& present) const { return {{.resource = present.resource}}; }
    std::vector<Access> operator()(const Signal&) const { return {}; }
    std::vector<Access> operator()(const Wait&) const { return {}; }
};

std::vector<std::vector<Use>> uses_by_resource(const Schedule& schedule) {
    std::vector<std::vector<Use>> uses(schedule.resources.size());
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        for (const Access& access : std::visit(AccessesOf{}, schedule.operations[i].what))
            uses[access.resource.value].push_back({i, access});
    }
    return uses;
}

bool overlap(const Access& a, const Access& b) {
    return a.begin < b.end && b.begin < a.end;
}

std::optional<Rule> broken(const Access& a, const Access& b, Rules rules) {
    if (a.write && b.write && (rules == Rules::kDirect3D12 || overlap(a, b))) return Rule::kUnorderedWrites;
    if ((a.write || b.write) && overlap(a, b)) return Rule::kUnorderedRead;
    return std::nullopt;
}

std::string range(const Access& access) {
    return describe_range(access.begin, access.end);
}

Violation violation(const Schedule& schedule, Rule rule, const Use& a, const Use& b) {
    const auto verb = [](const Use& use) { return use.access.write ? "writes" : "reads"; };
    return {rule,
            {a.operation, b.operation},
            fmt::format("{}: {} {} {}, and {} {} {}, with no fence between them",
                        schedule.resources[a.access.resource.value].name, describe(schedule, a.operation), verb(a),
                        range(a.access), describe(schedule, b.operation), verb(b), range(b.access))};
}

}  // namespace

std::vector<Violation> check_accesses(const Schedule& schedule, const HappensBefore& order, Rules rules) {
    std::vector<Violation> violations;
    for (const std::vector<Use>& uses : uses_by_resource(schedule)) {
        for (std::size_t i = 0; i < uses.size(); ++i) {
            for (std::size_t j = i + 1; j < uses.size(); ++j) {
                const std::optional<Rule> rule = broken(uses[i].access, uses[j].access, rules);
                if (!rule || !order.unordered(uses[i].operation, uses[j].operation)) continue;
                const Violation found = violation(schedule, *rule, uses[i], uses[j]);
                if (std::find(violations.begin(), violations.end(), found) == violations.end())
                    violations.push_back(found);
            }
        }
    }
    return violations;
}

}  // namespace heapwright::engines
