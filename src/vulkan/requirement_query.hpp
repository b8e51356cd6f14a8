// A bare VkDevice that answers memory requirements as fast as the driver does: by vkGetDevice*MemoryRequirements where
// Vulkan 1.3 or VK_KHR_maintenance4 gives it, else by creating the object, asking and destroying it. Every format and
// usage that the physical device can do is enabled on it, sparse residency too. Allocates no memory.
// Owns the device; the Instance outlives it. One thread at a time.
// Beside it: the driver's answer with what is chained to it, and answers kept by creation parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/read_mostly_cache.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/resource.hpp"
#include "heapwright_generated/volk.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/driver_calls.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::vulkan {

// The answer of vkGet*MemoryRequirements2 and vkGetDevice*MemoryRequirements: VkMemoryRequirements2 with
// VkMemoryDedicatedRequirements chained to it. Not movable: the chain points into it. Sizes in bytes.

struct RequirementsAnswer {
    VkMemoryDedicatedRequirements dedicated{};
    VkMemoryRequirements2 answer{};

    RequirementsAnswer() {
        dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
        answer.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
        answer.pNext = &dedicated;
    }
    RequirementsAnswer(const RequirementsAnswer&) = delete;
    RequirementsAnswer& operator=(const RequirementsAnswer&) = delete;

    [[nodiscard]] model::MemoryRequirements result() const {
        model::Dedicated need = model::Dedicated::kNone;
        if (dedicated.prefersDedicatedAllocation == VK_TRUE) need = model::Dedicated::kPreferred;
        if (dedicated.requiresDedicatedAllocation == VK_TRUE) need = model::Dedicated::kRequired;
        return {.size_bytes = answer.memoryRequirements.size,
                .alignment_bytes = answer.memoryRequirements.alignment,
                .memory_type_bits = answer.memoryRequirements.memoryTypeBits,
                .dedicated = need};
    }
};

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

// What the driver asked for a resource, kept by its creation parameters, so that the next of the same costs no call.
// Only for resources without a pNext chain, shared by the same queue families: what the model's descriptions say.
// Images: by all parameters; resources created with identical ones have identical requirements.
// Buffers: by usage and size. On a device with maintenance4 the usage alone decides alignment and memory types, and the
// size asked for is at most the buffer's own, aligned: where a driver was seen to ask for that, it is known of all
// sizes of that usage below the same power of two. The power of two is for what is a driver's wish, a dedicated
// allocation. Sizes in bytes. Thread-safe, readers wait for nobody; bounded: the least lucky entries give way. No
// errors. Source: Vulkan 1.3, "Resource Memory Association".

class KnownRequirements {
public:
    explicit KnownRequirements(bool has_maintenance4) : has_maintenance4_(has_maintenance4) {}

    [[nodiscard]] std::optional<model::MemoryRequirements> find(const model::ResourceDescription& resource) const;
    void insert(const model::ResourceDescription& resource, const model::MemoryRequirements& requirements);

private:
    using Cache = ReadMostlyCache<5, 2, 256>;

    bool has_maintenance4_;
    Cache cache_;
};

}  // namespace heapwright::vulkan
