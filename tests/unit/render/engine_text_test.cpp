#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "example.hpp"
#include "render/engine_text.hpp"
#include "test_paths.hpp"

using namespace heapwright;

TEST_CASE("Sizes, times and shares read as the page writes them") {
    std::ifstream file(test::source_path("tests/unit/render/figures.json"));
    const auto figures = nlohmann::json::parse(file);
    for (const auto& [value, text] : figures.at("bytes").get<std::vector<std::pair<std::uint64_t, std::string>>>())
        CHECK(byte_text(value) == text);
    for (const auto& [value, text] : figures.at("times").get<std::vector<std::pair<std::uint64_t, std::string>>>())
        CHECK(time_text(value) == text);
    for (const auto& [value, text] : figures.at("shares").get<std::vector<std::pair<double, std::string>>>())
        CHECK(share_text(value) == text);
}

TEST_CASE("Every figure of the engines has a line") {
    const model::Report report = model::example::report();
    REQUIRE(report.devices.at(0).run.engines);
    model::EngineMeasurements measured = *report.devices[0].run.engines;
    std::vector<std::string> lines = render::measured_lines({.engines = measured});
    const auto has = [&](std::string_view line) { return std::ranges::find(lines, line) != lines.end(); };
    CHECK(has("engine graphics: graphics, queue family 0, queue 0, priority normal"));
    CHECK(
        has("engine copy: copy, queue family 1, queue 1, dedicated, priority high: the family has one queue; "
            "no timestamps: its queue family has timestampValidBits 0"));
    CHECK(
        has("compute on graphics beside copy on copy: 20 us* one after the other, 20 us* at the same time by the "
            "device's clock; no "
            "evidence, the measurement was disturbed: copy alone took 900 ns at first and 1200 ns at the end"));
    CHECK(has("downloads on copy: 23.28 GiB/s* by the device's clock"));
    CHECK(has(
        "uploads on copy by a compute shader, mapped device memory: 3.052 GiB/s* of 64 KiB, 12.21 GiB/s* of 256 KiB; "
        "by the device's clock; about 2.5 us and then 23.28 GiB/s, to 12.5%; left out from 1 MiB on: it takes "
        "longer than its share of the time"));
    CHECK(
        has("signal from copy to host that waits for it: 20 us* by the device's clock (32 samples, at best 18 us, 90% "
            "within 25 us)"));
    CHECK(has(
        "pipeline compute-graphics: not settled, at this time latencies 2 (host) and 1 (engines); a longer pipeline "
        "gains less than the spread"));
    CHECK(has("engine times: steady, decided by the driver (the driver wants no more measurements)"));
    for (const std::string& skipped : measured.skipped) CHECK(has("not measured: " + skipped));
    CHECK(lines.back().starts_with("* did not settle: "));

    measured.overlaps[0].disturbed = {};
    measured.pipelines[0].unsettled = {};
    measured.signal_latencies[0].samples = 9;
    lines = render::measured_lines({.engines = measured});
    CHECK(
        has("compute on graphics beside copy on copy: 20 us* one after the other, 20 us* at the same time by the "
            "device's clock; -12.5%* of "
            "the shorter gained"));
    CHECK(
        has("signal from copy to host that waits for it: 20 us* by the device's clock (9 samples, at best 18 us, at "
            "most 25 us)"));
    CHECK(
        has("pipeline compute-graphics: best latencies 2 (host) and 1 (engines); a longer pipeline gains less than the "
            "spread"));
}

TEST_CASE("Every curve of creations has a line") {
    const model::Report report = model::example::report();
    REQUIRE(report.devices.at(0).run.creations);
    const auto lines = render::measured_lines({.creations = report.devices[0].run.creations});
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "created and destroyed a millisecond, 2D image: 1329* by 1 thread, 2.1 by 16 threads");
    CHECK(lines[1] == "created and destroyed a millisecond, buffer of 64 KiB, memoryPriority on: 1329* by 1 thread");
    CHECK(lines[2] == "creations not measured: memory by 16 threads: the time was up");
}

TEST_CASE("A figure whose samples lie within a twentieth of it settled, and needs no word") {
    const model::MeasuredTime near{.ns = 20'000, .min_ns = 19'000, .p90_ns = 21'000};
    CHECK(model::settled(near));
    CHECK(!model::settled({.ns = 20'000, .min_ns = 18'999, .p90_ns = 20'000}));
    CHECK(!model::settled({.ns = 20'000, .min_ns = 20'000, .p90_ns = 21'001}));
    CHECK(render::measured_lines(
              {.engines =
                   model::EngineMeasurements{.copies = {{.engine = "copy", .time = near, .bytes_per_s = 1ull << 30}}}})
              .front() == "uploads on copy: 1 GiB/s by the host's clock");
    model::CreationCurve curve{.description = "image", .points = {}};
    curve.points = {{.threads = 1, .pairs_per_s = 90'000, .least_pairs_per_s = 89'000, .most_pairs_per_s = 91'000},
                    {.threads = 2, .pairs_per_s = 50'000, .least_pairs_per_s = 1, .most_pairs_per_s = 50'000}};
    const auto lines = render::measured_lines({.creations = model::CreationMeasurements{.curves = {curve}}});
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "created and destroyed a millisecond, image: 90 by 1 thread, 50* by 2 threads");
    CHECK(lines[1].starts_with("* did not settle: "));
}
