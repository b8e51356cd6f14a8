#include "compare/cost_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "compare/cost_difference.hpp"
#include "compare/device_pairing.hpp"
#include "compare/measured_figure.hpp"
#include "core/text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::MemoryCostCurve;
using model::MemoryCostPoint;

std::string outliers_path(const std::string& type, const CostPoints& of, const CostKind& cost) {
    return fmt::format("/volatile/memory_cost/{}/{}{}_outliers_ns", type, of.prefix, cost.name);
}

std::string count_path(const std::string& type) {
    return fmt::format("/volatile/memory_cost/{}/allocation_count/reached", type);
}

Figure bandwidth(std::uint64_t bytes_per_s, std::uint64_t bytes_each) {
    const auto value = static_cast<double>(bytes_per_s);
    return {.least = value, .median = value, .p90 = value, .of = byte_text(bytes_each)};
}

std::map<std::string, Figure> bandwidths(const MemoryCostCurve& curve, const std::string& type) {
    if (!curve.host_bandwidth) return {};
    const model::HostBandwidth& measured = *curve.host_bandwidth;
    const std::string path = fmt::format("/volatile/memory_cost/{}/host_bandwidth/", type);
    return {{path + "write_bytes_per_s", bandwidth(measured.write_bytes_per_s, measured.bytes_each)},
            {path + "read_bytes_per_s", bandwidth(measured.read_bytes_per_s, measured.bytes_each)}};
}

// Only a count that the device itself ended says how many it takes.
void compare_count(const MemoryCostCurve& baseline, const MemoryCostCurve& other, const std::string& type,
                   CostDifferences& result) {
    if (!baseline.allocation_count || !other.allocation_count) return;
    const model::AllocationCount& from = *baseline.allocation_count;
    const model::AllocationCount& to = *other.allocation_count;
    model::FieldChange change{.path = count_path(type),
                              .field_class = model::FieldClass::kOrdered,
                              .status = ChangeStatus::kSame,
                              .from = std::to_string(from.reached),
                              .to = std::to_string(to.reached)};
    const bool as_many = to.reached >= from.reached;
    if (from.bytes_each != to.bytes_each) {
        change.status = ChangeStatus::kInconclusive;
        change.reason = fmt::format("of {} each, and then of {}", byte_text(from.bytes_each), byte_text(to.bytes_each));
    } else if (to.limit_hit && !as_many) {
        change.status = ChangeStatus::kRegressed;
        change.reason = fmt::format("the device refused the next allocation: {}", to.stopped_by);
    } else if (from.limit_hit && to.reached > from.reached) {
        change.status = ChangeStatus::kImproved;
        change.reason = "the device refused the next allocation before";
    } else if (!as_many) {
        change.status = ChangeStatus::kInconclusive;
        change.reason = fmt::format("the other run stopped before the device's limit: {}", to.stopped_by);
    }
    if (change.status == ChangeStatus::kSame)
        ++result.same_fields;
    else
        result.changes.push_back(std::move(change));
}

// How many calls took far longer than all others, which the samples leave out.
void compare_outliers(const MemoryCostCurve& baseline, const MemoryCostCurve& other, const std::string& type,
                      CostDifferences& result) {
    for (const CostPoints& of : kCostPoints) {
        for (const CostKind& cost : kCosts) {
            const auto counts = [&](const MemoryCostCurve& curve) {
                std::pair<std::size_t, std::size_t> found{};
                for (const MemoryCostPoint& point : curve.*of.points) {
                    found.first += (point.*cost.outliers).size();
                    found.second += point.samples;
                }
                return found;
            };
            const auto [from, from_samples] = counts(baseline);
            const auto [to, to_samples] = counts(other);
            // Three standard deviations of a rare event's count.
            const double usual = static_cast<double>(from) + 3 * std::sqrt(static_cast<double>(from) + 1);
            if (static_cast<double>(to) <= usual) {
                ++result.same_fields;
                continue;
            }
            result.changes.push_back(
                {.path = outliers_path(type, of, cost),
                 .field_class = model::FieldClass::kNoisy,
                 .status = ChangeStatus::kInconclusive,
                 .from = fmt::format("{} of {}", from, from_samples),
                 .to = fmt::format("{} of {}", to, to_samples),
                 .reason = "calls that took far longer than all others: the driver's doing, or the machine's"});
        }
    }
}

