// How far the samples of a figure reach, as people write it. Nine tenths of fewer than ten runs are all of them: those
// are told by their range. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/count_text.hpp"
#include "core/time_text.hpp"

namespace heapwright {

inline constexpr std::uint32_t kLeastSamplesForShare = 10;

// "90% of 12 runs no more than 30 ns", "3 runs from 10 ns to 30 ns".
[[nodiscard]] inline std::string range_text(std::uint64_t least_ns, std::uint64_t p90_ns, std::uint32_t samples,
                                            std::string_view one) {
    const std::string runs = counted(samples, one);
    const std::string most = time_text(p90_ns);
    if (samples < kLeastSamplesForShare) return runs + " from " + time_text(least_ns) + " to " + most;
    return "90% of " + runs + " no more than " + most;
}

}  // namespace heapwright
