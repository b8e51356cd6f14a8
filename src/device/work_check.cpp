#include "device/work_check.hpp"

#include <cstring>

#include <fmt/format.h>

#include "device/image_planes.hpp"

namespace heapwright::device {
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

Status not_empty(std::uint64_t size_bytes) {
    if (size_bytes != 0) return {};
    return fail(ErrorCode::kInvalidArgument, "work on 0 bytes");
}

class Checker {
public:
    Checker(EngineKind engine, const FindDescription& find) : engine_(engine), find_(find) {}

    Status operator()(const FillBuffer& fill) const {
        HEAPWRIGHT_ASSIGN(const BufferDescription* buffer, writable<BufferDescription>(fill.buffer));
        HEAPWRIGHT_TRY(multiple_of_4("the fill's offset", fill.offset_bytes));
        HEAPWRIGHT_TRY(multiple_of_4("the fill's size", fill.size_bytes));
        HEAPWRIGHT_TRY(not_empty(fill.size_bytes));
        return in_range("the fill", fill.offset_bytes, fill.size_bytes, buffer->size_bytes);
    }

    Status operator()(const CopyBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(const BufferDescription* source, readable<BufferDescription>(copy.source));
        HEAPWRIGHT_ASSIGN(const BufferDescription* destination, writable<BufferDescription>(copy.destination));
        HEAPWRIGHT_TRY(not_empty(copy.size_bytes));
        HEAPWRIGHT_TRY(in_range("the copy's source", copy.source_offset_bytes, copy.size_bytes, source->size_bytes));
        HEAPWRIGHT_TRY(in_range("the copy's destination", copy.destination_offset_bytes, copy.size_bytes,
                                destination->size_bytes));
        const bool apart = copy.source_offset_bytes + copy.size_bytes <= copy.destination_offset_bytes ||
                           copy.destination_offset_bytes + copy.size_bytes <= copy.source_offset_bytes;
        if (copy.source == copy.destination && !apart) {
            return fail(ErrorCode::kInvalidArgument, "a copy inside one buffer overlaps itself");
        }
        return {};
    }

    Status operator()(const ClearImage& clear) const {
        HEAPWRIGHT_ASSIGN(const ImageDescription* image, writable<ImageDescription>(clear.image));
        const model::FormatInfo& format = model::info(image->format);
        if (format.has_blocks() || format.is_multi_planar()) {
            return fail(ErrorCode::kNotSupported, fmt::format("a {} image cannot be cleared", format.name));
        }
        if (!format.is_depth_stencil()) {
            return engine_ == EngineKind::kCopy ? beyond("clearing an image") : Status{};
        }
        if (engine_ != EngineKind::kGraphics) return beyond("clearing a depth image");
        float depth = 0;
        std::memcpy(&depth, &clear.value[0], sizeof depth);
        return depth_in_range(depth);
    }

    Status operator()(const CopyBufferToImage& copy) const {
        HEAPWRIGHT_ASSIGN(const BufferDescription* buffer, readable<BufferDescription>(copy.buffer));
        HEAPWRIGHT_ASSIGN(const ImageDescription* image, writable<ImageDescription>(copy.image));
        if (model::info(image->format).is_depth_stencil() && engine_ != EngineKind::kGraphics) {
            return beyond("copying from a buffer to a depth image");
        }
        if (copy.rows.count != 0) HEAPWRIGHT_TRY(rows(*image, copy));
        return subresource(*image, copy.subresource, *buffer, copy.buffer_offset_bytes,
                           [&] { return bytes_copied_by(*image, copy); });
    }

    Status operator()(const CopyImageToBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(const ImageDescription* image, readable<ImageDescription>(copy.image));
        HEAPWRIGHT_ASSIGN(const BufferDescription* buffer, writable<BufferDescription>(copy.buffer));
        return subresource(*image, copy.subresource, *buffer, copy.buffer_offset_bytes,
                           [&] { return copied_bytes(*image, copy.subresource); });
    }

