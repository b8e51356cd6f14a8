// The frames that spent longest on memory: at most model::kMaxWorstFrames, the longest first; and what every frame
// spent. Not thread-safe.
#pragma once

#include <algorithm>
#include <vector>

#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class WorstFrames {
public:
    void add(const model::WorstFrame& frame) {
        series_ns_.push_back(static_cast<double>(frame.ns));
        const auto place = std::ranges::find_if(frames_, [&](const auto& other) { return other.ns < frame.ns; });
        if (place == frames_.end() && frames_.size() == model::kMaxWorstFrames) return;
        frames_.insert(place, frame);
        if (frames_.size() > model::kMaxWorstFrames) frames_.pop_back();
    }

    [[nodiscard]] const std::vector<model::WorstFrame>& frames() const { return frames_; }
    [[nodiscard]] const std::vector<double>& series_ns() const { return series_ns_; }  // in the order of the frames

private:
    std::vector<model::WorstFrame> frames_;
    std::vector<double> series_ns_;
};

}  // namespace heapwright::validate
