// The frames that spent longest on memory: at most model::kMaxWorstFrames, the longest first; and what every frame
// spent. Frames amid whose work on memory the machine ran another thread are counted and left out of both, unless all
// were such. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/percentile.hpp"
#include "heapwright/model/validation.hpp"

namespace heapwright::validate {

class WorstFrames {
public:
    void add(const model::WorstFrame& frame, bool was_preempted = false) {
        (was_preempted ? preempted_ : steady_).add(frame);
    }

    [[nodiscard]] const std::vector<model::WorstFrame>& frames() const { return told().worst; }
    [[nodiscard]] const std::vector<double>& series_ns() const { return told().series_ns; }  // in the frames' order
    // What 99 frames of 100 spend at most; empty: no frame.
    [[nodiscard]] std::optional<std::uint64_t> p99_ns() const {
        if (series_ns().empty()) return std::nullopt;
        return static_cast<std::uint64_t>(percentile(series_ns(), 99));
    }
    [[nodiscard]] std::uint64_t frame_count() const { return steady_.series_ns.size() + preempted_.series_ns.size(); }
    [[nodiscard]] std::uint64_t left_out() const { return steady_.series_ns.empty() ? 0 : preempted_.series_ns.size(); }

private:
    struct Frames {
        void add(const model::WorstFrame& frame) {
            series_ns.push_back(static_cast<double>(frame.ns));
            const auto place = std::ranges::find_if(worst, [&](const auto& other) { return other.ns < frame.ns; });
            if (place == worst.end() && worst.size() == model::kMaxWorstFrames) return;
            worst.insert(place, frame);
            if (worst.size() > model::kMaxWorstFrames) worst.pop_back();
        }

        std::vector<model::WorstFrame> worst;
        std::vector<double> series_ns;
    };

    [[nodiscard]] const Frames& told() const { return steady_.series_ns.empty() ? preempted_ : steady_; }

    Frames steady_;
    Frames preempted_;
};

}  // namespace heapwright::validate
