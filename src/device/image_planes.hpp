// Where the texels of a replayed image lie, how many bytes a copy moves, and what a clear writes. Pure.
//
//   | layer 0: mip 0 [main plane][stencil plane] | mip 1 ... | layer 1: mip 0 ... |
//
// The main plane holds colour or depth. D24_UNORM_S8_UINT is stored as 3 + 1 bytes and copied as 4 + 1, its depth in
// the low 24 bits of a word whose upper bits are 0 (Vulkan specification, "Copying Data Between Buffers and Images").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "device/submitter.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::device {

// One aspect of one subresource inside the image's bytes.
struct ImagePlane {
    std::uint64_t offset_bytes = 0;
    std::uint64_t texel_count = 0;         // texel blocks, all samples
    std::uint32_t texel_bytes = 0;         // as stored
    std::uint32_t copied_texel_bytes = 0;  // as a copy to or from a buffer sees them

    [[nodiscard]] std::uint64_t size_bytes() const { return texel_count * texel_bytes; }
    [[nodiscard]] std::uint64_t copied_bytes() const { return texel_count * copied_texel_bytes; }
};

// Nothing when the image has no such mip level, layer or aspect.
[[nodiscard]] std::optional<ImagePlane> image_plane(const model::ImageDescription& image,
                                                    const ImageSubresource& subresource);

// Bytes of one aspect of one subresource, tightly packed in a buffer as a copy sees it; 0 for an aspect that the format
// has not. The mip level is one of the image's.
[[nodiscard]] std::uint64_t copied_bytes(const model::ImageDescription& image, const ImageSubresource& subresource);

// Rows of texel blocks of one slice of the mip level.
[[nodiscard]] std::uint32_t block_rows(const model::ImageDescription& image, std::uint32_t mip_level);

// Whether rows of the mip level can be copied from a buffer apart from the others.
[[nodiscard]] bool takes_rows(const model::ImageDescription& image, std::uint32_t mip_level, EngineKind engine);

// Bytes of the rows in the buffer, and of those before them in the subresource. The rows are some of the mip level's.
[[nodiscard]] std::uint64_t bytes_copied_by(const model::ImageDescription& image, const CopyBufferToImage& copy);
[[nodiscard]] std::uint64_t bytes_skipped_by(const model::ImageDescription& image, const CopyBufferToImage& copy);

// Every plane of the image, in order of offset.
[[nodiscard]] std::vector<ImagePlane> image_planes(const model::ImageDescription& image);

// Bytes of all planes together.
[[nodiscard]] std::uint64_t stored_size_bytes(const model::ImageDescription& image);

struct ClearTexel {
    std::array<std::byte, 16> bytes{};
    std::uint32_t size = 0;
};

// The texel that ClearImage's value gives in the main or the stencil plane; nothing for a format that no API clears
// (blocks, planes) and for one whose texels are not encoded here.
[[nodiscard]] std::optional<ClearTexel> clear_texel(model::Format format, const std::array<std::uint32_t, 4>& value,
                                                    bool stencil_aspect);

// Whether the stencil of a combined format is copied to and from buffers. A device that does not says so by a finding,
// so that a report and a device replayed from it say the same; such work gives kNotSupported there. Pure; thread-safe.

inline constexpr std::string_view kStencilNotCopiedFinding = "stencil-not-copied";

[[nodiscard]] inline bool copies_stencil(const model::DeviceReport& facts) {
    return std::none_of(facts.findings.begin(), facts.findings.end(),
                        [](const model::Finding& finding) { return finding.id == kStencilNotCopiedFinding; });
}

}  // namespace heapwright::device
