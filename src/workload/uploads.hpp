// What the host writes in a frame for the device to copy or read. Pure; the hints have passed check_workload()
// (stream.hpp).
#pragma once

#include <cstdint>

#include "heapwright/model/workload.hpp"

namespace heapwright::workload {

// Of a workload that does not state its uploads of a frame. At least: the constants of its draws take room, too.
inline constexpr std::uint64_t kLeastUnstatedUploadBytes = 1ull << 20;
inline constexpr std::uint64_t kMostUnstatedUploadBytes = 8ull << 20;

// As the workload states it, else what a frame renews of the resources that are copied to, on average, within those
// bounds.
[[nodiscard]] std::uint64_t upload_bytes_per_frame(const model::Workload& workload);

}  // namespace heapwright::workload
