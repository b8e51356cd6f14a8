// The measurement on engines of simulated time, whose every figure is known beforehand.
#include <algorithm>
#include <set>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "probe/engine_measurements.hpp"
#include "replay/fault_injection.hpp"
#include "simulated_engines.hpp"

namespace engine_measurements_test {

using namespace heapwright;
using namespace heapwright::test;
using Catch::Approx;
using device::EngineKind;

namespace {

constexpr std::uint64_t kMib = 1 << 20;

std::vector<SimulatedEngine> three_engines(bool one_queue = false) {
    const auto engine = [&](std::uint32_t family, EngineKind kind, const char* name) {
        return SimulatedEngine{.info = {.kind = kind,
                                        .queue_family = {one_queue ? 0 : family},
                                        .queue = 0,
                                        .name = name,
                                        .dedicated = family != 0}};
    };
    std::vector<SimulatedEngine> engines{engine(0, EngineKind::kGraphics, "graphics"),
                                         engine(1, EngineKind::kCompute, "compute"),
                                         engine(2, EngineKind::kCopy, "copy")};
    engines[2].upload_bytes_per_ns = 20;
    return engines;
}

struct Rig {
    explicit Rig(std::vector<SimulatedEngine> engines, const SimulatedTimes& times = {},
                 const replay::FaultPlan& plan = {}) {
        auto made = std::make_unique<SimulatedDevice>(std::move(engines), times);
        simulated = made.get();
        device = replay::inject_faults(std::move(made), plan);
    }
    [[nodiscard]] probe::EngineMeasurementOptions options() const {
        return {.time_budget_ns = 2'000'000'000,
                .curve_time_budget_ns = 0,
                .memory_limit_bytes = 256 * kMib,
                .clock = &simulated->clock()};
    }
    [[nodiscard]] model::EngineMeasurements measure() const { return measure(options()); }
    [[nodiscard]] model::EngineMeasurements measure(const probe::EngineMeasurementOptions& options) const {
        auto measured = probe::measure_engines(*device, options);
        if (!measured) FAIL(measured.error().message);
        CHECK(device->counters().nothing_alive());
        return std::move(*measured);
    }

    SimulatedDevice* simulated = nullptr;
    std::unique_ptr<replay::FaultyDevice> device;
};

const model::EngineOverlap& overlap_of(const model::EngineMeasurements& measured, std::string_view first,
                                       std::string_view second) {
    const auto found = std::ranges::find_if(measured.overlaps, [&](const model::EngineOverlap& overlap) {
        return overlap.first == first && overlap.second == second;
    });
    REQUIRE(found != measured.overlaps.end());
    return *found;
}

const model::PipelineMeasurement& pipeline_of(const model::EngineMeasurements& measured, std::string_view name) {
    const auto found = std::ranges::find(measured.pipelines, name, &model::PipelineMeasurement::name);
    REQUIRE(found != measured.pipelines.end());
    return *found;
}

std::uint64_t frame_ns(const model::PipelineMeasurement& pipeline, std::uint32_t cpu, std::uint32_t engine) {
    const auto found = std::ranges::find_if(pipeline.points, [&](const model::PipelinePoint& point) {
        return point.cpu_latency == cpu && point.engine_latency == engine;
    });
    REQUIRE(found != pipeline.points.end());
    return found->frame.ns;
}

}  // namespace

TEST_CASE("Engines with queues of their own gain the whole of the shorter work") {
    const Rig rig(three_engines());
    const model::EngineMeasurements measured = rig.measure();
    REQUIRE(measured.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        INFO(overlap.first << " beside " << overlap.second);
        CHECK(overlap.samples >= 5);
        // Loads were calibrated to a millisecond, with the time that the host takes to see their end.
        CHECK(overlap.first_alone.ns == Approx(1'000'000).epsilon(0.05));
        CHECK(overlap.second_alone.ns == Approx(1'000'000).epsilon(0.3));
        CHECK(!overlap.disturbed);
        CHECK(overlap.gained == Approx(1).margin(0.02));
        CHECK(overlap.first_alone.min_ns <= overlap.first_alone.ns);
        CHECK(overlap.first_alone.ns <= overlap.first_alone.p90_ns);
    }
    const model::EngineOverlap& draws = overlap_of(measured, "graphics", "compute");
    CHECK(draws.first_work == "draw");
    CHECK(draws.second_work == "compute");
    CHECK(overlap_of(measured, "graphics", "copy").second_work == "copy");
    CHECK(overlap_of(measured, "compute", "copy").first_work == "compute");
    CHECK(measured.skipped.empty());
    CHECK(measured.steadiness.answer == model::Steadiness::kSteady);
    CHECK(measured.steadiness.decided_by == model::SteadinessSource::kMeasurements);
    REQUIRE(measured.engines.size() == 3);
    CHECK(measured.engines[2].kind == "copy");
    CHECK(measured.engines[2].dedicated);
    CHECK(measured.engines[2].priority == "normal");
}

TEST_CASE("Engines on one queue gain nothing, and nothing waits for work behind it") {
    const model::EngineMeasurements measured = Rig(three_engines(true)).measure();
    REQUIRE(measured.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : measured.overlaps) CHECK(overlap.gained == Approx(0).margin(0.01));
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        CHECK(pipeline.best_engine_latency == 1);
        for (const model::PipelinePoint& point : pipeline.points) {
            CHECK(point.frame.ns >= frame_ns(pipeline, point.cpu_latency, 1) * 95 / 100);
        }
    }
    CHECK(pipeline_of(measured, "compute-graphics").best_cpu_latency == 1);
}

