#include "d3d12/command_slot.hpp"

#include <algorithm>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"

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

namespace {

constexpr std::uint64_t kBlockBytes = 256 << 10;
constexpr std::uint64_t kLargestKeptBytes = 4 << 20;

}  // namespace

Result<ScratchRange> Scratch::take(std::uint64_t size_bytes) {
    const std::uint64_t offset = align_up(used_bytes_, D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT);
    if (!blocks_.empty() && offset + size_bytes <= blocks_.back().size_bytes) {
        Block& block = blocks_.back();
        used_bytes_ = offset + size_bytes;
        return ScratchRange{.buffer = block.buffer.get(),
                            .offset_bytes = offset,
                            .bytes = block.bytes == nullptr ? nullptr : block.bytes + offset};
    }
    Block block{.buffer = {}, .size_bytes = std::max(size_bytes, kBlockBytes)};
    const D3D12_RESOURCE_DESC desc = buffer_description({.size_bytes = block.size_bytes, .usage = 0});
    D3D12_HEAP_PROPERTIES properties{};
    properties.Type = type_;
    const bool upload = type_ == D3D12_HEAP_TYPE_UPLOAD;
    leave_call("ID3D12Device::CreateCommittedResource");
    HEAPWRIGHT_TRY(check(context_->device->CreateCommittedResource(
                             &properties, D3D12_HEAP_FLAG_NONE, &desc,
                             upload ? D3D12_RESOURCE_STATE_GENERIC_READ : D3D12_RESOURCE_STATE_COMMON, nullptr,
                             IID_ID3D12Resource, block.buffer.out()),
                         "ID3D12Device::CreateCommittedResource", "scratch memory of a command list"));
    if (upload) {
        void* address = nullptr;
        leave_call("ID3D12Resource::Map");
        HEAPWRIGHT_TRY(check(block.buffer->Map(0, nullptr, &address), "ID3D12Resource::Map"));
        block.bytes = static_cast<std::byte*>(address);
    }
    blocks_.push_back(std::move(block));
    used_bytes_ = 0;
    return take(size_bytes);
}

void Scratch::recycle() {
    used_bytes_ = 0;
    std::erase_if(blocks_, [](const Block& block) { return block.size_bytes > kLargestKeptBytes; });
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin() + 1, blocks_.end());
}

}  // namespace heapwright::d3d12
