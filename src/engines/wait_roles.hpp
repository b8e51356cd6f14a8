// Why each wait of a schedule is there: taken out, does a rule break?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engines/schedule.hpp"
#include "engines/violation.hpp"

namespace heapwright::engines {

enum class WaitRole : std::uint8_t {
    kNecessary,  // without it the accesses in `shown_by` have no order
    kThrottle,   // a host wait that only bounds how far the host runs ahead
    kRedundant,  // other waits order the same work
};

struct WaitFinding {
    std::size_t wait = 0;
    WaitRole role = WaitRole::kRedundant;
    std::optional<Violation> shown_by;
};

// One finding per wait, in order. O(waits * check). The schedule itself breaks no rule.
[[nodiscard]] std::vector<WaitFinding> find_wait_roles(const Schedule& schedule, Rules rules);

// The schedule with one wait taken out.
[[nodiscard]] Schedule without(const Schedule& schedule, std::size_t wait);

}  // namespace heapwright::engines