struct SizedFigures {
    std::map<std::string, Figure> figures;
    std::map<std::string, std::string> ranges;  // of each the path of its range
};

SizedFigures sizes_of(const MemoryCostCurve& curve, const std::string& type, std::string_view which_run) {
    SizedFigures sizes;
    for (const CostPoints& of : kCostPoints) {
        for (const CostKind& cost : kCosts) {
            for (const MemoryCostPoint& point : curve.*of.points) {
                if (point.*cost.worst == 0) continue;
                const std::string path = size_path(type, of, cost, point.size_bytes);
                sizes.figures.emplace(path, Figure{.least = static_cast<double>(point.*cost.least),
                                                   .median = static_cast<double>(point.*cost.median),
                                                   .p90 = static_cast<double>(point.*cost.p90),
                                                   .of = fmt::format("{} bytes", point.size_bytes),
                                                   .tells_nothing = why_unsettled(which_run, curve, of, point)});
                sizes.ranges.emplace(path, range_path(type, of, cost, point.size_bytes <= kSmallBytes));
            }
        }
    }
    return sizes;
}

}  // namespace

CostDifferences compare_cost_figures(std::span<const model::DeviceReport* const> baselines,
                                     const model::DeviceReport& other, std::span<const model::FieldChange> told,
                                     const NoiseOptions& options) {
    CostDifferences result;
    FigureComparison bandwidth_figures(options, FigureKind::kBandwidth);
    // Of so many sizes some differ by chance: what a range tells of all is told of one from further on.
    NoiseOptions of_sizes = options;
    of_sizes.told_ratio = options.least_figure_ratio;
    FigureComparison size_figures(of_sizes, FigureKind::kTime);
    std::map<std::string, std::string> ranges;
    const auto first = std::ranges::find_if(baselines, [](const auto* run) { return !run->run.memory_cost.empty(); });
    for (const model::DeviceReport* baseline : baselines) {
        for (const auto& [from, to, type] : shared_curves(*baseline, other)) {
            const std::string unlike = unlike_loads(from->load, to->load, options);
            bandwidth_figures.add(bandwidths(*from, type), bandwidths(*to, type), unlike);
            SizedFigures sizes = sizes_of(*from, type, "the baseline's run");
            size_figures.add(sizes.figures, sizes_of(*to, type, "the other run").figures, unlike);
            ranges.merge(sizes.ranges);
            if (baseline != *first) continue;
            compare_count(*from, *to, type, result);
            compare_outliers(*from, *to, type, result);
        }
    }
    bandwidth_figures.finish(result);
    CostDifferences single;
    size_figures.finish(single);
    std::erase_if(single.changes, [&](const model::FieldChange& change) {
        const auto range = std::ranges::find(told, ranges.at(change.path), &model::FieldChange::path);
        return range != told.end() && (is_failure(range->status) || !is_failure(change.status));
    });
    std::ranges::move(single.changes, std::back_inserter(result.changes));
    result.same_fields += single.same_fields;
    return result;
}

std::vector<std::string> cost_paths(const model::DeviceReport& device) {
    const MemoryLayout layout = layout_of(device);
    std::vector<std::string> paths;
    for (const MemoryCostCurve& curve : device.run.memory_cost) {
        const std::string& type = layout.types[curve.memory_type];
        const std::string root = "/volatile/memory_cost/" + type;
        for (const char* part : {"", "/allocation_count", "/host_bandwidth", "/refused", "/dedicated_image/refused"})
            paths.push_back(root + part);
        if (curve.allocation_count) paths.push_back(count_path(type));
        for (const auto& [path, figure] : bandwidths(curve, type)) paths.push_back(path);
        for (const CostPoints& of : kCostPoints) {
            if ((curve.*of.points).empty()) continue;
            for (const MemoryCostPoint& point : curve.*of.points) {
                paths.push_back(fmt::format("{}{}/{}", root, of.prefix.empty() ? "" : "/dedicated_image",
                                            byte_text(point.size_bytes)));
                paths.push_back(paths.back() + "/touch_ns");
            }
            for (const CostKind& cost : kCosts) {
                paths.push_back(outliers_path(type, of, cost));
                for (const MemoryCostPoint& point : curve.*of.points)
                    paths.push_back(size_path(type, of, cost, point.size_bytes));
                for (const bool small : {true, false}) paths.push_back(range_path(type, of, cost, small));
            }
        }
    }
    return paths;
}

}  // namespace heapwright::compare
