// The bytes behind one device allocation of a replay device: address space from the first use on, so that it can be
// mapped as one span; pages are taken from the system when they are first written. One that nobody maps or submits work
// for takes nothing, however large it is. Move-only through shared_ptr; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "heapwright/core/result.hpp"

namespace heapwright::replay {

class ShadowMemory {
public:
    static constexpr std::uint64_t kGranuleBytes = 2 << 20;  // of the accounting: a large page

    explicit ShadowMemory(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
    ~ShadowMemory();
    ShadowMemory(const ShadowMemory&) = delete;
    ShadowMemory& operator=(const ShadowMemory&) = delete;

    // Before bytes(). Error: kOutOfHostMemory when the system refuses the address space.
    [[nodiscard]] Status reserve();
    [[nodiscard]] bool is_reserved() const { return base_ != nullptr; }
    [[nodiscard]] std::span<std::byte> bytes() const { return {base_, static_cast<std::size_t>(size_bytes_)}; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t charged_bytes() const { return charged_bytes_; }

    // Bytes that writing [offset, offset + size) would newly take, in granules. The range is inside.
    [[nodiscard]] std::uint64_t uncharged_bytes(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void charge(std::uint64_t offset_bytes, std::uint64_t size_bytes);

private:
    // Whole granules, as [first, end).
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> granules(std::uint64_t offset_bytes,
                                                                   std::uint64_t size_bytes) const;

    std::byte* base_ = nullptr;
    std::uint64_t size_bytes_;
    std::uint64_t charged_bytes_ = 0;
    std::map<std::uint64_t, std::uint64_t> charged_;  // end -> first, in bytes; no two touch
};

}  // namespace heapwright::replay
