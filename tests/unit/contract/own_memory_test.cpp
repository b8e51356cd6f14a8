#include <catch2/catch_test_macros.hpp>

#include <optional>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "contract_policy.hpp"

using namespace heapwright;
using namespace heapwright::test;
using contract::BucketIndex;
using contract::Treatment;
using model::Dedicated;
using model::DedicatedRule;
using model::OwnMemory;
using model::ResourceClass;

TEST_CASE("what gets memory of its own whatever the memory type, and what is refused") {
    using model::HumongousRule;
    struct Case {
        std::uint64_t mib;
        Dedicated dedicated;
        std::optional<HumongousRule> rule;
        Treatment treatment;
        OwnMemory wish = OwnMemory::kAuto;
    };
    const Case cases[] = {
        {16, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kByType},
        {16, Dedicated::kPreferred, HumongousRule::kRefuse, Treatment::kByType},
        {1, Dedicated::kRequired, HumongousRule::kRefuse, Treatment::kOwn},
        {17, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kRefused},
        {17, Dedicated::kNone, {}, Treatment::kRefused},  // what a policy without the rule means
        {17, Dedicated::kPreferred, HumongousRule::kOwnMemory, Treatment::kOwn},
        {17, Dedicated::kRequired, HumongousRule::kRefuse, Treatment::kOwn},  // the driver's word goes first
        {17, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kOwn, OwnMemory::kAlways},  // asked for by name
        {16, Dedicated::kPreferred, HumongousRule::kRefuse, Treatment::kInChunk, OwnMemory::kNever},
        {1, Dedicated::kRequired, HumongousRule::kRefuse, Treatment::kOwn, OwnMemory::kNever},
        {17, Dedicated::kNone, HumongousRule::kOwnMemory, Treatment::kInChunk, OwnMemory::kNever},
        // A wish for a place in a chunk asks for no memory of its own by name.
        {17, Dedicated::kNone, HumongousRule::kRefuse, Treatment::kRefused, OwnMemory::kNever},
    };
    for (const Case& one : cases) {
        CAPTURE(one.mib, static_cast<int>(one.dedicated), static_cast<int>(one.rule.value_or(HumongousRule::kRefuse)));
        CAPTURE(static_cast<int>(one.wish));
        model::DevicePolicy policy = contract_policy();
        if (one.rule) policy.humongous = chosen(*one.rule);
        CHECK(contract::treatment_of(policy, needs(one.mib * kMib, 1024, 0b11, one.dedicated), one.wish) ==
              one.treatment);
    }
}

TEST_CASE("a walk meets each memory type that has something to try, and a request goes where it begins") {
    using Types = std::vector<std::uint32_t>;
    struct Case {
        contract::Request request;
        Types tried;
        std::optional<std::uint32_t> bucket;
        bool refused = false;
    };
    const auto image = [](std::uint64_t mib, OwnMemory wish = OwnMemory::kAuto, std::uint32_t types = 0b11) {
        return contract::Request{.requirements = needs(mib * kMib, 1024, types),
                                 .resource_class = ResourceClass::kOptimal,
                                 .use = model::MemoryUse::kDeviceOnly,
                                 .own_memory = wish};
    };
    contract::Request buffer = image(1);
    buffer.resource_class = ResourceClass::kLinear;
    contract::Request buffer_in_chunk = buffer;
    buffer_in_chunk.own_memory = OwnMemory::kNever;
    const Case cases[] = {
        {image(1), {0, 1}, kSmallImages},
        {image(1, OwnMemory::kAuto, 0b10), {1}, kShared},
        {image(1, OwnMemory::kAuto, 0b100), {}, {}},
        {image(3), {0, 1}, {}},  // above its threshold
        {image(3, OwnMemory::kNever), {0, 1}, kSmallImages},
        {image(1, OwnMemory::kAlways), {0, 1}, {}},
        {image(17), {0, 1}, {}, true},
        {buffer, {0, 1}, {}},              // the first type has no bucket for it
        {buffer_in_chunk, {1}, kBuffers},  // and is passed over
    };
    model::DevicePolicy policy = contract_policy();
    policy.buckets[kSmallImages].dedicated_threshold_bytes = chosen(2 * kMib);
    policy.buckets[kShared].alignment_bytes = 2048;
    policy.buckets[kBuffers].alignment_bytes = 1024;
    const BucketIndex index = BucketIndex::of(policy);
    for (const Case& one : cases) {
        CAPTURE(one.request.requirements.size_bytes, static_cast<int>(one.request.own_memory), one.tried);
        const Treatment treatment = contract::treatment_of(policy, one.request.requirements, one.request.own_memory);
        contract::TypeWalk walk(policy, index, one.request, treatment);
        Types tried;
        while (const auto step = walk.next()) tried.push_back(step->memory_type);
        CHECK(tried == one.tried);
        const contract::Destination to = contract::destination_of(policy, index, one.request);
        CHECK(to.memory_type == (tried.empty() ? std::nullopt : std::optional(tried.front())));
        CHECK(to.bucket == one.bucket);
        CHECK(to.refused == one.refused);
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
