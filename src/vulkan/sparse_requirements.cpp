#include "vulkan/sparse_requirements.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "probe/run_sweep.hpp"
#include "probe/tables.hpp"
#include "vulkan/sweeps.hpp"

namespace heapwright::vulkan {
namespace {

// Large enough for a mip tail that is smaller than the image, small enough for every device.
constexpr std::uint32_t kSide2d = 1024;
constexpr std::uint32_t kSide3d = 128;
constexpr std::uint64_t kBufferBytes = 1 << 20;
constexpr VkImageCreateFlags kSparseImage = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;

bool has_feature(const VkPhysicalDeviceFeatures& features, const model::ImageCase& image) {
    if (image.dimension == model::ImageDimension::k3d) return features.sparseResidencyImage3D == VK_TRUE;
    switch (image.samples) {
        case 1: return features.sparseResidencyImage2D == VK_TRUE;
        case 2: return features.sparseResidency2Samples == VK_TRUE;
        case 4: return features.sparseResidency4Samples == VK_TRUE;
        case 8: return features.sparseResidency8Samples == VK_TRUE;
        case 16: return features.sparseResidency16Samples == VK_TRUE;
        default: return false;
    }
}

class SparseReader {
public:
    SparseReader(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                 model::DeviceReport& report)
        : instance_(instance),
          device_(device),
          query_(query),
          report_(report),
          known_types_(report.memory_types.size()) {}

    void read_images() {
        std::set<std::tuple<model::Format, model::ImageTiling, model::ImageDimension, std::uint32_t>> done;
        for (const model::ImageCase& image : report_.image_sweep.cases) {
            const bool is_transient = (image.usage & model::image_usage::kTransientAttachment) != 0;
            if (!image.table || image.array_layers != 1 || is_transient || !has_feature(query_.features(), image)) {
                continue;
            }
            if (!done.emplace(image.format, image.tiling, image.dimension, image.samples).second) continue;
            if (has_sparse_format(image)) read_image(image);
        }
    }

    void read_buffers() {
        for (const model::BufferCase& entry : report_.buffer_sweep.cases) {
            if (!entry.table) continue;
            const model::BufferDescription description{.size_bytes = kBufferBytes, .usage = entry.usage};
            VkBufferCreateInfo info = create_info(description);
            info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
            if (query_.features().sparseResidencyBuffer == VK_TRUE) info.flags |= VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
            leave_breadcrumb("vkGetDeviceBufferMemoryRequirements", fmt::format("sparse usage {:#x}", entry.usage));
            const model::MemoryRequirements answer = query_.buffer(info);
            if (!usable(answer)) continue;
            report_.sparse_buffers.push_back({.description = description, .requirements = answer});
        }
    }

    void note_left_out() {
        failed_.tell("sparse-requirements-not-measured",
                     fmt::format("what {} sparse images take is not known", failed_.count()), "/sparse_images",
                     report_.findings);
        if (left_out_ == 0) return;
        report_.unreported.push_back(
            {.name = "VkSparseImageMemoryRequirements",
             .reason = fmt::format("{} answers have no size, no memory type or an alignment that is no power of two",
                                   left_out_)});
    }

private:
    bool usable(const model::MemoryRequirements& answer) {
        const bool is_sound = known_types_.is_sound(answer);
        if (!is_sound) ++left_out_;
        return is_sound && answer.size_bytes != 0;
    }

    [[nodiscard]] bool has_sparse_format(const model::ImageCase& image) const {
        const VkImageCreateInfo info = create_info(image);
        std::uint32_t count = 0;
        leave_breadcrumb("vkGetPhysicalDeviceSparseImageFormatProperties", model::info(image.format).name);
        instance_.functions().get_sparse_image_format_properties(
            device_.handle(), info.format, info.imageType, info.samples, info.usage, info.tiling, &count, nullptr);
        return count != 0;
    }

