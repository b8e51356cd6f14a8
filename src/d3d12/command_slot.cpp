#include "d3d12/command_slot.hpp"

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"

namespace heapwright::d3d12 {
namespace {

Result<Com<ID3D12DescriptorHeap>> one_descriptor(const OpenDevice& context, D3D12_DESCRIPTOR_HEAP_TYPE type) {
    D3D12_DESCRIPTOR_HEAP_DESC desc{};
    desc.Type = type;
    desc.NumDescriptors = 1;
    Com<ID3D12DescriptorHeap> heap;
    leave_call("ID3D12Device::CreateDescriptorHeap");
    HEAPWRIGHT_TRY(check(context.device->CreateDescriptorHeap(&desc, IID_ID3D12DescriptorHeap, heap.out()),
                         "ID3D12Device::CreateDescriptorHeap"));
    return heap;
}

}  // namespace

D3D12_COMMAND_LIST_TYPE list_type(device::EngineKind kind) {
    switch (kind) {
        case device::EngineKind::kGraphics: break;
        case device::EngineKind::kCompute: return D3D12_COMMAND_LIST_TYPE_COMPUTE;
        case device::EngineKind::kCopy: return D3D12_COMMAND_LIST_TYPE_COPY;
    }
    return D3D12_COMMAND_LIST_TYPE_DIRECT;
}

Result<std::unique_ptr<CommandSlot>> create_slot(const OpenDevice& context, D3D12_COMMAND_LIST_TYPE type,
                                                 Com<ID3D12CommandAllocator> allocator) {
    auto slot = std::make_unique<CommandSlot>(context);
    slot->allocator = std::move(allocator);
    leave_call("ID3D12Device::CreateCommandList");
    HEAPWRIGHT_TRY(check(context.device->CreateCommandList(0, type, slot->allocator.get(), nullptr,
                                                           IID_ID3D12GraphicsCommandList, slot->list.out()),
                         "ID3D12Device::CreateCommandList"));
    if (type == D3D12_COMMAND_LIST_TYPE_DIRECT) {
        HEAPWRIGHT_ASSIGN(slot->target_view, one_descriptor(context, D3D12_DESCRIPTOR_HEAP_TYPE_RTV));
        HEAPWRIGHT_ASSIGN(slot->depth_view, one_descriptor(context, D3D12_DESCRIPTOR_HEAP_TYPE_DSV));
    }
    return slot;
}

Result<std::unique_ptr<CommandSlot>> CommandRecycler::create() {
    Com<ID3D12CommandAllocator> allocator;
    leave_call("ID3D12Device::CreateCommandAllocator");
    HEAPWRIGHT_TRY(check(context_->device->CreateCommandAllocator(type_, IID_ID3D12CommandAllocator, allocator.out()),
                         "ID3D12Device::CreateCommandAllocator"));
    HEAPWRIGHT_ASSIGN(auto slot, create_slot(*context_, type_, std::move(allocator)));
    ++made_;
    return slot;
}

Result<std::unique_ptr<CommandSlot>> CommandRecycler::begin() {
    if (idle_.empty()) return create();
    std::unique_ptr<CommandSlot> slot = std::move(idle_.back());
    idle_.pop_back();
    leave_call("ID3D12CommandAllocator::Reset");
    HEAPWRIGHT_TRY(check(slot->allocator->Reset(), "ID3D12CommandAllocator::Reset"));
    leave_call("ID3D12GraphicsCommandList::Reset");
    HEAPWRIGHT_TRY(check(slot->list->Reset(slot->allocator.get(), nullptr), "ID3D12GraphicsCommandList::Reset"));
    return slot;
}

void CommandRecycler::give_back(std::unique_ptr<CommandSlot> slot) {
    slot->upload.recycle();
    slot->device_only.recycle();
    idle_.push_back(std::move(slot));
}

}  // namespace heapwright::d3d12
