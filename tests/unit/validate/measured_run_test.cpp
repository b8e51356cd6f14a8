// Scenarios in a measurement session: what a driver that optimises sees of them, and what the times of their frames say
// where there is none.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "broken_allocator.hpp"
#include "late_devices.hpp"
#include "replay/device.hpp"
#include "replay_scene.hpp"
#include "simulated_driver.hpp"
#include "validate/measured_run.hpp"

using namespace heapwright;
using device::BackgroundProcessingMode;
using device::MeasurementsAction;
using device::test::SimulatedDriver;

namespace {

// Every submission is work that the driver sees, and optimises when it may.
class OptimisingDevice final : public test::ForwardingDevice, public device::Submitter {
public:
    OptimisingDevice(device::Device& inner, SimulatedDriver& driver) : ForwardingDevice(inner), driver_(driver) {}

    device::Submitter& submitter() override { return *this; }
    device::BackgroundProcessing* background_processing() override { return &driver_; }

    [[nodiscard]] std::span<const device::EngineInfo> engines() const override { return queue().engines(); }
    [[nodiscard]] bool accepts_early_waits() const override { return queue().accepts_early_waits(); }
    [[nodiscard]] Status submit(const device::Submission& submission) override {
        ++submissions_in[static_cast<std::size_t>(driver_.mode())];
        static_cast<void>(driver_.run_workload());
        return inner().submitter().submit(submission);
    }
    [[nodiscard]] Status wait_idle() override { return inner().submitter().wait_idle(); }

    std::array<std::size_t, 4> submissions_in{};  // by mode

private:
    [[nodiscard]] device::Submitter& queue() const { return const_cast<OptimisingDevice*>(this)->inner().submitter(); }

    SimulatedDriver& driver_;
};

validate::ValidateOptions mixed_alone() {
    validate::ValidateOptions options = test::scene_options();
    options.scenarios = {"mixed-workload"};
    return options;
}

}  // namespace

TEST_CASE("A driver that optimises is trained with the scenario, locked down for it, and released") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    const auto plain = validate::validate(**replay, test::scene_policy(), test::scene_workload(), mixed_alone());
    REQUIRE(plain);

    SimulatedDriver driver({});
    OptimisingDevice device(**replay, driver);
    const auto result = validate::validate(device, test::scene_policy(), test::scene_workload(), mixed_alone());
    REQUIRE(result);
    const model::ScenarioResult& scenario = result->scenarios.front();
    INFO(scenario.reason);
    REQUIRE(scenario.run.steadiness);
    CHECK(scenario.run.steadiness->answer == model::Steadiness::kSteady);
    CHECK(scenario.run.steadiness->decided_by == model::SteadinessSource::kDriver);
    CHECK(scenario.run.steadiness->passes == 3);

    const auto changes = driver.changes();
    REQUIRE(changes.size() == 7);
    CHECK(changes.front() ==
          std::pair{BackgroundProcessingMode::kAllowIntrusiveMeasurements, MeasurementsAction::kDiscardPrevious});
    CHECK(changes.back() == std::pair{BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll});
    CHECK(device.submissions_in[static_cast<std::size_t>(BackgroundProcessingMode::kAllowed)] == 0);
    CHECK(device.submissions_in[static_cast<std::size_t>(BackgroundProcessingMode::kAllowIntrusiveMeasurements)] > 0);
    CHECK(device.submissions_in[static_cast<std::size_t>(BackgroundProcessingMode::kDisableProfilingBySystem)] > 0);

    // The training leaves no trace in the results.
    const model::ScenarioResult& untrained = plain->scenarios.front();
    CHECK(scenario.verdict == untrained.verdict);
    CHECK(scenario.counts.operations == untrained.counts.operations);
    CHECK(scenario.counts.verified_bytes == untrained.counts.verified_bytes);
    CHECK(scenario.memory.peak_reserved_bytes == untrained.memory.peak_reserved_bytes);
    CHECK((*replay)->counters().source_allocations == 0);
}

TEST_CASE("Without such a driver the frames decide, and no scenario runs twice") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    validate::ValidateOptions options = test::scene_options();
    options.scenarios = {};
    const auto result = validate::validate(**replay, test::scene_policy(), test::scene_workload(), options);
    REQUIRE(result);
    for (const model::ScenarioResult& scenario : result->scenarios) {
        INFO(scenario.name);
        const bool has_frames = scenario.name != "descriptor-exhaustion" && !scenario.engines;
        REQUIRE(scenario.run.steadiness.has_value() == has_frames);
        if (!has_frames) continue;
        CHECK(scenario.run.steadiness->decided_by == model::SteadinessSource::kMeasurements);
        CHECK_FALSE(scenario.run.steadiness->note.empty());
        CHECK(scenario.run.steadiness->passes > 0);
    }

    SimulatedDriver idle({.supported = false});
    OptimisingDevice device(**replay, idle);
    const auto again = validate::validate(device, test::scene_policy(), test::scene_workload(), mixed_alone());
    REQUIRE(again);
    CHECK(idle.changes().empty());
    CHECK(again->scenarios.front().run.steadiness->note.find("takes no advantage") != std::string::npos);
}

TEST_CASE("What a training run finds is the scenario's result") {
    const auto replay = replay::open_replay(test::scene_report(), {.interpolate = true});
    SimulatedDriver driver({});
    OptimisingDevice device(**replay, driver);
    validate::ValidateOptions options = mixed_alone();
    std::size_t runs = 0;
    options.allocator = [&](device::Device& on, const model::DevicePolicy&,
                            std::uint64_t) -> Result<std::unique_ptr<validate::AllocatorUnderTest>> {
        ++runs;
        auto broken = std::make_unique<test::BrokenAllocator>(on, test::Defect::kOverlap);
        HEAPWRIGHT_TRY(broken->open());
        return broken;
    };
    const auto result = validate::validate(device, test::scene_policy(), test::scene_workload(), options);
    REQUIRE(result);
    CHECK(runs == 1);
    CHECK(result->verdict == model::Verdict::kFailed);
    CHECK(result->scenarios.front().findings_total > 0);
    CHECK(driver.mode() == BackgroundProcessingMode::kAllowed);
}
