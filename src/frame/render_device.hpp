// The render device: the descriptor heaps, the upload heap, the release queues, the contexts and the queues that their
// command lists go to.
//
// submit, in this order:  the list goes to its queue (DeviceQueue); the allocator goes back to its pool; the context's
//                         dynamic descriptors are discarded; the context goes back to the pool of contexts
// finish_frame:           what the immediate contexts hold is submitted; the frame gets its end (FrameEnds); its
//                         allocations in the upload heap are discarded; stale descriptors are released; stale
//                         resources, memory ranges and pipelines are destroyed
//
// Last uses. A release comes after every use was recorded, in whatever context; what was recorded may not be submitted
// yet. So what waits for what:
//   a context's rows and allocator              its own list
//   what a context releases                     its own list, where no other context of the queue is open and no list
//                                               of another queue that uses it is open or pending (UsedBy); else
//                                               the frame's end
//   what is released past the contexts          the frame's end, or the lists that the caller names
// A frame's end (FrameEnds) is the last list of every queue once no context is open that was begun in the frame; it
// comes in frames without commands, too. A context is open from its first call to its submission, give_back() or
// discard(). Whether others are open is asked before the releasing context's list takes its number: who is not open
// any more then has a smaller one.
//
// Guarantees: nothing that a submitted list may still use, or that a context uses which was begun in that frame and is
// not submitted, is destroyed or handed out again, as long as the rules that LifetimeChecker watches are kept. Nothing
// is lost by an error: a submission that fails took no number, and its commands are there for the next attempt.
// Thread-safety: release(), create_view(), take_deferred(), submit() and give_back() from any thread; a context by one
// thread at a time; flush() and execute() by the thread that records the queue's immediate context; finish_frame() and
// wait_idle() while nobody records in an immediate context, other threads may go on with deferred ones.
// Ownership: the device outlives it; it waits for the device at its end.
// Source: "Managing Resource Lifetimes", "Managing Descriptor Heaps" (Diligent Engine).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "frame/cpu_descriptor_heap.hpp"
#include "frame/device_context.hpp"
#include "frame/device_queue.hpp"
#include "frame/frame_ends.hpp"
#include "frame/gpu_descriptor_heap.hpp"
#include "frame/lifetime_checker.hpp"
#include "frame/release_queues.hpp"
#include "frame/sampler_cache.hpp"
#include "frame/upload_heap.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "pool/budgeted_memory.hpp"

namespace heapwright::frame {

using VisibleHeapFactory = std::function<Result<std::unique_ptr<GPUDescriptorHeap>>(
    device::DescriptorHeapSource& source, const FrameClock& clock, const VisibleHeapLayout& layout)>;

struct RenderDeviceOptions {
    // Different ones of Submitter::engines(), at most kMostQueues; their places here are the numbers of the queues.
    // Empty: engine 0 alone, which can do every kind of work.
    std::vector<device::EngineId> queues = {};
    std::uint32_t frames_in_flight = 0;   // 0: the policy's; finish_frame() waits for older frames
    std::uint64_t most_upload_bytes = 0;  // 0: four times the policy's ring; as much again for dynamic buffers
    // Whose limits uploads are charged to, such as those of the memory pool beside it; they outlive the render device.
    // Null: the policy's limits, for uploads alone.
    pool::BudgetedMemory* accounts = nullptr;
    std::uint64_t visible_capacity = 0;  // CBV_SRV_UAV; 0: the policy's
    // LifetimeChecker watches. Off, because it looks up every resource of every recorded command under a lock;
    // validation turns it on.
    bool reports_lifetimes = false;
    VisibleHeapFactory make_visible_heap;  // empty: GPUDescriptorHeap::create
    // Told of every submission of a context with its number on the context's queue, by the thread that submits it. May
    // be empty.
    std::function<void(std::uint32_t context, std::uint64_t command_list)> on_submitted;
};

struct RenderDeviceFigures {
    std::array<DescriptorHeapFigures, 4> cpu;  // by kind
    DescriptorManagerFigures static_resources;
    DescriptorManagerFigures dynamic_resources;
    DescriptorManagerFigures static_samplers;
    DescriptorManagerFigures dynamic_samplers;
    SamplerCache::Figures samplers;
    UploadFigures uploads;
    UploadFigures dynamic_space;
    std::uint64_t dynamic_stalls = 0;  // requests for dynamic descriptors that waited for the device
    std::uint64_t command_lists = 0;   // of all queues, as the four below
    std::uint64_t frames = 0;
    std::uint64_t command_allocators = 0;
    std::uint64_t destroyed_resources = 0;
};

// The last list of a queue that uses something.
struct LastUse {
    std::size_t queue = 0;
    std::uint64_t command_list = 0;
};

class RenderDevice {
public:
    static constexpr std::uint64_t kWaitTimeoutNs = frame::kWaitTimeoutNs;

