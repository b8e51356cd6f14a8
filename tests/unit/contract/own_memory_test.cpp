#include <catch2/catch_test_macros.hpp>

#include "contract_policy.hpp"
#include "heapwright/contract/bucket_choice.hpp"

using namespace heapwright;
using namespace heapwright::test;
using contract::BucketIndex;
using contract::Treatment;
using model::Dedicated;
using model::DedicatedRule;
using model::MemoryUse;
using model::ResourceClass;

TEST_CASE("what gets memory of its own, and what is refused") {
    struct Case {
        std::uint64_t mib;
        Dedicated dedicated;
        DedicatedRule rule;
        Treatment treatment;
    };
    const Case cases[] = {
        {1, Dedicated::kNone, DedicatedRule::kWhenPreferred, Treatment::kChunk},
        {2, Dedicated::kNone, DedicatedRule::kWhenPreferred, Treatment::kChunk},
        {3, Dedicated::kNone, DedicatedRule::kWhenPreferred, Treatment::kOwnIfRoom},  // above the threshold
        {1, Dedicated::kPreferred, DedicatedRule::kWhenPreferred, Treatment::kOwnIfRoom},
        {1, Dedicated::kPreferred, DedicatedRule::kWhenRequired, Treatment::kChunk},
        {3, Dedicated::kPreferred, DedicatedRule::kWhenRequired, Treatment::kOwnIfRoom},
        {1, Dedicated::kRequired, DedicatedRule::kWhenRequired, Treatment::kOwn},
        {3, Dedicated::kRequired, DedicatedRule::kWhenPreferred, Treatment::kOwn},
        {16, Dedicated::kRequired, DedicatedRule::kWhenPreferred, Treatment::kOwn},
        {17, Dedicated::kNone, DedicatedRule::kWhenPreferred, Treatment::kRefused},
        {17, Dedicated::kRequired, DedicatedRule::kWhenPreferred, Treatment::kRefused},
    };
    for (const Case& one : cases) {
        CAPTURE(one.mib, static_cast<int>(one.dedicated), static_cast<int>(one.rule));
        model::DevicePolicy policy = contract_policy();
        policy.dedicated.value = one.rule;
        policy.buckets[kSmallImages].dedicated_threshold_bytes = chosen(2 * kMib);
        const BucketIndex index = BucketIndex::of(policy);
        CHECK(contract::treatment_of(policy, index, needs(one.mib * kMib, 1024, 0b11, one.dedicated),
                                     ResourceClass::kOptimal, MemoryUse::kDeviceOnly) == one.treatment);
    }
}

TEST_CASE("the threshold is that of the bucket that takes the request") {
    model::DevicePolicy policy = contract_policy();
    policy.buckets[kSmallImages].dedicated_threshold_bytes = chosen(kMib);
    const BucketIndex index = BucketIndex::of(policy);
    const auto treatment = [&](std::uint64_t alignment, std::uint32_t types) {
        return contract::treatment_of(policy, index, needs(2 * kMib, alignment, types), ResourceClass::kOptimal,
                                      MemoryUse::kDeviceOnly);
    };
    CHECK(treatment(1024, 0b11) == Treatment::kOwnIfRoom);
    CHECK(treatment(2048, 0b11) == Treatment::kChunk);
    CHECK(treatment(1024, 0b10) == Treatment::kChunk);
    CHECK(treatment(1 << 20, 0b11) == Treatment::kChunk);  // no bucket at all: the allocation says so
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
