// The statistical test on measured costs: its false alarms and what it finds.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "compare/cost_difference.hpp"
#include "compare/precedence_test.hpp"
#include "core/random.hpp"
#include "heapwright/model/report.hpp"

namespace noise_test {

using namespace heapwright;
using compare::NoiseOptions;
using model::ChangeStatus;
using model::MemoryCostPoint;

namespace {

constexpr int kPairs = 1000;

// Log-normal with a heavy tail: one run in twelve is interrupted and takes several times as long.
class CostSource {
public:
    explicit CostSource(std::uint64_t seed) : random_(seed) {}

    std::uint64_t draw(double median_ns, double sigma) {
        const double normal =
            std::sqrt(-2 * std::log(1 - random_.unit())) * std::cos(2 * 3.14159265358979 * random_.unit());
        double cost = median_ns * std::exp(sigma * normal);
        if (random_.unit() < 1.0 / 12) cost *= 2 + 8 * random_.unit();
        return static_cast<std::uint64_t>(cost);
    }

private:
    Random random_;
};

void fill(CostSource& source, std::uint32_t samples, double median_ns, double sigma, std::uint64_t& median,
          std::uint64_t& least, std::uint64_t& p90, std::uint64_t& worst) {
    std::vector<std::uint64_t> values;
    for (std::uint32_t sample = 0; sample < samples; ++sample) values.push_back(source.draw(median_ns, sigma));
    std::sort(values.begin(), values.end());
    least = values.front();
    median = values[(values.size() - 1) / 2];
    p90 = values[(values.size() * 9 + 9) / 10 - 1];
    worst = values.back();
}

// Three memory types measured as the probe does it: up to 15 runs a size, fewer of the dear ones. `moment` is what the
// machine makes of every cost while the report is measured.
model::DeviceReport measured(CostSource& source, double allocate_factor, double moment = 1) {
    model::DeviceReport device;
    device.heaps = {{.size_bytes = 8ull << 30, .flags = 1}, {.size_bytes = 16ull << 30}};
    device.memory_types = {{.heap_index = 0, .property_flags = 1},
                           {.heap_index = 1, .property_flags = 6},
                           {.heap_index = 1, .property_flags = 14}};
    for (std::uint32_t type = 0; type < 3; ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (int step = 0; step < 7; ++step) {
            const std::uint64_t size = 65536ull << (2 * step);
            const std::uint32_t samples = step < 5 ? 15 : step == 5 ? 5 : 3;
            MemoryCostPoint point{.size_bytes = size, .samples = samples};
            const double scale = moment * (10'000.0 + static_cast<double>(size) / 200);
            const double factor = type == 0 ? allocate_factor : 1;
            fill(source, samples, scale * factor, 0.25, point.allocate_ns, point.allocate_min_ns, point.allocate_p90_ns,
                 point.allocate_worst_ns);
            fill(source, samples, scale * 2, 0.4, point.touch_ns, point.touch_min_ns, point.touch_p90_ns,
                 point.touch_worst_ns);
            fill(source, samples, scale / 3, 0.6, point.free_ns, point.free_min_ns, point.free_p90_ns,
                 point.free_worst_ns);
            curve.points.push_back(point);
        }
        device.run.memory_cost.push_back(std::move(curve));
    }
    return device;
}

struct Alarms {
    int pairs = 0;
    int regressions_of_type_0 = 0;
};

Alarms count_alarms(double factor, const NoiseOptions& options, double spread_of_moments = 0) {
    Alarms alarms;
    CostSource source(7);
    Random moments(13);
    const auto moment = [&] { return std::exp(spread_of_moments * (moments.unit() - 0.5)); };
    for (int pair = 0; pair < kPairs; ++pair) {
        const model::DeviceReport one = measured(source, 1, moment());
        const model::DeviceReport other = measured(source, factor, moment());
        bool any = false;
        bool found = false;
        for (const model::FieldChange& change : compare::compare_costs(one, other, options).changes) {
            const bool regressed = change.status == ChangeStatus::kRegressed;
            any |= regressed || change.status == ChangeStatus::kImproved;
            found |=
                regressed && change.path.starts_with("/volatile/memory_cost/DEVICE_LOCAL@device_local/allocate_ns");
        }
        alarms.pairs += any ? 1 : 0;
        alarms.regressions_of_type_0 += found ? 1 : 0;
    }
    return alarms;
}

}  // namespace

TEST_CASE("the probability of a precedence is that of the orders that show it") {
    // Of the 6 orders of 2 and 2 values one has both of one above both of the other.
    CHECK_THAT(compare::precedence_probability(2, 2, 2, 1), Catch::Matchers::WithinRel(1.0 / 6, 1e-9));
    CHECK_THAT(compare::precedence_probability(1, 1, 1, 1), Catch::Matchers::WithinRel(0.5, 1e-9));
    // C(22, 15) / C(30, 15): all of 15 above the median of 15 others.
    CHECK_THAT(compare::precedence_probability(15, 8, 15, 1), Catch::Matchers::WithinRel(170544.0 / 155117520.0, 1e-9));
}

TEST_CASE("precedence probabilities agree with drawing") {
    Random random(3);
    constexpr int kDraws = 40'000;
    int above = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        std::array<double, 15> one;
        std::array<double, 15> other;
        for (double& value : one) value = random.unit();
        for (double& value : other) value = random.unit();
        std::ranges::sort(one);
        std::ranges::sort(other);
        above += other[7] > one[13] ? 1 : 0;
    }
    const double expected = compare::precedence_probability(15, 14, 15, 8);
    CHECK_THAT(static_cast<double>(above) / kDraws,
               Catch::Matchers::WithinAbs(expected, 5 * std::sqrt(expected / kDraws)));
}

TEST_CASE("a p-value is no more often small than it says") {
    Random random(11);
    constexpr int kDraws = 20'000;
    int below = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
        std::array<compare::Sampled, 2> sides;
        for (compare::Sampled& side : sides) {
            std::array<double, 15> values;
            for (double& value : values) value = random.unit();
            std::ranges::sort(values);
            side = {.samples = 15, .least = values[0], .median = values[7], .p90 = values[13], .worst = values[14]};
        }
        below += compare::p_value_above(sides[0], sides[1]) <= 0.01 ? 1 : 0;
    }
    // 200 of 20,000 at most, and three standard deviations; and not useless either.
    CHECK(below <= 200 + 42);
    CHECK(below >= 50);
}

