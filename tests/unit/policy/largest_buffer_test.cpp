// The size that larger buffers are split at, on limits that can be told by hand.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "core/units.hpp"
#include "model/decisions.hpp"
#include "policy/advise.hpp"
#include "policy/largest_buffer.hpp"
#include "render/explain.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

struct Scene {
    Scene() {
        device.limits.clear();
        policy.memory_uses = {{.use = model::MemoryUse::kDeviceOnly, .memory_types = {.value = {0}, .why = {}}}};
        for (std::uint32_t heap = 0; heap < device.heaps.size(); ++heap)
            policy.heaps.push_back({.heap = heap, .usable_bytes = {.value = 8 * kGiB, .why = {}}, .parts = {}});
    }

    void limit(const char* name, std::uint64_t value) {
        device.limits.push_back({.group = "limits", .name = name, .value = value});
    }
    [[nodiscard]] model::Decided<std::uint64_t> decide() const {
        const policy::Context context{.device = device, .workload = workload, .device_index = 0};
        return policy::decide_largest_buffer(context, policy).value();
    }

    model::DeviceReport device = test::radv_like_device();
    model::Workload workload;
    model::DevicePolicy policy;
};

}  // namespace

TEST_CASE("the smallest of the buffer's, the allocation's and the heap's limit bounds a buffer") {
    Scene scene;
    scene.limit("maxBufferSize", 6 * kGiB);
    scene.limit("maxMemoryAllocationSize", 4 * kGiB);
    CHECK(scene.decide().value == 4 * kGiB);
    CHECK(scene.decide().why.inputs.size() == 2);
    scene.device.limits[0].value = 2 * kGiB;
    CHECK(scene.decide().value == 2 * kGiB);
    for (model::HeapPolicy& heap : scene.policy.heaps) heap.usable_bytes.value = kGiB;
    CHECK(scene.decide().value == kGiB);
}

TEST_CASE("a part is a multiple of 64 KiB, unless less than that is allowed") {
    Scene scene;
    scene.limit("maxMemoryAllocationSize", 0xffffffff);
    CHECK(scene.decide().value == 0xffff0000);
    CHECK(test::makes(scene.decide().why.reason, model::ClaimId::kBoundInMultiples));
    scene.device.limits[0].value = 4097;
    CHECK(scene.decide().value == 4097);
}

TEST_CASE("a report without the limit of an allocation is held to what Vulkan guarantees, and Direct3D 12 has none") {
    Scene scene;
    CHECK(scene.decide().value == kGiB);
    CHECK(test::makes(scene.decide().why.reason, model::ClaimId::kBoundGuaranteed));
    scene.device.identity.api = model::Api::kD3d12;
    CHECK(scene.decide().value == 8 * kGiB);
}

TEST_CASE("without memory for the device alone there is no such size") {
    Scene scene;
    scene.policy.memory_uses[0].memory_types.value.clear();
    const policy::Context context{.device = scene.device, .workload = scene.workload, .device_index = 0};
    CHECK_FALSE(policy::decide_largest_buffer(context, scene.policy));
}

TEST_CASE("advise decides it, and an explanation tells it by its name in the document") {
    const auto advised = policy::advise(test::radv_like_device(), test::small_workload());
    REQUIRE(advised);
    REQUIRE(advised->largest_buffer_bytes);
    const auto decisions = model::list_decisions(*advised);
    CHECK(std::ranges::count(decisions, "/largest_buffer_bytes", &model::ListedDecision::path) == 1);
    model::Policy policy;
    policy.workload_name = "small";
    policy.devices.push_back(*advised);
    CHECK(render::explain(policy).text.find("\nlargest buffer: ") != std::string::npos);
}
