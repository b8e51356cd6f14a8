#include "vulkan/command_recorder.hpp"

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"
#include "vulkan/work_recorder.hpp"

namespace heapwright::vulkan {

CommandRecorder::~CommandRecorder() {
    allocators_.for_each([this](const Allocator& allocator) {
        context_.call.vkDestroyCommandPool(context_.handle, allocator.pool, nullptr);
    });
}

Result<device::CommandAllocatorId> CommandRecorder::create_allocator(device::EngineId engine) {
    if (engine.value >= context_.queues.size()) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = "the device has no such engine",
                     .where = {},
                     .value = engine.value,
                     .limit = context_.queues.size()});
    }
    Allocator allocator{.queue = &context_.queues[engine.value], .arena = std::make_unique<RecordingArena>(context_)};
    const VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .pNext = nullptr,
                                       .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
                                       .queueFamilyIndex = allocator.queue->info.queue_family.value};
    HEAPWRIGHT_TRY(check(context_.call.vkCreateCommandPool(context_.handle, &info, nullptr, &allocator.pool),
                         "vkCreateCommandPool"));
    return device::CommandAllocatorId{allocators_.insert(std::move(allocator))};
}

void CommandRecorder::drop_lists(Allocator& allocator) {
    for (const std::uint64_t list : allocator.lists) static_cast<void>(lists_.take(list));
    allocator.lists.clear();
    allocator.arena->reset();
    allocator.used = 0;
}

Status CommandRecorder::reset(device::CommandAllocatorId id) {
    Allocator* allocator = allocators_.find(id.value);
    if (allocator == nullptr) return fail(ErrorCode::kInvalidArgument, "the command allocator is not live");
    HEAPWRIGHT_TRY(check(context_.call.vkResetCommandPool(context_.handle, allocator->pool, 0), "vkResetCommandPool"));
    drop_lists(*allocator);
    return {};
}

void CommandRecorder::destroy(device::CommandAllocatorId id) {
    auto gone = allocators_.take(id.value);
    if (!gone) return;
    drop_lists(*gone);
    context_.call.vkDestroyCommandPool(context_.handle, gone->pool, nullptr);
}

Result<VkCommandBuffer> CommandRecorder::begin(Allocator& allocator, bool is_reusable) {
    if (allocator.used == allocator.buffers.size()) {
        const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .pNext = nullptr,
                                               .commandPool = allocator.pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 1};
        VkCommandBuffer made = VK_NULL_HANDLE;
        HEAPWRIGHT_TRY(
            check(context_.call.vkAllocateCommandBuffers(context_.handle, &info, &made), "vkAllocateCommandBuffers"));
        allocator.buffers.push_back(made);
        made_.fetch_add(1);
    }
    const VkCommandBuffer commands = allocator.buffers[allocator.used];
    const VkCommandBufferBeginInfo info{
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .pNext = nullptr,
        .flags = is_reusable ? 0 : VkCommandBufferUsageFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT},
        .pInheritanceInfo = nullptr};
    HEAPWRIGHT_TRY(check(context_.call.vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer"));
    // A list that fails from here on leaves its buffer unused until the allocator is reset.
    ++allocator.used;
    return commands;
}

Result<device::CommandListId> CommandRecorder::record_list(device::CommandAllocatorId id,
                                                           std::span<const device::Work> work, bool is_reusable) {
    Allocator* allocator = allocators_.find(id.value);
    if (allocator == nullptr) return fail(ErrorCode::kInvalidArgument, "the command allocator is not live");
    HEAPWRIGHT_ASSIGN(WorkPlan plan,
                      plan_work(context_, work, allocator->queue->flags, objects_, FirstLayouts::kResting));
    leave_breadcrumb("recording a command list");
    HEAPWRIGHT_ASSIGN(const VkCommandBuffer commands, begin(*allocator, is_reusable));
    const Status recorded = record_work(context_, commands, plan, objects_, *allocator->arena);
    const Status ended = check(context_.call.vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    HEAPWRIGHT_TRY(recorded);
    HEAPWRIGHT_TRY(ended);
    const std::uint64_t list = lists_.insert({.queue_family = allocator->queue->info.queue_family.value,
                                              .commands = commands,
                                              .resources = std::move(plan.resource_ids),
                                              .is_reusable = is_reusable});
    allocator->lists.push_back(list);
    return device::CommandListId{list};
}

}  // namespace heapwright::vulkan
