// A policy over numbers, on operations whose outcome can be told by hand.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "core/units.hpp"
#include "policy/simulated_pool.hpp"

using namespace heapwright;
using policy::DeviceMemoryCall;
using workload::Create;
using workload::Destroy;
using workload::EndFrame;

namespace {

template <class T>
model::Decided<T> chosen(T value) {
    return model::because(std::move(value), {});
}

// One heap of 64 MiB, one memory type, one bucket of buffers with chunks of 4 MiB.
struct Scene {
    Scene() {
        facts.heaps = {{.size_bytes = 64 * kMiB, .flags = 0}};
        facts.memory_types = {{.heap_index = 0, .property_flags = 0}};
        policy.heaps.emplace_back();
        policy.heaps[0].size_bytes = 64 * kMiB;
        policy.heaps[0].usable_bytes = chosen(64 * kMiB);
        policy.memory_uses.emplace_back();
        policy.memory_uses[0].use = model::MemoryUse::kDeviceOnly;
        policy.memory_uses[0].memory_types = chosen(std::vector<std::uint32_t>{0});
        policy.humongous_threshold_bytes = chosen(8 * kMiB);
        policy.dedicated = chosen(model::DedicatedRule::kWhenRequired);
        policy.max_chunks = chosen<std::uint64_t>(100);
        policy.buckets.emplace_back();
        policy.buckets[0].id = "linear/256/0";
        policy.buckets[0].resource_classes = {model::ResourceClass::kLinear};
        policy.buckets[0].alignment_bytes = 256;
        policy.buckets[0].chunk_size_bytes = chosen(4 * kMiB);
        policy.buckets[0].granule_bytes = chosen<std::uint64_t>(256);
    }

    [[nodiscard]] policy::SimulatedPool run(const std::vector<workload::Operation>& operations,
                                            const policy::SimulatedPoolOptions& options = {}) const {
        const auto requirements = [](const model::ResourceDescription& one) -> Result<model::MemoryRequirements> {
            return model::MemoryRequirements{.size_bytes = std::get<model::BufferDescription>(one).size_bytes,
                                             .alignment_bytes = 256,
                                             .memory_type_bits = 1};
        };
        auto outcome = policy::simulate_pool(facts, policy, operations, requirements, options);
        if (!outcome) FAIL(to_string(outcome.error()));
        return std::move(*outcome);
    }

    model::DeviceReport facts;
    model::DevicePolicy policy;
};

Create buffer(std::uint64_t id, std::uint64_t mib) {
    return {.id = id, .resource = model::BufferDescription{.size_bytes = mib * kMiB, .usage = 0}};
}

DeviceMemoryCall takes(std::uint64_t mib) {
    return {.takes = true, .memory_type = 0, .size_bytes = mib * kMiB};
}
DeviceMemoryCall gives_back(std::uint64_t mib) {
    return {.takes = false, .memory_type = 0, .size_bytes = mib * kMiB};
}

using Calls = std::vector<DeviceMemoryCall>;

}  // namespace

TEST_CASE("resources share a chunk as long as it has room") {
    const auto outcome = Scene().run({buffer(1, 3), buffer(2, 1), buffer(3, 1)});
    REQUIRE(outcome.places.size() == 3);
    const policy::SimulatedPlace& three = outcome.places[0];
    const policy::SimulatedPlace& one = outcome.places[1];
    const policy::SimulatedPlace& more = outcome.places[2];
    CHECK(three.size_bytes == 3 * kMiB);
    CHECK(one.size_bytes == kMiB);
    CHECK(one.chunk == three.chunk);
    CHECK((one.offset_bytes >= three.offset_bytes + 3 * kMiB || one.offset_bytes + kMiB <= three.offset_bytes));
    CHECK(more.chunk != three.chunk);
    CHECK(outcome.calls == Calls{takes(4), takes(4)});
    CHECK(outcome.peak_bytes == std::vector<std::uint64_t>{8 * kMiB});
}

TEST_CASE("what is humongous, or above its bucket's threshold, has memory of its own") {
    Scene scene;
    scene.policy.buckets[0].dedicated_threshold_bytes = chosen(2 * kMiB);
    const auto outcome = scene.run({buffer(1, 9), buffer(2, 3), buffer(3, 2)});
    CHECK(outcome.places[0].alone);
    CHECK(outcome.places[1].alone);
    CHECK_FALSE(outcome.places[2].alone);
    CHECK(outcome.calls == Calls{takes(9), takes(3), takes(4)});
}

TEST_CASE("a place is given up when its frame is through, not before") {
    const std::vector<workload::Operation> operations{buffer(1, 4), Destroy{.id = 1}, EndFrame{},  buffer(2, 4),
                                                      EndFrame{},   EndFrame{},       buffer(3, 4)};
    const auto outcome = Scene().run(operations, {.frames_in_flight = 2});
    CHECK(outcome.places[1].chunk == 1);
    CHECK(outcome.places[2].chunk == 0);
    CHECK(outcome.calls == Calls{takes(4), takes(4)});
}

