#include "vulkan/requirement_query.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {

namespace {

// What of the device's features the swept resources need; asked for and, where present, enabled.
struct Features {
    VkPhysicalDeviceFeatures2 core{};
    VkPhysicalDeviceMaintenance4Features maintenance4{};
    VkPhysicalDeviceBufferDeviceAddressFeatures address{};
};

void read(Features& features, const Instance& instance, const PhysicalDevice& device, bool maintenance4,
          bool device_address) {
    VkPhysicalDeviceFeatures all{};
    features.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (instance.functions().get_features2 != nullptr) {
        if (maintenance4) {
            features.maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES;
            features.maintenance4.pNext = features.core.pNext;
            features.core.pNext = &features.maintenance4;
        }
        if (device_address) {
            features.address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
            features.address.pNext = features.core.pNext;
            features.core.pNext = &features.address;
        }
        leave_breadcrumb("vkGetPhysicalDeviceFeatures2", "sweep");
        instance.functions().get_features2(device.handle(), &features.core);
        features.address.bufferDeviceAddressCaptureReplay = VK_FALSE;
        features.address.bufferDeviceAddressMultiDevice = VK_FALSE;
        all = features.core.features;
    } else {
        leave_breadcrumb("vkGetPhysicalDeviceFeatures", "sweep");
        instance.functions().get_features(device.handle(), &all);
    }
    features.core.features = {};
    features.core.features.textureCompressionETC2 = all.textureCompressionETC2;
    features.core.features.textureCompressionASTC_LDR = all.textureCompressionASTC_LDR;
    features.core.features.textureCompressionBC = all.textureCompressionBC;
    features.core.features.shaderStorageImageMultisample = all.shaderStorageImageMultisample;
    features.core.features.sparseBinding = all.sparseBinding;
    features.core.features.sparseResidencyBuffer = all.sparseResidencyBuffer;
    features.core.features.sparseResidencyImage2D = all.sparseResidencyImage2D;
    features.core.features.sparseResidencyImage3D = all.sparseResidencyImage3D;
    features.core.features.sparseResidency2Samples = all.sparseResidency2Samples;
    features.core.features.sparseResidency4Samples = all.sparseResidency4Samples;
    features.core.features.sparseResidency8Samples = all.sparseResidency8Samples;
    features.core.features.sparseResidency16Samples = all.sparseResidency16Samples;
}

}  // namespace

