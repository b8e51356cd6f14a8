// The bytes behind one heap of a replay device. The whole range is address space from the start, so that it can be
// mapped as one span; pages are taken from the system when they are first written.
// Move-only through shared_ptr; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::replay {

class ShadowMemory {
public:
    static constexpr std::uint64_t kGranuleBytes = 2 << 20;  // of the accounting: a large page

    // Errors: kOutOfHostMemory when the system refuses the address space.
    [[nodiscard]] static Result<std::shared_ptr<ShadowMemory>> create(std::uint64_t size_bytes);

    ShadowMemory(std::byte* base, std::uint64_t size_bytes);
    ~ShadowMemory();
    ShadowMemory(const ShadowMemory&) = delete;
    ShadowMemory& operator=(const ShadowMemory&) = delete;

    [[nodiscard]] std::span<std::byte> bytes() const { return {base_, static_cast<std::size_t>(size_bytes_)}; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
    [[nodiscard]] std::uint64_t charged_bytes() const { return charged_bytes_; }

    // Bytes that writing [offset, offset + size) would newly take, in granules. The range is inside.
    [[nodiscard]] std::uint64_t uncharged_bytes(std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
    void charge(std::uint64_t offset_bytes, std::uint64_t size_bytes);

private:
    std::byte* base_;
    std::uint64_t size_bytes_;
    std::uint64_t charged_bytes_ = 0;
    std::vector<bool> charged_;
};

}  // namespace heapwright::replay
