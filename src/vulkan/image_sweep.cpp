#include "heapwright/vulkan/image_sweep.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/sweep/cases.hpp"
#include "heapwright/sweep/odd_answers.hpp"
#include "heapwright/sweep/tables.hpp"
#include "heapwright/vulkan/image_support.hpp"

namespace heapwright::vulkan {
namespace {

// Fills a table with the answers for one case. Only extent and mip levels change from point to point.
class CaseSweep {
public:
    CaseSweep(RequirementQuery& query, sweep::RequirementClasses& classes, sweep::OddAnswers<model::OddImage>& odd,
              const model::ImageCase& image, const ImageSupport& support)
        : query_(query),
          classes_(classes),
          odd_(odd),
          image_(image),
          support_(support),
          info_(create_info(image)),
          is_volume_(image.dimension == model::ImageDimension::k3d),
          full_mips_(image.full_mips) {}

    void fill(const model::ImageGrid& grid, model::SweepTable& table) {
        std::size_t point = 0;
        for (const std::uint32_t width : grid.widths) {
            for (const std::uint32_t height : grid.heights) ask(width, height, table, point++);
        }
        for (const auto& extent : grid.extra) ask(extent[0], extent[1], table, point++);
    }

private:
    void ask(std::uint32_t width, std::uint32_t height, model::SweepTable& table, std::size_t point) {
        table.size_bytes[point] = 0;
        table.requirement[point] = 0;
        info_.extent = {width, height, is_volume_ ? std::min(width, height) : 1};
        if (full_mips_) info_.mipLevels = static_cast<std::uint32_t>(std::bit_width(std::max(width, height)));
        if (!support_.admits(info_.extent, info_.mipLevels)) return;
        RequirementAnswer answer = query_.image(info_);
        if (!odd_.is_sound(answer)) answer = odd_.take(answer, image_.description(width, height));
        if (answer.size_bytes == 0 || answer.size_bytes > support_.limits.maxResourceSize) return;
        table.size_bytes[point] = answer.size_bytes;
        table.requirement[point] = classes_.index_of(answer);
    }

    RequirementQuery& query_;
    sweep::RequirementClasses& classes_;
    sweep::OddAnswers<model::OddImage>& odd_;
    const model::ImageCase& image_;
    const ImageSupport& support_;
    VkImageCreateInfo info_;
    bool is_volume_;
    bool full_mips_;
};

void leave_case_breadcrumb(const model::ImageCase& image, bool without_objects) {
    std::string text(model::info(image.format).name);
    text += image.tiling == model::ImageTiling::kLinear ? " linear" : " optimal";
    text += image.dimension == model::ImageDimension::k3d ? " 3D usage " : " 2D usage ";
    text += std::to_string(image.usage);
    if (image.full_mips) text += " full mips";
    text += " layers " + std::to_string(image.array_layers) + " samples " + std::to_string(image.samples);
    leave_breadcrumb(without_objects ? "vkGetDeviceImageMemoryRequirements" : "vkCreateImage", text);
}

}  // namespace

Result<model::ImageSweep> sweep_images(const Instance& instance, const PhysicalDevice& device, RequirementQuery& query,
                                       std::size_t memory_type_count, sweep::SweepPace& pace) {
    model::ImageSweep sweep;
    sweep.grid = sweep::image_grid(device.properties().limits.maxImageDimension2D);
    sweep.cases = sweep::standard_image_cases();
    sweep::RequirementClasses classes;
    sweep::OddAnswers<model::OddImage> odd(memory_type_count);
    sweep::TableStore tables;
    model::SweepTable table = sweep::empty_table(sweep.grid.point_count());
    std::size_t done = 0;
    for (model::ImageCase& image : sweep.cases) {
        HEAPWRIGHT_TRY(pace.step("image sweep", done++, sweep.cases.size()));
        const ImageSupport support = image_support(instance, device.handle(), image);
        if (!support.not_supported.empty()) {
            image.not_supported = support.not_supported;
            continue;
        }
        leave_case_breadcrumb(image, query.asks_without_objects());
        CaseSweep(query, classes, odd, image, support).fill(sweep.grid, table);
        if (sweep::holds_an_answer(table)) {
            image.table = tables.add(table);
        } else {
            image.not_supported = "the driver gave no usable answer for any extent of the grid";
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    sweep.odd_answers = odd.take_all();
    return sweep;
}

}  // namespace heapwright::vulkan
