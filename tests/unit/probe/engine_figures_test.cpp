#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "probe/engine_figures.hpp"

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
    const model::MeasuredTime seen = probe::TimeSeries({50, 10, 20, 30, 40, 60, 70, 80, 90, 1000}).measured();
    CHECK(seen.ns == 50);
    CHECK(seen.min_ns == 10);
    CHECK(seen.p90_ns == 90);
    CHECK(probe::TimeSeries().measured().p90_ns == 0);
    CHECK(probe::bytes_per_s(1 << 20, 1'000'000) == 1'048'576'000);
    CHECK(probe::bytes_per_s(1 << 20, 0) == 0);
}

TEST_CASE("The best latencies are the smallest whose median is about as short as the shortest") {
    model::PipelineMeasurement pipeline;
    probe::choose_latencies(pipeline, {});
    CHECK(pipeline.statement == "no setting was measured");
    CHECK(pipeline.best_engine_latency == 0);

    const std::vector<double> sure(4, 0.01);
    pipeline.points = {point(1, 1, 2000, 2100), point(1, 2, 1049, 1100), point(2, 1, 1051, 1100),
                       point(3, 3, 1000, 1050)};
    probe::choose_latencies(pipeline, sure);
    CHECK(pipeline.best_cpu_latency == 1);
    CHECK(pipeline.best_engine_latency == 2);
    CHECK(pipeline.statement.find("1.049 us (90% of 10 means no more than 1.1 us), is at most 5% longer") !=
          std::string::npos);
    CHECK(!pipeline.unsettled);

    // Equal sums: the engines' latency costs buffers.
    pipeline.points[2].frame.ns = 1049;
    probe::choose_latencies(pipeline, sure);
    CHECK(pipeline.best_cpu_latency == 2);
    CHECK(pipeline.best_engine_latency == 1);
}

TEST_CASE("A noisy shortest frame wins nothing for a setting that takes twice as long") {
    // A ring of one slot has no overlap at all; the longest ring happened to be the shortest, and the noisiest.
    model::PipelineMeasurement ring;
    ring.points = {point(5, 1, 422'025, 436'223), point(5, 2, 238'992, 282'629), point(5, 3, 212'095, 394'643),
                   point(5, 4, 206'018, 447'129)};
    probe::choose_latencies(ring, std::vector{0.01, 0.02, 0.02, 0.02});
    CHECK(ring.best_engine_latency == 3);
    CHECK(!ring.unsettled);

    // Where the spread is too large to tell, it says so.
    probe::choose_latencies(ring, std::vector{0.01, 0.02, 0.02, 0.2});
    REQUIRE(ring.unsettled);
    CHECK(*ring.unsettled ==
          "the median of the frames at 5 and 4, 206 us of 10 means, may be off by 20% (90% of 10 means no more than "
          "447.1 us)");
    CHECK(ring.statement.find("; not settled: ") != std::string::npos);

    // So it does of a smaller setting that may be as short; one that surely is not does not matter.
    ring.unsettled = {};
    probe::choose_latencies(ring, std::vector{0.01, 0.15, 0.02, 0.02});
    CHECK(ring.unsettled);
    ring.unsettled = {};
    probe::choose_latencies(ring, std::vector{0.15, 0.02, 0.02, 0.02});
    CHECK(!ring.unsettled);
    // Nor does a greater one.
    ring.points[1].frame.ns = 207'000;
    probe::choose_latencies(ring, std::vector{0.01, 0.02, 0.3, 0.02});
    CHECK(ring.best_engine_latency == 2);
    CHECK(!ring.unsettled);
}

TEST_CASE("The error of a median withstands single long samples and needs three") {
    CHECK(probe::error_of_median(std::vector<std::uint64_t>{100, 100}) == 1);
    CHECK(probe::error_of_median(std::vector<std::uint64_t>{100, 100, 100, 9000}) == 0);
    const std::vector<std::uint64_t> samples{90, 110, 90, 110, 100, 100, 90, 110, 100};
    CHECK(probe::error_of_median(samples) == Catch::Approx(1.4826 * 10 * 2 / 3 / 100));
}

TEST_CASE("Figures of a pair that contradict each other, or that moved, are no evidence") {
    const auto judge = [](const probe::OverlapSeries& series) {
        model::EngineOverlap overlap{.first_work = "clear",
                                     .second_work = "compute",
                                     .first_alone = series.first_alone.measured(),
                                     .second_alone = series.second_alone.measured(),
                                     .serial = series.serial.measured(),
                                     .concurrent = series.together.measured()};
        return probe::disturbance(series, overlap);
    };
    CHECK(!judge({.first_alone = {1000}, .second_alone = {1000}, .serial = {2000}, .together = {1000}}));
    CHECK(!judge({.first_alone = {1000}, .second_alone = {1000}, .serial = {2000}, .together = {950}}));
    CHECK(judge({.first_alone = {1083}, .second_alone = {1689}, .serial = {2701}, .together = {1537}}) ==
          "1.075 of the shorter one gained is more than all of it");
    CHECK(!judge({.first_alone = {1000}, .second_alone = {1000}, .serial = {2000}, .together = {3000}}));
    CHECK(judge({.first_alone = {6909}, .second_alone = {632}, .serial = {7999}, .together = {22958}}) ==
          "at the same time the two took 22.96 us, 7.999 us one after the other: more than the shorter one once more");
    CHECK(judge({.first_alone = {784}, .second_alone = {1716}, .serial = {2936}, .together = {1952}}) ==
          "the two take 784 ns and 1.716 us alone, but 2.936 us one after the other");
    CHECK(judge({.first_alone = {700, 710, 700, 900, 910, 900},
                 .second_alone = {1000},
                 .serial = {1700},
                 .together = {1200}}) == "clear alone took 700 ns at first and 900 ns later");
    CHECK(!judge({.first_alone = {700, 710, 700, 760, 9000, 760},
                  .second_alone = {1000},
                  .serial = {1700},
                  .together = {1200}}));
}
