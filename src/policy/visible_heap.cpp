#include "policy/descriptors.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/checked.hpp"
#include "model/claims.hpp"
#include "model/documented_heaps.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint64_t kLeastSamplerStatic = 64;
constexpr std::uint64_t kChunksPerFrame = 16;  // of one context
constexpr std::uint64_t kDrawsInChunk = 4;

struct DynamicChunkRule {
    const char* hint;
    std::uint64_t per_frame = 0;
    std::uint64_t per_draw = 1;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

model::Decided<std::uint64_t> decide_dynamic_chunk(const Context& context, const DynamicChunkRule& rule) {
    const std::uint64_t contexts = std::max<std::uint64_t>(1, context.workload.bindings.recording_contexts);
    const std::uint64_t share = rule.per_frame / contexts / kChunksPerFrame;
    const std::uint64_t wanted = std::bit_ceil(std::max<std::uint64_t>({share, rule.per_draw * kDrawsInChunk, 1}));
    model::Decided<std::uint64_t> chunk;
    chunk.value = std::clamp(wanted, rule.least, rule.most);
    const auto per_frame = model::count(rule.per_frame);
    const auto least = model::count(rule.least);
    const auto most = model::count(rule.most);
    chunk.why.reason =
        std::vector{claim<ClaimId::kDynamicChunk>(model::count(kChunksPerFrame), model::count(kDrawsInChunk)),
                    claim<ClaimId::kDynamicChunkShare>(per_frame, model::count(contexts), model::count(share),
                                                       model::count(rule.per_draw)),
                    chunk.value == wanted ? claim<ClaimId::kPowerWithin>(model::count(wanted), least, most)
                                          : claim<ClaimId::kPowerHeld>(model::count(wanted), least, most)};
    chunk.why.inputs = {context.cite_workload(rule.hint, per_frame),
                        context.cite_workload("/bindings/recording_contexts", model::count(contexts))};
    chunk.why.alternatives = {
        {.value = model::count(std::max<std::uint64_t>(1, chunk.value / 4)),
         .reason = claim<ClaimId::kSmallerDynamicChunkLost>()},
        {.value = model::count(chunk.value * 4),
         .reason = claim<ClaimId::kLargerDynamicChunkLost>(model::count(chunk.value * 4 * contexts))}};
    return chunk;
}

struct HeapRule {
    const char* what;
    const char* static_hint;
    const char* dynamic_hint;
    std::uint64_t kept = 0;
    std::uint64_t per_frame = 0;
    std::uint64_t least = 0;
    std::uint64_t documented = 0;  // Direct3D 12's, where the device states none
    DescriptorLimit limit;
    model::Decided<std::uint64_t> chunk;
};

model::VisibleHeapPolicy decide_heap(const Context& context, std::uint64_t frames_in_flight, HeapRule rule,
                                     model::Statement& warnings) {
    const std::uint64_t frames = frames_in_flight + 1;
    const std::uint64_t contexts = std::max<std::uint64_t>(1, context.workload.bindings.recording_contexts);
    const std::uint64_t chunk = rule.chunk.value;
    const std::uint64_t used = frames * (rule.per_frame + contexts * chunk);
    // Chunks have three quarters of the part.
    const std::uint64_t dynamic = align_up(div_ceil(used * 4, 3), 64);
    const std::uint64_t fixed = align_up(std::max(rule.kept + rule.kept / 4, rule.least), 64);
    const std::uint64_t wanted = fixed + dynamic;
    const std::uint64_t most = rule.limit.count.value_or(rule.documented);
    model::Statement source = rule.limit.reason;
    if (!rule.limit.count) source += claim<ClaimId::kDocumentedStandsIn>(model::count(rule.documented));

    model::VisibleHeapPolicy policy;
    policy.dynamic_chunk = std::move(rule.chunk);
    policy.capacity.value = std::max<std::uint64_t>(2, std::min(wanted, most));
    const bool is_short = wanted > most;
    policy.dynamic_capacity.value =
        is_short ? std::clamp<std::uint64_t>(
                       static_cast<std::uint64_t>(static_cast<double>(policy.capacity.value) *
                                                  (static_cast<double>(dynamic) / static_cast<double>(wanted))),
                       1, policy.capacity.value - 1)
                 : dynamic;
    policy.dynamic_chunk.value = std::min(policy.dynamic_chunk.value, policy.dynamic_capacity.value);
    if (is_short) warnings += claim<ClaimId::kVisibleHeapShort>(rule.what, model::count(wanted), model::count(most));

    const auto kept_input = context.cite_workload(rule.static_hint, model::count(rule.kept));
    const auto frame_input = context.cite_workload(rule.dynamic_hint, model::count(rule.per_frame));
    const auto contexts_input = context.cite_workload("/bindings/recording_contexts", model::count(contexts));
    const auto flight_input =
        context.cite_workload("/frames_in_flight", model::count(context.workload.frames_in_flight));
    const auto fixed_part = model::count(fixed);
    const auto dynamic_part = model::count(dynamic);
    policy.capacity.why.reason =
        is_short
            ? claim<ClaimId::kVisibleHeapHeld>(model::count(most), fixed_part, dynamic_part, model::count(wanted))
            : claim<ClaimId::kVisibleHeapWithin>(fixed_part, dynamic_part, model::count(wanted), model::count(most));
    const model::Statement dynamic_use =
        std::vector{claim<ClaimId::kDynamicPart>(model::count(frames), model::count(frames_in_flight)),
                    claim<ClaimId::kDynamicPartUse>(model::count(rule.per_frame), model::count(chunk),
                                                    model::count(contexts), model::count(used)),
                    claim<ClaimId::kDynamicPartChunks>(dynamic_part)};
    policy.capacity.why.reason +=
        claim<ClaimId::kStaticPart>(model::count(rule.kept), model::count(rule.least), fixed_part);
    policy.capacity.why.reason += dynamic_use;
    policy.capacity.why.reason += source;
    policy.capacity.why.inputs = {kept_input, frame_input, contexts_input, flight_input};
    policy.capacity.why.inputs.insert(policy.capacity.why.inputs.end(), rule.limit.inputs.begin(),
                                      rule.limit.inputs.end());
    policy.capacity.why.alternatives = {
        {.value = model::count(most), .reason = claim<ClaimId::kWholeVisibleHeapLost>()}};
    policy.dynamic_capacity.why.reason = dynamic_use;
    policy.dynamic_capacity.why.inputs = {frame_input, contexts_input, flight_input};
    if (is_short) {
        policy.dynamic_capacity.why.reason +=
            claim<ClaimId::kDynamicPartShort>(model::count(policy.dynamic_capacity.value));
        policy.dynamic_capacity.why.reason += source;
        policy.dynamic_capacity.why.inputs.push_back(kept_input);
        policy.dynamic_capacity.why.inputs.insert(policy.dynamic_capacity.why.inputs.end(), rule.limit.inputs.begin(),
                                                  rule.limit.inputs.end());
    }
    policy.dynamic_capacity.why.alternatives = {
        {.value = model::count(policy.dynamic_capacity.value / 2), .reason = claim<ClaimId::kHalfDynamicPartLost>()}};
    return policy;
}

}  // namespace

