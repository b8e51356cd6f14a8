// What each engine does with a value that its setting does not take as it is, on policies made for it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "core/units.hpp"
#include "example.hpp"
#include "export/export.hpp"
#include "export/setting.hpp"

using namespace heapwright;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class T>
model::Decided<T> decided(T value) {
    return {.value = value, .why = {.reason = "made up", .inputs = {}, .alternatives = {}}};
}

model::BucketPolicy bucket(std::string id, std::uint32_t memory_type, std::uint64_t chunk_bytes,
                           std::uint64_t expected_bytes) {
    return {.id = std::move(id),
            .resource_classes = {model::ResourceClass::kLinear},
            .alignment_bytes = 256,
            .memory_type = memory_type,
            .chunk_size_bytes = decided(chunk_bytes),
            .growth = {},
            .dedicated_threshold_bytes = {},
            .chunk_choice = decided(model::ChunkChoice::kTightest),
            .suballocator = decided(model::SuballocatorKind::kTlsf),
            .granule_bytes = decided<std::uint64_t>(256),
            .expected_bytes = expected_bytes};
}

void rank(model::DevicePolicy& device, model::MemoryUse use, std::uint32_t type, std::uint32_t heap,
          model::Flags flags) {
    model::MemoryUsePolicy ranked{
        .use = use, .memory_types = decided<std::vector<std::uint32_t>>({type}), .excluded = {}};
    device.memory_types.resize(std::max<std::size_t>(device.memory_types.size(), type + 1));
    device.memory_types[type] = {.heap_index = heap, .property_flags = flags};
    device.memory_uses.push_back(std::move(ranked));
}

// 8 GiB of device memory, a BAR of 256 MiB, host memory.
model::Policy policy(model::Api api = model::Api::kVulkan) {
    model::Policy policy = model::example::policy();
    model::DevicePolicy& device = policy.devices[0];
    device.identity.api = api;
    device.heaps.clear();
    std::uint32_t index = 0;
    for (const std::uint64_t size : {8 * kGiB, 16 * kGiB, 256 * kMiB}) {
        device.heaps.push_back({.heap = index++,
                                .size_bytes = size,
                                .base_bytes = size,
                                .usable_bytes = decided(size / 10 * 9),
                                .parts = decided<std::uint64_t>(62)});
    }
    device.memory_types.clear();
    device.memory_uses.clear();
    constexpr model::Flags kHost = model::memory_property::kHostVisible | model::memory_property::kHostCoherent;
    rank(device, model::MemoryUse::kDeviceOnly, 0, 0, model::memory_property::kDeviceLocal);
    rank(device, model::MemoryUse::kUpload, 1, 1, kHost);
    rank(device, model::MemoryUse::kStreaming, 2, 2, model::memory_property::kDeviceLocal | kHost);
    device.buckets = {bucket("any/65536/0", 0, 100 * kMiB + 1, kGiB), bucket("linear/256/1", 1, 3 * kMiB, 64 * kMiB),
                      bucket("linear/256/2", 2, kMiB, 8 * kMiB)};
    return policy;
}

exporting::Exported exported(const model::Policy& policy, std::string_view target) {
    auto result = exporting::export_policy(policy, 0, target);
    INFO(target);
    if (!result) FAIL(to_string(result.error()));
    return std::move(*result);
}

bool any_contains(const std::vector<std::string>& lines, std::string_view text) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != line.npos; });
}

}  // namespace

TEST_CASE("VMA ignores its block size in a small heap, so that heap's bucket has a pool") {
    const auto out = exported(policy(), "vma");
    CHECK(any_contains(out.changes, "ignored in heap 2 of 241591905 bytes"));
    CHECK_THAT(out.text,
               ContainsSubstring("    {2, VMA_POOL_CREATE_IGNORE_BUFFER_IMAGE_GRANULARITY_BIT, 1048576ull, "));
    CHECK_THAT(out.text, ContainsSubstring("info.preferredLargeHeapBlockSize = 104857601ull;"));
    CHECK_FALSE(any_contains(out.changes, "ignored in heap 0"));
}

