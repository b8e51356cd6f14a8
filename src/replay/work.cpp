#include "replay/work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "device/image_planes.hpp"
#include "device/submitter.hpp"
#include "device/work_check.hpp"

namespace heapwright::replay {

namespace {

using model::ImageDescription;

constexpr std::size_t kPieceBytes = 1 << 16;  // stays in the cache

const ImageDescription& image_description(const ReplayResource& resource) {
    return std::get<ImageDescription>(resource.description());
}

void fill_bytes(ReplayResource& resource, std::uint64_t first, std::uint64_t size, std::span<const std::byte> pattern) {
    const std::size_t whole = kPieceBytes / pattern.size() * pattern.size();
    std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(size, whole)));
    std::size_t filled = std::min(piece.size(), pattern.size());
    std::memcpy(piece.data(), pattern.data(), filled);
    for (std::size_t more = 0; filled < piece.size(); filled += more) {  // always a whole number of patterns
        more = std::min(filled, piece.size() - filled);
        std::memcpy(piece.data() + filled, piece.data(), more);
    }
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
        destination.copy_from(source, source_first, destination_first, texel_count * source_texel);
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

// A clear of one subresource through a view of it.
void clear_view(ReplayResource& written, const device::ImageSubresource& view,
                const std::array<std::uint32_t, 4>& value) {
    const ImageDescription& image = image_description(written);
    for (const bool stencil : {false, true}) {
        if (stencil && !model::info(image.format).has_stencil) continue;
        device::ImageSubresource part = view;
        part.stencil_aspect = stencil;
        const auto plane = device::image_plane(image, part);
        const auto texel = device::clear_texel(image.format, value, stencil);
        if (plane && texel)
            fill_bytes(written, plane->offset_bytes, plane->size_bytes(), std::span(texel->bytes).first(texel->size));
    }
}

struct Runner {
    const BoundWork& bound;
    const ReplayResource* read;
    ReplayResource& written;

    void operator()(const device::FillBuffer& fill) const {
        std::array<std::byte, 4> word{};
        for (std::uint32_t i = 0; i < 4; ++i) word[i] = static_cast<std::byte>(fill.value >> (8 * i) & 0xFFu);
        fill_bytes(written, fill.offset_bytes, fill.size_bytes, word);
    }

    void operator()(const device::CopyBuffer& copy) const {
        written.copy_from(*read, copy.source_offset_bytes, copy.destination_offset_bytes, copy.size_bytes);
    }

    void operator()(const device::ClearImage& clear) const {
        const ImageDescription& image = image_description(written);
        const bool has_stencil = model::info(image.format).has_stencil;
        bool stencil = false;
        for (const device::ImagePlane& plane : device::image_planes(image)) {
            const auto texel = device::clear_texel(image.format, clear.value, stencil);
            if (texel)
                fill_bytes(written, plane.offset_bytes, plane.size_bytes(), std::span(texel->bytes).first(texel->size));
            stencil = has_stencil && !stencil;
        }
    }

    void operator()(const device::CopyBufferToImage& copy) const {
        if (const auto plane = device::image_plane(image_description(written), copy.subresource)) {
            // Rows are of formats that are stored as they are copied.
            const std::uint64_t texels =
                device::bytes_copied_by(image_description(written), copy) / plane->copied_texel_bytes;
            copy_texels(*read, copy.buffer_offset_bytes, plane->copied_texel_bytes, written,
                        plane->offset_bytes + device::bytes_skipped_by(image_description(written), copy),
                        plane->texel_bytes, texels);
        }
    }

    void operator()(const device::CopyImageToBuffer& copy) const {
        if (const auto plane = device::image_plane(image_description(*read), copy.subresource)) {
            copy_texels(*read, plane->offset_bytes, plane->texel_bytes, written, copy.buffer_offset_bytes,
                        plane->copied_texel_bytes, plane->texel_count);
        }
    }

    void operator()(const device::CopyImage&) const { written.copy_from(*read, 0, 0, written.byte_count()); }

    void operator()(const device::ClearRenderTarget& clear) const { clear_view(written, bound.view, clear.value); }

