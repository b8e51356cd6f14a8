// Whatever a report says, the policy keeps its promises.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "cited_inputs.hpp"
#include "core/checked.hpp"
#include "policy/advise.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

void check_buckets(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    const std::uint64_t largest = device.limit("maxMemoryAllocationSize").value_or(~0ull);
    std::vector<std::uint64_t> one_each(device.heaps.size(), 0);
    for (const model::BucketPolicy& bucket : policy.buckets) {
        INFO("bucket " << bucket.id);
        const model::MemoryType& type = device.memory_types.at(bucket.memory_type);
        const model::HeapPolicy& heap = policy.heaps.at(type.heap_index);
        const std::uint64_t chunk = bucket.chunk_size_bytes.value;
        CHECK(chunk > 0);
        CHECK(chunk <= heap.size_bytes);
        CHECK(chunk <= heap.usable_bytes.value);
        CHECK(chunk <= largest);
        CHECK(is_power_of_two(bucket.granule_bytes.value));
        CHECK(chunk % bucket.granule_bytes.value == 0);
        if (bucket.growth) {
            CHECK(bucket.growth->first_chunk_bytes.value < chunk);
            CHECK(bucket.growth->divisor.value > 0);
        }
        if (bucket.dedicated_threshold_bytes) {
            CHECK(bucket.dedicated_threshold_bytes->value <= chunk);
            CHECK(bucket.dedicated_threshold_bytes->value <= policy.humongous_threshold_bytes.value);
        }
        const bool linear = std::ranges::count(bucket.resource_classes, model::ResourceClass::kLinear) != 0;
        if (linear && bucket.resource_classes.size() > 1) {
            CHECK_FALSE(policy.separate_linear_and_optimal.value);
            CHECK(bucket.granule_bytes.value % device.limit("bufferImageGranularity").value_or(1) == 0);
        }
        CHECK_FALSE(bucket.resource_classes.empty());
        namespace property = model::memory_property;
        CHECK((type.property_flags &
               (property::kProtected | property::kDeviceCoherentAmd | property::kDeviceUncachedAmd)) == 0);
        // No hint here asks for transient attachments.
        if ((type.property_flags & property::kLazilyAllocated) != 0) {
            CHECK_FALSE(linear);
            CHECK_FALSE(model::is_in_use(bucket));
        }
        if (!model::is_in_use(bucket)) continue;
        std::uint64_t& sum = one_each[type.heap_index];
        sum = checked_add(sum, chunk).value_or(~0ull);
    }
    for (const model::HeapFeasibility& proof : policy.feasibility) {
        CHECK(proof.one_chunk_each_bytes >= one_each[proof.heap]);
        CHECK(proof.fits == (proof.one_chunk_each_bytes <= proof.usable_bytes));
        CHECK(proof.usable_bytes == policy.heaps[proof.heap].usable_bytes.value);
    }
}

void check_memory_uses(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        CHECK(use.memory_types.value.size() + use.excluded.size() == device.memory_types.size());
        for (const std::uint32_t type : use.memory_types.value) {
            const model::MemoryType& entry = device.memory_types.at(type);
            CHECK(device.heaps.at(entry.heap_index).size_bytes != 0);
            CHECK(std::none_of(use.excluded.begin(), use.excluded.end(),
                               [type](const auto& excluded) { return excluded.memory_type == type; }));
            if (use.use != model::MemoryUse::kDeviceOnly) {
                CHECK((entry.property_flags & model::memory_property::kHostVisible) != 0);
            }
        }
        for (const auto& excluded : use.excluded) CHECK_FALSE(excluded.reason.empty());
    }
}

}  // namespace

TEST_CASE("any report and workload give a policy within every limit, or a clear error") {
    std::size_t advised = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const model::DeviceReport device = test::random_device(random);
        const model::Workload workload = test::random_workload(random);
        const auto policy = policy::advise(device, workload, 0,
                                           {.sample = {.most_resources = 300, .churn_steps = 40, .most_played = 300}});
        if (!policy) {
            CHECK(policy.error().code == ErrorCode::kNotSupported);
            CHECK_FALSE(policy.error().message.empty());
            continue;
        }
        ++advised;
        check_buckets(device, *policy);
        check_memory_uses(device, *policy);
        for (const test::NamedDecision& decision : test::all_decisions(*policy)) {
            INFO(decision.name);
            CHECK_FALSE(decision.why.reason.empty());
        }
    }
    CHECK(advised > 150);
}

TEST_CASE("the same report and workload give the same policy") {
    Random random(7);
    const model::DeviceReport device = test::radv_like_device();
    const auto first = policy::advise(device, test::small_workload());
    const auto second = policy::advise(device, test::small_workload());
    REQUIRE(first);
    REQUIRE(second);
    const auto a = test::all_decisions(*first);
    const auto b = test::all_decisions(*second);
    REQUIRE(a.size() == b.size());
    for (std::size_t index = 0; index < a.size(); ++index) {
        CHECK(a[index].value == b[index].value);
        CHECK(a[index].why.reason == b[index].why.reason);
    }
}