model::VisibleHeapPolicy decide_resource_heap(const Context& context, std::uint64_t frames_in_flight,
                                              model::Statement& warnings) {
    const model::BindingHint& hint = context.workload.bindings;
    auto chunk = decide_dynamic_chunk(context, {.hint = "/bindings/dynamic_descriptors_per_frame",
                                                .per_frame = hint.dynamic_descriptors_per_frame,
                                                .per_draw = hint.dynamic_descriptors_per_draw,
                                                .least = 16,
                                                .most = 4096});
    return decide_heap(context, frames_in_flight,
                       {.what = "CBV_SRV_UAV",
                        .static_hint = "/bindings/static_descriptors",
                        .dynamic_hint = "/bindings/dynamic_descriptors_per_frame",
                        .kept = hint.static_descriptors,
                        .per_frame = hint.dynamic_descriptors_per_frame,
                        .least = 1024,
                        .documented = model::kDocumentedVisibleViews,
                        .limit = resource_descriptor_limit(context),
                        .chunk = std::move(chunk)},
                       warnings);
}

model::VisibleHeapPolicy decide_sampler_heap(const Context& context, std::uint64_t frames_in_flight,
                                             model::Statement& warnings) {
    const model::BindingHint& hint = context.workload.bindings;
    auto chunk = decide_dynamic_chunk(context, {.hint = "/bindings/dynamic_samplers_per_frame",
                                                .per_frame = hint.dynamic_samplers_per_frame,
                                                .per_draw = 1,
                                                .least = 8,
                                                .most = 64});
    return decide_heap(context, frames_in_flight,
                       {.what = "sampler",
                        .static_hint = "/bindings/static_samplers_visible",
                        .dynamic_hint = "/bindings/dynamic_samplers_per_frame",
                        .kept = hint.static_samplers_visible,
                        .per_frame = hint.dynamic_samplers_per_frame,
                        .least = kLeastSamplerStatic,
                        .documented = model::kDocumentedVisibleSamplers,
                        .limit = sampler_descriptor_limit(context),
                        .chunk = std::move(chunk)},
                       warnings);
}

}  // namespace heapwright::policy
