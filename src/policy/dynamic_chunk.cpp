#include "heapwright/policy/dynamic_chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kChunksPerFrame = 16;  // of one context
constexpr std::uint64_t kDrawsInChunk = 4;

struct ChunkRule {
    const char* hint;
    std::uint64_t per_frame = 0;
    std::uint64_t per_draw = 1;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

model::Decided<std::uint64_t> decide_chunk(const Context& context, const ChunkRule& rule) {
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

}  // namespace

model::Decided<std::uint64_t> decide_resource_chunk(const Context& context) {
    const model::BindingHint& hint = context.workload.bindings;
    return decide_chunk(context, {.hint = "/bindings/dynamic_descriptors_per_frame",
                                  .per_frame = hint.dynamic_descriptors_per_frame,
                                  .per_draw = hint.dynamic_descriptors_per_draw,
                                  .least = 16,
                                  .most = 4096});
}

model::Decided<std::uint64_t> decide_sampler_chunk(const Context& context) {
    return decide_chunk(context, {.hint = "/bindings/dynamic_samplers_per_frame",
                                  .per_frame = context.workload.bindings.dynamic_samplers_per_frame,
                                  .per_draw = 1,
                                  .least = 8,
                                  .most = 64});
}

}  // namespace heapwright::policy
