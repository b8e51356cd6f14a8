#include "heapwright/policy/descriptors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

using model::SuballocatorKind;
using Kind = model::Decided<SuballocatorKind>;

Kind two_level(std::string reason) {
    Kind kind;
    kind.value = SuballocatorKind::kTlsf;
    kind.why.reason = std::move(reason);
    return kind;
}

Kind decide_cpu(const Context& context) {
    const model::BindingHint& hint = context.workload.bindings;
    Kind kind = two_level(fmt::format(
        "{} CBV, SRV and UAV, {} sampler, {} render target and {} kept, alone or as the "
        "row of one resource's views, each until its resource ends: two-level bins find a row in constant time and "
        "take it back in any order",
        hint.static_descriptors, hint.static_samplers_visible, hint.render_target_views,
        counted(hint.depth_stencil_views, "depth stencil descriptor is", "depth stencil descriptors are")));
    kind.why.inputs = {
        context.cite_workload("/bindings/static_descriptors", std::to_string(hint.static_descriptors)),
        context.cite_workload("/bindings/static_samplers_visible", std::to_string(hint.static_samplers_visible)),
        context.cite_workload("/bindings/render_target_views", std::to_string(hint.render_target_views)),
        context.cite_workload("/bindings/depth_stencil_views", std::to_string(hint.depth_stencil_views))};
    kind.why.alternatives = {
        {.value = "slots", .reason = "a slot holds one descriptor: the views of one resource would not lie in a row"},
        {.value = "fixed_blocks", .reason = "best fit searches an ordered set that grows with the number of holes"},
        {.value = "linear",
         .reason = "a page is used again only when everything above in it has ended: one view that stays keeps a page"},
        {.value = "ring",
         .reason = "space comes back oldest first: one view that stays keeps all that were made after it"}};
    return kind;
}

Kind decide_static(const Context& context, const char* hint, std::uint64_t kept) {
    Kind kind =
        two_level(fmt::format("tables of many lengths, {} in all, that end in any order: two-level bins find room in "
                              "constant time under the part's lock and merge neighbours at once",
                              counted(kept, "descriptor")));
    kind.why.inputs = {context.cite_workload(hint, std::to_string(kept))};
    kind.why.alternatives = {
        {.value = "slots",
         .reason = "a table is a row: slots of one descriptor hold none, and slots of the longest leave most of the "
                   "heap unused"},
        {.value = "fixed_blocks", .reason = "best fit searches an ordered set that grows with the number of holes"},
        {.value = "linear",
         .reason = "a table's space comes back only when everything above it has ended: the part runs out while most "
                   "of it is free"},
        {.value = "ring",
         .reason = "space comes back oldest first: one table that stays keeps all that were made after it"}};
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
    kind.why.reason =
        slots_serve ? fmt::format(
                          "{} {} a frame in equal chunks of {}: slots give one out and take "
                          "it back in a few instructions under the lock that they share, in any order, and no hole is "
                          "ever too small; two-level bins divide the quarter for larger requests",
                          counted(contexts, "context takes", "contexts take"), counted(rule.per_frame, "descriptor"),
                          rule.chunk)
                    : fmt::format(
                          "one draw takes {} of the {} that {} in a frame, a chunk holds {}: "
                          "every request is larger than a chunk, and two-level bins find room for any length",
                          rule.per_draw, counted(rule.per_frame, "descriptor"),
                          counted(contexts, "context uses", "contexts use"), rule.chunk);
    kind.why.inputs = {context.cite_workload(rule.hint, std::to_string(rule.per_frame)),
                       context.cite_workload("/bindings/recording_contexts", std::to_string(contexts))};
    if (!slots_serve) {
        kind.why.inputs.push_back(
            context.cite_workload("/bindings/dynamic_descriptors_per_draw", std::to_string(rule.per_draw)));
        kind.why.alternatives.push_back({.value = "slots", .reason = "no request would fit one"});
    } else {
        kind.why.alternatives.push_back(
            {.value = "tlsf", .reason = "bins and merged neighbours buy nothing where all requests are alike"});
    }
    kind.why.alternatives.push_back(
        {.value = "fixed_blocks",
         .reason = slots_serve ? "best fit orders free ranges by their size, and here all have the same"
                               : "best fit searches an ordered set that grows with the number of holes"});
    kind.why.alternatives.push_back(
        {.value = "linear",
         .reason = "starts afresh only when no context holds anything: never, with frames in flight"});
    kind.why.alternatives.push_back(
        {.value = "ring",
         .reason = "space comes back oldest first: a context that records for several frames holds up all others"});
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
