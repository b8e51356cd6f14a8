#include "validate/content_driver.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::validate {

namespace {

std::uint32_t first_word(const Pattern& pattern) {
    std::uint32_t word = 0;
    if (pattern.texel_bytes >= 4) std::memcpy(&word, pattern.texel.data(), 4);
    return word;
}

bool is_poison(const model::ResourceDescription& description, std::uint32_t word) {
    if (word == kPoisonWord) return true;
    const auto* image = std::get_if<model::ImageDescription>(&description);
    const auto clear = image == nullptr ? std::nullopt : clear_pattern(image->format, kPoisonWord);
    return clear && clear->colour.texel_bytes >= 4 && first_word(clear->colour) == word;
}

}  // namespace

Content ContentDriver::content(std::uint64_t serial, const model::ResourceDescription& description) const {
    return content_of(description, seed_, serial,
                      {.largest_upload_bytes = queue_->upload_capacity(),
                       .largest_readback_bytes = queue_->readback_capacity(),
                       .stencil = queue_->copies_stencil()});
}

Status ContentDriver::fill_buffer(const Content& content, device::ResourceId resource) {
    for (const ContentPart& part : content.parts) {
        if (part.pattern.shape == PatternShape::kRepeat) {
            queue_->add(device::FillBuffer{.buffer = resource,
                                           .offset_bytes = part.offset_bytes,
                                           .size_bytes = part.size_bytes,
                                           .value = first_word(part.pattern)});
            continue;
        }
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, queue_->upload(part.pattern, part.size_bytes));
        queue_->add(device::CopyBuffer{.source = queue_->upload_buffer(),
                                       .destination = resource,
                                       .source_offset_bytes = offset,
                                       .destination_offset_bytes = part.offset_bytes,
                                       .size_bytes = part.size_bytes});
    }
    return {};
}

Status ContentDriver::fill_image(const Content& content, device::ResourceId resource) {
    if (content.clear) {
        queue_->add(device::ClearImage{.image = resource, .value = content.clear->value});
        return {};
    }
    for (const ContentPart& part : content.parts) {
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, queue_->upload(part.pattern, part.size_bytes));
        queue_->add(device::CopyBufferToImage{.buffer = queue_->upload_buffer(),
                                              .image = resource,
                                              .buffer_offset_bytes = offset,
                                              .subresource = part.subresource});
    }
    return {};
}

Result<bool> ContentDriver::fill(std::uint64_t serial, const model::ResourceDescription& description,
                                 device::ResourceId resource) {
    const Content filling = content(serial, description);
    known_.emplace(serial, Known{.description = description});
    for (const ContentPart& part : filling.parts) {
        if (part.pattern.shape == PatternShape::kRepeat && part.pattern.texel_bytes >= 4)
            owner_of_word_[first_word(part.pattern)] = serial;
    }
    if (std::holds_alternative<model::ImageDescription>(description)) {
        HEAPWRIGHT_TRY(fill_image(filling, resource));
    } else {
        HEAPWRIGHT_TRY(fill_buffer(filling, resource));
    }
    return filling.is_verifiable;
}

Status ContentDriver::verify_buffer(std::uint64_t serial, const Content& content, device::ResourceId resource) {
    const std::uint64_t size = content.parts.back().offset_bytes + content.parts.back().size_bytes;
    const std::uint64_t piece = align_down(queue_->readback_capacity() / 4, 16);
    for (std::uint64_t begin = 0; begin < size; begin += piece) {
        const std::uint64_t end = std::min(begin + piece, size);
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, queue_->read_back(end - begin));
        queue_->add(device::CopyBuffer{.source = resource,
                                       .destination = queue_->readback_buffer(),
                                       .source_offset_bytes = begin,
                                       .destination_offset_bytes = offset,
                                       .size_bytes = end - begin});
        for (const ContentPart& part : content.parts) {
            const std::uint64_t from = std::max(begin, part.offset_bytes);
            const std::uint64_t to = std::min(end, part.offset_bytes + part.size_bytes);
            if (from >= to) continue;
            queue_->check_later({.serial = serial,
                                 .resource_offset = from,
                                 .pattern = shifted(part.pattern, from - part.offset_bytes),
                                 .staging_offset = offset + (from - begin),
                                 .size_bytes = to - from});
        }
    }
    return {};
}

