#include "validate/played_again.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "validate/promises.hpp"

namespace heapwright::validate {
namespace {

bool is_broken(const model::Promise& promise) {
    return promise.verdict == model::PromiseVerdict::kBroken;
}

// One fault and one alone: times that were promised.
bool fails_by_times(const model::ScenarioResult& result) {
    if (result.verdict != model::Verdict::kFailed || result.findings_total != 0) return false;
    const auto& promises = result.run.promises;
    return std::ranges::any_of(promises, is_broken) && std::ranges::all_of(promises, [](const model::Promise& promise) {
               return !is_broken(promise) || is_matter_of_time(promise.name.kind);
           });
}

void tell_earlier(model::ScenarioResult& result, const std::vector<model::ScenarioResult>& earlier) {
    std::size_t place = 0;
    for (model::Promise& promise : result.run.promises) {
        std::vector<std::string> broken;
        for (const model::ScenarioResult& one : earlier) {
            if (place < one.run.promises.size() && is_broken(one.run.promises[place]))
                broken.push_back(measured_text(one.run.promises[place]));
        }
        ++place;
        if (broken.empty() || promise.verdict != model::PromiseVerdict::kKept) continue;
        promise.reason = fmt::format("in play {}: {} before", earlier.size() + 1, fmt::join(broken, ", "));
    }
}

}  // namespace

Result<model::ScenarioResult> play_until_times_hold(Clock& clock, std::uint64_t time_limit_ns, const Play& play) {
    const std::uint64_t start_ns = clock.now_ns();
    std::uint64_t left_ns = time_limit_ns;
    std::vector<model::ScenarioResult> earlier;
    while (earlier.size() < kPlaysOfTimes) {
        const std::uint64_t before_ns = clock.now_ns();
        HEAPWRIGHT_ASSIGN(model::ScenarioResult result, play(left_ns));
        if (!fails_by_times(result)) {
            // One that a limit cut short takes nothing back.
            if (result.verdict == model::Verdict::kInconclusive && !earlier.empty()) break;
            tell_earlier(result, earlier);
            return result;
        }
        earlier.push_back(std::move(result));
        const std::uint64_t now_ns = clock.now_ns();
        left_ns = time_limit_ns - std::min(time_limit_ns, now_ns - start_ns);
        if (left_ns < now_ns - before_ns) break;
    }
    model::ScenarioResult& first = earlier.front();
    if (earlier.size() > 1) first.reason += fmt::format("; of {} plays none kept its times", earlier.size());
    return std::move(first);
}

}  // namespace heapwright::validate
