// Which engine does what, and with which latencies: every branch of the rules.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "policy/advise.hpp"
#include "render/explain.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;
using model::ClaimId;

namespace {

constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 200, .churn_steps = 50}};

model::DevicePolicy advise(const std::optional<model::EngineMeasurements>& engines,
                           const model::Workload& workload = test::small_workload()) {
    model::DeviceReport device = test::radv_like_device();
    device.run.engines = engines;
    auto policy = policy::advise(device, workload, 0, kQuick);
    REQUIRE(policy);
    return std::move(*policy);
}

model::EnginePolicy engines_of(const model::EngineMeasurements& measured,
                               const model::Workload& workload = test::small_workload()) {
    const model::DevicePolicy policy = advise(measured, workload);
    REQUIRE(policy.engines);
    return *policy.engines;
}

const model::Decided<std::string>& engine_for(const model::EnginePolicy& policy, std::string_view work) {
    const auto found = std::ranges::find(policy.assignments, work, &model::EngineAssignment::work);
    REQUIRE(found != policy.assignments.end());
    return found->engine;
}

}  // namespace

TEST_CASE("a report without engines gives a policy without them, else alike") {
    const model::DevicePolicy without = advise(std::nullopt);
    CHECK(!without.engines);
    const model::DevicePolicy with = advise(test::measured_engines());
    REQUIRE(with.engines);
    CHECK(with.buckets.size() == without.buckets.size());
    CHECK(with.uploads.ring_bytes.value == without.uploads.ring_bytes.value);
    CHECK(with.warnings == without.warnings);
    CHECK(!advise(model::EngineMeasurements{}).engines);
}

TEST_CASE("where working at the same time pays, every kind of work has its engine") {
    const model::EnginePolicy policy = engines_of(test::measured_engines());
    CHECK(policy.async_copy.value);
    CHECK(policy.async_compute.value);
    REQUIRE(policy.assignments.size() == 7);
    CHECK(engine_for(policy, "draws").value == "graphics");
    CHECK(engine_for(policy, "frame-compute").value == "compute");
    CHECK(engine_for(policy, "background-compute").value == "compute-low");
    CHECK(test::makes(engine_for(policy, "background-compute").why.reason, ClaimId::kPriorityWithoutEffect));
    CHECK(engine_for(policy, "uploads").value == "copy");
    CHECK(engine_for(policy, "downloads").value == "copy-2");
    CHECK(policy.copy_ring_length.value == 2);
    CHECK(policy.compute_graphics_latency.value == 2);
    CHECK(test::says(policy.compute_graphics_latency.why.reason, "3 copies of what passes between"));
    for (const auto* why : {&policy.async_copy.why, &policy.async_compute.why, &policy.copy_ring_length.why,
                            &policy.cpu_latency.why, &policy.compute_graphics_latency.why}) {
        CHECK(!why->reason.empty());
        CHECK(!why->inputs.empty());
        CHECK(!why->alternatives.empty());
    }
}

TEST_CASE("where it does not, all work stays on the graphics engine, but for what no frame waits for") {
    model::EngineMeasurements measured = test::measured_engines();
    for (model::EngineOverlap& overlap : measured.overlaps) overlap.gained = 0.05;
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(!policy.async_copy.value);
    CHECK(test::makes(policy.async_copy.why.reason, ClaimId::kOverlapTooLittle));
    CHECK(!policy.async_compute.value);
    CHECK(engine_for(policy, "frame-compute").value == "graphics");
    CHECK(engine_for(policy, "background-compute").value == "compute-low");
    CHECK(engine_for(policy, "uploads").value == "graphics");
    CHECK(engine_for(policy, "downloads").value == "graphics");
    CHECK(policy.compute_graphics_latency.value == 1);
}

TEST_CASE("a gain within the spread does not pay") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.overlaps[1].concurrent.p90_ns = measured.overlaps[1].serial.ns;
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(!policy.async_copy.value);
    CHECK(test::makes(policy.async_copy.why.reason, ClaimId::kOverlapUnsure));
    CHECK(policy.async_compute.value);
}

TEST_CASE("a copy engine that copies faster takes the copies even where nothing overlaps") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.overlaps[1].gained = 0;
    for (model::EngineCopy& copy : measured.copies) {
        if (copy.engine == "copy" && copy.direction == model::CopyDirection::kUpload) copy.bytes_per_s *= 2;
    }
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(!policy.async_copy.value);
    CHECK(engine_for(policy, "uploads").value == "copy");
    CHECK(test::makes(engine_for(policy, "uploads").why.reason, ClaimId::kCopierFaster));
    CHECK(engine_for(policy, "downloads").value == "graphics");
}