Status ContentDriver::verify_image(std::uint64_t serial, const Content& content, device::ResourceId resource) {
    for (const ContentPart& part : content.parts) {
        HEAPWRIGHT_ASSIGN(const std::uint64_t offset, queue_->read_back(part.size_bytes));
        queue_->add(device::CopyImageToBuffer{.image = resource,
                                              .buffer = queue_->readback_buffer(),
                                              .buffer_offset_bytes = offset,
                                              .subresource = part.subresource});
        queue_->check_later({.serial = serial,
                             .subresource = part.subresource,
                             .pattern = part.pattern,
                             .staging_offset = offset,
                             .size_bytes = part.size_bytes});
    }
    return {};
}

Status ContentDriver::verify(std::uint64_t serial, device::ResourceId resource) {
    const model::ResourceDescription& description = known_.at(serial).description;
    const Content expected = content(serial, description);
    if (!expected.is_verifiable || expected.parts.empty()) return {};
    ++verified_resources_;
    if (std::holds_alternative<model::ImageDescription>(description)) return verify_image(serial, expected, resource);
    return verify_buffer(serial, expected, resource);
}

void ContentDriver::poison(std::uint64_t serial, device::ResourceId resource) {
    const model::ResourceDescription& description = known_.at(serial).description;
    if (const auto* buffer = std::get_if<model::BufferDescription>(&description)) {
        const std::uint64_t size = align_down(buffer->size_bytes, 4);
        if ((buffer->usage & model::buffer_usage::kTransferDst) != 0 && size != 0 && size <= kLargestPoisonedBytes)
            queue_->add(device::FillBuffer{.buffer = resource, .size_bytes = size, .value = kPoisonWord});
        return;
    }
    const auto& image = std::get<model::ImageDescription>(description);
    const auto clear = clear_pattern(image.format, kPoisonWord);
    if (clear && (image.usage & model::image_usage::kTransferDst) != 0 &&
        model::packed_size_bytes(image) <= kLargestPoisonedBytes)
        queue_->add(device::ClearImage{.image = resource, .value = clear->value});
}

void ContentDriver::forget(std::uint64_t serial) {
    if (const auto found = known_.find(serial); found != known_.end()) found->second.is_alive = false;
}

void ContentDriver::report(const PendingCheck& check, const Mismatch& mismatch) {
    Known& known = known_.at(check.serial);
    if (known.is_reported) return;
    known.is_reported = true;

    model::Fault fault = model::Fault::kStaleBytes;
    std::string origin = "bytes of unknown origin";
    const auto owner = owner_of_word_.find(mismatch.seen);
    if (is_poison(known.description, mismatch.seen)) {
        origin = "the poison of a released resource";
    } else if (owner != owner_of_word_.end() && owner->second != check.serial) {
        const Known& other = known_.at(owner->second);
        if (other.is_alive) fault = model::Fault::kOverlap;
        origin = fmt::format("the pattern of resource number {} ({}), which is {}", owner->second,
                             model::resource_text(other.description), other.is_alive ? "alive" : "released");
    }
    const bool is_image = std::holds_alternative<model::ImageDescription>(known.description);
    const std::string place =
        is_image
            ? fmt::format("mip {}, layer {}{}, byte {}", check.subresource.mip_level, check.subresource.array_layer,
                          check.subresource.stencil_aspect ? ", stencil" : "", mismatch.offset_bytes)
            : fmt::format("byte {}", check.resource_offset + mismatch.offset_bytes);
    log_.add(fault, fmt::format("number {} ({})", check.serial, model::resource_text(known.description)),
             fmt::format("{}: expected {:#010x}, read {:#010x}: {}", place, mismatch.expected, mismatch.seen, origin));
}

