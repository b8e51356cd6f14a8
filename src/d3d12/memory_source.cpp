#include "d3d12/memory_source.hpp"

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::d3d12 {

Status check_allocation(const OpenDevice& context, MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    const auto& rows = context.layout.rows();
    if (memory_type.value >= rows.size()) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the memory type does not exist",
                          .where = "ID3D12Device::CreateHeap",
                          .value = memory_type.value,
                          .limit = rows.size()});
    }
    if (size_bytes == 0) {
        return fail(ErrorCode::kInvalidArgument, "an allocation of 0 bytes", "ID3D12Device::CreateHeap");
    }
    const std::uint64_t heap_bytes = context.facts.heaps[rows[memory_type.value].type.heap_index].size_bytes;
    if (heap_bytes != 0 && size_bytes > heap_bytes) {
        return fail(Error{.code = ErrorCode::kOutOfDeviceMemory,
                          .message = "the allocation is larger than its memory segment",
                          .where = "ID3D12Device::CreateHeap",
                          .value = size_bytes,
                          .limit = heap_bytes});
    }
    return {};
}

Result<device::AllocationId> MemorySource::allocate(const device::AllocationRequest& request) {
    HEAPWRIGHT_TRY(check_allocation(context_, request.memory_type, request.size_bytes));
    const auto size_bytes = checked_align_up(request.size_bytes, D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT);
    if (!size_bytes) return fail(ErrorCode::kOutOfDeviceMemory, "the size does not fit 64 bits");
    const MemoryRow& row = context_.layout.rows()[request.memory_type.value];
    // Only a heap aligned to 4 MiB takes multisampled textures of that alignment; a smaller heap holds none.
    const bool buffers_only = row.flags == D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS;
    D3D12_HEAP_DESC desc{};
    desc.SizeInBytes = *size_bytes;
    desc.Properties = row.properties;
    desc.Alignment = !buffers_only && *size_bytes >= D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT
                         ? D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT
                         : D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    desc.Flags = row.flags;
    Heap heap{.handle = {}, .size_bytes = *size_bytes, .memory_type = request.memory_type, .mapping = {}};
    leave_breadcrumb("ID3D12Device::CreateHeap");
    const HRESULT result = context_.device->CreateHeap(&desc, IID_ID3D12Heap, heap.handle.out());
    if (FAILED(result)) {
        Error error = call_error(result, "ID3D12Device::CreateHeap",
                                 fmt::format("{} bytes of memory type {}", *size_bytes, request.memory_type.value));
        error.value = *size_bytes;
        return fail(std::move(error));
    }
    used_.add(row.type.heap_index, *size_bytes);
    return device::AllocationId{heaps_.insert(std::move(heap))};
}

void MemorySource::free(device::AllocationId id) {
    if (const auto heap = heaps_.take(id.value)) {
        used_.subtract(context_.layout.rows()[heap->memory_type.value].type.heap_index, heap->size_bytes);
    }
}

Result<Heap*> MemorySource::live(device::AllocationId id) {
    Heap* heap = heaps_.find(id.value);
    if (heap == nullptr) return fail(ErrorCode::kInvalidArgument, "the device allocation is not live");
    return heap;
}

Result<std::span<std::byte>> MemorySource::map(device::AllocationId id) {
    HEAPWRIGHT_ASSIGN(Heap * heap, live(id));
    const std::scoped_lock lock(map_mutex_);
    if (heap->mapped == nullptr) {
        const MemoryRow& row = context_.layout.rows()[heap->memory_type.value];
        if (!row.is_host_visible()) {
            return fail(ErrorCode::kNotSupported,
                        fmt::format("memory type {} is not host visible", heap->memory_type.value),
                        "ID3D12Resource::Map");
        }
        const D3D12_RESOURCE_DESC desc = buffer_description({.size_bytes = heap->size_bytes, .usage = 0});
        Com<ID3D12Resource> buffer;
        leave_call("ID3D12Device::CreatePlacedResource");
        HEAPWRIGHT_TRY(
            check(context_.device->CreatePlacedResource(heap->handle.get(), 0, &desc, D3D12_RESOURCE_STATE_COMMON,
                                                        nullptr, IID_ID3D12Resource, buffer.out()),
                  "ID3D12Device::CreatePlacedResource", "a buffer over the whole heap"));
        void* address = nullptr;
        leave_call("ID3D12Resource::Map");
        HEAPWRIGHT_TRY(check(buffer->Map(0, nullptr, &address), "ID3D12Resource::Map"));
        heap->mapping = std::move(buffer);
        heap->mapped = static_cast<std::byte*>(address);
    }
    return std::span(heap->mapped, static_cast<std::size_t>(heap->size_bytes));
}

Status MemorySource::check_range(device::AllocationId id, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Heap* heap, live(id));
    if (offset_bytes <= heap->size_bytes && size_bytes <= heap->size_bytes - offset_bytes) return {};
    return fail(Error{.code = ErrorCode::kOutOfRange,
                      .message = fmt::format("{} bytes at offset {} end beyond the memory", size_bytes, offset_bytes),
                      .value = offset_bytes,
                      .limit = heap->size_bytes});
}

Status MemorySource::flush(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return check_range(memory, offset_bytes, size_bytes);
}

Status MemorySource::invalidate(device::AllocationId memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return check_range(memory, offset_bytes, size_bytes);
}

Result<std::vector<model::HeapBudget>> MemorySource::budgets() {
    const AdapterMemory memory = context_.adapter.memory();
    const std::optional<model::HeapBudget> known[] = {memory.local_budget, memory.non_local_budget};
    std::vector<model::HeapBudget> budgets;
    for (std::size_t i = 0; i < context_.facts.heaps.size(); ++i) {
        budgets.push_back(known[i].value_or(
            model::HeapBudget{.budget_bytes = context_.facts.heaps[i].size_bytes, .usage_bytes = used_.of(i)}));
    }
    return budgets;
}

}  // namespace heapwright::d3d12
