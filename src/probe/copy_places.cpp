#include "probe/copy_places.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "probe/cost_fit.hpp"

namespace heapwright::probe {
namespace {

constexpr std::uint32_t kSmallestSide = 128;
constexpr std::uint64_t kMostImages = 16;
constexpr std::uint64_t kMostImageBytes = 64 * kMiB;  // of several
constexpr std::uint64_t kMostTexelBytes = 16 * kMiB;  // larger images are filled in bands
constexpr std::uint32_t kFilled = 0x5A17'C0DEu;

using model::CopyDirection;

}  // namespace

std::uint32_t side_of(std::uint64_t bytes) {
    std::uint32_t side = kSmallestSide;
    for (std::uint64_t size = kSmallestCopy; size < bytes; size *= kCopyGrowth) side *= 2;
    return side;
}

Result<CopyPlaces> CopyPlaces::create(EngineScratch& scratch, const CopyEnds& ends, std::uint64_t bytes,
                                      std::uint64_t span_bytes) {
    namespace bits = model::buffer_usage;
    CopyPlaces places(ends, bytes, std::max(span_bytes / bytes, std::uint64_t{1}) * bytes);
    const bool up = ends.direction == CopyDirection::kUpload;
    const bool down = ends.direction == CopyDirection::kDownload;
    const ScratchUse on_device = ends.mapped ? ScratchUse::kMapped : ScratchUse::kDevice;
    const ScratchUse on_host = up ? ScratchUse::kUpload : ScratchUse::kReadback;
    const model::Flags usage =
        bits::kTransferSrc | bits::kTransferDst | (ends.shaders ? bits::kStorage : model::Flags{0});
    if (ends.by_host) {
        HEAPWRIGHT_ASSIGN(places.to_, scratch.buffer(ends.mapped ? on_device : on_host, places.span_bytes_, usage));
        places.ordinary_.resize(places.span_bytes_);
    }
    if (!ends.by_host && (up || !ends.images)) {
        HEAPWRIGHT_ASSIGN(places.from_, scratch.buffer(up ? on_host : ScratchUse::kDevice, places.span_bytes_, usage));
    }
    if (!ends.by_host && (down || !ends.images)) {
        HEAPWRIGHT_ASSIGN(places.to_, scratch.buffer(down ? on_host : on_device, places.span_bytes_, usage));
    }
    if (ends.images && !up) {
        HEAPWRIGHT_ASSIGN(places.texels_, scratch.buffer(ScratchUse::kUpload, kMostTexelBytes, bits::kTransferSrc));
        // Texels that no compression of the device's makes smaller.
        std::uint32_t word = kFilled;
        for (std::size_t at = 0; at + sizeof word <= places.texels_.bytes.size(); at += sizeof word) {
            word = device::transform_word(word, kFilled, 1);
            std::memcpy(&places.texels_.bytes[at], &word, sizeof word);
        }
        HEAPWRIGHT_TRY(scratch.flush(places.texels_));
    }
    for (const std::span<std::byte> pages : {places.from_.bytes, places.to_.bytes, std::span(places.ordinary_)})
        touch_pages(pages);
    return places;
}

void CopyPlaces::change_size(std::uint64_t bytes) {
    bytes_ = bytes;
    next_ = 0;
}

Status CopyPlaces::make_images(EngineScratch& scratch, std::uint64_t most) {
    from_images_.clear();
    to_images_.clear();
    scratch.clear();
    if (ends_.direction != CopyDirection::kUpload) HEAPWRIGHT_TRY(add_images(scratch, most, from_images_));
    if (ends_.direction != CopyDirection::kDownload) HEAPWRIGHT_TRY(add_images(scratch, most, to_images_));
    return {};
}

std::uint64_t CopyPlaces::most_in_a_row() const {
    const std::uint64_t places = span_bytes_ / bytes_;
    return ends_.images ? std::min<std::uint64_t>(std::max(from_images_.size(), to_images_.size()), places) : places;
}

std::vector<device::Work> CopyPlaces::first_touch() {
    std::vector<device::Work> work;
    for (const device::ResourceId image : from_images_) {
        const std::uint32_t rows = side_of(bytes_);
        const auto band = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, kMostTexelBytes / (rows * 4ull)));
        for (std::uint32_t row = 0; row < rows; row += band) {
            work.emplace_back(device::CopyBufferToImage{.buffer = texels_.resource,
                                                        .image = image,
                                                        .buffer_offset_bytes = 0,
                                                        .subresource = {},
                                                        .rows = {.first = row, .count = std::min(band, rows - row)}});
        }
    }
    if (!ends_.images && from_.bytes.empty()) {
        work.emplace_back(device::FillBuffer{
            .buffer = from_.resource, .offset_bytes = 0, .size_bytes = span_bytes_, .value = kFilled});
    }
    if (!ends_.images) {
        work.emplace_back(
            device::CopyBuffer{.source = from_.resource, .destination = to_.resource, .size_bytes = span_bytes_});
    }
    const std::vector<device::Work> copied = copies(false, ends_.images ? most_in_a_row() : 0);
    work.insert(work.end(), copied.begin(), copied.end());
    return work;
}

