// What the rules of descriptors, uploads and frames in flight decide, from the device's limits, the workload's hints
// and what an allocation of memory costs.
#include <algorithm>
#include <bit>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "advised.hpp"
#include "policy/advise.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;
using model::ClaimId;

namespace {

constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = 1024 * kKib;

model::DevicePolicy advised(const model::DeviceReport& device, const model::Workload& workload) {
    return test::advised(device, workload, {.sample = {.most_resources = 200, .churn_steps = 50}});
}

// Without hints of memory: the rules of bindings alone decide.
model::Workload bindings() {
    model::Workload workload;
    workload.name = "bindings";
    return workload;
}

model::DeviceReport with_cost(std::uint64_t ns_per_kib) {
    model::DeviceReport device = test::radv_like_device();
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        model::MemoryCostCurve curve{.memory_type = type};
        for (std::uint64_t size = 64 * kKib; size <= 1024 * kMib; size *= 4)
            curve.points.push_back(
                {.size_bytes = size, .samples = 9, .allocate_ns = size / kKib * ns_per_kib, .free_ns = 1});
        device.run.memory_cost.push_back(curve);
    }
    return device;
}

bool warns(const model::DevicePolicy& policy, const std::string& part) {
    return test::says(policy.warnings, part);
}

template <class T>
void check_explained(const model::Decided<T>& decided) {
    CHECK_FALSE(decided.why.reason.empty());
    CHECK_FALSE(decided.why.inputs.empty());
    REQUIRE_FALSE(decided.why.alternatives.empty());
    CHECK_FALSE(decided.why.alternatives.front().reason.empty());
}

}  // namespace

TEST_CASE("a CPU heap's page is an eighth of what the workload keeps, a power of two within bounds") {
    model::Workload workload = bindings();
    workload.bindings.static_descriptors = 20'000;
    workload.bindings.static_samplers_visible = 100;
    workload.bindings.render_target_views = 3000;
    workload.bindings.depth_stencil_views = 1'000'000;
    const model::DescriptorPolicy policy = advised(test::radv_like_device(), workload).descriptors;
    CHECK(policy.cbv_srv_uav_page.value == 4096);  // 2500
    CHECK(policy.sampler_page.value == 64);        // 13, held to the least
    CHECK(policy.rtv_page.value == 512);           // 375
    CHECK(policy.dsv_page.value == 4096);          // 125,000, held to the most
    for (const auto* page : {&policy.cbv_srv_uav_page, &policy.sampler_page, &policy.rtv_page, &policy.dsv_page})
        check_explained(*page);
}

