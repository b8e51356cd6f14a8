#include "compare/measured_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/byte_text.hpp"
#include "core/time_text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;

double at_least_one(double value) {
    return std::max(1.0, value);
}

double ratio_of(const Figure& from, const Figure& to) {
    return at_least_one(to.median) / at_least_one(from.median);
}

// By how much all that is kept of one lies beyond all of the other; below 1 where they overlap.
double apart(const Figure& from, const Figure& to) {
    return std::max(at_least_one(to.least) / at_least_one(from.p90), at_least_one(from.least) / at_least_one(to.p90));
}

double size_of(double ratio) {
    return std::max(ratio, 1 / ratio);
}

std::string text_of(double value, FigureKind kind) {
    if (kind == FigureKind::kBandwidth) return byte_text(static_cast<std::uint64_t>(value)) + "/s";
    return time_text(value);
}

}  // namespace

std::string unlike_loads(const std::optional<model::MachineLoad>& from, const std::optional<model::MachineLoad>& to,
                         const NoiseOptions& options) {
    if (!from && !to) return {};
    if (!from || !to) return "only one run says how busy the machine was";
    const bool alike = std::abs(from->others_share - to->others_share) <= options.alike_others &&
                       std::abs(from->waiting_share - to->waiting_share) <= options.alike_waiting;
    if (alike) return {};
    return fmt::format(
        "other processes took {:.0f}% of the processors and then {:.0f}%, waiting {:.0f}% and then {:.0f}%",
        100 * from->others_share, 100 * to->others_share, 100 * from->waiting_share, 100 * to->waiting_share);
}

void FigureComparison::add(const std::map<std::string, Figure>& from, const std::map<std::string, Figure>& to,
                           const std::string& unlike) {
    for (const auto& [path, one] : from) {
        const auto other = to.find(path);
        if (other == to.end()) continue;
        Pair pair{.from = one, .to = other->second, .unlike = unlike};
        if (one.of != other->second.of)
            pair.unlike = fmt::format("{} and then {}", one.of, other->second.of);
        else if (!one.tells_nothing.empty())
            pair.unlike = one.tells_nothing;
        else if (!other->second.tells_nothing.empty())
            pair.unlike = other->second.tells_nothing;
        const auto [known, is_new] = nearest_.try_emplace(path, pair);
        if (is_new) continue;
        const Pair& held = known->second;
        const bool nearer = pair.unlike.empty() != held.unlike.empty()
                                ? pair.unlike.empty()
                                : size_of(ratio_of(pair.from, pair.to)) < size_of(ratio_of(held.from, held.to));
        if (nearer) known->second = std::move(pair);
    }
}

model::FieldChange FigureComparison::judge(const std::string& path, const Pair& pair) const {
    const double ratio = ratio_of(pair.from, pair.to);
    model::FieldChange change{.path = path,
                              .field_class = model::FieldClass::kNoisy,
                              .status = ChangeStatus::kSame,
                              .from = text_of(pair.from.median, kind_),
                              .to = text_of(pair.to.median, kind_),
                              .reason = fmt::format("{:.3g} times", ratio)};
    const bool tells =
        kind_ == FigureKind::kBandwidth || std::abs(pair.to.median - pair.from.median) >= options_.least_difference_ns;
    if (!tells || size_of(ratio) < options_.told_ratio) return change;
    const bool more_is_better = kind_ == FigureKind::kBandwidth;
    const bool is_better = (ratio > 1) == more_is_better;
    const double beyond = apart(pair.from, pair.to);
    if (!pair.unlike.empty()) {
        change.status = ChangeStatus::kInconclusive;
        change.reason += "; " + pair.unlike;
    } else if (beyond >= options_.least_figure_ratio) {
        change.status = is_better ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
    } else if (beyond >= 1) {
        change.status = ChangeStatus::kInconclusive;
        change.reason += fmt::format("; two runs of one build may differ by {:.3g} times", options_.least_figure_ratio);
    } else {
        change.status = ChangeStatus::kInconclusive;
        change.reason += "; the samples of the two runs overlap";
    }
    return change;
}

void FigureComparison::finish(CostDifferences& result) const {
    for (const auto& [path, pair] : nearest_) {
        model::FieldChange change = judge(path, pair);
        if (change.status == ChangeStatus::kSame)
            ++result.same_fields;
        else
            result.changes.push_back(std::move(change));
    }
}

}  // namespace heapwright::compare
