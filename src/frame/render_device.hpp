// The render device: the descriptor heaps, the upload heap, the release queues, the contexts and the one place where
// command lists are numbered and submitted.
//
// submit, in this order:  the list gets the next command list number, and the fence is signalled with that number plus
//                         one, both under one lock with the submission; the allocator goes back to its pool; the
//                         context's dynamic descriptors are discarded; the context goes back to the pool of contexts
// finish_frame:           the frame's allocations in the upload heap are discarded; stale descriptors are released;
//                         stale resources, memory ranges and pipelines are destroyed
// A deferred context's list is submitted by the thread of the immediate context, whose own commands go first.
//
// Guarantees: nothing that a submitted list may still use is destroyed or handed out again, as long as the rules that
// LifetimeChecker watches are kept. Nothing is lost by an error: a submission that fails took no number.
// Thread-safety: release(), create_view() and take_deferred() from any thread; a context by its own thread; flush(),
// execute() and finish_frame() by one thread at a time.
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

#include "heapwright/core/result.hpp"
#include "heapwright/device/device.hpp"
#include "heapwright/frame/command_allocator_pool.hpp"
#include "heapwright/frame/command_list_clock.hpp"
#include "heapwright/frame/cpu_descriptor_heap.hpp"
#include "heapwright/frame/device_context.hpp"
#include "heapwright/frame/gpu_descriptor_heap.hpp"
#include "heapwright/frame/lifetime_checker.hpp"
#include "heapwright/frame/release_queues.hpp"
#include "heapwright/frame/sampler_cache.hpp"
#include "heapwright/frame/upload_heap.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/pool/budgeted_heaps.hpp"

namespace heapwright::frame {

using VisibleHeapFactory = std::function<Result<std::unique_ptr<GPUDescriptorHeap>>(
    device::DescriptorHeapSource& source, const CommandListClock& clock, const VisibleHeapLayout& layout)>;

struct RenderDeviceOptions {
    std::uint32_t frames_in_flight = 0;   // 0: the policy's; finish_frame() waits for older frames
    std::uint64_t most_upload_bytes = 0;  // 0: four times the policy's ring
    // Whose limits uploads are charged to, such as those of the memory pool beside it; they outlive the render device.
    // Null: the policy's limits, for uploads alone.
    pool::BudgetedHeaps* accounts = nullptr;
    std::uint64_t visible_capacity = 0;    // CBV_SRV_UAV; 0: the policy's
    bool reports_lifetimes = true;         // LifetimeChecker watches
    VisibleHeapFactory make_visible_heap;  // empty: GPUDescriptorHeap::create
    // Told of every list of a context, by the thread that submits it. May be empty.
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
    std::uint64_t command_lists = 0;
    std::uint64_t frames = 0;
    std::uint64_t command_allocators = 0;
    std::uint64_t destroyed_resources = 0;
};

class RenderDevice {
public:
    static constexpr std::uint64_t kWaitTimeoutNs = 60'000'000'000;

    // Errors: kNotSupported when the device has no descriptor heaps or records no lists; kInvalidArgument for a policy
    // without capacities, or with one beyond what the device states (both figures); the device's own.
    [[nodiscard]] static Result<std::unique_ptr<RenderDevice>> create(device::Device& device,
                                                                      const model::DevicePolicy& policy,
                                                                      const RenderDeviceOptions& options);
    ~RenderDevice();
    RenderDevice(const RenderDevice&) = delete;
    RenderDevice& operator=(const RenderDevice&) = delete;

    // A view in the CPU heap of its kind, written.
    [[nodiscard]] Result<DescriptorHeapAllocation> create_view(const device::Descriptor& descriptor);

    [[nodiscard]] DeviceContext& immediate() { return *immediate_; }
    // From the pool of contexts that are free.
    [[nodiscard]] DeviceContext& take_deferred();

    // The command list number that the immediate context's commands got; nothing when there were none.
    [[nodiscard]] Result<std::optional<std::uint64_t>> flush();
    [[nodiscard]] Result<std::optional<std::uint64_t>> execute(DeviceContext& deferred);
    // Work outside any context, as a command list of its own: the first use of images.
    [[nodiscard]] Status submit_now(std::span<const device::Work> work);
    [[nodiscard]] Status finish_frame();
    // Everything that was submitted is over, and everything that was released is destroyed.
    [[nodiscard]] Status wait_idle();

