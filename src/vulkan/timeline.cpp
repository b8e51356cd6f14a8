#include "vulkan/timeline.hpp"

#include <fmt/format.h>

#include "vulkan/call.hpp"
#include "vulkan/completion_waiter.hpp"

namespace heapwright::vulkan {

Result<std::shared_ptr<TimelineSemaphore>> TimelineSemaphore::create(const OpenDevice& context,
                                                                     std::uint64_t initial_value) {
    const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                         .pNext = nullptr,
                                         .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                         .initialValue = initial_value};
    const VkSemaphoreCreateInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type, .flags = 0};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(
        check(context.call.vkCreateSemaphore(context.handle, &info, nullptr, &semaphore), "vkCreateSemaphore"));
    return std::make_shared<TimelineSemaphore>(context, semaphore);
}

TimelineSemaphore::~TimelineSemaphore() {
    context_.end_semaphore(handle_);
}

Result<std::uint64_t> TimelineSemaphore::completed() const {
    std::uint64_t value = 0;
    HEAPWRIGHT_TRY(check(context_.call.vkGetSemaphoreCounterValue(context_.handle, handle_, &value),
                         "vkGetSemaphoreCounterValue"));
    return value;
}

Status TimelineSemaphore::wait(std::uint64_t value, std::uint64_t timeout_ns) const {
    const VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                   .pNext = nullptr,
                                   .flags = 0,
                                   .semaphoreCount = 1,
                                   .pSemaphores = &handle_,
                                   .pValues = &value};
    const VkResult result = context_.call.vkWaitSemaphores(context_.handle, &info, timeout_ns);
    if (result == VK_TIMEOUT) {
        return fail(Error{.code = ErrorCode::kTimeLimit,
                          .message = fmt::format("the timeline did not reach {} within {} ns", value, timeout_ns),
                          .where = "vkWaitSemaphores",
                          .value = value,
                          .native_code = VK_TIMEOUT});
    }
    return check(result, "vkWaitSemaphores");
}

Status TimelineSemaphore::signal(std::uint64_t value) const {
    HEAPWRIGHT_ASSIGN(const std::uint64_t now, completed());
    if (value <= now) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = fmt::format("a timeline only rises; it is at {} already", now),
                          .where = "vkSignalSemaphore",
                          .value = value});
    }
    const VkSemaphoreSignalInfo info{
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .pNext = nullptr, .semaphore = handle_, .value = value};
    return check(context_.call.vkSignalSemaphore(context_.handle, &info), "vkSignalSemaphore");
}

Result<TimelineValue> Timeline::completed() {
    HEAPWRIGHT_ASSIGN(const std::uint64_t value, semaphore_->completed());
    return TimelineValue{value};
}

Status Timeline::signal(TimelineValue value) {
    return waiter_.signal(*semaphore_, value.value);
}

Status Timeline::signal_event(TimelineValue value, CompletionEvent event) {
    return waiter_.add(semaphore_, value.value, std::move(event));
}

}  // namespace heapwright::vulkan