TEST_CASE("every D3D12MA pool names its block size, and a class its heap flags") {
    const auto out = exported(policy(model::Api::kD3d12), "d3d12ma");
    for (const char* line :
         {"pools[0].BlockSize = 104857601ull;", "pools[1].BlockSize = 3145728ull;", "pools[2].BlockSize = 1048576ull;",
          "pools[0].HeapProperties.Type = D3D12_HEAP_TYPE_DEFAULT",
          "pools[1].HeapProperties.Type = D3D12_HEAP_TYPE_UPLOAD",
          "pools[2].HeapProperties.Type = D3D12_HEAP_TYPE_GPU_UPLOAD",
          "pools[1].HeapFlags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS"}) {
        CHECK_THAT(out.text, ContainsSubstring(line));
    }
}

TEST_CASE("D3D12MA keeps render targets apart where the device does, and only there") {
    auto tier_1 = policy(model::Api::kD3d12);
    tier_1.devices[0].buckets[0].resource_classes = {model::ResourceClass::kOptimal};
    CHECK_THAT(exported(tier_1, "d3d12ma").text,
               ContainsSubstring("pools[0].HeapFlags = D3D12_HEAP_FLAG_ALLOW_ONLY_NON_RT_DS_TEXTURES"));
    auto tier_2 = tier_1;
    tier_2.devices[0].buckets.push_back(bucket("linear/65536/0", 0, kMiB, kMiB));
    CHECK_THAT(exported(tier_2, "d3d12ma").text,
               ContainsSubstring("pools[0].HeapFlags = D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES"));
}

TEST_CASE("llama.cpp splits its buffers at the policy's largest, and at the driver's where the policy has none") {
    auto split = policy();
    split.devices[0].largest_buffer_bytes.reset();
    const auto whole = exported(split, "llama.cpp");
    CHECK(whole.text.find("export GGML_VK_FORCE_MAX_BUFFER_SIZE") == std::string::npos);
    CHECK(any_contains(whole.left_out, "GGML_VK_FORCE_MAX_BUFFER_SIZE (default maxBufferSize)"));
    split.devices[0].largest_buffer_bytes = decided(4 * kGiB);
    const auto out = exported(split, "llama.cpp");
    CHECK_THAT(out.text, ContainsSubstring("export GGML_VK_FORCE_MAX_BUFFER_SIZE=4294967296\n"));
    CHECK_FALSE(any_contains(out.not_expressible, "/largest_buffer_bytes"));
    CHECK(any_contains(exported(split, "vma").not_expressible, "/largest_buffer_bytes = 4294967296"));
    split.devices[0].largest_storage_buffer_bytes = decided(kGiB / 8);
    const auto ranges = exported(split, "llama.cpp");
    CHECK(ranges.text.find("GGML_VK_FORCE_MAX_BUFFER_SIZE=4294967296\n") != std::string::npos);
    CHECK(any_contains(ranges.not_expressible, "/largest_storage_buffer_bytes = 134217728: it binds each tensor"));
    for (const std::uint64_t part : {2 * kGiB, 3 * kGiB}) {
        split.devices[0].split[0].part_bytes = decided(part);
        CHECK(any_contains(exported(split, "vma").not_expressible,
                           fmt::format("/split/0/part_bytes (buffers/0) = {}", part)));
        CHECK_THAT(exported(split, "cpp").text, ContainsSubstring(fmt::format("3ull, {}ull", part)));
    }
    split.devices[0].split.clear();
    CHECK(exported(split, "cpp").text.find("Split") == std::string::npos);
}

TEST_CASE("Diligent's sizes are 32-bit") {
    auto large = policy();
    large.devices[0].buckets[0].chunk_size_bytes.value = 5 * kGiB;
    const auto out = exported(large, "diligent-vulkan");
    CHECK_THAT(out.text, ContainsSubstring("info.DeviceLocalMemoryPageSize = 4294967295u;"));
    CHECK(any_contains(out.changes, "DeviceLocalMemoryPageSize: 5368709120 bytes held down to 4294967295 bytes"));
}

