#include "heapwright/policy/frames_in_flight.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/policy/upload_rate.hpp"

namespace heapwright::policy {

model::Decided<std::uint64_t> decide_frames_in_flight(const Context& context) {
    const std::uint64_t asked = context.workload.frames_in_flight;
    const UploadRate uploads = upload_rate(context);
    model::Decided<std::uint64_t> frames;
    frames.value = std::max<std::uint64_t>(1, asked);
    frames.why.reason = fmt::format(
        "the workload keeps {} frames in flight; each of them holds its uploads of {} and its dynamic descriptors "
        "until "
        "the device has passed it",
        frames.value, uploads.text);
    frames.why.inputs = {context.cite_workload("/frames_in_flight", std::to_string(asked))};
    frames.why.inputs.insert(frames.why.inputs.end(), uploads.inputs.begin(), uploads.inputs.end());
    if (frames.value > 1) {
        frames.why.alternatives.push_back(
            {.value = std::to_string(frames.value - 1),
             .reason = "less memory and latency, but the host waits whenever one frame takes longer than the others"});
    }
    frames.why.alternatives.push_back(
        {.value = std::to_string(frames.value + 1), .reason = "one frame more of latency and of held memory"});
    return frames;
}

}  // namespace heapwright::policy
