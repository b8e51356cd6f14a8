// The rows of both resource heap tiers, with and without unified memory and GPU upload heaps.
#include <catch2/catch_test_macros.hpp>

#include "d3d12/memory_layout.hpp"

using namespace heapwright;
using d3d12::MemoryLayout;

namespace {

namespace property = model::memory_property;

D3D12_HEAP_PROPERTIES custom(D3D12_CPU_PAGE_PROPERTY page) {
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = D3D12_HEAP_TYPE_CUSTOM;
    properties.CPUPageProperty = page;
    properties.MemoryPoolPreference = D3D12_MEMORY_POOL_L0;
    return properties;
}

MemoryLayout layout(D3D12_RESOURCE_HEAP_TIER tier, bool unified, bool gpu_upload) {
    return MemoryLayout::build(tier, unified, gpu_upload, custom(D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE),
                               custom(D3D12_CPU_PAGE_PROPERTY_WRITE_BACK));
}

constexpr model::Flags kTarget = model::image_usage::kColorAttachment;

}  // namespace

TEST_CASE("resource heap tier 1 keeps buffers, textures and targets apart") {
    const MemoryLayout rows = layout(D3D12_RESOURCE_HEAP_TIER_1, false, false);
    REQUIRE(rows.rows().size() == 5);
    CHECK(rows.separates_classes());
    CHECK(rows.rows()[0].flags == D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS);
    CHECK(rows.rows()[1].flags == D3D12_HEAP_FLAG_ALLOW_ONLY_NON_RT_DS_TEXTURES);
    CHECK(rows.rows()[2].flags == D3D12_HEAP_FLAG_ALLOW_ONLY_RT_DS_TEXTURES);
    CHECK(rows.bits_for(model::BufferDescription{.usage = model::buffer_usage::kVertex}) == 0b11001);
    CHECK(rows.bits_for(model::BufferDescription{.usage = model::buffer_usage::kStorage}) == 0b00001);
    CHECK(rows.bits_for(model::ImageDescription{.usage = model::image_usage::kSampled}) == 0b00010);
    CHECK(rows.bits_for(model::ImageDescription{.usage = kTarget}) == 0b00100);
    CHECK(rows.bits_for(model::ImageDescription{.usage = model::image_usage::kDepthStencilAttachment}) == 0b00100);
}

TEST_CASE("a discrete device has system memory apart, write-combined for uploads") {
    const MemoryLayout rows = layout(D3D12_RESOURCE_HEAP_TIER_2, false, false);
    REQUIRE(rows.rows().size() == 3);
    CHECK(rows.rows()[0].type.heap_index == 0);
    CHECK(rows.rows()[0].type.property_flags == property::kDeviceLocal);
    CHECK(rows.rows()[1].type.heap_index == 1);
    CHECK(rows.rows()[1].type.property_flags == (property::kHostVisible | property::kHostCoherent));
    CHECK(rows.rows()[2].type.property_flags ==
          (property::kHostVisible | property::kHostCoherent | property::kHostCached));
    CHECK(rows.rows()[1].flags == D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS);
    CHECK(rows.bits_for(model::ImageDescription{.usage = kTarget}) == 0b001);
}

TEST_CASE("GPU upload heaps are local and take every class") {
    const MemoryLayout one = layout(D3D12_RESOURCE_HEAP_TIER_2, false, true);
    REQUIRE(one.rows().size() == 4);
    CHECK(one.rows()[3].type.d3d12_heap_type == model::D3d12HeapType::kGpuUpload);
    CHECK(one.rows()[3].type.heap_index == 0);
    CHECK(one.rows()[3].is_host_visible());
    CHECK(one.bits_for(model::ImageDescription{.usage = kTarget}) == 0b1001);
    CHECK(one.bits_for(model::BufferDescription{.usage = model::buffer_usage::kStorage}) == 0b1001);
    CHECK(layout(D3D12_RESOURCE_HEAP_TIER_1, false, true).rows().size() == 8);
}

TEST_CASE("unified memory is one heap") {
    const MemoryLayout rows = layout(D3D12_RESOURCE_HEAP_TIER_2, true, false);
    for (const d3d12::MemoryRow& row : rows.rows()) {
        CHECK(row.type.heap_index == 0);
        CHECK((row.type.property_flags & property::kDeviceLocal) != 0);
    }
}
