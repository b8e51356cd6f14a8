#include "vulkan/open_device.hpp"

#include <array>
#include <string>
#include <vector>

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

std::string names(const std::vector<device::EngineInfo>& engines) {
    std::string text;
    for (const device::EngineInfo& engine : engines) {
        if (!text.empty()) text += ' ';
        text += engine.name + '@' + std::to_string(engine.queue_family.value) + '.' + std::to_string(engine.queue);
    }
    return text;
}

TEST_CASE("one queue gives one engine") {
    const std::array families{family(kAll)};
    const auto engines = choose_engines(families);
    REQUIRE(engines.size() == 1);
    CHECK(engines[0].kind == EngineKind::kGraphics);
    CHECK(engines[0].name == "graphics");
    CHECK_FALSE(engines[0].dedicated);
}

TEST_CASE("dedicated families become engines, a copy family without video first") {
    // The families of an NVIDIA H100.
    const std::array families{family(kAll | VK_QUEUE_SPARSE_BINDING_BIT, 16),
                              family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | kVideo, 8),
                              family(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT, 2),
                              family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 8)};
    const auto engines = choose_engines(families);
    REQUIRE(names(engines) == "graphics@0.0 compute@3.0 copy@2.0 compute-low@3.1 compute-high@3.2 copy-2@2.1");
    CHECK(engines[0].kind == EngineKind::kGraphics);
    CHECK(engines[1].kind == EngineKind::kCompute);
    CHECK(engines[1].dedicated);
    CHECK(engines[2].kind == EngineKind::kCopy);
    CHECK(engines[3].kind == EngineKind::kCompute);
    CHECK(engines[3].priority == device::EnginePriority::kLow);
    CHECK(engines[4].priority == device::EnginePriority::kHigh);
    CHECK(engines[5].kind == EngineKind::kCopy);
}

TEST_CASE("a family with several queues gives what dedicated ones do not") {
    const std::array one{family(kAll, 4)};
    CHECK(names(choose_engines(one)) == "graphics@0.0 compute@0.1 copy@0.2 compute-low@0.3");
    CHECK_FALSE(choose_engines(one)[1].dedicated);
    CHECK(names(choose_engines(std::array{family(kAll, 2)})) == "graphics@0.0 compute@0.1");
    // The families of many AMD devices without a copy family.
    const std::array two{family(kAll, 1), family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 4)};
    CHECK(names(choose_engines(two)) == "graphics@0.0 compute@1.0 copy@1.1 compute-low@1.2 compute-high@1.3");
    // Graphics without compute: the shared family computes nothing.
    const std::array apart{family(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_TRANSFER_BIT, 2)};
    CHECK(names(choose_engines(apart)) == "graphics@0.0 copy@0.1");
}

TEST_CASE("a device without graphics works on its compute family") {
    const std::array families{family(VK_QUEUE_TRANSFER_BIT), family(VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT)};
    CHECK(names(choose_engines(families)) == "compute@1.0 copy@0.0");
}

TEST_CASE("families that have no queue or only copy give no engine") {
    CHECK(choose_engines({}).empty());
    const std::array families{family(kAll, 0), family(VK_QUEUE_TRANSFER_BIT)};
    CHECK(choose_engines(families).empty());
}

TEST_CASE("an engine does what its kind does, whatever its family could") {
    CHECK(engine_flags(EngineKind::kGraphics, kAll) == kAll);
    CHECK(engine_flags(EngineKind::kCompute, kAll) == (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT));
    CHECK(engine_flags(EngineKind::kCopy, kAll) == VK_QUEUE_TRANSFER_BIT);
    CHECK(queue_priority(device::EnginePriority::kLow) < queue_priority(device::EnginePriority::kNormal));
    CHECK(queue_priority(device::EnginePriority::kNormal) < queue_priority(device::EnginePriority::kHigh));
}

}  // namespace
}  // namespace heapwright::vulkan