TEST_CASE("a copy engine that is too slow for a frame's uploads does not get them") {
    model::EngineMeasurements measured = test::measured_engines();
    for (model::EngineCopy& copy : measured.copies) {
        if (copy.engine == "copy") copy.bytes_per_s = 1'000'000'000;
    }
    model::Workload workload = test::small_workload();
    workload.uploads.bytes_per_frame = 16'000'000;
    workload.frame_budget_ns = 16'000'000;
    CHECK(engine_for(engines_of(measured, workload), "uploads").value == "copy");
    workload.uploads.bytes_per_frame = 16'100'000;
    const model::EnginePolicy policy = engines_of(measured, workload);
    CHECK(policy.async_copy.value);
    CHECK(engine_for(policy, "uploads").value == "graphics");
    CHECK(test::says(engine_for(policy, "uploads").why.reason, "take 16.1 ms of its 16 ms"));
}

TEST_CASE("a slow second copy engine takes no downloads") {
    model::EngineMeasurements measured = test::measured_engines();
    for (model::EngineCopy& copy : measured.copies) {
        if (copy.engine == "copy-2") copy.bytes_per_s /= 2;
    }
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(engine_for(policy, "downloads").value == "copy");
    CHECK(test::makes(engine_for(policy, "downloads").why.reason, ClaimId::kSecondCopierSlow));
}

TEST_CASE("without measured pairs the queue families decide, and the reason says so") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.overlaps.clear();
    measured.pipelines.clear();
    measured.engines[2].dedicated = false;
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(policy.async_compute.value);
    CHECK(test::makes(policy.async_compute.why.reason, ClaimId::kNotMeasured));
    CHECK(!policy.async_copy.value);
    CHECK(test::makes(policy.async_copy.why.reason, ClaimId::kNotMeasured));
    const std::uint64_t frames = test::small_workload().frames_in_flight;
    CHECK(policy.copy_ring_length.value == frames + 1);
    CHECK(policy.cpu_latency.value == frames);
    CHECK(policy.compute_graphics_latency.value == std::min<std::uint64_t>(2, frames));
    CHECK(test::makes(policy.cpu_latency.why.reason, ClaimId::kNotMeasured));
}

TEST_CASE("too few samples of a pair are as good as none") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.overlaps[0].samples = 2;
    measured.overlaps[0].gained = 0;
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(policy.async_compute.value);
    CHECK(test::makes(policy.async_compute.why.reason, ClaimId::kNotMeasured));
}

TEST_CASE("a gain of more than there is to gain is a disturbed measurement") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.overlaps[0].gained = 2.4;
    measured.engines[1].dedicated = false;
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(!policy.async_compute.value);
    CHECK(test::makes(policy.async_compute.why.reason, ClaimId::kGainsTooMuch));
    measured.overlaps[0].gained = 1.06;
    CHECK(!engines_of(measured).async_compute.value);
    measured.overlaps[0].gained = 1.05;
    CHECK(engines_of(measured).async_compute.value);
    // What the report calls disturbed is no evidence whatever was gained.
    measured.overlaps[0].disturbed = "compute alone took 784 ns at first and 1690 ns later";
    const model::EnginePolicy disturbed = engines_of(measured);
    CHECK(!disturbed.async_compute.value);
    CHECK(test::makes(disturbed.async_compute.why.reason, ClaimId::kOverlapDisturbed));
}

TEST_CASE("one engine does everything") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.engines.resize(1);
    measured.overlaps.clear();
    const model::EnginePolicy policy = engines_of(measured);
    CHECK(!policy.async_copy.value);
    CHECK(!policy.async_compute.value);
    for (const model::EngineAssignment& assignment : policy.assignments) CHECK(assignment.engine.value == "graphics");
}