    // Errors: kNotSupported when the device has no descriptor heaps or records no lists; kInvalidArgument for a policy
    // without capacities, or with one beyond what the device states (both figures), and for queues that the device does
    // not have or that are named twice; the device's own.
    [[nodiscard]] static Result<std::unique_ptr<RenderDevice>> create(device::Device& device,
                                                                      const model::DevicePolicy& policy,
                                                                      const RenderDeviceOptions& options);
    ~RenderDevice();
    RenderDevice(const RenderDevice&) = delete;
    RenderDevice& operator=(const RenderDevice&) = delete;

    // A view in the CPU heap of its kind, written.
    [[nodiscard]] Result<DescriptorHeapAllocation> create_view(const device::Descriptor& descriptor);

    [[nodiscard]] std::size_t queue_count() const { return queues_.size(); }
    [[nodiscard]] DeviceContext& immediate(std::size_t queue = 0) { return *immediate_[queue]; }
    // From the pool of contexts that are free, for lists of this queue. It goes back there when it is submitted, or by
    // give_back(): once for each time that it was taken.
    [[nodiscard]] DeviceContext& take_deferred(std::size_t queue = 0);
    // Discards what was recorded and not submitted. Nothing happens to a context that is not taken.
    void give_back(DeviceContext& deferred);

    // The command list number on the queue that the immediate context's commands and waits got; nothing when there were
    // none.
    [[nodiscard]] Result<std::optional<std::uint64_t>> flush(std::size_t queue = 0);
    // Behind what the immediate context of its queue holds.
    [[nodiscard]] Result<std::optional<std::uint64_t>> execute(DeviceContext& deferred);
    // At once, whatever the immediate context holds: by any thread. Error: kInvalidArgument for a context that is not
    // taken; those of close() and the queue, and it stays taken then.
    [[nodiscard]] Result<std::optional<std::uint64_t>> submit(DeviceContext& deferred);
    // Work outside any context, as a command list of its own: the first use of images.
    [[nodiscard]] Status submit_now(std::span<const device::Work> work, std::size_t queue = 0);
    // What a context of another queue waits for to come behind this list (DeviceContext::wait_for).
    [[nodiscard]] device::TimelinePoint end_of(const LastUse& list) {
        return {.timeline = &fence(list.queue), .value = TimelineValue{list.command_list + 1}};
    }
    [[nodiscard]] Status finish_frame();
    // Everything that was submitted is over, and everything that was released is destroyed. The frame ends with it.
    [[nodiscard]] Status wait_idle();

    // The object ends when the frame is over on every queue.
    void release(device::ResourceId resource);
    void release(const MemoryRange& range);
    void release(device::PipelineId pipeline);
    // The resource ends when these lists are over: at most one of each queue, and the last there that uses it. No
    // context that uses it is open, and no list of a queue that is not named pending. Error: kInvalidArgument for a
    // queue that there is not or a list that is not submitted; nothing is released then.
    [[nodiscard]] Status release(device::ResourceId resource, std::span<const LastUse> last_uses);