    Status operator()(const CopyImage& copy) const {
        HEAPWRIGHT_ASSIGN(const ImageDescription* source, readable<ImageDescription>(copy.source));
        HEAPWRIGHT_ASSIGN(const ImageDescription* destination, writable<ImageDescription>(copy.destination));
        if (copy.source == copy.destination) {
            return fail(ErrorCode::kInvalidArgument, "an image is copied to itself");
        }
        ImageDescription same = *source;
        same.usage = destination->usage;
        if (same != *destination) {
            return fail(ErrorCode::kInvalidArgument, "the two images of a copy differ in more than their usage");
        }
        return {};
    }

    Status operator()(const ClearRenderTarget& clear) const {
        constexpr model::Flags kNeeded = model::image_usage::kColorAttachment;
        HEAPWRIGHT_TRY(of<ImageDescription>(clear.image, kNeeded, "COLOR_ATTACHMENT"));
        return engine_ == EngineKind::kGraphics ? Status{} : beyond("clearing a render target");
    }

    Status operator()(const ClearDepthStencil& clear) const {
        constexpr model::Flags kNeeded = model::image_usage::kDepthStencilAttachment;
        HEAPWRIGHT_TRY(of<ImageDescription>(clear.image, kNeeded, "DEPTH_STENCIL_ATTACHMENT"));
        if (engine_ != EngineKind::kGraphics) return beyond("clearing a depth stencil");
        return depth_in_range(clear.depth);
    }

    Status operator()(const DispatchTables& dispatch) const {
        if (engine_ == EngineKind::kCopy) return beyond("a dispatch");
        for (const std::vector<ResourceId>* ids : {&dispatch.reads, &dispatch.writes}) {
            for (const ResourceId id : *ids) {
                if (find_(id) == nullptr) return fail(ErrorCode::kInvalidArgument, "the resource is not live");
            }
        }
        return {};
    }

    Status operator()(const TransformBuffer& transform) const {
        constexpr model::Flags kNeeded = model::buffer_usage::kStorage;
        if (engine_ == EngineKind::kCopy) return beyond("a transform");
        HEAPWRIGHT_ASSIGN(const BufferDescription* source,
                          of<BufferDescription>(transform.source, kNeeded, "STORAGE_BUFFER"));
        HEAPWRIGHT_ASSIGN(const BufferDescription* destination,
                          of<BufferDescription>(transform.destination, kNeeded, "STORAGE_BUFFER"));
        HEAPWRIGHT_TRY(shader_offset("the transform's source offset", transform.source_offset_bytes));
        HEAPWRIGHT_TRY(shader_offset("the transform's destination offset", transform.destination_offset_bytes));
        HEAPWRIGHT_TRY(multiple_of_4("the transform's size", transform.size_bytes));
        HEAPWRIGHT_TRY(not_empty(transform.size_bytes));
        if (transform.source == transform.destination &&
            transform.source_offset_bytes != transform.destination_offset_bytes) {
            return fail(ErrorCode::kInvalidArgument, "a transform inside one buffer changes its place");
        }
        HEAPWRIGHT_TRY(in_range("the transform's source", transform.source_offset_bytes, transform.size_bytes,
                                source->size_bytes));
        return in_range("the transform's destination", transform.destination_offset_bytes, transform.size_bytes,
                        destination->size_bytes);
    }

