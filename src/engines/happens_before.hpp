// What must have ended before what begins, whatever the speed of the engines: operations of one queue in their order,
// an operation after what its submitter did before, and a wait after every operation that each signal that may have
// met it follows. Where several signals may meet a wait, only what all of them follow is certain.
//
// Built by raising vector clocks (Fidge 1988, Mattern 1989) to their least fixed point. O(operations * actors) a round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engines/schedule.hpp"

namespace heapwright::engines {

class HappensBefore {
public:
    explicit HappensBefore(const Schedule& schedule);

    // Whether `first` has ended when `second` begins.
    [[nodiscard]] bool ordered(std::size_t first, std::size_t second) const {
        if (first == second) return false;
        const std::size_t actor = actor_of_[first];
        return clocks_[second * actors_ + actor] >= own_position_[first];
    }

    // Whether `first` has ended when its actor reaches `second`. A wait that is reached may last until a signal comes
    // that ordered() counts as before it.
    [[nodiscard]] bool ended_when_reached(std::size_t first, std::size_t second) const {
        for (const std::optional<std::size_t> before : before_[second]) {
            if (before && (*before == first || ordered(first, *before))) return true;
        }
        return false;
    }

    [[nodiscard]] bool unordered(std::size_t first, std::size_t second) const {
        return first != second && !ordered(first, second) && !ordered(second, first);
    }

private:
    bool raise(const Schedule& schedule);
    void meet_signals(const Schedule& schedule, std::size_t wait, std::vector<std::uint32_t>& known) const;

    std::size_t actors_;
    std::vector<std::uint32_t> clocks_;        // per operation and actor: how many of the actor's operations have ended
    std::vector<std::uint32_t> actor_of_;      // per operation
    std::vector<std::uint32_t> own_position_;  // per operation: 1 for the first of its actor
    // Per operation: the latest earlier one of its actor, and of another actor that submits it.
    std::vector<std::array<std::optional<std::size_t>, 2>> before_;
    std::vector<std::vector<std::vector<std::size_t>>> signals_;  // per fence and actor, in the actor's order
};

}  // namespace heapwright::engines
