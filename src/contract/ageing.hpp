// How long a bucket keeps empty chunks, so that a workload at the edge of a chunk, or one whose frames differ in size,
// does not take and free them every other frame: the last one of a bucket for `age` collections (frames), any of
// several for an eighth of that, and one that the heap's share for the empty chunks of all its buckets does not hold
// for one: what each frame gives up and takes again stays, however little of the heap may be kept. Sizes in bytes,
// times in collections. Pure and thread-safe; no errors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapwright::contract {

// An empty chunk beside another waits this part of the age: frames that differ meet it, a load that is over does not.
inline constexpr std::uint32_t kSurplusAgeParts = 8;
// An empty chunk beyond the heap's share.
inline constexpr std::uint32_t kBeyondShareAge = 1;

// Of a bucket with so many empty chunks, one that has been empty since `empty_since`.
[[nodiscard]] constexpr bool has_outlived(std::uint64_t now, std::uint64_t empty_since, std::uint32_t age,
                                          std::size_t empty_chunks) {
    return now - empty_since > (empty_chunks > 1 ? age / kSurplusAgeParts : age);
}

[[nodiscard]] constexpr std::uint64_t most_kept_empty_bytes(std::uint64_t usable_bytes, double share) {
    return static_cast<std::uint64_t>(static_cast<double>(usable_bytes) * share);
}

// Beside what the heap's buckets keep empty already.
[[nodiscard]] constexpr bool may_keep_empty(std::uint64_t kept_bytes, std::uint64_t chunk_bytes,
                                            std::uint64_t most_bytes) {
    return kept_bytes <= most_bytes && chunk_bytes <= most_bytes - kept_bytes;
}

}  // namespace heapwright::contract
