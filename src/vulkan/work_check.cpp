#include "heapwright/vulkan/work_check.hpp"

#include <cstring>

#include <fmt/format.h>

#include "heapwright/device/work_check.hpp"
#include "heapwright/vulkan/format_map.hpp"

namespace heapwright::vulkan {
namespace {

using model::BufferDescription;
using model::ImageDescription;

Status in_range(std::string_view what, std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
    if (offset <= limit && size <= limit - offset) return {};
    return fail(Error{.code = ErrorCode::kOutOfRange,
                      .message = fmt::format("{}: {} bytes at offset {} end beyond the buffer", what, size, offset),
                      .value = offset,
                      .limit = limit});
}

Status multiple_of_4(std::string_view what, std::uint64_t value) {
    if (value % 4 == 0) return {};
    return fail(Error{
        .code = ErrorCode::kInvalidArgument, .message = fmt::format("{} is no multiple of 4", what), .value = value});
}

class Checker {
public:
    Checker(const DeviceContext& context, const device::Work& work, VkQueueFlags queue_flags,
            const WorkObjects& objects)
        : context_(context),
          queue_flags_(queue_flags),
          objects_(objects),
          resources_(objects.resources),
          planned_{.work = &work} {}

    Result<PlannedWork> operator()(const device::FillBuffer& fill) {
        HEAPWRIGHT_ASSIGN(planned_.first, buffer(fill.buffer, model::buffer_usage::kTransferDst));
        HEAPWRIGHT_TRY(multiple_of_4("the fill's offset", fill.offset_bytes));
        HEAPWRIGHT_TRY(multiple_of_4("the fill's size", fill.size_bytes));
        HEAPWRIGHT_TRY(not_empty(fill.size_bytes));
        HEAPWRIGHT_TRY(in_range("the fill", fill.offset_bytes, fill.size_bytes, size_of(*planned_.first)));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::CopyBuffer& copy) {
        HEAPWRIGHT_ASSIGN(planned_.first, buffer(copy.source, model::buffer_usage::kTransferSrc));
        HEAPWRIGHT_ASSIGN(planned_.second, buffer(copy.destination, model::buffer_usage::kTransferDst));
        HEAPWRIGHT_TRY(not_empty(copy.size_bytes));
        HEAPWRIGHT_TRY(
            in_range("the copy's source", copy.source_offset_bytes, copy.size_bytes, size_of(*planned_.first)));
        HEAPWRIGHT_TRY(in_range("the copy's destination", copy.destination_offset_bytes, copy.size_bytes,
                                size_of(*planned_.second)));
        const bool apart = copy.source_offset_bytes + copy.size_bytes <= copy.destination_offset_bytes ||
                           copy.destination_offset_bytes + copy.size_bytes <= copy.source_offset_bytes;
        if (planned_.first == planned_.second && !apart) {
            return fail(ErrorCode::kInvalidArgument, "a copy inside one buffer overlaps itself");
        }
        return planned_;
    }