TEST_CASE("Copies are as fast as each engine is in each direction") {
    const model::EngineMeasurements measured = Rig(three_engines()).measure();
    CHECK(measured.copies.size() == 9);
    for (const model::EngineCopy& copy : measured.copies) {
        const bool dma = copy.engine == "copy";
        const double bytes_per_ns = copy.direction == model::CopyDirection::kUpload     ? (dma ? 20 : 10)
                                    : copy.direction == model::CopyDirection::kDownload ? 5
                                                                                        : 100;
        INFO(copy.engine << " " << copy.bytes_each);
        // The host sees the end 7 microseconds late.
        CHECK(static_cast<double>(copy.bytes_per_s) == Approx(bytes_per_ns * 1e9).epsilon(0.03));
        CHECK(copy.samples >= 5);
        const std::uint64_t expected = copy.bytes_each * 1'000'000'000 / copy.time.ns;
        CHECK(copy.bytes_per_s == Approx(static_cast<double>(expected)).epsilon(0.001));
    }
}

TEST_CASE("Copies of a load go to places apart: none waits for the one before it") {
    const Rig rig(three_engines(), {.hazard_ns = 400'000, .timestamps = device::TimestampUnits{}});
    auto options = rig.options();
    options.memory_limit_bytes = 1024 * kMib;
    options.load_ns = 8'000'000;
    const model::EngineMeasurements measured = rig.measure(options);
    REQUIRE(measured.copies.size() == 9);
    for (const model::EngineCopy& copy : measured.copies) {
        const double bytes_per_ns = copy.direction == model::CopyDirection::kUpload ? (copy.engine == "copy" ? 20 : 10)
                                    : copy.direction == model::CopyDirection::kDownload ? 5
                                                                                        : 100;
        INFO(copy.engine << " " << copy.bytes_each);
        CHECK(static_cast<double>(copy.bytes_per_s) == Approx(bytes_per_ns * 1e9).epsilon(0.01));
    }
}

TEST_CASE("Each engine copies as much as it does within a load") {
    auto engines = three_engines();
    engines[2].upload_bytes_per_ns = 1;
    engines[2].download_bytes_per_ns = 0.5;
    engines[2].device_bytes_per_ns = 10;
    const Rig rig(engines, {.timestamps = device::TimestampUnits{}});
    auto options = rig.options();
    options.load_ns = 20'000'000;
    const model::EngineMeasurements measured = rig.measure(options);
    REQUIRE(measured.copies.size() == 9);
    for (const model::EngineCopy& copy : measured.copies) {
        INFO(copy.engine << " " << copy.bytes_each);
        // Amounts are powers of two.
        CHECK(copy.time.ns <= options.load_ns * 13 / 10);
        CHECK(copy.time.ns >= options.load_ns * 4 / 10);
    }
}

TEST_CASE("A quick device that wakes up slowly is measured as a quick one") {
    const Rig rig(three_engines(), {.cold = 20, .warm_after_ns = 6'000'000});
    auto options = rig.options();
    options.memory_limit_bytes = 1024 * kMib;
    CHECK(rig.measure(options).copies.size() == 9);
    // Its loads reach further than any cache does.
    CHECK(rig.simulated->peak_bytes() > 512 * kMib);
}

TEST_CASE("A device that keeps what it read of the host's memory is not measured by its cache") {
    const Rig rig(three_engines(), {.host_cache_bytes = 50 * kMib});
    auto options = rig.options();
    options.memory_limit_bytes = 320 * kMib;
    const model::EngineMeasurements measured = rig.measure(options);
    std::size_t uploads = 0;
    for (const model::EngineCopy& copy : measured.copies) {
        if (copy.direction != model::CopyDirection::kUpload) continue;
        ++uploads;
        INFO(copy.engine << " " << copy.bytes_each);
        CHECK(static_cast<double>(copy.bytes_per_s) == Approx((copy.engine == "copy" ? 20 : 10) * 1e9).epsilon(0.03));
    }
    CHECK(uploads == 3);
}

TEST_CASE("A device that joins its writes to the same host memory is not measured by what it leaves out") {
    auto engines = three_engines();
    for (SimulatedEngine& engine : engines) engine.download_bytes_per_ns = 40;
    const Rig rig(engines, {.joins_writes = true});
    auto options = rig.options();
    options.memory_limit_bytes = 320 * kMib;
    std::size_t downloads = 0;
    for (const model::EngineCopy& copy : rig.measure(options).copies) {
        if (copy.direction != model::CopyDirection::kDownload) continue;
        ++downloads;
        INFO(copy.engine << " " << copy.bytes_each);
        CHECK(static_cast<double>(copy.bytes_per_s) == Approx(40e9).epsilon(0.03));
    }
    CHECK(downloads == 3);
    CHECK(rig.simulated->peak_bytes() <= options.memory_limit_bytes);
}

TEST_CASE("Signals take as long as they do between engines, from the host and to it") {
    const SimulatedTimes times{.host_to_engine_ns = 3'000, .engine_to_engine_ns = 2'000, .engine_to_host_ns = 7'000};
    const model::EngineMeasurements measured = Rig(three_engines(), times).measure();
    CHECK(measured.signal_latencies.size() == 3 * 2 + 3 * 2);
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        INFO(latency.from << " to " << latency.to);
        const double expected = latency.from == "host" ? 3'000 : latency.to == "host" ? 7'000 : 2'000;
        CHECK(static_cast<double>(latency.time.ns) == Approx(expected).margin(60));
        CHECK(latency.samples >= 10);
    }
}

TEST_CASE("What a signal to the host takes is measured by a wait that began before it") {
    // A host that waits only once it saw the word is told at once; who waits before sleeps and is woken.
    const SimulatedTimes times{
        .tick_ns = 50, .host_to_engine_ns = 300'000, .engine_to_host_ns = 40'000, .signal_shows_ns = 0};
    const model::EngineMeasurements measured = Rig(three_engines(), times).measure();
    std::size_t to_host = 0;
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        if (latency.to != "host") continue;
        ++to_host;
        INFO(latency.from);
        CHECK(static_cast<double>(latency.time.ns) == Approx(40'000).margin(100));
    }
    CHECK(to_host == 3);
}

TEST_CASE("Loads take their time on engines that begin slowly, and so do both halves of a pair") {
    const Rig rig(three_engines(), {.cold = 2, .warm_after_ns = 60'000'000});
    const model::EngineMeasurements measured = rig.measure();
    REQUIRE(measured.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        INFO(overlap.first << " beside " << overlap.second);
        CHECK(overlap.first_alone.ns == Approx(1'000'000).epsilon(0.3));
        CHECK(overlap.second_alone.ns == Approx(1'000'000).epsilon(0.3));
        CHECK(!overlap.disturbed);
        CHECK(overlap.gained == Approx(1).margin(0.05));
    }
}

TEST_CASE("A pair that was disturbed is measured again, and said to be so where that does not help") {
    const auto measure = [](std::uint64_t slow_ns) {
        const Rig rig(three_engines());
        auto options = rig.options();
        std::size_t stage = 0;
        // The overlaps are the second stage.
        options.progress = [&](std::string_view, double) {
            if (++stage == 2) rig.simulated->slow_down(1.5, slow_ns);
        };
        return rig.measure(options);
    };
    for (const model::EngineOverlap& overlap : measure(150'000'000).overlaps) {
        INFO(overlap.first << " beside " << overlap.second << ": " << overlap.disturbed.value_or(""));
        CHECK(!overlap.disturbed);
        CHECK(overlap.gained == Approx(1).margin(0.05));
    }
    const model::EngineMeasurements drifting = Rig(three_engines(), {.slower_each = 0.003}).measure();
    REQUIRE(drifting.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : drifting.overlaps) {
        REQUIRE(overlap.disturbed);
        CHECK(overlap.disturbed->find(" at first and ") != std::string::npos);
    }
}

TEST_CASE("The smallest latencies that keep both engines busy are the best") {
    const model::EngineMeasurements measured = Rig(three_engines()).measure();
    const model::PipelineMeasurement& ring = pipeline_of(measured, "copy-graphics");
    REQUIRE(ring.points.size() == 4);
    const std::uint32_t throttle = ring.points.front().cpu_latency;
    // With one slot copies and draws take turns; with two they work at the same time, and more gain nothing.
    CHECK(static_cast<double>(frame_ns(ring, throttle, 1)) ==
          Approx(2.0 * static_cast<double>(frame_ns(ring, throttle, 2))).epsilon(0.1));
    CHECK(static_cast<double>(frame_ns(ring, throttle, 4)) ==
          Approx(static_cast<double>(frame_ns(ring, throttle, 2))).epsilon(0.03));
    CHECK(ring.best_engine_latency == 2);
    CHECK(!ring.unsettled);
    for (const model::PipelinePoint& point : ring.points) CHECK(point.samples >= 10);
    CHECK(ring.statement.starts_with("on copy and graphics, means of 4 frames: "));

    const model::PipelineMeasurement& pipeline = pipeline_of(measured, "compute-graphics");
    CHECK(pipeline.points.size() == 9);
    CHECK(frame_ns(pipeline, 3, 2) == Approx(250'000).epsilon(0.06));
    CHECK(pipeline.best_cpu_latency >= 1);
    CHECK(pipeline.best_cpu_latency + pipeline.best_engine_latency <= 3);
    for (const model::PipelinePoint& point : pipeline.points) CHECK(point.samples >= 5);
}

TEST_CASE("Each setting of a pipeline has its first run within four times the time") {
    // Waits before the pipelines take all of the time, and less than four times of it.
    const Rig rig(three_engines(), {.engine_to_host_ns = 80'000});
    auto options = rig.options();
    options.time_budget_ns = 100'000'000;
    const model::EngineMeasurements measured = rig.measure(options);
    CHECK(pipeline_of(measured, "compute-graphics").points.size() == 9);
    CHECK(pipeline_of(measured, "copy-graphics").points.size() == 4);
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        // A run is three means of four frames.
        for (const model::PipelinePoint& point : pipeline.points) CHECK(point.samples == 3);
    }
    CHECK(measured.skipped.empty());
}

TEST_CASE("A host that is told late needs a greater latency of its own") {
    // The end of a frame is known after more than a frame: one frame ahead leaves the engines without work.
    const model::EngineMeasurements measured = Rig(three_engines(), {.engine_to_host_ns = 400'000}).measure();
    const model::PipelineMeasurement& pipeline = pipeline_of(measured, "compute-graphics");
    CHECK(frame_ns(pipeline, 1, 2) > frame_ns(pipeline, 3, 2) * 12 / 10);
    CHECK(pipeline.best_cpu_latency > 1);
}

TEST_CASE("What the device lacks is skipped, with the reason") {
    auto engines = three_engines();
    engines.resize(1);
    const model::EngineMeasurements measured = Rig(engines).measure();
    CHECK(measured.overlaps.empty());
    CHECK(measured.copies.size() == 3);
    CHECK(measured.signal_latencies.size() == 2);
    CHECK(measured.pipelines.size() == 2);
    REQUIRE(measured.skipped.size() == 4);
    CHECK(measured.skipped[0] == "overlap of draw with compute: the device has no compute engine");
    CHECK(measured.skipped[1] == "overlap of draw with copy: the device has no copy engine");
    CHECK(measured.skipped[2] == "overlap of compute with copy: the device has no compute engine");

    engines = three_engines();
    engines.erase(engines.begin());
    const model::EngineMeasurements without_graphics = Rig(engines).measure();
    CHECK(without_graphics.overlaps.size() == 1);
    CHECK(without_graphics.pipelines.empty());
    CHECK(std::ranges::any_of(without_graphics.skipped, [](const std::string& line) {
        return line == "pipeline copy-graphics: the device has no graphics engine";
    }));
}

TEST_CASE("A host that does not see an engine's word says so and goes on") {
    const Rig rig(three_engines(), {.tick_ns = 1'000});
    rig.simulated->lose_copies_up_to(4);
    auto options = rig.options();
    options.samples = 1;
    const model::EngineMeasurements measured = rig.measure(options);
    CHECK(measured.signal_latencies.empty());
    CHECK(measured.skipped.size() == 12);
    for (const std::string& line : measured.skipped)
        CHECK(line.ends_with("did not see the engine's word in its memory in time"));
    CHECK(measured.pipelines.size() == 2);
}

TEST_CASE("A host that is away while a signal comes is no fault of the engine") {
    // It looks every 6 us, while signals between engines take 2 us.
    const Rig rig(three_engines(), {.tick_ns = 6'000});
    auto options = rig.options();
    options.samples = 1;
    const model::EngineMeasurements measured = rig.measure(options);
    CHECK(measured.signal_latencies.empty());
    CHECK(measured.skipped.size() == 12);
    for (const std::string& line : measured.skipped) CHECK(line.ends_with(model::kHostWasAway));
}

TEST_CASE("A device that takes work and runs none is not measured") {
    const Rig rig(three_engines());
    rig.simulated->lose_copies_up_to(256);
    const auto measured = probe::measure_engines(*rig.device, rig.options());
    REQUIRE(!measured);
    CHECK(measured.error().code == ErrorCode::kNotSupported);
    CHECK(measured.error().message.ends_with("the device runs no work"));
    CHECK(rig.device->counters().nothing_alive());
}

TEST_CASE("Where engines write timestamps the figures are the device's own, and the host's stand beside") {
    // The host is told late of everything. 32 bits of 20 ns go round within the measurement.
    const Rig rig(three_engines(), {.engine_to_host_ns = 300'000,
                                    .timestamps = device::TimestampUnits{.valid_bits = 32, .period_ns = 20}});
    const model::EngineMeasurements measured = rig.measure();
    CHECK(rig.simulated->timestamp_pairs() == 0);
    for (const model::EngineDescription& engine : measured.engines) CHECK(!engine.no_timestamps);
    CHECK(measured.copies.size() == 9);
    for (const model::EngineCopy& copy : measured.copies) {
        INFO(copy.engine << " " << copy.bytes_each);
        CHECK(copy.time.clock == model::MeasuredBy::kDevice);
        REQUIRE(copy.time.host_ns);
        CHECK(*copy.time.host_ns >= copy.time.ns + 250'000);
        const bool dma = copy.engine == "copy";
        const double bytes_per_ns = copy.direction == model::CopyDirection::kUpload     ? (dma ? 20 : 10)
                                    : copy.direction == model::CopyDirection::kDownload ? 5
                                                                                        : 100;
        CHECK(static_cast<double>(copy.bytes_per_s) == Approx(bytes_per_ns * 1e9).epsilon(0.001));
    }
    REQUIRE(measured.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        CHECK(overlap.gained == Approx(1).margin(0.02));
        for (const model::MeasuredTime* time :
             {&overlap.first_alone, &overlap.second_alone, &overlap.serial, &overlap.concurrent}) {
            CHECK(time->clock == model::MeasuredBy::kDevice);
        }
    }
    CHECK(measured.signal_latencies.size() == 12);
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        INFO(latency.from << " to " << latency.to);
        CHECK(latency.time.clock == model::MeasuredBy::kDevice);
        const double expected = latency.from == "host" ? 3'000 : latency.to == "host" ? 300'000 : 2'000;
        CHECK(static_cast<double>(latency.time.ns) == Approx(expected).margin(100));
    }
    REQUIRE(measured.pipelines.size() == 2);
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        for (const model::PipelinePoint& point : pipeline.points)
            CHECK(point.frame.clock == model::MeasuredBy::kDevice);
    }
}

TEST_CASE("Timestamps that compare within a submission alone time copies and nothing of several engines") {
    const model::EngineMeasurements measured =
        Rig(three_engines(), {.timestamps = device::TimestampUnits{}, .timestamps_compare = false, .calibrates = false})
            .measure();
    for (const model::EngineCopy& copy : measured.copies) CHECK(copy.time.clock == model::MeasuredBy::kDevice);
    REQUIRE(measured.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        CHECK(overlap.first_alone.clock == model::MeasuredBy::kHost);
        CHECK(overlap.serial.clock == model::MeasuredBy::kHost);
        CHECK(!overlap.first_alone.host_ns);
        CHECK(overlap.gained == Approx(1).margin(0.02));
    }
    for (const model::SignalLatency& latency : measured.signal_latencies)
        CHECK(latency.time.clock == model::MeasuredBy::kHost);
}

TEST_CASE("Where each engine's clock compares with the host's alone, so do the signals of the two") {
    const model::EngineMeasurements measured =
        Rig(three_engines(), {.timestamps = device::TimestampUnits{}, .timestamps_compare = false}).measure();
    CHECK(measured.signal_latencies.size() == 12);
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        const bool of_host = latency.from == "host" || latency.to == "host";
        CHECK((latency.time.clock == model::MeasuredBy::kDevice) == of_host);
    }
}

TEST_CASE("Timestamps that cannot be true are not believed, and the engines say so") {
    const auto measure = [](double runs) {
        return Rig(three_engines(), {.timestamps = device::TimestampUnits{}, .timestamps_run = runs}).measure();
    };
    for (const auto& [runs, reason] : {std::pair(0.0, "stand still"), std::pair(3.0, "of which the host saw")}) {
        const model::EngineMeasurements measured = measure(runs);
        for (const model::EngineDescription& engine : measured.engines) {
            REQUIRE(engine.no_timestamps);
            CHECK(engine.no_timestamps->find(reason) != std::string::npos);
        }
        for (const model::EngineCopy& copy : measured.copies) CHECK(copy.time.clock == model::MeasuredBy::kHost);
    }
    const model::EngineMeasurements without = Rig(three_engines()).measure();
    for (const model::EngineDescription& engine : without.engines)
        CHECK(engine.no_timestamps == "the simulated engines have no clock");
}

TEST_CASE("Copies compare by one clock: where one engine writes no timestamps, all are the host's") {
    auto engines = three_engines();
    engines[2].no_timestamps = true;
    const model::EngineMeasurements measured = Rig(engines, {.timestamps = device::TimestampUnits{}}).measure();
    CHECK(!measured.engines[0].no_timestamps);
    CHECK(measured.engines[2].no_timestamps);
    CHECK(measured.copies.size() == 9);
    for (const model::EngineCopy& copy : measured.copies) CHECK(copy.time.clock == model::MeasuredBy::kHost);
    const model::EngineOverlap& without = overlap_of(measured, "graphics", "copy");
    CHECK(without.first_alone.clock == model::MeasuredBy::kHost);
    CHECK(overlap_of(measured, "graphics", "compute").serial.clock == model::MeasuredBy::kDevice);
}

TEST_CASE("Engines whose clocks contradict the order of their work are timed together by the host") {
    auto engines = three_engines();
    engines[0].clock_ahead_ns = 100'000'000;
    const model::EngineMeasurements measured = Rig(engines, {.timestamps = device::TimestampUnits{}}).measure();
    for (const model::EngineDescription& engine : measured.engines) CHECK(!engine.no_timestamps);
    for (const model::EngineCopy& copy : measured.copies) CHECK(copy.time.clock == model::MeasuredBy::kDevice);
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        CHECK(overlap.serial.clock == model::MeasuredBy::kHost);
        CHECK(overlap.gained == Approx(1).margin(0.02));
    }
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        CHECK(latency.time.clock == model::MeasuredBy::kHost);
        CHECK(latency.time.ns > 0);
    }
}

TEST_CASE("Timestamps that cannot be read cost no figure, and a clock too far from the host's tells no latency of it") {
    const model::EngineMeasurements failing =
        Rig(three_engines(), {.timestamps = device::TimestampUnits{}, .timestamps_fail = true}).measure();
    CHECK(failing.copies.size() == 9);
    CHECK(failing.signal_latencies.size() == 12);
    for (const model::EngineDescription& engine : failing.engines) {
        REQUIRE(engine.no_timestamps);
        CHECK(engine.no_timestamps->find("are not there") != std::string::npos);
    }
    const model::EngineMeasurements far_off =
        Rig(three_engines(), {.timestamps = device::TimestampUnits{}, .deviation_ns = 50'000}).measure();
    for (const model::SignalLatency& latency : far_off.signal_latencies) {
        const bool of_host = latency.from == "host" || latency.to == "host";
        CHECK((latency.time.clock == model::MeasuredBy::kHost) == of_host);
    }
}

TEST_CASE("Engines of other priorities are listed, and do not repeat the copies of their kind") {
    auto engines = three_engines();
    engines.push_back({.info = {.kind = EngineKind::kCompute,
                                .queue_family = {1},
                                .queue = 1,
                                .name = "compute-low",
                                .priority = device::EnginePriority::kLow,
                                .dedicated = true,
                                .priority_note = "ignored"}});
    engines.push_back(
        {.info = {.kind = EngineKind::kCopy, .queue_family = {2}, .queue = 1, .name = "copy-2", .dedicated = true}});
    const model::EngineMeasurements measured = Rig(engines).measure();
    CHECK(measured.engines.size() == 5);
    CHECK(measured.engines[3].priority == "low");
    CHECK(measured.engines[3].priority_note == "ignored");
    std::set<std::string> copied;
    for (const model::EngineCopy& copy : measured.copies) copied.insert(copy.engine);
    CHECK(copied == std::set<std::string>{"graphics", "compute", "copy", "copy-2"});
}

TEST_CASE("On Direct3D 12 clears stand for draws, and the report says so") {
    const Rig rig(three_engines());
    rig.simulated->mutable_facts().identity.api = model::Api::kD3d12;
    const model::EngineMeasurements measured = rig.measure();
    CHECK(overlap_of(measured, "graphics", "compute").first_work == "clear");
    REQUIRE(measured.skipped.size() == 1);
    CHECK(measured.skipped[0].starts_with("draws: on Direct3D 12 clears"));
}

TEST_CASE("Time and memory stay within their limits") {
    const Rig rig(three_engines());
    auto options = rig.options();
    options.time_budget_ns = 400'000'000;
    options.memory_limit_bytes = 24 * kMib;
    const model::EngineMeasurements measured = rig.measure(options);
    CHECK(rig.simulated->peak_bytes() <= options.memory_limit_bytes);
    CHECK(measured.total_ns <= probe::kQuickTimes * options.time_budget_ns * 5 / 4);
    for (const model::EngineCopy& copy : measured.copies) CHECK(copy.samples >= 3);

    // Even without any time every figure has three samples.
    options.time_budget_ns = 0;
    const model::EngineMeasurements hasty = rig.measure(options);
    CHECK(hasty.steadiness.passes <= 20);
    CHECK(hasty.overlaps.size() == 3);
    for (const model::EngineOverlap& overlap : hasty.overlaps) CHECK(overlap.samples == 3);
    for (const model::SignalLatency& latency : hasty.signal_latencies) CHECK(latency.samples >= 10);
    CHECK(hasty.copies.size() == 9);
    CHECK(hasty.signal_latencies.size() == 12);
    CHECK(hasty.total_ns < 400'000'000);
    // But for the pipelines' settings, which are left out.
    REQUIRE(hasty.skipped.size() == 2);
    CHECK(hasty.skipped[0] == "9 of 9 settings of the pipeline compute-graphics: the time was up");
    CHECK(hasty.pipelines.empty());

    // What was measured of a pipeline does not tell which setting is the best.
    model::EngineMeasurements cut_off;
    for (options.time_budget_ns = 10'000'000; cut_off.pipelines.empty(); options.time_budget_ns += 5'000'000) {
        REQUIRE(options.time_budget_ns < 400'000'000);
        cut_off = rig.measure(options);
    }
    CHECK(cut_off.pipelines[0].points.size() < 9);
    REQUIRE(cut_off.pipelines[0].unsettled);
    CHECK(cut_off.pipelines[0].unsettled->ends_with(" of 9 settings were not measured"));

    options.time_budget_ns = 0;
    options.samples = 1;
    CHECK(rig.measure(options).steadiness.answer == model::Steadiness::kTooFewSamples);

    options.memory_limit_bytes = 64 * 1024;
    const auto refused = probe::measure_engines(*rig.device, options);
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::kExhausted);
    CHECK(rig.device->counters().nothing_alive());
}

TEST_CASE("A device whose times do not settle is said to be so") {
    const model::EngineMeasurements measured = Rig(three_engines(), {.slower_each = 0.003}).measure();
    CHECK(measured.steadiness.answer == model::Steadiness::kDidNotSettle);
    CHECK(measured.steadiness.passes > 16);
}

TEST_CASE("Whichever call fails, nothing is left behind") {
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    for (std::uint64_t n = 1;; n += 1 + n / 5) {
        // The clock is coarse, so that the host does not look at its memory too often.
        const Rig rig(three_engines(), {.tick_ns = 1'000}, {.fail_at = n});
        auto options = rig.options();
        options.time_budget_ns = 20'000'000;
        options.memory_limit_bytes = 24 * kMib;
        const auto measured = probe::measure_engines(*rig.device, options);
        INFO("call " << n);
        CHECK(rig.device->counters().nothing_alive());
        if (rig.device->counters().injected == 0) {
            CHECK(measured);
            break;
        }
        if (measured) {
            // Of the failures that end nothing all but one of an idle device at its end are named.
            completed += measured->skipped.empty() ? 0u : 1u;
        } else {
            ++failed;
        }
    }
    CHECK(completed > 0);
    CHECK(failed > 0);

    const Rig lost(three_engines(), {}, {.device_lost_at = 40});
    const auto measured = probe::measure_engines(*lost.device, lost.options());
    REQUIRE(!measured);
    CHECK(measured.error().code == ErrorCode::kDeviceLost);
    CHECK(lost.device->counters().nothing_alive());
}

}  // namespace engine_measurements_test
