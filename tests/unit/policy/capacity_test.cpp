// What the workload's peak is planned into, and what is said where it does not fit.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "advised.hpp"
#include "cited_inputs.hpp"
#include "core/units.hpp"
#include "policy/advise.hpp"
#include "policy/capacity.hpp"
#include "policy/demand.hpp"
#include "policy/memory_types.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace capacity_test {

using namespace heapwright;

namespace {

namespace property = model::memory_property;

constexpr model::Flags kDeviceLocal = property::kDeviceLocal;
constexpr model::Flags kHost = property::kHostVisible | property::kHostCoherent;
constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 500, .churn_steps = 200}};

model::DevicePolicy advise(const model::DeviceReport& device, const model::Workload& workload) {
    return test::advised(device, workload, kQuick);
}

model::BufferHint buffers(std::uint64_t bytes, std::uint32_t count) {
    return {.smallest_bytes = bytes, .largest_bytes = bytes, .count = count, .lifetime = model::Lifetime::kPersistent};
}

const model::HeapCapacity& heap_of(const model::DevicePolicy& policy, std::uint32_t heap) {
    return policy.capacity->heaps.at(heap);
}

bool has_bucket(const model::DevicePolicy& policy, std::uint32_t type, model::ResourceClass resource_class,
                bool in_use) {
    return std::ranges::any_of(policy.buckets, [&](const model::BucketPolicy& bucket) {
        return bucket.memory_type == type && model::is_in_use(bucket) == in_use &&
               std::ranges::find(bucket.resource_classes, resource_class) != bucket.resource_classes.end();
    });
}

}  // namespace

