#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "contract_policy.hpp"

using namespace heapwright;
using namespace heapwright::test;
using contract::BucketIndex;
using model::MemoryUse;
using model::ResourceClass;

namespace {

// Of a request that wants a place in a chunk.
std::optional<std::uint32_t> bucket_for(const model::DevicePolicy& policy, ResourceClass resource_class, MemoryUse use,
                                        const model::MemoryRequirements& requirements) {
    return contract::destination_of(policy, BucketIndex::of(policy),
                                    {.requirements = requirements,
                                     .resource_class = resource_class,
                                     .use = use,
                                     .own_memory = model::OwnMemory::kNever})
        .bucket;
}

}  // namespace

TEST_CASE("a request goes to the smallest sufficient alignment of the first type that it admits") {
    const model::DevicePolicy policy = contract_policy();
    struct Case {
        ResourceClass resource_class;
        MemoryUse use;
        std::uint64_t alignment;
        std::uint32_t types;
        std::optional<std::uint32_t> bucket;
    };
    const Case cases[] = {
        {ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 1, 0b11, kSmallImages},
        {ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 1024, 0b11, kSmallImages},
        {ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 2048, 0b11, kLargeImages},
        {ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 2048, 0b10, kShared},
        {ResourceClass::kOptimal, MemoryUse::kDeviceOnly, 131072, 0b11, kLargeImages},  // larger than every S
        {ResourceClass::kOptimal, MemoryUse::kUpload, 1, 0b01, kSmallImages},           // behind the use's own types
        {ResourceClass::kLinear, MemoryUse::kUpload, 1, 0b01, {}},  // type 0 is not ranked for the use
        {ResourceClass::kLinear, MemoryUse::kUpload, 256, 0b11, kBuffers},
        {ResourceClass::kLinear, MemoryUse::kDeviceOnly, 512, 0b11, kShared},
        {ResourceClass::kLinear, MemoryUse::kReadback, 1, 0b11, {}},  // no type is ranked
        {ResourceClass::kOptimalRenderTarget, MemoryUse::kDeviceOnly, 1, 0b11, {}},
    };
    for (const Case& one : cases) {
        CAPTURE(static_cast<int>(one.resource_class), static_cast<int>(one.use), one.alignment, one.types);
        CHECK(bucket_for(policy, one.resource_class, one.use, needs(100, one.alignment, one.types)) == one.bucket);
    }
}

TEST_CASE("slots that are too small pass a request on to the next alignment") {
    model::DevicePolicy policy = contract_policy();
    policy.buckets[kBuffers].suballocator.value = model::SuballocatorKind::kSlots;
    policy.buckets[kBuffers].granule_bytes.value = 512;
    const auto of_size = [&](std::uint64_t size) {
        return bucket_for(policy, ResourceClass::kLinear, MemoryUse::kUpload, needs(size, 16));
    };
    CHECK(of_size(512) == kBuffers);
    CHECK(of_size(513) == kShared);
    CHECK(contract::chunk_can_hold(policy.buckets[kBuffers], 512, 256));
    CHECK_FALSE(contract::chunk_can_hold(policy.buckets[kBuffers], 1, 1024));
    CHECK(contract::chunk_can_hold(policy.buckets[kShared], 1 << 30, 1 << 20));
}

TEST_CASE("behind the bucket that takes a request come those of larger alignment") {
    const model::DevicePolicy policy = contract_policy();
    const BucketIndex index = BucketIndex::of(policy);
    const auto from = [&](std::uint64_t alignment) {
        const auto found =
            contract::buckets_from(policy.buckets, index.buckets(ResourceClass::kLinear, 1), 100, alignment);
        return std::vector<std::uint32_t>(found.begin(), found.end());
    };
    CHECK(from(16) == std::vector<std::uint32_t>{kBuffers, kShared});
    CHECK(from(512) == std::vector<std::uint32_t>{kShared});
    CHECK(from(8192).empty());
    CHECK(index.buckets(ResourceClass::kLinear, 0).empty());
}

