#include "heapwright/policy/optimise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "heapwright/policy/type_optimiser.hpp"

namespace heapwright::policy {
namespace {

void warn_of_long_frames(const Context& context, const OptimisedBuckets& chosen, std::vector<std::string>& warnings) {
    const auto budget = static_cast<double>(context.workload.frame_budget_ns);
    if (chosen.worst_frame_ns <= budget) return;
    warnings.push_back(fmt::format(
        "if the worst frames of all buckets fell together, one frame would spend {:.0f} us on device memory, more than "
        "its {:.0f} us; chunks that were prepared ahead spare it what they cost",
        chosen.worst_frame_ns / 1e3, budget / 1e3));
}

}  // namespace

OptimisedBuckets optimise_buckets(const Context& context, const OptimiseInputs& inputs,
                                  std::vector<std::string>& warnings) {
    const std::size_t source_buckets = make_buckets(context, inputs.buckets, warnings).size();
    const std::vector<HeapRoom> rooms = find_room(inputs.buckets, inputs.heaps);
    std::set<std::uint32_t> types;
    double workload_bytes = 0;
    for (const PlacedDemand& entry : inputs.buckets.placed) {
        if (!is_ordinary(*entry.demand, inputs.buckets)) continue;
        types.insert(entry.memory_type);
        workload_bytes += entry.demand->held_bytes();
    }
    const double all_units = churning_units(inputs.buckets.placed);
    OptimisedBuckets result;
    for (const std::uint32_t type : types) {
        optimise_type(context, inputs,
                      {.memory_type = type,
                       .all_units = all_units,
                       .workload_bytes = workload_bytes,
                       .frame_parts = std::max<std::uint64_t>(kFrameBudgetParts, source_buckets),
                       .room = rooms[context.device.memory_types[type].heap_index]},
                      result);
    }
    warn_of_long_frames(context, result, warnings);
    return result;
}

OptimisedBuckets source_buckets(const Context& context, const OptimiseInputs& inputs,
                                std::vector<std::string>& warnings) {
    OptimisedBuckets result;
    result.buckets = make_buckets(context, inputs.buckets, warnings);
    for (Bucket& bucket : result.buckets) {
        bucket.policy.chunk_choice.value = model::ChunkChoice::kFullest;
        bucket.policy.chunk_choice.why.reason = "the emptier chunks drain and can be given back";
        result.plans.push_back(plan_chunk(context, bucket, inputs.heaps[bucket.heap], inputs.largest));
    }
    return result;
}

void share_classes(model::Decided<bool>& separate, const std::string& why) {
    separate.value = false;
    separate.why.reason +=
        "; where they share chunks, all are placed in multiples of bufferImageGranularity, and " + why;
    separate.why.alternatives = {{.value = "true", .reason = "more is wasted by chunks that are not full: " + why}};
}

void fit_to_chunks(std::vector<Bucket>& buckets) {
    for (Bucket& bucket : buckets) {
        const std::uint64_t chunk = bucket.policy.chunk_size_bytes.value;
        auto& threshold = bucket.policy.dedicated_threshold_bytes;
        if (threshold && threshold->value > chunk) {
            threshold->why.alternatives.push_back(
                {.value = std::to_string(threshold->value), .reason = "more than the chunk, which shrank for others"});
            threshold->why.reason += fmt::format("; held down to the chunk's {} bytes", chunk);
            threshold->value = chunk;
        }
        auto& growth = bucket.policy.growth;
        if (growth && growth->first_chunk_bytes.value >= chunk) growth.reset();
    }
}

}  // namespace heapwright::policy
