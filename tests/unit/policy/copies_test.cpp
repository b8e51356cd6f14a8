// By what and where buffers move within device memory, and whether the host writes uploads itself, from made-up rates
// whose best choice is known.
#include <catch2/catch_test_macros.hpp>

#include "policy/engine_rules.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace copies_test {

using namespace heapwright;
using model::ClaimId;
using model::CopyDirection;
using model::CopyMeans;

namespace {

constexpr std::uint64_t kLargest = 1 << 20;

model::EnginePolicy decide(const model::EngineMeasurements& measured,
                           model::DeviceReport device = test::radv_like_device(), std::uint64_t largest = kLargest) {
    device.run.engines = measured;
    const model::Workload workload = test::small_workload();
    model::Statement warnings;
    const auto policy =
        policy::decide_engines({.device = device, .workload = workload, .device_index = 0}, 3, largest, warnings);
    REQUIRE(policy);
    return *policy;
}

std::string mover(const model::EnginePolicy& policy, std::string_view work = "buffer-moves") {
    for (const model::EngineAssignment& each : policy.assignments)
        if (each.work == work) return each.engine.value;
    return {};
}

model::CopyCurve& curve_of(model::EngineMeasurements& measured, std::string_view engine, CopyMeans means,
                           CopyDirection direction = CopyDirection::kOnDevice, bool mapped = false) {
    for (model::CopyCurve& curve : measured.copy_curves) {
        if (curve.engine == engine && curve.means == means && curve.direction == direction && curve.mapped == mapped)
            return curve;
    }
    FAIL("no such curve");
    return measured.copy_curves.front();
}

void set_rate(model::CopyCurve& curve, std::uint64_t bytes_per_s) {
    for (model::CopyPoint& point : curve.points) point.bytes_per_s = bytes_per_s;
}

}  // namespace

TEST_CASE("a report without copies by size gives no advice on moves and on direct uploads") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.copy_curves.clear();
    const model::EnginePolicy policy = decide(measured);
    CHECK(!policy.buffer_moves);
    CHECK(!policy.direct_uploads);
    CHECK(mover(policy).empty());
}

TEST_CASE("a shader that copies faster moves buffers, beside the draws where that pays") {
    model::EngineMeasurements measured = test::measured_engines();
    model::EnginePolicy policy = decide(measured);
    REQUIRE(policy.buffer_moves);
    CHECK(policy.buffer_moves->value == CopyMeans::kShader);
    CHECK(policy.buffer_moves->why.inputs.size() == 2);
    REQUIRE(policy.buffer_moves->why.alternatives.size() == 1);
    CHECK(mover(policy) == "compute");

    for (model::EngineOverlap& overlap : measured.overlaps) overlap.gained = 0.05;
    policy = decide(measured);
    CHECK(policy.buffer_moves->value == CopyMeans::kShader);
    CHECK(mover(policy) == "graphics");
}

