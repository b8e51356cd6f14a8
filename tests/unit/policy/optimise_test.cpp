// Buckets and chunks by simulation, called with the same inputs as advise() gives, and with others.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "core/units.hpp"
#include "policy/article_rule.hpp"
#include "policy/bucket_search.hpp"
#include "policy/bucket_settings.hpp"
#include "policy/buckets.hpp"
#include "policy/capacity.hpp"
#include "policy/demand.hpp"
#include "policy/heap_budget.hpp"
#include "policy/memory_types.hpp"
#include "policy/optimise.hpp"
#include "policy/own_memory.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace optimise_test {

using namespace heapwright;
using model::ClaimId;

namespace {

// What optimise_buckets() reads, made as advise() makes it.
struct Scene {
    explicit Scene(model::DeviceReport report, model::Workload hints = test::small_workload())
        : device(std::move(report)), workload(std::move(hints)) {
        max_chunks = policy::decide_max_chunks(context, warnings);
        heaps = policy::decide_heaps(context, max_chunks, warnings);
        for (const auto use : {model::MemoryUse::kDeviceOnly, model::MemoryUse::kUpload, model::MemoryUse::kReadback,
                               model::MemoryUse::kStreaming})
            uses.push_back(policy::rank_memory_types(context, use, heaps));
        demand = policy::list_demand(context);
        capacity = policy::plan_capacity(context, demand.parts, uses, heaps, warnings);
        placed = capacity.placed;
        dedicated = policy::decide_dedicated(context, placed, max_chunks).value;
        largest = policy::decide_largest_ordinary(context, placed, dedicated);
        separate = policy::decide_separation(context, placed, warnings).value;
    }

    [[nodiscard]] policy::OptimiseInputs inputs() const {
        return {.buckets = {.placed = placed,
                            .dedicated = dedicated,
                            .humongous_threshold_bytes = largest.bytes.value,
                            .separate_linear_and_optimal = separate},
                .heaps = heaps,
                .largest = largest,
                .max_chunks = max_chunks,
                .sample = {.most_resources = 1000, .churn_steps = 400}};
    }
    policy::OptimisedBuckets optimise() {
        policy::OptimisedBuckets chosen = policy::optimise_buckets(context, inputs()).front();
        policy::warn_of_long_frames(context, chosen, warnings);
        return chosen;
    }

    model::DeviceReport device;
    model::Workload workload;
    policy::Context context{.device = device, .workload = workload, .device_index = 0};
    model::Statement warnings;
    model::Decided<std::uint64_t> max_chunks;
    std::vector<model::HeapPolicy> heaps;
    std::vector<model::MemoryUsePolicy> uses;
    policy::DemandList demand;
    policy::CapacityResult capacity;
    std::vector<policy::PlacedDemand> placed;
    model::DedicatedRule dedicated = model::DedicatedRule::kWhenRequired;
    policy::LargestOrdinary largest;
    bool separate = true;
};

model::DeviceReport with_cost(std::uint64_t fixed_ns, std::uint64_t ns_per_mib) {
    model::DeviceReport device = test::radv_like_device();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (const std::uint64_t mib : {1ull, 1024ull}) {
            const std::uint64_t ns = fixed_ns + ns_per_mib * mib;
            curve.points.push_back({.size_bytes = mib * kMiB, .samples = 1, .allocate_ns = ns, .free_ns = ns / 4});
        }
        device.run.memory_cost.push_back(curve);
    }
    return device;
}

std::uint64_t one_chunk_each(const policy::OptimisedBuckets& chosen) {
    std::uint64_t sum = 0;
    for (const policy::Bucket& bucket : chosen.buckets) sum += bucket.policy.chunk_size_bytes.value;
    return sum;
}

bool offers(const model::Decision& why, ClaimId reason) {
    return std::ranges::any_of(why.alternatives,
                               [&](const model::Alternative& other) { return test::makes(other.reason, reason); });
}

}  // namespace

