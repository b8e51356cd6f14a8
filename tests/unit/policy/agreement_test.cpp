// The same operations over numbers and on a memory pool on the replayed device: the same bucket, chunk and offset for
// every resource, the same device memory taken and given back in the same order, the same peaks. Any report, any
// workload, and policies that no advisor gives: all suballocators, growth, thresholds, little memory.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "played_pool.hpp"
#include "policy/advise.hpp"
#include "replay/device.hpp"
#include "synthetic_device.hpp"
#include "workload/stream.hpp"

using namespace heapwright;

namespace {

constexpr std::size_t kPairs = 500;
constexpr std::uint64_t kMostSeeds = 8000;
constexpr std::size_t kMostOperations = 500;
constexpr std::uint64_t kFramesToOutliveChunks = 130;

std::vector<workload::Operation> operations_of(model::Workload hints, std::uint64_t seed) {
    double count = 0;
    for (model::ImageHint& hint : hints.images) count += hint.count;
    for (model::BufferHint& hint : hints.buffers) count += hint.count;
    hints.steps_per_frame = 6;
    auto stream = workload::ResourceStream::create(hints, seed, std::min(1.0, 150 / std::max(1.0, count)));
    std::vector<workload::Operation> operations;
    if (!stream) return operations;
    std::vector<std::uint64_t> live;
    while (operations.size() < kMostOperations) {
        const auto next = stream->next();
        if (!next) break;
        if (const auto* create = std::get_if<workload::Create>(&*next)) live.push_back(create->id);
        if (const auto* destroy = std::get_if<workload::Destroy>(&*next)) std::erase(live, destroy->id);
        operations.push_back(*next);
    }
    // Every fifth application ends and stands for a while, so that the last empty chunks go back as well.
    if (seed % 5 == 0) {
        for (const std::uint64_t id : live) operations.emplace_back(workload::Destroy{.id = id});
        for (std::uint64_t i = 0; i < kFramesToOutliveChunks; ++i) operations.emplace_back(workload::EndFrame{});
    }
    return operations;
}

// What the advisor does not choose, but a policy may say.
void vary(model::DevicePolicy& policy, Random& random) {
    for (model::BucketPolicy& bucket : policy.buckets) {
        bucket.suballocator.value = static_cast<model::SuballocatorKind>(random.below(5));
        if (bucket.suballocator.value == model::SuballocatorKind::kSlots)
            bucket.granule_bytes.value <<= random.below(8);
        bucket.chunk_choice.value = static_cast<model::ChunkChoice>(random.below(2));
        bucket.growth.reset();
        if (random.below(2) == 0) {
            bucket.growth.emplace();
            bucket.growth->first_chunk_bytes.value =
                std::max<std::uint64_t>(1, bucket.chunk_size_bytes.value >> random.below(6));
            bucket.growth->divisor.value = random.between(1, 8);
        }
        if (random.below(3) == 0)
            bucket.dedicated_threshold_bytes.emplace().value = bucket.chunk_size_bytes.value >> random.below(4);
    }
    policy.max_chunks.value = random.between(1, 200);
}

model::DeviceReport device_for(Random& random) {
    if (random.below(2) == 0) return test::random_device(random);
    model::DeviceReport device = test::radv_like_device();
    for (model::MemoryHeap& heap : device.heaps) heap.size_bytes >>= random.below(6);
    return device;
}

struct Seen {
    std::size_t alone = 0;
    std::size_t failed = 0;
    std::size_t given_back = 0;
    std::size_t in_chunks = 0;
};

void count(const policy::SimulatedPool& outcome, Seen& seen) {
    for (const policy::SimulatedPlace& place : outcome.places) {
        if (place.error)
            ++seen.failed;
        else
            ++(place.alone ? seen.alone : seen.in_chunks);
    }
    seen.given_back +=
        static_cast<std::size_t>(std::ranges::count(outcome.calls, false, &policy::DeviceMemoryCall::takes));
}

}  // namespace

TEST_CASE("a policy simulated over numbers is what the memory pool does on the replayed device") {
    std::size_t pairs = 0;
    Seen seen;
    for (std::uint64_t seed = 1; pairs < kPairs && seed <= kMostSeeds; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const model::DeviceReport report = device_for(random);
        const model::Workload hints = test::random_workload(random);
        const auto operations = operations_of(hints, seed);
        if (operations.empty()) continue;
        auto policy =
            policy::advise(report, hints, 0, {.sample = {.most_resources = 60, .churn_steps = 30, .most_played = 60}});
        if (!policy) continue;
        if (seed % 2 == 0) vary(*policy, random);
        const policy::SimulatedPoolOptions options{.memory_limit_bytes = 1ull << random.between(22, 34),
                                                   .frames_in_flight = random.between(1, 3)};
        auto device = replay::open_replay(report, {.interpolate = true, .shadow_limit_bytes = ~0ull});
        REQUIRE(device);
        const auto simulated = policy::simulate_pool(
            report, *policy, operations,
            [&](const model::ResourceDescription& one) { return (*device)->resources().requirements(one); }, options);
        if (!simulated) {
            // What the contract refuses to carry out, the pool refuses too.
            CHECK_FALSE(pool::MemoryPool::create(**device, *policy, {}));
            continue;
        }
        ++pairs;
        test::check_agreement(*simulated, test::play_on(**device, *policy, operations, options));
        count(*simulated, seen);
    }
    CHECK(pairs == kPairs);
    CHECK(seen.in_chunks > 10'000);
    CHECK(seen.alone > 1000);
    CHECK(seen.failed > 100);
    CHECK(seen.given_back > 1000);
}
