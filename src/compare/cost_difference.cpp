#include "heapwright/compare/cost_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "heapwright/compare/measured_figure.hpp"
#include "heapwright/compare/memory_layout.hpp"
#include "heapwright/compare/precedence_test.hpp"
#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::MemoryCostCurve;
using model::MemoryCostPoint;

constexpr std::uint64_t kSmallBytes = 1ull << 20;

// By how much the 90th percentile must outgrow the median to be told. Chosen.
constexpr double kTailTold = 4;

struct CostKind {
    std::string_view name;
    std::uint64_t MemoryCostPoint::*median;
    std::uint64_t MemoryCostPoint::*least;
    std::uint64_t MemoryCostPoint::*p90;
    std::uint64_t MemoryCostPoint::*worst;
    std::vector<std::uint64_t> MemoryCostPoint::*outliers;
};
constexpr std::array kCosts{
    CostKind{"allocate", &MemoryCostPoint::allocate_ns, &MemoryCostPoint::allocate_min_ns,
             &MemoryCostPoint::allocate_p90_ns, &MemoryCostPoint::allocate_worst_ns,
             &MemoryCostPoint::allocate_outliers_ns},
    CostKind{"touch", &MemoryCostPoint::touch_ns, &MemoryCostPoint::touch_min_ns, &MemoryCostPoint::touch_p90_ns,
             &MemoryCostPoint::touch_worst_ns, &MemoryCostPoint::touch_outliers_ns},
    CostKind{"free", &MemoryCostPoint::free_ns, &MemoryCostPoint::free_min_ns, &MemoryCostPoint::free_p90_ns,
             &MemoryCostPoint::free_worst_ns, &MemoryCostPoint::free_outliers_ns}};

Sampled sampled(const MemoryCostPoint& point, const CostKind& cost) {
    return {.samples = point.samples - (point.*cost.outliers).size(),
            .least = static_cast<double>(point.*cost.least),
            .median = static_cast<double>(point.*cost.median),
            .p90 = static_cast<double>(point.*cost.p90),
            .worst = static_cast<double>(point.*cost.worst)};
}

double median_of(std::vector<double> values) {
    if (values.empty()) return 1;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : std::sqrt(values[middle - 1] * values[middle]);
}

Sampled scaled(Sampled samples, double factor) {
    samples.least *= factor;
    samples.median *= factor;
    samples.p90 *= factor;
    samples.worst *= factor;
    return samples;
}

// P-values of the points, for "the other is dearer than `factor` times the baseline" and for the opposite, combined.
class Evidence {
public:
    explicit Evidence(double factor) : factor_(factor) {}

    void add(const Sampled& from, const Sampled& to) {
        above_.push_back(p_value_above(scaled(from, factor_), to));
        below_.push_back(p_value_above(to, scaled(from, 1 / factor_)));
    }
    // Two-sided, in the direction of `ratio`.
    [[nodiscard]] double p(double ratio) const {
        return std::min(1.0, 2 * combine_p_values(ratio >= 1 ? above_ : below_));
    }

private:
    double factor_;
    std::vector<double> above_;
    std::vector<double> below_;
};

struct NoisyField {
    std::string path;
    std::string unlike;      // why the two cannot be judged; empty when they can
    double p = 1;            // that the costs differ by no more than between two runs of one build
    double p_of_spread = 1;  // that they differ by no more than within a run
    double least_ratio = 2;  // by which two runs of one build may differ
    double reachable = 1;    // the least p-value that the sample counts allow
    double ratio = 1;
    double tail_ratio = 1;  // by which the 90th percentile grew beyond what the median did
    std::uint64_t points = 0;
    std::vector<double> from;
    std::vector<double> to;
};

std::string unsettled_text(std::string_view which, model::Steadiness steadiness) {
    return fmt::format("{} had {}", which,
                       steadiness == model::Steadiness::kDidNotSettle
                           ? "not settled"
                           : "too few samples to tell whether it had settled");
}

// Whether a size of a curve had settled; empty: nothing says so.
std::optional<model::Steadiness> steadiness_of(const MemoryCostCurve& curve, const MemoryCostPoint& point,
                                               bool dedicated) {
    if (point.steadiness) return point.steadiness;
    if (dedicated || !curve.steadiness) return std::nullopt;
    return curve.steadiness->answer;
}