    Result<PlannedWork> operator()(const device::ClearImage& clear) {
        HEAPWRIGHT_ASSIGN(planned_.first, image(clear.image, model::image_usage::kTransferDst));
        const model::FormatInfo& format = model::info(image_of(*planned_.first).format);
        if (format.is_compressed()) {
            return fail(ErrorCode::kNotSupported, fmt::format("a {} image cannot be cleared", format.name));
        }
        if (format.is_depth_stencil()) {
            HEAPWRIGHT_TRY(queue_has(VK_QUEUE_GRAPHICS_BIT, "clearing a depth image"));
            float depth = 0;
            std::memcpy(&depth, &clear.value[0], sizeof depth);
            if (!(depth >= 0.0f && depth <= 1.0f)) {
                return fail(ErrorCode::kInvalidArgument, fmt::format("depth {} is outside 0 to 1", depth));
            }
            return planned_;
        }
        HEAPWRIGHT_TRY(queue_has(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, "clearing an image"));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::CopyBufferToImage& copy) {
        HEAPWRIGHT_ASSIGN(planned_.first, buffer(copy.buffer, model::buffer_usage::kTransferSrc));
        HEAPWRIGHT_ASSIGN(planned_.second, image(copy.image, model::image_usage::kTransferDst));
        if (model::info(image_of(*planned_.second).format).is_depth_stencil()) {
            HEAPWRIGHT_TRY(queue_has(VK_QUEUE_GRAPHICS_BIT, "copying from a buffer to a depth image"));
        }
        HEAPWRIGHT_TRY(subresource(*planned_.second, copy.subresource, *planned_.first, copy.buffer_offset_bytes));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::CopyImageToBuffer& copy) {
        HEAPWRIGHT_ASSIGN(planned_.first, image(copy.image, model::image_usage::kTransferSrc));
        HEAPWRIGHT_ASSIGN(planned_.second, buffer(copy.buffer, model::buffer_usage::kTransferDst));
        HEAPWRIGHT_TRY(subresource(*planned_.first, copy.subresource, *planned_.second, copy.buffer_offset_bytes));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::CopyImage& copy) {
        HEAPWRIGHT_ASSIGN(planned_.first, image(copy.source, model::image_usage::kTransferSrc));
        HEAPWRIGHT_ASSIGN(planned_.second, image(copy.destination, model::image_usage::kTransferDst));
        if (planned_.first == planned_.second) {
            return fail(ErrorCode::kInvalidArgument, "an image is copied to itself");
        }
        ImageDescription source = image_of(*planned_.first);
        const ImageDescription& destination = image_of(*planned_.second);
        source.usage = destination.usage;
        if (source != destination) {
            return fail(ErrorCode::kInvalidArgument, "the two images of a copy differ in more than their usage");
        }
        return planned_;
    }

    Result<PlannedWork> operator()(const device::ClearRenderTarget& clear) {
        HEAPWRIGHT_TRY(check_common());
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        planned_.first = resources_.find(clear.image);
        return planned_;
    }

    Result<PlannedWork> operator()(const device::ClearDepthStencil& clear) {
        HEAPWRIGHT_TRY(check_common());
        HEAPWRIGHT_TRY(check_view(context_, objects_, clear.heap, clear.index, clear.image));
        planned_.first = resources_.find(clear.image);
        return planned_;
    }

    Result<PlannedWork> operator()(const device::DispatchTables& dispatch) {
        HEAPWRIGHT_TRY(check_common());
        HEAPWRIGHT_TRY(check_dispatch(dispatch, objects_));
        return planned_;
    }

    Result<PlannedWork> operator()(const device::TransformBuffer& transform) {
        HEAPWRIGHT_TRY(check_common());
        planned_.first = resources_.find(transform.source);
        planned_.second = resources_.find(transform.destination);
        return planned_;
    }

    Result<PlannedWork> operator()(const device::DrawBuffer& draw) {
        HEAPWRIGHT_TRY(check_common());
        HEAPWRIGHT_TRY(check_view(context_, objects_, draw.heap, draw.index, draw.image));
        const ImageViewObject& view = *objects_.descriptors.find(draw.heap)->slots[draw.index].view;
        if (view.mip_level != 0 || view.array_layer != 0) {
            return fail(ErrorCode::kInvalidArgument, "a draw's view is of mip 0 and layer 0");
        }
        planned_.first = resources_.find(draw.source);
        planned_.second = resources_.find(draw.image);
        if (size_of_part(*planned_.second) > context_.limits.maxStorageBufferRange) {
            return fail(Error{.code = ErrorCode::kNotSupported,
                              .message = "a draw's texels are more than maxStorageBufferRange",
                              .value = size_of_part(*planned_.second),
                              .limit = context_.limits.maxStorageBufferRange});
        }
        return planned_;
    }

private:
    // What is the same for every backend.
    Status check_common() const {
        device::EngineKind engine = device::EngineKind::kCopy;
        if ((queue_flags_ & VK_QUEUE_COMPUTE_BIT) != 0) engine = device::EngineKind::kCompute;
        if ((queue_flags_ & VK_QUEUE_GRAPHICS_BIT) != 0) engine = device::EngineKind::kGraphics;
        return device::check_work(*planned_.work, engine,
                                  [this](device::ResourceId id) -> const model::ResourceDescription* {
                                      const Resource* resource = resources_.find(id);
                                      return resource == nullptr ? nullptr : &resource->description;
                                  });
    }

