#include "heapwright/device/replay_work.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "heapwright/device/replay_image.hpp"

namespace heapwright::device {
namespace {

using model::BufferDescription;
using model::ImageDescription;

constexpr std::size_t kPieceBytes = 1 << 20;

tl::unexpected<Error> invalid(std::string_view what, std::string message, std::uint64_t value, std::uint64_t limit) {
    return fail({.code = ErrorCode::kInvalidArgument,
                 .message = std::move(message),
                 .where = fmt::format("submit: {}", what),
                 .value = value,
                 .limit = limit});
}

Result<std::shared_ptr<ReplayResource>> buffer_of(std::string_view what, const ReplayResources& resources,
                                                  ResourceId id, std::uint64_t first, std::uint64_t size) {
    auto resource = resources.find_locked(id);
    const auto* buffer = resource ? std::get_if<BufferDescription>(&resource->description()) : nullptr;
    if (buffer == nullptr) return invalid(what, "no such buffer", id.value, 0);
    if (first > buffer->size_bytes || size > buffer->size_bytes - first) {
        return invalid(what, fmt::format("{} bytes at {} leave the buffer", size, first), first, buffer->size_bytes);
    }
    return resource;
}

Result<std::shared_ptr<ReplayResource>> image_of(std::string_view what, const ReplayResources& resources,
                                                 ResourceId id) {
    auto resource = resources.find_locked(id);
    if (!resource || !std::holds_alternative<ImageDescription>(resource->description())) {
        return invalid(what, "no such image", id.value, 0);
    }
    return resource;
}

const ImageDescription& image_description(const ReplayResource& resource) {
    return std::get<ImageDescription>(resource.description());
}

Result<ImagePlane> plane_of(std::string_view what, const ReplayResource& image, const ImageSubresource& subresource,
                            std::uint64_t buffer_offset_bytes) {
    const ImageDescription& description = image_description(image);
    if (description.samples != 1) {
        return invalid(what, "a multisampled image cannot be copied to or from a buffer", description.samples, 1);
    }
    const auto plane = image_plane(description, subresource);
    if (!plane) {
        return invalid(what,
                       fmt::format("the image has no {} of mip level {}, layer {}",
                                   subresource.stencil_aspect ? "stencil" : "texels", subresource.mip_level,
                                   subresource.array_layer),
                       subresource.mip_level, description.mip_levels);
    }
    const std::uint64_t unit = subresource.stencil_aspect ? 1 : model::info(description.format).block_bytes;
    if (buffer_offset_bytes % 4 != 0 || (unit <= 16 && buffer_offset_bytes % unit != 0)) {
        return invalid(what, "the buffer offset is not a multiple of 4 and of the texel block", buffer_offset_bytes,
                       unit);
    }
    return *plane;
}

tl::unexpected<Error> engine_cannot(std::string_view what, std::string_view reason) {
    return fail(ErrorCode::kNotSupported, fmt::format("the engine cannot do this: {}", reason),
                fmt::format("submit: {}", what));
}

struct Binder {
    EngineKind engine;
    const ReplayResources& resources;
    const Work& work;

    Result<BoundWork> operator()(const FillBuffer& fill) const {
        if (fill.offset_bytes % 4 != 0 || fill.size_bytes % 4 != 0) {
            return invalid("FillBuffer",
                           fmt::format("{} bytes at {} are not whole words", fill.size_bytes, fill.offset_bytes),
                           fill.offset_bytes, 4);
        }
        HEAPWRIGHT_ASSIGN(auto buffer,
                          buffer_of("FillBuffer", resources, fill.buffer, fill.offset_bytes, fill.size_bytes));
        return BoundWork{.work = work, .read = nullptr, .written = std::move(buffer)};
    }

    Result<BoundWork> operator()(const CopyBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(auto source,
                          buffer_of("CopyBuffer", resources, copy.source, copy.source_offset_bytes, copy.size_bytes));
        HEAPWRIGHT_ASSIGN(auto destination, buffer_of("CopyBuffer", resources, copy.destination,
                                                      copy.destination_offset_bytes, copy.size_bytes));
        return BoundWork{.work = work, .read = std::move(source), .written = std::move(destination)};
    }

