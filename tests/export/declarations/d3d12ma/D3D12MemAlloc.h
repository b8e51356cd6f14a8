// The declarations of D3D12 Memory Allocator 2.0.1 that a configuration touches (names, types and order of
// D3D12MemAlloc.h); newer versions add ResidencyPriority at the end of POOL_DESC. The Direct3D 12 types are those of
// DirectX-Headers.
#pragma once

#include <wsl/winadapter.h>

#include <directx/d3d12.h>

struct IDXGIAdapter;

namespace D3D12MA {

enum ALLOCATOR_FLAGS { ALLOCATOR_FLAG_NONE = 0 };
enum POOL_FLAGS {
    POOL_FLAG_NONE = 0,
    POOL_FLAG_ALGORITHM_LINEAR = 0x1,
    POOL_FLAG_MSAA_TEXTURES_ALWAYS_COMMITTED = 0x2
};

struct ALLOCATION_CALLBACKS;

struct ALLOCATOR_DESC {
    ALLOCATOR_FLAGS Flags;
    ID3D12Device* pDevice;
    UINT64 PreferredBlockSize;
    const ALLOCATION_CALLBACKS* pAllocationCallbacks;
    IDXGIAdapter* pAdapter;
};

struct POOL_DESC {
    POOL_FLAGS Flags;
    D3D12_HEAP_PROPERTIES HeapProperties;
    D3D12_HEAP_FLAGS HeapFlags;
    UINT64 BlockSize;
    UINT MinBlockCount;
    UINT MaxBlockCount;
    UINT64 MinAllocationAlignment;
    ID3D12ProtectedResourceSession* pProtectedSession;
};

}  // namespace D3D12MA
