// What a workload's hints wish for beyond sizes, as the policy's rules see it.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "core/units.hpp"
#include "policy/advise.hpp"
#include "policy/demand.hpp"
#include "policy/heap_budget.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

using namespace heapwright;

namespace {

policy::DemandList demand_of(const model::DeviceReport& device, const model::Workload& workload) {
    return policy::list_demand({.device = device, .workload = workload, .device_index = 0});
}

model::Workload one_image(const model::ImageHint& hint) {
    model::Workload workload;
    workload.name = "wishes";
    workload.images = {hint};
    return workload;
}

std::vector<model::HeapPolicy> heaps_of(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload, 0, {.rule = policy::ChunkRuleName::kSource, .sample = {}});
    if (!policy) FAIL(to_string(policy.error()));
    return policy->heaps;
}

}  // namespace

TEST_CASE("memory of its own, importance and host access of a hint reach the demand") {
    const auto device = test::radv_like_device();
    auto workload = one_image({.extents = {{256, 256}}, .count = 3, .dedicated = model::OwnMemory::kAlways});
    workload.buffers = {{.count = 2,
                         .memory_use = model::MemoryUse::kStreaming,
                         .host_access = model::HostAccess::kRandom,
                         .importance = 70}};
    const auto list = demand_of(device, workload);
    REQUIRE(list.parts.size() > 1);
    CHECK(list.parts.front().requirements.dedicated == model::Dedicated::kRequired);
    CHECK_FALSE(list.parts.front().importance);
    CHECK(list.parts.back().use == model::MemoryUse::kReadback);
    CHECK(list.parts.back().importance == 70u);
    CHECK(list.parts.back().requirements.dedicated == model::Dedicated::kNone);
}

TEST_CASE("a hint that refuses memory of its own keeps it only where the driver requires it") {
    auto device = test::radv_like_device();
    const auto with = [&](model::Dedicated dedicated) {
        for (auto& requirement : device.image_sweep.requirements) requirement.dedicated = dedicated;
        const auto list =
            demand_of(device, one_image({.extents = {{256, 256}}, .dedicated = model::OwnMemory::kNever}));
        REQUIRE_FALSE(list.parts.empty());
        return list.parts.front().requirements.dedicated;
    };
    CHECK(with(model::Dedicated::kPreferred) == model::Dedicated::kNone);
    CHECK(with(model::Dedicated::kRequired) == model::Dedicated::kRequired);
}

TEST_CASE("slices and mip levels count in the size of an image") {
    auto device = test::radv_like_device();
    device.image_sweep = {};
    const auto bytes = [&](const model::ImageHint& hint) {
        const auto list = demand_of(device, one_image(hint));
        REQUIRE(list.parts.size() == 1);
        return list.parts.front().requirements.size_bytes;
    };
    const std::uint64_t flat = bytes({.extents = {{256, 256}}});
    CHECK(flat == 256 * 256 * 4);
    CHECK(bytes({.extents = {{256, 256}}, .depth = 16}) == 16 * flat);
    CHECK(bytes({.extents = {{1024, 1024}}, .mip_levels = 2}) == 20 * flat);
}

TEST_CASE("a point of the report answers the 3D image that it was asked about, and no flat one") {
    auto device = test::radv_like_device();
    const model::ImageHint volume{.extents = {{48, 48}}, .depth = 7};
    const model::MemoryRequirements answer{.size_bytes = 123 * kMiB,
                                           .alignment_bytes = 65536,
                                           .memory_type_bits = 1,
                                           .dedicated = model::Dedicated::kNone};
    device.image_sweep.points.push_back(
        {.description = model::describe(volume, 48, 48), .requirements = answer, .not_supported = {}});
    const auto found = demand_of(device, one_image(volume));
    REQUIRE(found.parts.size() == 1);
    CHECK(found.parts[0].requirements == answer);
    CHECK(found.unanswered_points == 0);
    const auto flat = demand_of(device, one_image({.extents = {{48, 48}}}));
    REQUIRE(flat.parts.size() == 1);
    CHECK(flat.parts[0].requirements.size_bytes < kMiB);
}

TEST_CASE("a cap holds the usable bytes of its heaps down, and is cited") {
    const auto device = test::radv_like_device();
    auto workload = test::small_workload();
    const auto free = heaps_of(device, workload);
    workload.caps = model::MemoryCaps{.device_local_bytes = 100 * kMiB};
    const auto capped = heaps_of(device, workload);
    std::uint64_t local = 0;
    for (std::size_t i = 0; i < capped.size(); ++i) {
        const bool is_local = (device.heaps[capped[i].heap].flags & model::memory_heap::kDeviceLocal) != 0;
        const auto& usable = capped[i].usable_bytes;
        CAPTURE(i);
        if (!is_local) {
            CHECK(usable.value == free[i].usable_bytes.value);
            continue;
        }
        local += usable.value;
        CHECK(std::ranges::any_of(usable.why.inputs, [](const model::DecisionInput& input) {
            return input.path == "/caps/device_local_bytes";
        }));
    }
    CHECK(local > 0);
    CHECK(local <= 100 * kMiB);
}
