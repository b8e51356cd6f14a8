#include "heapwright/policy/upload_ring.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/upload_rate.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kUnit = 65'536;
constexpr std::uint64_t kLeastPage = 256 * 1024;
constexpr std::uint64_t kHeapParts = 16;
constexpr std::uint64_t kMostAsked = 1ull << 62;  // beyond every heap
constexpr double kFrameShare = 0.1;

}  // namespace

model::UploadPolicy decide_uploads(const Context& context, const model::DevicePolicy& policy,
                                   std::vector<std::string>& warnings) {
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
    if (!has_type) warnings.push_back("no memory type serves uploads: the upload heap cannot be made");

    const auto flight_input =
        context.cite_workload("/frames_in_flight", std::to_string(context.workload.frames_in_flight));
    model::UploadPolicy uploads;
    uploads.ring_bytes.value = std::min(wanted, share);
    uploads.ring_bytes.why.reason = fmt::format(
        "{} frames ({} in flight and the one that is written) of {}: {}; {} a sixteenth of heap {}'s {} usable "
        "bytes, {}",
        frames, frames - 1, rate.text, wanted, wanted > share ? "held down to" : "within", heap, usable, share);
    uploads.ring_bytes.why.inputs = {flight_input};
    uploads.ring_bytes.why.inputs.insert(uploads.ring_bytes.why.inputs.end(), rate.inputs.begin(), rate.inputs.end());
    if (has_type) {
        const auto& usable_inputs = policy.heaps[heap].usable_bytes.why.inputs;
        uploads.ring_bytes.why.inputs.insert(uploads.ring_bytes.why.inputs.end(), usable_inputs.begin(),
                                             usable_inputs.end());
    }
    uploads.ring_bytes.why.alternatives = {
        {.value = std::to_string(rate.bytes_per_frame),
         .reason = "one frame: the host waits for the device in every frame, or takes pages beside the ring"}};

    const AllocationCost cost(context, type);
    const double budget_ns = static_cast<double>(context.workload.frame_budget_ns) * kFrameShare;
    const std::uint64_t most = std::max(kLeastPage, std::min(uploads.ring_bytes.value, share));
    std::uint64_t page = kLeastPage;
    while (page * 2 <= most && has_type && cost.allocate_ns(page * 2) <= budget_ns) page *= 2;
    uploads.page_bytes.value = page;
    const double page_ns = has_type ? cost.allocate_ns(page) : 0.0;
    uploads.page_bytes.why.reason = fmt::format(
        "the largest power of two, from {} to {}, whose allocation ({:.0f} ns {}) stays within a tenth of the frame "
        "budget of {} ns; an upload that is larger (up to {} bytes) gets a page of its own",
        kLeastPage, most, page_ns, cost.source() + cost.evidence_text(page), context.workload.frame_budget_ns,
        hint.largest_bytes);
    uploads.page_bytes.why.inputs = {
        flight_input, context.cite_workload("/frame_budget_ns", std::to_string(context.workload.frame_budget_ns)),
        context.cite_workload("/uploads/largest_bytes", std::to_string(hint.largest_bytes))};
    uploads.page_bytes.why.inputs.insert(uploads.page_bytes.why.inputs.end(), rate.inputs.begin(), rate.inputs.end());
    for (model::DecisionInput& input : cost.evidence(page)) uploads.page_bytes.why.inputs.push_back(std::move(input));
    uploads.page_bytes.why.alternatives = {
        {.value = std::to_string(page * 2),
         .reason = page * 2 > most ? std::string("larger than the ring or the heap's share")
                                   : fmt::format("its allocation takes {:.0f} ns", cost.allocate_ns(page * 2))}};
    return uploads;
}

}  // namespace heapwright::policy
