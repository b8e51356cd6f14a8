#include "vulkan/sweeps.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "probe/ask_again.hpp"
#include "probe/cases.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {

namespace {

constexpr std::string_view kSameRequirements =
    "VkMemoryRequirements: size is identical for all resources that are created with the same parameters, and so are "
    "memoryTypeBits";

// Only extent and mip levels of the creation structure change from point to point.
class ImageQuestion {
public:
    static constexpr std::string_view kRefused = "the driver refused this image";
    static constexpr std::string_view kRefusedEverywhere =
        "the driver gave no usable answer for any extent of the grid";

    ImageQuestion(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                  const model::ImageCase& image, probe::FailedQuestions& failed)
        : query_(query),
          image_(image),
          support_(image_support(instance, device.handle(), image)),
          info_(create_info(image)),
          is_volume_(image.dimension == model::ImageDimension::k3d) {
        if (!support_.failure.empty()) failed.add(support_.failure);
    }

    [[nodiscard]] const std::string& not_supported() const { return support_.not_supported; }

    [[nodiscard]] static const char* call(const RequirementQuery& query) {
        return query.asks_without_objects() ? "vkGetDeviceImageMemoryRequirements" : "vkCreateImage";
    }

    void leave_breadcrumb() const {
        std::string text(model::info(image_.format).name);
        text += image_.tiling == model::ImageTiling::kLinear ? " linear" : " optimal";
        text += is_volume_ ? " 3D usage " : " 2D usage ";
        text += std::to_string(image_.usage);
        if (image_.full_mips) text += " full mips";
        text += " layers " + std::to_string(image_.array_layers) + " samples " + std::to_string(image_.samples);
        heapwright::leave_breadcrumb(call(query_), text);
    }

    [[nodiscard]] bool admits(const probe::Extent& at) {
        const auto [width, height] = at;
        const model::ImageDescription description = image_.description(width, height);
        info_.extent = {width, height, description.depth};
        info_.mipLevels = description.mip_levels;
        return support_.admits(info_.extent, info_.mipLevels);
    }
    [[nodiscard]] std::string objection(const probe::Extent& at) const {
        const VkExtent3D& limit = support_.limits.maxExtent;
        return fmt::format("{}x{} with {} mip levels, limits {}x{} and {}", at[0], at[1], info_.mipLevels, limit.width,
                           limit.height, support_.limits.maxMipLevels);
    }

    // Of the extent that was admitted last.
    [[nodiscard]] model::MemoryRequirements ask(const probe::Extent&) { return query_.image(info_); }

    [[nodiscard]] bool keeps(const model::MemoryRequirements& answer) const {
        return answer.size_bytes <= support_.limits.maxResourceSize;
    }
    [[nodiscard]] std::string objection(const model::MemoryRequirements& answer) const {
        return fmt::format("{} bytes, limit {} (maxResourceSize)", answer.size_bytes, support_.limits.maxResourceSize);
    }

private:
    RequirementQuery& query_;
    const model::ImageCase& image_;
    ImageSupport support_;
    VkImageCreateInfo info_;
    bool is_volume_;
};

}  // namespace

Result<model::ImageSweep> sweep_images(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                                       std::size_t memory_type_count, const model::Workload* workload,
                                       probe::SweepPace& pace, std::vector<model::Finding>& findings) {
    probe::FailedQuestions failed;
    probe::FailedQuestions failed_again;  // no news: the first asking has the sizes
    const auto question_about = [&](const model::ImageCase& image) {
        return ImageQuestion(instance, device, query, image, failed);
    };
    auto swept = probe::run_sweep(probe::standard_image_sweep(device.properties().limits.maxImageDimension2D), workload,
                                  memory_type_count, pace, question_about);
    if (swept) {
        HEAPWRIGHT_TRY(probe::check_again(*swept, memory_type_count, pace, kSameRequirements, findings,
                                          [&](const model::ImageCase& image) {
                                              return ImageQuestion(instance, device, query, image, failed_again);
                                          }));
        probe::add_silent_cases<ImageQuestion>(*swept, ImageQuestion::call(query), failed);
        failed.tell(
            "image-sweep-not-measured",
            fmt::format("the sizes of {} of {} kinds of images are not known", failed.count(), swept->cases.size()),
            "/image_sweep", findings);
    }
    return swept;
}

namespace {

namespace usage = model::buffer_usage;

class BufferQuestion {
public:
    static constexpr std::string_view kRefused = "the driver refused this buffer";
    static constexpr std::string_view kRefusedEverywhere = "the driver gave no usable answer for any size of the grid";

    BufferQuestion(RequirementQuery& query, std::uint64_t max_bytes, const model::BufferCase& buffer)
        : query_(query), max_bytes_(max_bytes), info_(create_info({.size_bytes = 1, .usage = buffer.usage})) {}

    [[nodiscard]] std::string not_supported() const { return unsupported_buffer_usage(query_, info_.usage); }

    [[nodiscard]] static const char* call(const RequirementQuery& query) {
        return query.asks_without_objects() ? "vkGetDeviceBufferMemoryRequirements" : "vkCreateBuffer";
    }