TEST_CASE("the workload's frames in flight and frame budget bound the latencies") {
    model::Workload workload = test::small_workload();
    model::EngineMeasurements measured = test::measured_engines();
    workload.frames_in_flight = 3;
    // At 3, 260000 ns; at 2, 40000 ns more; at 1, 440000 ns more: little of any frame budget, but not of the frame.
    for (const std::uint64_t budget_ns : {2'000'000u, 44'000'000u}) {
        workload.frame_budget_ns = budget_ns;
        CHECK(engines_of(measured, workload).cpu_latency.value == 3);
    }
    measured.pipelines[0].points[3].frame.ns = 273'000;
    CHECK(engines_of(measured, workload).cpu_latency.value == 2);
    measured.pipelines[0].points[1].frame.ns = 272'000;
    CHECK(engines_of(measured, workload).cpu_latency.value == 1);
    // A spread wins nothing.
    measured.pipelines[0].points[1].frame = {.ns = 274'000, .min_ns = 260'000, .p90_ns = 280'000};
    measured.pipelines[0].points[5].frame.p90_ns = 900'000;
    CHECK(engines_of(measured, workload).cpu_latency.value == 2);

    workload.frames_in_flight = 1;
    const model::EnginePolicy tight = engines_of(measured, workload);
    CHECK(tight.compute_graphics_latency.value == 1);
    CHECK(tight.cpu_latency.value == 1);
    model::EngineMeasurements long_ring = measured;
    long_ring.pipelines[1].best_engine_latency = 4;
    const model::EnginePolicy held = engines_of(long_ring, workload);
    CHECK(held.copy_ring_length.value == 2);
    CHECK(test::makes(held.copy_ring_length.why.reason, ClaimId::kRingBestHeld));
}

TEST_CASE("a pipeline that did not settle leaves the engine article's latencies, within the frames in flight") {
    model::Workload workload = test::small_workload();
    model::EngineMeasurements measured = test::measured_engines();
    for (model::PipelineMeasurement& pipeline : measured.pipelines) {
        pipeline.unsettled = "the median may be off by 20%";
        pipeline.best_cpu_latency = pipeline.best_engine_latency = 1;
    }
    workload.frames_in_flight = 4;
    const model::EnginePolicy policy = engines_of(measured, workload);
    CHECK(policy.cpu_latency.value == 3);
    CHECK(policy.compute_graphics_latency.value == 2);
    CHECK(policy.copy_ring_length.value == 3);
    for (const auto* why :
         {&policy.cpu_latency.why, &policy.compute_graphics_latency.why, &policy.copy_ring_length.why}) {
        CHECK(test::makes(why->reason, ClaimId::kPipelineUnsettled));
        CHECK(!why->inputs.empty());
        CHECK(!why->alternatives.empty());
    }
    workload.frames_in_flight = 1;
    const model::EnginePolicy tight = engines_of(measured, workload);
    CHECK(tight.cpu_latency.value == 1);
    CHECK(tight.compute_graphics_latency.value == 1);
    CHECK(tight.copy_ring_length.value == 2);
}

TEST_CASE("few samples are told by their range") {
    model::EngineMeasurements measured = test::measured_engines();
    CHECK(test::makes(engines_of(measured).async_copy.why.reason, ClaimId::kOverlapRange));
    measured.overlaps[1].samples = 10;
    CHECK(test::makes(engines_of(measured).async_copy.why.reason, ClaimId::kOverlapMost));
}

TEST_CASE("times that did not settle are warned of") {
    model::EngineMeasurements measured = test::measured_engines();
    measured.steadiness.answer = model::Steadiness::kDidNotSettle;
    measured.steadiness.note = "a trend of 20";
    const model::DevicePolicy policy = advise(measured);
    CHECK(test::makes(policy.warnings, ClaimId::kEnginesUnsettled));
}

TEST_CASE("a reason says where one of the times that it rests on did not settle") {
    const auto unsettled = [](const model::Decision& why) { return test::makes(why.reason, ClaimId::kUnsettled); };
    const model::EngineMeasurements near = test::measured_engines();
    const model::EnginePolicy settled = engines_of(near);
    CHECK(!unsettled(settled.async_compute.why));
    CHECK(!unsettled(engine_for(settled, "uploads").why));
    CHECK(!unsettled(settled.cpu_latency.why));
    CHECK(!unsettled(settled.buffer_moves->why));
    const auto spread = [](model::MeasuredTime& time) { time.p90_ns = time.ns + time.ns / 10; };
    model::EngineMeasurements measured = near;
    for (model::EngineOverlap& overlap : measured.overlaps) spread(overlap.first_alone);
    CHECK(unsettled(engines_of(measured).async_compute.why));
    measured = near;
    // Of the graphics engine, which lost.
    for (model::EngineCopy& copy : measured.copies)
        if (copy.engine == "graphics") spread(copy.time);
    CHECK(unsettled(engine_for(engines_of(measured), "uploads").why));
    measured = near;
    for (model::PipelineMeasurement& pipeline : measured.pipelines)
        for (model::PipelinePoint& point : pipeline.points)
            if (point.cpu_latency == 3) spread(point.frame);
    CHECK(unsettled(engines_of(measured).cpu_latency.why));
    measured = near;
    for (model::CopyCurve& curve : measured.copy_curves)
        for (model::CopyPoint& point : curve.points) spread(point.time);
    CHECK(unsettled(engines_of(measured).buffer_moves->why));
}

TEST_CASE("the explanation says of every engine why") {
    model::Policy policy;
    policy.devices = {advise(test::measured_engines())};
    const std::string text = render::explain(policy, {.all = true}).text;
    for (const char* part :
         {"assignment draws: engine: graphics\n", "assignment downloads: engine: copy-2\n", "async copy: true\n",
          "async compute: true\n", "copy ring length: 2\n", "cpu latency: 3\n", "compute graphics latency: 2\n"}) {
        INFO(part);
        CHECK(text.find(part) != std::string::npos);
    }
}
