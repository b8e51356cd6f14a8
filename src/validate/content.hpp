// What a resource is filled with and how that is checked: a list of parts that cover a buffer or an image, each with
// the pattern that it must hold. Computed from (seed, serial, description) alone, so that nothing needs to be kept
// between the filling and the check. Sizes in bytes. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/submitter.hpp"
#include "heapwright/model/resource.hpp"
#include "validate/pattern.hpp"

namespace heapwright::validate {

struct ContentPart {
    std::uint64_t offset_bytes = 0;          // buffers
    device::ImageSubresource subresource{};  // images
    std::uint64_t size_bytes = 0;            // images: packed, as a copy to a buffer writes it
    Pattern pattern;
};

struct Content {
    // Images: one clear writes every part whose pattern repeats.
    std::optional<ClearPattern> clear;
    // Buffers: in order of offset, covering all of it; repeating ones are written by FillBuffer. Images: all of it,
    // save the stencil where the device does not copy it.
    std::vector<ContentPart> parts;
    // False: the API has no copy that would show the bytes (multisampled, no transfer usage), or they exceed the
    // staging memory; `parts` is empty.
    bool is_verifiable = true;
};

struct CopyLimits {
    std::uint64_t largest_upload_bytes = 0;    // of a part that the host writes
    std::uint64_t largest_readback_bytes = 0;  // of a part of an image
    bool stencil = true;                       // see device::copies_stencil()
};

[[nodiscard]] Content content_of(const model::ResourceDescription& description, std::uint64_t seed,
                                 std::uint64_t serial, const CopyLimits& limits);

inline constexpr std::uint32_t kPoisonWord = 0xDEADBEEFu;

}  // namespace heapwright::validate
