#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "heapwright/device/image_planes.hpp"
#include "heapwright/device/work_check.hpp"
#include "heapwright/replay/work.hpp"

namespace heapwright::replay {
namespace {

using model::BufferDescription;
using model::ImageDescription;
using ResourcePointer = std::shared_ptr<ReplayResource>;

// TRANSFER_SRC and TRANSFER_DST are the same bits in both usages.
constexpr model::Flags kSource = model::buffer_usage::kTransferSrc;
constexpr model::Flags kDestination = model::buffer_usage::kTransferDst;
static_assert(kSource == model::image_usage::kTransferSrc && kDestination == model::image_usage::kTransferDst);

class Binder {
public:
    Binder(const device::Work& work, device::EngineKind engine, const ReplayResources& resources,
           const ReplayDescriptors& descriptors, const ReplayPipelines& pipelines)
        : work_(work), engine_(engine), resources_(resources), descriptors_(descriptors), pipelines_(pipelines) {}

    Result<BoundWork> operator()(const device::FillBuffer& fill) const {
        if (fill.offset_bytes % 4 != 0 || fill.size_bytes % 4 != 0) {
            return refuse(ErrorCode::kInvalidArgument, "a fill covers whole words of 4 bytes",
                          fill.offset_bytes % 4 != 0 ? fill.offset_bytes : fill.size_bytes, 4);
        }
        HEAPWRIGHT_ASSIGN(auto written, buffer(fill.buffer, kDestination, fill.offset_bytes, fill.size_bytes));
        return BoundWork{.work = work_, .read = nullptr, .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::CopyBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(auto read, buffer(copy.source, kSource, copy.source_offset_bytes, copy.size_bytes));
        HEAPWRIGHT_ASSIGN(auto written,
                          buffer(copy.destination, kDestination, copy.destination_offset_bytes, copy.size_bytes));
        const bool apart = copy.source_offset_bytes + copy.size_bytes <= copy.destination_offset_bytes ||
                           copy.destination_offset_bytes + copy.size_bytes <= copy.source_offset_bytes;
        if (read == written && !apart) {
            return refuse(ErrorCode::kInvalidArgument, "a copy inside one buffer overlaps itself",
                          copy.source_offset_bytes, copy.destination_offset_bytes);
        }
        return BoundWork{.work = work_, .read = std::move(read), .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::ClearImage& clear) const {
        HEAPWRIGHT_ASSIGN(auto written, image(clear.image, kDestination));
        const model::FormatInfo& format = model::info(std::get<ImageDescription>(written->description()).format);
        if (format.is_compressed()) return cannot(fmt::format("{} cannot be cleared", format.name));
        if (engine_ == device::EngineKind::kCopy) return cannot("a copy engine does not clear images");
        if (engine_ == device::EngineKind::kCompute && format.is_depth_stencil()) {
            return cannot("depth and stencil are cleared by a graphics engine");
        }
        return BoundWork{.work = work_, .read = nullptr, .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::CopyBufferToImage& copy) const {
        HEAPWRIGHT_ASSIGN(auto written, image(copy.image, kDestination));
        const model::FormatInfo& format = model::info(std::get<ImageDescription>(written->description()).format);
        if (engine_ != device::EngineKind::kGraphics && format.is_depth_stencil()) {
            return cannot("depth and stencil are written by a graphics engine");
        }
        HEAPWRIGHT_ASSIGN(const auto plane, plane_of(*written, copy.subresource, copy.buffer_offset_bytes));
        HEAPWRIGHT_ASSIGN(auto read, buffer(copy.buffer, kSource, copy.buffer_offset_bytes, plane.copied_bytes()));
        return BoundWork{.work = work_, .read = std::move(read), .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::CopyImageToBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(auto read, image(copy.image, kSource));
        HEAPWRIGHT_ASSIGN(const auto plane, plane_of(*read, copy.subresource, copy.buffer_offset_bytes));
        HEAPWRIGHT_ASSIGN(auto written,
                          buffer(copy.buffer, kDestination, copy.buffer_offset_bytes, plane.copied_bytes()));
        return BoundWork{.work = work_, .read = std::move(read), .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::CopyImage& copy) const {
        HEAPWRIGHT_ASSIGN(auto read, image(copy.source, kSource));
        HEAPWRIGHT_ASSIGN(auto written, image(copy.destination, kDestination));
        auto source = std::get<ImageDescription>(read->description());
        const auto& destination = std::get<ImageDescription>(written->description());
        source.usage = destination.usage;
        if (read == written || source != destination) {
            return refuse(ErrorCode::kInvalidArgument,
                          read == written ? "an image is copied to itself" : "the images differ in more than usage",
                          copy.source.value, copy.destination.value);
        }
        return BoundWork{.work = work_, .read = std::move(read), .written = std::move(written)};
    }

    Result<BoundWork> operator()(const device::ClearRenderTarget& clear) const {
        HEAPWRIGHT_ASSIGN(auto written, image(clear.image, model::image_usage::kColorAttachment));
        if (engine_ != device::EngineKind::kGraphics) return cannot("render targets are cleared by a graphics engine");
        return through_view<device::RenderTargetView>(clear.heap, device::DescriptorHeapKind::kRtv, clear.index,
                                                      std::move(written));
    }

    Result<BoundWork> operator()(const device::ClearDepthStencil& clear) const {
        HEAPWRIGHT_ASSIGN(auto written, image(clear.image, model::image_usage::kDepthStencilAttachment));
        if (engine_ != device::EngineKind::kGraphics)
            return cannot("depth and stencil are cleared by a graphics engine");
        return through_view<device::DepthStencilView>(clear.heap, device::DescriptorHeapKind::kDsv, clear.index,
                                                      std::move(written));
    }

    Result<BoundWork> operator()(const device::DispatchTables& tables) const {
        if (engine_ == device::EngineKind::kCopy) return cannot("a copy engine does not dispatch");
        HEAPWRIGHT_ASSIGN(auto dispatch, bind_dispatch(tables, resources_, descriptors_, pipelines_));
        return BoundWork{.work = work_, .read = nullptr, .written = nullptr, .dispatch = std::move(dispatch)};
    }

    Result<BoundWork> operator()(const device::TransformBuffer& transform) const {
        HEAPWRIGHT_TRY(check_common());
        return BoundWork{.work = work_,
                         .read = resources_.find_locked(transform.source),
                         .written = resources_.find_locked(transform.destination)};
    }

    Result<BoundWork> operator()(const device::DrawBuffer& draw) const {
        HEAPWRIGHT_TRY(check_common());
        HEAPWRIGHT_ASSIGN(
            auto bound, through_view<device::RenderTargetView>(draw.heap, device::DescriptorHeapKind::kRtv, draw.index,
                                                               resources_.find_locked(draw.image)));
        if (bound.view.mip_level != 0 || bound.view.array_layer != 0) {
            return refuse(ErrorCode::kInvalidArgument, "a draw's view is of mip 0 and layer 0", bound.view.mip_level,
                          0);
        }
        bound.read = resources_.find_locked(draw.source);
        return bound;
    }

private:
    // What is the same for every backend.
    [[nodiscard]] Status check_common() const {
        Status checked =
            device::check_work(work_, engine_, [this](device::ResourceId id) -> const model::ResourceDescription* {
                const auto found = resources_.find_locked(id);
                return found == nullptr ? nullptr : &found->description();
            });
        if (!checked) checked.error().where = where();
        return checked;
    }

    // What the descriptor says now is what the clear does, as in the APIs: recording reads these descriptors.
    template <class View>
    [[nodiscard]] Result<BoundWork> through_view(device::DescriptorHeapId heap_id, device::DescriptorHeapKind kind,
                                                 std::uint32_t index, ResourcePointer written) const {
        const auto heap = descriptors_.find_locked(heap_id);
        if (!heap || heap->request.kind != kind || index >= heap->request.capacity)
            return refuse(ErrorCode::kInvalidArgument, "no such descriptor", index, heap ? heap->request.capacity : 0);
        const ReplayDescriptor& descriptor = heap->descriptors[index];
        const auto* view = descriptor.value ? std::get_if<View>(&*descriptor.value) : nullptr;
        if (view == nullptr || descriptor.target.lock() != written) {
            return refuse(ErrorCode::kInvalidArgument,
                          view == nullptr ? "the descriptor was never written"
                                          : "the descriptor is no view of the image that is named",
                          index, heap->request.capacity);
        }
        return BoundWork{.work = work_,
                         .read = nullptr,
                         .written = std::move(written),
                         .view = {.mip_level = view->mip_level, .array_layer = view->array_layer}};
    }

    [[nodiscard]] std::string where() const {
        constexpr std::string_view kNames[] = {"FillBuffer",        "CopyBuffer",        "ClearImage",
                                               "CopyBufferToImage", "CopyImageToBuffer", "CopyImage",
                                               "ClearRenderTarget", "ClearDepthStencil", "DispatchTables",
                                               "TransformBuffer",   "DrawBuffer"};
        static_assert(std::size(kNames) == std::variant_size_v<device::Work>);
        return fmt::format("submit: {}", kNames[work_.index()]);
    }

    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string message, std::uint64_t value,
                                               std::uint64_t limit) const {
        return fail({.code = code, .message = std::move(message), .where = where(), .value = value, .limit = limit});
    }

    [[nodiscard]] tl::unexpected<Error> cannot(std::string reason) const {
        return fail(ErrorCode::kNotSupported, std::move(reason), where());
    }

    template <class Description>
    [[nodiscard]] Result<ResourcePointer> resource(device::ResourceId id, model::Flags usage) const {
        auto found = resources_.find_locked(id);
        const auto* description = found ? std::get_if<Description>(&found->description()) : nullptr;
        if (description == nullptr) {
            return fail({.code = ErrorCode::kInvalidArgument,
                         .message = found ? "an image where a buffer is meant, or the other way about"
                                          : "the resource is not alive",
                         .where = where(),
                         .value = id.value});
        }
        if ((description->usage & usage) != usage) {
            return refuse(ErrorCode::kInvalidArgument, "the resource was made without the usage that the work needs",
                          description->usage, usage);
        }
        return found;
    }

    [[nodiscard]] Result<ResourcePointer> buffer(device::ResourceId id, model::Flags usage, std::uint64_t first,
                                                 std::uint64_t size) const {
        HEAPWRIGHT_ASSIGN(auto found, resource<BufferDescription>(id, usage));
        const std::uint64_t limit = std::get<BufferDescription>(found->description()).size_bytes;
        if (size == 0) return refuse(ErrorCode::kInvalidArgument, "work on 0 bytes", size, limit);
        if (first > limit || size > limit - first) {
            return refuse(ErrorCode::kOutOfRange, fmt::format("{} bytes at {} leave the buffer", size, first), first,
                          limit);
        }
        return found;
    }

    [[nodiscard]] Result<ResourcePointer> image(device::ResourceId id, model::Flags usage) const {
        return resource<ImageDescription>(id, usage);
    }

    [[nodiscard]] Result<device::ImagePlane> plane_of(const ReplayResource& image, const device::ImageSubresource& part,
                                                      std::uint64_t buffer_offset_bytes) const {
        const auto& description = std::get<ImageDescription>(image.description());
        const model::FormatInfo& format = model::info(description.format);
        if (description.samples != 1) return cannot("a multisampled image is not copied to or from a buffer");
        if (part.stencil_aspect && !format.has_stencil) {
            return refuse(ErrorCode::kInvalidArgument, fmt::format("{} has no stencil aspect", format.name), 1, 0);
        }
        const auto plane = device::image_plane(description, part);
        if (!plane) {
            return refuse(ErrorCode::kOutOfRange,
                          fmt::format("the image has no mip level {} of layer {}", part.mip_level, part.array_layer),
                          part.mip_level, description.mip_levels);
        }
        const std::uint64_t unit = format.is_depth_stencil() ? 4 : format.block_bytes;
        if (buffer_offset_bytes % 4 != 0 || buffer_offset_bytes % unit != 0) {
            return refuse(ErrorCode::kInvalidArgument, "the buffer offset is no multiple of 4 and of the texel block",
                          buffer_offset_bytes, unit);
        }
        return *plane;
    }

    const device::Work& work_;
    device::EngineKind engine_;
    const ReplayResources& resources_;
    const ReplayDescriptors& descriptors_;
    const ReplayPipelines& pipelines_;
};

}  // namespace

Result<BoundWork> bind_work(const device::Work& work, device::EngineKind engine, const ReplayResources& resources,
                            const ReplayDescriptors& descriptors, const ReplayPipelines& pipelines) {
    return std::visit(Binder(work, engine, resources, descriptors, pipelines), work);
}

}  // namespace heapwright::replay
