#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "advised.hpp"
#include "core/units.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "policy/memory_types.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;
using model::ClaimId;

namespace {

model::DevicePolicy advise_or_fail(const model::DeviceReport& device, const model::Workload& workload) {
    return test::advised(device, workload, {.sample = {.most_resources = 2000, .churn_steps = 500}});
}

model::DevicePolicy advise_by_source(const model::DeviceReport& device, const model::Workload& workload) {
    return test::advised(device, workload, {.rule = policy::ChunkRuleName::kSource});
}

const std::vector<std::uint32_t>& types_for(const model::DevicePolicy& policy, model::MemoryUse use) {
    return policy.memory_uses[static_cast<std::size_t>(use)].memory_types.value;
}

const model::BucketPolicy* find_bucket(const model::DevicePolicy& policy, const std::string& id) {
    const auto found = std::find_if(policy.buckets.begin(), policy.buckets.end(),
                                    [&id](const model::BucketPolicy& bucket) { return bucket.id == id; });
    return found == policy.buckets.end() ? nullptr : &*found;
}

using Types = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("memory types are ranked by use and never need a feature") {
    const auto policy = advise_or_fail(test::radv_like_device(), test::small_workload());
    CHECK(types_for(policy, model::MemoryUse::kDeviceOnly) == Types{0, 1, 3, 2, 4});
    CHECK(types_for(policy, model::MemoryUse::kUpload) == Types{2, 4, 3});
    CHECK(types_for(policy, model::MemoryUse::kReadback) == Types{4, 2, 3});
    CHECK(types_for(policy, model::MemoryUse::kStreaming) == Types{3, 2, 4});
    for (const auto& use : policy.memory_uses) {
        REQUIRE(use.excluded.size() + use.memory_types.value.size() == 7);
        CHECK(std::any_of(use.excluded.begin(), use.excluded.end(), [](const model::ExcludedMemoryType& entry) {
            return entry.memory_type == 5 && test::makes(entry.reason, ClaimId::kBarredUncachedAmd);
        }));
    }
}

TEST_CASE("lazily allocated memory serves transient attachments only") {
    model::DeviceReport device = test::radv_like_device();
    device.memory_types[1].property_flags |= model::memory_property::kLazilyAllocated;
    model::Workload workload = test::small_workload();
    auto policy = advise_or_fail(device, workload);
    CHECK(types_for(policy, model::MemoryUse::kDeviceOnly) == Types{0, 3, 2, 4});
    const auto uses_lazy = [](const auto& bucket) { return bucket.memory_type == 1 && model::is_in_use(bucket); };
    CHECK(std::ranges::none_of(policy.buckets, uses_lazy));
    const auto in_wait = std::ranges::find(policy.buckets, 1u, &model::BucketPolicy::memory_type);
    REQUIRE(in_wait != policy.buckets.end());
    CHECK(in_wait->resource_classes == std::vector{model::ResourceClass::kOptimal});

    workload.images[2].usage |= model::image_usage::kTransientAttachment;
    policy = advise_or_fail(device, workload);
    CHECK(std::ranges::any_of(policy.buckets, uses_lazy));
    // It takes nothing of the heap's capacity.
    CHECK(std::ranges::any_of(policy.capacity->moved, [](const auto& moved) { return moved.hint == "images/2"; }) ==
          false);
}

TEST_CASE("on unified memory the ranking does not flee from device-local types") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps = {{.size_bytes = 4096 * kMiB, .flags = model::memory_heap::kDeviceLocal}};
    device.run.heap_budgets.clear();
    namespace property = model::memory_property;
    device.memory_types = {
        {.property_flags = property::kDeviceLocal},
        {.property_flags = property::kDeviceLocal | property::kHostVisible | property::kHostCoherent},
        {.property_flags =
             property::kDeviceLocal | property::kHostVisible | property::kHostCoherent | property::kHostCached}};
    const auto policy = advise_or_fail(device, test::small_workload());
    CHECK(types_for(policy, model::MemoryUse::kDeviceOnly).front() == 0);
    CHECK(types_for(policy, model::MemoryUse::kUpload) == Types{1, 2});
    CHECK(types_for(policy, model::MemoryUse::kReadback) == Types{2, 1});
    CHECK(types_for(policy, model::MemoryUse::kStreaming) == Types{1, 2});
}

