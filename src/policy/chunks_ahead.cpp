#include "policy/chunks_ahead.hpp"

#include <algorithm>
#include <cmath>

#include "contract/feasibility.hpp"
#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/allocation_cost.hpp"

namespace heapwright::policy {

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

}  // namespace heapwright::policy
