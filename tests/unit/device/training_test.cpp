#include <catch2/catch_test_macros.hpp>

#include <utility>
#include <vector>

#include "core/random.hpp"
#include "device/measurement_session.hpp"
#include "simulated_driver.hpp"

namespace heapwright::device::test {
namespace {

TrainingWork work_on(SimulatedDriver& driver) {
    return {.run = [&driver]() -> Status {
                static_cast<void>(driver.run_workload());
                return {};
            },
            .drain = []() -> Status { return {}; }};
}

std::vector<double> noisy(std::size_t count, double level, double noise, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> samples;
    for (std::size_t i = 0; i < count; ++i) samples.push_back(level * (1 + noise * (random.unit() - 0.5)));
    return samples;
}

}  // namespace

TEST_CASE("Training ends when the driver wants no more, discards on the first pass alone, and locks down") {
    SimulatedDriver driver({});
    const Result<TrainingResult> result = train(driver, work_on(driver));
    REQUIRE(result);
    CHECK(result->passes == 3);
    CHECK(result->steady);
    CHECK(result->locked_down);
    CHECK(driver.optimised == 12);
    CHECK(driver.cancelled == 0);
    using Change = std::pair<BackgroundProcessingMode, MeasurementsAction>;
    const Change train_first{BackgroundProcessingMode::kAllowIntrusiveMeasurements,
                             MeasurementsAction::kDiscardPrevious};
    const Change train_again{BackgroundProcessingMode::kAllowIntrusiveMeasurements, MeasurementsAction::kKeepAll};
    const Change commit{BackgroundProcessingMode::kDisableProfilingBySystem,
                        MeasurementsAction::kCommitResultsHighPriority};
    CHECK(driver.changes() == std::vector<Change>{train_first, commit, train_again, commit, train_again, commit});
    REQUIRE(restore(driver));
    CHECK(driver.changes().back() == Change{BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll});
}

TEST_CASE("Without developer mode training commits at ordinary priority and stays unlocked") {
    SimulatedDriver driver({.developer_mode = false});
    const Result<TrainingResult> result = train(driver, work_on(driver));
    REQUIRE(result);
    CHECK(result->steady);
    CHECK_FALSE(result->locked_down);
    for (const auto& [mode, action] : driver.changes()) {
        CHECK_FALSE(disables_work(mode));
        CHECK(action != MeasurementsAction::kCommitResultsHighPriority);
    }
}

TEST_CASE("A driver that never settles stops the loop at its limit") {
    SimulatedDriver driver({.settles_after = 0});
    const Result<TrainingResult> result =
        train(driver, work_on(driver), {.max_passes = 5, .commit_timeout_ns = 1u << 31});
    REQUIRE(result);
    CHECK(result->passes == 5);
    CHECK_FALSE(result->steady);
}

TEST_CASE("Background work that hangs is a time limit, and the ordinary mode is back") {
    CompletionEvent release;
    SimulatedDriver driver({.optimisation = [&release] { static_cast<void>(release.wait_for(20'000'000'000)); }});
    const Result<TrainingResult> result =
        train(driver, work_on(driver), {.max_passes = 5, .commit_timeout_ns = 1'000'000});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kTimeLimit);
    CHECK(driver.changes().back() == std::pair{BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll});
    release.signal();
}

TEST_CASE("The steadiness rule waits, settles, and gives up") {
    CHECK(judge_steadiness(noisy(2 * kWindow - 1, 100, 0.02, 1)).answer == Steadiness::kMeasureMore);
    std::size_t steady = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
        steady += judge_steadiness(noisy(2 * kWindow, 100, 0.02, seed)).answer == Steadiness::kSteady ? 1u : 0u;
    CHECK(steady >= 170);  // level series

    std::vector<double> falling;
    for (std::size_t i = 0; i < kMaxSamples; ++i) falling.push_back(1000.0 - 10.0 * static_cast<double>(i));
    CHECK(judge_steadiness(falling).answer == Steadiness::kDidNotSettle);
    CHECK(judge_steadiness(falling).trend == -28);
    // A trend counts from what the tolerance tells apart on.
    std::vector<double> hardly;
    for (std::size_t i = 0; i < 2 * kWindow; ++i) hardly.push_back(1000.0 - 0.1 * static_cast<double>(i));
    CHECK(judge_steadiness(hardly).trend == -28);
    CHECK(judge_steadiness(hardly).answer == Steadiness::kSteady);

    // Two levels at random have a wide spread, and the upper one is gone in the later half.
    std::vector<double> swinging{1000, 300, 1000, 1000, 300, 1000, 300, 1000};
    swinging.insert(swinging.end(), kWindow, 300.0);
    CHECK(judge_steadiness(swinging).answer == Steadiness::kMeasureMore);

    std::vector<double> step = noisy(kWindow, 100, 0.02, 3);
    const std::vector<double> later = noisy(kWindow, 80, 0.02, 4);
    step.insert(step.end(), later.begin(), later.end());
    CHECK(judge_steadiness(step).answer == Steadiness::kMeasureMore);
}

}  // namespace heapwright::device::test
