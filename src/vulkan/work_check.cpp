#include "vulkan/work_check.hpp"

#include "device/image_planes.hpp"
#include "device/work_check.hpp"

namespace heapwright::vulkan {
namespace {

device::EngineKind engine_of(VkQueueFlags queue_flags) {
    if ((queue_flags & VK_QUEUE_GRAPHICS_BIT) != 0) return device::EngineKind::kGraphics;
    return (queue_flags & VK_QUEUE_COMPUTE_BIT) != 0 ? device::EngineKind::kCompute : device::EngineKind::kCopy;
}

// Binds an item that device::check_work() let through: its ids are live and of the right kind.
class Binder {
public:
    Binder(const OpenDevice& context, const device::Work& work, const WorkObjects& objects)
        : context_(context), objects_(objects), planned_{.work = &work} {}

    Result<PlannedWork> operator()(const device::FillBuffer& fill) { return resources(fill.buffer); }
    Result<PlannedWork> operator()(const device::CopyBuffer& copy) { return resources(copy.source, copy.destination); }
    Result<PlannedWork> operator()(const device::ClearImage& clear) { return resources(clear.image); }
    Result<PlannedWork> operator()(const device::CopyBufferToImage& copy) { return resources(copy.buffer, copy.image); }
    Result<PlannedWork> operator()(const device::CopyImageToBuffer& copy) { return resources(copy.image, copy.buffer); }
    Result<PlannedWork> operator()(const device::CopyImage& copy) { return resources(copy.source, copy.destination); }

    Result<PlannedWork> operator()(const device::ClearRenderTarget& clear) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        return resources(clear.image);
    }

    Result<PlannedWork> operator()(const device::ClearDepthStencil& clear) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        return resources(clear.image);
    }

    Result<PlannedWork> operator()(const device::DispatchTables& dispatch) {
        HEAPWRIGHT_TRY(check_dispatch(dispatch, objects_));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::TransformBuffer& transform) {
        return resources(transform.source, transform.destination);
    }

    Result<PlannedWork> operator()(const device::DrawBuffer& draw) {
        HEAPWRIGHT_TRY(check_view(context_, objects_, draw.heap, draw.index, draw.image));
        const ImageViewObject& view = *objects_.descriptors.find(draw.heap)->slots[draw.index].view;
        if (view.mip_level != 0 || view.array_layer != 0) {
            return fail(ErrorCode::kInvalidArgument, "a draw's view is of mip 0 and layer 0");
        }
        const std::uint64_t texel_bytes = device::copied_bytes(image_of(*objects_.resources.find(draw.image)), {});
        if (texel_bytes > context_.limits.maxStorageBufferRange) {
            return fail(Error{.code = ErrorCode::kNotSupported,
                              .message = "a draw's texels are more than maxStorageBufferRange",
                              .value = texel_bytes,
                              .limit = context_.limits.maxStorageBufferRange});
        }
        return resources(draw.source, draw.image);
    }

private:
    PlannedWork resources(device::ResourceId first) {
        planned_.first = objects_.resources.find(first);
        return planned_;
    }
    PlannedWork resources(device::ResourceId first, device::ResourceId second) {
        planned_.second = objects_.resources.find(second);
        return resources(first);
    }

    const OpenDevice& context_;
    const WorkObjects& objects_;
    PlannedWork planned_;
};

}  // namespace

Result<PlannedWork> check_work(const OpenDevice& context, const device::Work& work, VkQueueFlags queue_flags,
                               const WorkObjects& objects) {
    HEAPWRIGHT_TRY(device::check_work(work, engine_of(queue_flags),
                                      [&](device::ResourceId id) -> const model::ResourceDescription* {
                                          const Resource* resource = objects.resources.find(id);
                                          return resource == nullptr ? nullptr : &resource->description;
                                      }));
    return std::visit(Binder(context, work, objects), work);
}

}  // namespace heapwright::vulkan
