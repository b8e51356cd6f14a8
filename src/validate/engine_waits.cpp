#include "validate/engine_waits.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "engines/wait_roles.hpp"

namespace heapwright::validate {
namespace {

model::WaitRole role_of(engines::WaitRole role) {
    switch (role) {
        case engines::WaitRole::kNecessary: return model::WaitRole::kNecessary;
        case engines::WaitRole::kThrottle: return model::WaitRole::kThrottle;
        case engines::WaitRole::kRedundant: break;
    }
    return model::WaitRole::kRedundant;
}

// "pre-pass and lighting"; empty for a wait that orders nothing.
std::string ordered_work(const engines::Schedule& schedule, const engines::WaitFinding& found) {
    std::string names;
    if (!found.shown_by) return names;
    for (const std::size_t operation : found.shown_by->operations) {
        const auto* execution = std::get_if<engines::Execute>(&schedule.operations[operation].what);
        if (execution != nullptr) names += (names.empty() ? "" : " and ") + execution->name;
    }
    return names;
}

using Kind = std::tuple<std::uint32_t, std::uint32_t, engines::WaitRole, std::string>;  // actor, fence

struct Entry {
    std::uint64_t first_value = 0;
    std::uint64_t count = 0;
    std::size_t position = 0;  // in the findings
};

}  // namespace

std::vector<model::WaitFinding> wait_findings(const engines::Schedule& schedule, engines::Rules rules) {
    std::vector<model::WaitFinding> findings;
    std::map<Kind, Entry> entries;
    for (const engines::WaitFinding& found : engines::find_wait_roles(schedule, rules)) {
        const engines::Operation& operation = schedule.operations[found.wait];
        const auto& wait = std::get<engines::Wait>(operation.what);
        Entry& entry = entries[{operation.actor.value, wait.fence.value, found.role, ordered_work(schedule, found)}];
        if (entry.count++ != 0) continue;
        entry.first_value = wait.value;
        entry.position = findings.size();
        findings.push_back({.wait = {},
                            .role = role_of(found.role),
                            .shown_by = found.shown_by ? found.shown_by->statement : std::string()});
    }
    for (const auto& [key, entry] : entries) {
        std::string text = fmt::format("{} waits for {} >= {}", schedule.actors[std::get<0>(key)].name,
                                       schedule.fences[std::get<1>(key)].name, entry.first_value);
        if (entry.count > 1) text += fmt::format(", and {} more like it", entry.count - 1);
        findings[entry.position].wait = std::move(text);
    }
    return findings;
}

}  // namespace heapwright::validate
