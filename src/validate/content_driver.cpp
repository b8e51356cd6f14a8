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

}  // namespace heapwright::validate
