#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "heapwright/probe/engine_figures.hpp"

using namespace heapwright;

namespace {

model::PipelinePoint point(std::uint32_t cpu, std::uint32_t engine, std::uint64_t ns, std::uint64_t p90_ns) {
    return {.cpu_latency = cpu,
            .engine_latency = engine,
            .samples = 10,
            .frame = {.ns = ns, .min_ns = ns, .p90_ns = p90_ns}};
}

}  // namespace

TEST_CASE("What is gained is measured by the shorter of the two") {
    model::EngineOverlap overlap{.first_alone = {.ns = 1000}, .second_alone = {.ns = 400}};
    overlap.serial.ns = 1400;
    overlap.concurrent.ns = 1000;
    CHECK(probe::gained(overlap) == 1.0);
    overlap.concurrent.ns = 1400;
    CHECK(probe::gained(overlap) == 0.0);
    overlap.concurrent.ns = 1600;
    CHECK(probe::gained(overlap) == Catch::Approx(-0.5));
    overlap.second_alone.ns = 0;
    CHECK(probe::gained(overlap) == 0.0);
}

TEST_CASE("A spread is the median, the least and what nine tenths do not exceed") {
    const model::SpreadNs seen = probe::spread_ns({50, 10, 20, 30, 40, 60, 70, 80, 90, 1000});
    CHECK(seen.ns == 50);
    CHECK(seen.min_ns == 10);
    CHECK(seen.p90_ns == 90);
    CHECK(probe::spread_ns({}).p90_ns == 0);
    CHECK(probe::bytes_per_s(1 << 20, 1'000'000) == 1'048'576'000);
    CHECK(probe::bytes_per_s(1 << 20, 0) == 0);
}

TEST_CASE("The best latencies are the smallest within the spread of the shortest frame") {
    model::PipelineMeasurement pipeline;
    probe::choose_latencies(pipeline);
    CHECK(pipeline.statement == "no setting was measured");
    CHECK(pipeline.best_engine_latency == 0);

    pipeline.points = {point(1, 1, 2000, 2100), point(1, 2, 1049, 1100), point(2, 1, 1051, 1100),
                       point(3, 3, 1000, 1050)};
    probe::choose_latencies(pipeline);
    CHECK(pipeline.best_cpu_latency == 1);
    CHECK(pipeline.best_engine_latency == 2);
    CHECK(pipeline.statement.find("1049 ns, is within 1050 ns") != std::string::npos);

    // Equal sums: the engines' latency costs buffers.
    pipeline.points[2].frame.ns = 1049;
    probe::choose_latencies(pipeline);
    CHECK(pipeline.best_cpu_latency == 2);
    CHECK(pipeline.best_engine_latency == 1);

    // A spread of nothing still allows two hundredths.
    pipeline.points = {point(1, 1, 1020, 1020), point(3, 3, 1000, 1000)};
    probe::choose_latencies(pipeline);
    CHECK(pipeline.best_cpu_latency == 1);
    pipeline.points[0].frame.ns = 1021;
    probe::choose_latencies(pipeline);
    CHECK(pipeline.best_cpu_latency == 3);
}
