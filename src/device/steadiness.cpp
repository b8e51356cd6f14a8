#include "device/steadiness.hpp"

#include <algorithm>
#include <cmath>

namespace heapwright::device {
namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_absolute_deviation(std::span<const double> values, double around) {
    std::vector<double> deviations;
    for (const double value : values) deviations.push_back(std::abs(value - around));
    return median(std::move(deviations));
}

int trend_of(std::span<const double> values) {
    int trend = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i + 1; j < values.size(); ++j)
            trend += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
    }
    return trend;
}

}  // namespace

SteadinessFinding judge_steadiness(std::span<const double> samples) {
    SteadinessFinding finding;
    if (samples.size() < 2 * kWindow) return finding;
    const std::span<const double> earlier = samples.subspan(samples.size() - 2 * kWindow, kWindow);
    const std::span<const double> later = samples.last(kWindow);
    finding.earlier_median = median({earlier.begin(), earlier.end()});
    finding.later_median = median({later.begin(), later.end()});
    const double spread = 1.4826 * median_absolute_deviation(earlier, finding.earlier_median);
    finding.allowed_difference =
        std::clamp(2 * spread / std::sqrt(static_cast<double>(kWindow)), kTolerance * finding.earlier_median,
                   kMostTolerance * finding.earlier_median);
    finding.trend = trend_of(later);
    const bool level = std::abs(finding.later_median - finding.earlier_median) <= finding.allowed_difference;
    if (level && std::abs(finding.trend) <= kTrendLimit) {
        finding.answer = Steadiness::kSteady;
    } else if (samples.size() >= kMaxSamples) {
        finding.answer = Steadiness::kDidNotSettle;
    }
    return finding;
}

bool may_still_settle(std::span<const double> samples) {
    return samples.size() >= 2 * kWindow && judge_steadiness(samples).answer == Steadiness::kMeasureMore;
}

std::vector<double> block_medians(std::span<const double> samples) {
    constexpr std::size_t kBlocks = 2 * kWindow;
    const std::size_t per_block = samples.size() / kBlocks;
    if (per_block <= 1) return {samples.begin(), samples.end()};
    std::vector<double> medians;
    for (auto rest = samples.last(kBlocks * per_block); !rest.empty(); rest = rest.subspan(per_block))
        medians.push_back(median({rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(per_block)}));
    return medians;
}

}  // namespace heapwright::device
