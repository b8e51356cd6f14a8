#include "heapwright/policy/chunks_ahead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heapwright/contract/feasibility.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/allocation_cost.hpp"

namespace heapwright::policy {
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
        model::Decided<std::uint64_t> decided;
        if (most_new_chunks == 0) {
            decided.why.reason = "no frame of the simulated workload takes a new chunk once it is loaded";
            decided.why.alternatives.push_back(
                {.value = "1", .reason = fmt::format("{} bytes would stand by for no frame", chunk_bytes())});
            return decided;
        }
        decided.why.inputs.push_back(context_.cite_workload("/frame_budget_ns", std::to_string(budget_ns())));
        if (!cost_.is_measured()) {
            decided.why.reason = fmt::format(
                "the report has no latency curve of memory type {}, so that nobody knows whether a chunk of {} bytes "
                "that stands by saves any of the frame budget of {} ns",
                bucket_.policy.memory_type, chunk_bytes(), budget_ns());
            decided.why.alternatives.push_back(
                {.value = "1", .reason = fmt::format("{} bytes more for what was not measured", chunk_bytes())});
            return decided;
        }
        for (model::DecisionInput& input : cost_.evidence(chunk_bytes()))
            decided.why.inputs.push_back(std::move(input));
        if (chunk_ns() * kCheapParts <= static_cast<double>(budget_ns())) {
            decided.why.reason = fmt::format(
                "{}, at most a hundredth of the frame budget of {} ns: a frame can bear it", cost_text(), budget_ns());
            decided.why.alternatives.push_back(
                {.value = "1", .reason = fmt::format("{} bytes would stand by to save that", chunk_bytes())});
            return decided;
        }
        const std::uint64_t frames = frames_to_prepare(most_new_chunks);
        const std::uint64_t wanted = checked_mul(most_new_chunks, frames).value_or(max_chunks);
        const std::uint64_t fitting = std::min(room.chunks(bucket_.policy), max_chunks / kAllocationParts);
        decided.value = std::min(wanted, fitting);
        decided.why.reason = fmt::format(
            "{}, more than a hundredth of the frame budget of {} ns; one frame of the simulated workload takes at most "
            "{}, and preparing {} takes {}, so that with {} kept ready no request waits; "
            "{} the {} bytes that heap {} has left for them (a sixteenth of {} usable bytes, beside one chunk for each "
            "bucket) and a sixteenth of {}",
            cost_text(), budget_ns(), counted(most_new_chunks, "new chunk"), most_new_chunks, counted(frames, "frame"),
            wanted, decided.value < wanted ? "held down to" : "within", room.bytes(), heap.heap,
            heap.usable_bytes.value, counted(max_chunks, "device allocation"));
        for (const model::DecisionInput& input : heap.usable_bytes.why.inputs) add_input(decided.why, input);
        if (decided.value != 0) {
            decided.why.alternatives.push_back(
                {.value = "0",
                 .reason =
                     fmt::format("a request that needs a chunk waits {:.1f} us for the device", chunk_ns() / 1e3)});
        }
        const bool has_room = decided.value == wanted;
        decided.why.alternatives.push_back(
            {.value = std::to_string(has_room ? wanted * 2 : wanted),
             .reason = has_room ? fmt::format("{} bytes more stand by, and no frame of this workload needs them",
                                              checked_mul(wanted, chunk_bytes()).value_or(~0ull))
                                : fmt::format("takes {} bytes, more than there is room for",
                                              checked_mul(wanted, chunk_bytes()).value_or(~0ull))});
        return decided;
    }

private:
    [[nodiscard]] std::uint64_t budget_ns() const { return context_.workload.frame_budget_ns; }
    [[nodiscard]] std::uint64_t chunk_bytes() const { return bucket_.policy.chunk_size_bytes.value; }
    [[nodiscard]] double chunk_ns() const { return cost_.allocate_ns(chunk_bytes()); }
    [[nodiscard]] std::string cost_text() const {
        return fmt::format("allocating a chunk of {} bytes takes {:.1f} us {}{}", chunk_bytes(), chunk_ns() / 1e3,
                           cost_.source(), cost_.evidence_text(chunk_bytes()));
    }

    [[nodiscard]] std::uint64_t frames_to_prepare(std::uint64_t chunks) const {
        const double frames = std::ceil(static_cast<double>(chunks) * chunk_ns() /
                                        static_cast<double>(std::max<std::uint64_t>(1, budget_ns())));
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

}  // namespace heapwright::policy
