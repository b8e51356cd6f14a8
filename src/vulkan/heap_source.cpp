#include "heapwright/vulkan/heap_source.hpp"

namespace heapwright::vulkan {

HeapSource::~HeapSource() {
    heaps_.for_each([this](const DeviceMemory& memory) { memory_.free(memory); });
}

Result<device::HeapId> HeapSource::allocate(const device::HeapRequest& request) {
    HEAPWRIGHT_ASSIGN(const DeviceMemory memory, memory_.allocate({.memory_type = request.memory_type,
                                                                   .size_bytes = request.size_bytes,
                                                                   .priority = request.priority,
                                                                   .device_address = request.device_address}));
    return device::HeapId{heaps_.insert(memory)};
}

void HeapSource::free(device::HeapId heap) {
    if (const auto memory = heaps_.take(heap.value)) memory_.free(*memory);
}

Result<DeviceMemory*> HeapSource::live(device::HeapId heap) {
    DeviceMemory* memory = heaps_.find(heap.value);
    if (memory == nullptr) return fail(ErrorCode::kInvalidArgument, "the heap is not live");
    return memory;
}

Result<std::span<std::byte>> HeapSource::map(device::HeapId heap) {
    HEAPWRIGHT_ASSIGN(DeviceMemory * memory, live(heap));
    const std::scoped_lock lock(map_mutex_);
    return memory_.map(*memory);
}

Status HeapSource::flush(device::HeapId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const DeviceMemory* memory, live(heap));
    const std::scoped_lock lock(map_mutex_);
    return memory_.flush(*memory, offset_bytes, size_bytes);
}

Status HeapSource::invalidate(device::HeapId heap, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const DeviceMemory* memory, live(heap));
    const std::scoped_lock lock(map_mutex_);
    return memory_.invalidate(*memory, offset_bytes, size_bytes);
}

}  // namespace heapwright::vulkan
