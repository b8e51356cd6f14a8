// A program whose resources belong to one queue family at a time (VK_SHARING_MODE_EXCLUSIVE), derived from one that
// shares them: behind a family's last use of a range of bytes stands a release to the family that uses it next, before
// that one's first use the acquire. No wait is added: the program's own order the two uses, and so the two halves of
// the hand-over between them. A resource that two families use with nothing ordering these uses (two that only read)
// cannot change hands and stays shared by all families; the plan says so.
//
// Who has the resources before the program begins and after it ends is the caller's: `first` is where each range has to
// be when it begins, `last` where it is in the end. Bytes in neither are not used. Buffers in the host's reach are
// nobody's until the program's first use.
// Pure. Source: Vulkan specification, queue family ownership transfer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/engine_map.hpp"
#include "engines/program.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::engines {

struct OwnedRange {
    ResourceIndex resource;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // of an image: of all bytes
    std::uint32_t family = 0;
};

struct OwnershipPlan {
    EngineProgram program;          // each queue of its engine's family
    std::vector<OwnedRange> first;  // of resources out of the host's reach, ascending
    std::vector<OwnedRange> last;
    std::size_t transfers = 0;        // in the program
    std::vector<std::string> shared;  // names of resources that stay so, with the uses that have no order
};

// `map` is the map of the program's queues. Errors: kNotSupported for a map of one family.
[[nodiscard]] Result<OwnershipPlan> with_owners(const EngineProgram& program, const EngineMap& map);

// As a note says it: "exclusive sharing: 9 ownership transfers between 3 queue families".
[[nodiscard]] std::string describe(const OwnershipPlan& plan, const EngineMap& map);

}  // namespace heapwright::engines
