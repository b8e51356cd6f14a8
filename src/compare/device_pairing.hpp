// Which devices of two documents are the same one. Of those with equal device_key(), first the pairs of one device
// UUID, then those of one PCI address, then the nearest driver versions; a pair whose UUIDs or addresses are known and
// differ is taken last. A baseline may hold a device under several versions of its driver: the nearest is compared, and
// the others are neither missing nor compared. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <span>
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

}  // namespace heapwright::compare