    Result<BoundWork> operator()(const ClearImage& clear) const {
        HEAPWRIGHT_ASSIGN(auto image, image_of("ClearImage", resources, clear.image));
        const model::FormatInfo& format = model::info(image_description(*image).format);
        if (format.is_compressed()) {
            return engine_cannot("ClearImage", fmt::format("{} cannot be cleared", format.name));
        }
        if (engine == EngineKind::kCopy) return engine_cannot("ClearImage", "a copy engine does not clear");
        if (engine == EngineKind::kCompute && format.is_depth_stencil()) {
            return engine_cannot("ClearImage", "depth and stencil are cleared by graphics engines");
        }
        return BoundWork{.work = work, .read = nullptr, .written = std::move(image)};
    }

    Result<BoundWork> operator()(const CopyBufferToImage& copy) const {
        HEAPWRIGHT_ASSIGN(auto image, image_of("CopyBufferToImage", resources, copy.image));
        if (engine != EngineKind::kGraphics && model::info(image_description(*image).format).is_depth_stencil()) {
            return engine_cannot("CopyBufferToImage", "depth and stencil are written by graphics engines");
        }
        HEAPWRIGHT_ASSIGN(const auto plane,
                          plane_of("CopyBufferToImage", *image, copy.subresource, copy.buffer_offset_bytes));
        HEAPWRIGHT_ASSIGN(auto buffer, buffer_of("CopyBufferToImage", resources, copy.buffer, copy.buffer_offset_bytes,
                                                 plane.copied_bytes()));
        return BoundWork{.work = work, .read = std::move(buffer), .written = std::move(image)};
    }

    Result<BoundWork> operator()(const CopyImageToBuffer& copy) const {
        HEAPWRIGHT_ASSIGN(auto image, image_of("CopyImageToBuffer", resources, copy.image));
        HEAPWRIGHT_ASSIGN(const auto plane,
                          plane_of("CopyImageToBuffer", *image, copy.subresource, copy.buffer_offset_bytes));
        HEAPWRIGHT_ASSIGN(auto buffer, buffer_of("CopyImageToBuffer", resources, copy.buffer, copy.buffer_offset_bytes,
                                                 plane.copied_bytes()));
        return BoundWork{.work = work, .read = std::move(image), .written = std::move(buffer)};
    }

    Result<BoundWork> operator()(const CopyImage& copy) const {
        HEAPWRIGHT_ASSIGN(auto source, image_of("CopyImage", resources, copy.source));
        HEAPWRIGHT_ASSIGN(auto destination, image_of("CopyImage", resources, copy.destination));
        if (!(source->description() == destination->description())) {
            return invalid("CopyImage", "the images' descriptions differ", copy.source.value, copy.destination.value);
        }
        return BoundWork{.work = work, .read = std::move(source), .written = std::move(destination)};
    }
};

void copy_bytes(const ReplayResource& source, std::uint64_t source_first, ReplayResource& destination,
                std::uint64_t destination_first, std::uint64_t size) {
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(size, kPieceBytes)));
    for (std::uint64_t done = 0; done < size; done += piece.size()) {
        const std::span part(piece.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size - done, kPieceBytes)));
        source.read(source_first + done, part);
        destination.write(destination_first + done, part);
    }
}

void fill_bytes(ReplayResource& resource, std::uint64_t first, std::uint64_t size, std::span<const std::byte> pattern) {
    const std::size_t whole = kPieceBytes / pattern.size() * pattern.size();
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(size, whole)));
    for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = pattern[i % pattern.size()];
    for (std::uint64_t done = 0; done < size; done += whole) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, whole));
        resource.write(first + done, std::span(piece).first(part));
    }
}

