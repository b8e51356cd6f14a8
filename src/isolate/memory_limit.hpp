// How much device memory a command may take when nobody says: never so much that the machine suffers.
// Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "heapwright/model/report.hpp"

namespace heapwright::isolate {

// Whether the device's memory is the host's RAM: a CPU device, an integrated one, or one without a heap of its own.
[[nodiscard]] bool device_memory_is_ram(const model::DeviceReport& device);

// The smallest of: what is left of the device-local budget, and, where device memory is RAM, a quarter of the free RAM;
// `asked_bytes` (empty: not asked) replaces the default but never exceeds the budget that is left.
[[nodiscard]] std::uint64_t memory_limit_bytes(const model::DeviceReport& device,
                                               std::optional<std::uint64_t> asked_bytes,
                                               std::optional<std::uint64_t> available_ram_bytes);

}  // namespace heapwright::isolate
