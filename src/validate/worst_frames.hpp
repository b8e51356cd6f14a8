// The frames that spent longest on memory: at most model::kMaxWorstFrames, the longest first. Not thread-safe.
#pragma once

#include <algorithm>
#include <vector>

#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class WorstFrames {
public:
    void add(const model::WorstFrame& frame) {
        const auto place = std::ranges::find_if(frames_, [&](const auto& other) { return other.ns < frame.ns; });
        if (place == frames_.end() && frames_.size() == model::kMaxWorstFrames) return;
        frames_.insert(place, frame);
        if (frames_.size() > model::kMaxWorstFrames) frames_.pop_back();
    }

    [[nodiscard]] const std::vector<model::WorstFrame>& frames() const { return frames_; }

private:
    std::vector<model::WorstFrame> frames_;
};

}  // namespace heapwright::validate