    void read_image(const model::ImageCase& image) {
        const bool is_volume = image.dimension == model::ImageDimension::k3d;
        VkImageCreateInfo info = create_info(image);
        info.flags = kSparseImage;
        VkImageFormatProperties limits{};
        leave_breadcrumb("vkGetPhysicalDeviceImageFormatProperties",
                         fmt::format("sparse {}", model::info(image.format).name));
        const VkResult result = instance_.functions().get_image_format_properties(
            device_.handle(), info.format, info.imageType, info.tiling, info.usage, info.flags, &limits);
        std::string failure = failure_of(result, "vkGetPhysicalDeviceImageFormatProperties");
        if (!failure.empty()) failed_.add(std::move(failure));
        if (result != VK_SUCCESS || (limits.sampleCounts & image.samples) == 0) return;
        const std::uint32_t side = is_volume ? kSide3d : kSide2d;
        info.extent = {std::min(side, limits.maxExtent.width), std::min(side, limits.maxExtent.height),
                       is_volume ? std::min(side, limits.maxExtent.depth) : 1};
        const std::uint32_t chain = model::full_mip_chain(info.extent.width, info.extent.height, info.extent.depth);
        info.mipLevels = image.samples == 1 ? std::min(chain, std::max(limits.maxMipLevels, 1u)) : 1;
        leave_breadcrumb("vkGetDeviceImageMemoryRequirements",
                         fmt::format("sparse {}", model::info(image.format).name));
        const model::MemoryRequirements answer = query_.image(info);
        if (!usable(answer)) return;
        leave_breadcrumb("vkGetDeviceImageSparseMemoryRequirements", model::info(image.format).name);
        model::SparseImage entry;
        entry.description = image.description(info.extent.width, info.extent.height);
        entry.description.depth = info.extent.depth;
        entry.description.mip_levels = info.mipLevels;
        entry.requirements = answer;
        for (const VkSparseImageMemoryRequirements& aspect : query_.sparse_image(info)) {
            const VkExtent3D& block = aspect.formatProperties.imageGranularity;
            entry.aspects.push_back({.aspects = aspect.formatProperties.aspectMask,
                                     .flags = aspect.formatProperties.flags,
                                     .image_granularity = {block.width, block.height, block.depth},
                                     .mip_tail_first_lod = aspect.imageMipTailFirstLod,
                                     .mip_tail_size_bytes = aspect.imageMipTailSize,
                                     .mip_tail_offset_bytes = aspect.imageMipTailOffset,
                                     .mip_tail_stride_bytes = aspect.imageMipTailStride});
        }
        report_.sparse_images.push_back(std::move(entry));
    }

    const Instance& instance_;
    const PhysicalDevice& device_;
    RequirementQuery& query_;
    model::DeviceReport& report_;
    probe::KnownMemoryTypes known_types_;
    std::size_t left_out_ = 0;
    probe::FailedQuestions failed_;
};

}  // namespace

void read_sparse_requirements(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                              model::DeviceReport& report) {
    const VkPhysicalDeviceFeatures& features = query.features();
    SparseReader reader(instance, device, query, report);
    if (features.sparseBinding == VK_TRUE) {
        reader.read_buffers();
    } else {
        report.unreported.push_back({.name = "sparse bind granularity", .reason = "the device has no sparseBinding"});
    }
    if (features.sparseResidencyImage2D == VK_TRUE || features.sparseResidencyImage3D == VK_TRUE) {
        reader.read_images();
        if (report.sparse_images.empty()) {
            report.unreported.push_back(
                {.name = "VkSparseImageMemoryRequirements", .reason = "the device names no sparse image format"});
        }
    } else {
        report.unreported.push_back(
            {.name = "VkSparseImageMemoryRequirements",
             .reason = "the device has neither sparseResidencyImage2D nor sparseResidencyImage3D"});
    }
    reader.note_left_out();
}

}  // namespace heapwright::vulkan
