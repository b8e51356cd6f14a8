#include "heapwright/model/promise.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/checked.hpp"
#include "heapwright/model/claim_text.hpp"
#include "model/names.hpp"

namespace heapwright::model {

std::string text_of(const PromiseName& name) {
    std::string text(name_of(name.kind));
    if (name.heap) text += fmt::format("/{}", *name.heap);
    return text;
}

std::string label_of(const PromiseName& name) {
    switch (name.kind) {
        case PromiseKind::kMeanWaste: return "Waste";
        case PromiseKind::kPeakWaste: return "Waste at the peak";
        case PromiseKind::kDeviceAllocations: return "Device allocations";
        case PromiseKind::kP99FrameNs: return "99 frames of 100";
        case PromiseKind::kWorstFrameNs: return "Worst frame";
        case PromiseKind::kWorstLoadNs: return "Worst of the load";
        case PromiseKind::kLateChunks: return "Late chunks";
        case PromiseKind::kPeakReservedBytes: return fmt::format("Reserved at most, heap {}", name.heap.value_or(0));
    }
    return {};
}

Unit unit_of(PromiseKind kind) {
    switch (kind) {
        case PromiseKind::kMeanWaste:
        case PromiseKind::kPeakWaste: return Unit::kShare;
        case PromiseKind::kP99FrameNs:
        case PromiseKind::kWorstFrameNs:
        case PromiseKind::kWorstLoadNs: return Unit::kNanoseconds;
        case PromiseKind::kPeakReservedBytes: return Unit::kBytes;
        case PromiseKind::kDeviceAllocations:
        case PromiseKind::kLateChunks: break;
    }
    return Unit::kCount;
}

Figure figure_of(const Promise& promise, double value) {
    const Unit unit = unit_of(promise.name.kind);
    if (unit == Unit::kShare || unit == Unit::kNanoseconds) return {unit, value};
    return {unit, saturating_bytes(std::round(value))};
}

std::string figure_text(const Promise& promise, double value) {
    return text_of(figure_of(promise, value));
}

std::string bounds_text(const Promise& promise) {
    const std::string most = figure_text(promise, promise.most);
    return promise.least ? fmt::format("{} to {}", figure_text(promise, *promise.least), most) : "at most " + most;
}

}  // namespace heapwright::model