// What the runs of a baseline say of each other, by field.
struct Spreads {
    std::size_t runs = 1;
    std::map<std::string, double> ratios;  // the largest of two runs' medians
};

double least_ratio_of(const std::string& path, const NoiseOptions& options, const Spreads& spreads) {
    const auto found = spreads.ratios.find(path);
    if (found == spreads.ratios.end()) return options.least_ratio;
    if (spreads.runs >= kRunsThatTell) return kBeyondSpread * found->second;
    return std::max(options.least_ratio, found->second);
}

// Of memory for anything, or dedicated to an image.
struct CostPoints {
    std::string_view prefix;
    std::vector<MemoryCostPoint> MemoryCostCurve::*points;
};
constexpr std::array kCostPoints{CostPoints{"", &MemoryCostCurve::points},
                                 CostPoints{"dedicated_image_", &MemoryCostCurve::dedicated_image_points}};

std::string cost_path(const std::string& type, const CostPoints& of, const CostKind& cost, bool small) {
    return fmt::format("/volatile/memory_cost/{}/{}{}_ns/{}", type, of.prefix, cost.name,
                       small ? "up_to_1_MiB" : "above_1_MiB");
}

std::string outliers_path(const std::string& type, const CostPoints& of, const CostKind& cost) {
    return fmt::format("/volatile/memory_cost/{}/{}{}_outliers_ns", type, of.prefix, cost.name);
}

std::string count_path(const std::string& type) {
    return fmt::format("/volatile/memory_cost/{}/allocation_count/reached", type);
}

// Sizes that both runs measured.
struct SharedSizes {
    std::vector<std::pair<const MemoryCostPoint*, const MemoryCostPoint*>> points;
    std::string unlike;  // why they tell nothing; empty: they do
};

// Those that had settled in both runs; where none had, all of them, which then tell nothing.
SharedSizes shared_sizes(const MemoryCostCurve& baseline, const MemoryCostCurve& other, const CostPoints& of,
                         const CostKind& cost, bool small) {
    SharedSizes settled;
    SharedSizes unsettled;
    const bool dedicated = of.points == &MemoryCostCurve::dedicated_image_points;
    const std::vector<MemoryCostPoint>& others = other.*of.points;
    for (const MemoryCostPoint& point : baseline.*of.points) {
        if ((point.size_bytes <= kSmallBytes) != small) continue;
        const auto same = std::ranges::find(others, point.size_bytes, &MemoryCostPoint::size_bytes);
        if (same == others.end()) continue;
        if (point.*cost.worst == 0 || (*same).*cost.worst == 0) continue;  // not measured: not host visible, or gone
        std::string unlike;
        for (const auto& [curve, size, which] :
             {std::tuple{&baseline, &point, "the baseline's run"}, std::tuple{&other, &*same, "the other run"}}) {
            const auto steadiness = steadiness_of(*curve, *size, dedicated);
            if (unlike.empty() && steadiness && *steadiness != model::Steadiness::kSteady)
                unlike = unsettled_text(which, *steadiness);
        }
        (unlike.empty() ? settled : unsettled).points.emplace_back(&point, &*same);
        if (unsettled.unlike.empty()) unsettled.unlike = std::move(unlike);
    }
    return settled.points.empty() ? unsettled : settled;
}

std::optional<NoisyField> test_field(const MemoryCostCurve& baseline, const MemoryCostCurve& other,
                                     const CostPoints& of, const CostKind& cost, bool small, const std::string& type,
                                     const NoiseOptions& options, const Spreads& spreads) {
    NoisyField field{.path = cost_path(type, of, cost, small)};
    field.least_ratio = least_ratio_of(field.path, options, spreads);
    Evidence between_runs(field.least_ratio);
    Evidence within_a_run(1);
    std::vector<double> reachable;
    std::vector<double> ratios;
    std::vector<double> tails;
    const SharedSizes sizes = shared_sizes(baseline, other, of, cost, small);
    field.unlike = sizes.unlike;
    for (const auto& [point, same] : sizes.points) {
        const Sampled from = sampled(*point, cost);
        const Sampled to = sampled(*same, cost);
        between_runs.add(from, to);
        within_a_run.add(from, to);
        reachable.push_back(least_p_value(from.samples, to.samples));
        ratios.push_back(std::max(1.0, to.median) / std::max(1.0, from.median));
        tails.push_back(std::max(1.0, to.p90) / std::max(1.0, from.p90) / ratios.back());
        field.from.push_back(from.median);
        field.to.push_back(to.median);
    }
    if (ratios.empty()) return std::nullopt;
    field.points = ratios.size();
    field.ratio = median_of(ratios);
    field.tail_ratio = median_of(tails);
    field.p = between_runs.p(field.ratio);
    field.p_of_spread = within_a_run.p(field.ratio);
    field.reachable = std::min(1.0, 2 * combine_p_values(reachable));
    return field;
}

