#include "heapwright/vulkan/queue_choice.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::vulkan {
namespace {

using device::EngineKind;

VkQueueFamilyProperties family(VkQueueFlags flags, std::uint32_t count = 1) {
    return {
        .queueFlags = flags, .queueCount = count, .timestampValidBits = 64, .minImageTransferGranularity = {1, 1, 1}};
}

constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
constexpr VkQueueFlags kVideo = 0x20;

TEST_CASE("one family gives one engine") {
    const std::array families{family(kAll)};
    const auto engines = choose_engines(families);
    REQUIRE(engines.size() == 1);
    CHECK(engines[0].kind == EngineKind::kGraphics);
}

TEST_CASE("dedicated families become engines, a copy family without video first") {
    // The families of an NVIDIA H100.
    const std::array families{family(kAll | VK_QUEUE_SPARSE_BINDING_BIT, 16),
                              family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | kVideo, 8),
                              family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT, 2),
                              family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8)};
    const auto engines = choose_engines(families);
    REQUIRE(engines.size() == 3);
    CHECK(engines[0].kind == EngineKind::kGraphics);
    CHECK(engines[0].queue_family == QueueFamilyIndex{0});
    CHECK(engines[1].kind == EngineKind::kCompute);
    CHECK(engines[1].queue_family == QueueFamilyIndex{3});
    CHECK(engines[2].kind == EngineKind::kCopy);
    CHECK(engines[2].queue_family == QueueFamilyIndex{2});
}

TEST_CASE("a device without graphics works on its compute family") {
    const std::array families{family(VK_QUEUE_TRANSFER_BIT), family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)};
    const auto engines = choose_engines(families);
    REQUIRE(engines.size() == 2);
    CHECK(engines[0].kind == EngineKind::kCompute);
    CHECK(engines[1].kind == EngineKind::kCopy);
}

TEST_CASE("families that have no queue or only copy give no engine") {
    CHECK(choose_engines({}).empty());
    const std::array families{family(kAll, 0), family(VK_QUEUE_TRANSFER_BIT)};
    CHECK(choose_engines(families).empty());
}

}  // namespace
}  // namespace heapwright::vulkan