TEST_CASE("every ordinary resource has one bucket that holds it, with all that the policy says of it") {
    Scene scene(test::radv_like_device());
    const policy::OptimisedBuckets chosen = scene.optimise();
    REQUIRE(!chosen.buckets.empty());
    for (const policy::Bucket& bucket : chosen.buckets) {
        INFO(bucket.policy.id);
        CHECK(bucket.policy.chunk_size_bytes.value != 0);
        CHECK(bucket.smallest_chunk_bytes <= bucket.policy.chunk_size_bytes.value);
        CHECK_FALSE(bucket.policy.chunk_choice.why.reason.empty());
        CHECK_FALSE(bucket.policy.suballocator.why.reason.empty());
        CHECK_FALSE(bucket.policy.granule_bytes.why.reason.empty());
        CHECK(bucket.policy.expected_bytes != 0);
    }
    const policy::BucketInputs inputs = scene.inputs().buckets;
    for (const policy::PlacedDemand& entry : scene.placed) {
        if (!policy::is_ordinary(*entry.demand, inputs)) continue;
        const auto holds = [&](const policy::Bucket& bucket) {
            return bucket.policy.memory_type == entry.memory_type &&
                   std::ranges::count(bucket.policy.resource_classes, entry.demand->resource_class) != 0 &&
                   bucket.policy.alignment_bytes >= entry.demand->requirements.alignment_bytes &&
                   bucket.largest_bytes >= entry.demand->requirements.size_bytes;
        };
        INFO(entry.demand->what);
        CHECK(std::ranges::any_of(chosen.buckets, holds));
    }
    std::set<std::string> ids;
    for (const policy::Bucket& bucket : chosen.buckets) CHECK(ids.insert(bucket.policy.id).second);
}

TEST_CASE(
    "the memory article's rule and 256 MiB blocks are simulated beside every choice, and no larger size is tried") {
    Scene scene(test::radv_like_device());
    const policy::OptimisedBuckets chosen = scene.optimise();
    // The largest that the article's rule gives any bucket of a memory type, however its resources are grouped.
    std::map<std::uint32_t, std::uint64_t> bounds;
    for (const auto grouping :
         {policy::Grouping::kByAlignment, policy::Grouping::kByClass, policy::Grouping::kSingle}) {
        policy::BucketInputs inputs = scene.inputs().buckets;
        inputs.grouping = grouping;
        for (const policy::BucketDemand& demand : policy::group_demand(scene.context, inputs)) {
            const auto chunk =
                policy::source_chunk(scene.context, demand, scene.heaps[demand.heap], scene.largest).value;
            bounds[demand.memory_type] = std::max(bounds[demand.memory_type], chunk);
        }
    }
    for (const policy::Bucket& bucket : chosen.buckets) {
        const auto& chunk = bucket.policy.chunk_size_bytes;
        INFO(bucket.policy.id);
        CHECK(offers(chunk.why, ClaimId::kArticleSimulated));
        CHECK(offers(chunk.why, ClaimId::kGroupingOfVma));
        CHECK(chunk.value <= bounds.at(bucket.policy.memory_type));
        CHECK(test::says(chunk.why.reason, "simulated rules"));
    }
}

TEST_CASE("the same input gives the same choice") {
    Scene one(with_cost(300'000, 20'000));
    Scene other(with_cost(300'000, 20'000));
    const auto first = one.optimise();
    const auto second = other.optimise();
    REQUIRE(first.buckets.size() == second.buckets.size());
    CHECK(first.shared_classes == second.shared_classes);
    for (std::size_t i = 0; i < first.buckets.size(); ++i) {
        const auto& one_chunk = first.buckets[i].policy.chunk_size_bytes;
        const auto& other_chunk = second.buckets[i].policy.chunk_size_bytes;
        CHECK(one_chunk.value == other_chunk.value);
        CHECK(one_chunk.why.reason == other_chunk.why.reason);
        CHECK(first.buckets[i].most_new_chunks == second.buckets[i].most_new_chunks);
        CHECK(first.buckets[i].policy.id == second.buckets[i].policy.id);
    }
}