TEST_CASE("a small BAR takes what is streamed in small chunks, is kept from staging, and says when it is too small") {
    model::Workload workload = test::small_workload();
    const auto fits = advise_or_fail(test::radv_like_device(), workload);
    CHECK(types_for(fits, model::MemoryUse::kStreaming).front() == 3);
    CHECK(types_for(fits, model::MemoryUse::kUpload).back() == 3);
    CHECK_FALSE(test::makes(fits.warnings, ClaimId::kMoved));
    std::size_t on_bar = 0;
    for (const auto& bucket : fits.buckets) {
        if (bucket.memory_type != 3) continue;
        ++on_bar;
        CHECK(bucket.chunk_size_bytes.value <= fits.heaps[2].usable_bytes.value / 8);
    }
    CHECK(on_bar > 0);
    for (const auto& use : fits.memory_uses) {
        if (use.use != model::MemoryUse::kUpload) continue;
        REQUIRE_FALSE(use.memory_types.why.alternatives.empty());
        CHECK(test::says(use.memory_types.why.alternatives.front().reason, "small BAR"));
    }
    for (model::BufferHint& hint : workload.buffers) {
        if (hint.memory_use == model::MemoryUse::kStreaming) hint.count = 100'000;
    }
    const auto crowded = advise_or_fail(test::radv_like_device(), workload);
    CHECK(test::says(crowded.warnings, "because heap 2 of memory type 3 is full"));
}

TEST_CASE(
    "a resizable BAR is the device's own memory: what is streamed goes there, and what the device alone touches "
    "keeps to the types without host access") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps[0].size_bytes += device.heaps[2].size_bytes;
    device.memory_types[3].heap_index = 0;
    device.heaps.pop_back();
    device.run.heap_budgets.pop_back();
    const auto policy = advise_or_fail(device, test::small_workload());
    CHECK(types_for(policy, model::MemoryUse::kStreaming) == Types{3, 2, 4});
    CHECK(types_for(policy, model::MemoryUse::kDeviceOnly) == Types{0, 1, 3, 2, 4});
    CHECK(types_for(policy, model::MemoryUse::kUpload) == Types{2, 4, 3});
    for (const auto& use : policy.memory_uses)
        CHECK_FALSE(test::makes(use.memory_types.why.reason, ClaimId::kTypeOnSmallBar));
    // One heap for both: its room is shared, and one chunk for each bucket fits.
    const auto proof = std::ranges::find(policy.feasibility, 0u, &model::HeapFeasibility::heap);
    REQUIRE(proof != policy.feasibility.end());
    CHECK(proof->fits);
    CHECK(proof->buckets >= 2);
}

