// A time is the worst of thousands of frames or calls, and one wait of the machine breaks it. What a policy causes
// comes back, what the machine did once does not: a run whose only fault is a broken time is played again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/clock.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

constexpr std::size_t kPlaysOfTimes = 3;  // at most

// Plays within so many nanoseconds; the errors are its own.
using Play = std::function<Result<model::ScenarioResult>(std::uint64_t time_limit_ns)>;

// The first play that breaks no time, or fails for something else; where each broke one, the first. Ends early where
// the time limit leaves less than the last play took. What the plays before it showed of a time stands in the reason of
// its promise: "in play 2: 6.429 ms before".
[[nodiscard]] Result<model::ScenarioResult> play_until_times_hold(Clock& clock, std::uint64_t time_limit_ns,
                                                                  const Play& play);

}  // namespace heapwright::validate
