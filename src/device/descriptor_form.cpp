#include "device/descriptor_form.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace heapwright::device {
namespace {

using Counts = DescriptorAbilities::Counts;

// A large set with fewer descriptors is no heap.
constexpr std::uint64_t kLeastHeap = 1024;

std::string missing_for_arrays(const DescriptorAbilities& device) {
    const struct {
        bool present;
        const char* name;
    } needs[] = {{device.runtime_arrays, "runtimeDescriptorArray"},
                 {device.variable_counts, "descriptorBindingVariableDescriptorCount"},
                 {device.partially_bound, "descriptorBindingPartiallyBound"},
                 {device.indexed_storage_buffers, "shaderStorageBufferArrayDynamicIndexing"},
                 {device.indexed_sampled_images, "shaderSampledImageArrayDynamicIndexing"}};
    std::string missing;
    for (const auto& need : needs) {
        if (!need.present) missing += fmt::format("{}{}", missing.empty() ? "no " : ", ", need.name);
    }
    return missing;
}

// The most that every array of a heap can have: with mutable descriptors one array counts for every type.
std::uint64_t heap_limit(const Counts& counts, bool mutable_descriptors, bool uniform_in_table) {
    const std::uint64_t arrays_of_stage = uniform_in_table ? 2 : 3;
    std::uint64_t limit = std::min({counts.storage_buffers, counts.sampled_images, counts.storage_images});
    if (!uniform_in_table) limit = std::min(limit, counts.uniform_buffers);
    return std::min(limit, mutable_descriptors ? counts.resources : counts.resources / arrays_of_stage);
}

// `objection` is empty when the device can have the form.
struct Candidate {
    DescriptorPlan plan;
    std::string objection;
};

Candidate descriptor_buffer(const DescriptorAbilities& device) {
    Candidate candidate;
    candidate.plan.choice.form = DescriptorForm::kDescriptorBuffer;
    if (!device.descriptor_buffer) {
        candidate.objection = "no VK_EXT_descriptor_buffer";
        return candidate;
    }
    candidate.objection = missing_for_arrays(device);
    if (!candidate.objection.empty()) return candidate;
    if (!device.indexed_uniform_buffers) {
        candidate.objection = "no shaderUniformBufferArrayDynamicIndexing";
        return candidate;
    }
    DescriptorPlan& plan = candidate.plan;
    plan.mutable_descriptors = device.mutable_descriptors;
    const std::uint64_t largest = std::max({device.uniform_buffer_bytes, device.storage_buffer_bytes,
                                            device.sampled_image_bytes, device.storage_image_bytes});
    const std::uint64_t sum = device.uniform_buffer_bytes + device.storage_buffer_bytes + device.sampled_image_bytes +
                              device.storage_image_bytes;
    const std::uint64_t bytes = std::max<std::uint64_t>(1, plan.mutable_descriptors ? largest : sum);
    plan.resource_limit =
        std::min(heap_limit(device.plain, plan.mutable_descriptors, false), device.resource_range_bytes / bytes);
    plan.sampler_limit =
        std::min(device.plain.samplers, device.sampler_range_bytes / std::max<std::uint64_t>(1, device.sampler_bytes));
    plan.choice.reason = fmt::format("VK_EXT_descriptor_buffer, {} bytes a descriptor {}", bytes,
                                     plan.mutable_descriptors ? "(mutable)" : "(an array for each of four types)");
    return candidate;
}

Candidate update_after_bind(const DescriptorAbilities& device) {
    Candidate candidate;
    DescriptorPlan& plan = candidate.plan;
    plan.choice.form = DescriptorForm::kUpdateAfterBindSet;
    candidate.objection = missing_for_arrays(device);
    if (!candidate.objection.empty()) return candidate;
    if (!device.updated_storage_buffers || !device.updated_sampled_images || !device.updated_storage_images) {
        candidate.objection = "no update-after-bind for storage buffers and images";
        return candidate;
    }
    plan.uniform_in_table = !device.updated_uniform_buffers || !device.indexed_uniform_buffers ||
                            device.updated.uniform_buffers < kLeastHeap;
    plan.mutable_descriptors = device.mutable_descriptors && !plan.uniform_in_table;
    plan.updates_while_pending = device.updates_while_pending;
    plan.sampler_limit = std::min(device.updated.samplers, std::max(kLeastHeap, device.live_samplers));
    // A heap of either kind must fit beside one of the other.
    const std::uint64_t pools =
        device.updated_in_all_pools - std::min(device.updated_in_all_pools, *plan.sampler_limit);
    const std::uint64_t arrays = plan.mutable_descriptors ? 1 : plan.uniform_in_table ? 3 : 4;
    plan.resource_limit =
        std::min(heap_limit(device.updated, plan.mutable_descriptors, plan.uniform_in_table), pools / arrays);
    if (*plan.resource_limit < kLeastHeap) {
        candidate.objection = fmt::format("update-after-bind for {} descriptors alone", *plan.resource_limit);
        return candidate;
    }
    plan.choice.reason = fmt::format("update-after-bind for {} descriptors, {}", *plan.resource_limit,
                                     plan.mutable_descriptors ? "mutable" : "an array for each type");
    if (plan.uniform_in_table) {
        plan.choice.reason +=
            fmt::format("; uniform buffers come in a set for each dispatch ({}, {} in a stage)",
                        device.updated_uniform_buffers ? "descriptorBindingUniformBufferUpdateAfterBind"
                                                       : "no descriptorBindingUniformBufferUpdateAfterBind",
                        device.updated.uniform_buffers);
    }
    return candidate;
}

Candidate large_set(const DescriptorAbilities& device) {
    Candidate candidate;
    DescriptorPlan& plan = candidate.plan;
    plan.choice.form = DescriptorForm::kLargeSet;
    candidate.objection = missing_for_arrays(device);
    if (!candidate.objection.empty()) return candidate;
    plan.uniform_in_table = !device.indexed_uniform_buffers || device.plain.uniform_buffers < kLeastHeap;
    plan.mutable_descriptors = device.mutable_descriptors && !plan.uniform_in_table;
    plan.resource_limit = heap_limit(device.plain, plan.mutable_descriptors, plan.uniform_in_table);
    plan.sampler_limit = device.plain.samplers;
    if (*plan.resource_limit < kLeastHeap) {
        candidate.objection =
            fmt::format("without update-after-bind a stage has {} descriptors of each type", *plan.resource_limit);
        return candidate;
    }
    plan.choice.reason = fmt::format("{} descriptors in a stage without update-after-bind, {}", *plan.resource_limit,
                                     plan.mutable_descriptors ? "mutable" : "an array for each type");
    return candidate;
}

Candidate pooled_sets() {
    Candidate candidate;
    candidate.plan.choice = {.form = DescriptorForm::kPooledSets, .reason = "a set for each table, from pools"};
    return candidate;
}

const char* name_of(DescriptorForm form) {
    switch (form) {
        case DescriptorForm::kDescriptorBuffer: return "a descriptor buffer";
        case DescriptorForm::kUpdateAfterBindSet: return "a large set with update-after-bind";
        case DescriptorForm::kLargeSet: return "a large set without update-after-bind";
        case DescriptorForm::kPooledSets: return "pooled sets";
        default: return "this form";
    }
}

}  // namespace

Result<DescriptorPlan> plan_descriptors(const DescriptorAbilities& abilities, std::optional<DescriptorForm> forced) {
    const Candidate candidates[] = {descriptor_buffer(abilities), update_after_bind(abilities), large_set(abilities),
                                    pooled_sets()};
    std::string passed_over;
    for (const Candidate& candidate : candidates) {
        const bool wanted = !forced || candidate.plan.is(*forced);
        if (wanted && candidate.objection.empty()) {
            DescriptorPlan plan = candidate.plan;
            if (forced) plan.choice.reason += "; asked for";
            if (!forced && !passed_over.empty()) plan.choice.reason += "; not " + passed_over;
            return plan;
        }
        if (forced && wanted) {
            return fail(
                ErrorCode::kNotSupported,
                fmt::format("the device cannot keep descriptors in {}: {}", name_of(*forced), candidate.objection),
                "OpenOptions::descriptor_form");
        }
        passed_over += fmt::format("{}{} ({})", passed_over.empty() ? "" : ", ", name_of(candidate.plan.choice.form),
                                   candidate.objection);
    }
    return fail(ErrorCode::kNotSupported, "this API has no such form of descriptors", "OpenOptions::descriptor_form");
}

}  // namespace heapwright::device