    void operator()(const device::ClearDepthStencil& clear) const {
        clear_view(written, bound.view, {std::bit_cast<std::uint32_t>(clear.depth), clear.stencil, 0, 0});
    }

    void operator()(const device::DispatchTables&) const {}

    void operator()(const device::TransformBuffer& transform) const {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(std::min<std::uint64_t>(
            transform.size_bytes / sizeof(std::uint32_t), kPieceBytes / sizeof(std::uint32_t))));
        for (std::uint64_t done = 0; done < transform.size_bytes;) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>((transform.size_bytes - done) / sizeof(std::uint32_t), words.size()));
            const std::span part = std::span(words).first(count);
            read->read(transform.source_offset_bytes + done, std::as_writable_bytes(part));
            for (std::uint32_t& word : part) word = device::transform_word(word, transform.key, transform.rounds);
            written.write(transform.destination_offset_bytes + done, std::as_bytes(part));
            done += part.size_bytes();
        }
    }

    void operator()(const device::DrawBuffer& draw) const {
        if (const auto plane = device::image_plane(image_description(written), bound.view)) {
            copy_texels(*read, draw.source_offset_bytes, plane->copied_texel_bytes, written, plane->offset_bytes,
                        plane->texel_bytes, plane->texel_count);
        }
    }
};

}  // namespace

WorkRange written_range(const BoundWork& bound) {
    if (const auto* fill = std::get_if<device::FillBuffer>(&bound.work)) return {fill->offset_bytes, fill->size_bytes};
    if (const auto* copy = std::get_if<device::CopyBuffer>(&bound.work)) {
        return {copy->destination_offset_bytes, copy->size_bytes};
    }
    if (const auto* transform = std::get_if<device::TransformBuffer>(&bound.work)) {
        return {transform->destination_offset_bytes, transform->size_bytes};
    }
    if (std::holds_alternative<device::DrawBuffer>(bound.work)) {
        const auto plane = device::image_plane(image_description(*bound.written), bound.view);
        if (plane) return {plane->offset_bytes, plane->size_bytes()};
    }
    if (const auto* copy = std::get_if<device::CopyBufferToImage>(&bound.work)) {
        const ImageDescription& image = image_description(*bound.written);
        const auto plane = device::image_plane(image, copy->subresource);
        if (plane && copy->rows.count == 0) return {plane->offset_bytes, plane->size_bytes()};
        if (plane)
            return {plane->offset_bytes + device::bytes_skipped_by(image, *copy),
                    device::bytes_copied_by(image, *copy)};
    }
    if (const auto* copy = std::get_if<device::CopyImageToBuffer>(&bound.work)) {
        const auto plane = device::image_plane(image_description(*bound.read), copy->subresource);
        if (plane) return {copy->buffer_offset_bytes, plane->copied_bytes()};
    }
    return {0, bound.written->byte_count()};
}

WorkRange read_range(const BoundWork& bound) {
    if (const auto* copy = std::get_if<device::CopyBuffer>(&bound.work))
        return {copy->source_offset_bytes, copy->size_bytes};
    if (const auto* transform = std::get_if<device::TransformBuffer>(&bound.work)) {
        return {transform->source_offset_bytes, transform->size_bytes};
    }
    if (const auto* draw = std::get_if<device::DrawBuffer>(&bound.work)) {
        const auto plane = device::image_plane(image_description(*bound.written), bound.view);
        if (plane) return {draw->source_offset_bytes, plane->copied_bytes()};
    }
    if (const auto* copy = std::get_if<device::CopyBufferToImage>(&bound.work)) {
        const ImageDescription& image = image_description(*bound.written);
        if (device::image_plane(image, copy->subresource))
            return {copy->buffer_offset_bytes, device::bytes_copied_by(image, *copy)};
    }
    return {0, bound.read->byte_count()};
}

void run_work(const BoundWork& bound, ReplayContext& context) {
    if (bound.dispatch) {
        run_dispatch(*bound.dispatch, context);
        return;
    }
    std::visit(Runner{.bound = bound, .read = bound.read.get(), .written = *bound.written}, bound.work);
}

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
