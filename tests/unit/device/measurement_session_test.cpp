// Measuring with a driver that optimises in the background: drain, train, lock down, measure, restore; and without one.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "device/measurement_session.hpp"
#include "simulated_driver.hpp"

namespace heapwright::device::test {
namespace {

struct Bench {
    explicit Bench(SimulatedDriverOptions options) : driver(std::move(options)) {}

    TrainingWork work() {
        return {.run = [this]() -> Status {
                    ++runs;
                    static_cast<void>(driver.run_workload());
                    return {};
                },
                .drain = [this]() -> Status {
                    ++drains;
                    return {};
                }};
    }

    std::vector<double> measure(std::size_t count) {
        std::vector<double> samples;
        for (std::size_t i = 0; i < count; ++i) {
            samples.push_back(static_cast<double>(driver.run_workload()));
            driver.drain_background();
        }
        return samples;
    }

    SimulatedDriver driver;
    std::size_t runs = 0;
    std::size_t drains = 0;
};

}  // namespace

TEST_CASE("A trained driver is locked down while its times are taken, and is back afterwards") {
    Bench bench({.runs_to_act = 4});
    std::optional<MeasurementSession> session;
    {
        Result<MeasurementSession> begun = MeasurementSession::begin(&bench.driver, bench.work());
        REQUIRE(begun);
        session.emplace(std::move(*begun));
    }
    CHECK(bench.runs == 3);
    CHECK(bench.drains == 4);  // once before the first change of mode, once a pass
    CHECK(bench.driver.mode() == BackgroundProcessingMode::kDisableProfilingBySystem);

    const std::vector<double> samples = bench.measure(64);
    for (const double sample : samples) CHECK(sample == SimulatedDriver::kOptimisedNs);
    const model::MeasurementSteadiness steadiness = session->judge(samples);
    CHECK(steadiness.answer == model::Steadiness::kSteady);
    CHECK(steadiness.decided_by == model::SteadinessSource::kDriver);
    CHECK(steadiness.passes == 3);
    CHECK(steadiness.note.find("disabled while measuring") != std::string::npos);

    REQUIRE(session->end());
    CHECK(bench.driver.mode() == BackgroundProcessingMode::kAllowed);
    const std::size_t changes = bench.driver.changes().size();
    session.reset();
    CHECK(bench.driver.changes().size() == changes);  // ended once
}

TEST_CASE("A session that goes out of scope restores the ordinary mode") {
    Bench bench({});
    {
        const auto session = MeasurementSession::begin(&bench.driver, bench.work());
        REQUIRE(session);
        CHECK(disables_work(bench.driver.mode()));
    }
    CHECK(bench.driver.mode() == BackgroundProcessingMode::kAllowed);
}

TEST_CASE("Without developer mode nothing intrudes on the measurements, and the note says what is not held") {
    Bench bench({.developer_mode = false});
    const auto session = MeasurementSession::begin(&bench.driver, bench.work());
    REQUIRE(session);
    CHECK(bench.driver.mode() == BackgroundProcessingMode::kAllowed);
    const model::MeasurementSteadiness steadiness = session->judge(bench.measure(16));
    CHECK(steadiness.answer == model::Steadiness::kSteady);
    CHECK(steadiness.note.find("not in developer mode") != std::string::npos);
}

TEST_CASE("A driver that never settles is an answer of the driver") {
    Bench bench({.settles_after = 0});
    const auto session = MeasurementSession::begin(&bench.driver, bench.work(), {.max_passes = 5});
    REQUIRE(session);
    const model::MeasurementSteadiness steadiness = session->judge(bench.measure(16));
    CHECK(steadiness.answer == model::Steadiness::kDidNotSettle);
    CHECK(steadiness.decided_by == model::SteadinessSource::kDriver);
    CHECK(steadiness.passes == 5);
}

TEST_CASE("Without background processing the measurements decide: settled, still settling, never") {
    const auto judged = [](SimulatedDriverOptions options, std::size_t samples) {
        options.supported = false;  // it optimises, but has no answer
        Bench bench(std::move(options));
        const auto session = MeasurementSession::begin(&bench.driver, bench.work());
        REQUIRE(session);
        CHECK(bench.runs == 0);
        CHECK(bench.driver.changes().empty());
        CHECK_FALSE(session->driver_decides());
        return session->judge(bench.measure(samples));
    };
    const model::MeasurementSteadiness settled = judged({.settles_after = 3, .runs_to_act = 4}, 48);
    CHECK(settled.answer == model::Steadiness::kSteady);
    CHECK(settled.decided_by == model::SteadinessSource::kMeasurements);
    CHECK(settled.passes == 48);
    CHECK(settled.note.find("takes no advantage") != std::string::npos);
    CHECK(judged({.settles_after = 3, .runs_to_act = 8}, 16).answer == model::Steadiness::kDidNotSettle);
    CHECK(judged({.settles_after = 0, .runs_to_act = 8}, 64).answer == model::Steadiness::kDidNotSettle);
    CHECK(judged({.settles_after = 1, .runs_to_act = 4}, 15).answer == model::Steadiness::kTooFewSamples);
}

TEST_CASE("An API without the seam leaves the answer to the measurements") {
    const auto session = MeasurementSession::begin(nullptr, {});
    REQUIRE(session);
    const model::MeasurementSteadiness steadiness = session->judge(std::vector<double>(2 * kWindow, 5.0));
    CHECK(steadiness.answer == model::Steadiness::kSteady);
    CHECK(steadiness.note.find("the API has no background processing") != std::string::npos);
}

TEST_CASE("The work's errors end the session's beginning; the driver's leave the answer to the measurements") {
    Bench bench({});
    TrainingWork broken = bench.work();
    broken.run = []() -> Status { return fail(ErrorCode::kInterrupted, "stop"); };
    const auto failed = MeasurementSession::begin(&bench.driver, broken);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::kInterrupted);
    CHECK(bench.driver.mode() == BackgroundProcessingMode::kAllowed);