namespace {

constexpr std::uint64_t kSmallBufferBytes = 4096;    // all of it written by the host
constexpr std::uint64_t kMediumBufferBytes = 65536;  // one in four written by the host
constexpr std::uint64_t kBufferEndBytes = 512;       // of larger ones, the first and the last
constexpr std::uint64_t kSmallImageBytes = 16384;
constexpr std::uint64_t kMediumImageBytes = 1 << 18;  // one in four written by the host
constexpr std::uint64_t kDepthImageBytes = 1 << 20;   // depth clears tell two values apart only

enum Salt : std::uint32_t { kFill, kHead, kTail, kImage, kFirstSubresource };

bool can_be_copied(const model::ImageDescription& image) {
    constexpr model::Flags kBoth = model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    const model::FormatInfo& format = model::info(image.format);
    // Planes have copies of their own, a copy gives the unused bits of X8_D24 no value, and of combined formats those
    // whose depth is copied as 32 bits are known here.
    const bool has_known_bytes = !format.is_multi_planar() && (format.has_depth || !format.has_stencil) &&
                                 image.format != model::Format::kX8D24UnormPack32 &&
                                 image.format != model::Format::kD16UnormS8Uint;
    return (image.usage & kBoth) == kBoth && has_known_bytes;
}

bool can_be_copied(const model::BufferDescription& buffer) {
    constexpr model::Flags kBoth = model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    return (buffer.usage & kBoth) == kBoth;
}

Content buffer_content(const model::BufferDescription& buffer, std::uint64_t seed, std::uint64_t serial) {
    Content content;
    if (!can_be_copied(buffer)) {
        content.is_verifiable = false;
        return content;
    }
    const std::uint64_t size = buffer.size_bytes;
    const std::uint32_t base = pattern_base(seed, serial, kFill);
    const Pattern head{.base = pattern_base(seed, serial, kHead)};
    if (size <= kSmallBufferBytes || (size <= kMediumBufferBytes && base % 4 == 0)) {
        content.parts.push_back({.size_bytes = size, .pattern = head});
        return content;
    }
    const std::uint64_t tail = align_down(size - kBufferEndBytes, 4);
    content.parts.push_back({.size_bytes = kBufferEndBytes, .pattern = head});
    content.parts.push_back(
        {.offset_bytes = kBufferEndBytes, .size_bytes = tail - kBufferEndBytes, .pattern = fill_pattern(base)});
    content.parts.push_back({.offset_bytes = tail,
                             .size_bytes = size - tail,
                             .pattern = Pattern{.base = pattern_base(seed, serial, kTail)}});
    return content;
}

std::uint64_t texel_block_bytes(const model::FormatInfo& format, bool stencil_aspect) {
    if (stencil_aspect) return 1;
    // A combined format's depth is copied as 32 bits.
    return format.has_depth && format.has_stencil ? 4 : format.block_bytes;
}

std::uint64_t subresource_bytes(const model::ImageDescription& image, std::uint32_t mip_level, bool stencil_aspect) {
    const model::FormatInfo& format = model::info(image.format);
    const auto side = [&](std::uint32_t length) { return std::max(length >> mip_level, 1u); };
    return div_ceil(side(image.width), format.block_width) * div_ceil(side(image.height), format.block_height) *
           side(image.depth) * texel_block_bytes(format, stencil_aspect);
}

Content image_content(const model::ImageDescription& image, std::uint64_t seed, std::uint64_t serial,
                      const CopyLimits& limits) {
    const model::FormatInfo& format = model::info(image.format);
    const std::uint32_t base = pattern_base(seed, serial, kImage);
    const auto clear = clear_pattern(image.format, base);
    const std::uint64_t packed = model::packed_size_bytes(image);
    const std::uint64_t largest_part = subresource_bytes(image, 0, false);

    Content content;
    if (!can_be_copied(image)) {
        content.is_verifiable = false;
        return content;
    }
    const bool prefers_copy = packed <= kSmallImageBytes || (packed <= kMediumImageBytes && base % 4 == 0) ||
                              (format.is_depth_stencil() && packed <= kDepthImageBytes);
    const bool can_copy = largest_part <= limits.largest_upload_bytes && image.samples == 1;
    if (clear && !(prefers_copy && can_copy)) content.clear = clear;
    if (image.samples > 1 || largest_part > limits.largest_readback_bytes || (!content.clear && !can_copy)) {
        content.is_verifiable = false;
        return content;
    }
    std::uint32_t salt = kFirstSubresource;
    for (std::uint32_t layer = 0; layer < image.array_layers; ++layer) {
        for (std::uint32_t mip = 0; mip < image.mip_levels; ++mip) {
            for (const bool stencil : {false, true}) {
                if (stencil && !(format.has_stencil && limits.stencil)) continue;
                const Pattern pattern = content.clear
                                            ? (stencil ? clear->stencil : clear->colour)
                                            : copy_pattern(image.format, stencil, pattern_base(seed, serial, salt++));
                content.parts.push_back(
                    {.subresource = {.mip_level = mip, .array_layer = layer, .stencil_aspect = stencil},
                     .size_bytes = subresource_bytes(image, mip, stencil),
                     .pattern = pattern});
            }
        }
    }
    return content;
}

}  // namespace

Content content_of(const model::ResourceDescription& description, std::uint64_t seed, std::uint64_t serial,
                   const CopyLimits& limits) {
    if (const auto* image = std::get_if<model::ImageDescription>(&description))
        return image_content(*image, seed, serial, limits);
    return buffer_content(std::get<model::BufferDescription>(description), seed, serial);
}

}  // namespace heapwright::validate
