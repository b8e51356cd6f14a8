#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <vector>

#include "contract_policy.hpp"
#include "heapwright/contract/bucket_choice.hpp"

using namespace heapwright;
using namespace heapwright::test;
using contract::BucketIndex;
using contract::Treatment;
using model::Dedicated;
using model::DedicatedRule;
using model::ResourceClass;

TEST_CASE("what gets memory of its own whatever the memory type, and what is refused") {
    using model::HumongousRule;
    struct Case {
        std::uint64_t mib;
        Dedicated dedicated;
        std::optional<HumongousRule> rule;
        Treatment treatment;
    };
    const Case cases[] = {
        {16, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kByType},
        {16, Dedicated::kPreferred, HumongousRule::kRefuse, Treatment::kByType},
        {1, Dedicated::kRequired, HumongousRule::kRefuse, Treatment::kOwn},
        {17, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kRefused},
        {17, Dedicated::kNone, {}, Treatment::kRefused},  // what a policy without the rule means
        {17, Dedicated::kPreferred, HumongousRule::kOwnMemory, Treatment::kOwn},
        {17, Dedicated::kRequired, HumongousRule::kRefuse, Treatment::kOwn},  // the driver's word goes first
    };
    for (const Case& one : cases) {
        CAPTURE(one.mib, static_cast<int>(one.dedicated), static_cast<int>(one.rule.value_or(HumongousRule::kRefuse)));
        model::DevicePolicy policy = contract_policy();
        if (one.rule) policy.humongous = chosen(*one.rule);
        CHECK(contract::treatment_of(policy, needs(one.mib * kMib, 1024, 0b11, one.dedicated)) == one.treatment);
    }
}

TEST_CASE(
    "in one memory type: its own where the driver prefers it or the bucket's threshold is passed, else the bucket") {
    struct Case {
        std::uint64_t mib;
        Dedicated dedicated;
        DedicatedRule rule;
        bool own_first;
    };
    const Case cases[] = {
        {1, Dedicated::kNone, DedicatedRule::kWhenPreferred, false},
        {2, Dedicated::kNone, DedicatedRule::kWhenPreferred, false},
        {3, Dedicated::kNone, DedicatedRule::kWhenPreferred, true},  // above the threshold
        {1, Dedicated::kPreferred, DedicatedRule::kWhenPreferred, true},
        {1, Dedicated::kPreferred, DedicatedRule::kWhenRequired, false},
        {3, Dedicated::kPreferred, DedicatedRule::kWhenRequired, true},
    };
    for (const Case& one : cases) {
        CAPTURE(one.mib, static_cast<int>(one.dedicated), static_cast<int>(one.rule));
        model::DevicePolicy policy = contract_policy();
        policy.dedicated.value = one.rule;
        policy.buckets[kSmallImages].dedicated_threshold_bytes = chosen(2 * kMib);
        const BucketIndex index = BucketIndex::of(policy);
        const auto plan = contract::plan_in_type(policy, index.buckets(ResourceClass::kOptimal, 0),
                                                 needs(one.mib * kMib, 1024, 0b11, one.dedicated));
        CHECK(plan.own_first == one.own_first);
        REQUIRE_FALSE(plan.buckets.empty());
        CHECK(plan.buckets.front() == kSmallImages);
    }
}

TEST_CASE("the threshold is that of the bucket that takes the request in the type") {
    model::DevicePolicy policy = contract_policy();
    policy.buckets[kSmallImages].dedicated_threshold_bytes = chosen(kMib);
    const BucketIndex index = BucketIndex::of(policy);
    const auto own_first = [&](std::uint64_t alignment, std::uint32_t type) {
        return contract::plan_in_type(policy, index.buckets(ResourceClass::kOptimal, type), needs(2 * kMib, alignment))
            .own_first;
    };
    CHECK(own_first(1024, 0));
    CHECK_FALSE(own_first(2048, 0));
    CHECK_FALSE(own_first(1024, 1));
}

TEST_CASE("a type without a bucket for the class gives memory of its own, a larger alignment the largest bucket") {
    model::DevicePolicy policy = contract_policy();
    const BucketIndex index = BucketIndex::of(policy);
    const auto plan = [&](ResourceClass resource_class, std::uint32_t type, std::uint64_t alignment) {
        const auto found = contract::plan_in_type(policy, index.buckets(resource_class, type), needs(100, alignment));
        return std::vector<std::uint32_t>(found.buckets.begin(), found.buckets.end());
    };
    CHECK(plan(ResourceClass::kLinear, 0, 16).empty());
    CHECK(plan(ResourceClass::kOptimal, 0, 1 << 20) == std::vector<std::uint32_t>{kLargeImages});
    CHECK(plan(ResourceClass::kLinear, 1, 8192) == std::vector<std::uint32_t>{kShared});
    // Slots lie where they lie: the next smaller S places the request.
    policy.buckets[kShared].suballocator.value = model::SuballocatorKind::kSlots;
    CHECK(plan(ResourceClass::kLinear, 1, 8192) == std::vector<std::uint32_t>{kBuffers});
    policy.buckets[kBuffers].suballocator.value = model::SuballocatorKind::kSlots;
    CHECK(plan(ResourceClass::kLinear, 1, 8192).empty());
}

TEST_CASE("memory of one's own follows the bucket of the smallest sufficient alignment, else the largest") {
    const model::DevicePolicy policy = contract_policy();
    const BucketIndex index = BucketIndex::of(policy);
    const auto beside = [&](ResourceClass resource_class, std::uint32_t type, std::uint64_t alignment) {
        return contract::bucket_beside(policy.buckets, index, resource_class, type, alignment);
    };
    CHECK(beside(ResourceClass::kOptimal, 0, 256) == &policy.buckets[kSmallImages]);
    CHECK(beside(ResourceClass::kOptimal, 0, 4096) == &policy.buckets[kLargeImages]);
    CHECK(beside(ResourceClass::kOptimal, 0, 1 << 20) == &policy.buckets[kLargeImages]);
    CHECK(beside(ResourceClass::kLinear, 0, 1) == nullptr);
}