TEST_CASE("what an allocation costs decides the chunks: dear by the byte they are small, dear by the call large") {
    Scene by_byte(with_cost(0, 1'000'000));
    Scene by_call(with_cost(1'000'000, 0));
    const auto small = by_byte.optimise();
    const auto large = by_call.optimise();
    CHECK(one_chunk_each(small) < one_chunk_each(large));
    // A frame of 16.7 ms may spend an eighth on device memory: two chunks of 1 MiB.
    for (const policy::Bucket& bucket : small.buckets) {
        const auto& chunk = bucket.policy.chunk_size_bytes;
        if (!test::makes(chunk.why.reason, ClaimId::kChunkScoresBest)) continue;
        CHECK(chunk.value * 1'000'000 / kMiB <= by_byte.workload.frame_budget_ns / policy::kFrameBudgetParts);
    }
}

TEST_CASE("every bucket says how each grouping that is not taken did, or what it is the same as") {
    constexpr const char* kGroupings[] = {"bucket_per_class_and_alignment", "bucket_per_class", "single_bucket"};

    for (const std::uint64_t granularity : {1ull, 1024ull, 65536ull}) {
        model::DeviceReport device = with_cost(200'000, 20'000);
        test::set_limit(device, "bufferImageGranularity", granularity);
        Scene scene(device);
        const auto chosen = scene.optimise();
        for (const policy::Bucket& bucket : chosen.buckets) {
            INFO(bucket.policy.id << " at granularity " << granularity);
            const auto& others = bucket.policy.chunk_size_bytes.why.alternatives;
            std::size_t told = 0;
            for (const char* grouping : kGroupings) {
                const auto about = std::ranges::find(others, model::Figure(grouping), &model::Alternative::value);
                if (about == others.end()) continue;
                ++told;
                INFO(grouping << ": " << model::text_of(about->reason));
                CHECK(test::says(about->reason, "simulated: "));
                CHECK(test::says(about->reason, "device allocation"));
            }
            CHECK(told + 1 == std::size(kGroupings));
        }
    }
}

TEST_CASE("a single bucket that no heap could hold is said to be none") {
    // Padded to pages of 64 KiB, the largest image passes the largest allocation by a few bytes.
    model::DeviceReport device = with_cost(200'000, 20'000);
    test::set_limit(device, "bufferImageGranularity", 65536);
    Scene roomy(device);
    std::uint64_t largest = 0;
    for (const policy::PlacedDemand& entry : roomy.placed)
        largest = std::max(largest, entry.demand->requirements.size_bytes);
    test::set_limit(device, "maxMemoryAllocationSize", largest / 65536 * 65536 + 4096);
    Scene scene(device);
    const auto chosen = scene.optimise();
    for (const policy::Bucket& bucket : chosen.buckets) {
        const auto& chunk = bucket.policy.chunk_size_bytes;
        CHECK(chunk.value <= largest / 65536 * 65536 + 4096);
        for (const model::Alternative& other : chunk.why.alternatives) {
            if (other.value == model::Figure("single_bucket")) CHECK_FALSE(other.reason.empty());
        }
    }
}

TEST_CASE("what lives for a frame alone goes into chunks that stay, not into an allocation a frame") {
    model::Workload uploads;
    uploads.name = "uploads";
    uploads.frames_in_flight = 3;
    uploads.buffers = {{.usage = model::buffer_usage::kTransferSrc,
                        .smallest_bytes = 256 << 10,
                        .largest_bytes = 4 << 20,
                        .count = 4,
                        .lifetime = model::Lifetime::kFrame,
                        .memory_use = model::MemoryUse::kUpload}};
    Scene scene(with_cost(300'000, 300'000), uploads);
    const auto chosen = scene.optimise();
    REQUIRE(chosen.buckets.size() == 1);
    CHECK(chosen.buckets[0].policy.chunk_size_bytes.value >= 4 * kMiB);
    CHECK_FALSE(chosen.buckets[0].policy.dedicated_threshold_bytes);
    CHECK(chosen.worst_frame_ns <= static_cast<double>(uploads.frame_budget_ns) / 4);
    CHECK(chosen.buckets[0].most_new_chunks <= 1);
}

