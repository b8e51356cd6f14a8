#include "policy/granularity.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

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
                                       model::Statement& warnings) {
    const auto limit = find_limit(context, "bufferImageGranularity", {}, model::Unit::kBytes);
    model::Decided<bool> decided;
    const model::Alternative apart{.value = "true", .reason = claim<ClaimId::kClassesApartLost>()};
    if (!limit && context.device.identity.api == model::Api::kD3d12) {
        decided.why.reason = claim<ClaimId::kClassesOfHeapTiers>();
        decided.why.alternatives.push_back(apart);
        return decided;
    }
    const std::uint64_t granularity = limit ? limit->value : kGuaranteedGranularity;
    const model::Figure told = model::bytes(granularity);
    if (limit) {
        decided.why.inputs.push_back(limit->input);
    } else {
        warnings += claim<ClaimId::kWarnGranularityUntold>(told);
    }
    const std::uint64_t granule = smallest_granule(context, placed);
    if (granularity <= 1) {
        decided.why.reason = claim<ClaimId::kClassesMayTouch>(told);
        decided.why.alternatives.push_back(apart);
    } else if (!placed.empty() && granule >= granularity) {
        decided.why.reason = claim<ClaimId::kClassesNeverMeet>(told, model::bytes(granule));
        decided.why.alternatives.push_back(apart);
    } else {
        decided.value = true;
        decided.why.reason = claim<ClaimId::kClassesCouldMeet>();
        decided.why.reason += limit ? claim<ClaimId::kBoundByLimit>("bufferImageGranularity", told)
                                    : claim<ClaimId::kGranularityUntold>(told);
        decided.why.reason +=
            claim<ClaimId::kClassesPlacedFinely>(model::bytes(placed.empty() ? kSmallestGranule : granule));
        decided.why.alternatives.push_back({.value = "false", .reason = claim<ClaimId::kClassesPaddedLost>(told)});
    }
    return decided;
}

std::uint64_t granule_of(const Context& context, std::uint64_t alignment_bytes, std::uint32_t memory_type) {
    const std::uint64_t granule = std::max(power_of_two(alignment_bytes), kSmallestGranule);
    return needs_flush(context.device.memory_types[memory_type]) ? std::max(granule, atom_size(context)) : granule;
}

model::Decided<std::uint64_t> decide_granule(const Context& context, const GranuleInputs& inputs) {
    const model::Figure alignment = model::bytes(inputs.alignment_bytes);
    const model::Figure finest = model::bytes(kSmallestGranule);
    model::Decided<std::uint64_t> decided;
    decided.value = granule_of(context, inputs.smallest_alignment_bytes, inputs.memory_type);
    model::Statement of_alignment;
    if (inputs.smallest_alignment_bytes == inputs.alignment_bytes) {
        of_alignment = claim<ClaimId::kGranuleAlike>(alignment, finest);
        of_alignment += claim<ClaimId::kGranuleWhole>();
    } else {
        of_alignment = claim<ClaimId::kGranuleSmallest>(model::bytes(inputs.smallest_alignment_bytes), finest);
        of_alignment += claim<ClaimId::kGranuleOwnPlace>(alignment);
    }
    model::Statement of_device;
    if (inputs.mixes_classes) {
        const auto limit = find_limit(context, "bufferImageGranularity", {}, model::Unit::kBytes);
        const std::uint64_t granularity = power_of_two(limit ? limit->value : kGuaranteedGranularity);
        if (limit) decided.why.inputs.push_back(limit->input);
        decided.value = std::max(decided.value, granularity);
        of_device += limit ? claim<ClaimId::kGranuleMixed>(model::bytes(granularity))
                           : claim<ClaimId::kGranuleMixedUntold>(model::bytes(granularity));
    }
    if (needs_flush(context.device.memory_types[inputs.memory_type])) {
        const auto atom = find_limit(context, "nonCoherentAtomSize", {}, model::Unit::kBytes);
        if (atom) decided.why.inputs.push_back(atom->input);
        of_device += atom ? claim<ClaimId::kGranuleFlush>(model::bytes(atom->value))
                          : claim<ClaimId::kGranuleFlushUntold>(model::bytes(atom_size(context)));
    }
    // What decides stands first.
    const bool is_raised = decided.value > std::max(inputs.smallest_alignment_bytes, kSmallestGranule);
    decided.why.reason = is_raised ? of_device : of_alignment;
    decided.why.reason += is_raised ? of_alignment : of_device;
    if (decided.value > kSmallestGranule)
        decided.why.alternatives.push_back({.value = finest, .reason = claim<ClaimId::kGranuleFinestLost>()});
    return decided;
}

}  // namespace heapwright::policy