TEST_CASE("Diligent's two sampler values sum to at most 2048") {
    auto many = policy(model::Api::kD3d12);
    model::VisibleHeapPolicy& samplers = many.devices[0].descriptors.samplers;
    samplers.capacity.value = 4080;
    samplers.dynamic_capacity.value = 1020;
    const auto out = exported(many, "diligent-d3d12");
    CHECK_THAT(out.text, ContainsSubstring("info.GPUDescriptorHeapSize[1] = 1536u;"));
    CHECK_THAT(out.text, ContainsSubstring("info.GPUDescriptorHeapDynamicSize[1] = 512u;"));
    CHECK(any_contains(out.changes, "3060 + 1020 = 4080 descriptors held down to 2048 in all"));
    samplers.capacity.value = 2048;
    CHECK_FALSE(any_contains(exported(many, "diligent-d3d12").changes, "held down to 2048"));
}

TEST_CASE("gpu-allocator's sizes are multiples of 4 MiB up to 256 MiB") {
    auto grown = policy();
    grown.devices[0].buckets[0].chunk_size_bytes.value = 300 * kMiB;
    grown.devices[0].buckets[0].growth = {.first_chunk_bytes = decided(5 * kMiB), .divisor = decided<std::uint64_t>(8)};
    const auto out = exported(grown, "gpu-allocator");
    CHECK_THAT(out.text, ContainsSubstring("AllocationSizes::new(8388608, 4194304)"));
    CHECK_THAT(out.text, ContainsSubstring(".with_max_device_memblock_size(268435456)"));
    CHECK(any_contains(out.changes, "host_memblock_size: 3145728 bytes rounded up to 4194304 bytes"));
    CHECK(any_contains(out.changes, "held down to 268435456 bytes"));
}

TEST_CASE("wgpu takes half of the device's blocks for the host, whatever the policy has") {
    const auto out = exported(policy(), "wgpu");
    CHECK(any_contains(out.changes,
                       "wgpu takes half of the device's, 54525952 to 54525952 bytes, where the policy has "
                       "3145728 (linear/256/1)"));
    CHECK_THAT(out.text, ContainsSubstring("109051904..109051904"));
    CHECK_THAT(out.text, ContainsSubstring("for_resource_creation: Some(90)"));
}

TEST_CASE("Godot's staging buffer holds at least four blocks, and its samplers stay in their range") {
    auto small = policy(model::Api::kD3d12);
    small.devices[0].uploads.ring_bytes.value = 8 * kMiB;
    small.devices[0].uploads.page_bytes.value = 4 * kMiB + 1;
    small.devices[0].descriptors.samplers.capacity.value = 4080;
    const auto out = exported(small, "godot");
    CHECK_THAT(out.text, ContainsSubstring("\nrendering_device/staging_buffer/block_size_kb=4097\n"));
    CHECK_THAT(out.text, ContainsSubstring("\nrendering_device/staging_buffer/max_size_mb=17\n"));
    CHECK_THAT(out.text, ContainsSubstring("\nrendering_device/d3d12/max_sampler_descriptors=2048\n"));
    CHECK(any_contains(out.changes, "8 MiB raised to 17 MiB, which holds 4 blocks of 4097 KiB"));
}

TEST_CASE("Dawn's blocks are a power of two, DXVK's sizes whole MiB") {
    CHECK_THAT(exported(policy(), "dawn").text, ContainsSubstring("control.allocatorHeapBlockSize = 67108864u;"));
    const auto out = exported(policy(), "dxvk");
    CHECK_THAT(out.text, ContainsSubstring("\ndxgi.maxDeviceMemory = 7372\n"));
    CHECK_THAT(out.text, ContainsSubstring("\ndxgi.maxSharedMemory = 14745\n"));
    CHECK(any_contains(out.not_expressible,
                       "/buckets/0/chunk_size_bytes (any/65536/0) = 104857601: its chunk sizes are"));
}