    CompletionEvent release;
    Bench hanging({.optimisation = [&release] { static_cast<void>(release.wait_for(20'000'000'000)); }});
    {
        const auto session =
            MeasurementSession::begin(&hanging.driver, hanging.work(), {.commit_timeout_ns = 1'000'000});
        REQUIRE(session);
        CHECK_FALSE(session->driver_decides());
        CHECK(session->judge(std::vector<double>(16, 1.0)).note.find("did not end") != std::string::npos);
    }
    CHECK(hanging.driver.mode() == BackgroundProcessingMode::kAllowed);
    release.signal();
}

TEST_CASE("A time limit ends the training, and without any the measurements decide") {
    Bench bench({});
    const auto none = MeasurementSession::begin(&bench.driver, bench.work(), {.time_limit_ns = 0});
    REQUIRE(none);
    CHECK(bench.runs == 0);
    CHECK_FALSE(none->driver_decides());

    Bench slow({.settles_after = 0});
    TrainingWork work = slow.work();
    ManualClock clock;
    work.run = [&slow, &clock]() -> Status {
        ++slow.runs;
        static_cast<void>(slow.driver.run_workload());
        clock.advance_ns(20);
        return {};
    };
    const auto cut =
        MeasurementSession::begin(&slow.driver, work, {.max_passes = 1000, .time_limit_ns = 50, .clock = &clock});
    REQUIRE(cut);
    CHECK(slow.runs == 3);
    CHECK(cut->judge({}).answer == model::Steadiness::kDidNotSettle);
}

TEST_CASE("Several series have one answer: the worst one's") {
    const auto session = MeasurementSession::begin(nullptr, {});
    REQUIRE(session);
    const std::vector<double> level(16, 1.0);
    const std::vector<double> few(3, 1.0);
    std::vector<double> step(16, 1.0);
    std::fill(step.begin() + 8, step.end(), 2.0);
    const auto answer = [&](std::span<const double> first, std::span<const double> second) {
        const MeasuredSeries both[] = {{.name = "a", .samples = first}, {.name = "b", .samples = second}};
        return session->judge_together(both);
    };
    CHECK(answer(level, level).answer == model::Steadiness::kSteady);
    CHECK(answer(level, few).answer == model::Steadiness::kTooFewSamples);
    CHECK(answer(few, step).answer == model::Steadiness::kDidNotSettle);
    CHECK(answer(step, few).answer == model::Steadiness::kDidNotSettle);
    CHECK(answer(few, level).answer == model::Steadiness::kTooFewSamples);
    CHECK(answer(level, step).answer == model::Steadiness::kDidNotSettle);
    CHECK(answer(step, level).answer == model::Steadiness::kDidNotSettle);
    CHECK(answer(level, few).passes == 16);
    CHECK(answer(level, few).note.starts_with("a: medians"));
    CHECK(answer(level, few).note.find("; b: 3 samples of the 16 to judge; the API") != std::string::npos);
}

TEST_CASE("A long series is judged by the medians of its blocks") {
    std::vector<double> level(1000, 7.0);
    for (std::size_t i = 0; i < level.size(); i += 10) level[i] = 700.0;  // outliers
    CHECK(block_medians(level) == std::vector<double>(2 * kWindow, 7.0));
    CHECK(judge_by_measurements(level, "").answer == model::Steadiness::kSteady);
    std::vector<double> step(1000, 7.0);
    std::fill(step.begin() + 600, step.end(), 9.0);
    CHECK(judge_by_measurements(step, "").answer == model::Steadiness::kDidNotSettle);
    CHECK(block_medians(std::vector<double>{1, 2, 3}) == std::vector<double>{1, 2, 3});
    CHECK(block_medians(std::vector<double>(40, 1.0)).size() == 2 * kWindow);
}

}  // namespace heapwright::device::test
