#include "policy/descriptors.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

#include "model/claims.hpp"
#include "model/documented_heaps.hpp"

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

using model::claim;
using model::ClaimId;

namespace {

constexpr std::string_view kHeapGroup = "ID3D12Device::CreateDescriptorHeap";

// Sampler objects that stay free for the static samplers of pipelines: four stages of 16, what a shader may have on the
// least hardware of Direct3D 12. Half of the objects where the device has fewer than twice as many.
constexpr std::uint64_t kStaticSamplers = 64;

using Names = std::initializer_list<model::FactName>;

// The smallest of those that the device states and that are not zero: zero says that the type is left out.
DescriptorLimit least_of(const Context& context, Names names) {
    DescriptorLimit limit;
    for (const model::FactName name : names) {
        const auto found = find_limit(context, name);
        if (!found || found->value == 0) continue;
        if (limit.count && *limit.count <= found->value) continue;
        limit.count = found->value;
        limit.inputs = {found->input};
        limit.reason = claim<ClaimId::kBoundByLimit>(name.text(), model::count(found->value));
    }
    return limit;
}

void hold_to(DescriptorLimit& limit, std::uint64_t count, model::Claim reason, const model::DecisionInput& input) {
    if (limit.count && *limit.count <= count) return;
    limit = {.count = count, .reason = std::move(reason), .inputs = {input}};
}

// What the specification allows is planned with, not what one driver happens to take: a policy ships to runtimes that
// keep to it (a native driver refuses a larger heap; vkd3d, which the report may come from, lets it pass), and a shader
// that reads beyond has no defined result. The size that could be created decides where it is the smaller one.
DescriptorLimit d3d12_limit(const Context& context, model::FactName heap, Names stated, std::uint64_t documented) {
    DescriptorLimit limit = least_of(context, stated);
    if (!limit.count) {
        limit.count = documented;
        limit.reason = claim<ClaimId::kHeapDocumented>(model::count(documented));
    }
    const auto created = find_limit(context, heap, kHeapGroup);
    if (!created) return limit;
    if (created->value > *limit.count) {
        limit.reason += claim<ClaimId::kCreatedIsNoPromise>(model::count(created->value));
        limit.inputs.push_back(created->input);
    }
    hold_to(limit, created->value, claim<ClaimId::kLargestCreated>(heap.text(), model::count(created->value)),
            created->input);
    return limit;
}

std::optional<bool> has_feature(const Context& context, model::FactName name) {
    const model::Fact* fact = find_fact(context.device.features, name);
    if (fact == nullptr) return std::nullopt;
    return fact->value != 0;
}

// Which limits hold for a large heap: those of update-after-bind pools, unless descriptors lie in a descriptor buffer,
// whose layouts are plain ones, or the device leaves update-after-bind out.
bool is_updated_after_bind(const Context& context, Names limits) {
    if (has_feature(context, "descriptorBuffer").value_or(false)) return false;
    for (const model::FactName feature :
         Names{"descriptorBindingSampledImageUpdateAfterBind", "descriptorBindingStorageImageUpdateAfterBind",
               "descriptorBindingStorageBufferUpdateAfterBind"}) {
        if (!has_feature(context, feature).value_or(true)) return false;
    }
    return std::ranges::any_of(limits, [&](model::FactName name) {
        const auto limit = find_limit(context, name);
        return limit && limit->value != 0;
    });
}

// The heap as one large set or buffer; without a count where nothing states one.
DescriptorLimit large_heap_limit(const Context& context) {
    const Names updated{
        "maxDescriptorSetUpdateAfterBindSampledImages",       "maxDescriptorSetUpdateAfterBindStorageBuffers",
        "maxDescriptorSetUpdateAfterBindStorageImages",       "maxPerStageDescriptorUpdateAfterBindSampledImages",
        "maxPerStageDescriptorUpdateAfterBindStorageBuffers", "maxPerStageDescriptorUpdateAfterBindStorageImages"};
    const Names plain{"maxDescriptorSetSampledImages",       "maxDescriptorSetStorageBuffers",
                      "maxDescriptorSetStorageImages",       "maxPerStageDescriptorSampledImages",
                      "maxPerStageDescriptorStorageBuffers", "maxPerStageDescriptorStorageImages"};
    const bool after_bind = is_updated_after_bind(context, updated);
    DescriptorLimit limit = least_of(context, after_bind ? updated : plain);
    // Without mutable descriptors a heap is an array for each type, and every array counts.
    const std::uint64_t arrays = has_feature(context, "mutableDescriptorType").value_or(false) ? 1 : 4;
    const Names updated_sums{"maxPerStageUpdateAfterBindResources", "maxUpdateAfterBindDescriptorsInAllPools"};
    const Names plain_sums{"maxPerStageResources"};
    for (const model::FactName name : after_bind ? updated_sums : plain_sums) {
        const auto found = find_limit(context, name);
        if (!found || found->value == 0) continue;
        const auto stated = model::count(found->value);
        hold_to(limit, found->value / arrays,
                arrays == 1 ? claim<ClaimId::kBoundByLimit>(name.text(), stated)
                            : claim<ClaimId::kBoundByArrays>(name.text(), stated, model::count(arrays)),
                found->input);
    }
    return limit;
}

// A device without large arrays of descriptors has a set for each table, from pools, which no such limit binds.
bool has_large_heap(const Context& context) {
    constexpr std::uint64_t kLeastHeap = 1024;
    for (const model::FactName feature : Names{"runtimeDescriptorArray", "descriptorBindingVariableDescriptorCount",
                                               "descriptorBindingPartiallyBound"}) {
        if (!has_feature(context, feature).value_or(true)) return false;
    }
    return large_heap_limit(context).count.value_or(kLeastHeap) >= kLeastHeap;
}

}  // namespace