TEST_CASE("what each frame takes and gives up is taken from the device once, however little may be kept empty") {
    // An eighth of the heap is kept: two chunks.
    for (const std::uint64_t in_flight : {0u, 1u, 2u}) {
        for (const std::uint64_t count : {3u, 5u}) {
            CAPTURE(in_flight, count);
            std::vector<workload::Operation> operations;
            std::uint64_t id = 0;
            for (int frame = 0; frame < 50; ++frame) {
                for (std::uint64_t i = 0; i < count; ++i) operations.emplace_back(buffer(id + i, 4));
                for (std::uint64_t i = 0; i < count; ++i) operations.emplace_back(Destroy{.id = id + i});
                operations.emplace_back(EndFrame{});
                id += count;
            }
            CHECK(Scene().run(operations, {.frames_in_flight = in_flight}).calls ==
                  Calls(count * (in_flight + 1), takes(4)));
            for (std::uint64_t frame = 0; frame < in_flight + 2; ++frame) operations.emplace_back(EndFrame{});
            const auto left = Scene().run(operations, {.frames_in_flight = in_flight}).calls;
            CHECK(std::ranges::count(left, gives_back(4)) == static_cast<std::ptrdiff_t>(count * (in_flight + 1)) - 2);
        }
    }
}

TEST_CASE("memory of one's own goes back to the device, an empty chunk only after its time") {
    std::vector<workload::Operation> operations{buffer(1, 9), buffer(2, 4), Destroy{.id = 1}, Destroy{.id = 2}};
    for (int frame = 0; frame < 5; ++frame) operations.emplace_back(EndFrame{});
    CHECK(Scene().run(operations).calls == Calls{takes(9), takes(4), gives_back(9)});
    for (int frame = 0; frame < 130; ++frame) operations.emplace_back(EndFrame{});
    CHECK(Scene().run(operations).calls == Calls{takes(9), takes(4), gives_back(9), gives_back(4)});
}

TEST_CASE("under a memory limit chunks become smaller, and then nothing is placed") {
    const auto outcome = Scene().run({buffer(1, 4), buffer(2, 1), buffer(3, 1)}, {.memory_limit_bytes = 5 * kMiB});
    CHECK(outcome.calls == Calls{takes(4), takes(1)});
    CHECK(outcome.places[1].chunk == 1);
    REQUIRE(outcome.places[2].error);
    CHECK(*outcome.places[2].error == ErrorCode::kOutOfDeviceMemory);
}

TEST_CASE("the report's own limits hold") {
    Scene scene;
    scene.facts.heaps[0].size_bytes = 6 * kMiB;
    scene.facts.limits.push_back({"VkPhysicalDeviceLimits", "maxMemoryAllocationCount", 2});
    const auto outcome = scene.run({buffer(1, 4), buffer(2, 1), buffer(3, 1), buffer(4, 1)});
    CHECK(outcome.peak_bytes.front() <= 6 * kMiB);
    CHECK(std::ranges::count(outcome.calls, true, &DeviceMemoryCall::takes) == 2);
    CHECK(outcome.places[3].error.has_value());
}

TEST_CASE("a policy that does not fit the report is refused with the reason") {
    Scene scene;
    scene.policy.buckets[0].memory_type = 3;
    const auto refused = policy::simulate_pool(scene.facts, scene.policy, {}, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kInvalidArgument);
    CHECK(refused.error().where == "bucket linear/256/0");
}

TEST_CASE("a call of the device may come behind the chunk that the background is taking") {
    policy::SimulatedPoolOptions options;
    options.price = [](const DeviceMemoryCall& call) -> policy::SimulatedPrice {
        return call.takes ? policy::SimulatedPrice{.late_ns = 1000, .least_ns = 500, .median_ns = 700}
                          : policy::SimulatedPrice{};
    };
    // Of the second frame's buffers one finds the chunk that is ready, the other takes its own amid the refill.
    const std::vector<workload::Operation> operations{buffer(1, 4), EndFrame{}, buffer(2, 4), buffer(3, 4), EndFrame{}};
    Scene scene;
    scene.policy.buckets[0].chunks_ahead = chosen<std::uint64_t>(1);
    const policy::SimulatedTimes ahead = scene.run(operations, options).times;
    CHECK(ahead.worst_load_ns == 2000);
    CHECK(ahead.median_worst_load_ns == 700);
    CHECK(ahead.worst_frame_ns == 2000);
    CHECK(ahead.median_worst_frame_ns == 700);
    CHECK(ahead.median_p99_frame_ns == 700);
    CHECK(ahead.frames == 1);
    CHECK(ahead.late_chunks == 1);
    scene.policy.buckets[0].chunks_ahead.reset();
    const policy::SimulatedTimes alone = scene.run(operations, options).times;
    CHECK(alone.worst_load_ns == 1000);
    CHECK(alone.worst_frame_ns == 2000);
}
