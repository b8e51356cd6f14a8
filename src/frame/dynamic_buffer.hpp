// A buffer whose content the host writes anew whenever it is mapped: constants, vertices, indices. It has no memory of
// its own: each map() takes space that the device reads where it lies, so that what earlier commands read stays as it
// was. Where it lies, and so its descriptor, changes with every map().
//
//   auto bytes = buffer.map(context);  write *bytes;  buffer.unmap();  bind buffer.place(context)
//
// Good in the context that mapped it, until the end of the frame; the checker tells other uses. Mapped memory may be
// write-combined: it is written in order and never read.
// For the thread that records the context; contexts of their own threads need dynamic buffers of their own.
// Errors: those of DeviceContext::allocate_dynamic_space(). Ownership: holds nothing; the contexts outlive each
// mapping. Sizes in bytes. Source: "Managing Resource Lifetimes" (Diligent Engine), upload heaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/descriptor_heap_source.hpp"
#include "frame/device_context.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::frame {

class DynamicBuffer {
public:
    // Suits constants on every device; Direct3D 12 states it.
    static constexpr std::uint64_t kConstantAlignmentBytes = 256;

    explicit DynamicBuffer(std::uint64_t size_bytes, std::uint64_t alignment_bytes = kConstantAlignmentBytes)
        : size_bytes_(size_bytes), alignment_bytes_(alignment_bytes) {}
    ~DynamicBuffer() { unmap(); }
    DynamicBuffer(const DynamicBuffer&) = delete;
    DynamicBuffer& operator=(const DynamicBuffer&) = delete;

    // New space with nothing in it. What was mapped before, in whatever context, is unmapped by it.
    [[nodiscard]] Result<std::span<std::byte>> map(DeviceContext& context);
    // Nothing is written from here on. Before the context that it was mapped in is submitted.
    void unmap();

    [[nodiscard]] bool is_mapped() const { return mapped_in_ != nullptr; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

    // Where commands of this context find the bytes that were mapped last. Each submission whose commands read what was
    // written since the one before it asks anew: that makes the bytes visible to the device, and tells the checker.
    [[nodiscard]] const UploadRange& place(DeviceContext& context) const;
    // As a descriptor: of constants, whose size is a multiple of 256, or of words that a shader reads, where
    // RenderDevice::dynamic_space() has a usage for them.
    [[nodiscard]] device::ConstantBufferView constants(DeviceContext& context) const;
    [[nodiscard]] device::BufferView words(DeviceContext& context) const;

private:
    std::uint64_t size_bytes_;
    std::uint64_t alignment_bytes_;
    DeviceContext* mapped_in_ = nullptr;
    std::uint32_t mapping_ = 0;  // what the context calls it
    UploadRange range_;
};

}  // namespace heapwright::frame
