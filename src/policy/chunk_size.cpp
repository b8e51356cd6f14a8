#include "heapwright/policy/chunk_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/heap_budget.hpp"

namespace heapwright::policy {
namespace {

// A small heap is divided into at least this many chunks.
constexpr std::uint64_t kFewestChunks = 8;

// At most a sixteenth of the size, so that rounding costs little.
std::uint64_t rounding_unit(std::uint64_t size, std::uint64_t granule) {
    return std::max(granule, std::min(kMiB, std::bit_floor(std::max<std::uint64_t>(1, size / 16))));
}

void add_inputs(std::vector<model::DecisionInput>& inputs, const std::vector<model::DecisionInput>& more) {
    for (const model::DecisionInput& input : more) {
        const bool known = std::any_of(inputs.begin(), inputs.end(), [&input](const model::DecisionInput& other) {
            return other.document == input.document && other.path == input.path;
        });
        if (!known) inputs.push_back(input);
    }
}

}  // namespace

ChunkPlan plan_chunk(const Context& context, const Bucket& bucket, const model::HeapPolicy& heap,
                     const LargestOrdinary& largest) {
    const std::uint64_t largest_bytes = largest.bytes.value;
    // A chunk's end is as aligned as its largest alignment asks for.
    const std::uint64_t granule = std::max(bucket.policy.granule_bytes.value, bucket.policy.alignment_bytes);
    const std::uint64_t usable = heap.usable_bytes.value;
    const std::uint64_t part = heap.size_bytes / std::max<std::uint64_t>(1, heap.parts.value);
    const auto limit = find_limit(context, "maxMemoryAllocationSize");

    ChunkPlan plan;
    plan.smallest_bytes = bucket.largest_bytes;
    plan.seed_bytes = std::max(largest_bytes, part);
    plan.unit_bytes = rounding_unit(plan.seed_bytes, granule);
    const std::uint64_t rounded = checked_align_up(plan.seed_bytes, plan.unit_bytes)
                                      .value_or(align_down(std::numeric_limits<std::uint64_t>::max(), plan.unit_bytes));
    const std::uint64_t eighth = align_down(usable / kFewestChunks, granule);
    std::uint64_t value = std::min(rounded, eighth);
    if (limit) value = std::min(value, align_down(limit->value, granule));
    plan.value_bytes = std::max(value, plan.smallest_bytes);

    std::vector<model::DecisionInput>& inputs = plan.why.inputs;
    inputs.push_back(
        context.cite_device(fmt::format("/heaps/{}/size_bytes", heap.heap), std::to_string(heap.size_bytes)));
    add_inputs(inputs, heap.usable_bytes.why.inputs);
    if (heap.parts.value != kDefaultParts) add_inputs(inputs, heap.parts.why.inputs);
    add_inputs(inputs, largest.deciding_inputs);
    if (limit) inputs.push_back(limit->input);
    add_inputs(inputs, {bucket.largest->evidence});

    plan.why.reason =
        fmt::format("max(M, H / K) = max({}, {} / {} = {}) = {}, rounded up to {} (a multiple of {})", largest_bytes,
                    heap.size_bytes, heap.parts.value, part, plan.seed_bytes, rounded, plan.unit_bytes);
    plan.why.reason += fmt::format("; {} an eighth of heap {}'s {} usable bytes, {}",
                                   rounded > eighth ? "held down to" : "within", heap.heap, usable, eighth);
    plan.why.reason +=
        limit ? fmt::format("; {} maxMemoryAllocationSize {}",
                            limit->value < std::min(rounded, eighth) ? "held down to" : "within", limit->value)
              : std::string("; maxMemoryAllocationSize is not reported");
    plan.why.reason +=
        fmt::format("; {} the {} bytes of the bucket's largest resource, {}",
                    plan.value_bytes > value ? "raised to" : "not below", plan.smallest_bytes, bucket.largest->what);

    if (plan.seed_bytes != plan.value_bytes) {
        plan.why.alternatives.push_back(
            {.value = std::to_string(plan.seed_bytes),
             .reason = fmt::format("the source's max(M, H / K) as it stands, with M = {}, H = {} and K = {}",
                                   largest_bytes, heap.size_bytes, heap.parts.value)});
    }
    plan.why.alternatives.push_back(
        part > largest_bytes
            ? model::Alternative{.value = std::to_string(largest_bytes),
                                 .reason = fmt::format(
                                     "M alone: {} to fill the heap instead of {}",
                                     counted(heap.size_bytes / std::max<std::uint64_t>(1, largest_bytes), "chunk"),
                                     heap.parts.value)}
            : model::Alternative{
                  .value = std::to_string(part),
                  .reason = fmt::format("H / K alone: cannot hold the largest ordinary resource of {} bytes",
                                        largest_bytes)});
    return plan;
}

}  // namespace heapwright::policy
