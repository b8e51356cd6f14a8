#include "vulkan/facts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/utf8.hpp"
#include "vulkan/fact_tables.hpp"
#include "vulkan/later_structures.hpp"

namespace heapwright::vulkan {

namespace {

// A feature is a VkBool32, and some drivers call any bit true.
enum class FactKind : std::uint8_t { kLimit, kFeature };

void append(std::vector<model::Fact>& facts, const FactStructure& structure, const void* values, FactKind kind) {
    const auto* bytes = static_cast<const std::byte*>(values);
    for (const FactMember& member : structure.members) {
        std::uint64_t value = 0;
        if (member.size_bytes == sizeof(std::uint64_t)) {
            std::memcpy(&value, bytes + member.offset_bytes, sizeof(value));
        } else {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes + member.offset_bytes, sizeof(word));
            value = word;
        }
        if (kind == FactKind::kFeature && value > 1) value = 1;
        facts.push_back({.group = structure.name, .name = member.name, .value = value});
    }
}

// The structures of a table that a device has, zeroed and linked by pNext.
class StructureChain {
public:
    StructureChain(std::span<const FactStructure> table, const Instance& instance, const PhysicalDevice& device,
                   std::vector<model::UnreportedFact>& unreported) {
        const bool has_properties2 = instance.functions().get_properties2 != nullptr;
        for (const FactStructure& structure : table) {
            if (!has_properties2 || !device.provides(structure.core_version, structure.extension)) {
                unreported.push_back({.name = structure.name,
                                      .reason = why_unreported(instance, structure.core_version, structure.extension)});
                continue;
            }
            const std::size_t words = (structure.size_bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
            auto storage = std::make_unique<std::uint64_t[]>(words);
            const VkBaseOutStructure head{.sType = structure.type, .pNext = first_};
            std::memcpy(storage.get(), &head, sizeof(head));
            first_ = reinterpret_cast<VkBaseOutStructure*>(storage.get());
            entries_.push_back({&structure, std::move(storage)});
        }
    }

    [[nodiscard]] void* first() const { return first_; }

    void append_to(std::vector<model::Fact>& facts, FactKind kind) const {
        for (const Entry& entry : entries_) append(facts, *entry.structure, entry.storage.get(), kind);
    }

private:
    struct Entry {
        const FactStructure* structure;
        std::unique_ptr<std::uint64_t[]> storage;
    };

    std::vector<Entry> entries_;
    VkBaseOutStructure* first_ = nullptr;
};

}  // namespace

std::string why_unreported(const Instance& instance, std::uint32_t core_version, std::string_view extension) {
    if (instance.functions().get_properties2 == nullptr) {
        return "the instance has neither Vulkan 1.1 nor VK_KHR_get_physical_device_properties2";
    }
    const std::string version = fmt::format("Vulkan 1.{}", VK_API_VERSION_MINOR(core_version));
    if (core_version == 0) return fmt::format("the device has no {}", extension);
    if (extension.empty()) return fmt::format("the device has no {}", version);
    return fmt::format("the device has neither {} nor {}", version, extension);
}

Facts read_limits(const Instance& instance, const PhysicalDevice& device) {
    Facts facts;
    append(facts.values, limits_structure(), &device.properties().limits, FactKind::kLimit);
    append(facts.values, sparse_properties_structure(), &device.properties().sparseProperties, FactKind::kLimit);
    const StructureChain chain(property_structures(), instance, device, facts.unreported);
    if (chain.first() == nullptr) return facts;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", "limits");
    instance.functions().get_properties2(device.handle(), &properties);
    chain.append_to(facts.values, FactKind::kLimit);
    return facts;
}

Facts read_features(const Instance& instance, const PhysicalDevice& device) {
    Facts facts;
    VkPhysicalDeviceFeatures core{};
    leave_breadcrumb("vkGetPhysicalDeviceFeatures");
    instance.functions().get_features(device.handle(), &core);
    append(facts.values, core_features_structure(), &core, FactKind::kFeature);
    const StructureChain chain(feature_structures(), instance, device, facts.unreported);
    if (chain.first() == nullptr) return facts;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = chain.first();
    leave_breadcrumb("vkGetPhysicalDeviceFeatures2");
    instance.functions().get_features2(device.handle(), &features);
    chain.append_to(facts.values, FactKind::kFeature);
    return facts;
}

// The members of VkPhysicalDeviceLimits and VkPhysicalDeviceSparseProperties that decide sizes, alignments, counts and
// descriptors; what concerns only shading and rasterization is left out.

namespace {

constexpr FactMember kLimits[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension1D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension2D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimension3D),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageDimensionCube),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxImageArrayLayers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxTexelBufferElements),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxUniformBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxStorageBufferRange),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPushConstantsSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxMemoryAllocationCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxSamplerAllocationCount),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, bufferImageGranularity),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sparseAddressSpaceSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxBoundDescriptorSets),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageDescriptorInputAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxPerStageResources),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetSamplers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetUniformBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetUniformBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageBuffers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageBuffersDynamic),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetSampledImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetStorageImages),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxDescriptorSetInputAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxComputeSharedMemorySize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minMemoryMapAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minTexelBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minUniformBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, minStorageBufferOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferWidth),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferHeight),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxFramebufferLayers),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferColorSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferDepthSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferStencilSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, framebufferNoAttachmentsSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, maxColorAttachments),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageColorSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageIntegerSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageDepthSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, sampledImageStencilSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, storageImageSampleCounts),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, discreteQueuePriorities),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, optimalBufferCopyOffsetAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, optimalBufferCopyRowPitchAlignment),
    HEAPWRIGHT_FACT(VkPhysicalDeviceLimits, nonCoherentAtomSize),
};

