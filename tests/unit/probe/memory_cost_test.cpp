// The measurement on a replayed report, whose simulated time makes every figure known beforehand.
#include <algorithm>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "probe/allocation_count.hpp"
#include "probe/cost_fit.hpp"
#include "probe/memory_cost.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "replay_report.hpp"

namespace memory_cost_test {

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

constexpr std::uint64_t kKib = 1 << 10;
constexpr std::uint64_t kFixedNs = 300'000;
constexpr std::uint64_t kNsPerMib = 20'000;

// Small report, with a straight cost of memory type 0 at every size that is measured.
model::DeviceReport costed_report() {
    model::DeviceReport report = small_report();
    for (std::uint32_t side = 128; side <= 2048; side *= 2) {
        constexpr model::Flags kUsage = model::image_usage::kColorAttachment | model::image_usage::kSampled;
        report.image_sweep.points.push_back(
            {.description = {.usage = kUsage, .width = side, .height = side},
             .requirements = model::MemoryRequirements{.size_bytes = 4ull * side * side, .memory_type_bits = 0b001}});
    }
    report.run.memory_cost = {{.memory_type = 0, .points = {}}};
    for (std::uint64_t size = 64 * kKib; size <= kGib; size *= 4) {
        report.run.memory_cost[0].points.push_back({.size_bytes = size,
                                                    .samples = 1,
                                                    .allocate_ns = kFixedNs + kNsPerMib * size / kMib,
                                                    .free_ns = 1'000 + size / kMib});
    }
    return report;
}

struct Rig {
    explicit Rig(const model::DeviceReport& report, FaultPlan plan = {}) {
        auto replayed = open_replay(report, {.clock = &clock});
        REQUIRE(replayed);
        device = inject_faults(std::move(*replayed), plan);
    }

    ManualClock clock;
    std::unique_ptr<FaultyDevice> device;
};

// Small sizes keep the replayed memory cheap to touch.
probe::MemoryCostOptions options_of(Rig& rig) {
    return {.time_budget_ns = 100'000'000'000,
            .memory_limit_bytes = 2 * kGib,
            .host_visible_limit_bytes = 4 * kMib,
            .samples = 3,
            .bandwidth_bytes = 64 * kKib,
            .clock = &rig.clock};
}

std::vector<model::MemoryCostCurve> measured_with(Rig& rig, const probe::MemoryCostOptions& options) {
    auto curves = probe::measure_memory_cost(*rig.device, options);
    REQUIRE(curves);
    CHECK(rig.device->counters().nothing_alive());
    CHECK(rig.device->take_validation_messages().empty());
    return std::move(*curves);
}

}  // namespace

TEST_CASE("The measured curve is the one that the device has") {
    const model::DeviceReport report = costed_report();
    Rig rig(report);
    const auto curves = measured_with(rig, options_of(rig));
    REQUIRE(curves.size() == 3);
    const auto& expected = report.run.memory_cost[0].points;
    REQUIRE(curves[0].points.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const model::MemoryCostPoint& point = curves[0].points[i];
        CHECK(point.size_bytes == expected[i].size_bytes);
        CHECK(point.samples == 3);
        CHECK(point.allocate_ns == expected[i].allocate_ns);
        CHECK(point.allocate_min_ns == point.allocate_worst_ns);
        CHECK(point.free_ns == expected[i].free_ns);
        CHECK(point.touch_ns == 0);
    }
    REQUIRE(curves[0].allocate_fit);
    CHECK(curves[0].allocate_fit->fixed_ns == Catch::Approx(kFixedNs).epsilon(0.001));
    CHECK(curves[0].allocate_fit->ns_per_mib == Catch::Approx(kNsPerMib).epsilon(0.001));
    CHECK(curves[0].allocate_fit->largest_relative_error < 0.001);
    CHECK(!curves[0].host_bandwidth);
    // Types 1 and 2 cost nothing here, so there is nothing to fit.
    CHECK(!curves[1].allocate_fit);
    CHECK(curves[1].points.back().size_bytes == 4 * kMib);
}

TEST_CASE("Memory dedicated to an image has a cost of its own") {
    model::DeviceReport report = costed_report();
    model::MemoryCostCurve& of_report = report.run.memory_cost[0];
    of_report.dedicated_image_points = of_report.points;
    for (model::MemoryCostPoint& point : of_report.dedicated_image_points) {
        point.allocate_ns /= 2;
        point.free_ns *= 3;
    }
    Rig rig(report);
    const auto curves = measured_with(rig, options_of(rig));
    const auto& points = curves[0].dedicated_image_points;
    REQUIRE(points.size() == 5);
    CHECK(curves[0].points.size() == of_report.points.size());
    for (const model::MemoryCostPoint& point : points) {
        const auto same =
            std::ranges::find(of_report.dedicated_image_points, point.size_bytes, &model::MemoryCostPoint::size_bytes);
        REQUIRE(same != of_report.dedicated_image_points.end());
        CHECK(point.samples == 3);
        CHECK(point.allocate_ns == same->allocate_ns);
        CHECK(point.free_ns == same->free_ns);
        CHECK(point.touch_worst_ns == 0);
    }
    // No such image may lie in the others.
    CHECK(curves[1].dedicated_image_points.empty());
    CHECK(curves[2].dedicated_image_points.empty());
}

TEST_CASE("Waiting for a processor is no cost of memory") {
    // Other programs have the processors for nine tenths of the time.
    class BusyMachine final : public Clock {
    public:
        explicit BusyMachine(Clock& alone) : alone_(alone) {}
        std::uint64_t now_ns() override { return 10 * alone_.now_ns(); }
        std::uint64_t processor_wait_ns() override { return 9 * alone_.now_ns(); }

    private:
        Clock& alone_;
    };
    Rig rig(costed_report());
    BusyMachine clock(rig.clock);
    const auto sample = probe::sample_cost(*rig.device, clock, {0}, kMib);
    REQUIRE(sample);
    CHECK(sample->allocate_ns == kFixedNs + kNsPerMib);
    CHECK(sample->free_ns == 1'001);
    CHECK(sample->total_ns > 10 * sample->allocate_ns);
}

TEST_CASE("No more lives at a time than the limit, and no point exceeds what the device allows") {
    constexpr std::uint64_t kLimit = 16 * kMib;
    Rig rig(costed_report(), {.oom_after_bytes = kLimit});
    probe::MemoryCostOptions options = options_of(rig);
    options.memory_limit_bytes = kLimit;
    const auto curves = measured_with(rig, options);
    CHECK(rig.device->counters().injected == 0);
    CHECK(curves[0].points.back().size_bytes == kLimit);

    model::DeviceReport small = costed_report();
    for (model::Fact& fact : small.limits) {
        if (fact.name == "maxMemoryAllocationSize") fact.value = 3 * kMib;
    }
    Rig bounded(small);
    CHECK(measured_with(bounded, options_of(bounded))[0].points.back().size_bytes == kMib);
    CHECK(bounded.device->counters().injected == 0);

    model::DeviceReport tight = costed_report();
    tight.run.heap_budgets[0] = {.budget_bytes = 5 * kMib, .usage_bytes = 0};
    Rig budgeted(tight);
    CHECK(measured_with(budgeted, options_of(budgeted))[0].points.back().size_bytes == 4 * kMib);
}

TEST_CASE("Dear sizes take fewer samples, and what does not fit the time is left out") {
    Rig rig(costed_report());
    probe::MemoryCostOptions options = options_of(rig);
    options.time_budget_ns = 80'000'000;
    options.samples = 15;
    options.counted_allocations = 1;
    const std::uint64_t start = rig.clock.now_ns();
    const auto curves = measured_with(rig, options);
    CHECK(rig.clock.now_ns() - start <= options.time_budget_ns);
    const auto& points = curves[0].points;
    REQUIRE(points.size() >= 6);
    CHECK(points.front().samples > points.back().samples);
    CHECK(points.back().samples >= 1);
    // Four times what the size before it takes is more than a 32nd of the time.
    CHECK(points.back().size_bytes < kGib);
}

TEST_CASE("Protected, lazily allocated and device-coherent memory is not measured") {
    model::DeviceReport report = costed_report();
    report.memory_types[0].property_flags |= model::memory_property::kProtected;
    report.memory_types[2].property_flags |= model::memory_property::kDeviceCoherentAmd;
    report.memory_types.push_back(
        {.heap_index = 0,
         .property_flags = model::memory_property::kDeviceLocal | model::memory_property::kLazilyAllocated});
    Rig rig(report);
    const auto curves = measured_with(rig, options_of(rig));
    REQUIRE(curves.size() == 1);
    CHECK(curves[0].memory_type == 1);
}

TEST_CASE("Allocations are counted up to the device's limit") {
    Rig rig(costed_report());
    const auto curves = measured_with(rig, options_of(rig));
    REQUIRE(curves[0].allocation_count);
    CHECK(curves[0].allocation_count->reached == 64);
    CHECK(!curves[0].allocation_count->limit_hit);
    CHECK(curves[0].allocation_count->stopped_by == "maxMemoryAllocationCount");

    Rig refusing(costed_report(), {.oom_after_allocations = 8});
    const auto few = measured_with(refusing, options_of(refusing));
    REQUIRE(few[0].allocation_count);
    CHECK(few[0].allocation_count->reached == 8);
    CHECK(few[0].allocation_count->limit_hit);
    CHECK(!few[0].allocation_count->stopped_by.empty());
}

TEST_CASE("A lack of memory is the device's refusal only where much more is left") {
    const auto of_heap = [](std::uint64_t heap_bytes) {
        model::DeviceReport report = costed_report();
        report.heaps[0].size_bytes = heap_bytes;
        Rig rig(report, {.oom_after_bytes = 4 * kMib});
        return measured_with(rig, options_of(rig)).front();
    };
    const model::MemoryCostCurve refusing = of_heap(64 * kGib);
    REQUIRE(refusing.refused);
    CHECK(refusing.refused->size_bytes == 16 * kMib);

    // More than a quarter of 24 MiB: the machine's lack.
    const model::MemoryCostCurve lacking = of_heap(24 * kMib);
    CHECK(!lacking.refused);
    CHECK(std::ranges::any_of(lacking.left_out, [](const model::SizeLeftOut& left_out) {
        return !left_out.dedicated_image && left_out.size_bytes == 16 * kMib && !left_out.reason.empty();
    }));
    CHECK(lacking.points.size() == refusing.points.size());

    model::DeviceReport nearly_full = costed_report();
    nearly_full.heaps[0].size_bytes = 64 * kKib;
    Rig rig(nearly_full, {.oom_after_allocations = 14});
    const auto counted = measured_with(rig, options_of(rig));
    REQUIRE(counted[0].allocation_count);
    CHECK(counted[0].allocation_count->reached == 14);
    CHECK(!counted[0].allocation_count->limit_hit);
}

TEST_CASE("The count stops at its bounds of number, bytes and time") {
    model::DeviceReport report = costed_report();
    for (model::Fact& fact : report.limits) {
        if (fact.name == "maxMemoryAllocationCount") fact.value = 1'000'000;
    }
    Rig rig(report);
    const auto count = [&](const probe::CountBounds& bounds) {
        const auto result = probe::count_allocations(*rig.device, rig.clock, {0}, bounds);
        REQUIRE(result);
        CHECK(rig.device->counters().nothing_alive());
        CHECK(!result->limit_hit);
        return result->reached;
    };
    CHECK(count({.allocations = 200, .bytes = kGib, .deadline_ns = ~0ull}) == 200);
    CHECK(count({.allocations = 1000, .bytes = 100 * probe::kCountedAllocationBytes, .deadline_ns = ~0ull}) == 100);
    // Without any time left the conformance tests' number is reached all the same.
    CHECK(count({.allocations = 1000, .bytes = kGib, .deadline_ns = 0}) == probe::kConformanceAllocations);
}

TEST_CASE("Host-visible memory has a bandwidth on a clock that moves") {
    auto device = open_replay(costed_report());
    REQUIRE(device);
    probe::MemoryCostOptions options{.time_budget_ns = 200'000'000,
                                     .memory_limit_bytes = 4 * kMib,
                                     .samples = 5,
                                     .counted_allocations = 10,
                                     .bandwidth_bytes = kMib};
    const auto curves = probe::measure_memory_cost(**device, options);
    REQUIRE(curves);
    CHECK(!(*curves)[0].host_bandwidth);
    for (const std::size_t type : {1u, 2u}) {
        const model::MemoryCostCurve& curve = (*curves)[type];
        REQUIRE(curve.host_bandwidth);
        CHECK(curve.host_bandwidth->bytes_each == kMib);
        CHECK(curve.host_bandwidth->write_bytes_per_s > 0);
        CHECK(curve.host_bandwidth->read_bytes_per_s > 0);
        CHECK(curve.points.back().touch_ns >= curve.points.back().touch_min_ns);
        CHECK(curve.points.back().touch_worst_ns > 0);
    }
    CHECK((*device)->counters().source_allocations == 0);
}

TEST_CASE("Whichever call fails, nothing is left alive") {
    for (const ErrorCode code : {ErrorCode::kOutOfDeviceMemory, ErrorCode::kDeviceLost}) {
        std::uint64_t call = 1;
        for (;; ++call) {
            Rig rig(costed_report(), {.fail_at = call, .code = code});
            probe::MemoryCostOptions options = options_of(rig);
            options.samples = 1;
            options.memory_limit_bytes = 256 * kKib;
            options.counted_allocations = 4;
            const auto curves = probe::measure_memory_cost(*rig.device, options);
            INFO("call " << call);
            CHECK(rig.device->counters().nothing_alive());
            if (rig.device->counters().injected == 0) break;
            if (code == ErrorCode::kDeviceLost) {
                REQUIRE(!curves);
                CHECK(curves.error().code == ErrorCode::kDeviceLost);
            }
        }
        CHECK(call > 20);
    }
}

}  // namespace memory_cost_test