DescriptorLimit resource_descriptor_limit(const Context& context) {
    if (context.device.identity.api == model::Api::kD3d12)
        return d3d12_limit(context, "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", {"MaxViewDescriptorHeapSize"},
                           model::kDocumentedVisibleViews);
    if (!has_large_heap(context))
        return {.count = std::nullopt, .reason = claim<ClaimId::kTablesAreSets>(), .inputs = {}};
    DescriptorLimit limit = large_heap_limit(context);
    if (!limit.count) limit.reason = claim<ClaimId::kNoDescriptorLimit>();
    return limit;
}

DescriptorLimit sampler_descriptor_limit(const Context& context) {
    // A heap larger than the second serves no root signature that has static samplers.
    if (context.device.identity.api == model::Api::kD3d12)
        return d3d12_limit(context, "D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER",
                           {"MaxSamplerDescriptorHeapSize", "MaxSamplerDescriptorHeapSizeWithStaticSamplers"},
                           model::kDocumentedVisibleSamplers);
    const Names updated{"maxDescriptorSetUpdateAfterBindSamplers", "maxPerStageDescriptorUpdateAfterBindSamplers"};
    const Names plain{"maxDescriptorSetSamplers", "maxPerStageDescriptorSamplers"};
    DescriptorLimit limit;
    if (has_large_heap(context)) limit = least_of(context, is_updated_after_bind(context, updated) ? updated : plain);
    // Each descriptor may be of a sampler of its own: more of them than objects are room that nothing fills.
    if (const auto objects = find_limit(context, "maxSamplerAllocationCount"); objects && objects->value != 0) {
        const std::uint64_t kept = std::min(kStaticSamplers, objects->value / 2);
        hold_to(limit, objects->value - kept,
                claim<ClaimId::kSamplersKept>(model::count(objects->value), model::count(kept)), objects->input);
    }
    if (!limit.count) limit.reason = claim<ClaimId::kNoSamplerLimit>();
    return limit;
}

}  // namespace heapwright::policy
