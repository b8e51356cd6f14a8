// How many chunks a bucket keeps ready, on costs whose answer can be told by hand.
#include <catch2/catch_test_macros.hpp>

#include "core/units.hpp"
#include "policy/advise.hpp"
#include "policy/bucket_settings.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace chunks_ahead_test {

using namespace heapwright;
using model::ClaimId;

namespace {

constexpr std::uint64_t kChunkBytes = 16 * kMiB;
constexpr std::uint64_t kChunkNs = 20'000;  // by the steady price of the curve below

// 1 us and 1 us a MiB; cheap, which counts as 4 us and 1 us a MiB.
model::MemoryCostCurve curve_of(std::uint32_t memory_type, std::uint64_t factor = 1) {
    model::MemoryCostCurve curve{.memory_type = memory_type};
    for (const std::uint64_t mib : {1ull, 1024ull}) {
        curve.points.push_back(
            {.size_bytes = mib * kMiB, .samples = 1, .allocate_ns = (1000 + 1000 * mib) * factor, .free_ns = 1});
    }
    return curve;
}

struct Scene {
    Scene() {
        device.run.memory_cost = {curve_of(0)};
        for (std::uint32_t heap = 0; heap < device.heaps.size(); ++heap)
            policy.heaps.push_back({.heap = heap, .usable_bytes = {.value = 4096 * kMiB, .why = {}}, .parts = {}});
        policy.max_chunks.value = 1024;
        add_bucket(1);
    }

    void add_bucket(std::uint64_t most_new_chunks) {
        policy::Bucket bucket;
        bucket.policy.id = "any/256/0";
        bucket.policy.chunk_size_bytes.value = kChunkBytes;
        bucket.heap = device.memory_types[0].heap_index;
        bucket.most_new_chunks = most_new_chunks;
        buckets.push_back(bucket);
    }

    model::Decided<std::uint64_t> decide() {
        const policy::Context context{.device = device, .workload = workload, .device_index = 0};
        policy::decide_chunks_ahead(context, policy, buckets);
        return *buckets.front().policy.chunks_ahead;
    }

    [[nodiscard]] model::HeapPolicy& heap() { return policy.heaps[device.memory_types[0].heap_index]; }

    model::DeviceReport device = test::radv_like_device();
    model::Workload workload{.frame_budget_ns = 50 * kChunkNs};
    model::DevicePolicy policy;
    std::vector<policy::Bucket> buckets;
};

}  // namespace

TEST_CASE("a chunk stands ready where allocating it takes more than a hundredth of the frame budget") {
    Scene scene;
    const auto decided = scene.decide();
    CHECK(decided.value == 1);
    CHECK(test::says(decided.why.reason, "takes 20 us"));
    CHECK(test::makes(decided.why.reason, ClaimId::kCostCurve));
    REQUIRE(decided.why.alternatives.size() == 2);
    CHECK(decided.why.alternatives[0].value == model::count(0));
    CHECK(decided.why.alternatives[1].value == model::count(2));
    CHECK(decided.why.inputs.size() >= 2);
}

TEST_CASE("none stands ready where a frame can bear the allocation") {
    Scene scene;
    scene.workload.frame_budget_ns = 100 * kChunkNs;
    const auto decided = scene.decide();
    CHECK(decided.value == 0);
    CHECK(test::makes(decided.why.reason, ClaimId::kAheadCheap));
    scene.workload.frame_budget_ns = 100 * kChunkNs - 1;
    CHECK(scene.decide().value == 1);
}

TEST_CASE("none stands ready where nobody measured what an allocation takes") {
    Scene scene;
    scene.device.run.memory_cost.clear();
    const auto decided = scene.decide();
    CHECK(decided.value == 0);
    CHECK(test::makes(decided.why.reason, ClaimId::kAheadUnmeasured));
}

TEST_CASE("as many stand ready as a frame takes, and as come while they are prepared") {
    Scene scene;
    scene.buckets[0].most_new_chunks = 3;
    CHECK(scene.decide().value == 3);
    // Three chunks take 51 us: three frames of 20 us.
    scene.workload.frame_budget_ns = 20'000;
    CHECK(scene.decide().value == 9);
}

TEST_CASE("none stands ready where no simulated frame takes a new chunk") {
    Scene scene;
    scene.buckets[0].most_new_chunks = 0;
    const auto decided = scene.decide();
    CHECK(decided.value == 0);
    CHECK(test::makes(decided.why.reason, ClaimId::kAheadNone));
}

TEST_CASE("chunks that shrank for their heap are needed more often") {
    Scene scene;
    scene.buckets[0].policy.chunk_size_bytes.value = 4 * kChunkBytes;
    policy::shrink_chunks(scene.buckets[0], kChunkBytes, "others need room");
    CHECK(scene.decide().value == 4);
}

TEST_CASE("what stands ready keeps within a sixteenth of the heap, of all buckets together") {
    Scene scene;
    scene.buckets[0].most_new_chunks = 3;
    scene.add_bucket(3);
    scene.heap().usable_bytes.value = 16 * 4 * kChunkBytes;
    CHECK(scene.decide().value == 3);
    CHECK(scene.buckets[1].policy.chunks_ahead->value == 1);
    CHECK(test::makes(scene.buckets[1].policy.chunks_ahead->why.reason, ClaimId::kAheadHeldDown));
    scene.heap().usable_bytes.value = 16 * kChunkBytes - 1;
    CHECK(scene.decide().value == 0);
}

TEST_CASE("one chunk for each bucket comes first") {
    Scene scene;
    scene.policy.feasibility = {{.heap = scene.heap().heap,
                                 .buckets = 1,
                                 .one_chunk_each_bytes = 4096 * kMiB - kChunkBytes + 1,
                                 .usable_bytes = 4096 * kMiB,
                                 .fits = true}};
    CHECK(scene.decide().value == 0);
    scene.policy.feasibility[0].one_chunk_each_bytes -= 1;
    CHECK(scene.decide().value == 1);
}

TEST_CASE("what stands ready keeps within a sixteenth of the device allocations") {
    Scene scene;
    scene.buckets[0].most_new_chunks = 8;
    scene.policy.max_chunks.value = 40;
    CHECK(scene.decide().value == 2);
}

TEST_CASE("advise decides it for every bucket of the simulated rule, and for none of the memory article's") {
    model::DeviceReport device = test::radv_like_device();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type)
        device.run.memory_cost.push_back(curve_of(type, 1000));
    const auto simulated =
        policy::advise(device, test::small_workload(), 0, {.sample = {.most_resources = 500, .churn_steps = 200}});
    REQUIRE(simulated);
    std::uint64_t ahead = 0;
    for (const model::BucketPolicy& bucket : simulated->buckets) {
        if (!model::is_in_use(bucket)) continue;
        REQUIRE(bucket.chunks_ahead);
        ahead += bucket.chunks_ahead->value;
    }
    CHECK(ahead > 0);
    const auto source =
        policy::advise(device, test::small_workload(), 0, {.rule = policy::ChunkRuleName::kSource, .sample = {}});
    REQUIRE(source);
    for (const model::BucketPolicy& bucket : source->buckets) CHECK_FALSE(bucket.chunks_ahead);
}

}  // namespace chunks_ahead_test