    static std::uint64_t size_of(const Resource& resource) {
        return std::get<BufferDescription>(resource.description).size_bytes;
    }

    static std::uint64_t size_of_part(const Resource& image) {
        return packed_subresource_bytes(image_of(image), 0, false);
    }

    static Status not_empty(std::uint64_t size_bytes) {
        if (size_bytes != 0) return {};
        return fail(ErrorCode::kInvalidArgument, "work on 0 bytes");
    }

    Status queue_has(VkQueueFlags any_of, std::string_view what) const {
        if ((queue_flags_ & any_of) != 0) return {};
        return fail(ErrorCode::kNotSupported, fmt::format("{} is beyond this engine's queue", what));
    }

    Result<Resource*> buffer(device::ResourceId id, model::Flags usage) {
        Resource* resource = resources_.find(id);
        if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "the buffer is not live");
        const auto* description = std::get_if<BufferDescription>(&resource->description);
        if (description == nullptr) return fail(ErrorCode::kInvalidArgument, "an image where a buffer is meant");
        HEAPWRIGHT_TRY(has_usage(description->usage, usage));
        return resource;
    }

    Result<Resource*> image(device::ResourceId id, model::Flags usage) {
        Resource* resource = resources_.find(id);
        if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "the image is not live");
        const auto* description = std::get_if<ImageDescription>(&resource->description);
        if (description == nullptr) return fail(ErrorCode::kInvalidArgument, "a buffer where an image is meant");
        HEAPWRIGHT_TRY(has_usage(description->usage, usage));
        return resource;
    }

    // TRANSFER_SRC is bit 0 and TRANSFER_DST bit 1 of both usages.
    static Status has_usage(model::Flags usage, model::Flags needed) {
        if ((usage & needed) == needed) return {};
        return fail(
            Error{.code = ErrorCode::kInvalidArgument,
                  .message = fmt::format("the resource was made without the usage {}",
                                         needed == model::buffer_usage::kTransferSrc ? "TRANSFER_SRC" : "TRANSFER_DST"),
                  .value = usage});
    }

    static Status subresource(const Resource& image, const device::ImageSubresource& part, const Resource& buffer,
                              std::uint64_t buffer_offset_bytes) {
        const ImageDescription& description = image_of(image);
        const model::FormatInfo& format = model::info(description.format);
        if (description.samples > 1) {
            return fail(ErrorCode::kNotSupported, "a multisampled image is not copied to or from a buffer");
        }
        if (part.mip_level >= description.mip_levels) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "the image has no such mip level",
                              .value = part.mip_level,
                              .limit = description.mip_levels});
        }
        if (part.array_layer >= description.array_layers) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "the image has no such array layer",
                              .value = part.array_layer,
                              .limit = description.array_layers});
        }
        if (part.stencil_aspect && !format.has_stencil) {
            return fail(ErrorCode::kInvalidArgument, fmt::format("{} has no stencil aspect", format.name));
        }
        HEAPWRIGHT_TRY(multiple_of_4("the buffer offset", buffer_offset_bytes));
        if (!format.is_depth_stencil() && buffer_offset_bytes % format.block_bytes != 0) {
            return fail(Error{.code = ErrorCode::kInvalidArgument,
                              .message = fmt::format("the buffer offset is no multiple of the {} bytes of a {} block",
                                                     format.block_bytes, format.name),
                              .value = buffer_offset_bytes});
        }
        return in_range("the copy", buffer_offset_bytes,
                        packed_subresource_bytes(description, part.mip_level, part.stencil_aspect), size_of(buffer));
    }

    const DeviceContext& context_;
    VkQueueFlags queue_flags_;
    const WorkObjects& objects_;
    ResourceBinder& resources_;
    PlannedWork planned_;
};

}  // namespace

Result<PlannedWork> check_work(const DeviceContext& context, const device::Work& work, VkQueueFlags queue_flags,
                               const WorkObjects& objects) {
    return std::visit(Checker(context, work, queue_flags, objects), work);
}

}  // namespace heapwright::vulkan