    // The object ends when the list that is submitted next is over.
    void release(device::ResourceId resource);
    void release(const MemoryRange& range);
    void release(device::PipelineId pipeline);

    // Lists submitted from now on wait for this; empty: for nothing. A way to keep frames in flight.
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
    [[nodiscard]] LifetimeChecker& checker() { return checker_; }
    [[nodiscard]] bool reports_lifetimes() const { return options_.reports_lifetimes; }
    [[nodiscard]] device::Timeline& fence() { return *fence_; }
    [[nodiscard]] CommandAllocatorPool& command_allocators() { return *allocators_; }
    [[nodiscard]] const CommandListClock& clock() const { return clock_; }
    [[nodiscard]] std::uint32_t frame() const { return frame_.load(std::memory_order_acquire); }
    [[nodiscard]] TimelineValue last_completed() const {
        return TimelineValue{completed_.load(std::memory_order_acquire)};
    }
    [[nodiscard]] std::uint32_t frames_in_flight() const { return frames_in_flight_; }
    [[nodiscard]] RenderDeviceFigures figures() const;
    [[nodiscard]] Status validate_invariants() const;

private:
    // Hands what becomes of static descriptors on to the checker.
    class DescriptorWatch final : public StaticDescriptorWatcher {
    public:
        explicit DescriptorWatch(RenderDevice& device) : device_(device) {}
        void allocated(device::DescriptorHeapKind kind, std::uint32_t first, std::uint32_t count) override;
        void released(device::DescriptorHeapKind kind, std::uint32_t first, std::uint32_t count,
                      TimelineValue last_use) override;

    private:
        RenderDevice& device_;
    };

    RenderDevice(device::Device& device, RenderDeviceOptions options) : device_(device), options_(std::move(options)) {}

    [[nodiscard]] Status set_up(const model::DevicePolicy& policy);
    [[nodiscard]] Result<std::unique_ptr<GPUDescriptorHeap>> make_visible(device::DescriptorHeapKind kind,
                                                                          const model::VisibleHeapPolicy& policy);
    [[nodiscard]] Result<std::optional<std::uint64_t>> submit(DeviceContext& context);
    [[nodiscard]] Result<std::uint64_t> submit_numbered(std::span<const device::Work> work,
                                                        std::span<const device::CommandListId> lists);
    [[nodiscard]] Result<TimelineValue> poll();
    void release_completed(TimelineValue completed);
    // Of what waits for `last_use`.
    [[nodiscard]] LifetimeChecker::Release release_at(TimelineValue last_use) const {
        return {.frame = frame(), .command_list = last_use.value == 0 ? 0 : last_use.value - 1};
    }

    device::Device& device_;
    RenderDeviceOptions options_;
    std::uint32_t frames_in_flight_ = 1;
    CommandListClock clock_;
    LifetimeChecker checker_;
    DescriptorWatch watch_{*this};
    std::unique_ptr<device::Timeline> fence_;
    std::optional<device::TimelinePoint> gate_;
    ReleaseQueues releases_;
    std::array<std::unique_ptr<CPUDescriptorHeap>, 4> cpu_heaps_;
    std::unique_ptr<GPUDescriptorHeap> resource_heap_;
    std::unique_ptr<GPUDescriptorHeap> sampler_heap_;
    std::unique_ptr<SamplerCache> samplers_;
    std::unique_ptr<pool::BudgetedHeaps> own_accounts_;  // null: the options' are used
    std::unique_ptr<UploadHeap> uploads_;
    std::unique_ptr<CommandAllocatorPool> allocators_;
    std::unique_ptr<DeviceContext> immediate_;
    mutable std::mutex contexts_mutex_;
    std::vector<std::unique_ptr<DeviceContext>> deferred_;
    std::vector<DeviceContext*> free_contexts_;
    std::mutex queue_mutex_;
    std::atomic<std::uint64_t> completed_{0};
    std::atomic<std::uint32_t> frame_{0};
    std::deque<TimelineValue> frame_ends_;
    std::uint64_t destroyed_resources_ = 0;
};

}  // namespace heapwright::frame