TEST_CASE("20 buffers of 200 MB do not fit 1.8 GiB, and that is said first") {
    const auto device = test::bare_device({{.size_bytes = 1800 * kMiB, .flags = model::memory_heap::kDeviceLocal}},
                                          {{.heap_index = 0, .property_flags = kDeviceLocal | kHost}});
    model::Workload workload = test::empty_workload();
    workload.buffers = {buffers(200'000'000, 20)};
    const auto policy = advise(device, workload);
    CHECK_FALSE(policy.capacity->fits);
    // Nine of them fit.
    CHECK(heap_of(policy, 0).wanted_bytes == 4'000'000'000);
    CHECK(heap_of(policy, 0).expected_bytes == 1'800'000'000);
    CHECK(policy.capacity->missing_bytes == 2'200'000'000);
    REQUIRE(policy.capacity->unfit.size() == 1);
    CHECK(policy.capacity->unfit[0].hint == "buffers/0");
    REQUIRE_FALSE(policy.warnings.empty());
    CHECK(policy.capacity->needed_bytes == 4'000'000'000);
    CHECK(model::statement_of(*policy.capacity) ==
          "does not fit: needs 3.725 GiB of 1.758 GiB usable; without a place 2.049 GiB of buffers/0");

    workload.buffers[0].count = 9;
    const auto fitting = advise(device, workload);
    CHECK(fitting.capacity->fits);
    CHECK(fitting.capacity->missing_bytes == 0);
    CHECK(model::statement_of(*fitting.capacity) == "fits: needs 1.676 GiB of 1.758 GiB usable");
}

TEST_CASE("2 GB of streaming beside a 256 MiB BAR are planned into system memory, which has a bucket for them") {
    model::Workload workload = test::small_workload();
    workload.buffers.push_back({.usage = model::buffer_usage::kUniform,
                                .smallest_bytes = kMiB,
                                .largest_bytes = kMiB,
                                .count = 2000,
                                .lifetime = model::Lifetime::kStreaming,
                                .memory_use = model::MemoryUse::kStreaming});
    const auto policy = advise(test::radv_like_device(), workload);
    CHECK(policy.capacity->fits);
    for (const model::HeapCapacity& heap : policy.capacity->heaps) CHECK(heap.expected_bytes <= heap.usable_bytes);
    CHECK(heap_of(policy, 2).wanted_bytes > 2000 * kMiB);
    CHECK(std::ranges::any_of(policy.capacity->moved, [](const model::HintMoved& moved) {
        return moved.hint == "buffers/4" && moved.from_memory_type == 3 && moved.to_memory_type == 2 &&
               moved.bytes > 1700 * kMiB;
    }));
    CHECK(has_bucket(policy, 3, model::ResourceClass::kLinear, true));
    CHECK(has_bucket(policy, 2, model::ResourceClass::kLinear, true));
}

TEST_CASE("a 2 GB card plans images that find no room into system memory, with a bucket that is aligned for them") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps[0].size_bytes = 1792 * kMiB;
    device.run.heap_budgets[0].budget_bytes = 1600 * kMiB;
    model::Workload workload = test::small_workload();
    workload.images = {{.extents = {{2048, 2048}}, .count = 120}};  // 16 MiB each
    const auto policy = advise(device, workload);
    CHECK(policy.capacity->fits);
    CHECK(heap_of(policy, 0).expected_bytes <= heap_of(policy, 0).usable_bytes);
    CHECK(heap_of(policy, 0).wanted_bytes > heap_of(policy, 0).usable_bytes);
    const auto spilled = std::ranges::find_if(policy.buckets, [](const model::BucketPolicy& bucket) {
        return bucket.memory_type == 3 || bucket.memory_type == 2;
    });
    REQUIRE(spilled != policy.buckets.end());
    CHECK(std::ranges::any_of(policy.buckets, [](const model::BucketPolicy& bucket) {
        return bucket.memory_type != 0 && model::is_in_use(bucket) && bucket.alignment_bytes >= 65536;
    }));
}

TEST_CASE("what the device writes keeps its heap before what streams") {
    model::DeviceReport device = test::radv_like_device();
    device.heaps[0].size_bytes = 512 * kMiB;
    device.run.heap_budgets[0].budget_bytes = 512 * kMiB;
    model::Workload workload = test::empty_workload();
    workload.images = {{.extents = {{2048, 2048}}, .count = 60, .lifetime = model::Lifetime::kStreaming},
                       {.usage = model::image_usage::kColorAttachment | model::image_usage::kSampled,
                        .extents = {{1920, 1080}},
                        .count = 20,
                        .lifetime = model::Lifetime::kPersistent}};
    const auto policy = advise(device, workload);
    CHECK(std::ranges::any_of(policy.capacity->moved,
                              [](const model::HintMoved& moved) { return moved.hint == "images/0"; }));
    CHECK(std::ranges::none_of(policy.capacity->moved,
                               [](const model::HintMoved& moved) { return moved.hint == "images/1"; }));

    // Unless the hints say otherwise.
    workload.images[0].importance = 90;
    const auto stated = advise(device, workload);
    CHECK(std::ranges::any_of(stated.capacity->moved,
                              [](const model::HintMoved& moved) { return moved.hint == "images/1"; }));
}

TEST_CASE("streamed 8192x8192 BC7 textures count, although they are too large for chunks") {
    const auto device = test::bare_device({{.size_bytes = 8 * kGiB, .flags = model::memory_heap::kDeviceLocal}},
                                          {{.heap_index = 0, .property_flags = kDeviceLocal}});
    model::Workload workload = test::empty_workload();
    workload.images = {
        {.format = model::Format::kBc7UnormBlock, .extents = {{8192, 8192}}, .full_mips = true, .count = 120}};
    const auto policy = advise(device, workload);
    CHECK_FALSE(policy.capacity->fits);
    CHECK(heap_of(policy, 0).wanted_bytes > 10'000'000'000);
    CHECK(heap_of(policy, 0).expected_bytes > 7 * kGiB);
    CHECK(heap_of(policy, 0).expected_bytes <= 8 * kGiB);
    CHECK(has_bucket(policy, 0, model::ResourceClass::kOptimal, false));
}

TEST_CASE("optimal images that the host rewrites are staged where the driver takes them into no mapped memory") {
    model::DeviceReport device = test::radv_like_device();
    for (auto& requirement : device.image_sweep.requirements) requirement.memory_type_bits = 0x3;
    model::Workload workload = test::small_workload();
    workload.images = {{.extents = {{1024, 1024}}, .count = 50, .memory_use = model::MemoryUse::kStreaming}};
    const auto policy = advise(device, workload);
    CHECK(policy.capacity->fits);
    CHECK(has_bucket(policy, 0, model::ResourceClass::kOptimal, true));
    CHECK(test::makes(policy.warnings, model::ClaimId::kStaged));
}

TEST_CASE("the humongous threshold is what chunks can hold, not the largest hint") {
    const auto device = test::bare_device(
        {{.size_bytes = 80 * kGiB, .flags = model::memory_heap::kDeviceLocal}, {.size_bytes = 16 * kGiB, .flags = 0}},
        {{.heap_index = 0, .property_flags = kDeviceLocal}, {.heap_index = 1, .property_flags = kHost}});
    model::Workload workload = test::empty_workload();
    workload.images = {{.extents = {{256, 256}}, .count = 100}};
    auto policy = advise(device, workload);
    CHECK(policy.largest_ordinary_bytes.value == 256 * 1024);
    CHECK(policy.humongous_threshold_bytes.value >= 32 * kMiB);
    REQUIRE(policy.humongous);
    CHECK(policy.humongous->value == model::HumongousRule::kOwnMemory);

    // Inference: small buffers beside one of 6 GiB, which no allocation can hold.
    workload.images.clear();
    workload.buffers = {buffers(kMiB, 100), buffers(6 * kGiB, 1)};
    policy = advise(device, workload);
    CHECK(policy.humongous_threshold_bytes.value >= 32 * kMiB);
    CHECK_FALSE(policy.capacity->fits);
    CHECK(policy.capacity->missing_bytes == 6 * kGiB);
    CHECK(test::makes(policy.warnings, model::ClaimId::kCanSplit));
    REQUIRE(policy.largest_buffer_bytes);

    auto options = kQuick;
    options.humongous = model::HumongousRule::kRefuse;
    const auto refusing = policy::advise(device, workload, 0, options);
    REQUIRE(refusing);
    CHECK(model::humongous_rule_of(*refusing) == model::HumongousRule::kRefuse);

    // A small card: an eighth of its heap.
    const auto card = test::bare_device({{.size_bytes = 128 * kMiB, .flags = model::memory_heap::kDeviceLocal}},
                                        {{.heap_index = 0, .property_flags = kDeviceLocal}});
    workload.buffers = {buffers(4096, 100)};
    CHECK(advise(card, workload).humongous_threshold_bytes.value == 16 * kMiB);
}

TEST_CASE("every ranked memory type has a bucket for each class, and those in wait take no part in any proof") {
    const auto policy = advise(test::radv_like_device(), test::small_workload());
    for (const std::uint32_t type : {0u, 1u, 2u, 3u, 4u}) {
        INFO("type " << type);
        for (const auto resource_class : {model::ResourceClass::kLinear, model::ResourceClass::kOptimal}) {
            CHECK((has_bucket(policy, type, resource_class, true) || has_bucket(policy, type, resource_class, false)));
        }
    }
    std::map<std::uint32_t, std::uint32_t> in_use;
    std::size_t waiting = 0;
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (model::is_in_use(bucket)) {
            ++in_use[policy.memory_types[bucket.memory_type].heap_index];
            CHECK(waiting == 0);  // they stand behind all others
            continue;
        }
        ++waiting;
        CHECK(bucket.chunk_size_bytes.value <=
              policy.heaps[policy.memory_types[bucket.memory_type].heap_index].usable_bytes.value / 32);
    }
    CHECK(waiting > 0);
    for (const model::HeapFeasibility& proof : policy.feasibility) CHECK(proof.buckets == in_use[proof.heap]);
}

TEST_CASE("a budget of 0 is unknown, not no memory") {
    model::DeviceReport device = test::radv_like_device();
    for (auto& budget : device.run.heap_budgets) budget.budget_bytes = 0;
    const auto policy = advise(device, test::small_workload());
    for (std::size_t heap = 0; heap < policy.heaps.size(); ++heap) {
        CHECK(policy.heaps[heap].base_bytes == device.heaps[heap].size_bytes);
        CHECK_FALSE(policy.heaps[heap].reserve_share);
    }
}

TEST_CASE("an upload ring that would pass 64 bits takes its heap's share") {
    model::Workload workload = test::small_workload();
    workload.uploads.bytes_per_frame = ~0ull / 2;
    const auto policy = advise(test::radv_like_device(), workload);
    CHECK(policy.uploads.ring_bytes.value > 512 * kMiB);
}

TEST_CASE("a carve-out of an integrated GPU is the memory of the host: uploads go there as well as anywhere") {
    model::DeviceReport device = test::bare_device(
        {{.size_bytes = 6 * kGiB, .flags = 0}, {.size_bytes = 2 * kGiB, .flags = model::memory_heap::kDeviceLocal}},
        {{.heap_index = 0, .property_flags = kHost | property::kHostCached},
         {.heap_index = 1, .property_flags = kDeviceLocal | kHost}});
    device.identity.type = model::DeviceType::kIntegratedGpu;
    model::Workload workload = test::small_workload();
    const auto policy = advise(device, workload);
    const auto& uploads = policy.memory_uses[static_cast<std::size_t>(model::MemoryUse::kUpload)];
    CHECK(uploads.memory_types.value == std::vector<std::uint32_t>{1, 0});
}

namespace {

std::uint64_t between(Random& random, std::uint64_t low, std::uint64_t high) {
    return random.between(low, high);
}

// The classes of devices: discrete with a small or a resizable BAR, unified, with a carve-out, with several heaps; each
// with or without lazily allocated memory, budgets and heaps of no size.
model::DeviceReport drawn_device(Random& random) {
    std::vector<model::MemoryHeap> heaps;
    std::vector<model::MemoryType> types;
    const auto local_heap = [&](std::uint64_t bytes) {
        heaps.push_back({.size_bytes = bytes, .flags = model::memory_heap::kDeviceLocal});
        return static_cast<std::uint32_t>(heaps.size() - 1);
    };
    const auto host_heap = [&](std::uint64_t bytes) {
        heaps.push_back({.size_bytes = bytes, .flags = 0});
        return static_cast<std::uint32_t>(heaps.size() - 1);
    };
    const auto type = [&](std::uint32_t heap, model::Flags flags) {
        types.push_back({.heap_index = heap, .property_flags = flags});
    };
    const std::uint64_t device_bytes = between(random, 64, 24'000) * kMiB;
    const std::uint64_t host_bytes = between(random, 64, 32'000) * kMiB;
    bool integrated = false;
    switch (random.below(5)) {
        case 0:  // a small BAR
        case 1: {
            const std::uint32_t local = local_heap(device_bytes);
            const std::uint32_t host = host_heap(host_bytes);
            const std::uint32_t bar = random.below(2) == 0 ? local_heap(256 * kMiB) : local;
            type(local, kDeviceLocal);
            type(host, kHost);
            type(host, kHost | property::kHostCached);
            type(bar, kDeviceLocal | kHost);
            break;
        }
        case 2: {  // unified
            const std::uint32_t local = local_heap(device_bytes);
            type(local, kDeviceLocal);
            type(local, kDeviceLocal | kHost);
            type(local, kDeviceLocal | kHost | property::kHostCached);
            break;
        }
        case 3: {  // a carve-out
            integrated = true;
            const std::uint32_t host = host_heap(host_bytes);
            const std::uint32_t local = local_heap(between(random, 256, 2048) * kMiB);
            type(local, kDeviceLocal);
            type(host, kHost);
            type(local, kDeviceLocal | kHost);
            type(host, kHost | property::kHostCached);
            break;
        }
        default: {  // several heaps
            const std::uint64_t count = between(random, 1, 4);
            for (std::uint64_t i = 0; i < count; ++i)
                random.below(2) == 0 ? local_heap(device_bytes / (i + 1)) : host_heap(host_bytes / (i + 1));
            const std::uint64_t kinds = between(random, 1, 8);
            for (std::uint64_t i = 0; i < kinds; ++i) {
                constexpr std::array kFlags{kDeviceLocal, kHost, kDeviceLocal | kHost, kHost | property::kHostCached};
                type(static_cast<std::uint32_t>(random.below(heaps.size())), kFlags[random.below(kFlags.size())]);
            }
            type(0, kHost);
        }
    }
    if (random.below(3) == 0) type(0, kDeviceLocal | property::kLazilyAllocated);
    if (random.below(4) == 0) {
        const std::uint32_t empty = host_heap(0);
        type(empty, kHost);
    }
    model::DeviceReport device = test::bare_device(std::move(heaps), std::move(types));
    if (integrated) device.identity.type = model::DeviceType::kIntegratedGpu;
    if (random.below(2) == 0) {
        for (const model::MemoryHeap& heap : device.heaps) {
            device.run.heap_budgets.push_back(
                {.budget_bytes = random.below(8) == 0 ? 0 : heap.size_bytes / between(random, 1, 4)});
        }
    }
    if (random.below(2) == 0) device.image_sweep = test::radv_like_device().image_sweep;
    return device;
}

model::Workload drawn_workload(Random& random) {
    model::Workload workload = test::empty_workload();
    workload.reserve_share = random.unit() * 0.5;
    const auto use = [&] { return static_cast<model::MemoryUse>(random.below(4)); };
    const auto lifetime = [&] { return static_cast<model::Lifetime>(random.below(4)); };
    const std::uint64_t images = random.below(5);
    for (std::uint64_t i = 0; i < images; ++i) {
        model::ImageHint hint;
        hint.largest_side = 1u << between(random, 5, 13);
        hint.smallest_side = std::min(16u, hint.largest_side);
        hint.full_mips = random.below(2) == 0;
        hint.count = static_cast<std::uint32_t>(between(random, 1, 1u << between(random, 1, 11)));
        hint.lifetime = lifetime();
        hint.memory_use = random.below(3) == 0 ? use() : model::MemoryUse::kDeviceOnly;
        if (random.below(3) == 0)
            hint.usage = model::image_usage::kColorAttachment | model::image_usage::kTransientAttachment;
        workload.images.push_back(hint);
    }
    const std::uint64_t count = between(random, 1, 4);
    for (std::uint64_t i = 0; i < count; ++i) {
        model::BufferHint hint;
        hint.largest_bytes = 1ull << between(random, 8, 33);
        hint.smallest_bytes = std::max<std::uint64_t>(1, hint.largest_bytes >> random.below(8));
        hint.count = static_cast<std::uint32_t>(between(random, 1, 1u << between(random, 1, 11)));
        hint.lifetime = lifetime();
        hint.memory_use = use();
        workload.buffers.push_back(hint);
    }
    return workload;
}

std::map<std::string, double> bytes_by_hint(const std::vector<policy::Demand>& demands) {
    std::map<std::string, double> bytes;
    for (const policy::Demand& demand : demands) bytes[demand.hint] += demand.held_bytes();
    return bytes;
}

// Every demand has a place or is listed unfit with its bytes, hint by hint.
void check_conservation(const model::DeviceReport& device, const model::Workload& workload,
                        const model::DevicePolicy& policy) {
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    const policy::DemandList demand = policy::list_demand(context);
    model::Statement warnings;
    const policy::CapacityResult result =
        policy::plan_capacity(context, demand.parts, policy.memory_uses, policy.heaps, warnings);
    std::map<std::string, double> left = bytes_by_hint(demand.parts);
    std::vector<double> heaps(device.heaps.size(), 0);
    for (const policy::PlacedDemand& entry : result.placed) {
        left[entry.demand->hint] -= entry.demand->held_bytes();
        CHECK((entry.demand->requirements.memory_type_bits >> entry.memory_type & 1u) == 1u);
        if (!entry.lazily_allocated) heaps[entry.heap] += entry.demand->held_bytes();
    }
    for (std::size_t heap = 0; heap < heaps.size(); ++heap) {
        CHECK(heaps[heap] <= static_cast<double>(policy.heaps[heap].usable_bytes.value));
        CHECK(std::abs(heaps[heap] - static_cast<double>(result.plan.heaps[heap].expected_bytes)) <= 1);
    }
    std::uint64_t missing = 0;
    for (const model::HintUnfit& unfit : result.plan.unfit) {
        left[unfit.hint] -= static_cast<double>(unfit.bytes);
        missing += unfit.bytes;
    }
    CHECK(missing == result.plan.missing_bytes);
    CHECK(result.plan.fits == result.plan.unfit.empty());
    for (const auto& [hint, bytes] : left) {
        INFO(hint);
        CHECK(std::abs(bytes) < 1024);
    }
}

}  // namespace

TEST_CASE("on any topology no heap is planned beyond its usable bytes, and nothing is forgotten") {
    std::size_t advised = 0;
    std::size_t unfit = 0;
    std::size_t moved = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const model::DeviceReport device = drawn_device(random);
        const model::Workload workload = drawn_workload(random);
        const auto policy = policy::advise(
            device, workload, 0, {.sample = {.most_resources = 100, .churn_steps = 40}, .with_expectations = false});
        if (!policy) {
            CHECK(policy.error().code == ErrorCode::kNotSupported);
            continue;
        }
        ++advised;
        REQUIRE(policy->capacity);
        CHECK_FALSE(policy->capacity->reason.empty());
        if (!policy->capacity->fits) ++unfit;
        if (!policy->capacity->moved.empty()) ++moved;
        std::vector<std::uint64_t> in_chunks(device.heaps.size(), 0);
        for (const model::BucketPolicy& bucket : policy->buckets) {
            const model::MemoryType& type = device.memory_types[bucket.memory_type];
            if ((type.property_flags & property::kLazilyAllocated) == 0)
                in_chunks[type.heap_index] += bucket.expected_bytes;
        }
        for (const model::HeapCapacity& heap : policy->capacity->heaps) {
            CHECK(heap.expected_bytes <= heap.usable_bytes);
            CHECK(in_chunks[heap.heap] <= heap.expected_bytes + 1);
        }
        check_conservation(device, workload, *policy);
        for (const test::NamedDecision& decision : test::all_decisions(*policy)) {
            INFO(decision.name);
            CHECK_FALSE(decision.why.reason.empty());
        }
    }
    CHECK(advised > 350);
    CHECK(unfit > 50);
    CHECK(moved > 50);
}

}  // namespace capacity_test
