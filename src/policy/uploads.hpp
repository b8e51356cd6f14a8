// What frames of an application hold of uploads: how many frames are in flight, the ring, the pages beside it, the
// bytes of a frame.
//
// Rule: how many frames the host may be ahead of the device. What the workload asks for; every one of them holds its
// dynamic descriptors, its uploads and what was released in it until the device has finished it. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/context.hpp"

namespace heapwright::policy {

[[nodiscard]] model::Decided<std::uint64_t> decide_frames_in_flight(const Context& context);

// Rules: the size of the upload ring and of the pages beside it. The ring holds the frames in flight and the one that
// is written; a page is the largest power of two whose device allocation stays within a tenth of the frame budget, so
// that growing in the middle of a frame is not seen, and no larger than the ring or a sixteenth of what the heap may
// take. Pure.

[[nodiscard]] model::UploadPolicy decide_uploads(const Context& context, const model::DevicePolicy& policy,
                                                 model::Statement& warnings);

// The uploads of a frame (workload/stream.hpp), for the rules that rest on them. Pure.

struct UploadRate {
    std::uint64_t bytes_per_frame = 0;
    model::Statement source;  // empty where the workload states it
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] UploadRate upload_rate(const Context& context);

}  // namespace heapwright::policy
