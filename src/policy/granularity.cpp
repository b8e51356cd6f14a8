#include "heapwright/policy/granularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kSmallestGranule = 16;
constexpr std::uint64_t kGuaranteedAtomSize = 256;

std::uint64_t power_of_two(std::uint64_t value) {
    constexpr std::uint64_t kLargestPower = 1ull << 63;
    return std::bit_ceil(std::clamp<std::uint64_t>(value, 1, kLargestPower));
}

std::uint64_t atom_size(const Context& context) {
    const auto atom = find_limit(context, "nonCoherentAtomSize");
    return power_of_two(atom ? atom->value : kGuaranteedAtomSize);
}

bool needs_flush(const model::MemoryType& type) {
    namespace property = model::memory_property;
    return (type.property_flags & property::kHostVisible) != 0 && (type.property_flags & property::kHostCoherent) == 0;
}

// The smallest granule in which a resource of the workload would be placed; every granule is a power of two.
std::uint64_t smallest_granule(const Context& context, std::span<const PlacedDemand> placed) {
    std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
    for (const PlacedDemand& entry : placed) {
        smallest =
            std::min(smallest, granule_of(context, entry.demand->requirements.alignment_bytes, entry.memory_type));
    }
    return smallest;
}

}  // namespace

model::Decided<bool> decide_separation(const Context& context, std::span<const PlacedDemand> placed,
                                       std::vector<std::string>& warnings) {
    const auto limit = find_limit(context, "bufferImageGranularity");
    model::Decided<bool> decided;
    if (!limit && context.device.identity.api == model::Api::kD3d12) {
        decided.value = false;
        decided.why.reason =
            "Direct3D 12 has no buffer-image granularity; resource heap tier 1 keeps classes apart by memory type";
        decided.why.alternatives.push_back({.value = "true", .reason = "more buckets for no conflict"});
        return decided;
    }
    const std::uint64_t granularity = limit ? limit->value : kGuaranteedGranularity;
    if (limit) {
        decided.why.inputs.push_back(limit->input);
    } else {
        warnings.push_back(
            fmt::format("bufferImageGranularity is missing from the report: buffers and images are kept apart as if it "
                        "were {}, the "
                        "most that the specification allows",
                        granularity));
    }
    const std::uint64_t granule = smallest_granule(context, placed);
    if (granularity <= 1) {
        decided.value = false;
        decided.why.reason =
            fmt::format("bufferImageGranularity is {}: linear and optimal resources may touch", granularity);
        decided.why.alternatives.push_back({.value = "true", .reason = "more buckets for no conflict"});
    } else if (!placed.empty() && granule >= granularity) {
        decided.value = false;
        decided.why.reason = fmt::format(
            "bufferImageGranularity is {}, and every resource of the workload is placed in multiples of {} bytes or "
            "more, so that no two can meet on one page",
            granularity, granule);
        decided.why.alternatives.push_back({.value = "true", .reason = "more buckets for no conflict"});
    } else {
        decided.value = true;
        decided.why.reason = fmt::format(
            "{} {}, and resources are placed in multiples of as little as {} bytes: a buffer and an image side by side "
            "could meet on one page",
            limit ? "bufferImageGranularity is" : "bufferImageGranularity is not reported and may be up to",
            granularity, placed.empty() ? kSmallestGranule : granule);
        decided.why.alternatives.push_back(
            {.value = "false",
             .reason = fmt::format("every resource would have to be padded to {} bytes on both sides", granularity)});
    }
    return decided;
}

std::uint64_t granule_of(const Context& context, std::uint64_t alignment_bytes, std::uint32_t memory_type) {
    const std::uint64_t granule = std::max(power_of_two(alignment_bytes), kSmallestGranule);
    return needs_flush(context.device.memory_types[memory_type]) ? std::max(granule, atom_size(context)) : granule;
}

model::Decided<std::uint64_t> decide_granule(const Context& context, const GranuleInputs& inputs) {
    const bool alike = inputs.smallest_alignment_bytes == inputs.alignment_bytes;
    model::Decided<std::uint64_t> decided;
    decided.value = granule_of(context, inputs.smallest_alignment_bytes, inputs.memory_type);
    decided.why.reason =
        alike ? fmt::format(
                    "the bucket's alignment S = {}, at least {}: every offset in the chunk is aligned, and no "
                    "small block breaks up the free space between larger ones",
                    inputs.alignment_bytes, kSmallestGranule)
              : fmt::format(
                    "the smallest alignment of the resources that share the bucket, {}, at least {}; those "
                    "that need more, up to S = {}, get it at their own place",
                    inputs.smallest_alignment_bytes, kSmallestGranule, inputs.alignment_bytes);
    if (inputs.mixes_classes) {
        const auto limit = find_limit(context, "bufferImageGranularity");
        const std::uint64_t granularity = power_of_two(limit ? limit->value : kGuaranteedGranularity);
        if (limit) decided.why.inputs.push_back(limit->input);
        decided.value = std::max(decided.value, granularity);
        decided.why.reason += fmt::format(
            "; linear and optimal resources share the bucket, so not less than bufferImageGranularity {}{}: no two of "
            "them meet on one page",
            granularity, limit ? "" : " (not reported; the most that the specification allows)");
    }
    if (needs_flush(context.device.memory_types[inputs.memory_type])) {
        const auto atom = find_limit(context, "nonCoherentAtomSize");
        if (atom) decided.why.inputs.push_back(atom->input);
        decided.why.reason += fmt::format(
            "; the memory type is not coherent, so not less than nonCoherentAtomSize {}{}: a flush leaves "
            "the neighbours alone",
            atom ? atom->value : atom_size(context), atom ? "" : " (the most that the specification allows)");
    }
    if (decided.value > kSmallestGranule) {
        decided.why.alternatives.push_back(
            {.value = std::to_string(kSmallestGranule),
             .reason = "less rounding, but free ranges then start at offsets that no resource of this bucket can use"});
    }
    return decided;
}

}  // namespace heapwright::policy
