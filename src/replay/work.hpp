// One item of work on the bytes of replayed resources: checked and bound when it is submitted, run later.
// All functions want the context's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "device/submitter.hpp"
#include "replay/descriptors.hpp"
#include "replay/dispatch.hpp"
#include "replay/recorder.hpp"
#include "replay/resources.hpp"

namespace heapwright::replay {

struct BoundWork {
    device::Work work;
    std::shared_ptr<ReplayResource> read;     // null where nothing is read
    std::shared_ptr<ReplayResource> written;  // null for a dispatch alone
    device::ImageSubresource view = {};       // of work through a view, read from its descriptor when it was bound
    std::shared_ptr<BoundDispatch> dispatch = nullptr;

    template <class Visit>
    void for_each_resource(Visit&& visit) const {
        if (read) visit(*read);
        if (written) visit(*written);
        if (!dispatch) return;
        for (const auto& resource : dispatch->reads) visit(*resource);
        for (const auto& resource : dispatch->writes) visit(*resource);
    }
};

// Bytes of `written` that the work writes, or of `read` that it reads.
struct WorkRange {
    std::uint64_t first = 0;
    std::uint64_t size = 0;
};

// Refuses what a backend refuses, by the same device::check_work(). Errors: kInvalidArgument (no such resource or of
// the wrong kind, no transfer usage, no bytes, an unaligned offset, images that differ, a copy onto itself),
// kOutOfRange (bytes or a subresource that is not there), kNotSupported (a format that cannot be cleared, multisampled
// copies, work beyond the kind of engine).
[[nodiscard]] Result<BoundWork> bind_work(const device::Work& work, device::EngineKind engine,
                                          const ReplayResources& resources, const ReplayDescriptors& descriptors,
                                          const ReplayPipelines& pipelines);

// Of work that is no dispatch; read_range() of work that reads.
[[nodiscard]] WorkRange written_range(const BoundWork& bound);
[[nodiscard]] WorkRange read_range(const BoundWork& bound);

void run_work(const BoundWork& bound, ReplayContext& context);

}  // namespace heapwright::replay