model::FieldChange describe(const NoisyField& field, ChangeStatus status, double p, double threshold,
                            std::string_view remark = "") {
    return {
        .path = field.path,
        .field_class = model::FieldClass::kNoisy,
        .status = status,
        .from = duration_text(median_of(field.from)),
        .to = duration_text(median_of(field.to)),
        .reason = fmt::format("{:.2f} times the cost over {}, p = {:.2g}{}", field.ratio, counted(field.points, "size"),
                              p, remark),
        .test = model::NoisyTest{.p_value = p, .alarm_below = threshold, .ratio = field.ratio, .points = field.points}};
}

bool is_large(const NoisyField& field, double ratio, const NoiseOptions& options) {
    return std::max(field.ratio, 1 / field.ratio) >= ratio &&
           std::abs(median_of(field.to) - median_of(field.from)) >= options.least_difference_ns;
}

// Told, and judged by nothing.
void tell_unlike(const NoisyField& field, const NoiseOptions& options, CostDifferences& result) {
    if (is_large(field, options.told_ratio, options))
        result.changes.push_back(describe(field, ChangeStatus::kInconclusive, field.p, 0, "; " + field.unlike));
    else
        ++result.same_fields;
}

// Holm: the smallest p is compared with rate / n, the next with rate / (n - 1), ... up to the first that is not below.
void judge(std::vector<NoisyField>& fields, const NoiseOptions& options, CostDifferences& result) {
    std::erase_if(fields, [&](const NoisyField& field) {
        if (!field.unlike.empty()) tell_unlike(field, options, result);
        return !field.unlike.empty();
    });
    std::sort(fields.begin(), fields.end(), [](const NoisyField& one, const NoisyField& other) {
        return one.p != other.p ? one.p < other.p : one.path < other.path;
    });
    bool rejecting = true;
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const NoisyField& field = fields[index];
        const double threshold = options.false_alarm_rate / static_cast<double>(fields.size() - index);
        rejecting = rejecting && field.p < threshold;
        if (rejecting && is_large(field, field.least_ratio, options)) {
            const auto status = field.ratio > 1 ? ChangeStatus::kRegressed : ChangeStatus::kImproved;
            result.changes.push_back(describe(field, status, field.p, threshold));
        } else if (is_large(field, field.least_ratio, options) && field.reachable >= threshold) {
            result.changes.push_back(
                describe(field, ChangeStatus::kInconclusive, field.p, threshold, ", too few samples to tell"));
        } else if (is_large(field, options.told_ratio, options) && field.p_of_spread < threshold) {
            result.changes.push_back(describe(
                field, ChangeStatus::kInconclusive, field.p_of_spread, threshold,
                fmt::format(" within a run; two runs of one build may differ by {:.3g} times", field.least_ratio)));
        } else if (field.tail_ratio >= kTailTold) {
            result.changes.push_back(describe(
                field, ChangeStatus::kInconclusive, field.p, threshold,
                fmt::format("; one call in ten takes {:.3g} times as long as it did", field.tail_ratio * field.ratio)));
        } else {
            ++result.same_fields;
        }
    }
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
        change.reason = fmt::format("the other run stopped by itself: {}", to.stopped_by);
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

