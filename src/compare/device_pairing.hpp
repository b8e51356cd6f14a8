// Which devices of two documents are the same one. Of those with equal device_key(), first the pairs of one device
// UUID, then those of one PCI address, then the nearest driver versions; a pair whose UUIDs or addresses are known and
// differ is taken last. A baseline may hold a device under several versions of its driver: the nearest is compared, and
// the others are neither missing nor compared. Pure and thread-safe.
// Beside it: a device's allocation behaviour as a hash, and what its heaps and memory types are called in comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::compare {

struct Pairing {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  // in the baseline's order
    std::vector<std::size_t> missing;                        // of the baseline
    std::vector<std::size_t> added;                          // of the other
};

[[nodiscard]] Pairing pair_devices(std::span<const model::DeviceIdentity> baseline,
                                   std::span<const model::DeviceIdentity> other);

// A device's allocation behaviour as a hash: what it asks for and under which limits, never what it is called. Two
// devices with one fingerprint give an allocator the same answers; their heap sizes, names, driver versions, budgets
// and costs may differ. Pure and thread-safe.

// 32 hexadecimal digits. Made of: API; heaps by role; memory types (flags, heap, resource classes) in order; the limits
// and tiers that an allocator obeys; of both sweeps the grid and every case's answers (size, alignment, memory types,
// dedicated), unsupported ones included. maxMemoryAllocationSize counts as it is only where it is less than half of the
// largest heap: otherwise it follows the heap's size.
[[nodiscard]] std::string fingerprint(const model::DeviceReport& device);

// Of one case's table of one sweep alone: cases with equal hashes are answered alike. For the store.
struct CaseFingerprint {
    std::string path;         // as in comparisons: "/image_sweep/R8G8B8A8_UNORM/optimal/..."
    std::string fingerprint;  // empty: not supported
};
[[nodiscard]] std::vector<CaseFingerprint> case_fingerprints(const model::DeviceReport& device);

// What a device's heaps and memory types are called when two reports are compared: by what they are, never by their
// position. Equal ones are numbered in order.
//   heap: its role, "device_local", "host", "device_local_2" for the second largest of a kind
//   memory type: "DEVICE_LOCAL|HOST_VISIBLE@device_local", "...@device_local#2" for the second of a kind;
//   Direct3D 12: "upload+linear@host"
// Pure and thread-safe.

struct MemoryLayout {
    std::vector<std::string> heaps;  // in the report's order
    std::vector<std::string> types;

    [[nodiscard]] std::optional<std::uint32_t> find_type(const std::string& key) const;
};

[[nodiscard]] MemoryLayout layout_of(const model::DeviceReport& device);

// Memory type bits of one layout in the order of another; bits of types that the other lacks are left out.
class TypeTranslation {
public:
    TypeTranslation(const MemoryLayout& from, const MemoryLayout& to);

    [[nodiscard]] std::uint32_t bits(std::uint32_t from_bits) const;
    [[nodiscard]] std::uint32_t common_bits() const { return common_bits_; }  // in the order of `to`
    [[nodiscard]] std::optional<std::uint32_t> type(std::uint32_t from_type) const;
    [[nodiscard]] bool is_identity() const { return is_identity_; }

private:
    std::vector<std::optional<std::uint32_t>> types_;
    std::uint32_t common_bits_ = 0;
    bool is_identity_ = true;
};

}  // namespace heapwright::compare
