// Records the commands of one list: the immediate context, or a deferred one whose list is submitted later. Every
// context has its own dynamic descriptors, its own blocks of the upload heap and its own list of releases, so that
// recording takes a lock only when a chunk or a block is used up. What it writes while it records lies on cache lines
// of its own. A context may make several lists: close() ends one, and what is recorded behind it goes to the next. All
// of them are submitted together, in their order, and count as one. A list that could not be made or submitted stays,
// in front of what is recorded later; discard() is the way out where it never can be. For one thread at a time; it may
// be handed from one to the next, synchronised. Errors: those of the parts; what was recorded stays recorded.
// Ownership: made and owned by RenderDevice. Source: "Managing Resource Lifetimes" (Diligent Engine).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/command_recorder.hpp"
#include "frame/dynamic_suballocations_manager.hpp"
#include "frame/lifetime_checker.hpp"
#include "frame/release_queues.hpp"
#include "frame/sampler_cache.hpp"
#include "frame/upload_heap.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

class RenderDevice;

enum class ContextKind : std::uint8_t { kImmediate, kDeferred };

// Which queues have used what a context releases.
enum class UsedBy : std::uint8_t {
    kEveryQueue,  // it may: the object waits for the frame's end on all of them, where there are several
    kThisQueue,   // no list of another queue that uses it is open or pending: it waits for the context's list alone
};

// Where a view lies.
struct ViewPlace {
    device::DescriptorHeapId heap;
    std::uint32_t index = 0;
};

// One use of the project's compute programs.
struct TableDispatch {
    device::PipelineId pipeline;
    std::uint32_t static_table = 0;  // in the shader-visible CBV_SRV_UAV heap
    DynamicDescriptors dynamic_table;
    std::optional<std::uint32_t> sampler;               // in the shader-visible sampler heap, of its static part
    std::optional<DynamicDescriptors> dynamic_sampler;  // neither: the program has a static sampler
    std::uint32_t output_word = 0;
    std::vector<device::ResourceId> reads;
    std::vector<device::ResourceId> writes;
    std::vector<ViewPlace> views = {};  // that the rows were copied from: for the checker alone
};

class DeviceContext {
public:
    DeviceContext(RenderDevice& device, ContextKind kind, std::size_t queue, std::uint32_t number);
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    [[nodiscard]] ContextKind kind() const { return kind_; }
    [[nodiscard]] std::size_t queue() const { return queue_; }
    [[nodiscard]] std::uint32_t number() const { return number_; }

    [[nodiscard]] Result<DynamicDescriptors> allocate_dynamic(device::DescriptorHeapKind kind, std::uint32_t count);
    [[nodiscard]] Result<UploadRange> allocate_upload(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 16);
    // Of memory that the device reads where it lies (DynamicBuffer). Errors: also those of
    // RenderDevice::dynamic_space().
    [[nodiscard]] Result<UploadRange> allocate_dynamic_space(std::uint64_t size_bytes, std::uint64_t alignment_bytes);

    void record(device::Work work);
    // Space of the frame that content is brought through piece by piece, and what the queue's fence reads once the
    // device has read it. Good until the frame ends: for content_upload.hpp, which fills it.
    struct UploadWindow {
        UploadRange range;
        TimelineValue readers_end;
    };
    [[nodiscard]] std::vector<UploadWindow>& upload_windows() {
        begin();
        return upload_windows_;
    }

    // A copy from dynamic space.
    void copy_from_upload(const UploadRange& from, device::ResourceId destination,
                          std::uint64_t destination_offset_bytes);
    void dispatch(const TableDispatch& dispatch);

    // What is submitted next waits for this, such as RenderDevice::end_of() a list of another queue. A wait is
    // submitted where there are no commands, too, whatever makes the context flush.
    void wait_for(const device::TimelinePoint& point);

    // The object ends when the list that is being recorded is over, and what other queues do with it.
    void release(device::ResourceId resource, UsedBy used_by = UsedBy::kEveryQueue);
    void release(const MemoryRange& range, UsedBy used_by = UsedBy::kEveryQueue);
    void release(device::PipelineId pipeline, UsedBy used_by = UsedBy::kEveryQueue);
    void release(DescriptorHeapAllocation&& descriptors, UsedBy used_by = UsedBy::kEveryQueue);

