// One opened device: the seams through which the runtime and the validation reach a GPU. Backends (Vulkan, Direct3D
// 12) and the replay device implement it; nothing above knows which one it has.
//
//   MemorySource ---- device allocations (VkDeviceMemory, ID3D12Heap) of a memory type
//   ResourceBinder - requirements, placed and dedicated resources
//   Submitter ------ copy, fill, clear work on an engine; waits and signals timelines
//   Timeline ------- timeline semaphore, ID3D12Fence
//   DescriptorHeapSource - descriptor heaps, writes and copies of descriptors
//   CommandRecorder  command allocators, command lists recorded by several threads, pipelines
//   TimestampSource  timestamps that an engine writes around a submission's work
//   BackgroundProcessing  what the driver's optimiser may do while times are taken
//
// Ownership: handles are plain ids of objects that the device owns; who creates one destroys it. A Device outlives
// everything made from it, and its destructor waits until the device is idle.
// Thread-safety: MemorySource and ResourceBinder may be called from several threads at once; a Submitter's engine from
// one thread at a time; a Timeline from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/command_recorder.hpp"
#include "device/descriptor_heap_source.hpp"
#include "device/memory_source.hpp"
#include "device/resource_binder.hpp"
#include "device/submitter.hpp"
#include "device/timeline.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::device {
class BackgroundProcessing;
class TimestampSource;
}  // namespace heapwright::device

namespace heapwright::device {

class Device {
public:
    virtual ~Device() = default;

    // Identity, heaps, memory types and limits of the opened device, as the probe reports them (no sweep).
    [[nodiscard]] virtual const model::DeviceReport& facts() const = 0;

    // Whether work really runs on a device (false: a replayed report, whose verdicts say so).
    [[nodiscard]] virtual bool is_real() const = 0;

    [[nodiscard]] virtual MemorySource& memory() = 0;
    [[nodiscard]] virtual ResourceBinder& resources() = 0;
    [[nodiscard]] virtual Submitter& submitter() = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<Timeline>> create_timeline(std::uint64_t initial_value) = 0;

    // Null: this backend has none; the caller says "not supported".
    [[nodiscard]] virtual DescriptorHeapSource* descriptors() { return nullptr; }
    [[nodiscard]] virtual CommandRecorder* recorder() { return nullptr; }
    [[nodiscard]] virtual TimestampSource* timestamps() { return nullptr; }
    // Null: the API has none; measurements alone then say whether times are steady.
    [[nodiscard]] virtual BackgroundProcessing* background_processing() { return nullptr; }

    // Messages of the API's validation layer since the last call; always empty when it is off.
    [[nodiscard]] virtual std::vector<std::string> take_validation_messages() = 0;
};

}  // namespace heapwright::device