TEST_CASE("a thousand pairs of one distribution raise no more alarms than stated") {
    // At the rate of the program: 1 of 1,000 is expected at most; 6 would come by chance once in 1,700 such tests.
    CHECK(count_alarms(1, {}).pairs <= 5);
    // The test alone, at a rate that a thousand pairs can measure: at most 5%, and three standard deviations.
    CHECK(count_alarms(1, {.false_alarm_rate = 0.05, .least_ratio = 1}).pairs <= 50 + 21);
}

TEST_CASE("runs of one build at moments that differ by up to twice the cost raise no more alarms than stated") {
    const double doubled = std::log(2.0);
    CHECK(count_alarms(1, {}, doubled).pairs <= 5);
    // A test of equality fails one pair in five.
    CHECK(count_alarms(1, {.least_ratio = 1}, doubled).pairs >= kPairs / 6);
}

TEST_CASE("a cost of four times is found, and one of twice where the runs are said to be alike") {
    CHECK(count_alarms(4, {}).regressions_of_type_0 >= kPairs * 95 / 100);
    CHECK(count_alarms(2, {.least_ratio = 1}).regressions_of_type_0 >= kPairs * 95 / 100);
}

TEST_CASE("a cost beyond the spread of a run but not of two runs is told, and fails nothing") {
    CostSource source(5);
    const model::DeviceReport one = measured(source, 1);
    const model::DeviceReport other = measured(source, 1.8);
    bool told = false;
    for (const model::FieldChange& change : compare::compare_costs(one, other, {}).changes) {
        CHECK(change.status == ChangeStatus::kInconclusive);
        told |= change.path.find("DEVICE_LOCAL@device_local/allocate_ns") != std::string::npos &&
                change.reason.find("two runs of one build may differ by 2 times") != std::string::npos;
    }
    CHECK(told);
}

