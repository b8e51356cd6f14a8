// What each frame of a scenario spends on memory: the time of its calls, its allocations and frees, and those of the
// device. What comes before the first end() is the load and no frame. Times in nanoseconds. Not thread-safe.
// Beside it: the frames that spent longest on memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/percentile.hpp"
#include "heapwright/model/validation.hpp"
#include "validate/allocator_under_test.hpp"
#include "validate/call_meter.hpp"
#include "validate/shadow_checker.hpp"

namespace heapwright::validate {

// The frames that spent longest on memory: at most model::kMaxWorstFrames, the longest first; and what every frame
// spent. Frames amid whose work on memory the machine ran another thread are counted and left out of both, unless all
// were such. Not thread-safe.

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

class FrameMeter {
public:
    void add_creation(const CallCost& cost);
    void add_release(const CallCost& cost);
    void add_collection(const CallCost& cost) { add(cost); }

    // Ends the load or a frame, which lasts its budget: what it leaves of that is for the allocator's background.
    // `simulated`: a replayed device's time, null on a real one.
    void end(AllocatorUnderTest& allocator, const ShadowChecker& checker, std::uint64_t frame_budget_ns,
             Clock* simulated);

    [[nodiscard]] bool is_loading() const { return ends_ == 0; }
    [[nodiscard]] std::uint64_t ends() const { return ends_; }  // of the load and of frames
    [[nodiscard]] const WorstFrames& frames() const { return frames_; }
    [[nodiscard]] std::uint64_t worst_load_ns() const { return worst_load_ns_; }  // of one creation
    // Empty where the allocator prepares no chunk ahead of need.
    [[nodiscard]] std::optional<model::PreparedChunks> prepared_since_load(const AllocatorUnderTest& allocator) const;

private:
    void add(const CallCost& cost) {
        frame_.ns += cost.own_ns;
        frame_.device_ns = frame_.device_ns.value_or(0) + cost.device_ns;
        was_preempted_ |= cost.was_preempted;
    }
    void rest(AllocatorUnderTest& allocator, std::uint64_t frame_budget_ns, Clock* simulated);

    model::WorstFrame frame_;  // the one under way
    bool was_preempted_ = false;
    WorstFrames frames_;
    std::uint64_t ends_ = 0;
    std::uint64_t worst_load_ns_ = 0;
    model::PreparedChunks prepared_in_load_;
    // As the frame under way found them.
    std::uint64_t device_allocations_before_ = 0;
    std::uint64_t device_frees_before_ = 0;
    std::uint64_t prepared_before_ = 0;
};

}  // namespace heapwright::validate
