// Copies by size against engines whose latency and rate are known beforehand.
#include <algorithm>
#include <cmath>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "probe/engine_measurements.hpp"
#include "replay_report.hpp"
#include "simulated_engines.hpp"

using namespace heapwright;
using device::EngineKind;
using model::CopyDirection;
using model::CopyMeans;
using test::SimulatedDevice;
using test::SimulatedEngine;
using test::SimulatedTimes;

namespace copy_curves_test {

namespace {

using test::kMib;
constexpr std::uint64_t kLatencyNs = 2'000;

SimulatedTimes timed() {
    return {.copy_ns = kLatencyNs, .shader_copies_faster = 3, .timestamps = device::TimestampUnits{}};
}

std::unique_ptr<SimulatedDevice> simulated(const SimulatedTimes& times, double device_bytes_per_ns = 100,
                                           bool copier_has_timestamps = true) {
    std::vector<SimulatedEngine> engines(2);
    engines[0].info = {.kind = EngineKind::kGraphics, .name = "graphics"};
    engines[1].info = {.kind = EngineKind::kCopy, .queue_family = {1}, .name = "copy", .dedicated = true};
    engines[1].upload_bytes_per_ns = 20;
    engines[1].no_timestamps = !copier_has_timestamps;
    for (SimulatedEngine& engine : engines) engine.device_bytes_per_ns = device_bytes_per_ns;
    return std::make_unique<SimulatedDevice>(std::move(engines), times);
}

model::EngineMeasurements measure(SimulatedDevice& device, probe::EngineMeasurementOptions options = {}) {
    options.clock = &device.clock();
    if (options.memory_limit_bytes == 0) options.memory_limit_bytes = 256 * kMib;
    auto measured = probe::measure_engines(device, options);
    REQUIRE(measured);
    return std::move(*measured);
}

const model::CopyCurve& curve_of(const model::EngineMeasurements& measured, std::string_view engine,
                                 CopyDirection direction, CopyMeans means) {
    for (const model::CopyCurve& curve : measured.copy_curves)
        if (curve.engine == engine && curve.direction == direction && curve.means == means) return curve;
    FAIL("no curve of " << engine);
    return measured.copy_curves.front();
}

std::uint64_t sizes_of(const model::CopyCurve& curve) {
    std::uint64_t expected = 64 * 1024;
    for (const model::CopyPoint& point : curve.points) {
        CHECK(point.bytes == expected);
        expected *= 4;
    }
    for (const model::CopyLeftOut& left_out : curve.left_out) {
        CHECK(left_out.bytes == expected);
        CHECK(!left_out.reason.empty());
        expected *= 4;
    }
    return expected / 4;
}

}  // namespace

TEST_CASE("Copies by size have the engines' latency and rate, by every means") {
    const auto device = simulated(timed());
    const model::EngineMeasurements measured = measure(*device);
    CHECK(device->overlapping_copies() == 0);
    for (const model::CopyCurve& curve : measured.copy_curves) {
        INFO(curve.engine << ' ' << static_cast<int>(curve.direction) << ' ' << static_cast<int>(curve.means));
        CHECK(sizes_of(curve) == 1024 * kMib);
        REQUIRE(!curve.points.empty());
        if (curve.means == CopyMeans::kHost) continue;
        const double rate = curve.direction == CopyDirection::kUpload     ? (curve.engine == "copy" ? 20 : 10)
                            : curve.direction == CopyDirection::kDownload ? 5
                            : curve.means == CopyMeans::kShader           ? 300
                                                                          : 100;
        for (const model::CopyPoint& point : curve.points) {
            CHECK(point.time.clock == model::MeasuredBy::kDevice);
            const double expected_ns = kLatencyNs + static_cast<double>(point.bytes) / rate;
            CHECK(std::abs(static_cast<double>(point.time.ns) - expected_ns) <= 2);
        }
        REQUIRE(curve.fit);
        CHECK(std::abs(static_cast<double>(curve.fit->latency_ns) - kLatencyNs) < 50);
        CHECK(std::abs(static_cast<double>(curve.fit->bytes_per_s) / 1e9 - rate) < 0.02 * rate);
        CHECK(curve.fit->largest_relative_error < 0.01);
    }
    // The copy engine runs no shader.
    CHECK(std::ranges::none_of(measured.copy_curves, [](const model::CopyCurve& curve) {
        return curve.engine == "copy" && curve.means == CopyMeans::kShader;
    }));
}

TEST_CASE("Sizes that memory leaves no room for are named, and no more is alive than allowed") {
    const auto device = simulated(timed());
    const model::EngineMeasurements measured = measure(*device, {.memory_limit_bytes = 40 * kMib});
    CHECK(device->peak_bytes() <= 40 * kMib);
    const model::CopyCurve& curve = curve_of(measured, "copy", CopyDirection::kOnDevice, CopyMeans::kCommand);
    CHECK(sizes_of(curve) == 1024 * kMib);
    REQUIRE(curve.left_out.size() == 3);
    CHECK(curve.left_out.front().reason == "memory leaves no room: 20 MiB for each side");
}

TEST_CASE("Device memory that the host maps has curves of its own, and images end at the widest") {
    const auto device = simulated(timed());
    using namespace model::memory_property;
    auto& facts = device->mutable_facts();
    facts.heaps.push_back({.size_bytes = 4 * kMib, .flags = model::memory_heap::kDeviceLocal});
    facts.memory_types.push_back({.heap_index = 2, .property_flags = kDeviceLocal | kHostVisible | kHostCoherent});
    facts.limits.push_back({"VkPhysicalDeviceLimits", "maxImageDimension2D", 256});
    const model::EngineMeasurements measured = measure(*device);
    std::size_t mapped = 0;
    for (const model::CopyCurve& curve : measured.copy_curves) {
        CHECK(sizes_of(curve) == 1024 * kMib);
        if (curve.means == CopyMeans::kImageCommand) {
            CHECK(curve.points.size() == 2);
            CHECK(curve.left_out.front().reason == "its image is wider than maxImageDimension2D, 256");
        }
        if (!curve.mapped) continue;
        ++mapped;
        CHECK(curve.points.size() == 3);  // a quarter of the heap
        CHECK(curve.left_out.front().reason == "memory leaves no room: 1 MiB for each side");
    }
    CHECK(mapped == 4);  // of both engines, and the host's two
}

TEST_CASE("Without room in the host's memory only copies on the device are measured") {
    const auto device = simulated(timed());
    const model::EngineMeasurements measured = measure(*device, {.host_limit_bytes = 0});
    for (const model::CopyCurve& curve : measured.copy_curves) {
        sizes_of(curve);
        CHECK(curve.points.empty() == (curve.direction != CopyDirection::kOnDevice));
    }
}

TEST_CASE("On a slow device every curve has its smallest size, and what would take too long is named") {
    const auto device = simulated(timed(), 1);
    const model::EngineMeasurements measured = measure(*device, {.curve_time_budget_ns = 20'000'000});
    for (const model::CopyCurve& curve : measured.copy_curves) {
        CHECK(sizes_of(curve) == 1024 * kMib);
        CHECK(!curve.points.empty());
        if (curve.means == CopyMeans::kHost) continue;
        CHECK(curve.points.size() < 6);
        REQUIRE(!curve.left_out.empty());
        CHECK(curve.left_out.front().reason == model::kLongerThanItsShare);
    }
}

TEST_CASE("Without time no curve has a point, and each says why") {
    const auto device = simulated(timed());
    const model::EngineMeasurements measured = measure(*device, {.curve_time_budget_ns = 0});
    REQUIRE(!measured.copy_curves.empty());
    for (const model::CopyCurve& curve : measured.copy_curves) {
        CHECK(curve.points.empty());
        CHECK(!curve.fit);
        REQUIRE(curve.left_out.size() == 8);
        for (const model::CopyLeftOut& left_out : curve.left_out) CHECK(left_out.reason == model::kTimeWasUp);
    }
}

TEST_CASE("Where one engine writes no timestamps, the host's clock takes all that compare with it") {
    const auto device = simulated(timed(), 100, false);
    const model::EngineMeasurements measured = measure(*device);
    REQUIRE(!measured.copy_curves.empty());
    for (const model::CopyCurve& curve : measured.copy_curves) {
        CHECK(!curve.points.empty());
        for (const model::CopyPoint& point : curve.points) CHECK(point.time.clock == model::MeasuredBy::kHost);
    }
}

}  // namespace copy_curves_test
