// A replayed device with room for descriptors, and a policy of round numbers for a render device on it.
#pragma once

#include <memory>

#include "../pool/pool_scene.hpp"
#include "frame/render_device.hpp"
#include "replay/device.hpp"
#include "replay/fault_injection.hpp"

namespace heapwright::test {

inline constexpr model::Flags kBindableUsage = kBufferUsage | model::buffer_usage::kUniformTexel |
                                               model::buffer_usage::kStorageTexel | model::buffer_usage::kUniform |
                                               model::buffer_usage::kStorage | model::buffer_usage::kIndex |
                                               model::buffer_usage::kVertex | model::buffer_usage::kIndirect;

// small_report() with the resources that the scenarios of descriptors bind.
inline model::DeviceReport bindable_report() {
    using namespace model;
    DeviceReport report = small_report();
    report.limits.push_back({"VkPhysicalDeviceLimits", "maxSamplerAllocationCount", 4000});
    report.buffer_sweep.cases.push_back({.usage = kBindableUsage, .table = 0});
    report.buffer_sweep.cases.push_back({.usage = buffer_usage::kUniform | buffer_usage::kTransferDst, .table = 0});
    for (const std::uint64_t size : {32 * kMib, 64 * kMib, 128 * kMib}) {
        report.buffer_sweep.sizes.push_back(size);
        report.buffer_sweep.tables[0].size_bytes.push_back(size);
        report.buffer_sweep.tables[0].requirement.push_back(0);
    }
    add_image_case(report.image_sweep, Format::kR8G8B8A8Unorm,
                   image_usage::kSampled | image_usage::kTransferSrc | image_usage::kColorAttachment, false);
    add_image_case(
        report.image_sweep, Format::kR8G8B8A8Unorm,
        image_usage::kSampled | image_usage::kStorage | image_usage::kTransferSrc | image_usage::kTransferDst, false);
    add_image_case(report.image_sweep, Format::kD32Sfloat,
                   image_usage::kSampled | image_usage::kTransferSrc | image_usage::kDepthStencilAttachment, false);
    return report;
}

inline void set_fact(model::DeviceReport& report, std::string_view name, std::uint64_t value) {
    for (model::Fact& fact : report.limits) {
        if (fact.name == name) fact.value = value;
    }
}

inline void add_binding_policy(model::DevicePolicy& policy) {
    const auto count = [](std::uint64_t value) { return chosen<std::uint64_t>(value); };
    policy.frames_in_flight = count(2);
    policy.descriptors.cbv_srv_uav_page = count(1024);
    policy.descriptors.sampler_page = count(64);
    policy.descriptors.rtv_page = count(32);
    policy.descriptors.dsv_page = count(16);
    policy.descriptors.resources = {count(65'536), count(32'768), count(128)};
    policy.descriptors.samplers = {count(2048), count(1024), count(16)};
    policy.uploads = {count(4 * kMib), count(kMib)};
}

inline model::DevicePolicy render_policy() {
    model::DevicePolicy policy = pool_policy();
    add_binding_policy(policy);
    return policy;
}

// The render device goes before the device.
struct RenderScene {
    explicit RenderScene(const replay::ReplayOptions& replay_options = {.interpolate = true},
                         const frame::RenderDeviceOptions& options = {},
                         const model::DevicePolicy& policy = render_policy(),
                         const model::DeviceReport& report = bindable_report()) {
        auto opened = replay::open_replay(report, replay_options);
        REQUIRE(opened);
        device = std::move(*opened);
        frame::RenderDeviceOptions watched = options;
        watched.reports_lifetimes = true;
        auto made = frame::RenderDevice::create(*device, policy, watched);
        if (!made) FAIL(to_string(made.error()));
        render = std::move(*made);
    }

    [[nodiscard]] device::ResourceId buffer(std::uint64_t size_bytes) const {
        auto made = device->resources().create_dedicated(
            model::BufferDescription{.size_bytes = size_bytes, .usage = kBindableUsage}, MemoryTypeIndex{0}, 0.5f);
        if (!made) FAIL(to_string(made.error()));
        return *made;
    }
    // A command list that does something.
    void submit_fill(device::ResourceId target) const {
        render->immediate().record(
            device::FillBuffer{.buffer = target, .offset_bytes = 0, .size_bytes = 16, .value = 1});
        const auto flushed = render->flush();
        if (!flushed) FAIL(to_string(flushed.error()));
        REQUIRE(flushed->has_value());
    }

    std::unique_ptr<replay::ReplayDevice> device;
    std::unique_ptr<frame::RenderDevice> render;
};

}  // namespace heapwright::test