std::vector<NoisyField> fields_of(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                  const NoiseOptions& options, const Spreads& spreads) {
    const MemoryLayout from = layout_of(baseline);
    const TypeTranslation translation(from, layout_of(other));
    std::vector<NoisyField> fields;
    for (const MemoryCostCurve& curve : baseline.run.memory_cost) {
        const auto type = translation.type(curve.memory_type);
        if (!type) continue;
        const auto same = std::ranges::find(other.run.memory_cost, *type, &MemoryCostCurve::memory_type);
        if (same == other.run.memory_cost.end()) continue;
        const std::string unlike = unlike_loads(curve.load, same->load, options);
        for (const CostPoints& of : kCostPoints) {
            for (const CostKind& cost : kCosts) {
                for (const bool small : {true, false}) {
                    auto field =
                        test_field(curve, *same, of, cost, small, from.types[curve.memory_type], options, spreads);
                    if (!field) continue;
                    if (field->unlike.empty()) field->unlike = unlike;
                    fields.push_back(std::move(*field));
                }
            }
        }
    }
    return fields;
}

Spreads spreads_of(std::span<const model::DeviceReport* const> baselines, const NoiseOptions& options) {
    Spreads spreads{.runs = baselines.size(), .ratios = {}};
    for (std::size_t one = 0; one < baselines.size(); ++one) {
        for (std::size_t two = one + 1; two < baselines.size(); ++two) {
            for (const NoisyField& field : fields_of(*baselines[one], *baselines[two], options, {})) {
                if (!field.unlike.empty()) continue;
                double& largest = spreads.ratios.try_emplace(field.path, 1).first->second;
                largest = std::max({largest, field.ratio, 1 / field.ratio});
            }
        }
    }
    return spreads;
}

// Of one field against several runs: the run that is nearest, among those under like conditions.
bool is_nearer(const NoisyField& one, const NoisyField& other) {
    if (one.unlike.empty() != other.unlike.empty()) return one.unlike.empty();
    return std::abs(std::log(one.ratio)) < std::abs(std::log(other.ratio));
}

void compare_figures(std::span<const model::DeviceReport* const> baselines, const model::DeviceReport& other,
                     const NoiseOptions& options, CostDifferences& result) {
    FigureComparison figures(options, FigureKind::kBandwidth);
    const auto first = std::ranges::find_if(baselines, [](const auto* run) { return !run->run.memory_cost.empty(); });
    for (const model::DeviceReport* baseline : baselines) {
        const MemoryLayout from = layout_of(*baseline);
        const TypeTranslation translation(from, layout_of(other));
        for (const MemoryCostCurve& curve : baseline->run.memory_cost) {
            const auto type = translation.type(curve.memory_type);
            if (!type) continue;
            const auto same = std::ranges::find(other.run.memory_cost, *type, &MemoryCostCurve::memory_type);
            if (same == other.run.memory_cost.end()) continue;
            const std::string& name = from.types[curve.memory_type];
            figures.add(bandwidths(curve, name), bandwidths(*same, name),
                        unlike_loads(curve.load, same->load, options));
            if (baseline != *first) continue;
            compare_count(curve, *same, name, result);
            compare_outliers(curve, *same, name, result);
        }
    }
    figures.finish(result);
}

}  // namespace

CostDifferences compare_costs(std::span<const model::DeviceReport* const> baselines, const model::DeviceReport& other,
                              const NoiseOptions& options) {
    const Spreads spreads = spreads_of(baselines, options);
    std::map<std::string, NoisyField> nearest;
    for (const model::DeviceReport* baseline : baselines) {
        for (NoisyField& field : fields_of(*baseline, other, options, spreads)) {
            const auto [known, is_new] = nearest.try_emplace(field.path, field);
            if (!is_new && is_nearer(field, known->second)) known->second = std::move(field);
        }
    }
    std::vector<NoisyField> fields;
    for (auto& [path, field] : nearest) fields.push_back(std::move(field));
    CostDifferences result;
    compare_figures(baselines, other, options, result);
    judge(fields, options, result);
    return result;
}

CostDifferences compare_costs(const model::DeviceReport& baseline, const model::DeviceReport& other,
                              const NoiseOptions& options) {
    const model::DeviceReport* const only = &baseline;
    return compare_costs(std::span(&only, 1), other, options);
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
                for (const bool small : {true, false}) paths.push_back(cost_path(type, of, cost, small));
            }
        }
    }
    return paths;
}

}  // namespace heapwright::compare
