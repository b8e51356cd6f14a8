#include "heapwright/policy/left_out.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "heapwright/workload/stream.hpp"

namespace heapwright::policy {
namespace {

// Nothing where the report does not tell.
std::optional<bool> feature_of(const model::DeviceReport& device, model::FactName name) {
    const model::Fact* const fact = model::find_fact(device.features, name);
    return fact == nullptr ? std::nullopt : std::optional(fact->value != 0);
}

bool has_acceleration_structures(const model::DeviceReport& device) {
    if (device.identity.api == model::Api::kD3d12) return device.limit("RaytracingTier").value_or(1) != 0;
    return !lacks_extension(device, "VK_KHR_acceleration_structure");
}

std::uint64_t packed_bytes(const model::Workload& workload) {
    const auto bytes = workload::expected_live_bytes(workload);
    return bytes ? bytes->total() : 0;
}

}  // namespace

bool lacks_extension(const model::DeviceReport& device, std::string_view name) {
    return std::ranges::find(device.absent, "/extensions") == device.absent.end() &&
           std::ranges::find(device.extensions, name, &model::Extension::name) == device.extensions.end();
}

bool has_capability(const model::DeviceReport& device, model::Capability capability) {
    const bool is_d3d12 = device.identity.api == model::Api::kD3d12;
    switch (capability) {
        case model::Capability::kAccelerationStructures: return has_acceleration_structures(device);
        case model::Capability::kLazilyAllocatedMemory:
            return std::ranges::any_of(device.memory_types, [](const model::MemoryType& type) {
                return (type.property_flags & model::memory_property::kLazilyAllocated) != 0;
            });
        case model::Capability::kTextureCompressionBc:
            return is_d3d12 || feature_of(device, "textureCompressionBC").value_or(true);
        case model::Capability::kTextureCompressionEtc2:
            return !is_d3d12 && feature_of(device, "textureCompressionETC2").value_or(true);
        case model::Capability::kTextureCompressionAstc:
            return !is_d3d12 && feature_of(device, "textureCompressionASTC_LDR").value_or(true);
    }
    return true;
}

PlannedWorkload plan_workload(const model::DeviceReport& device, const model::Workload& workload) {
    PlannedWorkload planned{.workload = workload, .left_out = {}};
    const std::uint64_t all_bytes = packed_bytes(workload);
    const auto plan = [&](auto& hints, std::string_view kind) {
        for (std::size_t index = 0; index < hints.size(); ++index) {
            auto& hint = hints[index];
            model::HintLeftOut left_out{
                .hint = fmt::format("{}/{}", kind, index), .lacks = {}, .resources = hint.count};
            for (const model::Capability capability : hint.needs) {
                if (!has_capability(device, capability)) left_out.lacks.push_back(capability);
            }
            if (left_out.lacks.empty() || hint.count == 0) continue;
            const std::uint64_t before = packed_bytes(planned.workload);
            hint.count = 0;
            if (all_bytes != 0)
                left_out.bytes_share =
                    static_cast<double>(before - packed_bytes(planned.workload)) / static_cast<double>(all_bytes);
            planned.left_out.push_back(std::move(left_out));
        }
    };
    plan(planned.workload.images, "images");
    plan(planned.workload.buffers, "buffers");
    return planned;
}

}  // namespace heapwright::policy
