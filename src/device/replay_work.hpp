// One item of work on the bytes of replayed resources: checked and bound when it is submitted, run later.
// Both functions want the context's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heapwright/device/replay_resources.hpp"
#include "heapwright/device/submitter.hpp"

namespace heapwright::device {

struct BoundWork {
    Work work;
    std::shared_ptr<ReplayResource> read;     // null where nothing is read
    std::shared_ptr<ReplayResource> written;  // never null
};

// Bytes of `written` that the work writes.
struct WrittenRange {
    std::uint64_t first = 0;
    std::uint64_t size = 0;
};

// Errors: kInvalidArgument (no such resource, a range outside it, an unaligned offset, descriptions that differ, a
// multisampled copy to or from a buffer), kNotSupported (a format that cannot be cleared, work that the kind of engine
// cannot do).
[[nodiscard]] Result<BoundWork> bind_work(const Work& work, EngineKind engine, const ReplayResources& resources);

[[nodiscard]] WrittenRange written_range(const BoundWork& bound);

void run_work(const BoundWork& bound);

}  // namespace heapwright::device
