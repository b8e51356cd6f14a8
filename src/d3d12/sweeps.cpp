#include "d3d12/sweeps.hpp"

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/facts.hpp"
#include "d3d12/resource_description.hpp"
#include "probe/ask_again.hpp"
#include "probe/cases.hpp"
#include "probe/run_sweep.hpp"

namespace heapwright::d3d12 {

namespace {

constexpr std::string_view kSameRequirements =
    "ID3D12Device::GetResourceAllocationInfo: what a resource of this description takes";

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
                                       const model::Workload* workload, probe::SweepPace& pace,
                                       std::vector<model::Finding>& findings) {
    const auto question_about = [&](const model::ImageCase& image) { return ImageQuestion(support, query, image); };
    auto swept = probe::run_sweep(probe::standard_image_sweep(D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION), workload,
                                  memory_type_count, pace, question_about);
    if (swept)
        HEAPWRIGHT_TRY(
            probe::check_again(*swept, memory_type_count, pace, kSameRequirements, findings, question_about));
    return swept;
}

namespace {

class BufferQuestion {
public:
    static constexpr std::string_view kRefused = "the device refused this buffer";
    static constexpr std::string_view kRefusedEverywhere =
        "ID3D12Device::GetResourceAllocationInfo refused every size of the grid";

    BufferQuestion(AllocationQuery& query, std::uint64_t max_bytes, const model::BufferCase& buffer)
        : query_(query), max_bytes_(max_bytes), buffer_(buffer) {}

    // Direct3D 12 has buffers of every usage.
    [[nodiscard]] static std::string not_supported() { return {}; }

    void leave_breadcrumb() const {
        heapwright::leave_breadcrumb("ID3D12Device::GetResourceAllocationInfo",
                                     fmt::format("buffer usage {}", buffer_.usage));
    }

    [[nodiscard]] bool admits(std::uint64_t size) const { return size <= max_bytes_; }
    [[nodiscard]] std::string objection(std::uint64_t size) const {
        return fmt::format("{} bytes, limit {}", size, max_bytes_);
    }

    [[nodiscard]] model::MemoryRequirements ask(std::uint64_t size) {
        const model::BufferDescription buffer{.size_bytes = size, .usage = buffer_.usage};
        D3D12_RESOURCE_DESC desc = buffer_description(buffer);
        return query_.buffer(buffer, desc);
    }

    // Direct3D 12 states no limit of what a resource takes.
    [[nodiscard]] static bool keeps(const model::MemoryRequirements&) { return true; }
    [[nodiscard]] static std::string objection(const model::MemoryRequirements&) { return {}; }

private:
    AllocationQuery& query_;
    std::uint64_t max_bytes_;
    const model::BufferCase& buffer_;
};

}  // namespace

std::uint64_t largest_buffer_bytes(ID3D12Device* device, probe::FailedQuestions& failed) {
    const auto support = feature_data<D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT>(
        device, D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT, "D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT", failed);
    const std::uint32_t bits = support.MaxGPUVirtualAddressBitsPerResource;
    return bits == 0 || bits >= 40 ? probe::kLargestSweptBuffer : 1ull << bits;
}

Result<model::BufferSweep> sweep_buffers(AllocationQuery& query, std::uint64_t max_bytes, std::size_t memory_type_count,
                                         const model::Workload* workload, probe::SweepPace& pace,
                                         std::vector<model::Finding>& findings) {
    const auto question_about = [&](const model::BufferCase& buffer) {
        return BufferQuestion(query, max_bytes, buffer);
    };
    auto swept =
        probe::run_sweep(probe::standard_buffer_sweep(max_bytes), workload, memory_type_count, pace, question_about);
    if (swept)
        HEAPWRIGHT_TRY(
            probe::check_again(*swept, memory_type_count, pace, kSameRequirements, findings, question_about));
    return swept;
}

}  // namespace heapwright::d3d12
