// Replays a trace on a peer: a suballocator behind
//   std::optional-like bool allocate(size, alignment, Handle&), void free(Handle).
// The replay keeps the live handles itself, in one order for all peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces.hpp"

namespace heapwright::bench {

template <class Peer>
class Replay {
public:
    Replay(Peer& peer, const Trace& trace) : peer_(peer), trace_(trace) {
        live_.reserve(std::size_t{1} << 17);
        if (trace.pattern == Pattern::kFrames) frame_.resize(kFramesBehind * trace.requests_per_frame);
    }

    // observe.begin()/end() surround every call of the peer; pass NoObserver for whole-run timing.
    template <class Observer>
    void run(const std::vector<Request>& requests, Observer& observe) {
        if (trace_.pattern == Pattern::kFrames)
            run_frames(requests, observe);
        else
            run_steady(requests, observe);
    }

    // The fill at the first failed allocation of a rising target.
    [[nodiscard]] double ramp() {
        const double capacity = static_cast<double>(trace_.capacity);
        NoObserver none;
        for (std::size_t step = 0; step < trace_.requests.size(); ++step) {
            const double rise = static_cast<double>(step) / static_cast<double>(trace_.requests.size());
            const auto target = static_cast<std::uint64_t>(capacity * (0.5 + 0.5 * rise));
            const Request& request = trace_.requests[step];
            std::uint32_t victim = request.victim;
            while (!live_.empty() && used_ + request.size > target) {
                free_victim(victim, none);
                victim = next_victim(victim);
            }
            if (!allocate(request, none)) return static_cast<double>(used_) / capacity;
        }
        return 1.0;
    }

    [[nodiscard]] std::uint64_t failed_count() const { return failed_count_; }
    [[nodiscard]] std::uint64_t used() const { return used_; }

    struct NoObserver {
        void begin() {}
        void end() {}
    };

private:
    static constexpr std::size_t kFramesBehind = 3;
    static constexpr int kRetries = 8;

    using Handle = typename Peer::Handle;
    struct Live {
        Handle handle;
        std::uint32_t size;
    };

    // More victims for one request: a full-period step, then the high bits mixed in, since those choose.
    static std::uint32_t next_victim(std::uint32_t victim) {
        const std::uint32_t next = victim * 2654435761u + 0x9E3779B9u;
        return next ^ (next << 15) ^ (next >> 7);
    }

    template <class Observer>
    bool allocate(const Request& request, Observer& observe) {
        Handle handle;
        observe.begin();
        const bool done = peer_.allocate(request.size, request.alignment, handle);
        observe.end();
        if (!done) {
            ++failed_count_;
            return false;
        }
        live_.push_back({handle, request.size});
        used_ += request.size;
        return true;
    }

    template <class Observer>
    void free_victim(std::uint32_t victim, Observer& observe) {
        const std::size_t index = static_cast<std::size_t>(victim * static_cast<std::uint64_t>(live_.size()) >> 32);
        const Live chosen = live_[index];
        live_[index] = live_.back();
        live_.pop_back();
        used_ -= chosen.size;
        observe.begin();
        peer_.free(chosen.handle);
        observe.end();
    }

    template <class Observer>
    void run_steady(const std::vector<Request>& requests, Observer& observe) {
        const auto target = static_cast<std::uint64_t>(static_cast<double>(trace_.capacity) * trace_.target_fill);
        for (const Request& request : requests) {
            std::uint32_t victim = request.victim;
            while (used_ + request.size > target) {
                free_victim(victim, observe);
                victim = next_victim(victim);
            }
            // Where fragmentation refuses it, the owner makes room: every peer then serves the same requests.
            for (int retry = 0; !allocate(request, observe) && retry < kRetries && !live_.empty(); ++retry) {
                free_victim(victim, observe);
                victim = next_victim(victim);
            }
        }
    }

    template <class Observer>
    void run_frames(const std::vector<Request>& requests, Observer& observe) {
        for (const Request& request : requests) {
            if (cursor_ % trace_.requests_per_frame == 0) retire_frame(observe);
            Live& place = frame_[cursor_];
            place.size = request.size;
            observe.begin();
            const bool done = peer_.allocate(request.size, request.alignment, place.handle);
            observe.end();
            if (!done) {
                ++failed_count_;
                place.size = 0;
            }
            if (++cursor_ == frame_.size()) cursor_ = 0;
        }
    }

    // The places of the frame that begins hold the frame of kFramesBehind frames ago.
    template <class Observer>
    void retire_frame(Observer& observe) {
        for (std::size_t index = cursor_; index < cursor_ + trace_.requests_per_frame; ++index) {
            if (frame_[index].size == 0) continue;
            observe.begin();
            peer_.free(frame_[index].handle);
            observe.end();
        }
    }

    Peer& peer_;
    const Trace& trace_;
    std::vector<Live> live_;
    std::vector<Live> frame_;
    std::size_t cursor_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t failed_count_ = 0;
};

}  // namespace heapwright::bench