TEST_CASE("a shader-visible heap holds what is kept, and the dynamic descriptors of every frame in flight") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxDescriptorSetUpdateAfterBindSampledImages", 1'000'000);
    model::Workload workload = bindings();
    workload.frames_in_flight = 2;
    workload.bindings = {.recording_contexts = 4,
                         .static_descriptors = 10'000,
                         .dynamic_descriptors_per_frame = 16'384,
                         .dynamic_descriptors_per_draw = 8};
    const model::VisibleHeapPolicy heap = advised(device, workload).descriptors.resources;
    CHECK(heap.dynamic_chunk.value == 256);  // 16,384 over 4 contexts of 16 chunks
    // (2 + 1) frames of 16,384 and a chunk for each context, of which chunks have three quarters.
    const std::uint64_t dynamic = (3 * (16'384 + 4 * 256) * 4 / 3 + 63) / 64 * 64;
    CHECK(heap.dynamic_capacity.value == dynamic);
    CHECK(heap.capacity.value == 12'544 + dynamic);  // a quarter more than is kept, in units of 64
    check_explained(heap.capacity);
    check_explained(heap.dynamic_capacity);
    check_explained(heap.dynamic_chunk);

    SECTION("more frames in flight take a larger dynamic part") {
        workload.frames_in_flight = 5;
        const model::VisibleHeapPolicy more = advised(device, workload).descriptors.resources;
        CHECK(more.dynamic_capacity.value == 2 * dynamic);
        CHECK(more.capacity.value - more.dynamic_capacity.value == heap.capacity.value - dynamic);
    }
    SECTION("a device that allows less shrinks both parts and says so") {
        test::set_limit(device, "maxDescriptorSetUpdateAfterBindSampledImages", 20'000);
        const model::DevicePolicy less = advised(device, workload);
        CHECK(less.descriptors.resources.capacity.value == 20'000);
        const double share = static_cast<double>(less.descriptors.resources.dynamic_capacity.value) / 20'000.0;
        CHECK(share > 0.8);
        CHECK(share < 0.9);
        CHECK(warns(less, "the device allows 20000"));
        CHECK(test::says(less.descriptors.resources.capacity.why.reason,
                         "maxDescriptorSetUpdateAfterBindSampledImages is 20000"));
    }
}

TEST_CASE("the sampler heap keeps within what the device states, else within the documented 2048") {
    model::DeviceReport device = test::radv_like_device();
    test::remove_limit(device, "maxDescriptorSetUpdateAfterBindSamplers");
    test::remove_limit(device, "maxDescriptorSetSamplers");
    model::Workload workload = bindings();
    workload.bindings.static_samplers_visible = 5000;
    CHECK(advised(device, workload).descriptors.samplers.capacity.value == 2048);
    test::set_limit(device, "maxDescriptorSetUpdateAfterBindSamplers", 4000);
    const model::DevicePolicy policy = advised(device, workload);
    CHECK(policy.descriptors.samplers.capacity.value == 4000);
    CHECK(policy.descriptors.samplers.dynamic_capacity.value < 4000);
    CHECK(warns(policy, "the device allows 4000"));
}

TEST_CASE("samplers stay within the objects that Vulkan lets live, less those of pipelines") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxDescriptorSetUpdateAfterBindSamplers", 1'000'000);
    test::set_limit(device, "maxSamplerAllocationCount", 4000);
    model::Workload workload = bindings();
    workload.bindings.static_samplers_visible = 5000;
    const model::DevicePolicy policy = advised(device, workload);
    CHECK(policy.descriptors.samplers.capacity.value == 3936);
    CHECK(test::makes(policy.descriptors.samplers.capacity.why.reason, ClaimId::kSamplersKept));
    CHECK(warns(policy, "the device allows 3936"));
    test::set_limit(device, "maxDescriptorSetUpdateAfterBindSamplers", 500);
    CHECK(advised(device, workload).descriptors.samplers.capacity.value == 500);
    test::set_limit(device, "maxPerStageDescriptorUpdateAfterBindSamplers", 300);
    CHECK(advised(device, workload).descriptors.samplers.capacity.value == 300);
}

TEST_CASE("a descriptor buffer has the limits of plain layouts") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxDescriptorSetUpdateAfterBindSampledImages", 20'000);
    test::set_limit(device, "maxDescriptorSetSampledImages", 10'000);
    test::set_limit(device, "maxPerStageResources", 8000);
    const auto resources = [&] { return advised(device, bindings()).descriptors.resources.capacity.value; };
    CHECK(resources() == 20'000);
    device.features = {
        {.group = "VkPhysicalDeviceDescriptorBufferFeaturesEXT", .name = "descriptorBuffer", .value = 1}};
    CHECK(resources() == 2000);  // four arrays
    device.features.push_back(
        {.group = "VkPhysicalDeviceMutableDescriptorTypeFeaturesEXT", .name = "mutableDescriptorType", .value = 1});
    CHECK(resources() == 8000);
}

TEST_CASE("a device without large arrays has a set for each table, which limits no heap") {
    model::DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxDescriptorSetSampledImages", 48);
    test::set_limit(device, "maxPerStageDescriptorSamplers", 16);
    const model::DevicePolicy few = advised(device, bindings());
    test::set_limit(device, "maxDescriptorSetSampledImages", 1'000'000);
    device.features = {
        {.group = "VkPhysicalDeviceDescriptorIndexingFeatures", .name = "runtimeDescriptorArray", .value = 0}};
    for (const model::DevicePolicy& policy : {few, advised(device, bindings())}) {
        CHECK(policy.descriptors.resources.capacity.value > 65'536);
        CHECK(policy.descriptors.samplers.capacity.value > 64);
        CHECK(test::makes(policy.descriptors.resources.capacity.why.reason, ClaimId::kTablesAreSets));
    }
}

TEST_CASE("Direct3D 12's heaps keep to the specification, whatever one driver takes") {
    model::DeviceReport device = test::radv_like_device();
    device.identity.api = model::Api::kD3d12;
    constexpr const char* kCreated = "ID3D12Device::CreateDescriptorHeap";
    constexpr const char* kSamplers = "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER";
    model::Workload workload = bindings();
    workload.bindings.static_samplers_visible = 6000;
    workload.bindings.static_descriptors = 2'000'000;
    CHECK(advised(device, workload).descriptors.samplers.capacity.value == 2048);

    device.limits.push_back({kCreated, kSamplers, 65'536});
    device.limits.push_back({kCreated, "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", 1u << 20});
    const model::DevicePolicy policy = advised(device, workload);
    CHECK(policy.descriptors.samplers.capacity.value == 2048);
    CHECK(policy.descriptors.resources.capacity.value == 1'000'000);
    CHECK(test::makes(policy.descriptors.samplers.capacity.why.reason, ClaimId::kCreatedIsNoPromise));
    CHECK(warns(policy, "the device allows 2048"));

    SECTION("D3D12_OPTIONS19 states more, and less beside static samplers") {
        constexpr const char* kOptions = "D3D12_FEATURE_DATA_D3D12_OPTIONS19";
        device.limits.push_back({kOptions, "MaxSamplerDescriptorHeapSize", 4080});
        CHECK(advised(device, workload).descriptors.samplers.capacity.value == 4080);
        device.limits.push_back({kOptions, "MaxSamplerDescriptorHeapSizeWithStaticSamplers", 3000});
        CHECK(advised(device, workload).descriptors.samplers.capacity.value == 3000);
        device.limits.push_back({kOptions, "MaxViewDescriptorHeapSize", 1'500'000});
        CHECK(advised(device, workload).descriptors.resources.capacity.value == 1u << 20);  // none larger was created
    }
    SECTION("a driver that takes less decides") {
        test::remove_limit(device, kSamplers);
        device.limits.push_back({kCreated, kSamplers, 1024});
        CHECK(advised(device, workload).descriptors.samplers.capacity.value == 1024);
    }
}

TEST_CASE("rows of any length get two-level bins, and equal dynamic chunks get slots") {
    using model::SuballocatorKind;
    model::Workload workload = bindings();
    workload.bindings = {.recording_contexts = 4,
                         .static_descriptors = 10'000,
                         .dynamic_descriptors_per_frame = 16'384,
                         .dynamic_descriptors_per_draw = 8};
    const model::DescriptorPolicy policy = advised(test::radv_like_device(), workload).descriptors;
    REQUIRE(policy.cpu_suballocator);
    CHECK(policy.cpu_suballocator->value == SuballocatorKind::kTlsf);
    check_explained(*policy.cpu_suballocator);
    for (const model::VisibleHeapPolicy* heap : {&policy.resources, &policy.samplers}) {
        REQUIRE((heap->static_suballocator && heap->dynamic_suballocator));
        CHECK(heap->static_suballocator->value == SuballocatorKind::kTlsf);
        CHECK(heap->dynamic_suballocator->value == SuballocatorKind::kSlots);
        for (const auto* decided : {&*heap->static_suballocator, &*heap->dynamic_suballocator}) {
            check_explained(*decided);
            CHECK(decided->why.alternatives.size() == 4);  // all the other kinds
        }
    }
    CHECK(test::says(policy.resources.dynamic_suballocator->why.reason, "in chunks of 256"));

    SECTION("a draw that needs more than a chunk finds no slot") {
        workload.bindings.dynamic_descriptors_per_draw = 5000;
        const model::VisibleHeapPolicy heap = advised(test::radv_like_device(), workload).descriptors.resources;
        CHECK(heap.dynamic_chunk.value == 4096);  // held to the most
        CHECK(heap.dynamic_suballocator->value == SuballocatorKind::kTlsf);
        CHECK(heap.dynamic_suballocator->why.alternatives.front().value == "slots");
        CHECK(test::says(heap.dynamic_suballocator->why.reason, "one draw takes 5000"));
    }
}

TEST_CASE("the upload ring holds the frames in flight and the one that is written, within the heap's share") {
    model::Workload workload = bindings();
    workload.frames_in_flight = 3;
    workload.uploads.bytes_per_frame = 1'000'000;
    const model::DevicePolicy policy = advised(test::radv_like_device(), workload);
    CHECK(policy.frames_in_flight.value == 3);
    CHECK(policy.uploads.ring_bytes.value == (4'000'000 + 65'535) / 65'536 * 65'536);
    check_explained(policy.frames_in_flight);
    check_explained(policy.uploads.ring_bytes);
    check_explained(policy.uploads.page_bytes);

    // Not stated: what a frame renews, of a small program less than what it holds.
    model::Workload small = workload;
    small.uploads.bytes_per_frame.reset();
    small.images = {{.extents = {{256, 256}}, .count = 60}};
    small.steps_per_frame = 10;
    const model::UploadPolicy of_small = advised(test::radv_like_device(), small).uploads;
    CHECK(of_small.ring_bytes.value == 4 * 10 * 256 * 256 * 4);
    CHECK(test::makes(of_small.ring_bytes.why.reason, ClaimId::kUploadsRenewed));
    check_explained(of_small.ring_bytes);

    workload.uploads.bytes_per_frame = 1ull << 40;
    const model::DevicePolicy held = advised(test::radv_like_device(), workload);
    const auto upload = std::ranges::find(held.memory_uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
    const model::DeviceReport device = test::radv_like_device();
    const std::uint32_t heap = device.memory_types[upload->memory_types.value.front()].heap_index;
    CHECK(held.uploads.ring_bytes.value <= held.heaps[heap].usable_bytes.value / 16);
    CHECK(held.uploads.ring_bytes.value + 65'536 > held.heaps[heap].usable_bytes.value / 16);
}

TEST_CASE("an upload page is as large as a tenth of the frame budget allocates") {
    model::Workload workload = bindings();
    workload.frame_budget_ns = 16'000'000;
    workload.uploads.bytes_per_frame = 32 * kMib;
    // 250 ns a KiB: a tenth of the budget allocates 6.25 MiB, less the call.
    const model::UploadPolicy dear = advised(with_cost(250), workload).uploads;
    CHECK(dear.page_bytes.value == 4 * kMib);
    CHECK(test::makes(dear.page_bytes.why.reason, ClaimId::kUploadPageTakes));
    const model::UploadPolicy dearer = advised(with_cost(100'000), workload).uploads;
    CHECK(dearer.page_bytes.value == 256 * kKib);  // the least
    const model::UploadPolicy cheap = advised(with_cost(1), workload).uploads;
    CHECK(cheap.page_bytes.value <= cheap.ring_bytes.value);
    CHECK(cheap.page_bytes.value * 2 > cheap.ring_bytes.value);
}