TEST_CASE("what is streamed is written into a BAR directly, unless the host was measured to be slow there") {
    const auto ranking = [](std::uint64_t bar_rate) {
        model::DeviceReport device = test::radv_like_device();
        for (const auto& [type, rate] : {std::pair{2u, std::uint64_t{12'000'000'000}}, std::pair{3u, bar_rate}}) {
            model::MemoryCostCurve curve{.memory_type = type};
            curve.host_bandwidth = {.bytes_each = kMiB, .samples = 9, .write_bytes_per_s = rate};
            device.run.memory_cost.push_back(curve);
        }
        return advise_or_fail(device, test::small_workload());
    };
    CHECK(types_for(ranking(10'000'000'000), model::MemoryUse::kStreaming) == Types{3, 2, 4});
    const auto slow = ranking(1'000'000'000);
    CHECK(types_for(slow, model::MemoryUse::kStreaming) == Types{2, 4, 3});
    const auto& why = slow.memory_uses[static_cast<std::size_t>(model::MemoryUse::kStreaming)].memory_types.why;
    CHECK(test::makes(why.reason, ClaimId::kTypeSlowToWrite));
}

TEST_CASE("a device without memory for a use of the workload is refused with the reasons") {
    model::DeviceReport device = test::radv_like_device();
    for (auto& type : device.memory_types) type.property_flags &= ~model::memory_property::kHostVisible;
    const auto policy = policy::advise(device, test::small_workload());
    REQUIRE_FALSE(policy);
    CHECK(policy.error().code == ErrorCode::kNotSupported);
    CHECK(policy.error().message.find("upload") != std::string::npos);
    CHECK(policy.error().message.find("host cannot map it") != std::string::npos);
}

TEST_CASE("usable bytes are the smaller of size and budget, less the reserve") {
    model::DeviceReport device = test::radv_like_device();
    auto policy = advise_or_fail(device, test::small_workload());
    const std::uint64_t budget = 7ull << 30;
    CHECK(policy.heaps[0].usable_bytes.value == budget - budget / 10);
    device.run.heap_budgets.clear();
    policy = advise_or_fail(device, test::small_workload());
    CHECK(policy.heaps[2].usable_bytes.value == 256 * kMiB - 256 * kMiB / 10);
    CHECK(test::makes(policy.warnings, ClaimId::kHeapWithoutBudget));
}

TEST_CASE(
    "the memory article's buckets are the combinations of class, alignment and memory type that the workload uses") {
    const auto policy = advise_by_source(test::radv_like_device(), test::small_workload());
    REQUIRE(policy.separate_linear_and_optimal.value);
    for (const char* id :
         {"optimal/4096/0", "optimal/65536/0", "linear/16/0", "linear/16/2", "linear/16/3", "linear/16/4"}) {
        INFO(id);
        CHECK(find_bucket(policy, id) != nullptr);
    }
    CHECK(std::ranges::count_if(policy.buckets, model::is_in_use) == 6);
    for (const auto& proof : policy.feasibility) CHECK(proof.fits);
}

TEST_CASE("M is the workload's largest resource as the driver sizes it") {
    const auto policy = advise_or_fail(test::radv_like_device(), test::small_workload());
    // 2048x2048 RGBA8 with its mip chain is 22369620 bytes of texels, in pages of 65536.
    CHECK(policy.largest_ordinary_bytes.value == 22413312);
    CHECK(policy.humongous_threshold_bytes.value == 64 * kMiB);
}

TEST_CASE("without ordinary hints M is the 4096x4096 image, which 64,000,000 bytes cannot hold") {
    model::Workload workload = test::small_workload();
    workload.images.clear();
    workload.buffers = {{.smallest_bytes = 256 * kMiB, .largest_bytes = 256 * kMiB, .count = 4}};
    const auto policy = advise_or_fail(test::radv_like_device(), workload);
    CHECK(policy.largest_ordinary_bytes.value == 67108864);
    CHECK(std::ranges::none_of(policy.buckets, model::is_in_use));
    CHECK(test::makes(policy.warnings, ClaimId::kWarnHumongous));
}

TEST_CASE("the memory article's chunk size is max(M, H / K), rounded") {
    const auto policy = advise_by_source(test::radv_like_device(), test::small_workload());
    const auto* bucket = find_bucket(policy, "optimal/65536/0");
    REQUIRE(bucket != nullptr);
    const std::uint64_t part = ((8ull << 30) - 256 * kMiB) / 62;
    CHECK(bucket->chunk_size_bytes.value == (part + kMiB - 1) / kMiB * kMiB);
    CHECK(test::says(bucket->chunk_size_bytes.why.reason, model::text_of(model::bytes(part))));
}

TEST_CASE("small heaps get smaller chunks") {
    const auto policy = advise_or_fail(test::radv_like_device(), test::small_workload());
    const auto* streaming = find_bucket(policy, "linear/16/3");
    REQUIRE(streaming != nullptr);
    CHECK(streaming->chunk_size_bytes.value <= policy.heaps[2].usable_bytes.value / 8);
    // The memory article's figure is listed although it lost.
    const auto& alternatives = streaming->chunk_size_bytes.why.alternatives;
    CHECK(std::any_of(alternatives.begin(), alternatives.end(), [&](const model::Alternative& entry) {
        return entry.value == model::bytes(policy.largest_ordinary_bytes.value);
    }));
}

TEST_CASE("chunks stay within maxMemoryAllocationSize") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxMemoryAllocationSize", 32 * kMiB);
    const auto policy = advise_or_fail(device, test::small_workload());
    for (const auto& bucket : policy.buckets) CHECK(bucket.chunk_size_bytes.value <= 32 * kMiB);
}

TEST_CASE("chunks shrink so that no bucket is starved") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps[0].size_bytes = 32 * kMiB;
    device.run.heap_budgets[0].budget_bytes = 32 * kMiB;
    device.memory_types[3].heap_index = 1;
    const auto policy = advise_or_fail(device, test::small_workload());
    const auto proof = std::find_if(policy.feasibility.begin(), policy.feasibility.end(),
                                    [](const auto& entry) { return entry.heap == 0; });
    REQUIRE(proof != policy.feasibility.end());
    CHECK(proof->fits);
    CHECK(proof->one_chunk_each_bytes <= proof->usable_bytes);
}

TEST_CASE("largest resources that do not fit together are reported") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps[0].size_bytes = 26 * kMiB;
    device.run.heap_budgets[0].budget_bytes = 26 * kMiB;
    device.image_sweep.requirements[1].memory_type_bits = 1;
    device.buffer_sweep.requirements[0].memory_type_bits = 1;
    model::Workload workload = test::small_workload();
    workload.images = {workload.images[0]};
    workload.images[0].count = 10;
    workload.buffers = {workload.buffers[0]};
    workload.buffers[0].count = 5;
    workload.buffers[0].largest_bytes = 16 * kMiB;
    workload.reserve_share = 0;
    // One bucket for each class and alignment; a single one of the simulated rule can fit.
    const auto policy = policy::advise(device, workload, 0, {.rule = policy::ChunkRuleName::kSource, .sample = {}});
    REQUIRE(policy);
    const auto proof = std::find_if(policy->feasibility.begin(), policy->feasibility.end(),
                                    [](const auto& entry) { return entry.heap == 0; });
    REQUIRE(proof != policy->feasibility.end());
    // What has a place is planned so that one chunk of each bucket fits; the rest is said, by hint.
    CHECK(proof->fits);
    CHECK(proof->one_chunk_each_bytes <= proof->usable_bytes);
    REQUIRE(policy->capacity);
    CHECK_FALSE(policy->capacity->fits);
    CHECK(policy->capacity->missing_bytes > 0);
    CHECK(model::statement_of(*policy->capacity).starts_with("does not fit: needs"));
    CHECK(model::statement_of(*policy->capacity).find("of buffers/0") != std::string::npos);
}

TEST_CASE("granularity decides whether classes share chunks") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "bufferImageGranularity", 1);
    CHECK_FALSE(advise_by_source(device, test::small_workload()).separate_linear_and_optimal.value);
    test::set_limit(device, "bufferImageGranularity", 16);
    auto policy = advise_by_source(device, test::small_workload());
    CHECK_FALSE(policy.separate_linear_and_optimal.value);
    CHECK(test::makes(policy.separate_linear_and_optimal.why.reason, ClaimId::kClassesNeverMeet));
    test::set_limit(device, "bufferImageGranularity", 64);
    CHECK(advise_by_source(device, test::small_workload()).separate_linear_and_optimal.value);
    test::remove_limit(device, "bufferImageGranularity");
    policy = advise_by_source(device, test::small_workload());
    CHECK(policy.separate_linear_and_optimal.value);
    CHECK(test::makes(policy.warnings, ClaimId::kWarnGranularityUntold));
}

TEST_CASE("preferred dedicated allocations are followed while their number allows") {
    model::DeviceReport device = test::radv_like_device();
    device.image_sweep.requirements[1].dedicated = model::Dedicated::kPreferred;
    auto policy = advise_by_source(device, test::small_workload());
    CHECK(policy.dedicated.value == model::DedicatedRule::kWhenPreferred);
    CHECK(find_bucket(policy, "optimal/65536/0") == nullptr);
    test::set_limit(device, "maxMemoryAllocationCount", 100);
    policy = advise_by_source(device, test::small_workload());
    CHECK(policy.dedicated.value == model::DedicatedRule::kWhenRequired);
    CHECK(find_bucket(policy, "optimal/65536/0") != nullptr);
}

TEST_CASE("a granule of a non-coherent type covers its flushes") {
    model::DeviceReport device = test::radv_like_device();
    device.memory_types[4].property_flags &= ~model::memory_property::kHostCoherent;
    const auto policy = advise_or_fail(device, test::small_workload());
    const auto* readback = find_bucket(policy, "linear/16/4");
    REQUIRE(readback != nullptr);
    CHECK(readback->granule_bytes.value == 64);
}

TEST_CASE("a report without a sweep gives a policy that says what it rests on") {
    model::DeviceReport device = test::radv_like_device();
    device.origin = model::ReportOrigin::kImport;
    device.image_sweep = {};
    device.buffer_sweep = {};
    device.limits.clear();
    const auto policy = advise_or_fail(device, test::small_workload());
    CHECK_FALSE(policy.buckets.empty());
    CHECK(test::makes(policy.assumed, ClaimId::kSizesAssumed));
    CHECK(test::makes(policy.warnings, ClaimId::kAllocationCountMissing));
    CHECK(test::makes(policy.warnings, ClaimId::kAllocationLimitMissing));
}

TEST_CASE("A limit of 0 that no device may have is one that was not told") {
    for (const char* name : {"bufferImageGranularity", "maxBufferSize", "maxMemoryAllocationCount",
                             "maxMemoryAllocationSize", "maxStorageBufferRange", "nonCoherentAtomSize"}) {
        INFO(name);
        const model::Workload workload = test::small_workload();
        model::DeviceReport device = test::radv_like_device();
        test::set_limit(device, name, 0);
        const auto policy =
            policy::advise(model::Report{.header = {.tool_version = "1"}, .devices = {device}}, workload);
        REQUIRE(policy);
        CHECK(model::read_policy(model::write(*policy), "policy"));
        const std::string zero = model::write(model::Policy{.devices = {advise_or_fail(device, workload)}});
        test::remove_limit(device, name);
        CHECK(zero == model::write(model::Policy{.devices = {advise_or_fail(device, workload)}}));
    }
}

TEST_CASE("sizes outside the grid are marked as interpolated") {
    model::Workload workload = test::small_workload();
    workload.images[1].extents = {{300, 200}};
    const auto policy = advise_or_fail(test::radv_like_device(), workload);
    CHECK(test::makes(policy.warnings, ClaimId::kSizesBetween));
}

TEST_CASE("a hint that the driver does not support is left out with its reason") {
    model::DeviceReport device = test::radv_like_device();
    device.image_sweep.cases[2].table.reset();
    device.image_sweep.cases[2].not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED";
    const auto policy = advise_or_fail(device, test::small_workload());
    CHECK(test::says(policy.warnings, "VK_ERROR_FORMAT_NOT_SUPPORTED"));
}
