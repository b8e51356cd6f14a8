#include "d3d12/scratch.hpp"

#include <algorithm>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "d3d12/call.hpp"
#include "d3d12/resource_description.hpp"

namespace heapwright::d3d12 {
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