TEST_CASE("uploads in system memory switch vkd3d-proton's upload heaps out of device memory") {
    CHECK_THAT(exported(policy(), "vkd3d-proton").text, ContainsSubstring("export VKD3D_CONFIG=no_upload_hvv\n"));
    auto resizable = policy();
    resizable.devices[0].memory_types[1].property_flags |= model::memory_property::kDeviceLocal;
    const auto out = exported(resizable, "vkd3d-proton");
    CHECK(out.text.find("\nexport") == std::string::npos);
    CHECK(any_contains(out.left_out, "the policy's first memory type for uploads is device-local"));
}

TEST_CASE("a setting that the policy says nothing about is left out, never invented") {
    auto silent = policy(model::Api::kD3d12);
    silent.devices[0].descriptors = {};
    silent.devices[0].uploads = {};
    silent.devices[0].frames_in_flight = {};
    const auto nvrhi = exported(silent, "nvrhi");
    CHECK(nvrhi.text.find("desc.samplerHeapSize") == std::string::npos);
    CHECK(any_contains(nvrhi.left_out,
                       "samplerHeapSize (default 1024): the policy has no /descriptors/samplers/capacity"));
    const auto godot = exported(silent, "godot");
    CHECK(godot.text.find("\nrendering_device") == std::string::npos);
    auto without_buckets = policy();
    without_buckets.devices[0].buckets.clear();
    for (const auto& target : exporting::targets()) {
        if (target.api == model::Api::kD3d12) continue;
        CHECK_FALSE(exported(without_buckets, target.name).text.empty());
    }
}

TEST_CASE("headers that name heaps or memory types by index say which device they are made for") {
    for (const std::uint32_t id : {0x2330u, 0x7480u}) {
        auto limits_alone = policy();
        limits_alone.devices[0].buckets.clear();
        const std::string vma = exported(limits_alone, "vma").text;
        CHECK_THAT(vma, ContainsSubstring("kHeapSizeLimits[kHeapCount]"));
        CHECK_THAT(vma, ContainsSubstring("bool is_made_for(const VkPhysicalDeviceMemoryProperties& memory)"));
        limits_alone.devices[0].memory_types.resize(id % 7 + 3, limits_alone.devices[0].memory_types.front());
        CHECK_THAT(exported(limits_alone, "vulkano").text,
                   ContainsSubstring(fmt::format("for a device that has {} of them", id % 7 + 3)));
        auto of_d3d12 = policy(model::Api::kD3d12);
        of_d3d12.devices[0].identity.device_id = id;
        CHECK_THAT(exported(of_d3d12, "d3d12ma").text, ContainsSubstring(fmt::format("device_id == {:#x};", id)));
    }
}

TEST_CASE("a target of the other API, an unknown target and a device that is not there are errors") {
    const auto other = exporting::export_policy(policy(), 0, "d3d12ma");
    REQUIRE_FALSE(other);
    CHECK(to_string(other.error()) ==
          "--target: the policy is for Vulkan, but D3D12 Memory Allocator configures Direct3D 12");
    const auto unknown = exporting::export_policy(policy(), 0, "unreal");
    REQUIRE_FALSE(unknown);
    CHECK_THAT(to_string(unknown.error()), ContainsSubstring("no target has this name: unreal; known: vma, d3d12ma"));
    const auto beyond = exporting::export_policy(policy(), 1, "vma");
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().code == ErrorCode::kOutOfRange);
}

TEST_CASE("names in comments and strings cannot leave them") {
    auto hostile = policy();
    hostile.devices[0].identity.name = "A\"; system(\"x\");\n#error \\";
    hostile.workload_name = "w\\";
    hostile.devices[0].buckets[0].id = "*/\n| <b>\"\\";
    for (const auto& target : exporting::targets()) {
        if (target.api == model::Api::kD3d12) continue;
        INFO(target.name);
        const std::string text = exported(hostile, target.name).text;
        CHECK(text.find("\n#error") == std::string::npos);
        CHECK(text.find("\n| <b>") == std::string::npos);
        // Markdown writes a backslash as two.
        if (target.name != "markdown") CHECK(text.find("\\\n") == std::string::npos);
    }
    CHECK_THAT(exported(hostile, "cpp").text,
               ContainsSubstring("kDeviceName = \"A\\\"; system(\\\"x\\\"); #error \\\\\";"));
}
