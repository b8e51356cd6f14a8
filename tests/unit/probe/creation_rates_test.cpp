// Rates of creations on a replayed report, in simulated time: a pair takes the time that the test says.
#include <algorithm>
#include <mutex>

#include <catch2/catch_test_macros.hpp>

#include "probe/creation_rates.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"
#include "replay_report.hpp"

namespace creation_rates_test {

using namespace heapwright;
using model::CreatedObject;

namespace {

constexpr std::uint64_t kPairNs = 1'000;

// What is created takes simulated time, one after the other as in a driver that takes turns; everything else is the
// replayed device's.
class TurnsDevice final : public device::Device, device::ResourceBinder {
public:
    TurnsDevice(std::unique_ptr<device::Device> inner, ManualClock& clock) : inner_(std::move(inner)), clock_(clock) {}

    [[nodiscard]] const model::DeviceReport& facts() const override { return inner_->facts(); }
    [[nodiscard]] bool is_real() const override { return false; }
    [[nodiscard]] device::MemorySource& memory() override { return inner_->memory(); }
    [[nodiscard]] device::ResourceBinder& resources() override { return *this; }
    [[nodiscard]] device::Submitter& submitter() override { return inner_->submitter(); }
    [[nodiscard]] Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t initial_value) override {
        return inner_->create_timeline(initial_value);
    }
    [[nodiscard]] std::vector<std::string> take_validation_messages() override { return {}; }

    std::optional<Error> error;  // of every pair

private:
    Result<model::MemoryRequirements> requirements(const model::ResourceDescription&) override {
        return model::MemoryRequirements{.size_bytes = 64 << 10, .alignment_bytes = 256, .memory_type_bits = 0b1};
    }
    Result<device::ResourceId> create_placed(const model::ResourceDescription& resource, device::AllocationId memory,
                                             std::uint64_t offset_bytes) override {
        return inner_->resources().create_placed(resource, memory, offset_bytes);
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex memory_type,
                                                float priority) override {
        return inner_->resources().create_dedicated(resource, memory_type, priority);
    }
    void destroy(device::ResourceId resource) override { inner_->resources().destroy(resource); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override {
        return inner_->resources().map_dedicated(resource);
    }
    Status create_and_destroy(const model::ResourceDescription&, device::AllocationId, std::uint64_t,
                              std::uint32_t times) override {
        const std::scoped_lock lock(mutex_);
        if (error) return fail(Error(*error));
        clock_.advance_ns(times * kPairNs);
        return {};
    }

    std::unique_ptr<device::Device> inner_;
    ManualClock& clock_;
    std::mutex mutex_;
};

// Allocations take simulated time, too.
model::DeviceReport costed_report() {
    model::DeviceReport report = test::small_report();
    for (std::uint32_t type = 0; type < report.memory_types.size(); ++type) {
        report.run.memory_cost.push_back({.memory_type = type, .points = {}});
        report.run.memory_cost.back().points.push_back(
            {.size_bytes = 64 << 10, .samples = 1, .allocate_ns = 300'000, .free_ns = 1'000});
    }
    return report;
}

struct Rig {
    Rig() {
        const model::DeviceReport report = costed_report();
        auto replayed = replay::open_replay(report, {.clock = &clock});
        REQUIRE(replayed);
        auto faulty = replay::inject_faults(std::move(*replayed), {});
        counted = faulty.get();
        device = std::make_unique<TurnsDevice>(std::move(faulty), clock);
    }

    model::CreationMeasurements measure(probe::CreationOptions options = {}) {
        options.clock = &clock;
        if (options.processors == 0) options.processors = 1;
        model::CreationMeasurements measured;
        REQUIRE(probe::measure_creations(*device, options, measured));
        return measured;
    }

