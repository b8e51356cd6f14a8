// Which queues of a device become engines, the same for a device and for its replayed report. Pure.
//
// First one that can do all kinds of work ("graphics"), one of a dedicated compute family ("compute") and one of a
// dedicated copy family ("copy"); a family with the fewest abilities beside the wanted ones comes first. Then, while
// families have queues left that no engine uses: "compute" and "copy" on a shared family where there is no dedicated
// one, "compute-low" and "compute-high" with those priorities, "copy-2".
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "device/submitter.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::device {

// The engines in order, no two of them on one queue; empty when no family can do graphics or compute work. A device
// without a graphics family has a compute queue as engine 0, which then refuses what needs graphics.
[[nodiscard]] std::vector<EngineInfo> choose_engines(std::span<const model::QueueFamily> families);

// Those of every Direct3D 12 device: queues of its three types.
inline constexpr std::size_t kDirect3d12EngineCount = 6;
[[nodiscard]] std::array<EngineInfo, kDirect3d12EngineCount> direct3d12_engines();

}  // namespace heapwright::device
