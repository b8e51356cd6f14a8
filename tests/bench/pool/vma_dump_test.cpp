// A dump that the Vulkan Memory Allocator itself writes on a device reads as what it holds: blocks, bytes and
// allocations of every memory type, to the byte, and the workload made of it has every one of its resources.
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>

#include "core/random.hpp"
#include "vma_on_device.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/open_device.hpp"
#include "workload/dump.hpp"
#include "workload/dump_workload.hpp"

namespace heapwright::bench {
namespace {

using HostAccess = VmaOnDevice::HostAccess;

VkBufferCreateInfo buffer_of(std::uint64_t size_bytes, VkBufferUsageFlags usage) {
    VkBufferCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size_bytes;
    info.usage = usage;
    return info;
}

VkImageCreateInfo image_of(std::uint32_t side, VkImageTiling tiling) {
    VkImageCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {side, side, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = tiling;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    return info;
}

void expect_the_same(const VmaOnDevice& vma, std::uint64_t resources) {
    const auto dump = workload::read_dump(vma.dump(), "VMA");
    REQUIRE(dump);
    CHECK(dump->format == workload::DumpFormat::kVma3);
    CHECK(dump->findings == std::vector<std::string>());
    const auto by_type = vma.by_memory_type();
    for (std::uint32_t type = 0; type < by_type.size(); ++type) {
        CAPTURE(type);
        const workload::DumpTotals listed = workload::listed_totals(*dump, type);
        CHECK(listed.block_count == by_type[type].blocks);
        CHECK(listed.block_bytes == by_type[type].block_bytes);
        CHECK(listed.allocation_count == by_type[type].allocations);
        CHECK(listed.allocation_bytes == by_type[type].allocation_bytes);
    }
    CHECK(dump->stated == workload::listed_totals(*dump));
    CHECK(dump->allocations.size() == resources);
    const model::Workload workload = workload::workload_from_dump(*dump, "VMA");
    std::uint64_t wanted = 0;
    for (const model::ImageHint& hint : workload.images) wanted += hint.count;
    for (const model::BufferHint& hint : workload.buffers) wanted += hint.count;
    CHECK(wanted == resources);
}

void play(const char* driver) {
    const char* icd = std::getenv(driver);
    if (icd == nullptr || *icd == '\0') SKIP(driver << " is not set");
    const auto instance = vulkan::Instance::create({.icd_files = {icd}});
    REQUIRE(instance);
    const auto physical = instance->physical_devices();
    REQUIRE(physical);
    const auto device = vulkan::OpenDevice::create(*instance, physical->front());
    REQUIRE(device);
    auto vma = VmaOnDevice::create(**device, 4ull << 20);
    REQUIRE(vma);

    const std::uint64_t seed = GENERATE(1u, 2u, take(2, random(3u, 1'000'000u)));
    CAPTURE(driver, seed);
    Random random(seed);
    std::vector<VmaOnDevice::Resource> live;
    const auto keep = [&](Result<VmaOnDevice::Resource> made) {
        REQUIRE(made);
        live.push_back(*made);
        if (random.below(2) == 0) vma->name(*made, "named \"so\" \\ \n");
    };
    for (int step = 0; step < 60; ++step) {
        const auto side = static_cast<std::uint32_t>(1 + random.below(300));
        switch (random.below(4)) {
            case 0: keep(vma->create(image_of(side, VK_IMAGE_TILING_OPTIMAL))); break;
            case 1: keep(vma->create(image_of(side, VK_IMAGE_TILING_LINEAR))); break;
            default:
                keep(vma->create(buffer_of(1 + random.below(300'000),
                                           VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT),
                                 static_cast<HostAccess>(random.below(3)), random.below(5) == 0));
        }
        if (random.below(4) != 0) continue;
        const auto gone = static_cast<std::size_t>(random.below(live.size()));
        vma->destroy(live[gone]);
        live[gone] = live.back();
        live.pop_back();
    }
    expect_the_same(*vma, live.size());
    for (const VmaOnDevice::Resource& resource : live) vma->destroy(resource);
}

TEST_CASE("A dump of the real allocator reads as what the allocator counts") {
    play("HEAPWRIGHT_ICD_LAVAPIPE");
}
TEST_CASE("A dump of the real allocator reads as what it counts on a later driver") {
    play("HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
}
TEST_CASE("A dump of the real allocator reads as what it counts on another driver") {
    play("HEAPWRIGHT_ICD_SWIFTSHADER");
}

}  // namespace
}  // namespace heapwright::bench
