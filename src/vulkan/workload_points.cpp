#include "heapwright/vulkan/workload_points.hpp"

#include <fmt/format.h>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/sweep/hint_points.hpp"
#include "heapwright/sweep/odd_answers.hpp"
#include "heapwright/vulkan/buffer_sweep.hpp"
#include "heapwright/vulkan/image_support.hpp"

namespace heapwright::vulkan {
namespace {

constexpr const char* kOddAnswer = "the driver's answer breaks what every answer keeps; it stands in odd_answers";

template <class Odd>
void append(std::vector<Odd>& list, sweep::OddAnswers<Odd>& odd) {
    for (Odd& entry : odd.take_all()) list.push_back(std::move(entry));
}

model::ImagePoint ask(RequirementQuery& query, sweep::OddAnswers<model::OddImage>& odd, const model::ImageCase& image,
                      const ImageSupport& support, std::uint32_t width, std::uint32_t height) {
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
    RequirementAnswer answer = query.image(info);
    const bool is_sound = odd.is_sound(answer);
    if (!is_sound) answer = odd.take(answer, point.description);
    if (answer.size_bytes == 0) {
        point.not_supported = is_sound ? "the driver refused this image" : kOddAnswer;
    } else if (answer.size_bytes > support.limits.maxResourceSize) {
        point.not_supported =
            fmt::format("{} bytes, limit {} (maxResourceSize)", answer.size_bytes, support.limits.maxResourceSize);
    } else {
        point.requirements = sweep::requirements_of(answer);
    }
    return point;
}

}  // namespace

Status add_workload_points(const model::Workload& workload, const Instance& instance, const PhysicalDevice& device,
                           RequirementQuery& query, std::size_t memory_type_count, sweep::SweepPace& pace,
                           model::ImageSweep& sweep) {
    sweep::OddAnswers<model::OddImage> odd(memory_type_count);
    std::size_t done = 0;
    for (const model::ImageHint& hint : workload.images) {
        HEAPWRIGHT_TRY(pace.step("workload images", done++, workload.images.size()));
        const model::ImageCase image = sweep::case_of(hint);
        const ImageSupport support = image_support(instance, device.handle(), image);
        leave_breadcrumb("vkGetDeviceImageMemoryRequirements", fmt::format("workload image hint {}", done - 1));
        for (const auto& [width, height] : sweep::hint_extents(hint)) {
            const model::ImageDescription description = image.description(width, height);
            if (sweep::answers(sweep, description)) continue;
            sweep.points.push_back(ask(query, odd, image, support, width, height));
        }
    }
    append(sweep.odd_answers, odd);
    return {};
}

Status add_workload_points(const model::Workload& workload, RequirementQuery& query, std::uint64_t max_bytes,
                           std::size_t memory_type_count, sweep::SweepPace& pace, model::BufferSweep& sweep) {
    sweep::OddAnswers<model::OddBuffer> odd(memory_type_count);
    std::size_t done = 0;
    for (const model::BufferHint& hint : workload.buffers) {
        HEAPWRIGHT_TRY(pace.step("workload buffers", done++, workload.buffers.size()));
        const std::string unsupported = unsupported_buffer_usage(query, hint.usage);
        leave_breadcrumb("vkGetDeviceBufferMemoryRequirements", fmt::format("workload buffer hint {}", done - 1));
        for (const std::uint64_t size : sweep::hint_sizes(hint)) {
            const model::BufferDescription description{.size_bytes = size, .usage = hint.usage};
            if (sweep::answers(sweep, description)) continue;
            model::BufferPoint point{.description = description, .requirements = {}, .not_supported = unsupported};
            if (size > max_bytes) {
                point.not_supported = fmt::format("{} bytes, limit {} (maxBufferSize)", size, max_bytes);
            } else if (unsupported.empty()) {
                RequirementAnswer answer = query.buffer(create_info(description));
                const bool is_sound = odd.is_sound(answer);
                if (!is_sound) answer = odd.take(answer, description);
                if (answer.size_bytes == 0) {
                    point.not_supported = is_sound ? "the driver refused this buffer" : kOddAnswer;
                } else {
                    point.requirements = sweep::requirements_of(answer);
                }
            }
            sweep.points.push_back(std::move(point));
        }
    }
    append(sweep.odd_answers, odd);
    return {};
}

}  // namespace heapwright::vulkan
