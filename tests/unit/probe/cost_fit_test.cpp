#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "probe/cost_fit.hpp"

namespace cost_fit_test {

using namespace heapwright;
using namespace heapwright::probe;

namespace {

constexpr std::uint64_t kMib = 1 << 20;

}  // namespace

TEST_CASE("The spread of samples is their order") {
    const Spread ten = spread({10, 1, 9, 2, 8, 3, 7, 4, 6, 5});
    CHECK(ten.min == 1);
    CHECK(ten.median == 5);
    CHECK(ten.p90 == 9);
    CHECK(ten.worst == 10);
    const Spread one = spread({7});
    CHECK((one.min == 7 && one.median == 7 && one.p90 == 7 && one.worst == 7));
    CHECK(spread({}).worst == 0);
}

TEST_CASE("Few samples far above all others are outliers, more are a mode of their own") {
    std::vector<std::uint64_t> samples{10, 11, 12, 900, 10, 12, 11, 10, 11, 12, 10, 11, 12, 10, 11, 800};
    const SplitSamples split = split_outliers(samples);
    CHECK(split.outliers == std::vector<std::uint64_t>{900, 800});
    CHECK(split.kept.size() == 14);
    CHECK(split.kept.front() == 10);
    samples.back() = 25;  // far out by the quartiles, and not twice the median
    samples[3] = 22;
    CHECK(split_outliers(samples).outliers == std::vector<std::uint64_t>{25});
    for (const std::size_t slow : {3u, 6u, 9u}) samples[slow] = 900;
    CHECK(split_outliers(samples).outliers.empty());
    CHECK(split_outliers(std::vector<std::uint64_t>{10, 10, 10, 10, 10, 10, 900}).outliers.empty());
    CHECK(split_outliers({}).kept.empty());
}

TEST_CASE("A fit says how far samples lie from their point's median, by the middle point") {
    const auto fit = fit_cost(std::vector<CostPoint>{
        {kMib, 100, 90, 150}, {2 * kMib, 200, 100, 220}, {4 * kMib, 400, 380, 1'600}, {8 * kMib, 800, 0, 0}});
    REQUIRE(fit);
    CHECK(fit->least_ratio.value() == Catch::Approx(0.9));
    CHECK(fit->late_ratio.value() == Catch::Approx(1.5));
    CHECK_FALSE(fit_cost(std::vector<CostPoint>{{kMib, 100}, {2 * kMib, 200}})->late_ratio);
}

TEST_CASE("A straight cost is found without error") {
    std::vector<CostPoint> points;
    for (std::uint64_t mib = 1; mib <= 1024; mib *= 4) points.push_back({mib * kMib, 400'000 + mib * 25'000});
    const auto fit = fit_cost(points);
    REQUIRE(fit);
    CHECK(fit->fixed_ns == Catch::Approx(400'000));
    CHECK(fit->ns_per_mib == Catch::Approx(25'000));
    CHECK(fit->largest_relative_error < 1e-9);
}

TEST_CASE("The error of a fit is that of its worst point") {
    const std::vector<CostPoint> points{{1 * kMib, 1'000}, {2 * kMib, 1'000}, {4 * kMib, 4'000}};
    const auto fit = fit_cost(points);
    REQUIRE(fit);
    double worst = 0;
    for (const CostPoint& point : points) {
        const double fitted = fit->fixed_ns + fit->ns_per_mib * static_cast<double>(point.size_bytes) / kMib;
        const double cost = static_cast<double>(point.cost_ns);
        worst = std::max(worst, std::abs(fitted - cost) / cost);
    }
    CHECK(fit->largest_relative_error == Catch::Approx(worst));
    CHECK(worst > 0.1);
}

TEST_CASE("Neither part of a fitted cost is negative") {
    const auto falling = fit_cost(std::vector<CostPoint>{{1 * kMib, 9'000}, {16 * kMib, 3'000}, {64 * kMib, 1'000}});
    REQUIRE(falling);
    CHECK(falling->ns_per_mib == 0);
    CHECK(falling->fixed_ns > 0);
    const auto steep = fit_cost(std::vector<CostPoint>{{1 * kMib, 10}, {2 * kMib, 1'000}, {4 * kMib, 100'000}});
    REQUIRE(steep);
    CHECK(steep->fixed_ns == 0);
    CHECK(steep->ns_per_mib > 0);
}

TEST_CASE("Fewer than two costs fit nothing") {
    CHECK(!fit_cost({}));
    CHECK(!fit_cost(std::vector<CostPoint>{{kMib, 5}}));
    CHECK(!fit_cost(std::vector<CostPoint>{{kMib, 5}, {2 * kMib, 0}}));
}

}  // namespace cost_fit_test