    // A dynamic buffer is being written, until map_ends() with what this gave. Submitting meanwhile breaks a rule; what
    // was mapped before the context was submitted or discarded is so no more.
    [[nodiscard]] std::uint32_t map_begins() {
        ++mapped_;
        return submission_.load(std::memory_order_relaxed);
    }
    void map_ends(std::uint32_t mapping) {
        if (mapping == submission_.load(std::memory_order_relaxed)) --mapped_;
    }
    // The checker is told that a buffer is bound which was mapped in another frame, or never in this context.
    void note_dynamic_use(const UploadRange& range);
    // Commands read dynamic space where it lies.
    void use_dynamic_space(const UploadRange& range);

    // Makes a list of what was recorded since the last one; by the recording thread. Submitting closes a context that
    // is still open. Errors: CommandRecorder::record()'s; the commands stay as they are then.
    [[nodiscard]] Status close();
    // Throws away what was recorded and not submitted, with its rows and its lists. What was released ends all the
    // same, as if nothing of it had been used here.
    void discard();

    // By any thread.
    [[nodiscard]] bool is_recording() const { return pin_.load(std::memory_order_seq_cst) != 0; }
    // By FrameClock. Nothing while it is not recording.
    [[nodiscard]] std::optional<std::uint64_t> begun_in_frame() const {
        const std::uint64_t pin = pin_.load(std::memory_order_seq_cst);
        return pin == 0 ? std::nullopt : std::optional(pin - 1);
    }
    [[nodiscard]] std::uint64_t peak_dynamic_descriptors() const { return resources_.peak_used(); }

private:
    friend class RenderDevice;

    // Not submitted.
    struct List {
        device::CommandAllocatorId allocator;
        device::CommandListId list;
    };

    // Tells calls of two threads that overlap.
    class InUse {
    public:
        explicit InUse(DeviceContext& context) : context_(context) {
            if (!context.reports_) return;
            // No exchange: the lock prefix would cost more than the rows that it guards.
            if (context.is_in_use_.load(std::memory_order_relaxed)) [[unlikely]]
                context.tell_second_thread();
            context.is_in_use_.store(true, std::memory_order_relaxed);
        }
        ~InUse() {
            if (context_.reports_) context_.is_in_use_.store(false, std::memory_order_relaxed);
        }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

    private:
        DeviceContext& context_;
    };

    struct Releases {
        std::vector<device::ResourceId> resources;
        std::vector<MemoryRange> ranges;
        std::vector<device::PipelineId> pipelines;
        std::vector<DescriptorHeapAllocation> descriptors;

        [[nodiscard]] bool is_empty() const {
            return resources.empty() && ranges.empty() && pipelines.empty() && descriptors.empty();
        }
    };

    void begin();
    // close(), for who guards the context already.
    [[nodiscard]] Status make_list();
    [[nodiscard]] Releases& released(UsedBy used_by);
    void add(device::Work work);
    void tell_second_thread();
    template <class Id>
    void note_release(Id id, UsedBy used_by);
    void note_release(const DescriptorHeapAllocation& descriptors);
    [[nodiscard]] LifetimeChecker::Release release_here() const;
    void note_uses(const device::Work& work);
    [[nodiscard]] LifetimeChecker::Place place() const;
    [[nodiscard]] bool has_commands() const { return !lists_.empty() || !work_.empty(); }
    // Everything is over at `own_list`. The last step: from here on the context holds up no frame.
    void submitted_as(ReleasePoint own_list);

    RenderDevice& device_;
    ContextKind kind_;
    std::size_t queue_;
    std::uint32_t number_;
    bool reports_;                        // the device's own, beside what other threads write, is not read here
    std::atomic<std::uint64_t> pin_ = 0;  // one more than the frame that it began in; 0: not recording
    std::atomic<bool> is_in_use_ = false;
    std::atomic<bool> is_taken_ = false;  // of the device's pool of deferred ones
    DynamicSuballocationsManager resources_;
    DynamicSuballocationsManager samplers_;
    ContextUploads uploads_;
    std::optional<ContextUploads> dynamic_space_;  // made when it is needed
    std::vector<UploadWindow> upload_windows_;
    std::vector<device::Work> work_;
    std::uint32_t mapped_ = 0;  // dynamic buffers
    // How often it was submitted or discarded. A buffer that was mapped here may ask when the context is another's.
    std::atomic<std::uint32_t> submission_ = 0;
    std::vector<device::TimelinePoint> waits_;
    Releases released_here_;
    Releases released_everywhere_;
    std::vector<List> lists_;  // in the order in which they run, before what is in work_
};

}  // namespace heapwright::frame
