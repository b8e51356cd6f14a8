#include "validate/work_queue.hpp"

#include <array>
#include <utility>

#include "device/image_planes.hpp"

namespace heapwright::validate {

WorkQueue::WorkQueue(device::Device& device, OnMismatch on_mismatch)
    : device_(device), on_mismatch_(std::move(on_mismatch)), copies_stencil_(device::copies_stencil(device.facts())) {}

Result<std::unique_ptr<WorkQueue>> WorkQueue::create(device::Device& device, device::Device& staging,
                                                     const Options& options, OnMismatch on_mismatch) {
    std::unique_ptr<WorkQueue> queue(new WorkQueue(device, std::move(on_mismatch)));
    HEAPWRIGHT_ASSIGN(queue->timeline_, device.create_timeline(0));
    HEAPWRIGHT_ASSIGN(queue->upload_, StagingRing::create(staging, StagingDirection::kUpload, options.upload_bytes));
    HEAPWRIGHT_ASSIGN(queue->readback_,
                      StagingRing::create(staging, StagingDirection::kReadback, options.readback_bytes));
    return queue;
}

WorkQueue::~WorkQueue() {
    // The rings may go only when the device is done with them. A lost device is done.
    (void)device_.submitter().wait_idle();
}

Result<std::uint64_t> WorkQueue::take(StagingRing& ring, std::uint64_t size_bytes) {
    if (size_bytes > ring.capacity_bytes()) {
        return fail(Error{.code = ErrorCode::kExhausted,
                          .message = "more bytes than the staging ring holds",
                          .value = size_bytes,
                          .limit = ring.capacity_bytes()});
    }
    if (const auto offset = ring.take(size_bytes)) return *offset;
    HEAPWRIGHT_TRY(poll());
    if (const auto offset = ring.take(size_bytes)) return *offset;
    if (!work_.empty()) HEAPWRIGHT_TRY(submit());
    while (completed_.value < submitted_) {
        HEAPWRIGHT_TRY(wait(TimelineValue{completed_.value + 1}));
        if (const auto offset = ring.take(size_bytes)) return *offset;
    }
    // Room that was taken and never used by work has no submission to wait for.
    HEAPWRIGHT_TRY(submit());
    HEAPWRIGHT_TRY(wait(TimelineValue{submitted_}));
    if (const auto offset = ring.take(size_bytes)) return *offset;
    return fail(ErrorCode::kInvariantBroken, "a drained staging ring has no room");
}

Result<std::uint64_t> WorkQueue::upload(const Pattern& pattern, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t offset, take(*upload_, size_bytes));
    write_pattern(pattern, upload_->bytes(offset, size_bytes));
    HEAPWRIGHT_TRY(upload_->flush(offset, size_bytes));
    return offset;
}

Result<std::uint64_t> WorkQueue::read_back(std::uint64_t size_bytes) {
    return take(*readback_, size_bytes);
}

Status WorkQueue::submit() {
    const TimelineValue value = recording();
    const std::array<device::TimelinePoint, 1> waits{
        device::TimelinePoint{.timeline = timeline_.get(), .value = TimelineValue{submitted_}}};
    const std::array<device::TimelinePoint, 1> signals{
        device::TimelinePoint{.timeline = timeline_.get(), .value = value}};
    HEAPWRIGHT_TRY(device_.submitter().submit({.engine = device::EngineId{0},
                                               .waits = submitted_ == 0 ? std::span(waits).first(0) : std::span(waits),
                                               .work = work_,
                                               .signals = signals}));
    ++submitted_;
    upload_->mark(value);
    readback_->mark(value);
    work_.clear();
    batches_.push_back({.value = value, .checks = std::exchange(recorded_checks_, {})});
    return {};
}

Status WorkQueue::process_completed() {
    while (!batches_.empty() && batches_.front().value <= completed_) {
        for (const PendingCheck& check : batches_.front().checks) {
            HEAPWRIGHT_TRY(readback_->invalidate(check.staging_offset, check.size_bytes));
            const auto mismatch =
                compare_pattern(check.pattern, readback_->bytes(check.staging_offset, check.size_bytes));
            if (mismatch) on_mismatch_(check, *mismatch);
            verified_bytes_ += check.size_bytes;
        }
        batches_.pop_front();
    }
    // Only now may new read-backs overwrite what was compared.
    upload_->release_completed(completed_);
    readback_->release_completed(completed_);
    return {};
}

Status WorkQueue::wait(TimelineValue value) {
    if (value <= completed_) return {};
    HEAPWRIGHT_TRY(timeline_->wait(value, kWaitTimeoutNs));
    return poll();
}

Status WorkQueue::poll() {
    HEAPWRIGHT_ASSIGN(completed_, timeline_->completed());
    return process_completed();
}

Status WorkQueue::drain() {
    HEAPWRIGHT_TRY(submit());
    return wait(TimelineValue{submitted_});
}

}  // namespace heapwright::validate