TEST_CASE("the worst frames of all buckets fit one frame, or a warning says by how much they do not") {
    Scene cheap(with_cost(10'000, 1'000));
    const auto fits = cheap.optimise();
    CHECK(fits.worst_frame_ns <= static_cast<double>(cheap.workload.frame_budget_ns));
    const auto warns = [](const Scene& scene) { return test::makes(scene.warnings, ClaimId::kWarnLongFrames); };
    CHECK_FALSE(warns(cheap));
    Scene dear(with_cost(20'000'000, 1'000));
    CHECK(dear.optimise().worst_frame_ns > static_cast<double>(dear.workload.frame_budget_ns));
    CHECK(warns(dear));
}

TEST_CASE("candidates differ in what a frame pays for a new chunk, and the reasons say how much") {
    Scene scene(with_cost(200'000, 20'000));
    const auto candidates = policy::optimise_buckets(scene.context, scene.inputs());
    REQUIRE(candidates.size() > 1);
    CHECK(candidates.front().chunk_share == 1);
    for (const policy::OptimisedBuckets& candidate : candidates) {
        const std::string share = model::text_of(model::share(candidate.chunk_share)) + " of it counts";
        for (const policy::Bucket& bucket : candidate.buckets)
            CHECK((candidate.chunk_share < 1
                       ? test::says(bucket.policy.chunk_size_bytes.why.reason, share)
                       : test::makes(bucket.policy.chunk_size_bytes.why.reason, ClaimId::kChunkWholeCost)));
    }
}

TEST_CASE("linear and optimal resources share chunks exactly where a bucket mixes them, and the note says why") {
    for (const std::uint64_t granularity : {1ull, 1024ull, 65536ull}) {
        model::DeviceReport device = with_cost(200'000, 20'000);
        test::set_limit(device, "bufferImageGranularity", granularity);
        Scene scene(device);
        const auto chosen = scene.optimise();
        bool mixes = false;
        for (const policy::Bucket& bucket : chosen.buckets) {
            if (!scene.separate || bucket.policy.resource_classes.size() < 2) continue;
            mixes = true;
            CHECK(bucket.policy.granule_bytes.value % granularity == 0);
        }
        INFO(granularity << ": " << model::text_of(chosen.shared_classes));
        CHECK(mixes == !chosen.shared_classes.empty());
        if (chosen.shared_classes.empty()) continue;
        model::Decided<bool> separate{.value = true,
                                      .why = {.reason = "they could meet", .inputs = {}, .alternatives = {}}};
        policy::share_classes(separate, chosen.shared_classes);
        CHECK_FALSE(separate.value);
        CHECK(separate.why.alternatives.front().value == "true");
    }
}

TEST_CASE("a workload without ordinary resources has no buckets") {
    model::Workload nothing;
    nothing.name = "nothing";
    Scene scene(test::radv_like_device(), nothing);
    const auto chosen = scene.optimise();
    CHECK(chosen.buckets.empty());
    CHECK(chosen.shared_classes.empty());
}

TEST_CASE("the article's buckets take its rule as it stands, one for each class, alignment and type") {
    Scene scene(test::radv_like_device());
    const auto buckets =
        policy::source_buckets(scene.context, scene.inputs().buckets, scene.heaps, scene.largest, scene.warnings);
    const auto demands = policy::group_demand(scene.context, scene.inputs().buckets);
    REQUIRE(!buckets.empty());
    REQUIRE(buckets.size() == demands.size());
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const policy::Bucket& bucket = buckets[i];
        CHECK(bucket.policy.id == demands[i].id);
        CHECK(bucket.policy.chunk_choice.value == model::ChunkChoice::kFullest);
        CHECK_FALSE(bucket.policy.growth);
        CHECK_FALSE(bucket.policy.dedicated_threshold_bytes);
        CHECK(bucket.most_new_chunks == 0);
        const auto& chunk = bucket.policy.chunk_size_bytes;
        CHECK(chunk.value >= bucket.largest_bytes);
        CHECK(chunk.value ==
              policy::source_chunk(scene.context, demands[i], scene.heaps[bucket.heap], scene.largest).value);
    }
}

TEST_CASE("chunks that shrink take their threshold along, grow no more, and a frame needs more of them") {
    policy::Bucket bucket;
    bucket.policy.chunk_size_bytes = {.value = 16 * kMiB, .why = {.reason = "best", .inputs = {}, .alternatives = {}}};
    bucket.policy.dedicated_threshold_bytes = model::Decided<std::uint64_t>{.value = 8 * kMiB, .why = {}};
    bucket.policy.growth.emplace();
    bucket.policy.growth->first_chunk_bytes.value = 4 * kMiB;
    bucket.most_new_chunks = 2;

    policy::shrink_chunks(bucket, 10 * kMiB, "others need room");
    CHECK(bucket.policy.chunk_size_bytes.value == 10 * kMiB);
    CHECK(test::says(bucket.policy.chunk_size_bytes.why.reason, "shrunk from 16 MiB"));
    CHECK(bucket.policy.chunk_size_bytes.why.alternatives.front().value == model::bytes(16 * kMiB));
    CHECK(bucket.policy.dedicated_threshold_bytes->value == 8 * kMiB);
    CHECK(bucket.policy.growth);
    CHECK(bucket.most_new_chunks == 4);

    policy::shrink_chunks(bucket, 4 * kMiB, "others need more");
    CHECK(bucket.policy.dedicated_threshold_bytes->value == 4 * kMiB);
    CHECK(bucket.policy.dedicated_threshold_bytes->why.alternatives.front().value == model::bytes(8 * kMiB));
    CHECK_FALSE(bucket.policy.growth);
    CHECK(bucket.most_new_chunks == 12);
}

TEST_CASE("buckets that do not fit their heap together come back with smaller chunks, the largest first") {
    std::vector<policy::Bucket> buckets(3);
    for (policy::Bucket& bucket : buckets) {
        bucket.policy.chunk_size_bytes.value = 32 * kMiB;
        bucket.policy.granule_bytes.value = 256;
        bucket.largest_bytes = bucket.smallest_chunk_bytes = 2 * kMiB;
    }
    buckets[1].policy.chunk_size_bytes.value = 4 * kMiB;
    buckets[2].heap = 1;
    std::vector<model::HeapPolicy> heaps(2);
    heaps[1].heap = 1;
    for (model::HeapPolicy& heap : heaps) heap.usable_bytes.value = 20 * kMiB;
    model::Statement warnings;

    const auto feasible = policy::make_feasible(buckets, heaps, warnings);
    REQUIRE(feasible.buckets.size() == 3);
    CHECK(feasible.buckets[0].policy.chunk_size_bytes.value == 16 * kMiB);
    CHECK(feasible.buckets[1].policy.chunk_size_bytes.value == 4 * kMiB);
    CHECK(feasible.buckets[2].policy.chunk_size_bytes.value == 20 * kMiB);
    REQUIRE(feasible.proofs.size() == 2);
    CHECK(feasible.proofs[0].buckets == 2);
    CHECK(feasible.proofs[0].one_chunk_each_bytes == 20 * kMiB);
    CHECK(feasible.proofs[0].fits);
    CHECK(warnings.empty());

    heaps[0].usable_bytes.value = 3 * kMiB;
    const auto starved = policy::make_feasible(buckets, heaps, warnings);
    CHECK(starved.buckets[0].policy.chunk_size_bytes.value == 2 * kMiB);
    CHECK_FALSE(starved.proofs[0].fits);
    CHECK(warnings.claims().size() == 1);
}

}  // namespace optimise_test
