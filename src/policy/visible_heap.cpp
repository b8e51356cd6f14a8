#include "heapwright/policy/descriptors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/model/documented_heaps.hpp"
#include "heapwright/policy/descriptor_limits.hpp"

namespace heapwright::policy {
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
    chunk.why.reason = fmt::format(
        "{} a frame over {}, {} chunks each: {}; room for {} draws of {}; as a power of two "
        "{}, {} the bounds {} and {}",
        counted(rule.per_frame, "dynamic descriptor"), counted(contexts, "context"), kChunksPerFrame, share,
        kDrawsInChunk, rule.per_draw, wanted, chunk.value == wanted ? "within" : "held to", rule.least, rule.most);
    chunk.why.inputs = {context.cite_workload(rule.hint, std::to_string(rule.per_frame)),
                        context.cite_workload("/bindings/recording_contexts", std::to_string(contexts))};
    chunk.why.alternatives = {
        {.value = std::to_string(std::max<std::uint64_t>(1, chunk.value / 4)),
         .reason = "four times as many requests under the heap's lock"},
        {.value = std::to_string(chunk.value * 4),
         .reason =
             fmt::format("up to {} descriptors that the last chunks of the contexts leave unused in every frame in "
                         "flight",
                         chunk.value * 4 * contexts)}};
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
                                     std::vector<std::string>& warnings) {
    const std::uint64_t frames = frames_in_flight + 1;
    const std::uint64_t contexts = std::max<std::uint64_t>(1, context.workload.bindings.recording_contexts);
    const std::uint64_t chunk = rule.chunk.value;
    const std::uint64_t used = frames * (rule.per_frame + contexts * chunk);
    // Chunks have three quarters of the part.
    const std::uint64_t dynamic = align_up(div_ceil(used * 4, 3), 64);
    const std::uint64_t fixed = align_up(std::max(rule.kept + rule.kept / 4, rule.least), 64);
    const std::uint64_t wanted = fixed + dynamic;
    const std::uint64_t most = rule.limit.count.value_or(rule.documented);
    const std::string source = rule.limit.count
                                   ? rule.limit.reason
                                   : fmt::format("{}; the documented {} stands in", rule.limit.reason, rule.documented);

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
    if (is_short) {
        warnings.push_back(
            fmt::format("the workload would use {}, the device allows {}: "
                        "both parts of the heap are smaller than asked for",
                        counted(wanted, fmt::format("shader-visible {} descriptor", rule.what)), most));
    }

    const auto kept_input = context.cite_workload(rule.static_hint, std::to_string(rule.kept));
    const auto frame_input = context.cite_workload(rule.dynamic_hint, std::to_string(rule.per_frame));
    const auto contexts_input = context.cite_workload("/bindings/recording_contexts", std::to_string(contexts));
    const auto flight_input =
        context.cite_workload("/frames_in_flight", std::to_string(context.workload.frames_in_flight));
    policy.capacity.why.reason = fmt::format("{} static and {} dynamic descriptors are {}; {} {} ({})", fixed, dynamic,
                                             wanted, is_short ? "held down to" : "within", most, source);
    policy.capacity.why.inputs = {kept_input, frame_input, contexts_input, flight_input};
    policy.capacity.why.inputs.insert(policy.capacity.why.inputs.end(), rule.limit.inputs.begin(),
                                      rule.limit.inputs.end());
    policy.capacity.why.alternatives = {
        {.value = std::to_string(most), .reason = "all that one heap may hold: device memory that nothing uses"}};
    policy.dynamic_capacity.why.reason = fmt::format(
        "{} frames ({} in flight and the one that is recorded) of {}, and a chunk of {} more for "
        "{}: {}; chunks have three quarters of the part, larger requests the rest: {}{}",
        frames, frames_in_flight, counted(rule.per_frame, "dynamic descriptor"), chunk,
        each_counted(contexts, "the", "context"), used, dynamic,
        is_short ? fmt::format("; {} where the heap is too small ({})", policy.dynamic_capacity.value, source) : "");
    policy.dynamic_capacity.why.inputs = {frame_input, contexts_input, flight_input};
    if (is_short) {
        policy.dynamic_capacity.why.inputs.push_back(kept_input);
        policy.dynamic_capacity.why.inputs.insert(policy.dynamic_capacity.why.inputs.end(), rule.limit.inputs.begin(),
                                                  rule.limit.inputs.end());
    }
    policy.dynamic_capacity.why.alternatives = {
        {.value = std::to_string(policy.dynamic_capacity.value / 2),
         .reason = "half of it: a context finds no chunk while the frames in flight still hold theirs"}};
    return policy;
}

}  // namespace

model::VisibleHeapPolicy decide_resource_heap(const Context& context, std::uint64_t frames_in_flight,
                                              std::vector<std::string>& warnings) {
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
                                             std::vector<std::string>& warnings) {
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
