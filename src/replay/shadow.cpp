#include "heapwright/replay/shadow.hpp"

#include <algorithm>
#include <limits>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"

namespace heapwright::replay {
namespace {

// Address space that reads as zeros, null where the system gives none.
std::byte* reserve(std::size_t size_bytes) {
#ifdef _WIN32
    // Windows counts all of it against its commit limit, but takes no page before it is touched.
    return static_cast<std::byte*>(VirtualAlloc(nullptr, size_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
#else
    void* base =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    // A fault for each small page costs more than the bytes written there. Advice only: a refusal changes no result.
    (void)::madvise(base, size_bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(base);
#endif
}

}  // namespace

Result<std::shared_ptr<ShadowMemory>> ShadowMemory::create(std::uint64_t size_bytes) {
    const auto refuse = [size_bytes] {
        return fail({.code = ErrorCode::kOutOfHostMemory,
                     .message = "the system gives no address space for the bytes of a heap",
                     .where = "replay",
                     .value = size_bytes});
    };
    if (size_bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) return refuse();
    std::byte* base = reserve(static_cast<std::size_t>(size_bytes));
    if (base == nullptr) return refuse();
    return std::make_shared<ShadowMemory>(base, size_bytes);
}

ShadowMemory::ShadowMemory(std::byte* base, std::uint64_t size_bytes)
    : base_(base), size_bytes_(size_bytes), charged_(static_cast<std::size_t>(div_ceil(size_bytes, kGranuleBytes))) {}

ShadowMemory::~ShadowMemory() {
#ifdef _WIN32
    VirtualFree(base_, 0, MEM_RELEASE);
#else
    ::munmap(base_, static_cast<std::size_t>(size_bytes_));
#endif
}

std::uint64_t ShadowMemory::uncharged_bytes(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    if (size_bytes == 0) return 0;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = offset_bytes / kGranuleBytes; i <= (offset_bytes + size_bytes - 1) / kGranuleBytes; ++i) {
        if (!charged_[static_cast<std::size_t>(i)]) bytes += std::min(kGranuleBytes, size_bytes_ - i * kGranuleBytes);
    }
    return bytes;
}

void ShadowMemory::charge(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    if (size_bytes == 0) return;
    charged_bytes_ += uncharged_bytes(offset_bytes, size_bytes);
    const auto first = static_cast<std::ptrdiff_t>(offset_bytes / kGranuleBytes);
    const auto last = static_cast<std::ptrdiff_t>((offset_bytes + size_bytes - 1) / kGranuleBytes);
    std::fill(charged_.begin() + first, charged_.begin() + last + 1, true);
}

}  // namespace heapwright::replay
