#include "policy/bucket_settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/allocation_cost.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr model::FactName kFeature = "memoryPriority";

constexpr std::array kLevels{0.0, 0.5, 1.0};  // copied once, read by the device, written by it

std::size_t level_of(const Demand& demand) {
    if (demand.use == model::MemoryUse::kUpload || demand.use == model::MemoryUse::kReadback) return 0;
    return demand.device_writes ? 2 : 1;
}

std::optional<model::DecisionInput> find_support(const Context& context) {
    const model::Fact* fact = find_fact(context.device.features, kFeature);
    if (fact == nullptr || fact->value == 0) return std::nullopt;
    return context.cite_device(fmt::format("/features/{}/{}", fact->group, fact->name), model::count(fact->value));
}

bool may_hold(const model::BucketPolicy& bucket, const PlacedDemand& entry) {
    return bucket.memory_type == entry.memory_type &&
           std::ranges::find(bucket.resource_classes, entry.demand->resource_class) != bucket.resource_classes.end();
}

// The bucket of its class and type with the smallest alignment that is not below its own, else with the largest.
const Bucket* bucket_of(const std::vector<Bucket>& buckets, const PlacedDemand& entry) {
    const std::uint64_t alignment = entry.demand->requirements.alignment_bytes;
    const Bucket* best = nullptr;
    for (const Bucket& bucket : buckets) {
        if (!may_hold(bucket.policy, entry)) continue;
        const auto is_nearer = [&] {
            const std::uint64_t one = bucket.policy.alignment_bytes;
            const std::uint64_t other = best->policy.alignment_bytes;
            return one >= alignment ? other < alignment || one < other : other < alignment && one > other;
        };
        if (best == nullptr || is_nearer()) best = &bucket;
    }
    return best;
}

model::Decided<double> decide(const model::DecisionInput& support, const Demand& urgent) {
    const std::size_t level = level_of(urgent);
    model::Decided<double> decided;
    decided.value = kLevels[level];
    decided.why.reason = std::array{claim<ClaimId::kPriorityCopies>(), claim<ClaimId::kPriorityReads>(),
                                    claim<ClaimId::kPriorityWrites>()}[level];
    decided.why.reason += claim<ClaimId::kPriorityMostUrgent>(urgent.what);
    decided.why.inputs.push_back(support);
    const std::array too_low{claim<ClaimId::kPriorityNotOnlyCopies>(), claim<ClaimId::kPriorityNotOnlyReads>()};
    const std::array too_high{claim<ClaimId::kPriorityNoReads>(), claim<ClaimId::kPriorityNoWrites>()};
    for (std::size_t other = 0; other < kLevels.size(); ++other) {
        if (other == level) continue;
        decided.why.alternatives.push_back(
            {.value = model::number(kLevels[other]), .reason = other < level ? too_low[other] : too_high[other - 1]});
    }
    return decided;
}

}  // namespace

void decide_priorities(const Context& context, std::span<const PlacedDemand> placed, std::vector<Bucket>& buckets,
                       model::Statement& warnings) {
    const auto support = find_support(context);
    if (!support) {
        if (buckets.empty()) return;
        warnings += context.device.identity.api == model::Api::kD3d12 ? claim<ClaimId::kWarnNoResidencyPriority>()
                                                                      : claim<ClaimId::kWarnNoMemoryPriority>();
        return;
    }
    for (Bucket& bucket : buckets) {
        const Demand* urgent = bucket.largest;
        for (const PlacedDemand& entry : placed) {
            if (bucket_of(buckets, entry) != &bucket) continue;
            if (urgent == nullptr || level_of(*entry.demand) > level_of(*urgent)) urgent = entry.demand;
        }
        if (urgent != nullptr) bucket.policy.priority = decide(*support, *urgent);
    }
}

using model::claim;
using model::ClaimId;

namespace {

constexpr double kCheapParts = 100;             // of the frame budget
constexpr std::uint64_t kAllocationParts = 16;  // of the device allocations

class BucketRule {
public:
    BucketRule(const Context& context, const Bucket& bucket)
        : context_(context), bucket_(bucket), cost_(context, bucket.policy.memory_type) {}