    void leave_breadcrumb() const {
        heapwright::leave_breadcrumb(call(query_), "usage " + std::to_string(info_.usage));
    }

    [[nodiscard]] bool admits(std::uint64_t size) const { return size <= max_bytes_; }
    [[nodiscard]] std::string objection(std::uint64_t size) const {
        return fmt::format("{} bytes, limit {} (maxBufferSize)", size, max_bytes_);
    }

    [[nodiscard]] model::MemoryRequirements ask(std::uint64_t size) {
        info_.size = size;
        return query_.buffer(info_);
    }

    // Vulkan states no limit of what a buffer takes, beyond that of the buffer itself.
    [[nodiscard]] static bool keeps(const model::MemoryRequirements&) { return true; }
    [[nodiscard]] static std::string objection(const model::MemoryRequirements&) { return {}; }

private:
    RequirementQuery& query_;
    std::uint64_t max_bytes_;
    VkBufferCreateInfo info_;
};

}  // namespace

std::uint64_t largest_buffer_bytes(const std::vector<model::Fact>& limits) {
    const model::Fact* fact = find_fact(limits, "maxBufferSize");
    const std::uint64_t reported = fact == nullptr || fact->value == 0 ? probe::kLargestSweptBuffer : fact->value;
    return std::min(reported, probe::kLargestSweptBuffer);
}

std::string unsupported_buffer_usage(const RequirementQuery& query, model::Flags bits) {
    if ((bits & usage::kShaderDeviceAddress) != 0 && !query.has_device_address()) {
        return "the device has no bufferDeviceAddress";
    }
    return {};
}

VkBufferCreateInfo create_info(const model::BufferDescription& buffer) {
    return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .pNext = nullptr,
            .flags = 0,
            .size = buffer.size_bytes,
            .usage = buffer.usage,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr};
}

Result<model::BufferSweep> sweep_buffers(RequirementQuery& query, std::uint64_t max_bytes,
                                         std::size_t memory_type_count, const model::Workload* workload,
                                         probe::SweepPace& pace, std::vector<model::Finding>& findings) {
    const auto question_about = [&](const model::BufferCase& buffer) {
        return BufferQuestion(query, max_bytes, buffer);
    };
    auto swept =
        probe::run_sweep(probe::standard_buffer_sweep(max_bytes), workload, memory_type_count, pace, question_about);
    if (swept) {
        HEAPWRIGHT_TRY(
            probe::check_again(*swept, memory_type_count, pace, kSameRequirements, findings, question_about));
        probe::FailedQuestions failed;
        probe::add_silent_cases<BufferQuestion>(*swept, BufferQuestion::call(query), failed);
        failed.tell(
            "buffer-sweep-not-measured",
            fmt::format("the sizes of {} of {} kinds of buffers are not known", failed.count(), swept->cases.size()),
            "/buffer_sweep", findings);
    }
    return swept;
}

VkImageCreateInfo create_info(const model::ImageCase& image) {
    return {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .pNext = nullptr,
            .flags = image.flags,
            .imageType = image.dimension == model::ImageDimension::k3d ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
            .format = static_cast<VkFormat>(model::info(image.format).vk_format),
            .extent = {1, 1, 1},
            .mipLevels = 1,
            .arrayLayers = image.array_layers,
            .samples = static_cast<VkSampleCountFlagBits>(image.samples),
            .tiling = image.tiling == model::ImageTiling::kLinear ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL,
            .usage = image.usage,
            .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
            .queueFamilyIndexCount = 0,
            .pQueueFamilyIndices = nullptr,
            .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED};
}

std::string failure_of(VkResult result, std::string_view call) {
    if (result == VK_SUCCESS || result == VK_ERROR_FORMAT_NOT_SUPPORTED) return {};
    return fmt::format("{}: {}", call, result_name(result));
}

ImageSupport image_support(const Instance& instance, VkPhysicalDevice device, const model::ImageCase& image) {
    ImageSupport support;
    const VkImageCreateInfo info = create_info(image);
    leave_breadcrumb("vkGetPhysicalDeviceImageFormatProperties", model::info(image.format).name);
    const VkResult result = instance.functions().get_image_format_properties(
        device, info.format, info.imageType, info.tiling, info.usage, info.flags, &support.limits);
    const VkImageFormatProperties& limits = support.limits;
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED) {
        support.not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED for this tiling and usage";
    } else if (result != VK_SUCCESS) {
        support.failure = failure_of(result, "vkGetPhysicalDeviceImageFormatProperties");
        support.not_supported = support.failure;
    } else if (image.array_layers > limits.maxArrayLayers) {
        support.not_supported = fmt::format("{} array layers, limit {}", image.array_layers, limits.maxArrayLayers);
    } else if ((image.samples & limits.sampleCounts) == 0) {
        support.not_supported =
            fmt::format("{} samples, supported sample counts {:#x}", image.samples, limits.sampleCounts);
    } else if (image.full_mips && limits.maxMipLevels <= 1) {
        support.not_supported = fmt::format("full mip chains, limit {} mip level", limits.maxMipLevels);
    }
    return support;
}

}  // namespace heapwright::vulkan