constexpr FactMember kSparse[] = {
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard2DBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard2DMultisampleBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyStandard3DBlockShape),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyAlignedMipSize),
    HEAPWRIGHT_FACT(VkPhysicalDeviceSparseProperties, residencyNonResidentStrict),
};

constexpr FactStructure kLimitsStructure{"VkPhysicalDeviceLimits",
                                         VK_STRUCTURE_TYPE_MAX_ENUM,
                                         sizeof(VkPhysicalDeviceLimits),
                                         VK_API_VERSION_1_0,
                                         "",
                                         kLimits};

constexpr FactStructure kSparseStructure{"VkPhysicalDeviceSparseProperties",
                                         VK_STRUCTURE_TYPE_MAX_ENUM,
                                         sizeof(VkPhysicalDeviceSparseProperties),
                                         VK_API_VERSION_1_0,
                                         "",
                                         kSparse};

}  // namespace

const FactStructure& limits_structure() {
    return kLimitsStructure;
}

const FactStructure& sparse_properties_structure() {
    return kSparseStructure;
}

namespace {

constexpr const char* kHostImageCopy = "VK_EXT_host_image_copy";
constexpr const char* kMaintenance7 = "VK_KHR_maintenance7";
// More layers than any stack has; a driver that counts more is not believed.
constexpr std::uint32_t kMostLayers = 64;

// Whether the device can be asked; if not, why not is noted.
bool can_ask(const Instance& instance, const PhysicalDevice& device, std::uint32_t core_version, const char* extension,
             const char* structure, model::DeviceReport& report) {
    if (instance.functions().get_properties2 != nullptr && device.provides(core_version, extension)) return true;
    report.unreported.push_back({.name = structure, .reason = why_unreported(instance, core_version, extension)});
    return false;
}

void ask(const Instance& instance, const PhysicalDevice& device, void* structure, const char* what) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = structure;
    leave_breadcrumb("vkGetPhysicalDeviceProperties2", what);
    instance.functions().get_properties2(device.handle(), &properties);
}

std::string layered_api_name(std::int32_t api) {
    constexpr const char* kNames[] = {"VULKAN", "D3D12", "METAL", "OPENGL", "OPENGLES"};
    if (api >= 0 && api < static_cast<std::int32_t>(std::size(kNames))) return kNames[api];
    return fmt::format("LAYERED_API_{}", api);
}

}  // namespace

void read_texts(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    can_ask(instance, device, VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME,
            "VkPhysicalDeviceDriverProperties", report);
    can_ask(instance, device, VK_API_VERSION_1_1, "", "VkPhysicalDeviceIDProperties", report);
    if (!device.provides(VK_API_VERSION_1_1, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME) ||
        !device.provides(VK_API_VERSION_1_1, VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME)) {
        report.unreported.push_back({.name = "VkMemoryDedicatedRequirements",
                                     .reason = "the device has neither Vulkan 1.1 nor VK_KHR_dedicated_allocation"});
    }
    if (!can_ask(instance, device, 0, kHostImageCopy, "optimalTilingLayoutUUID", report)) return;
    later::HostImageCopyProperties host_copy{};
    host_copy.sType = later::kHostImageCopyProperties;
    ask(instance, device, &host_copy, "host image copy");
    std::string uuid;
    for (const std::uint8_t byte : host_copy.optimalTilingLayoutUUID) {
        fmt::format_to(std::back_inserter(uuid), "{:02x}", byte);
    }
    report.texts.push_back({.group = "VkPhysicalDeviceHostImageCopyProperties",
                            .name = "optimalTilingLayoutUUID",
                            .value = std::move(uuid)});
}

void read_layered_apis(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    constexpr const char* kStructure = "VkPhysicalDeviceLayeredApiPropertiesListKHR";
    if (!can_ask(instance, device, 0, kMaintenance7, kStructure, report)) return;
    later::LayeredApiPropertiesList list{};
    list.sType = later::kLayeredApiPropertiesList;
    ask(instance, device, &list, "layered APIs");
    const std::uint32_t count = std::min(list.layeredApiCount, kMostLayers);
    if (count == 0) {
        report.unreported.push_back({.name = kStructure, .reason = "the device is a layer over no other API"});
        return;
    }
    later::LayeredApiProperties empty{};
    empty.sType = later::kLayeredApiProperties;
    std::vector<later::LayeredApiProperties> layers(count, empty);
    list.layeredApiCount = count;
    list.pLayeredApis = layers.data();
    ask(instance, device, &list, "layered APIs");
    layers.resize(std::min(list.layeredApiCount, count));
    for (const later::LayeredApiProperties& layer : layers) {
        report.layered_apis.push_back({.api = layered_api_name(layer.layeredAPI),
                                       .vendor_id = layer.vendorID,
                                       .device_id = layer.deviceID,
                                       .name = driver_text(layer.deviceName)});
    }
}

}  // namespace heapwright::vulkan
