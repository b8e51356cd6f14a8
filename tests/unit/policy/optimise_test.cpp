// Buckets and chunks by simulation, called with the same inputs as advise() gives, and with others.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

#include "heapwright/policy/allocation_count.hpp"
#include "heapwright/policy/bucket_search.hpp"
#include "heapwright/policy/dedicated_rule.hpp"
#include "heapwright/policy/demand.hpp"
#include "heapwright/policy/granularity.hpp"
#include "heapwright/policy/heap_budget.hpp"
#include "heapwright/policy/memory_types.hpp"
#include "heapwright/policy/optimise.hpp"
#include "heapwright/policy/placement.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

constexpr std::uint64_t kMiB = 1ull << 20;

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
        placed = policy::place_demand(context, demand.parts, uses, heaps, warnings);
        dedicated = policy::decide_dedicated(placed, max_chunks).value;
        largest = policy::decide_largest_ordinary(context, placed, dedicated);
        separate = policy::decide_separation(context, placed, warnings).value;
    }

    [[nodiscard]] policy::OptimiseInputs inputs() const {
        return {.buckets = {.placed = placed,
                            .dedicated = dedicated,
                            .humongous_threshold_bytes = policy::decide_humongous(largest.bytes).value,
                            .separate_linear_and_optimal = separate},
                .heaps = heaps,
                .largest = largest,
                .max_chunks = max_chunks,
                .sample = {.most_resources = 1000, .churn_steps = 400}};
    }
    policy::OptimisedBuckets optimise() { return policy::optimise_buckets(context, inputs(), warnings); }

    model::DeviceReport device;
    model::Workload workload;
    policy::Context context{.device = device, .workload = workload, .device_index = 0};
    std::vector<std::string> warnings;
    model::Decided<std::uint64_t> max_chunks;
    std::vector<model::HeapPolicy> heaps;
    std::vector<model::MemoryUsePolicy> uses;
    policy::DemandList demand;
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
    for (const policy::ChunkPlan& plan : chosen.plans) sum += plan.value_bytes;
    return sum;
}

