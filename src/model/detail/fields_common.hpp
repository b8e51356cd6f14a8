// Fields of what the documents share: header, identity, resources.
#pragma once

#include <algorithm>

#include "heapwright/model/detail/codec.hpp"

namespace heapwright::model::detail {

constexpr bool is_hexadecimal(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

constexpr bool is_utc_time(std::string_view text) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    if (text.size() != kForm.size()) return false;
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return false;
    }
    return true;
}

inline constexpr PatternCodec kUuidCodec{
    "^([0-9a-f]{32})?$",
    [](std::string_view text) { return text.empty() || (text.size() == 32 && is_hexadecimal(text)); },
    "32 hexadecimal digits or nothing"};
inline constexpr PatternCodec kLuidCodec{
    "^([0-9a-f]{16})?$",
    [](std::string_view text) { return text.empty() || (text.size() == 16 && is_hexadecimal(text)); },
    "16 hexadecimal digits or nothing"};
inline constexpr PatternCodec kHashCodec{
    "^[0-9a-f]{32}$", [](std::string_view text) { return text.size() == 32 && is_hexadecimal(text); },
    "32 hexadecimal digits"};
inline constexpr PatternCodec kTimeCodec{"^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?$",
                                         [](std::string_view text) { return text.empty() || is_utc_time(text); },
                                         "YYYY-MM-DDThh:mm:ssZ or nothing"};

inline constexpr FlagsCodec kMemoryPropertyCodec{"memory_property_flags", memory_property_names};
inline constexpr FlagsCodec kMemoryHeapCodec{"memory_heap_flags", memory_heap_names};
inline constexpr FlagsCodec kImageUsageCodec{"image_usage_flags", image_usage_names};
inline constexpr FlagsCodec kImageCreationCodec{"image_creation_flags", image_creation_names};
inline constexpr FlagsCodec kBufferUsageCodec{"buffer_usage_flags", buffer_usage_names};
inline constexpr FlagsCodec kQueueFlagsCodec{"queue_flags", queue_flag_names};
inline constexpr FlagsCodec kImageAspectCodec{"image_aspect_flags", image_aspect_names};
inline constexpr FlagsCodec kSparseImageFormatCodec{"sparse_image_format_flags", sparse_image_format_names};
inline constexpr FlagsCodec kImageCompressionCodec{"image_compression_flags", image_compression_names};
inline constexpr FlagsCodec kFixedRateCodec{"image_compression_fixed_rate_flags", image_compression_fixed_rate_names};

// Vulkan: VK_MAX_MEMORY_HEAPS and VK_MAX_MEMORY_TYPES.
inline constexpr std::size_t kMaxHeaps = 16;
inline constexpr std::size_t kMaxMemoryTypes = 32;
inline constexpr UintCodec kHeapIndexCodec{.max = kMaxHeaps - 1};
inline constexpr UintCodec kMemoryTypeIndexCodec{.max = kMaxMemoryTypes - 1};
inline constexpr UintCodec kPositiveCodec{.min = 1};
inline constexpr PowerOfTwoCodec kSamplesCodec{.max = 64};
inline constexpr UintCodec kMipLevelsCodec{.min = 1, .max = 32};
inline constexpr TupleCodec<UintCodec, 2> kExtentCodec{.item = kPositiveCodec};

template <>
struct Fields<SourceDocument> {
    static constexpr std::string_view kName = "source_document";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("kind", &SourceDocument::kind),
                                            field("stable_hash", &SourceDocument::stable_hash, kHashCodec)};
};

template <>
struct Fields<DocumentVolatile> {
    static constexpr std::string_view kName = "document_volatile";
    static constexpr auto list = std::tuple{field("created_utc", &DocumentVolatile::created_utc, kTimeCodec),
                                            field("host", &DocumentVolatile::host)};
};

template <>
struct Fields<PciAddress> {
    static constexpr std::string_view kName = "pci_address";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("domain", &PciAddress::domain), field("bus", &PciAddress::bus),
                   field("device", &PciAddress::device), field("function", &PciAddress::function)};
};

template <>
struct Fields<DeviceIdentity> {
    using S = DeviceIdentity;
    static constexpr std::string_view kName = "device_identity";
    static constexpr auto list = std::tuple{field("api", &S::api),
                                            field("name", &S::name),
                                            field("type", &S::type),
                                            field("vendor_id", &S::vendor_id),
                                            field("device_id", &S::device_id),
                                            field("driver_id", &S::driver_id),
                                            field("driver_name", &S::driver_name),
                                            field("driver_info", &S::driver_info),
                                            field("driver_version", &S::driver_version),
                                            field("api_version", &S::api_version),
                                            field("conformance_version", &S::conformance_version),
                                            field("device_uuid", &S::device_uuid, kUuidCodec),
                                            field("driver_uuid", &S::driver_uuid, kUuidCodec),
                                            field("luid", &S::luid, kLuidCodec),
                                            field("pci", &S::pci)};
};

template <>
struct Fields<ImageDescription> {
    using S = ImageDescription;
    static constexpr std::string_view kName = "image_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("format", &S::format),
                                            field("tiling", &S::tiling),
                                            field("dimension", &S::dimension),
                                            field("usage", &S::usage, kImageUsageCodec),
                                            field("width", &S::width, kPositiveCodec),
                                            field("height", &S::height, kPositiveCodec),
                                            field("depth", &S::depth, kPositiveCodec),
                                            field("mip_levels", &S::mip_levels, kMipLevelsCodec),
                                            field("array_layers", &S::array_layers, kPositiveCodec),
                                            field("samples", &S::samples, kSamplesCodec),
                                            field("flags", &S::flags, kImageCreationCodec, Presence::kOptional)};
};

template <>
struct Fields<BufferDescription> {
    static constexpr std::string_view kName = "buffer_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("size_bytes", &BufferDescription::size_bytes, WideCodec{.min = 1}),
                                            field("usage", &BufferDescription::usage, kBufferUsageCodec)};
};

template <>
struct Fields<MemoryRequirements> {
    using S = MemoryRequirements;
    static constexpr std::string_view kName = "memory_requirements";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("size_bytes", &S::size_bytes, WideCodec{.min = 1}),
                   field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{}),
                   field("memory_type_bits", &S::memory_type_bits, kPositiveCodec), field("dedicated", &S::dedicated)};
};

}  // namespace heapwright::model::detail