// Texels change their width where a plane is stored narrower than it is copied.
void copy_texels(const ReplayResource& source, std::uint64_t source_first, std::uint32_t source_texel,
                 ReplayResource& destination, std::uint64_t destination_first, std::uint32_t destination_texel,
                 std::uint64_t texel_count) {
    if (source_texel == destination_texel) {
        copy_bytes(source, source_first, destination, destination_first, texel_count * source_texel);
        return;
    }
    constexpr std::uint64_t kTexelsAtOnce = 64 * 1024;
    const std::uint32_t kept = std::min(source_texel, destination_texel);
    std::vector<std::byte> from;
    std::vector<std::byte> to;
    for (std::uint64_t done = 0; done < texel_count; done += kTexelsAtOnce) {
        const std::uint64_t count = std::min(texel_count - done, kTexelsAtOnce);
        from.assign(static_cast<std::size_t>(count * source_texel), std::byte{0});
        to.assign(static_cast<std::size_t>(count * destination_texel), std::byte{0});
        source.read(source_first + done * source_texel, from);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::memcpy(to.data() + i * destination_texel, from.data() + i * source_texel, kept);
        }
        destination.write(destination_first + done * destination_texel, to);
    }
}

struct Runner {
    const ReplayResource* read;
    ReplayResource& written;

    void operator()(const FillBuffer& fill) const {
        std::array<std::byte, 4> word{};
        for (std::uint32_t i = 0; i < 4; ++i) word[i] = static_cast<std::byte>(fill.value >> (8 * i) & 0xFFu);
        fill_bytes(written, fill.offset_bytes, fill.size_bytes, word);
    }

    void operator()(const CopyBuffer& copy) const {
        copy_bytes(*read, copy.source_offset_bytes, written, copy.destination_offset_bytes, copy.size_bytes);
    }

    void operator()(const ClearImage& clear) const {
        const ImageDescription& image = image_description(written);
        const bool has_stencil = model::info(image.format).has_stencil;
        bool stencil = false;
        for (const ImagePlane& plane : image_planes(image)) {
            const auto texel = clear_texel(image.format, clear.value, stencil);
            if (texel)
                fill_bytes(written, plane.offset_bytes, plane.size_bytes(), std::span(texel->bytes).first(texel->size));
            stencil = has_stencil && !stencil;
        }
    }

    void operator()(const CopyBufferToImage& copy) const {
        if (const auto plane = image_plane(image_description(written), copy.subresource)) {
            copy_texels(*read, copy.buffer_offset_bytes, plane->copied_texel_bytes, written, plane->offset_bytes,
                        plane->texel_bytes, plane->texel_count);
        }
    }

    void operator()(const CopyImageToBuffer& copy) const {
        if (const auto plane = image_plane(image_description(*read), copy.subresource)) {
            copy_texels(*read, plane->offset_bytes, plane->texel_bytes, written, copy.buffer_offset_bytes,
                        plane->copied_texel_bytes, plane->texel_count);
        }
    }

    void operator()(const CopyImage&) const { copy_bytes(*read, 0, written, 0, written.byte_count()); }
};

}  // namespace

Result<BoundWork> bind_work(const Work& work, EngineKind engine, const ReplayResources& resources) {
    return std::visit(Binder{.engine = engine, .resources = resources, .work = work}, work);
}

WrittenRange written_range(const BoundWork& bound) {
    if (const auto* fill = std::get_if<FillBuffer>(&bound.work)) return {fill->offset_bytes, fill->size_bytes};
    if (const auto* copy = std::get_if<CopyBuffer>(&bound.work)) {
        return {copy->destination_offset_bytes, copy->size_bytes};
    }
    if (const auto* copy = std::get_if<CopyBufferToImage>(&bound.work)) {
        const auto plane = image_plane(image_description(*bound.written), copy->subresource);
        if (plane) return {plane->offset_bytes, plane->size_bytes()};
    }
    if (const auto* copy = std::get_if<CopyImageToBuffer>(&bound.work)) {
        const auto plane = image_plane(image_description(*bound.read), copy->subresource);
        if (plane) return {copy->buffer_offset_bytes, plane->copied_bytes()};
    }
    return {0, bound.written->byte_count()};
}

void run_work(const BoundWork& bound) {
    std::visit(Runner{.read = bound.read.get(), .written = *bound.written}, bound.work);
}

}  // namespace heapwright::device