    Status operator()(const DrawBuffer& draw) const {
        if (engine_ != EngineKind::kGraphics) return beyond("a draw");
        HEAPWRIGHT_ASSIGN(const ImageDescription* image,
                          of<ImageDescription>(draw.image, model::image_usage::kColorAttachment, "COLOR_ATTACHMENT"));
        HEAPWRIGHT_ASSIGN(const BufferDescription* source,
                          of<BufferDescription>(draw.source, model::buffer_usage::kStorage, "STORAGE_BUFFER"));
        if (image->format != model::Format::kR8G8B8A8Unorm || image->samples != 1 ||
            image->dimension != model::ImageDimension::k2d) {
            return fail(ErrorCode::kInvalidArgument, "a draw's image is a single-sampled 2D image of R8G8B8A8_UNORM");
        }
        HEAPWRIGHT_TRY(shader_offset("the draw's source offset", draw.source_offset_bytes));
        return in_range("the draw's source", draw.source_offset_bytes, copied_bytes(*image, {}), source->size_bytes);
    }

private:
    static Status shader_offset(std::string_view what, std::uint64_t value) {
        if (value % kShaderOffsetBytes == 0) return {};
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = fmt::format("{} is no multiple of {}", what, kShaderOffsetBytes),
                          .value = value});
    }

    static tl::unexpected<Error> beyond(std::string_view what) {
        return fail(ErrorCode::kNotSupported, fmt::format("{} is beyond this engine's queue", what));
    }

    static Status depth_in_range(float depth) {
        if (depth >= 0.0f && depth <= 1.0f) return {};
        return fail(ErrorCode::kInvalidArgument, fmt::format("depth {} is outside 0 to 1", depth));
    }

    // TRANSFER_SRC is bit 0 and TRANSFER_DST bit 1 of both usages.
    template <class Description>
    Result<const Description*> readable(ResourceId id) const {
        return of<Description>(id, model::buffer_usage::kTransferSrc, "TRANSFER_SRC");
    }
    template <class Description>
    Result<const Description*> writable(ResourceId id) const {
        return of<Description>(id, model::buffer_usage::kTransferDst, "TRANSFER_DST");
    }

    template <class Description>
    Result<const Description*> of(ResourceId id, model::Flags needed, const char* name) const {
        const model::ResourceDescription* description = find_(id);
        if (description == nullptr) return fail(ErrorCode::kInvalidArgument, "the resource is not live");
        const auto* wanted = std::get_if<Description>(description);
        if (wanted == nullptr) {
            return fail(ErrorCode::kInvalidArgument, std::is_same_v<Description, BufferDescription>
                                                         ? "an image where a buffer is meant"
                                                         : "a buffer where an image is meant");
        }
        if ((wanted->usage & needed) == 0) {
            return fail(Error{.code = ErrorCode::kInvalidArgument,
                              .message = fmt::format("the resource was made without the usage {}", name),
                              .value = wanted->usage});
        }
        return wanted;
    }

    Status rows(const ImageDescription& image, const CopyBufferToImage& copy) const {
        const std::uint32_t level = copy.subresource.mip_level;
        if (level >= image.mip_levels) return {};  // subresource() says so
        if (!takes_rows(image, level, engine_)) {
            return fail(ErrorCode::kNotSupported,
                        fmt::format("rows of this {} image cannot be copied apart on this engine's queue",
                                    model::info(image.format).name));
        }
        const std::uint64_t end = std::uint64_t{copy.rows.first} + copy.rows.count;
        if (end <= block_rows(image, level)) return {};
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "the rows end beyond the mip level",
                          .value = end,
                          .limit = block_rows(image, level)});
    }

    // `bytes`: what is copied, asked for once the subresource is known to be there.
    template <class Bytes>
    static Status subresource(const ImageDescription& image, const ImageSubresource& part,
                              const BufferDescription& buffer, std::uint64_t buffer_offset_bytes, Bytes&& bytes) {
        const model::FormatInfo& format = model::info(image.format);
        if (image.samples > 1) {
            return fail(ErrorCode::kNotSupported, "a multisampled image is not copied to or from a buffer");
        }
        if (part.mip_level >= image.mip_levels) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "the image has no such mip level",
                              .value = part.mip_level,
                              .limit = image.mip_levels});
        }
        if (part.array_layer >= image.array_layers) {
            return fail(Error{.code = ErrorCode::kOutOfRange,
                              .message = "the image has no such array layer",
                              .value = part.array_layer,
                              .limit = image.array_layers});
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
        return in_range("the copy", buffer_offset_bytes, bytes(), buffer.size_bytes);
    }

    EngineKind engine_;
    const FindDescription& find_;
};

}  // namespace

Status check_work(const Work& work, EngineKind engine, const FindDescription& find) {
    return std::visit(Checker(engine, find), work);
}

}  // namespace heapwright::device
