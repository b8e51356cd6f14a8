// Lets so many threads into a part of the driver at once as serve best. Some drivers let their callers take turns by a
// lock that costs a wait each: on an H200 one thread creates and destroys 1,100 to 2,400 images a millisecond, sixteen
// together 40 to 100; of buffers sixteen threads make twelve times what one makes.
//
// Found by what is seen: while threads meet, each candidate in turn is the limit for kCallsOfTrial calls, and the one
// under which the calls came fastest stays, until it is looked for again. A limit that is given is kept.
//
//   const TurnTaken turn(turns);    // waits, and lets the next in at its end
//   call.vkCreateImage(...)
//
// Thread-safe. Waiting is a look for some microseconds, then a sleep.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/brief_mutex.hpp"

namespace heapwright::vulkan {

class Turns {
public:
    static constexpr std::uint32_t kAll = 1u << 20;  // no limit
    static constexpr std::array<std::uint32_t, 4> kCandidates{kAll, 1, 2, 4};
    static constexpr std::uint32_t kCallsOfTrial = 256;
    static constexpr std::uint32_t kTrialsOfChoice = 256;  // that a choice stays, before the others are tried again

    // 0: found.
    explicit Turns(std::uint32_t limit = 0) : is_given_(limit != 0), limit_(limit != 0 ? limit : kAll) {
        left_.store(static_cast<std::int32_t>(limit_.load()));
    }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    void enter() {
        if (is_given_ && limit_.load(std::memory_order_relaxed) == kAll) return;
        std::int32_t left = left_.load(std::memory_order_relaxed);
        bool has_waited = false;
        for (std::uint32_t pauses = 1;; pauses = std::min(pauses * 2, kMostPauses)) {
            if (left > 0 && left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) break;
            if (!std::exchange(has_waited, true)) waiting_.fetch_add(1, std::memory_order_relaxed);
            for (std::uint32_t i = 0; i < pauses; ++i) relax_processor();
            if (pauses == kMostPauses && left <= 0) left_.wait(left, std::memory_order_relaxed);
            left = left_.load(std::memory_order_relaxed);
        }
        if (has_waited) waiting_.fetch_sub(1, std::memory_order_relaxed);
        if (is_given_) return;
        const bool is_alone = static_cast<std::uint32_t>(left) == limit_.load(std::memory_order_relaxed);
        if (has_waited || !is_alone || waiting_.load(std::memory_order_relaxed) != 0)
            met_.fetch_add(1, std::memory_order_relaxed);
    }
    void leave() {
        if (is_given_ && limit_.load(std::memory_order_relaxed) == kAll) return;
        left_.fetch_add(1, std::memory_order_release);
        left_.notify_one();
        if (!is_given_ && (calls_.fetch_add(1, std::memory_order_relaxed) + 1) % kCallsOfTrial == 0) end_trial();
    }

    [[nodiscard]] std::uint32_t limit() const { return limit_.load(std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t kMostPauses = 64;
    static constexpr std::uint32_t kMostVainTrials = 8;
    using Clock = std::chrono::steady_clock;

    void end_trial() {
        if (!choosing_.try_lock()) return;
        const Clock::time_point now = Clock::now();
        const double taken_ns = std::chrono::duration<double, std::nano>(now - trial_begin_).count();
        trial_begin_ = now;
        // Where threads seldom meet the rate is the program's own.
        const bool tells = met_.exchange(0, std::memory_order_relaxed) > kCallsOfTrial / 2;
        if (!tells && tried_ != 0 && tried_ < kCandidates.size() && ++vain_trials_ == kMostVainTrials) {
            // The threads went away in the middle: the next search begins afresh.
            tried_ = 0;
            is_warm_ = false;
            vain_trials_ = 0;
            choose(kCandidates[0]);
        }
        if (tells) {
            vain_trials_ = 0;
            if (tried_ < kCandidates.size()) {
                if (is_warm_) taken_ns_[tried_] = taken_ns;
                tried_ += is_warm_ ? 1 : 0;
                is_warm_ = !is_warm_;  // of two trials of a limit the first meets those that came before
                choose(tried_ < kCandidates.size() ? kCandidates[tried_] : best());
                trials_left_ = kTrialsOfChoice;
            } else if (--trials_left_ == 0) {
                tried_ = 0;
                is_warm_ = false;
                choose(kCandidates[0]);
            }
        }
        choosing_.unlock();
    }

    [[nodiscard]] std::uint32_t best() const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < kCandidates.size(); ++i) {
            if (taken_ns_[i] < taken_ns_[best]) best = i;
        }
        return kCandidates[best];
    }

    void choose(std::uint32_t limit) {
        const std::uint32_t before = limit_.exchange(limit, std::memory_order_relaxed);
        left_.fetch_add(static_cast<std::int32_t>(limit) - static_cast<std::int32_t>(before),
                        std::memory_order_relaxed);
        left_.notify_all();
    }

    const bool is_given_;
    std::atomic<std::uint32_t> limit_;
    alignas(64) std::atomic<std::int32_t> left_{0};  // below 0: more are in it than a new limit lets in
    std::atomic<std::int32_t> waiting_{0};
    alignas(64) std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint32_t> met_{0};
    BriefMutex choosing_;  // all below
    Clock::time_point trial_begin_ = Clock::now();
    std::array<double, kCandidates.size()> taken_ns_{};
    std::size_t tried_ = 0;
    std::uint32_t trials_left_ = 0;
    std::uint32_t vain_trials_ = 0;
    bool is_warm_ = false;
};

class TurnTaken {
public:
    explicit TurnTaken(Turns& turns) : turns_(turns) { turns_.enter(); }
    TurnTaken(const TurnTaken&) = delete;
    TurnTaken& operator=(const TurnTaken&) = delete;
    ~TurnTaken() { turns_.leave(); }

private:
    Turns& turns_;
};

}  // namespace heapwright::vulkan
