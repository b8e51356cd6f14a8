#include "compare/precedence_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace heapwright::compare {
namespace {

constexpr double kTiny = 1e-300;

double log_factorial(std::uint64_t n) {
    static const std::vector<double> kFirst = [] {
        std::vector<double> logs(1024);
        for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = std::lgamma(static_cast<double>(i) + 1);
        return logs;
    }();
    return n < kFirst.size() ? kFirst[n] : std::lgamma(static_cast<double>(n) + 1);
}

double log_choose(std::uint64_t n, std::uint64_t k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

std::uint64_t median_rank(std::uint64_t n) {
    return (n + 1) / 2;
}
std::uint64_t p90_rank(std::uint64_t n) {
    return (n * 9 + 9) / 10;
}

struct Order {
    double value;
    std::uint64_t rank;
};

std::array<Order, 3> lower_orders(const Sampled& sampled) {
    return {Order{sampled.least, 1}, Order{sampled.median, median_rank(sampled.samples)},
            Order{sampled.p90, p90_rank(sampled.samples)}};
}

std::array<Order, 3> upper_orders(const Sampled& sampled) {
    return {Order{sampled.median, median_rank(sampled.samples)}, Order{sampled.p90, p90_rank(sampled.samples)},
            Order{sampled.worst, sampled.samples}};
}

// Beyond it the number of orders leaves a double; the sum of the events' probabilities bounds their union then.
constexpr std::uint64_t kMostCounted = 400;

// P(any of the precedences that are no more probable than `least`): of all orders of n and m values, drawn as paths of
// steps "next of the n" and "next of the m", those that come to some k-th of the n with fewer than r of the m before
// it.
double union_probability(const Sampled& baseline, const Sampled& other, double least) {
    const std::uint64_t n = baseline.samples;
    const std::uint64_t m = other.samples;
    constexpr double kRounding = 1 + 1e-9;
    std::vector<std::uint64_t> needed(n + 1, 0);  // by k: how many of the m must come before
    double sum = 0;
    for (const Order& high : upper_orders(baseline)) {
        for (const Order& low : lower_orders(other)) {
            const double probability = precedence_probability(n, high.rank, m, low.rank);
            if (probability > least * kRounding) continue;
            sum += probability;
            needed[high.rank] = std::max(needed[high.rank], low.rank);
        }
    }
    if (n + m > kMostCounted) return std::min(1.0, sum);
    const double all = log_choose(n + m, m);
    std::vector<double> paths(m + 1, 1);  // that keep to every bound so far, by how many of the m they have passed
    double hit = 0;
    for (std::uint64_t k = 1; k <= n; ++k) {
        for (std::uint64_t passed = 0; passed < needed[k]; ++passed) {
            const double rest = log_choose(n - k + m - passed, n - k);
            hit += paths[passed] * std::exp(rest - all);
            paths[passed] = 0;
        }
        for (std::uint64_t passed = 1; passed <= m; ++passed) paths[passed] += paths[passed - 1];
    }
    return std::min(1.0, hit);
}

}  // namespace

double precedence_probability(std::uint64_t n, std::uint64_t k, std::uint64_t m, std::uint64_t r) {
    const double all = log_choose(n + m, m);
    double sum = 0;
    // j of the m values lie below the k-th of the n.
    for (std::uint64_t j = 0; j < r; ++j) {
        sum += std::exp(log_choose(k - 1 + j, j) + log_choose(n - k + m - j, m - j) - all);
    }
    return std::min(1.0, sum);
}

double p_value_above(const Sampled& baseline, const Sampled& other) {
    if (baseline.samples == 0 || other.samples == 0) return 1;
    double least = 1;
    for (const Order& high : upper_orders(baseline)) {
        for (const Order& low : lower_orders(other)) {
            if (low.value > high.value)
                least = std::min(least, precedence_probability(baseline.samples, high.rank, other.samples, low.rank));
        }
    }
    return least < 1 ? union_probability(baseline, other, least) : 1;
}

double least_p_value(std::uint64_t baseline_samples, std::uint64_t other_samples) {
    if (baseline_samples == 0 || other_samples == 0) return 1;
    return precedence_probability(baseline_samples, baseline_samples, other_samples, 1);
}

double combine_p_values(std::span<const double> p_values) {
    if (p_values.empty()) return 1;
    double half = 0;  // of -2 sum(ln p), which has a chi-squared distribution with 2 k degrees of freedom
    for (const double p : p_values) half -= std::log(std::max(p, kTiny));
    double term = 1;
    double sum = 1;
    for (std::size_t i = 1; i < p_values.size(); ++i) {
        term *= half / static_cast<double>(i);
        sum += term;
    }
    return std::min(1.0, std::exp(-half) * sum);
}

}  // namespace heapwright::compare
