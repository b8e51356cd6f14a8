#include "replay/shadow.hpp"

#include <algorithm>
#include <limits>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include <fmt/format.h>

#include "core/checked.hpp"

namespace heapwright::replay {
namespace {

// Address space that reads as zeros, null where the system gives none.
std::byte* address_space(std::size_t size_bytes) {
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

Status ShadowMemory::reserve() {
    if (base_ != nullptr) return {};
    if (size_bytes_ <= static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
        base_ = address_space(static_cast<std::size_t>(size_bytes_));
    if (base_ != nullptr) return {};
    return fail({.code = ErrorCode::kOutOfHostMemory,
                 .message = "the system gives no address space for the bytes of a device allocation",
                 .where = "replay",
                 .value = size_bytes_});
}

ShadowMemory::~ShadowMemory() {
    if (base_ == nullptr) return;
#ifdef _WIN32
    VirtualFree(base_, 0, MEM_RELEASE);
#else
    ::munmap(base_, static_cast<std::size_t>(size_bytes_));
#endif
}

std::pair<std::uint64_t, std::uint64_t> ShadowMemory::granules(std::uint64_t offset_bytes,
                                                               std::uint64_t size_bytes) const {
    return {align_down(offset_bytes, kGranuleBytes),
            std::min(size_bytes_, align_up_or_largest(offset_bytes + size_bytes, kGranuleBytes))};
}

std::uint64_t ShadowMemory::uncharged_bytes(std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    if (size_bytes == 0) return 0;
    const auto [first, end] = granules(offset_bytes, size_bytes);
    std::uint64_t bytes = end - first;
    for (auto known = charged_.upper_bound(first); known != charged_.end() && known->second < end; ++known)
        bytes -= std::min(end, known->first) - std::max(first, known->second);
    return bytes;
}

void ShadowMemory::charge(std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    if (size_bytes == 0) return;
    charged_bytes_ += uncharged_bytes(offset_bytes, size_bytes);
    auto [first, end] = granules(offset_bytes, size_bytes);
    for (auto known = charged_.lower_bound(first); known != charged_.end() && known->second <= end;) {
        first = std::min(first, known->second);
        end = std::max(end, known->first);
        known = charged_.erase(known);
    }
    charged_.emplace(end, first);
}

}  // namespace heapwright::replay
