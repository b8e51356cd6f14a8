// Buffers, images and views for the measurements of engines, each with memory of its own, up to a number of bytes. All
// of it ends with the object. Not thread-safe; the device outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::probe {

enum class ScratchUse : std::uint8_t {
    kDevice,
    kUpload,
    kReadback,
    kMapped,  // device memory that the host maps
};

struct ScratchBuffer {
    device::ResourceId resource;
    device::AllocationId memory;
    std::uint64_t size_bytes = 0;
    std::span<std::byte> bytes;  // mapped; empty for kDevice
};

class EngineScratch {
public:
    EngineScratch(device::Device& device, std::uint64_t limit_bytes) : device_(device), limit_bytes_(limit_bytes) {}
    EngineScratch(const EngineScratch&) = delete;
    EngineScratch& operator=(const EngineScratch&) = delete;
    ~EngineScratch() { clear(); }

    // Gives everything back, after the device is idle.
    void clear();

    // `usage` in buffer_usage bits. Errors: kExhausted beyond the limit, kNotSupported when no memory type suits, the
    // seams'.
    [[nodiscard]] Result<ScratchBuffer> buffer(ScratchUse use, std::uint64_t size_bytes, model::Flags usage);
    [[nodiscard]] Result<device::ResourceId> image(const model::ImageDescription& description);
    // A heap of one view of the image.
    [[nodiscard]] Result<device::DescriptorHeapId> render_target_view(device::DescriptorHeapSource& descriptors,
                                                                      device::ResourceId image);

    [[nodiscard]] std::uint64_t used_bytes() const { return used_bytes_; }

    // Host writes reach the device, device writes the host; without a range all of the buffer.
    [[nodiscard]] Status flush(const ScratchBuffer& buffer) { return flush(buffer, 0, buffer.size_bytes); }
    [[nodiscard]] Status flush(const ScratchBuffer& buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    [[nodiscard]] Status invalidate(const ScratchBuffer& buffer) { return invalidate(buffer, 0, buffer.size_bytes); }
    [[nodiscard]] Status invalidate(const ScratchBuffer& buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes);

private:
    [[nodiscard]] Result<MemoryTypeIndex> type_for(ScratchUse use, std::uint32_t memory_type_bits) const;
    [[nodiscard]] Status reserve(std::uint64_t size_bytes);

    device::Device& device_;
    std::uint64_t limit_bytes_;
    std::uint64_t used_bytes_ = 0;
    std::vector<device::ResourceId> resources_;
    std::vector<device::AllocationId> allocations_;
    std::vector<device::DescriptorHeapId> views_;
};

}  // namespace heapwright::probe
