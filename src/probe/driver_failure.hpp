// Which errors of a measurement are the driver's failures: a call that its own answers promise did not succeed. What
// the device lacks is none, nor a limit that was told beforehand, nor memory that its heap's budget has not left.
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "device/device.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::probe {

// Told of what a driver failed where the measurement goes on without it; `part` is what is missing.
using FailureFunction = std::function<void(std::string_view part, const Error& error)>;

[[nodiscard]] bool is_driver_failure(const Error& error);

// Of an allocation of `size_bytes` that failed just now: kOverBudget instead of a lack of memory where the heap's
// budget does not leave four times as much, since what is left may lie in pieces; else the error itself.
[[nodiscard]] Error judge_allocation(device::Device& device, MemoryTypeIndex memory_type, std::uint64_t size_bytes,
                                     Error error);

}  // namespace heapwright::probe