    ManualClock clock;
    replay::FaultyDevice* counted = nullptr;
    std::unique_ptr<TurnsDevice> device;
};

}  // namespace

TEST_CASE("one thread's rate is what its pairs take, and nothing is left alive") {
    Rig rig;
    const model::CreationMeasurements measured = rig.measure();
    for (const CreatedObject object : {CreatedObject::kImage, CreatedObject::kBuffer}) {
        const model::CreationCurve* curve = find_curve(measured, object, false);
        REQUIRE(curve != nullptr);
        REQUIRE(curve->points.size() == 1);
        CHECK(curve->points[0].threads == 1);
        CHECK(curve->points[0].samples == 5);
        CHECK(curve->points[0].pairs_per_s == 1'000'000'000 / kPairNs);
        CHECK(curve->points[0].least_pairs_per_s == curve->points[0].most_pairs_per_s);
        CHECK(!curve->description.empty());
    }
    CHECK(measured.processors == 1);
    CHECK(measured.total_ns > 0);
    CHECK(rig.counted->counters().nothing_alive());
}

TEST_CASE("threads go up in powers of two to the processors, sixteen at most") {
    const auto numbers = [](std::uint32_t processors) {
        Rig rig;
        const model::CreationMeasurements measured = rig.measure({.processors = processors, .samples = 1});
        CHECK(measured.processors == processors);
        std::vector<std::uint32_t> threads;
        for (const model::CreationPoint& point : find_curve(measured, CreatedObject::kImage, false)->points)
            threads.push_back(point.threads);
        return threads;
    };
    CHECK(numbers(1) == std::vector<std::uint32_t>{1});
    CHECK(numbers(2) == std::vector<std::uint32_t>{1, 2});
    CHECK(numbers(6) == std::vector<std::uint32_t>{1, 2, 4, 6});
    CHECK(numbers(64) == std::vector<std::uint32_t>{1, 2, 4, 8, 16});
}

TEST_CASE("with memoryPriority descriptors are left out, and every curve says so") {
    Rig rig;
    const model::CreationMeasurements measured = rig.measure({.memory_priority = true});
    CHECK(find_curve(measured, CreatedObject::kImage, true) != nullptr);
    CHECK(find_curve(measured, CreatedObject::kImage, false) == nullptr);
    CHECK(find_curve(measured, CreatedObject::kDescriptors, true) == nullptr);
    for (const std::string& skipped : measured.skipped) CHECK(skipped.find("descriptors") == std::string::npos);
}

TEST_CASE("what the time does not suffice for is named") {
    Rig rig;
    const model::CreationMeasurements measured = rig.measure({.processors = 4, .time_budget_ns = 1});
    // The first of all began in time.
    REQUIRE(measured.curves.size() >= 1);
    CHECK(measured.curves[0].points.size() == 1);
    CHECK(std::ranges::find(measured.skipped, "image by 4 threads: the time was up") != measured.skipped.end());
    CHECK(std::ranges::find(measured.skipped, "buffer by 1 thread: the time was up") != measured.skipped.end());
}

TEST_CASE("an object that the driver refuses is named with the reason, and the others are measured") {
    Rig rig;
    rig.device->error = Error{.code = ErrorCode::kOutOfHostMemory, .message = "no more", .where = "vkCreateImage"};
    std::size_t told = 0;
    const model::CreationMeasurements measured =
        rig.measure({.processors = 4, .on_failure = [&](std::string_view, const Error&) { ++told; }});
    CHECK(find_curve(measured, CreatedObject::kImage, false) == nullptr);
    CHECK(find_curve(measured, CreatedObject::kMemory, false) != nullptr);
    CHECK(std::ranges::count_if(measured.skipped, [](const std::string& skipped) {
              return skipped.starts_with("image: ") && skipped.find("no more") != std::string::npos;
          }) == 1);
}

TEST_CASE("a device that is lost ends the measurement") {
    Rig rig;
    rig.device->error = Error{.code = ErrorCode::kDeviceLost, .message = "lost", .where = "vkCreateImage"};
    model::CreationMeasurements measured;
    const Status done = probe::measure_creations(*rig.device, {.processors = 2, .clock = &rig.clock}, measured);
    REQUIRE(!done);
    CHECK(done.error().code == ErrorCode::kDeviceLost);
    CHECK(rig.counted->counters().nothing_alive());
}

}  // namespace creation_rates_test
