#include "isolate/failed_parts.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/count_text.hpp"

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

}  // namespace heapwright::isolate
