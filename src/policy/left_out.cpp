#include "policy/left_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "model/claims.hpp"
#include "policy/resource_sizing.hpp"
#include "workload/stream.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

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

namespace {

// Bits of VkImageUsageFlagBits and VkBufferUsageFlagBits (model/detail/flag_rows.inc names them).
struct UsageNeed {
    model::Flags usages;
    std::string_view extension;
    std::string_view or_extension = {};  // an older one with the same bits
    bool raytracing_tier = false;        // of Direct3D 12; what else it lacks is not told apart by usages
};

constexpr std::array<UsageNeed, 7> kImageNeeds{{
    {0x100, "VK_KHR_fragment_shading_rate", "VK_NV_shading_rate_image"},
    {0x200, "VK_EXT_fragment_density_map"},
    {0x400 | 0x800 | 0x1000, "VK_KHR_video_decode_queue"},
    {0x2000 | 0x4000 | 0x8000, "VK_KHR_video_encode_queue"},
    {0x40000, "VK_HUAWEI_invocation_mask"},
    {0x80000, "VK_EXT_attachment_feedback_loop_layout"},
    {0x100000 | 0x200000, "VK_QCOM_image_processing"},
}};

constexpr std::array<UsageNeed, 8> kBufferNeeds{{
    {0x200, "VK_EXT_conditional_rendering"},
    {0x400, "VK_KHR_ray_tracing_pipeline", "VK_NV_ray_tracing", true},
    {0x800 | 0x1000, "VK_EXT_transform_feedback"},
    {0x2000 | 0x4000, "VK_KHR_video_decode_queue"},
    {0x8000 | 0x10000, "VK_KHR_video_encode_queue"},
    {0x80000 | 0x100000, "VK_KHR_acceleration_structure", {}, true},
    {0x200000 | 0x400000 | 0x4000000, "VK_EXT_descriptor_buffer"},
    {0x800000 | 0x1000000, "VK_EXT_opacity_micromap"},
}};

struct FormatNeed {
    std::string_view prefix;
    model::Capability capability;
    std::string_view feature;
};

constexpr std::array<FormatNeed, 4> kFormatNeeds{{
    {"BC", model::Capability::kTextureCompressionBc, "textureCompressionBC"},
    {"ETC2", model::Capability::kTextureCompressionEtc2, "textureCompressionETC2"},
    {"EAC", model::Capability::kTextureCompressionEtc2, "textureCompressionETC2"},
    {"ASTC", model::Capability::kTextureCompressionAstc, "textureCompressionASTC_LDR"},
}};

class Warner {
public:
    Warner(const Context& context, model::Statement& warnings)
        : device_(context.device), is_d3d12_(context.device.identity.api == model::Api::kD3d12), warnings_(warnings) {}

    void usages(const std::string& hint, model::Flags usage, std::span<const UsageNeed> needs,
                std::span<const model::FlagName> names) {
        for (const UsageNeed& need : needs) {
            if ((usage & need.usages) == 0 || !lacks(need)) continue;
            warn(hint, model::flags_text(usage & need.usages, names), is_d3d12_ ? "RaytracingTier" : need.extension);
        }
    }

    void device_address(const std::string& hint, model::Flags usage) {
        const model::Fact* const feature = model::find_fact(device_.features, "bufferDeviceAddress");
        const bool lacking = !is_d3d12_ && feature != nullptr && feature->value == 0;
        if (lacking && (usage & model::buffer_usage::kShaderDeviceAddress) != 0) {
            warn(hint, "SHADER_DEVICE_ADDRESS", "bufferDeviceAddress");
        }
    }

    void format(const std::string& hint, model::Format format, bool is_refused) {
        const std::string_view name = model::info(format).name;
        for (const FormatNeed& need : kFormatNeeds) {
            if (!model::info(format).is_compressed() || !name.starts_with(need.prefix)) continue;
            if (!has_capability(device_, need.capability)) warn(hint, name, need.feature, is_refused);
        }
    }

private:
    [[nodiscard]] bool lacks(const UsageNeed& need) const {
        if (is_d3d12_) {
            return need.raytracing_tier && !has_capability(device_, model::Capability::kAccelerationStructures);
        }
        return lacks_extension(device_, need.extension) &&
               (need.or_extension.empty() || lacks_extension(device_, need.or_extension));
    }

    void warn(const std::string& hint, std::string_view what, std::string_view needed, bool is_refused = false) {
        warnings_ += is_refused ? claim<ClaimId::kLackNeeded>(hint, needed, what)
                                : claim<ClaimId::kLackPlanned>(hint, needed, what);
    }

    const model::DeviceReport& device_;
    bool is_d3d12_;
    model::Statement& warnings_;
};

}  // namespace

void warn_of_unsupported(const Context& context, model::Statement& warnings) {
    Warner warner(context, warnings);
    const auto& images = context.workload.images;
    const auto& buffers = context.workload.buffers;
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i].count == 0) continue;
        const std::string hint = fmt::format("images/{}", i);
        warner.usages(hint, images[i].usage, kImageNeeds, model::image_usage_names());
        warner.format(hint, images[i].format, !ImageSizer(context, images[i]).why_not().empty());
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (buffers[i].count == 0) continue;
        const std::string hint = fmt::format("buffers/{}", i);
        warner.usages(hint, buffers[i].usage, kBufferNeeds, model::buffer_usage_names());
        warner.device_address(hint, buffers[i].usage);
    }
}

}  // namespace heapwright::policy
