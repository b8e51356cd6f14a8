#include "vulkan/recording_arena.hpp"

#include <iterator>

#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint32_t kTablesInPool = 128;

// For each table: both tables of a dispatch, and a sampler.
constexpr VkDescriptorPoolSize kSizes[] = {
    {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .descriptorCount = 2 * kTablesInPool},
    {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 3 * kTablesInPool},
    {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .descriptorCount = kTablesInPool},
    {.type = VK_DESCRIPTOR_TYPE_SAMPLER, .descriptorCount = kTablesInPool}};

}  // namespace

RecordingArena::~RecordingArena() {
    for (const VkDescriptorPool pool : pools_) {
        context_.call.vkDestroyDescriptorPool(context_.handle, pool, nullptr);
    }
}

Status RecordingArena::add_pool() {
    const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .maxSets = 2 * kTablesInPool,
                                          .poolSizeCount = static_cast<std::uint32_t>(std::size(kSizes)),
                                          .pPoolSizes = kSizes};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(
        check(context_.call.vkCreateDescriptorPool(context_.handle, &info, nullptr, &pool), "vkCreateDescriptorPool"));
    pools_.push_back(pool);
    return {};
}

Result<VkDescriptorSet> RecordingArena::allocate(VkDescriptorSetLayout layout) {
    VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                     .pNext = nullptr,
                                     .descriptorPool = VK_NULL_HANDLE,
                                     .descriptorSetCount = 1,
                                     .pSetLayouts = &layout};
    for (;;) {
        const bool fresh = current_ == pools_.size();
        if (fresh) HEAPWRIGHT_TRY(add_pool());
        info.descriptorPool = pools_[current_];
        VkDescriptorSet set = VK_NULL_HANDLE;
        const VkResult allocated = context_.call.vkAllocateDescriptorSets(context_.handle, &info, &set);
        if (allocated == VK_SUCCESS) return set;
        const bool full = allocated == VK_ERROR_OUT_OF_POOL_MEMORY || allocated == VK_ERROR_FRAGMENTED_POOL;
        if (!full || fresh) return fail(call_error(allocated, "vkAllocateDescriptorSets", "a table"));
        ++current_;
    }
}

void RecordingArena::reset() {
    for (std::size_t i = 0; i < pools_.size() && i <= current_; ++i) {
        context_.call.vkResetDescriptorPool(context_.handle, pools_[i], 0);
    }
    current_ = 0;
    kept_.clear();
}

}  // namespace heapwright::vulkan
