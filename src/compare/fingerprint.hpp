// A device's allocation behaviour as a hash: what it asks for and under which limits, never what it is called. Two
// devices with one fingerprint give an allocator the same answers; their heap sizes, names, driver versions, budgets
// and costs may differ. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/report.hpp"

namespace heapwright::compare {

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

}  // namespace heapwright::compare
