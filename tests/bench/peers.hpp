// The suballocators that the traces compare, behind one shape: allocate(size, alignment, handle) and free(handle).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "heapwright/suballoc/tlsf_allocator.hpp"
#include "traces.hpp"

namespace heapwright::bench {

// Enough for the live suballocations and free ranges of every trace: growth is set-up, not the hot path.
constexpr std::uint32_t kReservedRanges = 1u << 17;

class TlsfPeer {
public:
    static constexpr const char* kName = "heapwright tlsf";
    using Handle = suballoc::SuballocationHandle;

    explicit TlsfPeer(const Trace& trace)
        : allocator_(suballoc::TlsfAllocator::create(
                         {.capacity = trace.capacity, .granule = trace.granule, .reserved_ranges = kReservedRanges})
                         .value()) {}

    bool allocate(std::uint64_t size, std::uint64_t alignment, Handle& handle) {
        const auto result = allocator_.allocate(size, alignment);
        if (!result) return false;
        handle = result->handle;
        return true;
    }
    void free(Handle handle) { allocator_.free(handle); }
    [[nodiscard]] const suballoc::TlsfAllocator& allocator() const { return allocator_; }

private:
    suballoc::TlsfAllocator allocator_;
};

#ifdef HEAPWRIGHT_HAVE_VMA
// VMA's virtual block, called through its own translation unit as an engine calls it.
class VmaPeer {
public:
    using Handle = void*;

    VmaPeer(std::uint64_t capacity, bool minimum_memory);
    ~VmaPeer();
    VmaPeer(const VmaPeer&) = delete;
    VmaPeer& operator=(const VmaPeer&) = delete;

    bool allocate(std::uint64_t size, std::uint64_t alignment, Handle& handle);
    void free(Handle handle);

private:
    void* block_;
    std::uint32_t flags_;
};

class VmaDefaultPeer : public VmaPeer {
public:
    static constexpr const char* kName = "VMA default";
    explicit VmaDefaultPeer(const Trace& trace) : VmaPeer(trace.capacity, false) {}
};

class VmaMinimumMemoryPeer : public VmaPeer {
public:
    static constexpr const char* kName = "VMA minimum memory";
    explicit VmaMinimumMemoryPeer(const Trace& trace) : VmaPeer(trace.capacity, true) {}
};
#endif

}  // namespace heapwright::bench
