#include "heapwright/vulkan/workload_points.hpp"

#include <fmt/format.h>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/device/hint_points.hpp"
#include "heapwright/vulkan/buffer_sweep.hpp"
#include "heapwright/vulkan/image_support.hpp"

namespace heapwright::vulkan {
namespace {

model::ImagePoint ask(RequirementQuery& query, const model::ImageCase& image, const ImageSupport& support,
                      std::uint32_t width, std::uint32_t height) {
    model::ImagePoint point{.description = image.description(width, height), .requirements = {}, .not_supported = {}};
    if (!support.not_supported.empty()) {
        point.not_supported = support.not_supported;
        return point;
    }
    VkImageCreateInfo info = create_info(image);
    info.extent = {width, height, 1};
    info.mipLevels = point.description.mip_levels;
    if (!support.admits(info.extent, info.mipLevels)) {
        const VkExtent3D& limit = support.limits.maxExtent;
        point.not_supported = fmt::format("{}x{} with {} mip levels, limits {}x{} and {}", width, height,
                                          info.mipLevels, limit.width, limit.height, support.limits.maxMipLevels);
        return point;
    }
    const RequirementAnswer answer = query.image(info);
    if (answer.size_bytes == 0) {
        point.not_supported = "the driver refused this image";
    } else if (answer.size_bytes > support.limits.maxResourceSize) {
        point.not_supported =
            fmt::format("{} bytes, limit {} (maxResourceSize)", answer.size_bytes, support.limits.maxResourceSize);
    } else {
        point.requirements = device::requirements_of(answer);
    }
    return point;
}

}  // namespace

Status add_workload_points(const model::Workload& workload, const Instance& instance, const PhysicalDevice& device,
                           RequirementQuery& query, device::SweepPace& pace, model::ImageSweep& sweep) {
    std::size_t done = 0;
    for (const model::ImageHint& hint : workload.images) {
        HEAPWRIGHT_TRY(pace.step("workload images", done++, workload.images.size()));
        const model::ImageCase image = device::case_of(hint);
        const ImageSupport support = image_support(instance, device.handle(), image);
        leave_breadcrumb("vkGetDeviceImageMemoryRequirements", fmt::format("workload image hint {}", done - 1));
        for (const auto& [width, height] : device::hint_extents(hint)) {
            const model::ImageDescription description = image.description(width, height);
            if (device::answers(sweep, description)) continue;
            sweep.points.push_back(ask(query, image, support, width, height));
        }
    }
    return {};
}

Status add_workload_points(const model::Workload& workload, RequirementQuery& query, std::uint64_t max_bytes,
                           device::SweepPace& pace, model::BufferSweep& sweep) {
    std::size_t done = 0;
    for (const model::BufferHint& hint : workload.buffers) {
        HEAPWRIGHT_TRY(pace.step("workload buffers", done++, workload.buffers.size()));
        const std::string unsupported = unsupported_buffer_usage(query, hint.usage);
        leave_breadcrumb("vkGetDeviceBufferMemoryRequirements", fmt::format("workload buffer hint {}", done - 1));
        for (const std::uint64_t size : device::hint_sizes(hint)) {
            const model::BufferDescription description{.size_bytes = size, .usage = hint.usage};
            if (device::answers(sweep, description)) continue;
            model::BufferPoint point{.description = description, .requirements = {}, .not_supported = unsupported};
            if (size > max_bytes) {
                point.not_supported = fmt::format("{} bytes, limit {} (maxBufferSize)", size, max_bytes);
            } else if (unsupported.empty()) {
                const RequirementAnswer answer = query.buffer(create_info(description));
                if (answer.size_bytes == 0) {
                    point.not_supported = "the driver refused this buffer";
                } else {
                    point.requirements = device::requirements_of(answer);
                }
            }
            sweep.points.push_back(std::move(point));
        }
    }
    return {};
}

}  // namespace heapwright::vulkan