    // Lists submitted from now on wait for this; empty: for nothing. A way to keep frames in flight. While nobody
    // submits.
    void set_gate(std::optional<device::TimelinePoint> gate) { gate_ = gate; }

    [[nodiscard]] device::Device& device() { return device_; }
    [[nodiscard]] device::DescriptorHeapSource& descriptors() { return *device_.descriptors(); }
    [[nodiscard]] CPUDescriptorHeap& cpu_heap(device::DescriptorHeapKind kind) {
        return *cpu_heaps_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] GPUDescriptorHeap& resource_heap() { return *resource_heap_; }
    [[nodiscard]] GPUDescriptorHeap& sampler_heap() { return *sampler_heap_; }
    [[nodiscard]] SamplerCache& samplers() { return *samplers_; }
    [[nodiscard]] UploadHeap& uploads() { return *uploads_; }
    // Where dynamic buffers live: memory that the host writes and the device reads in place, by the policy's ranking
    // for streaming. Made when it is asked for first; from any thread. Errors: kInvalidArgument for a policy without
    // that ranking; those of UploadHeap::create().
    [[nodiscard]] Result<UploadHeap*> dynamic_space();
    // Whether the policy wants what the host writes and the device reads in memory of the device (resizable BAR, or one
    // memory for both), so that initial data goes there without staging where a buffer can be mapped.
    [[nodiscard]] bool prefers_direct_writes() const { return prefers_direct_writes_; }
    [[nodiscard]] LifetimeChecker& checker() { return checker_; }
    [[nodiscard]] bool reports_lifetimes() const { return options_.reports_lifetimes; }
    [[nodiscard]] device::EngineId engine(std::size_t queue = 0) const { return queues_[queue]->engine(); }
    [[nodiscard]] device::Timeline& fence(std::size_t queue = 0) { return queues_[queue]->fence(); }
    [[nodiscard]] CommandAllocatorPool& command_allocators(std::size_t queue = 0) {
        return queues_[queue]->command_allocators();
    }
    [[nodiscard]] const CommandListClock& clock(std::size_t queue = 0) const { return queues_[queue]->clock(); }
    [[nodiscard]] const FrameClock& frame_clock() const { return frame_ends_.clock(); }
    // The one that is open; wait_idle() ends one as finish_frame() does.
    [[nodiscard]] std::uint32_t frame() const { return static_cast<std::uint32_t>(frame_clock().next()); }
    [[nodiscard]] TimelineValue last_completed(std::size_t queue = 0) const { return queues_[queue]->last_completed(); }
    [[nodiscard]] std::uint32_t frames_in_flight() const { return frames_in_flight_; }
    [[nodiscard]] RenderDeviceFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;

private:
    friend class DeviceContext;

    // Hands what becomes of views and static descriptors on to the checker.
    class DescriptorWatch final : public DescriptorWatcher {
    public:
        explicit DescriptorWatch(RenderDevice& device) : device_(device) {}
        void allocated(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count) override;
        void released(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                      ReleasePoint last_use) override;
        void gone(device::DescriptorHeapId heap) override;

    private:
        RenderDevice& device_;
    };

    // Waits for lists that the caller named.
    struct NamedRelease {
        device::ResourceId resource;
        QueueValues last_use{};
    };

    RenderDevice(device::Device& device, RenderDeviceOptions options) : device_(device), options_(std::move(options)) {}

