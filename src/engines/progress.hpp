// Plays a schedule without a device: who can go on, in which order the operations run, which waits had to wait, and
// whether some operations can never run.
//
// Actors run in the order of `Schedule::actors`, each as far as it can before the next has its turn, again and again.
// A wait that is outstanding is met by any signal of at least its value that comes while it is outstanding, whatever
// value remains; a new wait compares with the value that stands ("Multi-engine synchronization", fences).
// With fences that only rise, which operations run at all does not depend on the order of the actors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/schedule.hpp"

namespace heapwright::engines {

struct WaitOutcome {
    std::size_t operation = 0;
    std::uint64_t fence_value = 0;  // when the actor reached the wait
    bool passed = false;            // at once
};

// An actor that stands at a wait that is not met, and who could have helped.
struct Blocked {
    std::size_t operation = 0;
    std::uint64_t fence_value = 0;  // that stood when the actor reached it
    // Of at least the value that it waits for, and still to run. Empty: there is none.
    std::vector<std::size_t> signals;
};

struct Progress {
    std::vector<std::size_t> order;  // operations in the order in which they ran
    std::vector<WaitOutcome> waits;  // in the order in which the actors reached them
    std::vector<Blocked> blocked;    // empty: everything ran
};

// To the end: who is blocked stays so.
[[nodiscard]] Progress play(const Schedule& schedule);

// Turns of one actor each, in this order, as far as each can; then ends. A wait that was met is not blocked, whether
// or not its actor had another turn to go on.
[[nodiscard]] Progress play_turns(const Schedule& schedule, const std::vector<ActorIndex>& turns);

}  // namespace heapwright::engines
