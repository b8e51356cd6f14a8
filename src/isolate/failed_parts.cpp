#include "isolate/failed_parts.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"
#include "validate/validate.hpp"

namespace heapwright::isolate {

Status note_failure(Error error, const char* id, model::DeviceReport& report) {
    if (error.code == ErrorCode::kInterrupted) return fail(std::move(error));
    report.findings.push_back(
        {.id = id,
         .severity = probe::is_driver_failure(error) ? model::FindingSeverity::kWarning : model::FindingSeverity::kNote,
         .statement = to_string(error),
         .clause = {},
         .evidence = {}});
    return {};
}

probe::FailureFunction note_failures(const char* id, model::DeviceReport& report) {
    constexpr std::size_t kMostLines = 8;
    // Measurements pass copies of the function on.
    const auto told = std::make_shared<std::set<std::string>>();
    return [id, &report, told](std::string_view part, const Error& error) {
        std::string statement = fmt::format("{}: {}", part, to_string(error));
        if (!told->insert(statement).second) return;
        if (told->size() > kMostLines)
            statement = fmt::format("{} failed besides", counted(told->size() - kMostLines, "part"));
        if (told->size() > kMostLines + 1) {
            const auto last =
                std::ranges::find(report.findings.rbegin(), report.findings.rend(), id, &model::Finding::id);
            last->statement = std::move(statement);
            return;
        }
        report.findings.push_back({.id = id,
                                   .severity = model::FindingSeverity::kWarning,
                                   .statement = std::move(statement),
                                   .clause = {},
                                   .evidence = {}});
    };
}

model::Finding crash_finding(const std::string& reason, const std::string& call, std::string_view what_is_missing) {
    return {.id = "driver-crash",
            .severity = model::FindingSeverity::kViolation,
            .statement = fmt::format("{} in {}; {}", reason, call.empty() ? "an unknown call" : call, what_is_missing),
            .clause = {},
            .evidence = {}};
}

model::Finding failure_finding(const Error& error) {
    return {.id = "probe-cut-short",
            .severity = model::FindingSeverity::kWarning,
            .statement = fmt::format("{}; what follows is missing", to_string(error)),
            .clause = {},
            .evidence = {}};
}

model::DeviceReport left_with(model::DeviceReport facts, model::Finding finding) {
    facts.findings.push_back(std::move(finding));
    return facts;
}

model::DeviceValidation left_with(model::DeviceValidation done, const std::string& step, std::string reason) {
    done.verdict = model::Verdict::kInconclusive;
    done.reason = step.empty() ? reason : step + ": " + reason;
    const auto failed = std::ranges::find(done.scenarios, model::Verdict::kFailed, &model::ScenarioResult::verdict);
    if (failed != done.scenarios.end()) {
        done.verdict = model::Verdict::kFailed;
        done.reason = fmt::format("{}: {}; {}", failed->name, failed->reason, done.reason);
    }
    const std::vector<std::string_view> scenarios = validate::scenario_names();
    if (std::ranges::find(scenarios, step) != scenarios.end()) {
        done.scenarios.push_back({.name = step,
                                  .seed = done.scenarios.front().seed,
                                  .verdict = model::Verdict::kInconclusive,
                                  .reason = std::move(reason)});
    }
    return done;
}

}  // namespace heapwright::isolate
