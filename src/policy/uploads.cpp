#include "policy/uploads.hpp"

#include <algorithm>

#include "core/checked.hpp"
#include "model/claims.hpp"
#include "policy/allocation_cost.hpp"
#include "workload/stream.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

model::Decided<std::uint64_t> decide_frames_in_flight(const Context& context) {
    const std::uint64_t asked = context.workload.frames_in_flight;
    const UploadRate uploads = upload_rate(context);
    model::Decided<std::uint64_t> frames;
    frames.value = std::max<std::uint64_t>(1, asked);
    frames.why.reason = claim<ClaimId::kFramesAsked>(model::count(frames.value));
    frames.why.reason += claim<ClaimId::kFrameHolds>(model::bytes(uploads.bytes_per_frame));
    frames.why.reason += uploads.source;
    frames.why.inputs = {context.cite_workload("/frames_in_flight", model::count(asked))};
    frames.why.inputs.insert(frames.why.inputs.end(), uploads.inputs.begin(), uploads.inputs.end());
    if (frames.value > 1) {
        frames.why.alternatives.push_back(
            {.value = model::count(frames.value - 1), .reason = claim<ClaimId::kFewerFramesLost>()});
    }
    frames.why.alternatives.push_back(
        {.value = model::count(frames.value + 1), .reason = claim<ClaimId::kMoreFramesLost>()});
    return frames;
}

namespace {

constexpr std::uint64_t kUnit = 65'536;
constexpr std::uint64_t kLeastPage = 256 * 1024;
constexpr std::uint64_t kHeapParts = 16;
constexpr std::uint64_t kMostAsked = 1ull << 62;  // beyond every heap
constexpr double kFrameShare = 0.1;

}  // namespace

model::UploadPolicy decide_uploads(const Context& context, const model::DevicePolicy& policy,
                                   model::Statement& warnings) {
    const model::UploadHint& hint = context.workload.uploads;
    const UploadRate rate = upload_rate(context);
    const std::uint64_t frames = policy.frames_in_flight.value + 1;
    const auto use = std::ranges::find(policy.memory_uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
    const bool has_type = use != policy.memory_uses.end() && !use->memory_types.value.empty();
    const std::uint32_t type = has_type ? use->memory_types.value.front() : 0;
    const std::uint32_t heap = has_type ? context.device.memory_types[type].heap_index : 0;
    const std::uint64_t usable = has_type ? policy.heaps[heap].usable_bytes.value : 0;
    const std::uint64_t share = std::max(kUnit, align_down(usable / kHeapParts, kUnit));
    const std::uint64_t asked =
        align_up(std::min(checked_mul(frames, rate.bytes_per_frame).value_or(kMostAsked), kMostAsked), kUnit);
    const std::uint64_t wanted = std::max(asked, kLeastPage);
    if (!has_type) warnings += claim<ClaimId::kNoUploadType>();

    const auto flight_input =
        context.cite_workload("/frames_in_flight", model::count(context.workload.frames_in_flight));
    model::UploadPolicy uploads;
    uploads.ring_bytes.value = std::min(wanted, share);
    uploads.ring_bytes.why.reason =
        claim<ClaimId::kUploadRing>(model::count(frames), model::bytes(rate.bytes_per_frame), model::count(frames - 1));
    uploads.ring_bytes.why.reason += rate.source;
    const auto ring = model::bytes(wanted);
    const auto most_ring = model::bytes(share);
    uploads.ring_bytes.why.reason +=
        wanted > share ? claim<ClaimId::kRingHeld>(ring, model::count(heap), model::bytes(usable), most_ring)
                       : claim<ClaimId::kRingWithin>(ring, model::count(heap), model::bytes(usable), most_ring);
    uploads.ring_bytes.why.inputs = {flight_input};
    uploads.ring_bytes.why.inputs.insert(uploads.ring_bytes.why.inputs.end(), rate.inputs.begin(), rate.inputs.end());
    if (has_type) {
        const auto& usable_inputs = policy.heaps[heap].usable_bytes.why.inputs;
        uploads.ring_bytes.why.inputs.insert(uploads.ring_bytes.why.inputs.end(), usable_inputs.begin(),
                                             usable_inputs.end());
    }
    uploads.ring_bytes.why.alternatives = {
        {.value = model::bytes(rate.bytes_per_frame), .reason = claim<ClaimId::kOneFrameRingLost>()}};

    const AllocationCost cost(context, type);
    const auto frame_ns = static_cast<double>(context.workload.frame_budget_ns);
    const std::uint64_t most = std::max(kLeastPage, std::min(uploads.ring_bytes.value, share));
    std::uint64_t page = kLeastPage;
    while (page * 2 <= most && has_type && cost.allocate_ns(page * 2) <= frame_ns * kFrameShare) page *= 2;
    uploads.page_bytes.value = page;
    const double page_ns = has_type ? cost.allocate_ns(page) : 0.0;
    uploads.page_bytes.why.reason = claim<ClaimId::kUploadPage>(model::bytes(kLeastPage), model::bytes(most));
    uploads.page_bytes.why.reason +=
        claim<ClaimId::kUploadPageTakes>(model::nanoseconds(page_ns), model::nanoseconds(frame_ns));
    uploads.page_bytes.why.reason += cost.source();
    uploads.page_bytes.why.reason += cost.nearest_point(page);
    uploads.page_bytes.why.reason += claim<ClaimId::kLargerUploads>(model::bytes(hint.largest_bytes));
    uploads.page_bytes.why.inputs = {flight_input,
                                     context.cite_workload("/frame_budget_ns", model::nanoseconds(frame_ns)),
                                     context.cite_workload("/uploads/largest_bytes", model::bytes(hint.largest_bytes))};
    uploads.page_bytes.why.inputs.insert(uploads.page_bytes.why.inputs.end(), rate.inputs.begin(), rate.inputs.end());
    for (model::DecisionInput& input : cost.evidence(page)) uploads.page_bytes.why.inputs.push_back(std::move(input));
    uploads.page_bytes.why.alternatives = {
        {.value = model::bytes(page * 2),
         .reason = page * 2 > most ? claim<ClaimId::kPageAboveRing>()
                                   : claim<ClaimId::kPageTakesLong>(model::nanoseconds(cost.allocate_ns(page * 2)))}};
    return uploads;
}

UploadRate upload_rate(const Context& context) {
    const std::uint64_t bytes = workload::upload_bytes_per_frame(context.workload);
    if (context.workload.uploads.bytes_per_frame)
        return {bytes, {}, {context.cite_workload("/uploads/bytes_per_frame", model::bytes(bytes))}};
    if (bytes == workload::kLeastUnstatedUploadBytes || bytes == workload::kMostUnstatedUploadBytes)
        return {bytes, claim<ClaimId::kUploadsNotStated>(), {}};
    return {bytes,
            claim<ClaimId::kUploadsRenewed>(),
            {context.cite_workload("/steps_per_frame", model::count(context.workload.steps_per_frame))}};
}

}  // namespace heapwright::policy
