// A bare VkDevice that answers memory requirements as fast as the driver does: by vkGetDevice*MemoryRequirements where
// Vulkan 1.3 or VK_KHR_maintenance4 gives it, else by creating the object, asking and destroying it. Every format and
// usage that the physical device can do is enabled on it, sparse residency too. Allocates no memory.
// Owns the device; the Instance outlives it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "probe/failed_questions.hpp"
#include "vulkan/driver_calls.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"
#include "vulkan/requirements_answer.hpp"

namespace heapwright::vulkan {

// The newest way of asking that is taken where the device has it; the older ones can be compared with it.
enum class RequirementPath : std::uint8_t {
    kWithoutObjects,  // vkGetDevice*MemoryRequirements
    kObject2,         // vkCreateImage and vkGetImageMemoryRequirements2, which tells of dedicated allocation
    kObject,          // vkCreateImage and vkGetImageMemoryRequirements
};

class RequirementQuery {
public:
    // Errors: vkCreateDevice's, kNotSupported (no queue family).
    [[nodiscard]] static Result<std::unique_ptr<RequirementQuery>> create(
        const Instance& instance, const PhysicalDevice& device,
        RequirementPath newest = RequirementPath::kWithoutObjects);
    RequirementQuery(const RequirementQuery&) = delete;
    RequirementQuery& operator=(const RequirementQuery&) = delete;
    ~RequirementQuery();

    // A default value: the driver refused such a resource, or failed to create it.
    [[nodiscard]] model::MemoryRequirements image(const VkImageCreateInfo& info);
    [[nodiscard]] model::MemoryRequirements buffer(const VkBufferCreateInfo& info);
    // Empty: the driver has none for this image, or refused it.
    [[nodiscard]] std::vector<VkSparseImageMemoryRequirements> sparse_image(const VkImageCreateInfo& info);

    [[nodiscard]] VkDevice handle() const { return device_; }
    [[nodiscard]] const DeviceCalls& functions() const { return call_; }
    [[nodiscard]] bool asks_without_objects() const { return get_image_ != nullptr; }
    [[nodiscard]] bool tells_dedicated() const { return get_image_ != nullptr || get_image2_ != nullptr; }
    [[nodiscard]] bool has_device_address() const { return has_device_address_; }
    // Those that are enabled.
    [[nodiscard]] const VkPhysicalDeviceFeatures& features() const { return features_; }
    // Resources that could not be created, but not for lack of memory, with which drivers refuse what is too large.
    [[nodiscard]] const probe::FailedQuestions& failed() const { return failed_; }
    // Driver calls made so far.
    [[nodiscard]] std::uint64_t queries() const { return queries_; }

private:
    RequirementQuery() = default;
    void load(const PhysicalDevice& device, bool maintenance4, bool dedicated);
    static constexpr VkDeviceSize kUnanswered = ~VkDeviceSize{0};

    void forget();
    [[nodiscard]] model::MemoryRequirements take();
    [[nodiscard]] bool is_created(VkResult result, const char* call);
    [[nodiscard]] model::MemoryRequirements image_by_object(const VkImageCreateInfo& info);
    [[nodiscard]] model::MemoryRequirements buffer_by_object(const VkBufferCreateInfo& info);

    VkDevice device_ = VK_NULL_HANDLE;
    DeviceCalls call_;
    // The sweeps leave a breadcrumb before each of their questions.
    PFN_vkGetDeviceImageMemoryRequirements get_image_ = nullptr;
    PFN_vkGetDeviceBufferMemoryRequirements get_buffer_ = nullptr;
    DriverCall<PFN_vkGetDeviceImageSparseMemoryRequirements> get_sparse_image_{""};
    DriverCall<PFN_vkGetImageMemoryRequirements2> get_image2_{""};
    DriverCall<PFN_vkGetBufferMemoryRequirements2> get_buffer2_{""};
    RequirementsAnswer answer_;
    VkDeviceImageMemoryRequirements image_question_{};
    VkDeviceBufferMemoryRequirements buffer_question_{};
    VkPhysicalDeviceFeatures features_{};
    bool has_device_address_ = false;
    std::uint64_t queries_ = 0;
    probe::FailedQuestions failed_;
};

// A driver that cannot create the resource may return without writing anything.
inline void RequirementQuery::forget() {
    answer_.answer.memoryRequirements = {.size = 0, .alignment = kUnanswered, .memoryTypeBits = 0};
}

inline model::MemoryRequirements RequirementQuery::take() {
    const VkMemoryRequirements& core = answer_.answer.memoryRequirements;
    if (core.alignment == kUnanswered && core.size == 0) return {};
    return answer_.result();
}

// In the header because the sweep asks hundreds of thousands of times and a software driver answers in 90 ns.
inline model::MemoryRequirements RequirementQuery::image(const VkImageCreateInfo& info) {
    ++queries_;
    forget();
    if (get_image_ == nullptr) return image_by_object(info);
    image_question_.pCreateInfo = &info;
    get_image_(device_, &image_question_, &answer_.answer);
    return take();
}

inline model::MemoryRequirements RequirementQuery::buffer(const VkBufferCreateInfo& info) {
    ++queries_;
    forget();
    if (get_buffer_ == nullptr) return buffer_by_object(info);
    buffer_question_.pCreateInfo = &info;
    get_buffer_(device_, &buffer_question_, &answer_.answer);
    return take();
}

}  // namespace heapwright::vulkan