TEST_CASE("commands move buffers where a shader gains less than a tenth") {
    model::EngineMeasurements measured = test::measured_engines();
    set_rate(curve_of(measured, "graphics", CopyMeans::kShader), 440'000'000'000);
    set_rate(curve_of(measured, "compute", CopyMeans::kShader), 430'000'000'000);
    model::EnginePolicy policy = decide(measured);
    CHECK(policy.buffer_moves->value == CopyMeans::kCommand);
    CHECK(test::makes(policy.buffer_moves->why.reason, ClaimId::kCommandsMoveAll));
    CHECK(mover(policy) == "graphics");
    CHECK(test::makes(policy.assignments[5].engine.why.reason, ClaimId::kMovesInTheWay));
    // A copy engine that is about as fast leaves the draws alone.
    set_rate(curve_of(measured, "copy", CopyMeans::kCommand), 400'000'000'000);
    policy = decide(measured);
    CHECK(mover(policy) == "copy");
    for (const model::EngineAssignment& each : policy.assignments) {
        if (each.work == "buffer-moves") CHECK(test::makes(each.engine.why.reason, ClaimId::kMovesBesideDraws));
    }
}

TEST_CASE("images move where their copies are fastest, whatever buffers do") {
    model::EngineMeasurements measured = test::measured_engines();
    // As on an H200.
    set_rate(curve_of(measured, "graphics", CopyMeans::kImageCommand), 52'000'000'000);
    CHECK(mover(decide(measured), "image-moves") == "compute");
    set_rate(curve_of(measured, "graphics", CopyMeans::kImageCommand), 2'000'000'000'000);
    CHECK(mover(decide(measured), "image-moves") == "graphics");
    std::erase_if(measured.copy_curves,
                  [](const model::CopyCurve& curve) { return curve.means == CopyMeans::kImageCommand; });
    CHECK(mover(decide(measured), "image-moves").empty());
}

TEST_CASE("rates count at the size of what moves") {
    model::EngineMeasurements measured = test::measured_engines();
    // Fast beyond what an ordinary resource has alone.
    for (const char* engine : {"graphics", "compute"}) {
        auto& points = curve_of(measured, engine, CopyMeans::kShader).points;
        points[0].bytes_per_s = points[1].bytes_per_s = 100'000'000'000;
    }
    CHECK(decide(measured).buffer_moves->value == CopyMeans::kCommand);
    CHECK(decide(measured, test::radv_like_device(), 1 << 24).buffer_moves->value == CopyMeans::kShader);
}

TEST_CASE("a curve that ends where latency alone counts says nothing beside others") {
    model::EngineMeasurements measured = test::measured_engines();
    auto& points = curve_of(measured, "compute", CopyMeans::kShader).points;
    points.resize(1);
    points[0].bytes_per_s = 1;
    const model::EnginePolicy policy = decide(measured);
    CHECK(policy.buffer_moves->value == CopyMeans::kShader);
    CHECK(mover(policy) == "graphics");
    CHECK(policy.buffer_moves->why.inputs.size() == 2);
}

TEST_CASE("figures of two clocks are compared by what the host saw") {
    model::EngineMeasurements measured = test::measured_engines();
    for (model::CopyCurve& curve : measured.copy_curves) {
        for (model::CopyPoint& point : curve.points) {
            if (curve.means == CopyMeans::kShader) continue;
            point.time.clock = model::MeasuredBy::kDevice;
            point.time.host_ns = 1;  // by the host's clock commands are the fastest by far
        }
    }
    CHECK(decide(measured).buffer_moves->value == CopyMeans::kCommand);
}

TEST_CASE("the host writes uploads itself where that is as fast and much of the device's memory is mapped") {
    model::DeviceReport device = test::radv_like_device();
    const auto has = [&](model::MemoryType type) {
        device.heaps = {{.size_bytes = 8ull << 30, .flags = model::memory_heap::kDeviceLocal},
                        {.size_bytes = 16ull << 30},
                        {.size_bytes = 256ull << 20, .flags = model::memory_heap::kDeviceLocal}};
        using namespace model::memory_property;
        device.memory_types = {{.heap_index = 0, .property_flags = kDeviceLocal},
                               {.heap_index = 1, .property_flags = kHostVisible | kHostCoherent},
                               type};
    };
    using namespace model::memory_property;
    const model::Flags mapped = kDeviceLocal | kHostVisible | kHostCoherent;
    model::EngineMeasurements measured = test::measured_engines();
    has({.heap_index = 0, .property_flags = mapped});
    CHECK(decide(measured, device).direct_uploads->value);
    has({.heap_index = 2, .property_flags = mapped});
    const auto small = decide(measured, device).direct_uploads;
    CHECK(!small->value);
    CHECK(test::makes(small->why.reason, ClaimId::kLittleIsMapped));
    CHECK(small->why.inputs.size() == 4);

    has({.heap_index = 0, .property_flags = mapped});
    set_rate(curve_of(measured, "host", CopyMeans::kHost, CopyDirection::kUpload, true), 17'000'000'000);
    const auto slow = decide(measured, device).direct_uploads;
    CHECK(!slow->value);
    CHECK(test::makes(slow->why.reason, ClaimId::kDirectSlow));

    std::erase_if(measured.copy_curves,
                  [](const model::CopyCurve& curve) { return curve.means == CopyMeans::kHost && !curve.mapped; });
    // The ring's memory is there, but its curve was left out.
    CHECK(!decide(measured, device).direct_uploads);
    device.memory_types.erase(device.memory_types.begin() + 1);
    const auto unified = decide(measured, device).direct_uploads;
    REQUIRE(unified);
    CHECK(unified->value);
    CHECK(test::makes(unified->why.reason, ClaimId::kAllMappedIsDevice));
}

}  // namespace copies_test