Result<std::unique_ptr<RequirementQuery>> RequirementQuery::create(const Instance& instance,
                                                                   const PhysicalDevice& device,
                                                                   RequirementPath newest) {
    std::vector<const char*> extensions;
    const auto provide = [&](std::uint32_t core_version, const char* extension) {
        if (core_version != 0 && device.api_version() >= core_version) return true;
        if (!device.has_extension(extension)) return false;
        extensions.push_back(extension);
        return true;
    };
    const bool has_properties2 = instance.functions().get_features2 != nullptr;
    const bool dedicated = newest != RequirementPath::kObject &&
                           provide(VK_API_VERSION_1_1, VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME) &&
                           provide(VK_API_VERSION_1_1, VK_KHR_DEDICATED_ALLOCATION_EXTENSION_NAME);
    const bool may_extend = has_properties2 && device.api_version() >= VK_API_VERSION_1_1;
    bool maintenance4 = newest == RequirementPath::kWithoutObjects && may_extend &&
                        provide(VK_API_VERSION_1_3, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    const bool device_address = may_extend && provide(VK_API_VERSION_1_2, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
    // The specification obliges a program to enable this one wherever it is listed.
    provide(0, "VK_KHR_portability_subset");

    Features features;
    read(features, instance, device, maintenance4, device_address);
    maintenance4 = maintenance4 && features.maintenance4.maintenance4 == VK_TRUE;

    std::uint32_t family_count = 0;
    instance.functions().get_queue_family_properties(device.handle(), &family_count, nullptr);
    if (family_count == 0) {
        return fail(ErrorCode::kNotSupported, "the device has no queue family",
                    "vkGetPhysicalDeviceQueueFamilyProperties");
    }
    constexpr float kPriority = 0.0f;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .pNext = nullptr,
                                        .flags = 0,
                                        .queueFamilyIndex = 0,
                                        .queueCount = 1,
                                        .pQueuePriorities = &kPriority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = has_properties2 ? &features.core : nullptr,
                                  .flags = 0,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledLayerCount = 0,
                                  .ppEnabledLayerNames = nullptr,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                  .ppEnabledExtensionNames = extensions.data(),
                                  .pEnabledFeatures = has_properties2 ? nullptr : &features.core.features};
    std::unique_ptr<RequirementQuery> query(new RequirementQuery);
    leave_breadcrumb("vkCreateDevice", "sweep");
    HEAPWRIGHT_TRY(check(instance.functions().create_device(device.handle(), &info, nullptr, &query->device_),
                         "vkCreateDevice", "a device for the sweep"));
    query->features_ = features.core.features;
    query->has_device_address_ = features.address.bufferDeviceAddress == VK_TRUE;
    query->load(device, maintenance4, dedicated);
    return query;
}

void RequirementQuery::load(const PhysicalDevice& device, bool maintenance4, bool dedicated) {
    call_.load(device_);
    if (maintenance4) {
        const bool core = device.api_version() >= VK_API_VERSION_1_3;
        get_image_ = core ? call_.vkGetDeviceImageMemoryRequirements : call_.vkGetDeviceImageMemoryRequirementsKHR;
        get_buffer_ = core ? call_.vkGetDeviceBufferMemoryRequirements : call_.vkGetDeviceBufferMemoryRequirementsKHR;
        get_sparse_image_ =
            core ? call_.vkGetDeviceImageSparseMemoryRequirements : call_.vkGetDeviceImageSparseMemoryRequirementsKHR;
    }
    if (dedicated) {
        const bool core = device.api_version() >= VK_API_VERSION_1_1;
        get_image2_ = core ? call_.vkGetImageMemoryRequirements2 : call_.vkGetImageMemoryRequirements2KHR;
        get_buffer2_ = core ? call_.vkGetBufferMemoryRequirements2 : call_.vkGetBufferMemoryRequirements2KHR;
    } else {
        answer_.answer.pNext = nullptr;
    }
    image_question_.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS;
    buffer_question_.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS;
}

RequirementQuery::~RequirementQuery() {
    if (device_ != VK_NULL_HANDLE) call_.vkDestroyDevice(device_, nullptr);
}

bool RequirementQuery::is_created(VkResult result, const char* call) {
    const bool refused = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (result != VK_SUCCESS && !refused) failed_.add(fmt::format("{}: {}", call, result_name(result)));
    return result == VK_SUCCESS;
}

model::MemoryRequirements RequirementQuery::image_by_object(const VkImageCreateInfo& info) {
    VkImage image = VK_NULL_HANDLE;
    if (!is_created(call_.vkCreateImage(device_, &info, nullptr, &image), "vkCreateImage")) return {};
    if (get_image2_ != nullptr) {
        const VkImageMemoryRequirementsInfo2 question{
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .image = image};
        get_image2_(device_, &question, &answer_.answer);
    } else {
        call_.vkGetImageMemoryRequirements(device_, image, &answer_.answer.memoryRequirements);
    }
    call_.vkDestroyImage(device_, image, nullptr);
    return take();
}

model::MemoryRequirements RequirementQuery::buffer_by_object(const VkBufferCreateInfo& info) {
    VkBuffer buffer = VK_NULL_HANDLE;
    if (!is_created(call_.vkCreateBuffer(device_, &info, nullptr, &buffer), "vkCreateBuffer")) return {};
    if (get_buffer2_ != nullptr) {
        const VkBufferMemoryRequirementsInfo2 question{
            .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .buffer = buffer};
        get_buffer2_(device_, &question, &answer_.answer);
    } else {
        call_.vkGetBufferMemoryRequirements(device_, buffer, &answer_.answer.memoryRequirements);
    }
    call_.vkDestroyBuffer(device_, buffer, nullptr);
    return take();
}

std::vector<VkSparseImageMemoryRequirements> RequirementQuery::sparse_image(const VkImageCreateInfo& info) {
    ++queries_;
    std::uint32_t count = 0;
    if (get_sparse_image_ == nullptr) {
        VkImage image = VK_NULL_HANDLE;
        if (!is_created(call_.vkCreateImage(device_, &info, nullptr, &image), "vkCreateImage")) return {};
        call_.vkGetImageSparseMemoryRequirements(device_, image, &count, nullptr);
        std::vector<VkSparseImageMemoryRequirements> listed(count);
        call_.vkGetImageSparseMemoryRequirements(device_, image, &count, listed.data());
        call_.vkDestroyImage(device_, image, nullptr);
        listed.resize(count);
        return listed;
    }
    const VkDeviceImageMemoryRequirements question{.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                   .pNext = nullptr,
                                                   .pCreateInfo = &info,
                                                   .planeAspect = VK_IMAGE_ASPECT_NONE};
    get_sparse_image_(device_, &question, &count, nullptr);
    std::vector<VkSparseImageMemoryRequirements2> chained(
        count,
        {.sType = VK_STRUCTURE_TYPE_SPARSE_IMAGE_MEMORY_REQUIREMENTS_2, .pNext = nullptr, .memoryRequirements = {}});
    get_sparse_image_(device_, &question, &count, chained.data());
    chained.resize(std::min<std::size_t>(count, chained.size()));
    std::vector<VkSparseImageMemoryRequirements> listed;
    for (const VkSparseImageMemoryRequirements2& entry : chained) listed.push_back(entry.memoryRequirements);
    return listed;
}

namespace {

using Cache = ReadMostlyCache<5, 2, 256>;

// The last word of a key says what it is the key of, and is not 0.
constexpr std::uint64_t kImage = 1;
constexpr std::uint64_t kBuffer = 2;
constexpr std::uint64_t kAlignedBuffers = 3;

constexpr std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
    return static_cast<std::uint64_t>(high) << 32 | low;
}

Cache::Key key_of(const model::ImageDescription& image) {
    const auto shape = static_cast<std::uint32_t>(static_cast<std::uint32_t>(image.tiling) << 1 |
                                                  static_cast<std::uint32_t>(image.dimension));
    return {pair(image.usage, image.flags), pair(image.width, image.height), pair(image.depth, image.mip_levels),
            pair(image.array_layers, image.samples),
            static_cast<std::uint64_t>(image.format) << 16 | shape << 8 | kImage};
}

Cache::Key key_of(const model::BufferDescription& buffer) {
    return {buffer.usage, buffer.size_bytes, 0, 0, kBuffer};
}

Cache::Key key_of_aligned(const model::BufferDescription& buffer) {
    return {buffer.usage, static_cast<std::uint64_t>(std::bit_width(buffer.size_bytes)), 0, 0, kAlignedBuffers};
}

Cache::Value to_words(const model::MemoryRequirements& requirements) {
    const auto alignment = static_cast<std::uint64_t>(std::countr_zero(requirements.alignment_bytes));
    return {requirements.size_bytes,
            static_cast<std::uint64_t>(requirements.dedicated) << 40 | alignment << 32 | requirements.memory_type_bits};
}

model::MemoryRequirements to_requirements(const Cache::Value& words) {
    return {.size_bytes = words[0],
            .alignment_bytes = 1ull << (words[1] >> 32 & 63),
            .memory_type_bits = static_cast<std::uint32_t>(words[1]),
            .dedicated = static_cast<model::Dedicated>(words[1] >> 40)};
}

}  // namespace

