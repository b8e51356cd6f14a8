#include "heapwright/policy/largest_resource.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/policy/dedicated_rule.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint32_t kDefaultLargestSide = 4096;
constexpr std::uint64_t kSourceFigure = 64'000'000;

SizedResource default_largest(const Context& context) {
    static const model::ImageHint hint{};  // RGBA8, optimal, sampled
    const ImageSizer sizer(context, hint);
    if (auto sized = sizer.size(kDefaultLargestSide, kDefaultLargestSide)) return *sized;
    const std::uint64_t texels = std::uint64_t{kDefaultLargestSide} * kDefaultLargestSide;
    return {.requirements = {.size_bytes = 4 * texels},
            .source = SizeSource::kAssumed,
            .evidence = context.cite_device("/image_sweep/cases", "no answer for a 4096x4096 RGBA8 image")};
}

}  // namespace

LargestOrdinary decide_largest_ordinary(const Context& context, std::span<const PlacedDemand> placed,
                                        model::DedicatedRule rule) {
    const SizedResource limit = default_largest(context);
    const std::uint64_t limit_bytes = limit.requirements.size_bytes;
    const Demand* largest = nullptr;
    const Demand* beyond = nullptr;
    for (const PlacedDemand& entry : placed) {
        const Demand& demand = *entry.demand;
        if (is_dedicated(demand.requirements, rule)) continue;
        const Demand*& slot = demand.requirements.size_bytes <= limit_bytes ? largest : beyond;
        if (slot == nullptr || demand.requirements.size_bytes > slot->requirements.size_bytes) slot = &demand;
    }

    LargestOrdinary result{.bytes = {}, .deciding_inputs = {}, .bound_bytes = limit_bytes};
    model::Decided<std::uint64_t>& decided = result.bytes;
    const std::string limit_text =
        fmt::format("a 4096x4096 RGBA8 image, which takes {} bytes here{}", limit_bytes,
                    limit.source == SizeSource::kExact ? "" : " (not the driver's own answer)");
    if (largest == nullptr) {
        decided.value = limit_bytes;
        result.deciding_inputs = {limit.evidence};
        decided.why.inputs = result.deciding_inputs;
        decided.why.reason = fmt::format("the workload has no ordinary resource up to the default: {}", limit_text);
    } else {
        decided.value = largest->requirements.size_bytes;
        decided.why.reason = fmt::format(
            "the largest ordinary resource of the workload is {} with {} bytes ({}); the default bound is {}",
            largest->what, decided.value, largest->evidence.value, limit_text);
        result.deciding_inputs = largest->hint_inputs;
        result.deciding_inputs.push_back(largest->evidence);
        decided.why.inputs = result.deciding_inputs;
        if (limit.evidence.path != largest->evidence.path) decided.why.inputs.push_back(limit.evidence);
        if (limit_bytes > decided.value) {
            decided.why.alternatives.push_back(
                {.value = std::to_string(limit_bytes),
                 .reason = "the default bound: larger than anything ordinary that this workload asks for"});
        }
    }
    if (beyond != nullptr) {
        decided.why.alternatives.push_back(
            {.value = std::to_string(beyond->requirements.size_bytes),
             .reason =
                 fmt::format("{} is above the default bound: as a humongous resource it gets an allocation of its "
                             "own, and chunks need not grow for it",
                             beyond->what)});
    }
    decided.why.alternatives.push_back(
        {.value = std::to_string(kSourceFigure),
         .reason = fmt::format("the source's figure for a 4096x4096 RGBA8 image, which it cannot hold ({} bytes)",
                               limit_bytes)});
    return result;
}

}  // namespace heapwright::policy
