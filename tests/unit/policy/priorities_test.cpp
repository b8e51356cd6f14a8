// The priority of a bucket's memory and the share of the budget that stays with others.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "policy/advise.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

model::DeviceReport with_priorities() {
    model::DeviceReport device = test::radv_like_device();
    device.features.push_back(
        {.group = "VkPhysicalDeviceMemoryPriorityFeaturesEXT", .name = "memoryPriority", .value = 1});
    return device;
}

// Images that are read alone, and what the host uploads.
model::Workload textures_and_staging() {
    model::Workload workload = test::small_workload();
    workload.images = {{.usage = model::image_usage::kSampled | model::image_usage::kTransferDst, .count = 50}};
    workload.buffers = {{.usage = model::buffer_usage::kTransferSrc,
                         .count = 20,
                         .lifetime = model::Lifetime::kFrame,
                         .memory_use = model::MemoryUse::kUpload}};
    return workload;
}

// Of all buckets of the class.
double highest_priority(const model::DevicePolicy& policy, model::ResourceClass wanted) {
    double highest = -1;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (!model::is_in_use(bucket)) continue;
        if (std::ranges::find(bucket.resource_classes, wanted) == bucket.resource_classes.end()) continue;
        REQUIRE(bucket.priority);
        highest = std::max(highest, bucket.priority->value);
    }
    return highest;
}

}  // namespace

TEST_CASE("what the device writes has the highest priority, what it reads the middle, staging the lowest") {
    model::Workload workload = textures_and_staging();
    auto policy = policy::advise(with_priorities(), workload, 0, {.rule = policy::ChunkRuleName::kSource});
    REQUIRE(policy);
    CHECK(highest_priority(*policy, model::ResourceClass::kOptimal) == 0.5);
    CHECK(highest_priority(*policy, model::ResourceClass::kLinear) == 0.0);
    CHECK_FALSE(test::says(policy->warnings, "priority"));
    for (const model::BucketPolicy& bucket : policy->buckets) {
        if (!model::is_in_use(bucket)) continue;
        CHECK(bucket.priority->why.alternatives.size() == 2);
        CHECK(bucket.priority->why.inputs.size() == 1);
    }

    // One of many is enough: its chunk cannot be paged out without it.
    workload.images.push_back(
        {.usage = model::image_usage::kColorAttachment | model::image_usage::kSampled, .extents = {{64, 64}}});
    policy = policy::advise(with_priorities(), workload, 0, {.rule = policy::ChunkRuleName::kSource});
    REQUIRE(policy);
    CHECK(highest_priority(*policy, model::ResourceClass::kOptimal) == 1.0);
    CHECK(highest_priority(*policy, model::ResourceClass::kLinear) == 0.0);
}

TEST_CASE("a device that takes no priorities gets none, and a warning says why") {
    auto policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(policy);
    CHECK(test::says(policy->warnings, "VK_EXT_memory_priority"));
    for (const model::BucketPolicy& bucket : policy->buckets) CHECK_FALSE(bucket.priority);

    model::DeviceReport direct = test::radv_like_device();
    direct.identity.api = model::Api::kD3d12;
    policy = policy::advise(direct, test::small_workload());
    REQUIRE(policy);
    CHECK(test::says(policy->warnings, "SetResidencyPriority"));
    for (const model::BucketPolicy& bucket : policy->buckets) CHECK_FALSE(bucket.priority);
}

TEST_CASE("the workload's reserve share is the policy's, of each heap whose budget the device tells") {
    model::DeviceReport device = test::radv_like_device();
    model::Workload workload = test::small_workload();
    workload.reserve_share = 0.25;
    auto policy = policy::advise(device, workload);
    REQUIRE(policy);
    REQUIRE(device.run.heap_budgets.size() == policy->heaps.size());
    for (const model::HeapPolicy& heap : policy->heaps) {
        REQUIRE(heap.reserve_share);
        CHECK(heap.reserve_share->value == 0.25);
        CHECK_FALSE(heap.reserve_share->why.reason.empty());
    }
    device.run.heap_budgets.clear();
    policy = policy::advise(device, workload);
    REQUIRE(policy);
    for (const model::HeapPolicy& heap : policy->heaps) CHECK_FALSE(heap.reserve_share);
}

TEST_CASE("a bucket is expected to hold what frames in flight still use") {
    model::Workload workload = test::small_workload();
    workload.images.clear();
    workload.buffers = {{.smallest_bytes = 65536,
                         .largest_bytes = 65536,
                         .count = 10,
                         .lifetime = model::Lifetime::kFrame,
                         .memory_use = model::MemoryUse::kUpload}};
    const auto expected = [&](std::uint32_t frames) {
        workload.frames_in_flight = frames;
        const auto policy = policy::advise(test::radv_like_device(), workload);
        REQUIRE(policy);
        REQUIRE(std::ranges::count_if(policy->buckets, model::is_in_use) == 1);
        return policy->buckets.front().expected_bytes;
    };
    // Within the bytes that are lost in rounding the mean.
    const auto is_about = [](std::uint64_t one, std::uint64_t other) {
        return one - std::min(one, other) < 100 && other - std::min(one, other) < 100;
    };
    const std::uint64_t one_frame = expected(1) / 2;
    CHECK(is_about(one_frame, 10 * 65536));
    CHECK(is_about(expected(2), 3 * one_frame));
    CHECK(is_about(expected(3), 4 * one_frame));

    // Streaming resources: those in use, and what each frame in flight gave up.
    workload.buffers.front().lifetime = model::Lifetime::kStreaming;
    workload.steps_per_frame = 2;
    CHECK(is_about(expected(1), 12 * one_frame / 10));
    CHECK(is_about(expected(3), 16 * one_frame / 10));
}

TEST_CASE("every simulated alternative of a chunk size says why it lost, and none stands twice") {
    const auto policy = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(policy);
    for (const model::BucketPolicy& bucket : policy->buckets) {
        std::vector<std::string> seen;
        for (const model::Alternative& other : bucket.chunk_size_bytes.why.alternatives) {
            const std::string value = model::text_of(other.value);
            INFO(bucket.id << " not " << value << ": " << model::text_of(other.reason));
            const std::string whole = value + ": " + model::text_of(other.reason);
            CHECK(std::ranges::find(seen, whole) == seen.end());
            seen.push_back(whole);
            if (test::makes(other.reason, model::ClaimId::kSimulated)) CHECK(other.reason.claims().size() > 1);
        }
    }
}
