#include "policy/descriptors.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint64_t kPagesInUse = 8;

struct PageRule {
    const char* type;
    const char* hint;  // of the workload
    std::uint64_t kept = 0;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

model::Decided<std::uint64_t> decide_page(const Context& context, const PageRule& rule) {
    const std::uint64_t share = std::max<std::uint64_t>(1, (rule.kept + kPagesInUse - 1) / kPagesInUse);
    const std::uint64_t rounded = std::bit_ceil(share);
    model::Decided<std::uint64_t> page;
    page.value = std::clamp(rounded, rule.least, rule.most);
    const auto least = model::count(rule.least);
    const auto most = model::count(rule.most);
    page.why.reason = claim<ClaimId::kPageEighth>(rule.type, model::count(rule.kept));
    page.why.reason += page.value == rounded ? claim<ClaimId::kPowerWithin>(model::count(rounded), least, most)
                                             : claim<ClaimId::kPowerHeld>(model::count(rounded), least, most);
    page.why.inputs = {context.cite_workload(rule.hint, model::count(rule.kept))};
    page.why.alternatives = {{.value = model::count(std::max<std::uint64_t>(1, page.value / 4)),
                              .reason = claim<ClaimId::kSmallerPageLost>()},
                             {.value = model::count(page.value * 4), .reason = claim<ClaimId::kLargerPageLost>()}};
    return page;
}

void decide_pages(const Context& context, model::DescriptorPolicy& policy) {
    const model::BindingHint& hint = context.workload.bindings;
    policy.cbv_srv_uav_page = decide_page(context, {.type = "CBV_SRV_UAV",
                                                    .hint = "/bindings/static_descriptors",
                                                    .kept = hint.static_descriptors,
                                                    .least = 256,
                                                    .most = 65'536});
    policy.sampler_page = decide_page(context, {.type = "sampler",
                                                .hint = "/bindings/static_samplers_visible",
                                                .kept = hint.static_samplers_visible,
                                                .least = 64,
                                                .most = 2048});
    policy.rtv_page = decide_page(context, {.type = "RTV",
                                            .hint = "/bindings/render_target_views",
                                            .kept = hint.render_target_views,
                                            .least = 32,
                                            .most = 4096});
    policy.dsv_page = decide_page(context, {.type = "DSV",
                                            .hint = "/bindings/depth_stencil_views",
                                            .kept = hint.depth_stencil_views,
                                            .least = 16,
                                            .most = 4096});
}

}  // namespace

model::DescriptorPolicy decide_descriptors(const Context& context, std::uint64_t frames_in_flight,
                                           model::Statement& warnings) {
    model::DescriptorPolicy policy;
    decide_pages(context, policy);
    policy.resources = decide_resource_heap(context, frames_in_flight, warnings);
    policy.samplers = decide_sampler_heap(context, frames_in_flight, warnings);
    decide_descriptor_suballocators(context, policy);
    return policy;
}

namespace {

using model::SuballocatorKind;
using Kind = model::Decided<SuballocatorKind>;

Kind two_level(model::Statement reason) {
    Kind kind;
    kind.value = SuballocatorKind::kTlsf;
    kind.why.reason = std::move(reason);
    return kind;
}

Kind decide_cpu(const Context& context) {
    const model::BindingHint& hint = context.workload.bindings;
    const auto descriptors = model::count(hint.static_descriptors);
    const auto samplers = model::count(hint.static_samplers_visible);
    const auto targets = model::count(hint.render_target_views);
    const auto depths = model::count(hint.depth_stencil_views);
    Kind kind = two_level(
        std::vector{claim<ClaimId::kCpuRows>(), claim<ClaimId::kCpuKept>(descriptors, samplers, targets, depths)});
    kind.why.inputs = {context.cite_workload("/bindings/static_descriptors", descriptors),
                       context.cite_workload("/bindings/static_samplers_visible", samplers),
                       context.cite_workload("/bindings/render_target_views", targets),
                       context.cite_workload("/bindings/depth_stencil_views", depths)};
    kind.why.alternatives = {{.value = "slots", .reason = claim<ClaimId::kSlotsHaveNoRows>()},
                             {.value = "fixed_blocks", .reason = claim<ClaimId::kBestFitSearches>()},
                             {.value = "linear", .reason = claim<ClaimId::kLinearKeepsPages>()},
                             {.value = "ring", .reason = claim<ClaimId::kRingOldestFirst>()}};
    return kind;
}

Kind decide_static(const Context& context, const char* hint, std::uint64_t kept) {
    Kind kind =
        two_level(std::vector{claim<ClaimId::kTablesInBins>(), claim<ClaimId::kTablesKept>(model::count(kept))});
    kind.why.inputs = {context.cite_workload(hint, model::count(kept))};
    kind.why.alternatives = {{.value = "slots", .reason = claim<ClaimId::kSlotsHaveNoTables>()},
                             {.value = "fixed_blocks", .reason = claim<ClaimId::kBestFitSearches>()},
                             {.value = "linear", .reason = claim<ClaimId::kLinearRunsOut>()},
                             {.value = "ring", .reason = claim<ClaimId::kRingOldestFirst>()}};
    return kind;
}

struct DynamicRule {
    const char* hint;  // of what a frame uses
    std::uint64_t per_frame = 0;
    std::uint64_t per_draw = 1;
    std::uint64_t chunk = 0;
};

Kind decide_dynamic(const Context& context, const DynamicRule& rule) {
    const std::uint64_t contexts = std::max<std::uint64_t>(1, context.workload.bindings.recording_contexts);
    const bool slots_serve = rule.per_draw <= rule.chunk;
    Kind kind;
    kind.value = slots_serve ? SuballocatorKind::kSlots : SuballocatorKind::kTlsf;
    const auto per_frame = model::count(rule.per_frame);
    const auto per_draw = model::count(rule.per_draw);
    const auto chunk = model::count(rule.chunk);
    kind.why.inputs = {context.cite_workload(rule.hint, per_frame),
                       context.cite_workload("/bindings/recording_contexts", model::count(contexts))};
    if (slots_serve) {
        kind.why.reason = std::vector{claim<ClaimId::kSlotsForChunks>(),
                                      claim<ClaimId::kFrameInChunks>(per_frame, model::count(contexts), chunk),
                                      claim<ClaimId::kBinsForLarger>()};
        kind.why.alternatives = {{.value = "tlsf", .reason = claim<ClaimId::kBinsForAlikeLost>()},
                                 {.value = "fixed_blocks", .reason = claim<ClaimId::kBestFitForAlikeLost>()}};
    } else {
        kind.why.reason =
            std::vector{claim<ClaimId::kBinsForDraws>(),
                        claim<ClaimId::kDrawAboveChunk>(per_draw, chunk, per_frame, model::count(contexts))};
        kind.why.inputs.push_back(context.cite_workload("/bindings/dynamic_descriptors_per_draw", per_draw));
        kind.why.alternatives = {{.value = "slots", .reason = claim<ClaimId::kNoDrawFitsSlots>()},
                                 {.value = "fixed_blocks", .reason = claim<ClaimId::kBestFitSearches>()}};
    }
    kind.why.alternatives.push_back({.value = "linear", .reason = claim<ClaimId::kLinearNeverAfresh>()});
    kind.why.alternatives.push_back({.value = "ring", .reason = claim<ClaimId::kRingHeldUp>()});
    return kind;
}

}  // namespace

void decide_descriptor_suballocators(const Context& context, model::DescriptorPolicy& policy) {
    const model::BindingHint& hint = context.workload.bindings;
    policy.cpu_suballocator = decide_cpu(context);
    policy.resources.static_suballocator =
        decide_static(context, "/bindings/static_descriptors", hint.static_descriptors);
    policy.resources.dynamic_suballocator = decide_dynamic(context, {.hint = "/bindings/dynamic_descriptors_per_frame",
                                                                     .per_frame = hint.dynamic_descriptors_per_frame,
                                                                     .per_draw = hint.dynamic_descriptors_per_draw,
                                                                     .chunk = policy.resources.dynamic_chunk.value});
    policy.samplers.static_suballocator =
        decide_static(context, "/bindings/static_samplers_visible", hint.static_samplers_visible);
    policy.samplers.dynamic_suballocator = decide_dynamic(context, {.hint = "/bindings/dynamic_samplers_per_frame",
                                                                    .per_frame = hint.dynamic_samplers_per_frame,
                                                                    .chunk = policy.samplers.dynamic_chunk.value});
}

}  // namespace heapwright::policy
