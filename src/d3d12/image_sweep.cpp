#include "d3d12/image_sweep.hpp"

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/resource_description.hpp"
#include "probe/cases.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {
namespace {

class ImageQuestion {
public:
    static constexpr std::string_view kRefused = "the device refused this texture";
    static constexpr std::string_view kRefusedEverywhere =
        "ID3D12Device::GetResourceAllocationInfo refused every extent of the grid";

    ImageQuestion(FormatSupport& support, AllocationQuery& query, const model::ImageCase& image)
        : support_(support), query_(query), image_(image) {}

    [[nodiscard]] std::string not_supported() const {
        constexpr std::uint32_t kSide = 16;  // stands for every extent: only format, usage and shape matter here
        return support_.objection(image_.description(kSide, kSide));
    }

    void leave_breadcrumb() const {
        heapwright::leave_breadcrumb(
            "ID3D12Device::GetResourceAllocationInfo",
            fmt::format("{}{} usage {}{} layers {} samples {}", model::info(image_.format).name,
                        image_.dimension == model::ImageDimension::k3d ? " 3D" : " 2D", image_.usage,
                        image_.full_mips ? " full mips" : "", image_.array_layers, image_.samples));
    }

    [[nodiscard]] bool admits(const probe::Extent& at) const { return objection(at).empty(); }
    [[nodiscard]] std::string objection(const probe::Extent& at) const {
        return support_.extent_objection(image_.description(at[0], at[1]));
    }

    [[nodiscard]] model::MemoryRequirements ask(const probe::Extent& at) {
        const model::ImageDescription image = image_.description(at[0], at[1]);
        TextureDescription texture = texture_description(image);
        return query_.texture(image, texture.desc);
    }

    // Direct3D 12 states no limit of what a resource takes.
    [[nodiscard]] static bool keeps(const model::MemoryRequirements&) { return true; }
    [[nodiscard]] static std::string objection(const model::MemoryRequirements&) { return {}; }

private:
    FormatSupport& support_;
    AllocationQuery& query_;
    const model::ImageCase& image_;
};

}  // namespace

Result<model::ImageSweep> sweep_images(FormatSupport& support, AllocationQuery& query, std::size_t memory_type_count,
                                       const model::Workload* workload, probe::SweepPace& pace) {
    return probe::run_sweep(probe::standard_image_sweep(D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION), workload,
                            memory_type_count, pace,
                            [&](const model::ImageCase& image) { return ImageQuestion(support, query, image); });
}

}  // namespace heapwright::d3d12
