// Words of the trace format that its reader and its writer share.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heapwright::workload::detail {

inline constexpr std::string_view kTraceMagic = "heapwright-trace";
inline constexpr std::array<std::string_view, 4> kMemoryUses{"device", "upload", "readback", "streaming"};

}  // namespace heapwright::workload::detail
