// A command list with its allocator, its scratch memory and its one-descriptor heaps for clears, used again when the
// submission that held it is done; and the collection of those of one engine.
// Not thread-safe: the Submitter's lock guards it.
// Beside it: the scratch memory of a command list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "d3d12/com.hpp"
#include "d3d12/device.hpp"
#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

// Memory of a command list beside its resources: staged bytes that the host writes (patterns of fills and clears) and
// bytes that only the device touches (rows at the pitch that texture copies demand). Handed out from buffers one after
// the other; all of it is free again when the list's submission is done. Not thread-safe.

struct ScratchRange {
    ID3D12Resource* buffer = nullptr;
    std::uint64_t offset_bytes = 0;
    std::byte* bytes = nullptr;  // null in device memory
};

class Scratch {
public:
    // UPLOAD or DEFAULT.
    Scratch(const OpenDevice& context, D3D12_HEAP_TYPE type) : context_(&context), type_(type) {}

    // Aligned for texture copies. Errors: those of CreateCommittedResource.
    [[nodiscard]] Result<ScratchRange> take(std::uint64_t size_bytes);

    // Keeps a buffer for the next list, unless it is large.
    void recycle();

private:
    struct Block {
        Com<ID3D12Resource> buffer;
        std::uint64_t size_bytes = 0;
        std::byte* bytes = nullptr;
    };

    const OpenDevice* context_;
    D3D12_HEAP_TYPE type_;
    std::vector<Block> blocks_;  // the last one has room from `used_bytes_` on
    std::uint64_t used_bytes_ = 0;
};

struct CommandSlot {
    explicit CommandSlot(const OpenDevice& context)
        : upload(context, D3D12_HEAP_TYPE_UPLOAD), device_only(context, D3D12_HEAP_TYPE_DEFAULT) {}

    Com<ID3D12CommandAllocator> allocator;
    Com<ID3D12GraphicsCommandList> list;
    Scratch upload;
    Scratch device_only;
    // A descriptor of a view is read when the clear is recorded, so one of each serves a whole list.
    Com<ID3D12DescriptorHeap> target_view;
    Com<ID3D12DescriptorHeap> depth_view;
};

// A slot whose list records into `allocator`, and is recording. Errors: those of CreateCommandList and
// CreateDescriptorHeap.
[[nodiscard]] Result<std::unique_ptr<CommandSlot>> create_slot(const OpenDevice& context, D3D12_COMMAND_LIST_TYPE type,
                                                               Com<ID3D12CommandAllocator> allocator);

[[nodiscard]] D3D12_COMMAND_LIST_TYPE list_type(device::EngineKind kind);

class CommandRecycler {
public:
    CommandRecycler(const OpenDevice& context, D3D12_COMMAND_LIST_TYPE type) : context_(&context), type_(type) {}

    // In the recording state. Errors: those of CreateCommandAllocator, CreateCommandList, CreateDescriptorHeap, Reset.
    [[nodiscard]] Result<std::unique_ptr<CommandSlot>> begin();

    // A slot whose submission is done, or that was never submitted and whose list is closed.
    void give_back(std::unique_ptr<CommandSlot> slot);

    // Ever made.
    [[nodiscard]] std::size_t made() const { return made_; }

private:
    [[nodiscard]] Result<std::unique_ptr<CommandSlot>> create();

    const OpenDevice* context_;
    D3D12_COMMAND_LIST_TYPE type_;
    std::vector<std::unique_ptr<CommandSlot>> idle_;
    std::size_t made_ = 0;
};

}  // namespace heapwright::d3d12
