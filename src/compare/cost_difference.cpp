#include "compare/cost_difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "compare/cost_figures.hpp"
#include "compare/device_pairing.hpp"
#include "compare/measured_figure.hpp"
#include "compare/precedence_test.hpp"
#include "core/text.hpp"

namespace heapwright::compare {

namespace {

using model::ChangeStatus;
using model::MemoryCostCurve;
using model::MemoryCostPoint;

// By how much the 90th percentile must outgrow the median to be told. Chosen.
constexpr double kTailTold = 4;

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
    const std::vector<MemoryCostPoint>& others = other.*of.points;
    for (const MemoryCostPoint& point : baseline.*of.points) {
        if ((point.size_bytes <= kSmallBytes) != small) continue;
        const auto same = std::ranges::find(others, point.size_bytes, &MemoryCostPoint::size_bytes);
        if (same == others.end()) continue;
        if (point.*cost.worst == 0 || (*same).*cost.worst == 0) continue;  // not measured: not host visible, or gone
        std::string unlike = why_unsettled("the baseline's run", baseline, of, point);
        if (unlike.empty()) unlike = why_unsettled("the other run", other, of, *same);
        (unlike.empty() ? settled : unsettled).points.emplace_back(&point, &*same);
        if (unsettled.unlike.empty()) unsettled.unlike = std::move(unlike);
    }
    return settled.points.empty() ? unsettled : settled;
}

std::optional<NoisyField> test_field(const MemoryCostCurve& baseline, const MemoryCostCurve& other,
                                     const CostPoints& of, const CostKind& cost, bool small, const std::string& type,
                                     const NoiseOptions& options, const Spreads& spreads) {
    NoisyField field{.path = range_path(type, of, cost, small)};
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
        .from = time_text(median_of(field.from)),
        .to = time_text(median_of(field.to)),
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

std::vector<NoisyField> fields_of(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                  const NoiseOptions& options, const Spreads& spreads) {
    std::vector<NoisyField> fields;
    for (const auto& [from, to, type] : shared_curves(baseline, other)) {
        const std::string unlike = unlike_loads(from->load, to->load, options);
        for (const CostPoints& of : kCostPoints) {
            for (const CostKind& cost : kCosts) {
                for (const bool small : {true, false}) {
                    auto field = test_field(*from, *to, of, cost, small, type, options, spreads);
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
    CostDifferences tested;
    judge(fields, options, tested);
    CostDifferences result = compare_cost_figures(baselines, other, tested.changes, options);
    std::ranges::move(tested.changes, std::back_inserter(result.changes));
    result.same_fields += tested.same_fields;
    return result;
}

CostDifferences compare_costs(const model::DeviceReport& baseline, const model::DeviceReport& other,
                              const NoiseOptions& options) {
    const model::DeviceReport* const only = &baseline;
    return compare_costs(std::span(&only, 1), other, options);
}

std::vector<SharedCurve> shared_curves(const model::DeviceReport& baseline, const model::DeviceReport& other) {
    const MemoryLayout layout = layout_of(baseline);
    const TypeTranslation translation(layout, layout_of(other));
    std::vector<SharedCurve> shared;
    for (const model::MemoryCostCurve& curve : baseline.run.memory_cost) {
        const auto type = translation.type(curve.memory_type);
        if (!type) continue;
        const auto same = std::ranges::find(other.run.memory_cost, *type, &model::MemoryCostCurve::memory_type);
        if (same != other.run.memory_cost.end()) shared.push_back({&curve, &*same, layout.types[curve.memory_type]});
    }
    return shared;
}

std::string cost_root(const std::string& type, const CostPoints& of, const CostKind& cost) {
    return fmt::format("/volatile/memory_cost/{}/{}{}_ns", type, of.prefix, cost.name);
}

std::string range_path(const std::string& type, const CostPoints& of, const CostKind& cost, bool small) {
    return cost_root(type, of, cost) + (small ? "/up_to_1_MiB" : "/above_1_MiB");
}

std::string size_path(const std::string& type, const CostPoints& of, const CostKind& cost, std::uint64_t size_bytes) {
    return fmt::format("{}/{}", cost_root(type, of, cost), byte_text(size_bytes));
}

std::string why_unsettled(std::string_view which_run, const model::MemoryCostCurve& curve, const CostPoints& of,
                          const model::MemoryCostPoint& point) {
    std::optional<model::Steadiness> steadiness = point.steadiness;
    const bool is_dedicated = of.points == &model::MemoryCostCurve::dedicated_image_points;
    if (!steadiness && !is_dedicated && curve.steadiness) steadiness = curve.steadiness->answer;
    if (!steadiness || *steadiness == model::Steadiness::kSteady) return {};
    return fmt::format("{} had {}", which_run,
                       *steadiness == model::Steadiness::kDidNotSettle
                           ? "not settled"
                           : "too few samples to tell whether it had settled");
}

}  // namespace heapwright::compare
