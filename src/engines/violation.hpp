// A broken rule of a schedule, with the operations that show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heapwright::engines {

enum class Rule : std::uint8_t {
    kUnorderedWrites,    // two actors write one resource (Direct3D 12) or the same bytes (Vulkan), no fence between
    kUnorderedRead,      // one actor reads bytes that another writes, no fence between
    kWrongState,         // the resource is not in the state that the work needs
    kForeignClassState,  // a copy state of the 3D/compute class used on a copy queue, or the reverse
    kNotCommon,          // a copy queue needs COMMON
    kPresentNotCommon,   // a presented back buffer needs COMMON
    kBundle,             // a bundle on a compute or copy queue
    kNotOwned,           // used by a queue family that does not own it
    kUnpairedTransfer,   // an acquire without its release, or before it
    kFenceRewind,        // a signal below an earlier one; Vulkan: not above it
    kSignalRace,         // two actors signal one fence in no order
    kDeadlock,           // a wait that nothing ends
};

struct Violation {
    Rule rule = Rule::kUnorderedWrites;
    // The two accesses or signals, a deadlock's waits and signals in turn, or the one operation that is at fault.
    std::vector<std::size_t> operations;
    std::string statement;

    friend bool operator==(const Violation& a, const Violation& b) {
        return a.rule == b.rule && a.operations == b.operations;
    }
};

// What differs between the two APIs.
enum class Rules : std::uint8_t { kDirect3D12, kVulkan };

}  // namespace heapwright::engines