std::vector<device::Work> CopyPlaces::copies(bool by_shader, std::uint64_t times) {
    std::vector<device::Work> work;
    for (std::uint64_t i = 0; i < times; ++i) work.push_back(next_copy(by_shader));
    return work;
}

Status CopyPlaces::copy_by_host(EngineScratch& scratch, std::uint64_t times) {
    const bool up = ends_.direction == CopyDirection::kUpload;
    for (std::uint64_t i = 0; i < times; ++i) {
        const std::uint64_t at = next_++ % most_in_a_row() * bytes_;
        std::byte* const mapped = to_.bytes.data() + at;
        std::byte* const ordinary = ordinary_.data() + at;
        if (!up) HEAPWRIGHT_TRY(scratch.invalidate(to_, at, bytes_));
        std::memcpy(up ? mapped : ordinary, up ? ordinary : mapped, bytes_);
        if (up) HEAPWRIGHT_TRY(scratch.flush(to_, at, bytes_));
    }
    return {};
}

Status CopyPlaces::add_images(EngineScratch& scratch, std::uint64_t most,
                              std::vector<device::ResourceId>& images) const {
    const std::uint64_t count = std::clamp<std::uint64_t>(kMostImageBytes / bytes_, 1, std::min(most, kMostImages));
    for (std::uint64_t i = 0; i < count; ++i) {
        HEAPWRIGHT_ASSIGN(const device::ResourceId image,
                          scratch.image({.usage = model::image_usage::kTransferSrc | model::image_usage::kTransferDst,
                                         .width = side_of(bytes_),
                                         .height = side_of(bytes_)}));
        images.push_back(image);
    }
    return {};
}

device::Work CopyPlaces::next_copy(bool by_shader) {
    const std::uint64_t copy = next_++;
    const std::uint64_t at = copy % (span_bytes_ / bytes_) * bytes_;
    const auto of = [copy](const std::vector<device::ResourceId>& images) { return images[copy % images.size()]; };
    if (!from_images_.empty() && !to_images_.empty())
        return device::CopyImage{.source = of(from_images_), .destination = of(to_images_)};
    if (!to_images_.empty())
        return device::CopyBufferToImage{.buffer = from_.resource, .image = of(to_images_), .buffer_offset_bytes = at};
    if (!from_images_.empty())
        return device::CopyImageToBuffer{.image = of(from_images_), .buffer = to_.resource, .buffer_offset_bytes = at};
    if (by_shader)
        return device::TransformBuffer{.source = from_.resource,
                                       .destination = to_.resource,
                                       .source_offset_bytes = at,
                                       .destination_offset_bytes = at,
                                       .size_bytes = bytes_,
                                       .rounds = 0};
    return device::CopyBuffer{.source = from_.resource,
                              .destination = to_.resource,
                              .source_offset_bytes = at,
                              .destination_offset_bytes = at,
                              .size_bytes = bytes_};
}

}  // namespace heapwright::probe
