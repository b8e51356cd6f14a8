// What a simulation reserves and what that costs, frame by frame, whatever rule reserves it.
// Sizes in bytes, times in nanoseconds. Plain value; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/allocation_cost.hpp"
#include "policy/simulation.hpp"

namespace heapwright::policy {

class SimulatedAccount {
public:
    explicit SimulatedAccount(const AllocationCost& cost) : cost_(cost) {}

    // Memory of one resource.
    void take(std::uint64_t bytes) { unprepared_ns_ += reserve(bytes); }

    void take_chunk(std::uint64_t bytes) {
        reserve(bytes);
        ++frame_chunks_;
    }

    void give_back(std::uint64_t bytes) {
        reserved_ -= bytes;
        --allocations_;
        const double cost = cost_.free_ns(bytes);
        frame_ns_ += cost;
        unprepared_ns_ += cost;
    }

    void end_frame(std::uint64_t used_bytes, bool counts) {
        if (counts) {
            figures_.worst_frame_ns = std::max(figures_.worst_frame_ns, frame_ns_);
            frame_sum_ns_ += frame_ns_;
            figures_.worst_unprepared_ns = std::max(figures_.worst_unprepared_ns, unprepared_ns_);
            unprepared_sum_ns_ += unprepared_ns_;
            figures_.most_new_chunks = std::max(figures_.most_new_chunks, frame_chunks_);
            reserved_sum_ += static_cast<double>(reserved_);
            used_sum_ += static_cast<double>(used_bytes);
            ++samples_;
        }
        frame_ns_ = 0;
        unprepared_ns_ = 0;
        frame_chunks_ = 0;
    }

    [[nodiscard]] SimulatedFigures take_figures() {
        figures_.worst_frame_ns = std::max(figures_.worst_frame_ns, dearest_ns_);
        if (samples_ != 0) {
            figures_.mean_reserved_bytes = reserved_sum_ / static_cast<double>(samples_);
            figures_.mean_used_bytes = used_sum_ / static_cast<double>(samples_);
            figures_.mean_frame_ns = frame_sum_ns_ / static_cast<double>(samples_);
            figures_.mean_unprepared_ns = unprepared_sum_ns_ / static_cast<double>(samples_);
        }
        return figures_;
    }

private:
    double reserve(std::uint64_t bytes) {
        reserved_ += bytes;
        figures_.peak_reserved_bytes = std::max(figures_.peak_reserved_bytes, reserved_);
        figures_.peak_allocations = std::max(figures_.peak_allocations, ++allocations_);
        ++figures_.allocation_calls;
        const double cost = cost_.allocate_ns(bytes);
        frame_ns_ += cost;
        dearest_ns_ = std::max(dearest_ns_, cost);
        return cost;
    }

    const AllocationCost& cost_;
    std::uint64_t reserved_ = 0;
    std::uint64_t allocations_ = 0;
    std::uint64_t samples_ = 0;
    std::uint64_t frame_chunks_ = 0;
    double frame_ns_ = 0;
    double frame_sum_ns_ = 0;
    double dearest_ns_ = 0;
    double unprepared_ns_ = 0;  // in this frame, without the chunks that it takes
    double unprepared_sum_ns_ = 0;
    double reserved_sum_ = 0;
    double used_sum_ = 0;
    SimulatedFigures figures_;
};

}  // namespace heapwright::policy
