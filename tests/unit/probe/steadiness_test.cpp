// Whether the cost of memory was steady when it was taken: as a driver says that is asked, or as the times themselves
// say.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "late_devices.hpp"
#include "probe/memory_cost.hpp"
#include "replay/device.hpp"
#include "replay_report.hpp"
#include "simulated_driver.hpp"

namespace steadiness_test {

using namespace heapwright;
using namespace heapwright::test;
using device::BackgroundProcessingMode;
using device::MeasurementsAction;
using device::test::SimulatedDriver;

namespace {

// Each allocation takes the time that `cost` gives, by its number among those of its size; a simulated driver may stand
// behind the seam.
class CostlyDevice final : public ForwardingDevice, public device::MemorySource {
public:
    using Cost = std::function<std::uint64_t(std::uint64_t number, std::uint64_t size_bytes)>;
    using Refusal = std::function<bool(std::uint64_t number, std::uint64_t size_bytes)>;

    CostlyDevice(device::Device& inner, ManualClock& clock, Cost cost, SimulatedDriver* driver = nullptr)
        : ForwardingDevice(inner), clock_(clock), cost_(std::move(cost)), driver_(driver) {}

    device::MemorySource& memory() override { return *this; }
    device::BackgroundProcessing* background_processing() override { return driver_; }

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        const std::uint64_t number = numbers_[request.size_bytes]++;
        clock_.advance_ns(cost_(number, request.size_bytes));
        ++allocations;
        if (refuses && refuses(number, request.size_bytes))
            return fail(ErrorCode::kOutOfDeviceMemory, "others took the memory");
        if (driver_ != nullptr) {
            modes_seen |= 1u << static_cast<unsigned>(driver_->mode());
            static_cast<void>(driver_->run_workload());
        }
        return inner().memory().allocate(request);
    }
    void free(device::AllocationId memory) override { inner().memory().free(memory); }
    Result<std::span<std::byte>> map(device::AllocationId memory) override { return inner().memory().map(memory); }
    Status flush(device::AllocationId memory, std::uint64_t offset, std::uint64_t size) override {
        return inner().memory().flush(memory, offset, size);
    }
    Status invalidate(device::AllocationId memory, std::uint64_t offset, std::uint64_t size) override {
        return inner().memory().invalidate(memory, offset, size);
    }
    Result<std::vector<model::HeapBudget>> budgets() override { return inner().memory().budgets(); }

    Refusal refuses;  // empty: nothing
    std::uint64_t allocations = 0;
    unsigned modes_seen = 0;  // one bit a mode that an allocation met

private:
    ManualClock& clock_;
    Cost cost_;
    SimulatedDriver* driver_;
    std::map<std::uint64_t, std::uint64_t> numbers_;
};

struct Measured {
    model::MemoryCostCurve curve;
    std::uint64_t allocations = 0;
    unsigned modes_seen = 0;
};

Measured measured_with(CostlyDevice::Cost cost, SimulatedDriver* driver = nullptr, std::uint32_t samples = 16,
                       CostlyDevice::Refusal refuses = {}) {
    ManualClock clock;
    model::DeviceReport report = small_report();
    report.memory_types.resize(1);  // device local
    auto replayed = replay::open_replay(report, {.clock = &clock});
    REQUIRE(replayed);
    CostlyDevice costly(**replayed, clock, std::move(cost), driver);
    costly.refuses = std::move(refuses);
    const auto curves = probe::measure_memory_cost(costly, {.time_budget_ns = 100'000'000'000,
                                                            .memory_limit_bytes = 256 * kMib,
                                                            .samples = samples,
                                                            .counted_allocations = 1,
                                                            .clock = &clock});
    REQUIRE(curves);
    REQUIRE(curves->size() == 1);
    REQUIRE(curves->front().steadiness);
    return {.curve = curves->front(), .allocations = costly.allocations, .modes_seen = costly.modes_seen};
}

std::uint64_t level(std::uint64_t, std::uint64_t) {
    return 100'000;
}

}  // namespace

TEST_CASE("Level times are steady after the samples that the rule needs") {
    const Measured measured = measured_with(level);
    const model::MeasurementSteadiness& steadiness = *measured.curve.steadiness;
    CHECK(steadiness.answer == model::Steadiness::kSteady);
    CHECK(steadiness.decided_by == model::SteadinessSource::kMeasurements);
    CHECK(steadiness.passes == 16);
    CHECK(steadiness.note.find("no background processing") != std::string::npos);
    for (const model::MemoryCostPoint& point : measured.curve.points) CHECK(point.samples == 16);
}

TEST_CASE("Times that settle late get the few more rounds that they need") {
    // The small sizes are dearer in most of the first eight rounds, which are judged against the next eight.
    const Measured measured = measured_with([](std::uint64_t number, std::uint64_t size) {
        if (size > kMib) return std::uint64_t{10'000'000};
        return number < 6 ? 200'000 - 8'000 * number : 100'000;
    });
    CHECK(measured.curve.steadiness->answer == model::Steadiness::kSteady);
    CHECK(measured.curve.steadiness->passes > 16);
    CHECK(measured.curve.steadiness->passes <= 16 + 4);
    // Whole rounds: a small size that followed another small one would cost something else than before.
    for (const model::MemoryCostPoint& point : measured.curve.points)
        CHECK(point.samples == measured.curve.steadiness->passes);
}

