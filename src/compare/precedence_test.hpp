// Whether one set of measurements lies above another, from what a report keeps of them: least, median, p90 and worst of
// n runs. The test asks how improbable it is, if both came from one distribution, that the r-th smallest of one set is
// above the k-th smallest of the other. That probability depends on n, m, r and k alone (every order of the n + m
// values is equally likely), so no shape of distribution is assumed and ties only make it larger.
//
//   A:  min . median . . p90 worst
//   B:             min . . median . .        P(B's min above A's median) = C(n+m-k, m) / C(n+m, m)
//
// Several pairs (r, k) are looked at. The p-value is the chance of any precedence at least as improbable as the most
// improbable one that is seen, counted over all orders of the values.
// Source: precedence tests, Nelson 1963, "Tables for a precedence life test". Pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>

namespace heapwright::compare {

// Order statistics as a report keeps them: the ceil(n/2)-th and the ceil(0.9 n)-th smallest.
struct Sampled {
    std::uint64_t samples = 0;
    double least = 0;
    double median = 0;
    double p90 = 0;
    double worst = 0;
};

// P(the r-th smallest of m values is above the k-th smallest of n others), both from one continuous distribution.
[[nodiscard]] double precedence_probability(std::uint64_t n, std::uint64_t k, std::uint64_t m, std::uint64_t r);

// One-sided p-value for "`other` lies above `baseline`"; at most 1.
[[nodiscard]] double p_value_above(const Sampled& baseline, const Sampled& other);

// The least p-value that these sample counts can give.
[[nodiscard]] double least_p_value(std::uint64_t baseline_samples, std::uint64_t other_samples);

// Fisher's combination of independent p-values.
[[nodiscard]] double combine_p_values(std::span<const double> p_values);

}  // namespace heapwright::compare
