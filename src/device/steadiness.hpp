// Decides from repeated measurements alone whether what is measured has settled.
//
// Rule: with the last 2 * kWindow samples cut into an earlier and a later half, the series is steady when
//   |median(later) - median(earlier)| <= max(kTolerance * median(earlier), 1.4826 * MAD(earlier) * 2 / sqrt(kWindow)),
//   and in no case more than kMostTolerance * median(earlier): a series that swings this far has no level yet,
// and the later half has no trend: of its pairs of samples (i < j), neither the rising nor the falling ones exceed
// the share that Mann and Kendall's test allows at 5% (two-sided) for kWindow samples.
// A series that has not met the rule when kMaxSamples are in "did not settle", which is an answer.
// Sources: Mann 1945, Kendall 1975 (trend); Rousseeuw and Croux 1993 (median absolute deviation).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heapwright::device {

inline constexpr std::size_t kWindow = 8;
inline constexpr std::size_t kMaxSamples = 64;
inline constexpr double kTolerance = 0.02;
inline constexpr double kMostTolerance = 0.10;
inline constexpr int kTrendLimit = 16;  // |S| of Mann and Kendall for 8 samples: P(|S| >= 16) = 0.062, so above it

enum class Steadiness : std::uint8_t { kMeasureMore, kSteady, kDidNotSettle };

struct SteadinessFinding {
    Steadiness answer = Steadiness::kMeasureMore;
    double earlier_median = 0;
    double later_median = 0;
    double allowed_difference = 0;
    int trend = 0;  // rising pairs minus falling pairs of the later half
};

// `samples`, none negative, in the order in which they were taken.
[[nodiscard]] SteadinessFinding judge_steadiness(std::span<const double> samples);

// Whether more samples could still make it steady: there are enough to judge, it is not, and it is not given up.
[[nodiscard]] bool may_still_settle(std::span<const double> samples);

// A long series as one that the rule sees whole: the medians of 2 * kWindow equal blocks of it. Shorter than that, the
// series itself; what does not fill the blocks is left out at its beginning.
[[nodiscard]] std::vector<double> block_medians(std::span<const double> samples);

}  // namespace heapwright::device
