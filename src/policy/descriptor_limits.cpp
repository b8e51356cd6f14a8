#include "policy/descriptor_limits.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "model/claims.hpp"
#include "model/documented_heaps.hpp"

namespace heapwright::policy {

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
