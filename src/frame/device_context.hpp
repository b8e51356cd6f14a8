// Records the commands of one list: the immediate context, or a deferred one whose list is submitted later in the same
// frame. Every context has its own dynamic descriptors, its own blocks of the upload heap and its own list of releases,
// so that recording takes a lock only when a chunk or a block is used up.
// What it writes while it records lies on cache lines of its own.
// For one thread between two submissions. Errors: those of the parts; what was recorded stays recorded.
// Ownership: made and owned by RenderDevice. Source: "Managing Resource Lifetimes" (Diligent Engine).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/device/command_recorder.hpp"
#include "heapwright/frame/dynamic_suballocations_manager.hpp"
#include "heapwright/frame/lifetime_checker.hpp"
#include "heapwright/frame/release_queues.hpp"
#include "heapwright/frame/sampler_cache.hpp"
#include "heapwright/frame/upload_heap.hpp"

namespace heapwright::frame {

class RenderDevice;

enum class ContextKind : std::uint8_t { kImmediate, kDeferred };

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
};

class DeviceContext {
public:
    DeviceContext(RenderDevice& device, ContextKind kind, std::uint32_t number);
    DeviceContext(const DeviceContext&) = delete;
    DeviceContext& operator=(const DeviceContext&) = delete;

    [[nodiscard]] ContextKind kind() const { return kind_; }
    [[nodiscard]] std::uint32_t number() const { return number_; }

    [[nodiscard]] Result<DynamicDescriptors> allocate_dynamic(device::DescriptorHeapKind kind, std::uint32_t count);
    [[nodiscard]] Result<UploadRange> allocate_upload(std::uint64_t size_bytes, std::uint64_t alignment_bytes = 16);

    void record(device::Work work);
    // A copy from dynamic space.
    void copy_from_upload(const UploadRange& from, device::ResourceId destination,
                          std::uint64_t destination_offset_bytes);
    void dispatch(const TableDispatch& dispatch);

    // The object ends when the list that is being recorded is over.
    void release(device::ResourceId resource);
    void release(const MemoryRange& range);
    void release(device::PipelineId pipeline);
    void release(DescriptorHeapAllocation&& descriptors);

    // Ends recording and makes the list; by the recording thread. Submitting closes a context that is still open.
    [[nodiscard]] Status close();

    [[nodiscard]] bool is_recording() const { return began_; }
    [[nodiscard]] std::uint64_t peak_dynamic_descriptors() const { return resources_.peak_used(); }

private:
    friend class RenderDevice;

    void begin();
    void note_uses(const device::Work& work);
    [[nodiscard]] LifetimeChecker::Place place() const;
    void submitted_as(TimelineValue value);

    RenderDevice& device_;
    ContextKind kind_;
    std::uint32_t number_;
    bool reports_;  // the device's own, beside what other threads write, is not read here
    bool began_ = false;
    std::uint32_t frame_ = 0;
    std::atomic<std::thread::id> thread_;
    DynamicSuballocationsManager resources_;
    DynamicSuballocationsManager samplers_;
    ContextUploads uploads_;
    std::vector<device::Work> work_;
    std::vector<device::ResourceId> released_resources_;
    std::vector<MemoryRange> released_ranges_;
    std::vector<device::PipelineId> released_pipelines_;
    std::vector<DescriptorHeapAllocation> released_descriptors_;
    std::optional<device::CommandAllocatorId> allocator_;
    std::optional<device::CommandListId> list_;
};

}  // namespace heapwright::frame
