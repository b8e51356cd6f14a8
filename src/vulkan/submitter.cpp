#include "vulkan/submitter.hpp"

#include <algorithm>
#include <array>

#include "vulkan/call.hpp"
#include "vulkan/work_recorder.hpp"

namespace heapwright::vulkan {
namespace {

// Above this many submissions in flight, submit() gives the oldest one a moment to end before it makes yet another
// command buffer. It never insists: the work may wait for a signal that the caller has still to give.
constexpr std::size_t kManyInFlight = 1024;
constexpr std::uint64_t kPatienceNs = 100'000'000;

struct SemaphoreValues {
    std::vector<VkSemaphore> semaphores;
    std::vector<std::uint64_t> values;

    void add(const TimelineSemaphore& semaphore, std::uint64_t value) {
        semaphores.push_back(semaphore.handle());
        values.push_back(value);
    }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(values.size()); }
};

struct QueueBatch {
    SemaphoreValues waits;
    std::vector<VkCommandBuffer> commands;
    SemaphoreValues signals;

    // Points into the batch.
    [[nodiscard]] VkSubmitInfo info() {
        wait_stages_.assign(waits.count(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        values_ = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                   .pNext = nullptr,
                   .waitSemaphoreValueCount = waits.count(),
                   .pWaitSemaphoreValues = waits.values.data(),
                   .signalSemaphoreValueCount = signals.count(),
                   .pSignalSemaphoreValues = signals.values.data()};
        return {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                .pNext = &values_,
                .waitSemaphoreCount = waits.count(),
                .pWaitSemaphores = waits.semaphores.data(),
                .pWaitDstStageMask = wait_stages_.data(),
                .commandBufferCount = static_cast<std::uint32_t>(commands.size()),
                .pCommandBuffers = commands.data(),
                .signalSemaphoreCount = signals.count(),
                .pSignalSemaphores = signals.semaphores.data()};
    }

private:
    std::vector<VkPipelineStageFlags> wait_stages_;
    VkTimelineSemaphoreSubmitInfo values_{};
};

}  // namespace

Result<std::unique_ptr<Submitter>> Submitter::create(const OpenDevice& context, const WorkObjects& objects,
                                                     CommandRecorder& recorder, Timestamps& timestamps) {
    std::unique_ptr<Submitter> submitter(new Submitter(context, objects, recorder, timestamps));
    for (const DeviceQueue& queue : context.queues) {
        HEAPWRIGHT_ASSIGN(std::shared_ptr<TimelineSemaphore> timeline, TimelineSemaphore::create(context, 0));
        submitter->infos_.push_back(queue.info);
        submitter->engines_.push_back({.queue = &queue,
                                       .timeline = std::move(timeline),
                                       .submitted = 0,
                                       .recycler = CommandRecycler(context, queue.info.queue_family)});
    }
    return submitter;
}

Submitter::~Submitter() {
    // Also right after a lost device, where waiting on a semaphore may not return.
    context_.call.vkDeviceWaitIdle(context_.handle);
}

Status Submitter::make_room(Engine& engine) {
    std::unique_lock lock(mutex_);
    HEAPWRIGHT_ASSIGN(std::uint64_t completed, engine.timeline->completed());
    engine.recycler.reclaim(completed);
    if (engine.recycler.in_flight() < kManyInFlight) return {};
    lock.unlock();
    if (const Status waited = engine.timeline->wait(completed + 1, kPatienceNs);
        !waited && waited.error().code != ErrorCode::kTimeLimit) {
        return waited;
    }
    lock.lock();
    HEAPWRIGHT_ASSIGN(completed, engine.timeline->completed());
    engine.recycler.reclaim(completed);
    return {};
}

Result<CommandSlot> Submitter::record(Engine& engine, const TransferBarriers& acquires, const WorkPlan& plan,
                                      VkQueryPool timestamps, const TransferBarriers& releases) {
    if (acquires.empty() && plan.items.empty() && releases.empty()) return CommandSlot{};
    for (const Resource* resource : plan.resources) HEAPWRIGHT_TRY(objects_.resources.flush_host_writes(*resource));
    HEAPWRIGHT_ASSIGN(const CommandSlot slot, engine.recycler.begin());
    record_transfers(context_, slot.commands, acquires);
    Status recorded;
    if (timestamps != VK_NULL_HANDLE) timestamps_.write_begin(slot.commands, timestamps);
    if (!plan.items.empty()) recorded = record_work(context_, slot.commands, plan, objects_, *slot.arena);
    if (timestamps != VK_NULL_HANDLE) timestamps_.write_end(slot.commands, timestamps);
    record_transfers(context_, slot.commands, releases);
    const Status ended = check(context_.call.vkEndCommandBuffer(slot.commands), "vkEndCommandBuffer");
    if (recorded) recorded = ended;
    if (!recorded) {
        engine.recycler.give_back(slot);
        return fail(std::move(recorded.error()));
    }
    return slot;
}

Result<std::vector<RecordedList*>> Submitter::lists_of(const Engine& engine, const device::Submission& submission) {
    std::vector<RecordedList*> lists;
    for (const device::CommandListId id : submission.lists) {
        RecordedList* list = recorder_.find(id);
        if (list == nullptr || list->is_submitted || std::find(lists.begin(), lists.end(), list) != lists.end()) {
            return fail(ErrorCode::kInvalidArgument, list == nullptr
                                                         ? "a submission names a command list that is not live"
                                                         : "a command list is submitted twice");
        }
        if (list->queue_family != engine.queue->info.queue_family.value) {
            return fail(ErrorCode::kInvalidArgument, "a command list was recorded for another engine's queue family");
        }
        for (const device::ResourceId resource_id : list->resources) {
            const Resource* resource = objects_.resources.find(resource_id);
            if (resource == nullptr) {
                return fail(ErrorCode::kInvalidArgument, "a command list uses a resource that is gone");
            }
            HEAPWRIGHT_TRY(objects_.resources.flush_host_writes(*resource));
        }
        lists.push_back(list);
    }
    return lists;
}

Result<std::shared_ptr<TimelineSemaphore>> Submitter::semaphore_of(const device::TimelinePoint& point) const {
    const auto* timeline = dynamic_cast<const Timeline*>(point.timeline);
    if (timeline == nullptr || &timeline->semaphore()->context() != &context_) {
        return fail(ErrorCode::kInvalidArgument, "a submission names a timeline that is not of this device");
    }
    return timeline->semaphore();
}

Status Submitter::queue(Engine& engine, const device::Submission& submission, CommandSlot before,
                        std::span<RecordedList* const> lists, CommandSlot after) {
    QueueBatch work;
    QueueBatch done;
    std::vector<std::shared_ptr<TimelineSemaphore>> kept;
    for (const device::TimelinePoint& point : submission.waits) {
        HEAPWRIGHT_ASSIGN(kept.emplace_back(), semaphore_of(point));
        work.waits.add(*kept.back(), point.value.value);
    }
    if (before.commands != VK_NULL_HANDLE) work.commands.push_back(before.commands);
    for (const RecordedList* list : lists) work.commands.push_back(list->commands);
    if (after.commands != VK_NULL_HANDLE) work.commands.push_back(after.commands);
    for (const device::TimelinePoint& point : submission.signals) {
        HEAPWRIGHT_ASSIGN(kept.emplace_back(), semaphore_of(point));
        work.signals.add(*kept.back(), point.value.value);
    }
    // Who waits for the engine's timeline takes the caller's signals for given. Those of one batch come in any order,
    // those of the next batch after them (Vulkan specification, signal operation order).
    const std::uint64_t engine_value = engine.submitted + 1;
    (submission.signals.empty() ? work : done).signals.add(*engine.timeline, engine_value);
    const std::array batches{work.info(), done.info()};
    const std::uint32_t batch_count = submission.signals.empty() ? 1 : 2;
    HEAPWRIGHT_TRY(check(context_.call.vkQueueSubmit(engine.queue->queue, batch_count, batches.data(), VK_NULL_HANDLE),
                         "vkQueueSubmit"));
    engine.submitted = engine_value;
    engine.recycler.hold(engine_value, before, std::move(kept));
    if (after.pool != VK_NULL_HANDLE) engine.recycler.hold(engine_value, after, {});
    return {};
}

Status Submitter::submit(const device::Submission& submission) {
    if (submission.engine.value >= engines_.size()) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the device has no such engine",
                          .value = submission.engine.value,
                          .limit = engines_.size()});
    }
    Engine& engine = engines_[submission.engine.value];
    HEAPWRIGHT_TRY(make_room(engine));

    const std::scoped_lock lock(mutex_);
    HEAPWRIGHT_ASSIGN(const std::vector<RecordedList*> lists, lists_of(engine, submission));
    HEAPWRIGHT_ASSIGN(const WorkPlan plan,
                      plan_work(context_, submission.work, engine.queue->flags, objects_, FirstLayouts::kTracked));
    const std::uint32_t family = engine.queue->info.queue_family.value;
    HEAPWRIGHT_ASSIGN(const TransferBarriers acquires,
                      transfer_barriers(submission.acquires, TransferHalf::kAcquire, family, objects_.resources));
    HEAPWRIGHT_ASSIGN(const TransferBarriers releases,
                      transfer_barriers(submission.releases, TransferHalf::kRelease, family, objects_.resources));
    VkQueryPool timestamps = VK_NULL_HANDLE;
    if (submission.timestamps) {
        HEAPWRIGHT_ASSIGN(timestamps, timestamps_.pool_of(*submission.timestamps, submission.engine));
        if (plan.items.empty())
            return fail(ErrorCode::kInvalidArgument, "timestamps stand around work, and there is none");
    }
    const auto give_back = [&engine](const CommandSlot& slot) {
        if (slot.pool != VK_NULL_HANDLE) engine.recycler.give_back(slot);
    };
    // Releases come after the lists.
    const bool is_split = !lists.empty() && !releases.empty();
    const TransferBarriers none;
    HEAPWRIGHT_ASSIGN(const CommandSlot before, record(engine, acquires, plan, timestamps, is_split ? none : releases));
    auto after = is_split ? record(engine, none, WorkPlan{}, VK_NULL_HANDLE, releases) : CommandSlot{};
    if (!after) {
        give_back(before);
        return fail(std::move(after.error()));
    }
    if (Status queued = queue(engine, submission, before, lists, *after); !queued) {
        give_back(before);
        give_back(*after);
        return queued;
    }
    for (RecordedList* list : lists) list->is_submitted = !list->is_reusable;
    if (submission.timestamps) timestamps_.note_named(*submission.timestamps);
    commit_layouts(plan);
    return {};
}

Status Submitter::wait_idle() {
    struct Point {
        std::shared_ptr<TimelineSemaphore> timeline;
        std::uint64_t value = 0;
    };
    std::vector<Point> points;
    {
        // The lock is not held while waiting, so that another thread may give the signal that the work waits for.
        const std::scoped_lock lock(mutex_);
        for (const Engine& engine : engines_) points.push_back({engine.timeline, engine.submitted});
    }
    for (const Point& point : points) {
        if (const Status waited = point.timeline->wait(point.value, ~0ull); !waited) {
            // It says nothing of the work. Whoever frees memory after this needs the device's own word: idle, or lost,
            // after which the specification lets everything be destroyed.
            context_.call.vkDeviceWaitIdle(context_.handle);
            return waited;
        }
    }
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < points.size(); ++i) engines_[i].recycler.reclaim(points[i].value);
    return {};
}

std::size_t Submitter::command_buffers() const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const Engine& engine : engines_) count += engine.recycler.slots();
    return count;
}

}  // namespace heapwright::vulkan
