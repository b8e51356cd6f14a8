// Gathers GPU work into few submissions: uploads through a staging ring, read-backs that are compared when their
// submission has completed. Submissions run in order on engine 0: each waits for the one before.
// Not thread-safe. Errors: the device's own; kTimeLimit when the device does not finish in kWaitTimeoutNs.
// Ownership: the device outlives it; it waits for the device when it is destroyed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "validate/pattern.hpp"
#include "validate/staging_ring.hpp"

namespace heapwright::validate {

// Bytes on their way back, and what they must be.
struct PendingCheck {
    std::uint64_t serial = 0;           // the resource
    std::uint64_t resource_offset = 0;  // buffers: where in the resource the bytes begin
    device::ImageSubresource subresource{};
    Pattern pattern;
    std::uint64_t staging_offset = 0;
    std::uint64_t size_bytes = 0;
};

class WorkQueue {
public:
    static constexpr std::uint64_t kWaitTimeoutNs = 60'000'000'000;
    using OnMismatch = std::function<void(const PendingCheck&, const Mismatch&)>;

    struct Options {
        std::uint64_t upload_bytes = 0;
        std::uint64_t readback_bytes = 0;
    };

    // `staging` makes the rings, `device` takes the submissions (an observed device, whose checker must not take the
    // rings for resources of the allocator under test).
    [[nodiscard]] static Result<std::unique_ptr<WorkQueue>> create(device::Device& device, device::Device& staging,
                                                                   const Options& options, OnMismatch on_mismatch);
    ~WorkQueue();

    void add(const device::Work& work) { work_.push_back(work); }

    // Copies the pattern to the staging memory; the offset of its bytes there. At most upload_bytes.
    // May submit and wait when the ring is full.
    [[nodiscard]] Result<std::uint64_t> upload(const Pattern& pattern, std::uint64_t size_bytes);
    // Room for `size_bytes` from the device; at most readback_bytes. May submit and wait.
    [[nodiscard]] Result<std::uint64_t> read_back(std::uint64_t size_bytes);
    void check_later(PendingCheck check) { recorded_checks_.push_back(std::move(check)); }

    [[nodiscard]] device::ResourceId upload_buffer() const { return upload_->buffer(); }
    [[nodiscard]] device::ResourceId readback_buffer() const { return readback_->buffer(); }
    [[nodiscard]] std::uint64_t upload_capacity() const { return upload_->capacity_bytes(); }
    [[nodiscard]] std::uint64_t readback_capacity() const { return readback_->capacity_bytes(); }

    [[nodiscard]] bool copies_stencil() const { return copies_stencil_; }

    [[nodiscard]] device::Timeline& timeline() { return *timeline_; }
    // What the next submission signals: work recorded now is over then.
    [[nodiscard]] TimelineValue recording() const { return TimelineValue{submitted_ + 1}; }
    [[nodiscard]] TimelineValue completed() const { return completed_; }
    [[nodiscard]] std::uint64_t recorded_work() const { return work_.size(); }

    // Submits what was recorded (an empty submission too, so that every value is signalled).
    [[nodiscard]] Status submit();
    // Waits for the value, then compares what came back up to there.
    [[nodiscard]] Status wait(TimelineValue value);
    // Takes note of what has completed by now.
    [[nodiscard]] Status poll();
    // Submits, waits for everything, compares everything.
    [[nodiscard]] Status drain();

    [[nodiscard]] std::uint64_t verified_bytes() const { return verified_bytes_; }

private:
    WorkQueue(device::Device& device, OnMismatch on_mismatch);

    [[nodiscard]] Status process_completed();
    [[nodiscard]] Result<std::uint64_t> take(StagingRing& ring, std::uint64_t size_bytes);

    struct Batch {
        TimelineValue value;
        std::vector<PendingCheck> checks;
    };

    device::Device& device_;
    OnMismatch on_mismatch_;
    bool copies_stencil_;
    std::unique_ptr<device::Timeline> timeline_;
    std::unique_ptr<StagingRing> upload_;
    std::unique_ptr<StagingRing> readback_;
    std::vector<device::Work> work_;
    std::vector<PendingCheck> recorded_checks_;
    std::deque<Batch> batches_;
    std::uint64_t submitted_ = 0;
    TimelineValue completed_;
    std::uint64_t verified_bytes_ = 0;
};

}  // namespace heapwright::validate
