#include "heapwright/compare/failure_difference.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::ProbeFailure;

// A driver goes by its file's name: the folder is the machine's.
std::string driver_name(const ProbeFailure& failure) {
    const std::size_t slash = failure.driver.find_last_of("/\\");
    std::string name = slash == std::string::npos ? failure.driver : failure.driver.substr(slash + 1);
    return name.empty() ? "driver" : name;
}

using Driver = std::pair<std::string, model::Api>;
using Failures = std::map<Driver, std::map<std::string, const ProbeFailure*>>;  // by call

Failures by_driver(std::span<const ProbeFailure> failures) {
    Failures result;
    for (const ProbeFailure& failure : failures) {
        auto& calls = result[{driver_name(failure), failure.api}];
        const std::string call = failure.last_call.empty() ? "start" : failure.last_call;
        std::string key = call;
        for (int count = 2; calls.contains(key); ++count) key = fmt::format("{}#{}", call, count);
        calls.emplace(std::move(key), &failure);
    }
    return result;
}

void add_one_sided(const Failures& failures, const Failures& others, bool gone,
                   std::map<Driver, model::DeviceComparison>& result) {
    for (const auto& [driver, calls] : failures) {
        const auto other = others.find(driver);
        for (const auto& [call, failure] : calls) {
            if (other != others.end() && other->second.contains(call)) continue;
            model::DeviceIdentity identity;
            identity.name = driver.first;
            identity.api = driver.second;
            auto& comparison =
                result.try_emplace(driver, model::DeviceComparison{.baseline = identity, .other = identity})
                    .first->second;
            std::string segment = call;
            for (char& c : segment) c = c == '/' ? '|' : c;
            model::FieldChange change{.path = fmt::format("/failures/{}", segment),
                                      .status = gone ? ChangeStatus::kImproved : ChangeStatus::kRegressed};
            (gone ? change.from : change.to) = failure->reason.empty() ? "failed" : failure->reason;
            comparison.fields.push_back(std::move(change));
        }
    }
}

}  // namespace

std::vector<model::DeviceComparison> compare_failures(std::span<const ProbeFailure> baseline,
                                                      std::span<const ProbeFailure> other) {
    const Failures from = by_driver(baseline);
    const Failures to = by_driver(other);
    std::map<Driver, model::DeviceComparison> result;
    add_one_sided(from, to, true, result);
    add_one_sided(to, from, false, result);
    std::vector<model::DeviceComparison> comparisons;
    for (auto& [driver, comparison] : result) comparisons.push_back(std::move(comparison));
    return comparisons;
}

}  // namespace heapwright::compare
