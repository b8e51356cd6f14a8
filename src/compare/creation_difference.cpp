#include "compare/creation_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compare/measured_figure.hpp"
#include "model/names.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::CreationCurve;
using model::CreationMeasurements;

constexpr std::string_view kCreationsRoot = "/volatile/creations";

// As the probe names it in `skipped`.
std::string object_of(const CreationCurve& curve) {
    return fmt::format("{}{}", name_of(curve.object), curve.memory_priority ? " with memoryPriority" : "");
}

std::string key_of(const CreationCurve& curve) {
    return fmt::format("{}/{}", kCreationsRoot, object_of(curve));
}

std::map<std::string, Figure> times_of(const CreationMeasurements& measured) {
    const auto pair_ns = [](std::uint64_t pairs_per_s) {
        return 1e9 / static_cast<double>(std::max<std::uint64_t>(pairs_per_s, 1));
    };
    std::map<std::string, Figure> times;
    for (const CreationCurve& curve : measured.curves) {
        for (const model::CreationPoint& point : curve.points) {
            times.emplace(fmt::format("{}/threads {}/pair_ns", key_of(curve), point.threads),
                          Figure{.least = pair_ns(point.most_pairs_per_s),
                                 .median = pair_ns(point.pairs_per_s),
                                 .p90 = pair_ns(point.least_pairs_per_s),
                                 .of = fmt::format("{}, {} processors", curve.description, measured.processors)});
        }
    }
    return times;
}

// Why the run lacks the curve through no fault of the device.
std::string excuse(const CreationMeasurements& run, const CreationCurve& curve) {
    const bool had_no_time = std::ranges::any_of(run.skipped, [&](const std::string& skipped) {
        return skipped.starts_with(object_of(curve) + " by ") && skipped.ends_with(model::kTimeWasUp);
    });
    return had_no_time ? std::string(model::kTimeWasUp) : std::string();
}

void compare_curves(const CreationMeasurements& from, const CreationMeasurements& to, CostDifferences& result) {
    for (const CreationCurve& curve : from.curves) {
        if (find_curve(to, curve.object, curve.memory_priority) != nullptr) {
            ++result.same_fields;
            continue;
        }
        std::string reason = excuse(to, curve);
        const ChangeStatus status = reason.empty() ? ChangeStatus::kMissing : ChangeStatus::kInconclusive;
        result.changes.push_back(
            {.path = key_of(curve), .status = status, .from = "measured", .reason = std::move(reason)});
    }
    for (const CreationCurve& curve : to.curves) {
        if (find_curve(from, curve.object, curve.memory_priority) != nullptr) continue;
        std::string reason = excuse(from, curve);
        const ChangeStatus status = reason.empty() ? ChangeStatus::kNew : ChangeStatus::kInconclusive;
        result.changes.push_back(
            {.path = key_of(curve), .status = status, .to = "measured", .reason = std::move(reason)});
    }
}

}  // namespace

CostDifferences compare_creations(std::span<const model::DeviceReport* const> baselines,
                                  const model::DeviceReport& other, const NoiseOptions& options, bool costs) {
    CostDifferences result;
    FigureComparison figures(options, FigureKind::kTime);
    bool first = true;
    for (const model::DeviceReport* baseline : baselines) {
        if (!baseline->run.creations) continue;
        if (!other.run.creations) {
            std::string reason = why_not_measured(other, model::kCreationsOutOfTime);
            const auto status = reason.empty() ? ChangeStatus::kMissing : ChangeStatus::kInconclusive;
            result.changes.push_back({.path = std::string(kCreationsRoot),
                                      .status = status,
                                      .from = "measured",
                                      .reason = std::move(reason)});
            return result;
        }
        const CreationMeasurements& from = *baseline->run.creations;
        const CreationMeasurements& to = *other.run.creations;
        // The first run stands for what is measured at all.
        if (first) compare_curves(from, to, result);
        first = false;
        if (costs) figures.add(times_of(from), times_of(to), unlike_loads(from.load, to.load, options));
    }
    figures.finish(result);
    return result;
}

std::vector<std::string> creation_paths(const model::DeviceReport& device, bool costs) {
    std::vector<std::string> paths;
    if (!device.run.creations) return paths;
    for (const CreationCurve& curve : device.run.creations->curves) paths.push_back(key_of(curve));
    if (!costs) return paths;
    for (const auto& [path, time] : times_of(*device.run.creations)) paths.push_back(path);
    return paths;
}

}  // namespace heapwright::compare
