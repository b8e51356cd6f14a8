#include "heapwright/policy/frames_in_flight.hpp"

#include <algorithm>

#include "heapwright/model/claims.hpp"
#include "heapwright/policy/upload_rate.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

model::Decided<std::uint64_t> decide_frames_in_flight(const Context& context) {
    const std::uint64_t asked = context.workload.frames_in_flight;
    const UploadRate uploads = upload_rate(context);
    model::Decided<std::uint64_t> frames;
    frames.value = std::max<std::uint64_t>(1, asked);
    frames.why.reason = claim<ClaimId::kFramesAsked>(model::count(frames.value));
    frames.why.reason += claim<ClaimId::kFrameHolds>(model::bytes(uploads.bytes_per_frame));
    frames.why.reason += uploads.source;
    frames.why.inputs = {context.cite_workload("/frames_in_flight", model::count(asked))};
    frames.why.inputs.insert(frames.why.inputs.end(), uploads.inputs.begin(), uploads.inputs.end());
    if (frames.value > 1) {
        frames.why.alternatives.push_back(
            {.value = model::count(frames.value - 1), .reason = claim<ClaimId::kFewerFramesLost>()});
    }
    frames.why.alternatives.push_back(
        {.value = model::count(frames.value + 1), .reason = claim<ClaimId::kMoreFramesLost>()});
    return frames;
}

}  // namespace heapwright::policy