bool offers(const policy::ChunkPlan& plan, std::string_view reason) {
    return std::ranges::any_of(plan.why.alternatives, [&](const model::Alternative& other) {
        return other.reason.find(reason) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("every ordinary resource has one bucket that holds it, with a plan and a demand for chunks") {
    Scene scene(test::radv_like_device());
    const policy::OptimisedBuckets chosen = scene.optimise();
    REQUIRE(!chosen.buckets.empty());
    REQUIRE(chosen.plans.size() == chosen.buckets.size());
    REQUIRE(chosen.most_new_chunks.size() == chosen.buckets.size());
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

TEST_CASE("the source's rule and 256 MiB blocks are simulated beside every choice, and no larger size is tried") {
    Scene scene(test::radv_like_device());
    const policy::OptimisedBuckets chosen = scene.optimise();
    for (std::size_t i = 0; i < chosen.buckets.size(); ++i) {
        const policy::ChunkPlan& plan = chosen.plans[i];
        INFO(chosen.buckets[i].policy.id << ": " << plan.why.reason);
        CHECK(offers(plan, "the source's rule, simulated"));
        CHECK(offers(plan, "the Vulkan Memory Allocator's default rule"));
        const policy::ChunkPlan source =
            policy::plan_chunk(scene.context, chosen.buckets[i], scene.heaps[chosen.buckets[i].heap], scene.largest);
        CHECK(plan.value_bytes <= std::max(source.value_bytes, chosen.buckets[i].largest_bytes));
        CHECK(plan.why.reason.find("simulated rules") != std::string::npos);
    }
}

TEST_CASE("the same input gives the same choice") {
    Scene one(with_cost(300'000, 20'000));
    Scene other(with_cost(300'000, 20'000));
    const auto first = one.optimise();
    const auto second = other.optimise();
    REQUIRE(first.buckets.size() == second.buckets.size());
    CHECK(first.shared_classes == second.shared_classes);
    CHECK(first.most_new_chunks == second.most_new_chunks);
    for (std::size_t i = 0; i < first.buckets.size(); ++i) {
        CHECK(first.plans[i].value_bytes == second.plans[i].value_bytes);
        CHECK(first.plans[i].why.reason == second.plans[i].why.reason);
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
    for (std::size_t i = 0; i < small.buckets.size(); ++i) {
        if (small.plans[i].why.reason.find("wastes least within the limits") == std::string::npos) continue;
        CHECK(small.plans[i].value_bytes * 1'000'000 / kMiB <=
              by_byte.workload.frame_budget_ns / policy::kFrameBudgetParts);
    }
}

TEST_CASE("every bucket says how each grouping that is not taken did, or what it is the same as") {
    constexpr const char* kGroupings[] = {"one bucket for each class and alignment", "one bucket for each class",
                                          "a single bucket"};

    for (const std::uint64_t granularity : {1ull, 1024ull, 65536ull}) {
        model::DeviceReport device = with_cost(200'000, 20'000);
        test::set_limit(device, "bufferImageGranularity", granularity);
        Scene scene(device);
        const auto chosen = scene.optimise();
        for (std::size_t i = 0; i < chosen.buckets.size(); ++i) {
            INFO(chosen.buckets[i].policy.id << " at granularity " << granularity);
            const auto& others = chosen.plans[i].why.alternatives;
            std::size_t told = 0;
            for (const char* grouping : kGroupings) {
                const auto about = std::ranges::find(others, grouping, &model::Alternative::value);
                if (about == others.end()) continue;
                ++told;
                INFO(about->value << ": " << about->reason);
                const bool says = about->reason.find("simulated: ") != std::string::npos &&
                                  about->reason.find("device allocation") != std::string::npos;
                CHECK(says);
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
    for (const policy::ChunkPlan& plan : chosen.plans) {
        CHECK(plan.value_bytes <= largest / 65536 * 65536 + 4096);
        for (const model::Alternative& other : plan.why.alternatives) {
            if (other.value == "a single bucket") CHECK_FALSE(other.reason.empty());
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
    INFO(chosen.plans[0].why.reason);
    CHECK(chosen.plans[0].value_bytes >= 4 * kMiB);
    CHECK_FALSE(chosen.buckets[0].policy.dedicated_threshold_bytes);
    CHECK(chosen.worst_frame_ns <= static_cast<double>(uploads.frame_budget_ns) / 4);
    CHECK(chosen.most_new_chunks.front() <= 1);
}

TEST_CASE("the worst frames of all buckets fit one frame, or a warning says by how much they do not") {
    Scene cheap(with_cost(10'000, 1'000));
    const auto fits = cheap.optimise();
    CHECK(fits.worst_frame_ns <= static_cast<double>(cheap.workload.frame_budget_ns));
    const auto warns = [](const Scene& scene) {
        return std::ranges::any_of(scene.warnings, [](const std::string& warning) {
            return warning.find("one frame would spend") != std::string::npos;
        });
    };
    CHECK_FALSE(warns(cheap));
    Scene dear(with_cost(20'000'000, 1'000));
    CHECK(dear.optimise().worst_frame_ns > static_cast<double>(dear.workload.frame_budget_ns));
    CHECK(warns(dear));
}

TEST_CASE("a chunk counts as taken by its frame, prepared or not, and the reason says why") {
    Scene scene(with_cost(200'000, 20'000));
    for (const policy::ChunkPlan& plan : scene.optimise().plans)
        CHECK(plan.why.reason.find("even where chunks are kept ready") != std::string::npos);
}

TEST_CASE("linear and optimal resources share chunks exactly where a bucket mixes them, and the note says why") {
    for (const std::uint64_t granularity : {1ull, 1024ull, 65536ull}) {
        model::DeviceReport device = with_cost(200'000, 20'000);
        test::set_limit(device, "bufferImageGranularity", granularity);
        Scene scene(device);
        const auto chosen = scene.optimise();
        const bool mixes = std::ranges::any_of(chosen.buckets, &policy::Bucket::mixes_classes);
        INFO(granularity << ": " << chosen.shared_classes);
        CHECK(mixes == !chosen.shared_classes.empty());
        for (const policy::Bucket& bucket : chosen.buckets) {
            if (bucket.mixes_classes) CHECK(bucket.policy.granule_bytes.value % granularity == 0);
        }
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
    CHECK(chosen.plans.empty());
    CHECK(chosen.shared_classes.empty());
}

TEST_CASE("the source's buckets take its rule as it stands, one for each class, alignment and type") {
    Scene scene(test::radv_like_device());
    const auto source = policy::source_buckets(scene.context, scene.inputs(), scene.warnings);
    REQUIRE(source.plans.size() == source.buckets.size());
    CHECK(source.most_new_chunks.empty());
    for (std::size_t i = 0; i < source.buckets.size(); ++i) {
        const policy::Bucket& bucket = source.buckets[i];
        CHECK(bucket.policy.chunk_choice.value == model::ChunkChoice::kFullest);
        CHECK_FALSE(bucket.policy.growth);
        CHECK_FALSE(bucket.policy.dedicated_threshold_bytes);
        CHECK(source.plans[i].value_bytes >= bucket.largest_bytes);
    }
}

TEST_CASE("a chunk that shrank for its heap takes its threshold along and grows no more") {
    std::vector<policy::Bucket> buckets(2);
    for (policy::Bucket& bucket : buckets) {
        bucket.policy.chunk_size_bytes.value = 4 * kMiB;
        bucket.policy.dedicated_threshold_bytes = model::Decided<std::uint64_t>{.value = 8 * kMiB, .why = {}};
        bucket.policy.growth.emplace();
        bucket.policy.growth->first_chunk_bytes.value = 4 * kMiB;
    }
    buckets[1].policy.chunk_size_bytes.value = 16 * kMiB;
    policy::fit_to_chunks(buckets);
    CHECK(buckets[0].policy.dedicated_threshold_bytes->value == 4 * kMiB);
    CHECK(buckets[0].policy.dedicated_threshold_bytes->why.alternatives.front().value == std::to_string(8 * kMiB));
    CHECK_FALSE(buckets[0].policy.growth);
    CHECK(buckets[1].policy.dedicated_threshold_bytes->value == 8 * kMiB);
    CHECK(buckets[1].policy.growth);
}