    [[nodiscard]] Status set_up(const model::DevicePolicy& policy);
    [[nodiscard]] Status make_queues();
    [[nodiscard]] Status make_uploads(const model::DevicePolicy& policy);
    // The dynamic space where it has been made.
    [[nodiscard]] UploadHeap* made_dynamic_space() const { return dynamic_space_.load(std::memory_order_acquire); }
    [[nodiscard]] Result<std::unique_ptr<GPUDescriptorHeap>> make_visible(device::DescriptorHeapKind kind,
                                                                          const model::VisibleHeapPolicy& policy);
    [[nodiscard]] Result<std::optional<std::uint64_t>> submit_context(DeviceContext& context);
    // Whether no other context of this one's queue is open. Asked before the context's list takes its number: the list
    // of a context that is not open any more has a smaller one.
    [[nodiscard]] bool is_alone(const DeviceContext& context) const;
    // The context's commands went with list `number`, or it had none: what it used waits for that, and what it released
    // as well where it was alone.
    void retire(DeviceContext& context, std::optional<std::uint64_t> number, bool was_alone);
    void make_free(DeviceContext& deferred);
    [[nodiscard]] Result<std::uint64_t> submit_numbered(std::size_t queue, std::span<const device::TimelinePoint> waits,
                                                        std::span<const device::Work> work,
                                                        std::span<const device::CommandListId> lists);
    [[nodiscard]] Status flush_all();
    // The frame that is open ends, with its allocations in the upload heaps.
    [[nodiscard]] Status close_frame();
    // The first frame in which a context that is still open was begun.
    [[nodiscard]] std::uint64_t oldest_open_frame() const;
    [[nodiscard]] Result<CompletedPoints> poll();
    // What the fences read; the last that is known of one that cannot be asked.
    [[nodiscard]] QueueValues ask_fences();
    void release_completed(const CompletedPoints& completed);
    void release_uploads(TimelineValue frames);
    void release_named(const CompletedPoints& completed);
    void destroy(device::ResourceId resource);
    // Of what waits for `last_use`, or is released now.
    [[nodiscard]] LifetimeChecker::Release release_at(ReleasePoint last_use) const {
        const bool is_list = !last_use.is_frame() && last_use.value.value != 0;
        return {.frame = frame(), .command_list = is_list ? last_use.value.value - 1 : clock().next()};
    }
    [[nodiscard]] LifetimeChecker::Release release_now() const { return release_at(frame_clock().release_point()); }

    device::Device& device_;
    RenderDeviceOptions options_;
    std::uint32_t frames_in_flight_ = 1;
    std::vector<std::unique_ptr<DeviceQueue>> queues_;
    FrameEnds frame_ends_{queues_, [this] { return oldest_open_frame(); }};
    LifetimeChecker checker_;
    DescriptorWatch watch_{*this};
    std::optional<device::TimelinePoint> gate_;
    ReleaseQueues releases_;
    std::mutex named_mutex_;
    std::vector<NamedRelease> named_releases_;
    std::array<std::unique_ptr<CPUDescriptorHeap>, 4> cpu_heaps_;
    std::unique_ptr<GPUDescriptorHeap> resource_heap_;
    std::unique_ptr<GPUDescriptorHeap> sampler_heap_;
    std::unique_ptr<SamplerCache> samplers_;
    std::unique_ptr<pool::BudgetedMemory> own_accounts_;  // null: the options' are used
    std::unique_ptr<UploadHeap> uploads_;
    std::mutex dynamic_space_mutex_;
    std::vector<std::uint32_t> dynamic_memory_types_;
    UploadHeap::Options dynamic_options_;
    std::unique_ptr<UploadHeap> own_dynamic_space_;
    std::atomic<UploadHeap*> dynamic_space_{nullptr};
    bool prefers_direct_writes_ = false;
    std::vector<std::unique_ptr<DeviceContext>> immediate_;  // by queue
    mutable std::mutex contexts_mutex_;
    std::vector<std::unique_ptr<DeviceContext>> deferred_;
    std::vector<DeviceContext*> free_contexts_;
    std::uint64_t finished_frames_ = 0;
    std::deque<QueueValues> in_flight_;  // ends of frames
    std::uint64_t destroyed_resources_ = 0;
};

}  // namespace heapwright::frame