TEST_CASE("Times that never settle are said not to, within as much time again") {
    std::uint64_t regular_ns = 0;
    std::uint64_t more_ns = 0;
    const Measured measured = measured_with([&](std::uint64_t number, std::uint64_t size) {
        const std::uint64_t ns = size > kMib ? 10'000'000 : 1'000'000 - 5'000 * number;
        (number <= 16 ? regular_ns : more_ns) += ns;
        return ns;
    });
    CHECK(measured.curve.steadiness->answer == model::Steadiness::kDidNotSettle);
    CHECK(more_ns > 0);
    CHECK(more_ns <= regular_ns);
}

TEST_CASE("Each size says for itself whether it had settled") {
    const Measured measured = measured_with([](std::uint64_t number, std::uint64_t size) {
        return size == 4 * kMib ? 1'000'000 - 12'000 * number : std::uint64_t{100'000};
    });
    CHECK(measured.curve.steadiness->answer == model::Steadiness::kSteady);  // by the smallest sizes
    for (const model::MemoryCostPoint& point : measured.curve.points) {
        CHECK(point.steadiness ==
              (point.size_bytes == 4 * kMib ? model::Steadiness::kDidNotSettle : model::Steadiness::kSteady));
        CHECK(point.samples > 16);
    }
}

TEST_CASE("A disturbed sample is an outlier, and takes none of its size's time") {
    // One sample of a size takes twice what all samples of a size may.
    constexpr std::uint64_t kDisturbedNs = 20'000'000'000;
    const Measured measured = measured_with([](std::uint64_t number, std::uint64_t size) {
        return number == 4 && size == 256 << 10 ? kDisturbedNs : 100'000 + 1'000 * (number % 2);
    });
    for (const model::MemoryCostPoint& point : measured.curve.points) {
        CHECK(point.samples >= 16);
        CHECK(point.allocate_worst_ns < 2 * point.allocate_min_ns);
        if (point.size_bytes != 256 << 10) {
            CHECK(point.allocate_outliers_ns.empty());
        } else {
            REQUIRE(point.allocate_outliers_ns.size() == 1);
            CHECK(point.allocate_outliers_ns.front() >= kDisturbedNs);
        }
    }
    REQUIRE(measured.curve.allocate_fit);
    CHECK(measured.curve.allocate_fit->late_ratio.value() <= 1.01);
    CHECK(measured.curve.allocate_fit->least_ratio.value() >= 0.99);
}

TEST_CASE("A size that the device refuses in a further round is not asked for again") {
    std::uint64_t refusals = 0;
    const Measured measured = measured_with(
        [](std::uint64_t number, std::uint64_t size) {
            return size > kMib ? std::uint64_t{10'000'000} : 1'000'000 - 5'000 * number;
        },
        nullptr, 16,
        [&](std::uint64_t number, std::uint64_t size) {
            const bool refused = size > kMib && number >= 16;
            refusals += refused ? 1 : 0;
            return refused;
        });
    CHECK(refusals == 1);
    REQUIRE(measured.curve.points.size() > 3);
    CHECK(measured.curve.points.front().samples > 16 + 1);
    CHECK(measured.curve.points.back().samples == 16);
}

TEST_CASE("Few samples are too few to judge") {
    CHECK(measured_with(level, nullptr, 15).curve.steadiness->answer == model::Steadiness::kTooFewSamples);
}

TEST_CASE("A driver that optimises is trained before, locked down while, and released after the times are taken") {
    SimulatedDriver driver({});
    const Measured measured = measured_with(level, &driver);
    const model::MeasurementSteadiness& steadiness = *measured.curve.steadiness;
    CHECK(steadiness.answer == model::Steadiness::kSteady);
    CHECK(steadiness.decided_by == model::SteadinessSource::kDriver);
    CHECK(steadiness.passes == 3);
    const auto changes = driver.changes();
    REQUIRE(changes.size() == 7);
    CHECK(changes.front() ==
          std::pair{BackgroundProcessingMode::kAllowIntrusiveMeasurements, MeasurementsAction::kDiscardPrevious});
    CHECK(changes[5] == std::pair{BackgroundProcessingMode::kDisableProfilingBySystem,
                                  MeasurementsAction::kCommitResultsHighPriority});
    CHECK(changes.back() == std::pair{BackgroundProcessingMode::kAllowed, MeasurementsAction::kKeepAll});
    CHECK(measured.modes_seen == ((1u << static_cast<unsigned>(BackgroundProcessingMode::kAllowIntrusiveMeasurements)) |
                                  (1u << static_cast<unsigned>(BackgroundProcessingMode::kDisableProfilingBySystem))));
    CHECK(measured.allocations > 3 * 16);
}

TEST_CASE("A driver that never settles is an answer, not an endless loop") {
    SimulatedDriver driver({.settles_after = 0});
    const Measured measured = measured_with(level, &driver);
    CHECK(measured.curve.steadiness->answer == model::Steadiness::kDidNotSettle);
    CHECK(measured.curve.steadiness->decided_by == model::SteadinessSource::kDriver);
    CHECK(measured.curve.steadiness->passes == 16);
    CHECK(driver.mode() == BackgroundProcessingMode::kAllowed);
}

}  // namespace steadiness_test
