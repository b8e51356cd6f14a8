// What a policy promises of its workload: which figures there are, their units and the words for them. A validation
// puts beside each what happened. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heapwright/model/policy.hpp"

namespace heapwright::model {

enum class PromiseKind : std::uint8_t {
    kMeanWaste,
    kPeakWaste,
    kDeviceAllocations,
    kP99FrameNs,
    kWorstFrameNs,
    kWorstLoadNs,
    kLateChunks,
    kPeakReservedBytes,  // of a heap
};

struct PromiseName {
    PromiseKind kind = PromiseKind::kMeanWaste;
    std::optional<std::uint32_t> heap = {};  // of kPeakReservedBytes alone

    bool operator==(const PromiseName&) const = default;
};

// kLoose: better than the interval says, which fails no run; a promise that loose says too little.
enum class PromiseVerdict : std::uint8_t { kKept, kBroken, kNotTested, kLoose };

struct Promise {
    PromiseName name;
    double predicted = 0;
    std::optional<double> measured;  // empty: not measured
    // The measured figures that keep it. Empty `least`: an older validation, which knew no loose promise.
    std::optional<double> least;
    double most = 0;
    std::string tolerance;  // how they follow from the prediction: "twice the spread of 16 seeds"
    PromiseVerdict verdict = PromiseVerdict::kNotTested;
    // Why it was not tested, or kept all the same (by a play before, by the driver's own slowest call); else empty.
    std::string reason;
};

// As in documents: "mean_waste", "peak_reserved_bytes/0".
[[nodiscard]] std::string text_of(const PromiseName& name);
// "Waste", "Worst frame", "Reserved at most, heap 0".
[[nodiscard]] std::string label_of(const PromiseName& name);

[[nodiscard]] Unit unit_of(PromiseKind kind);
// Of bytes and counts the nearest whole number.
[[nodiscard]] Figure figure_of(const Promise& promise, double value);
// Its words: "11.4%", "6.429 ms", "1.5 GiB", "12".
[[nodiscard]] std::string figure_text(const Promise& promise, double value);
// What keeps it: "3.1% to 6.1%"; without a least figure "at most 6.1%".
[[nodiscard]] std::string bounds_text(const Promise& promise);

// Every figure that `expected`, const or not, has: visit(name, decided, interval). In the order of PromiseKind.
template <class Expected, class Visit>
void for_each_promise(Expected& expected, Visit&& visit) {
    const auto where_there = [&](PromiseKind kind, auto& decided, auto& interval) {
        if (decided) visit(PromiseName{kind}, *decided, interval);
    };
    visit(PromiseName{PromiseKind::kMeanWaste}, expected.mean_waste, expected.mean_waste_interval);
    where_there(PromiseKind::kPeakWaste, expected.peak_waste, expected.peak_waste_interval);
    visit(PromiseName{PromiseKind::kDeviceAllocations}, expected.device_allocations,
          expected.device_allocations_interval);
    where_there(PromiseKind::kP99FrameNs, expected.p99_frame_ns, expected.p99_frame_ns_interval);
    where_there(PromiseKind::kWorstFrameNs, expected.worst_frame_ns, expected.worst_frame_ns_interval);
    where_there(PromiseKind::kWorstLoadNs, expected.worst_load_ns, expected.worst_load_ns_interval);
    where_there(PromiseKind::kLateChunks, expected.late_chunks, expected.late_chunks_interval);
    for (auto& heap : expected.heaps)
        visit(PromiseName{PromiseKind::kPeakReservedBytes, heap.heap}, heap.peak_reserved_bytes,
              heap.peak_reserved_bytes_interval);
}

}  // namespace heapwright::model
