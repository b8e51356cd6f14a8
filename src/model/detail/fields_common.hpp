// Fields of what the documents share: header, identity, resources.
#pragma once

#include <algorithm>

#include "model/detail/codec.hpp"

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
    static constexpr auto list =
        std::tuple{field("kind", &SourceDocument::kind).says("Which document it was"),
                   field("stable_hash", &SourceDocument::stable_hash, kHashCodec)
                       .says("XXH3-128 of its canonical JSON without the volatile sections, 32 hexadecimal digits")};
};

template <>
struct Fields<DocumentVolatile> {
    static constexpr std::string_view kName = "document_volatile";
    static constexpr auto list =
        std::tuple{field("created_utc", &DocumentVolatile::created_utc, kTimeCodec)
                       .says("When it was written, \"2026-01-31T12:00:00Z\"; empty: unknown"),
                   field("host", &DocumentVolatile::host)
                       .says("Operating system, kernel and processor, without the host's name; empty: unknown")};
};

template <>
struct Fields<PciAddress> {
    static constexpr std::string_view kName = "pci_address";
    static constexpr bool kInline = true;
    static constexpr auto list =
        std::tuple{field("domain", &PciAddress::domain).says("pciDomain of VkPhysicalDevicePCIBusInfoPropertiesEXT"),
                   field("bus", &PciAddress::bus).says("pciBus of the same structure"),
                   field("device", &PciAddress::device).says("pciDevice of the same structure"),
                   field("function", &PciAddress::function).says("pciFunction of the same structure")};
};

template <>
struct Fields<DeviceIdentity> {
    using S = DeviceIdentity;
    static constexpr std::string_view kName = "device_identity";
    static constexpr auto list = std::tuple{
        field("api", &S::api).says("The API through which the device was asked"),
        field("name", &S::name)
            .says("As the driver calls it: deviceName of Vulkan, the adapter's Description of Direct3D 12"),
        field("type", &S::type).says("VkPhysicalDeviceType; cpu is a software driver"),
        field("vendor_id", &S::vendor_id)
            .says("PCI vendor, decimal: vendorID of Vulkan, VendorId of DXGI; 4318 (0x10de) is NVIDIA"),
        field("device_id", &S::device_id).says("PCI device, decimal: deviceID of Vulkan, DeviceId of DXGI"),
        field("driver_id", &S::driver_id)
            .says(
                "VkDriverId without VK_DRIVER_ID_, \"MESA_RADV\"; Direct3D 12: the runtime, \"VKD3D\"; empty: unknown"),
        field("driver_name", &S::driver_name)
            .says("driverName of VkPhysicalDeviceDriverProperties; Direct3D 12: the runtime's library; empty: unknown"),
        field("driver_info", &S::driver_info)
            .says("The version in the driver's own words, \"580.159.04\": driverInfo of Vulkan; empty: unknown"),
        field("driver_version", &S::driver_version)
            .says("The version as a number in the driver's own encoding; 0: unknown"),
        field("api_version", &S::api_version).says("\"1.3.230\"; Direct3D 12: the highest feature level, \"12_1\""),
        field("conformance_version", &S::conformance_version)
            .says("Of the Vulkan conformance tests that the driver passed, \"1.3.1.1\"; empty: unknown"),
        field("device_uuid", &S::device_uuid, kUuidCodec)
            .says("deviceUUID of VkPhysicalDeviceIDProperties, 32 hexadecimal digits; empty: unknown"),
        field("driver_uuid", &S::driver_uuid, kUuidCodec)
            .says("driverUUID of VkPhysicalDeviceIDProperties, 32 hexadecimal digits; empty: unknown"),
        field("luid", &S::luid, kLuidCodec)
            .says("deviceLUID of Vulkan, AdapterLuid of DXGI, 16 hexadecimal digits; empty: the device has none"),
        field("pci", &S::pci).says("Where the device sits on the PCI bus; absent: the driver does not say")};
};

template <>
struct Fields<ImageDescription> {
    using S = ImageDescription;
    static constexpr std::string_view kName = "image_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("format", &S::format).says("VkFormat without VK_FORMAT_"),
        field("tiling", &S::tiling).says("How texels lie in memory: VkImageTiling"),
        field("dimension", &S::dimension).says("VkImageType: 2d or 3d"),
        field("usage", &S::usage, kImageUsageCodec).says("VkImageUsageFlagBits without prefix and _BIT"),
        field("width", &S::width, kPositiveCodec).says("In texels"),
        field("height", &S::height, kPositiveCodec).says("In texels"),
        field("depth", &S::depth, kPositiveCodec).says("In slices; 1 for a 2D image"),
        field("mip_levels", &S::mip_levels, kMipLevelsCodec).says("Number of mip levels; 1: the image alone"),
        field("array_layers", &S::array_layers, kPositiveCodec).says("Number of array layers; a cube has 6"),
        field("samples", &S::samples, kSamplesCodec).says("Samples per texel; 1: no multisampling"),
        field("flags", &S::flags, kImageCreationCodec, Presence::kOptional)
            .says("VkImageCreateFlagBits without prefix and _BIT; absent: none")};
};

template <>
struct Fields<BufferDescription> {
    static constexpr std::string_view kName = "buffer_description";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{field("size_bytes", &BufferDescription::size_bytes, WideCodec{.min = 1})
                                                .says("As it is asked for, before the driver rounds it"),
                                            field("usage", &BufferDescription::usage, kBufferUsageCodec)
                                                .says("VkBufferUsageFlagBits without prefix and _BIT")};
};

template <>
struct Fields<MemoryRequirements> {
    using S = MemoryRequirements;
    static constexpr std::string_view kName = "memory_requirements";
    static constexpr bool kInline = true;
    static constexpr auto list = std::tuple{
        field("size_bytes", &S::size_bytes, WideCodec{.min = 1})
            .says("What the resource takes: size of VkMemoryRequirements, SizeInBytes of Direct3D 12"),
        field("alignment_bytes", &S::alignment_bytes, PowerOfTwoCodec{})
            .says("What its offset in memory must be a multiple of"),
        field("memory_type_bits", &S::memory_type_bits, kPositiveCodec)
            .says("Memory types that may hold it: bit i stands for memory type i"),
        field("dedicated", &S::dedicated)
            .says("Whether the driver prefers or requires an allocation for it alone: VkMemoryDedicatedRequirements")};
};

}  // namespace heapwright::model::detail
