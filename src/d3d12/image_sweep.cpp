#include "heapwright/d3d12/image_sweep.hpp"

#include <fmt/format.h>

#include "heapwright/core/breadcrumb.hpp"
#include "heapwright/d3d12/resource_description.hpp"
#include "heapwright/sweep/cases.hpp"
#include "heapwright/sweep/hint_points.hpp"
#include "heapwright/sweep/tables.hpp"

namespace heapwright::d3d12 {
namespace {

void leave_case_breadcrumb(const model::ImageCase& image) {
    leave_breadcrumb("ID3D12Device::GetResourceAllocationInfo",
                     fmt::format("{}{} usage {}{} layers {} samples {}", model::info(image.format).name,
                                 image.dimension == model::ImageDimension::k3d ? " 3D" : " 2D", image.usage,
                                 image.full_mips ? " full mips" : "", image.array_layers, image.samples));
}

// A case of one texel stands for the case where only format, usage and shape matter.
model::ImageDescription representative(const model::ImageCase& image) {
    constexpr std::uint32_t kSide = 16;
    return image.description(kSide, kSide);
}

sweep::RequirementAnswer ask(const FormatSupport& support, AllocationQuery& query, const model::ImageDescription& image,
                             std::string& why) {
    why = support.extent_objection(image);
    if (!why.empty()) return {};
    TextureDescription texture = texture_description(image);
    const sweep::RequirementAnswer answer = query.texture(image, texture.desc);
    if (answer.size_bytes == 0) why = "the device refused this texture";
    return answer;
}

}  // namespace

Result<model::ImageSweep> sweep_images(FormatSupport& support, AllocationQuery& query, sweep::SweepPace& pace) {
    model::ImageSweep sweep;
    sweep.grid = sweep::image_grid(D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION);
    sweep.cases = sweep::standard_image_cases();
    sweep::RequirementClasses classes;
    sweep::TableStore tables;
    model::SweepTable table = sweep::empty_table(sweep.grid.point_count());
    std::size_t done = 0;
    std::string why;
    for (model::ImageCase& image : sweep.cases) {
        HEAPWRIGHT_TRY(pace.step("image sweep", done++, sweep.cases.size()));
        image.not_supported = support.objection(representative(image));
        if (!image.not_supported.empty()) continue;
        leave_case_breadcrumb(image);
        for (std::size_t point = 0; point < sweep.grid.point_count(); ++point) {
            const auto [width, height] = sweep.grid.point(point);
            const sweep::RequirementAnswer answer = ask(support, query, image.description(width, height), why);
            table.size_bytes[point] = answer.size_bytes;
            table.requirement[point] = answer.size_bytes == 0 ? std::uint16_t{0} : classes.index_of(answer);
        }
        if (sweep::holds_an_answer(table)) {
            image.table = tables.add(table);
        } else {
            image.not_supported = "the device refused every extent of the grid";
        }
    }
    HEAPWRIGHT_TRY(classes.check());
    sweep.requirements = classes.take();
    sweep.tables = tables.take();
    return sweep;
}

Status add_workload_images(const model::Workload& workload, FormatSupport& support, AllocationQuery& query,
                           sweep::SweepPace& pace, model::ImageSweep& sweep) {
    std::size_t done = 0;
    for (const model::ImageHint& hint : workload.images) {
        HEAPWRIGHT_TRY(pace.step("workload images", done++, workload.images.size()));
        const model::ImageCase image = sweep::case_of(hint);
        leave_case_breadcrumb(image);
        for (const auto& [width, height] : sweep::hint_extents(hint)) {
            const model::ImageDescription description = image.description(width, height);
            if (sweep::answers(sweep, description)) continue;
            model::ImagePoint point{.description = description, .requirements = {}, .not_supported = {}};
            point.not_supported = support.objection(description);
            if (point.not_supported.empty()) {
                const sweep::RequirementAnswer answer = ask(support, query, description, point.not_supported);
                if (point.not_supported.empty()) point.requirements = sweep::requirements_of(answer);
            }
            sweep.points.push_back(std::move(point));
        }
    }
    return {};
}

}  // namespace heapwright::d3d12
