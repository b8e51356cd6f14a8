#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "backends.hpp"
#include "probe/engine_figures.hpp"
#include "probe/engine_measurements.hpp"

using namespace heapwright;

namespace {

// A layer makes every call dear: small loads, few of them.
const probe::EngineMeasurementOptions kShort{
    .time_budget_ns = 150'000'000, .memory_limit_bytes = 64ull << 20, .load_ns = 200'000, .samples = 3};

void check_spread(const model::MeasuredTime& spread) {
    CHECK(spread.ns > 0);
    CHECK(spread.min_ns <= spread.ns);
    CHECK(spread.ns <= spread.p90_ns);
}

void check_figures(const model::EngineMeasurements& measured) {
    REQUIRE(!measured.engines.empty());
    std::set<std::string> names;
    std::set<std::string> kinds;
    for (const model::EngineDescription& engine : measured.engines) {
        names.insert(engine.name);
        kinds.insert(engine.kind);
    }
    CHECK(names.size() == measured.engines.size());

    // Every engine of normal priority copies in three directions.
    const auto normal =
        std::ranges::count(measured.engines, std::string("normal"), &model::EngineDescription::priority);
    CHECK(measured.copies.size() == 3 * static_cast<std::size_t>(normal));
    for (const model::EngineCopy& copy : measured.copies) {
        INFO(copy.engine);
        CHECK(names.contains(copy.engine));
        CHECK(copy.bytes_each > 0);
        CHECK(copy.bytes_per_s > 1'000'000);
        CHECK(copy.bytes_per_s < 100'000'000'000'000);
        check_spread(copy.time);
    }
    CHECK(measured.overlaps.size() == (kinds.size() == 3 ? 3 : kinds.size() == 2 ? 1 : 0));
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        CHECK(overlap.samples >= 3);
        check_spread(overlap.serial);
        check_spread(overlap.concurrent);
        CHECK(overlap.gained == probe::gained(overlap));
    }
    // A host with few cores may have been away whenever a word appeared; then the path is named.
    const auto unseen = std::ranges::count_if(measured.skipped,
                                              [](const std::string& line) { return line.starts_with("signal from "); });
    CHECK(measured.signal_latencies.size() + static_cast<std::size_t>(unseen) ==
          kinds.size() * 2 + kinds.size() * (kinds.size() - 1));
    // By the host's clock all of them may be lost to a busy machine, and to nothing else.
    for (const std::string& line : measured.skipped)
        CHECK((!measured.signal_latencies.empty() || !line.starts_with("signal from ") ||
               line.ends_with(model::kHostWasAway)));
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        INFO(latency.from << " to " << latency.to);
        CHECK(latency.samples > 0);
    }
    // Settings that the time does not suffice for are named.
    CHECK((measured.pipelines.size() == 2 || std::ranges::any_of(measured.skipped, [](const std::string& line) {
               return line.find("settings of the pipeline") != std::string::npos;
           })));
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        INFO(pipeline.name << ": " << pipeline.statement);
        for (const model::PipelinePoint& point : pipeline.points) check_spread(point.frame);
        CHECK(std::ranges::any_of(pipeline.points, [&](const model::PipelinePoint& point) {
            return point.cpu_latency == pipeline.best_cpu_latency &&
                   point.engine_latency == pipeline.best_engine_latency;
        }));
    }
    CHECK(!measured.steadiness.note.empty());
    CHECK(measured.total_ns > 0);
}

}  // namespace

TEST_CASE("every driver's engines are measured; the layers say nothing, and nothing is left", "[device]") {
    std::vector<std::string> missing;
    const std::vector<test::Backend> backends = test::backends(missing);
    for (const test::Backend& backend : backends) {
        INFO(backend.name);
        auto opened = backend.open(std::nullopt, test::Layers::kOn);
        if (!opened) FAIL(to_string(opened.error()));
        // A layer that is older than the driver complains of its facts while it is opened.
        (void)opened->device->take_validation_messages();
        const auto measured = probe::measure_engines(*opened->device, kShort);
        if (!measured) FAIL(to_string(measured.error()));
        for (const std::string& skipped : measured->skipped) UNSCOPED_INFO(skipped);
        check_figures(*measured);
        for (const std::string& message : opened->device->take_validation_messages()) FAIL_CHECK(message);
        CHECK(opened->living(*opened->device).empty());
    }
    if (!missing.empty()) SKIP(missing.front() << " is not set");
}
