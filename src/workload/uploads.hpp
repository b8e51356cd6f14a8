// What the host writes in a frame for the device to copy or read. Pure; the hints have passed check_workload()
// (stream.hpp).
#pragma once

#include <cstdint>

#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// Of a workload that does not state its uploads of a frame, at most; what most engines' staging rings hold.
inline constexpr std::uint64_t kMostUnstatedUploadBytes = 8ull << 20;

// As the workload states it, else what a frame renews of the resources that are copied to, on average, at least 64 KiB
// and at most kMostUnstatedUploadBytes.
[[nodiscard]] std::uint64_t upload_bytes_per_frame(const model::Workload& workload);

}  // namespace heapwright::workload
