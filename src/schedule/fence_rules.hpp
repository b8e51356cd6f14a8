// Fences that go back, and fences that two actors signal in no order. Neither is an error of Direct3D 12; each makes
// what a wait means depend on the speed of the engines, so it is reported with the waits that it touches: one that was
// outstanding is met by either value, one that comes later is compared with the value that remains.
// Source: "Multi-engine synchronization", fences.
#pragma once

#include <vector>

#include "heapwright/schedule/happens_before.hpp"
#include "heapwright/schedule/schedule.hpp"
#include "heapwright/schedule/violation.hpp"

namespace heapwright::schedule {

[[nodiscard]] std::vector<Violation> check_fences(const Schedule& schedule, const HappensBefore& order);

// The waits whose outcome the race or rewind of these two signals decides: those on the fence for a value that one of
// them reaches and the other does not.
struct WaitAtStake {
    std::size_t wait = 0;
    bool met_while_outstanding = false;  // reached before both signals: met whichever comes last
};
[[nodiscard]] std::vector<WaitAtStake> waits_at_stake(const Schedule& schedule, const HappensBefore& order,
                                                      std::size_t first_signal, std::size_t second_signal);

}  // namespace heapwright::schedule
