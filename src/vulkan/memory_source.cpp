#include "vulkan/memory_source.hpp"

namespace heapwright::vulkan {

MemorySource::~MemorySource() {
    heaps_.for_each([this](const DeviceMemory& memory) { memory_.free(memory); });
}

Result<device::AllocationId> MemorySource::allocate(const device::AllocationRequest& request) {
    HEAPWRIGHT_ASSIGN(DeviceMemory memory, memory_.allocate({.memory_type = request.memory_type,
                                                             .size_bytes = request.size_bytes,
                                                             .priority = request.priority,
                                                             .device_address = request.device_address}));
    if (memory_.is_host_visible(request.memory_type)) {
        if (auto mapped = memory_.map(memory); !mapped) {
            memory_.free(memory);
            return fail(std::move(mapped.error()));
        }
    }
    return device::AllocationId{heaps_.insert(memory)};
}

void MemorySource::free(device::AllocationId heap) {
    if (const auto memory = heaps_.take(heap.value)) memory_.free(*memory);
}

Result<DeviceMemory*> MemorySource::live(device::AllocationId heap) {
    DeviceMemory* memory = heaps_.find(heap.value);
    if (memory == nullptr) return fail(ErrorCode::kInvalidArgument, "the heap is not live");
    return memory;
}

Result<std::span<std::byte>> MemorySource::map(device::AllocationId heap) {
    HEAPWRIGHT_ASSIGN(DeviceMemory * memory, live(heap));
    return memory_.map(*memory);
}

Status MemorySource::flush(device::AllocationId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const DeviceMemory* memory, live(heap));
    return memory_.flush(*memory, offset_bytes, size_bytes);
}

Status MemorySource::invalidate(device::AllocationId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const DeviceMemory* memory, live(heap));
    return memory_.invalidate(*memory, offset_bytes, size_bytes);
}

}  // namespace heapwright::vulkan
