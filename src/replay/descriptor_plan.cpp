#include "replay/descriptor_plan.hpp"

#include <algorithm>
#include <string_view>

namespace heapwright::replay {
namespace {

// A probe states what a device has; a feature or limit that it leaves out belongs to an extension that is not there.
class Facts {
public:
    explicit Facts(const model::DeviceReport& report) : report_(report) {}

    [[nodiscard]] bool has(std::string_view feature) const { return report_.feature(model::FactName::made(feature)); }
    [[nodiscard]] std::uint64_t limit(std::string_view name) const {
        return report_.limit(model::FactName::made(name)).value_or(0);
    }
    [[nodiscard]] std::uint64_t least(std::string_view stage, std::string_view set) const {
        return std::min(limit(stage), limit(set));
    }

private:
    const model::DeviceReport& report_;
};

device::DescriptorAbilities stated_abilities(const Facts& facts) {
    device::DescriptorAbilities abilities;
    abilities.descriptor_buffer = facts.has("descriptorBuffer") && facts.has("bufferDeviceAddress");
    abilities.mutable_descriptors = facts.has("mutableDescriptorType");
    abilities.runtime_arrays = facts.has("runtimeDescriptorArray");
    abilities.variable_counts = facts.has("descriptorBindingVariableDescriptorCount");
    abilities.partially_bound = facts.has("descriptorBindingPartiallyBound");
    abilities.updates_while_pending = facts.has("descriptorBindingUpdateUnusedWhilePending");
    abilities.indexed_uniform_buffers = facts.has("shaderUniformBufferArrayDynamicIndexing");
    abilities.indexed_storage_buffers = facts.has("shaderStorageBufferArrayDynamicIndexing");
    abilities.indexed_sampled_images = facts.has("shaderSampledImageArrayDynamicIndexing");
    abilities.updated_uniform_buffers = facts.has("descriptorBindingUniformBufferUpdateAfterBind");
    abilities.updated_storage_buffers = facts.has("descriptorBindingStorageBufferUpdateAfterBind");
    abilities.updated_sampled_images = facts.has("descriptorBindingSampledImageUpdateAfterBind");
    abilities.updated_storage_images = facts.has("descriptorBindingStorageImageUpdateAfterBind");
    abilities.plain = {
        .samplers = facts.least("maxPerStageDescriptorSamplers", "maxDescriptorSetSamplers"),
        .uniform_buffers = facts.least("maxPerStageDescriptorUniformBuffers", "maxDescriptorSetUniformBuffers"),
        .storage_buffers = facts.least("maxPerStageDescriptorStorageBuffers", "maxDescriptorSetStorageBuffers"),
        .sampled_images = facts.least("maxPerStageDescriptorSampledImages", "maxDescriptorSetSampledImages"),
        .storage_images = facts.least("maxPerStageDescriptorStorageImages", "maxDescriptorSetStorageImages"),
        .resources = facts.limit("maxPerStageResources")};
    abilities.updated = {.samplers = facts.least("maxPerStageDescriptorUpdateAfterBindSamplers",
                                                 "maxDescriptorSetUpdateAfterBindSamplers"),
                         .uniform_buffers = facts.least("maxPerStageDescriptorUpdateAfterBindUniformBuffers",
                                                        "maxDescriptorSetUpdateAfterBindUniformBuffers"),
                         .storage_buffers = facts.least("maxPerStageDescriptorUpdateAfterBindStorageBuffers",
                                                        "maxDescriptorSetUpdateAfterBindStorageBuffers"),
                         .sampled_images = facts.least("maxPerStageDescriptorUpdateAfterBindSampledImages",
                                                       "maxDescriptorSetUpdateAfterBindSampledImages"),
                         .storage_images = facts.least("maxPerStageDescriptorUpdateAfterBindStorageImages",
                                                       "maxDescriptorSetUpdateAfterBindStorageImages"),
                         .resources = facts.limit("maxPerStageUpdateAfterBindResources")};
    abilities.updated_in_all_pools = facts.limit("maxUpdateAfterBindDescriptorsInAllPools");
    abilities.resource_range_bytes =
        facts.least("maxResourceDescriptorBufferRange", "resourceDescriptorBufferAddressSpaceSize");
    abilities.sampler_range_bytes =
        facts.least("maxSamplerDescriptorBufferRange", "samplerDescriptorBufferAddressSpaceSize");
    abilities.uniform_buffer_bytes = facts.limit("uniformBufferDescriptorSize");
    abilities.storage_buffer_bytes = facts.limit("storageBufferDescriptorSize");
    abilities.sampled_image_bytes = facts.limit("sampledImageDescriptorSize");
    abilities.storage_image_bytes = facts.limit("storageImageDescriptorSize");
    abilities.sampler_bytes = facts.limit("samplerDescriptorSize");
    abilities.live_samplers = facts.limit("maxSamplerAllocationCount");
    return abilities;
}

bool says_enough(const model::DeviceReport& report) {
    if (report.identity.api != model::Api::kVulkan) return false;
    const bool says_arrays = std::ranges::any_of(
        report.features, [](const model::Fact& fact) { return fact.name == "runtimeDescriptorArray"; });
    return says_arrays || (report.origin == model::ReportOrigin::kProbe && !report.features.empty());
}

}  // namespace

std::optional<device::DescriptorPlan> stated_descriptor_plan(const model::DeviceReport& report) {
    if (!says_enough(report)) return std::nullopt;
    auto plan = device::plan_descriptors(stated_abilities(Facts(report)), std::nullopt);
    if (!plan) return std::nullopt;
    return std::move(*plan);
}

}  // namespace heapwright::replay