TEST_CASE("transient attachments have the lazily allocated types first, no other resource has them") {
    namespace property = model::memory_property;
    model::DevicePolicy policy = contract_policy();
    policy.memory_types = {{.heap_index = 0, .property_flags = property::kDeviceLocal},
                           {.heap_index = 1, .property_flags = property::kHostVisible},
                           {.heap_index = 0, .property_flags = property::kDeviceLocal | property::kLazilyAllocated},
                           {.heap_index = 0, .property_flags = property::kLazilyAllocated | property::kProtected}};
    policy.buckets.push_back(bucket_of({ResourceClass::kOptimal}, 4096, 2));
    const BucketIndex index = BucketIndex::of(policy);
    const auto types = [&](bool transient) {
        std::vector<std::uint32_t> found;
        for (const auto& type : index.candidates(ResourceClass::kOptimal, MemoryUse::kDeviceOnly, transient))
            found.push_back(type.memory_type);
        return found;
    };
    CHECK(types(false) == std::vector<std::uint32_t>{0, 1});
    CHECK(types(true) == std::vector<std::uint32_t>{2, 0, 1});  // protected memory needs a feature
    const auto first = index.candidates(ResourceClass::kOptimal, MemoryUse::kDeviceOnly, true).front();
    CHECK(first.buckets == std::vector<std::uint32_t>{4});
}

TEST_CASE("lazily allocated memory is left out where it needs a feature or its heap has nothing to give") {
    namespace property = model::memory_property;
    model::DevicePolicy policy = contract_policy();
    policy.heaps.push_back({.heap = 2, .usable_bytes = chosen<std::uint64_t>(0)});
    policy.heaps.push_back({.heap = 3, .usable_bytes = chosen(kMib)});
    const std::vector<model::MemoryHeap> heaps{{.size_bytes = 1024 * kMib},
                                               {.size_bytes = 256 * kMib},
                                               {.size_bytes = 256 * kMib},
                                               {.size_bytes = kMib, .flags = model::memory_heap::kTileMemoryQcom}};
    const auto type = [](std::uint32_t heap, model::Flags flags = 0) {
        return model::MemoryType{.heap_index = heap,
                                 .property_flags = flags | property::kDeviceLocal | property::kLazilyAllocated};
    };
    const std::vector<model::MemoryType> types{
        type(0), type(0, property::kDeviceCoherentAmd), type(1), type(2), type(3), type(4)};
    const contract::RankedMemory memory{
        .types = types, .heaps = heaps, .heap_policies = policy.heaps, .uses = policy.memory_uses};
    CHECK(contract::lazily_allocated_types(memory) == std::vector<std::uint32_t>{0, 2});
    // Before those of its use, even one that a policy ranks there.
    policy.memory_uses[0].memory_types.value = {1, 2};
    CHECK(contract::types_in_order(memory, ResourceClass::kOptimal, MemoryUse::kDeviceOnly, true) ==
          std::vector<std::uint32_t>{0, 2, 1});
    // So the pool tries them: it is carried out as it is planned.
    model::DeviceReport facts;
    facts.heaps = heaps;
    facts.memory_types = types;
    const auto index = BucketIndex::create(facts, policy);
    REQUIRE(index);
    const auto tried = index->candidates(ResourceClass::kOptimal, MemoryUse::kDeviceOnly, true);
    REQUIRE(tried.size() == 3);
    CHECK(tried.front().memory_type == 0);
}

TEST_CASE("optimal images that the host fills have device-only memory behind the types of their use, buffers do not") {
    const BucketIndex index = BucketIndex::of(contract_policy());
    const auto types = [&](ResourceClass resource_class) {
        std::vector<std::uint32_t> found;
        for (const auto& type : index.candidates(resource_class, MemoryUse::kUpload)) found.push_back(type.memory_type);
        return found;
    };
    CHECK(types(ResourceClass::kOptimal) == std::vector<std::uint32_t>{1, 0});
    CHECK(types(ResourceClass::kLinear) == std::vector<std::uint32_t>{1});
}

TEST_CASE("a memory type beyond the bits is not admitted") {
    CHECK(contract::admits(0b100, 2));
    CHECK_FALSE(contract::admits(0b100, 1));
    CHECK(contract::admits(1u << 31, 31));
    CHECK_FALSE(contract::admits(~0u, 32));
}