    [[nodiscard]] model::Decided<std::uint64_t> decide(std::uint64_t most_new_chunks, std::uint64_t max_chunks,
                                                       const model::HeapPolicy& heap,
                                                       const contract::RoomAhead& room) const {
        const model::Figure chunk = model::bytes(chunk_bytes());
        const model::Figure takes = model::nanoseconds(chunk_ns());
        const auto budget_ns = static_cast<double>(context_.workload.frame_budget_ns);
        const model::Figure budget = model::nanoseconds(budget_ns);
        const model::Figure cheap_parts = model::number(kCheapParts);
        model::Decided<std::uint64_t> decided;
        if (most_new_chunks == 0) {
            decided.why.reason = claim<ClaimId::kAheadNone>();
            decided.why.alternatives.push_back(
                {.value = model::count(1), .reason = claim<ClaimId::kAheadNoneLost>(chunk)});
            return decided;
        }
        decided.why.inputs.push_back(context_.cite_workload("/frame_budget_ns", budget));
        if (!cost_.is_measured()) {
            decided.why.reason =
                claim<ClaimId::kAheadUnmeasured>(model::count(bucket_.policy.memory_type), chunk, budget);
            decided.why.alternatives.push_back(
                {.value = model::count(1), .reason = claim<ClaimId::kAheadUnmeasuredLost>(chunk)});
            return decided;
        }
        for (model::DecisionInput& input : cost_.evidence(chunk_bytes()))
            decided.why.inputs.push_back(std::move(input));
        if (chunk_ns() * kCheapParts <= budget_ns) {
            decided.why.reason = claim<ClaimId::kAheadCheap>(chunk, takes, cheap_parts, budget);
            add_cost(decided.why.reason);
            decided.why.alternatives.push_back(
                {.value = model::count(1), .reason = claim<ClaimId::kAheadCheapLost>(chunk, takes)});
            return decided;
        }
        const std::uint64_t frames = frames_to_prepare(most_new_chunks);
        const std::uint64_t wanted = checked_mul(most_new_chunks, frames).value_or(max_chunks);
        const std::uint64_t fitting = std::min(room.chunks(bucket_.policy), max_chunks / kAllocationParts);
        decided.value = std::min(wanted, fitting);
        const bool has_room = decided.value == wanted;
        decided.why.reason = has_room
                                 ? claim<ClaimId::kAheadEnough>(model::count(most_new_chunks), model::count(frames))
                                 : claim<ClaimId::kAheadHeldDown>(model::count(most_new_chunks), model::count(frames),
                                                                  model::count(wanted));
        decided.why.reason += claim<ClaimId::kAheadDear>(chunk, takes, cheap_parts, budget);
        add_cost(decided.why.reason);
        decided.why.reason += claim<ClaimId::kAheadRoom>(model::count(heap.heap), model::bytes(room.bytes()),
                                                         model::bytes(heap.usable_bytes.value));
        decided.why.reason +=
            claim<ClaimId::kAheadAllocations>(model::count(kAllocationParts), model::count(max_chunks));
        for (const model::DecisionInput& input : heap.usable_bytes.why.inputs) add_input(decided.why, input);
        if (decided.value != 0) {
            decided.why.alternatives.push_back(
                {.value = model::count(0), .reason = claim<ClaimId::kAheadWaits>(takes)});
        }
        const model::Figure bytes = model::bytes(checked_mul(wanted, chunk_bytes()).value_or(~0ull));
        decided.why.alternatives.push_back(
            {.value = model::count(has_room ? wanted * 2 : wanted),
             .reason = has_room ? claim<ClaimId::kAheadMoreLost>(bytes) : claim<ClaimId::kAheadNoRoomLost>(bytes)});
        return decided;
    }

private:
    [[nodiscard]] std::uint64_t chunk_bytes() const { return bucket_.policy.chunk_size_bytes.value; }
    [[nodiscard]] double chunk_ns() const { return cost_.allocate_ns(chunk_bytes()); }

    void add_cost(model::Statement& reason) const {
        reason += cost_.source();
        reason += cost_.nearest_point(chunk_bytes());
    }

    [[nodiscard]] std::uint64_t frames_to_prepare(std::uint64_t chunks) const {
        const double frames =
            std::ceil(static_cast<double>(chunks) * chunk_ns() /
                      static_cast<double>(std::max<std::uint64_t>(1, context_.workload.frame_budget_ns)));
        return std::max<std::uint64_t>(1, saturating_bytes(frames));
    }

    static void add_input(model::Decision& why, const model::DecisionInput& input) {
        const bool known = std::ranges::any_of(why.inputs, [&](const model::DecisionInput& other) {
            return other.document == input.document && other.path == input.path;
        });
        if (!known) why.inputs.push_back(input);
    }

    const Context& context_;
    const Bucket& bucket_;
    AllocationCost cost_;
};

}  // namespace

void decide_chunks_ahead(const Context& context, const model::DevicePolicy& policy, std::vector<Bucket>& buckets) {
    std::vector<contract::RoomAhead> rooms;
    for (const model::HeapPolicy& heap : policy.heaps) rooms.emplace_back(heap, policy.feasibility);
    for (Bucket& bucket : buckets) {
        contract::RoomAhead& room = rooms[bucket.heap];
        bucket.policy.chunks_ahead =
            BucketRule(context, bucket)
                .decide(bucket.most_new_chunks, policy.max_chunks.value, policy.heaps[bucket.heap], room);
        room.take(bucket.policy.chunks_ahead->value, bucket.policy);
    }
}

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
