// The Vulkan Memory Allocator itself, with its default pools, on Vulkan functions of this program: one heap, one
// device-local memory type, memory that exists as numbers alone. Every vkAllocateMemory and vkFreeMemory is counted and
// told to the observer. Sizes in bytes. Not thread-safe; everything created is destroyed before the allocator.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace heapwright::bench {

struct VmaDevice {
    std::uint64_t heap_bytes = 0;
    std::uint64_t granularity_bytes = 1;   // bufferImageGranularity
    std::uint32_t most_allocations = ~0u;  // maxMemoryAllocationCount
    std::uint64_t limit_bytes = ~0ull;     // vkAllocateMemory fails beyond
};

class VmaAllocatorPeer {
public:
    struct Request {
        std::uint64_t size_bytes = 0;
        std::uint64_t alignment_bytes = 1;
        bool is_optimal = false;  // an image of optimal tiling; else a buffer
        bool prefers_dedicated = false;
    };
    struct Resource;
    // size_bytes of a vkAllocateMemory that succeeded, or of what vkFreeMemory freed.
    using Observer = std::function<void(std::uint64_t size_bytes, bool is_allocation)>;

    VmaAllocatorPeer(const VmaDevice& device, Observer observer);
    ~VmaAllocatorPeer();
    VmaAllocatorPeer(const VmaAllocatorPeer&) = delete;
    VmaAllocatorPeer& operator=(const VmaAllocatorPeer&) = delete;

    // Null when it found no memory.
    [[nodiscard]] Resource* create(const Request& request);
    void destroy(Resource* resource);

    // Sizes of the memory that is allocated now, ascending.
    [[nodiscard]] std::vector<std::uint64_t> allocations() const;
    [[nodiscard]] std::uint64_t reserved_bytes() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace heapwright::bench
