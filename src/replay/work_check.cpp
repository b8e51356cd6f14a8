#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "device/work_check.hpp"
#include "replay/work.hpp"

namespace heapwright::replay {
namespace {

using ResourcePointer = std::shared_ptr<ReplayResource>;

// Binds an item that device::check_work() let through: its ids are live and of the right kind.
class Binder {
public:
    Binder(const device::Work& work, const ReplayResources& resources, const ReplayDescriptors& descriptors,
           const ReplayPipelines& pipelines)
        : work_(work), resources_(resources), descriptors_(descriptors), pipelines_(pipelines) {}

    Result<BoundWork> operator()(const device::FillBuffer& fill) const { return written(fill.buffer); }
    Result<BoundWork> operator()(const device::ClearImage& clear) const { return written(clear.image); }
    Result<BoundWork> operator()(const device::CopyBuffer& copy) const { return moved(copy.source, copy.destination); }
    Result<BoundWork> operator()(const device::CopyBufferToImage& copy) const { return moved(copy.buffer, copy.image); }
    Result<BoundWork> operator()(const device::CopyImageToBuffer& copy) const { return moved(copy.image, copy.buffer); }
    Result<BoundWork> operator()(const device::CopyImage& copy) const { return moved(copy.source, copy.destination); }
    Result<BoundWork> operator()(const device::TransformBuffer& transform) const {
        return moved(transform.source, transform.destination);
    }

    Result<BoundWork> operator()(const device::ClearRenderTarget& clear) const {
        return through_view<device::RenderTargetView>(clear.heap, device::DescriptorHeapKind::kRtv, clear.index,
                                                      resources_.find_locked(clear.image));
    }

    Result<BoundWork> operator()(const device::ClearDepthStencil& clear) const {
        return through_view<device::DepthStencilView>(clear.heap, device::DescriptorHeapKind::kDsv, clear.index,
                                                      resources_.find_locked(clear.image));
    }

    Result<BoundWork> operator()(const device::DispatchTables& tables) const {
        HEAPWRIGHT_ASSIGN(auto dispatch, bind_dispatch(tables, resources_, descriptors_, pipelines_));
        return BoundWork{.work = work_, .read = nullptr, .written = nullptr, .dispatch = std::move(dispatch)};
    }

    Result<BoundWork> operator()(const device::DrawBuffer& draw) const {
        HEAPWRIGHT_ASSIGN(
            auto bound, through_view<device::RenderTargetView>(draw.heap, device::DescriptorHeapKind::kRtv, draw.index,
                                                               resources_.find_locked(draw.image)));
        if (bound.view.mip_level != 0 || bound.view.array_layer != 0) {
            return refused("a draw's view is of mip 0 and layer 0", bound.view.mip_level, 0);
        }
        bound.read = resources_.find_locked(draw.source);
        return bound;
    }

private:
    [[nodiscard]] BoundWork written(device::ResourceId destination) const {
        return {.work = work_, .read = nullptr, .written = resources_.find_locked(destination)};
    }
    [[nodiscard]] BoundWork moved(device::ResourceId source, device::ResourceId destination) const {
        return {.work = work_, .read = resources_.find_locked(source), .written = resources_.find_locked(destination)};
    }

    // What the descriptor says now is what the clear does, as in the APIs: recording reads these descriptors.
    template <class View>
    [[nodiscard]] Result<BoundWork> through_view(device::DescriptorHeapId heap_id, device::DescriptorHeapKind kind,
                                                 std::uint32_t index, ResourcePointer image) const {
        const auto heap = descriptors_.find_locked(heap_id);
        if (!heap || heap->request.kind != kind || index >= heap->request.capacity)
            return refused("no such descriptor", index, heap ? heap->request.capacity : 0);
        const ReplayDescriptor& descriptor = heap->descriptors[index];
        const auto* view = descriptor.value ? std::get_if<View>(&*descriptor.value) : nullptr;
        if (view == nullptr || descriptor.target.lock() != image) {
            return refused(view == nullptr ? "the descriptor was never written"
                                           : "the descriptor is no view of the image that is named",
                           index, heap->request.capacity);
        }
        return BoundWork{.work = work_,
                         .read = nullptr,
                         .written = std::move(image),
                         .view = {.mip_level = view->mip_level, .array_layer = view->array_layer}};
    }

    [[nodiscard]] static tl::unexpected<Error> refused(std::string message, std::uint64_t value, std::uint64_t limit) {
        return fail(
            Error{.code = ErrorCode::kInvalidArgument, .message = std::move(message), .value = value, .limit = limit});
    }

    const device::Work& work_;
    const ReplayResources& resources_;
    const ReplayDescriptors& descriptors_;
    const ReplayPipelines& pipelines_;
};

std::string where(const device::Work& work) {
    constexpr std::string_view kNames[] = {"FillBuffer",        "CopyBuffer",        "ClearImage",
                                           "CopyBufferToImage", "CopyImageToBuffer", "CopyImage",
                                           "ClearRenderTarget", "ClearDepthStencil", "DispatchTables",
                                           "TransformBuffer",   "DrawBuffer"};
    static_assert(std::size(kNames) == std::variant_size_v<device::Work>);
    return fmt::format("submit: {}", kNames[work.index()]);
}

}  // namespace

Result<BoundWork> bind_work(const device::Work& work, device::EngineKind engine, const ReplayResources& resources,
                            const ReplayDescriptors& descriptors, const ReplayPipelines& pipelines) {
    const auto description = [&](device::ResourceId id) -> const model::ResourceDescription* {
        const auto found = resources.find_locked(id);
        return found == nullptr ? nullptr : &found->description();
    };
    auto bound = device::check_work(work, engine, description).and_then([&] {
        return std::visit(Binder(work, resources, descriptors, pipelines), work);
    });
    if (!bound && bound.error().where.empty()) bound.error().where = where(work);
    return bound;
}

}  // namespace heapwright::replay
