#include "vulkan/image_sweep.hpp"

#include <string>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "probe/cases.hpp"
#include "probe/failed_questions.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/image_support.hpp"

namespace heapwright::vulkan {
namespace {

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
    auto swept = probe::run_sweep(
        probe::standard_image_sweep(device.properties().limits.maxImageDimension2D), workload, memory_type_count, pace,
        [&](const model::ImageCase& image) { return ImageQuestion(instance, device, query, image, failed); });
    if (swept) {
        probe::add_silent_cases<ImageQuestion>(*swept, ImageQuestion::call(query), failed);
        failed.tell(
            "image-sweep-not-measured",
            fmt::format("the sizes of {} of {} kinds of images are not known", failed.count(), swept->cases.size()),
            "/image_sweep", findings);
    }
    return swept;
}

}  // namespace heapwright::vulkan
