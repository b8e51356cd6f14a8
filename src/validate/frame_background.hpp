// The background of a scenario's frames: a background processor for an allocator that prepares chunks ahead of need.
// On a device, items run as they come, beside the frame; what is left of a frame is theirs too. A replayed device
// passes its time at once, whoever asks it, so that there items wait for the rest of the frame: the same seed then
// gives the same figures, and the scenario sees how long they took.
// submit() from any thread, rest() from the scenario's. Outlives the allocator.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "heapwright/device/background_processor.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class FrameBackground {
public:
    explicit FrameBackground(bool is_real);

    bool submit(device::WorkItem item);

    // Returns when there is nothing left to do, on a real device after `at_most_ns` at the latest.
    void rest(std::uint64_t at_most_ns);

    // The items that have ended, the first model::kMaxEngineSpans of them; times of the steady clock, less `origin_ns`.
    [[nodiscard]] std::vector<model::EngineSpan> spans(std::uint64_t origin_ns) const;

private:
    void note(const device::TraceEvent& event);
    [[nodiscard]] std::deque<device::WorkItem> take_held();

    const bool is_real_;
    std::mutex mutex_;
    std::deque<device::WorkItem> held_;
    mutable std::mutex trace_mutex_;
    std::map<device::WorkItemId, std::uint64_t> started_ns_;  // of those that run
    std::vector<model::EngineSpan> spans_;
    device::BackgroundProcessor processor_;  // last: its threads use what stands above
};

}  // namespace heapwright::validate