TEST_CASE("differences below what clocks and caches tell apart are none") {
    CostSource source(5);
    model::DeviceReport one = measured(source, 1);
    model::DeviceReport other = measured(source, 4);
    for (model::DeviceReport* device : {&one, &other}) {
        for (model::MemoryCostCurve& curve : device->run.memory_cost) {
            std::erase_if(curve.points, [](const MemoryCostPoint& point) { return point.size_bytes > (1u << 20); });
            for (MemoryCostPoint& point : curve.points) {
                for (std::uint64_t MemoryCostPoint::*cost :
                     {&MemoryCostPoint::allocate_ns, &MemoryCostPoint::allocate_min_ns,
                      &MemoryCostPoint::allocate_p90_ns, &MemoryCostPoint::allocate_worst_ns})
                    point.*cost /= 100;
            }
        }
    }
    for (const model::FieldChange& change : compare::compare_costs(one, other, {}).changes)
        CHECK(change.path.find("allocate_ns") == std::string::npos);
}

TEST_CASE("too few samples are inconclusive, never a failure") {
    CostSource source(5);
    model::DeviceReport one = measured(source, 1);
    model::DeviceReport other = measured(source, 4);
    for (model::DeviceReport* device : {&one, &other}) {
        for (model::MemoryCostCurve& curve : device->run.memory_cost) {
            for (MemoryCostPoint& point : curve.points) point.samples = 1;
        }
    }
    bool inconclusive = false;
    for (const model::FieldChange& change : compare::compare_costs(one, other, {}).changes) {
        CHECK(change.status == ChangeStatus::kInconclusive);
        inconclusive |= change.path.find("allocate_ns") != std::string::npos;
    }
    CHECK(inconclusive);
}

TEST_CASE("a bandwidth without a spread has regressed from a quarter on, and is told before") {
    CostSource source(5);
    model::DeviceReport one = measured(source, 1);
    model::DeviceReport other = one;
    one.run.memory_cost[1].host_bandwidth =
        model::HostBandwidth{.bytes_each = 1, .samples = 9, .write_bytes_per_s = 1000, .read_bytes_per_s = 1000};
    other.run.memory_cost[1].host_bandwidth =
        model::HostBandwidth{.bytes_each = 1, .samples = 9, .write_bytes_per_s = 100, .read_bytes_per_s = 500};
    const auto result = compare::compare_costs(one, other, {});
    REQUIRE(result.changes.size() == 2);
    CHECK(result.changes[0].path.ends_with("read_bytes_per_s"));
    CHECK(result.changes[0].status == ChangeStatus::kInconclusive);
    CHECK(result.changes[1].status == ChangeStatus::kRegressed);
    const auto back = compare::compare_costs(other, one, {});
    REQUIRE(back.changes.size() == 2);
    CHECK(back.changes[1].status == ChangeStatus::kImproved);
}

TEST_CASE("the spread of several runs of a baseline is the noise") {
    CostSource source(9);
    std::vector<model::DeviceReport> runs;
    for (int run = 0; run < 6; ++run) runs.push_back(measured(source, 1));
    std::vector<const model::DeviceReport*> baselines;
    for (const model::DeviceReport& run : runs) baselines.push_back(&run);
    const auto regressed = [&](const model::DeviceReport& other) {
        const auto changes = compare::compare_costs(baselines, other, {}).changes;
        return std::ranges::any_of(
            changes, [](const model::FieldChange& change) { return change.status == ChangeStatus::kRegressed; });
    };
    int alarms = 0;
    for (int run = 0; run < 200; ++run) alarms += regressed(measured(source, 1)) ? 1 : 0;
    CHECK(alarms <= 1);
    int found = 0;
    for (int run = 0; run < 200; ++run) found += regressed(measured(source, 4)) ? 1 : 0;
    CHECK(found >= 190);
    // Runs that differ by four times themselves leave four times unjudged.
    const model::DeviceReport dear = measured(source, 4);
    baselines.resize(3);
    baselines.push_back(&dear);
    CHECK_FALSE(regressed(measured(source, 3)));
}

}  // namespace noise_test
