// What every suballocator hands out and how it says no.
// Units: those of the block that the suballocator divides (bytes of a chunk, descriptors of a descriptor heap); a
// suballocator never sees memory. Plain values, no ownership: a Suballocation that is dropped stays allocated.
// Failures are enums, so that the hot path builds no strings; to_error() words them where a pool reports them.
#pragma once

#include <cstdint>
#include <string_view>

#include <tl/expected.hpp>

#include "heapwright/core/error.hpp"

namespace heapwright::suballoc {

// Names one live suballocation of one suballocator. The generation tells a handle that was freed from the one that
// reuses its place; it has 31 bits, so a stale handle is mistaken only after 2^31 more allocations in that place.
struct SuballocationHandle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    friend constexpr bool operator==(SuballocationHandle, SuballocationHandle) = default;
};

struct Suballocation {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  // reserved: the request rounded up to the suballocator's granule, block or slot
    SuballocationHandle handle = {};
    friend constexpr bool operator==(const Suballocation&, const Suballocation&) = default;
};

enum class AllocateFailure : std::uint8_t {
    kZeroSize,
    kBadAlignment,  // not a power of two, or more than this kind can give (slots)
    kTooLarge,      // more than the whole block, or than a slot
    kExhausted,     // no free range holds it now
};

enum class FreeOutcome : std::uint8_t {
    kFreed,
    kDeferred,       // accepted; the space comes back with its group (linear: rollback or reset; ring: its frame)
    kInvalidHandle,  // not live here: already freed, or another suballocator's; nothing changed
};

// Without a population count instruction in the baseline, std::has_single_bit is a call: too much for a hot path.
[[nodiscard]] constexpr bool is_alignment(std::uint64_t value) {
    return value != 0 && (value & (value - 1)) == 0;
}

using AllocateResult = tl::expected<Suballocation, AllocateFailure>;

[[nodiscard]] std::string_view to_string(AllocateFailure failure);
[[nodiscard]] std::string_view to_string(FreeOutcome outcome);

// The error that a pool or a descriptor heap reports: the size as value, the block's capacity as limit.
[[nodiscard]] Error to_error(AllocateFailure failure, std::uint64_t size, std::uint64_t alignment,
                             std::uint64_t capacity);

}  // namespace heapwright::suballoc
