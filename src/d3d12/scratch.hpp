// Memory of a command list beside its resources: staged bytes that the host writes (patterns of fills and clears) and
// bytes that only the device touches (rows at the pitch that texture copies demand). Handed out from buffers one after
// the other; all of it is free again when the list's submission is done. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "d3d12/com.hpp"
#include "d3d12/open_device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

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

}  // namespace heapwright::d3d12
