#include "whatif/account.hpp"

#include <algorithm>
#include <bit>

namespace heapwright::whatif {
namespace {

using model::WhatIfColumn;

// The sign, the exponent and seven bits of the mantissa.
std::uint16_t step_of(double nanoseconds) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(nanoseconds)) >> 16);
}
double longest_of(std::uint16_t step) {
    return static_cast<double>(std::bit_cast<float>(std::uint32_t{step} << 16 | 0xFFFFu));
}

double p99_of(const Stretch& frames) {
    std::uint64_t left = (frames.frames * 99 + 99) / 100;
    for (const auto& [step, count] : frames.times) {
        if (count >= left) return step == 0 ? 0 : std::min(longest_of(step), frames.worst_ns);
        left -= count;
    }
    return frames.worst_ns;
}

}  // namespace

void Stretch::add(const FrameFigures& frame) {
    ++frames;
    const auto reserved = static_cast<double>(frame.reserved_bytes);
    const auto used = static_cast<double>(frame.used_bytes);
    reserved_sum += reserved;
    used_sum += used;
    if (reserved > most_at_end && used > 0) {
        most_at_end = reserved;
        used_at_most = used;
    }
    most_reserved_bytes = std::max(most_reserved_bytes, frame.most_reserved_bytes);
    most_allocations = std::max(most_allocations, frame.most_allocations);
    worst_ns = std::max(worst_ns, frame.own_ns);
    allocating_ns += frame.own_ns + frame.background_ns;
    allocations += frame.allocations;
    missed_types += frame.missed_types;
    failed_requests += frame.failed_requests;
    ++times[step_of(frame.own_ns)];
}

void Stretch::add(const Stretch& other) {
    frames += other.frames;
    reserved_sum += other.reserved_sum;
    used_sum += other.used_sum;
    if (other.most_at_end > most_at_end) {
        most_at_end = other.most_at_end;
        used_at_most = other.used_at_most;
    }
    most_reserved_bytes = std::max(most_reserved_bytes, other.most_reserved_bytes);
    most_allocations = std::max(most_allocations, other.most_allocations);
    worst_ns = std::max(worst_ns, other.worst_ns);
    allocating_ns += other.allocating_ns;
    allocations += other.allocations;
    missed_types += other.missed_types;
    failed_requests += other.failed_requests;
    for (const auto& [step, count] : other.times) times[step] += count;
}

void Account::add(const FrameFigures& frame) {
    if (frame.is_load) {
        load_.add(frame);
        return;
    }
    if (stretches_.empty() || stretches_.back().frames == frames_per_stretch_) {
        if (stretches_.size() == kMostStretches) {
            for (std::size_t i = 0; i < kMostStretches / 2; ++i) {
                Stretch pair = std::move(stretches_[2 * i]);
                pair.add(stretches_[2 * i + 1]);
                stretches_[i] = std::move(pair);
            }
            stretches_.resize(kMostStretches / 2);
            frames_per_stretch_ *= 2;
        }
        stretches_.emplace_back();
    }
    stretches_.back().add(frame);
}

Figures Account::figures() const {
    Stretch frames;
    for (const Stretch& stretch : stretches_) frames.add(stretch);
    return figures_of(load_, frames);
}

Figures figures_of(const Stretch& load, const Stretch& frames) {
    Stretch all = load;
    all.add(frames);
    Figures figures;
    const auto set = [&](WhatIfColumn column, double value) { figures[static_cast<std::size_t>(column)] = value; };
    set(WhatIfColumn::kPeakReserved, static_cast<double>(all.most_reserved_bytes));
    if (all.used_sum > 0) set(WhatIfColumn::kMeanWaste, all.reserved_sum / all.used_sum - 1);
    // Of one frame both are the same.
    if (all.used_at_most > 0 && all.frames > 1) set(WhatIfColumn::kPeakWaste, all.most_at_end / all.used_at_most - 1);
    set(WhatIfColumn::kDeviceAllocations, static_cast<double>(all.most_allocations));
    set(WhatIfColumn::kAllocating, all.allocating_ns);
    set(WhatIfColumn::kMissedTypes, static_cast<double>(all.missed_types));
    set(WhatIfColumn::kFailedRequests, static_cast<double>(all.failed_requests));
    if (frames.frames == 0) return figures;
    set(WhatIfColumn::kWorstFrame, frames.worst_ns);
    set(WhatIfColumn::kP99Frame, p99_of(frames));
    set(WhatIfColumn::kLateAllocations, static_cast<double>(frames.allocations));
    return figures;
}

}  // namespace heapwright::whatif
