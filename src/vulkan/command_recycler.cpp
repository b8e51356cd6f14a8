#include "vulkan/command_recycler.hpp"

#include <iterator>

#include "vulkan/call.hpp"

namespace heapwright::vulkan {

CommandRecycler::~CommandRecycler() {
    for (const VkCommandPool pool : pools_) context_->call.vkDestroyCommandPool(context_->handle, pool, nullptr);
}

Result<CommandSlot> CommandRecycler::create() {
    const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                            .pNext = nullptr,
                                            .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                            .queueFamilyIndex = family_.value};
    CommandSlot slot;
    HEAPWRIGHT_TRY(check(context_->call.vkCreateCommandPool(context_->handle, &pool_info, nullptr, &slot.pool),
                         "vkCreateCommandPool"));
    pools_.push_back(slot.pool);
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .pNext = nullptr,
                                           .commandPool = slot.pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    const VkResult allocated = context_->call.vkAllocateCommandBuffers(context_->handle, &info, &slot.commands);
    if (allocated != VK_SUCCESS) {
        pools_.pop_back();
        context_->call.vkDestroyCommandPool(context_->handle, slot.pool, nullptr);
        return fail(call_error(allocated, "vkAllocateCommandBuffers"));
    }
    arenas_.push_back(std::make_unique<RecordingArena>(*context_));
    slot.arena = arenas_.back().get();
    return slot;
}

Result<CommandSlot> CommandRecycler::begin() {
    CommandSlot slot;
    if (idle_.empty()) {
        HEAPWRIGHT_ASSIGN(slot, create());
    } else {
        slot = idle_.back();
        HEAPWRIGHT_TRY(check(context_->call.vkResetCommandPool(context_->handle, slot.pool, 0), "vkResetCommandPool"));
        idle_.pop_back();
    }
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                        .pNext = nullptr,
                                        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                        .pInheritanceInfo = nullptr};
    if (Status begun = check(context_->call.vkBeginCommandBuffer(slot.commands, &info), "vkBeginCommandBuffer");
        !begun) {
        give_back(slot);
        return fail(std::move(begun.error()));
    }
    return slot;
}

void CommandRecycler::give_back(CommandSlot slot) {
    slot.arena->reset();
    idle_.push_back(slot);
}

void CommandRecycler::hold(std::uint64_t value, CommandSlot slot,
                           std::vector<std::shared_ptr<TimelineSemaphore>> semaphores) {
    in_flight_.push_back({.value = value, .slot = slot, .semaphores = std::move(semaphores)});
}

void CommandRecycler::reclaim(std::uint64_t completed_value) {
    while (!in_flight_.empty() && in_flight_.front().value <= completed_value) {
        if (in_flight_.front().slot.pool != VK_NULL_HANDLE) give_back(in_flight_.front().slot);
        in_flight_.pop_front();
    }
}

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