std::optional<model::MemoryRequirements> KnownRequirements::find(const model::ResourceDescription& resource) const {
    std::optional<Cache::Value> known;
    if (const auto* image = std::get_if<model::ImageDescription>(&resource)) {
        known = cache_.find(key_of(*image));
        return known ? std::optional(to_requirements(*known)) : std::nullopt;
    }
    const auto& buffer = std::get<model::BufferDescription>(resource);
    if (has_maintenance4_ && (known = cache_.find(key_of_aligned(buffer)))) {
        model::MemoryRequirements requirements = to_requirements(*known);
        const auto aligned = checked_align_up(buffer.size_bytes, requirements.alignment_bytes);
        if (!aligned) return std::nullopt;
        requirements.size_bytes = *aligned;
        return requirements;
    }
    known = cache_.find(key_of(buffer));
    return known ? std::optional(to_requirements(*known)) : std::nullopt;
}

void KnownRequirements::insert(const model::ResourceDescription& resource,
                               const model::MemoryRequirements& requirements) {
    if (!is_power_of_two(requirements.alignment_bytes)) return;
    const Cache::Value words = to_words(requirements);
    if (const auto* image = std::get_if<model::ImageDescription>(&resource))
        return cache_.insert(key_of(*image), words);
    const auto& buffer = std::get<model::BufferDescription>(resource);
    const auto aligned = checked_align_up(buffer.size_bytes, requirements.alignment_bytes);
    // A size that is aligned already does not tell whether the driver aligns.
    const bool aligns = aligned == requirements.size_bytes && aligned != buffer.size_bytes;
    cache_.insert(has_maintenance4_ && aligns ? key_of_aligned(buffer) : key_of(buffer), words);
}

}  // namespace heapwright::vulkan
