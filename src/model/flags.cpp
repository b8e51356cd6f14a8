#include "heapwright/model/flags.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::model {
namespace {

constexpr std::array<FlagName, 9> kMemoryProperties{{
    {memory_property::kDeviceLocal, "DEVICE_LOCAL"},
    {memory_property::kHostVisible, "HOST_VISIBLE"},
    {memory_property::kHostCoherent, "HOST_COHERENT"},
    {memory_property::kHostCached, "HOST_CACHED"},
    {memory_property::kLazilyAllocated, "LAZILY_ALLOCATED"},
    {memory_property::kProtected, "PROTECTED"},
    {memory_property::kDeviceCoherentAmd, "DEVICE_COHERENT_AMD"},
    {memory_property::kDeviceUncachedAmd, "DEVICE_UNCACHED_AMD"},
    {memory_property::kRdmaCapableNv, "RDMA_CAPABLE_NV"},
}};

constexpr std::array<FlagName, 3> kMemoryHeaps{{
    {memory_heap::kDeviceLocal, "DEVICE_LOCAL"},
    {memory_heap::kMultiInstance, "MULTI_INSTANCE"},
    {memory_heap::kTileMemoryQcom, "TILE_MEMORY_QCOM"},
}};

constexpr FlagName kImageUsages[] = {
#define HEAPWRIGHT_IMAGE_USAGE(bit, name) {bit, name},
#include "model/detail/flag_rows.inc"
#undef HEAPWRIGHT_IMAGE_USAGE
};

constexpr FlagName kBufferUsages[] = {
#define HEAPWRIGHT_BUFFER_USAGE(bit, name) {bit, name},
#include "model/detail/flag_rows.inc"
#undef HEAPWRIGHT_BUFFER_USAGE
};

constexpr FlagName kImageCreations[] = {
#define HEAPWRIGHT_IMAGE_CREATE(bit, name) {bit, name},
#include "model/detail/flag_rows.inc"
#undef HEAPWRIGHT_IMAGE_CREATE
};

constexpr std::array<FlagName, 8> kQueueFlags{{
    {queue_flag::kGraphics, "GRAPHICS"},
    {queue_flag::kCompute, "COMPUTE"},
    {queue_flag::kTransfer, "TRANSFER"},
    {queue_flag::kSparseBinding, "SPARSE_BINDING"},
    {queue_flag::kProtected, "PROTECTED"},
    {queue_flag::kVideoDecode, "VIDEO_DECODE"},
    {queue_flag::kVideoEncode, "VIDEO_ENCODE"},
    {queue_flag::kOpticalFlowNv, "OPTICAL_FLOW_NV"},
}};

constexpr std::array<FlagName, 4> kImageAspects{{
    {image_aspect::kColor, "COLOR"},
    {image_aspect::kDepth, "DEPTH"},
    {image_aspect::kStencil, "STENCIL"},
    {image_aspect::kMetadata, "METADATA"},
}};

constexpr std::array<FlagName, 3> kSparseImageFormats{{
    {sparse_image_format::kSingleMiptail, "SINGLE_MIPTAIL"},
    {sparse_image_format::kAlignedMipSize, "ALIGNED_MIP_SIZE"},
    {sparse_image_format::kNonstandardBlockSize, "NONSTANDARD_BLOCK_SIZE"},
}};

constexpr std::array<FlagName, 3> kImageCompressions{{
    {image_compression::kFixedRateDefault, "FIXED_RATE_DEFAULT"},
    {image_compression::kFixedRateExplicit, "FIXED_RATE_EXPLICIT"},
    {image_compression::kDisabled, "DISABLED"},
}};

constexpr std::array<FlagName, 24> kFixedRates{{
    {1u << 0, "1BPC"},   {1u << 1, "2BPC"},   {1u << 2, "3BPC"},   {1u << 3, "4BPC"},   {1u << 4, "5BPC"},
    {1u << 5, "6BPC"},   {1u << 6, "7BPC"},   {1u << 7, "8BPC"},   {1u << 8, "9BPC"},   {1u << 9, "10BPC"},
    {1u << 10, "11BPC"}, {1u << 11, "12BPC"}, {1u << 12, "13BPC"}, {1u << 13, "14BPC"}, {1u << 14, "15BPC"},
    {1u << 15, "16BPC"}, {1u << 16, "17BPC"}, {1u << 17, "18BPC"}, {1u << 18, "19BPC"}, {1u << 19, "20BPC"},
    {1u << 20, "21BPC"}, {1u << 21, "22BPC"}, {1u << 22, "23BPC"}, {1u << 23, "24BPC"},
}};

}  // namespace

std::span<const FlagName> memory_property_names() {
    return kMemoryProperties;
}
std::span<const FlagName> memory_heap_names() {
    return kMemoryHeaps;
}
std::span<const FlagName> image_usage_names() {
    return kImageUsages;
}
std::span<const FlagName> buffer_usage_names() {
    return kBufferUsages;
}
std::span<const FlagName> image_creation_names() {
    return kImageCreations;
}
std::span<const FlagName> queue_flag_names() {
    return kQueueFlags;
}
std::span<const FlagName> image_aspect_names() {
    return kImageAspects;
}
std::span<const FlagName> sparse_image_format_names() {
    return kSparseImageFormats;
}
std::span<const FlagName> image_compression_names() {
    return kImageCompressions;
}
std::span<const FlagName> image_compression_fixed_rate_names() {
    return kFixedRates;
}

std::string flag_name(Flags bit, std::span<const FlagName> names) {
    const auto named = std::ranges::find(names, bit, &FlagName::bit);
    return named == names.end() ? fmt::format("BIT_{}", std::countr_zero(bit)) : std::string(named->name);
}

std::optional<Flags> parse_flag_name(std::string_view text, std::span<const FlagName> names) {
    const auto named = std::ranges::find(names, text, &FlagName::name);
    if (named != names.end()) return named->bit;
    // A bit that has a name here may have had none where the document was written.
    for (Flags bit = 1; text.starts_with("BIT_") && bit != 0; bit <<= 1) {
        if (fmt::format("BIT_{}", std::countr_zero(bit)) == text) return bit;
    }
    return std::nullopt;
}

std::string nearest_flag_hint(std::string_view text, std::span<const FlagName> names) {
    std::vector<std::string_view> words;
    for (const FlagName& entry : names) words.push_back(entry.name);
    return nearest_word_hint(text, words);
}

std::string flags_text(Flags flags, std::span<const FlagName> names, std::string_view none) {
    if (flags == 0) return std::string(none);
    std::string text;
    for (Flags left = flags; left != 0; left &= left - 1) {
        append(text, "|", flag_name(Flags{1} << std::countr_zero(left), names));
    }
    return text;
}

}  // namespace heapwright::model
