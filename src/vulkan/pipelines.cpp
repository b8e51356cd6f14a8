#include "vulkan/pipelines.hpp"

#include <cstdint>
#include <span>

#include "core/breadcrumb.hpp"
#include "heapwright_generated/shaders/kReadMutable.hpp"
#include "heapwright_generated/shaders/kReadMutableStatic.hpp"
#include "heapwright_generated/shaders/kReadPooled.hpp"
#include "heapwright_generated/shaders/kReadTyped.hpp"
#include "heapwright_generated/shaders/kReadTypedStatic.hpp"
#include "heapwright_generated/shaders/kReadUniformApart.hpp"
#include "heapwright_generated/shaders/kReadUniformApartStatic.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

std::span<const std::uint32_t> words_of(const device::DescriptorPlan& plan, bool static_sampler) {
    if (plan.is(device::DescriptorForm::kPooledSets)) return kReadPooled;
    if (plan.mutable_descriptors) {
        return static_sampler ? std::span<const std::uint32_t>(kReadMutableStatic) : kReadMutable;
    }
    if (plan.uniform_in_table) {
        return static_sampler ? std::span<const std::uint32_t>(kReadUniformApartStatic) : kReadUniformApart;
    }
    return static_sampler ? std::span<const std::uint32_t>(kReadTypedStatic) : kReadTyped;
}

}  // namespace

Pipelines::~Pipelines() {
    pipelines_.for_each([this](const Pipeline& pipeline) {
        context_.call.vkDestroyPipeline(context_.handle, pipeline.handle, nullptr);
    });
}

Result<device::PipelineId> Pipelines::create(device::ComputeProgram program) {
    Pipeline pipeline{.static_sampler = program == device::ComputeProgram::kReadTablesStaticSampler};
    const std::span<const std::uint32_t> words = words_of(context_.descriptors, pipeline.static_sampler);
    const VkShaderModuleCreateInfo module_info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                               .pNext = nullptr,
                                               .flags = 0,
                                               .codeSize = words.size_bytes(),
                                               .pCode = words.data()};
    VkShaderModule module = VK_NULL_HANDLE;
    leave_breadcrumb("vkCreateComputePipelines");
    HEAPWRIGHT_TRY(check(context_.call.vkCreateShaderModule(context_.handle, &module_info, nullptr, &module),
                         "vkCreateShaderModule"));
    VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .pNext = nullptr,
                                     .flags = 0,
                                     .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                               .pNext = nullptr,
                                               .flags = 0,
                                               .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                               .module = module,
                                               .pName = "main",
                                               .pSpecializationInfo = nullptr},
                                     .layout = layouts_.pipeline(pipeline.static_sampler),
                                     .basePipelineHandle = VK_NULL_HANDLE,
                                     .basePipelineIndex = -1};
    if (context_.descriptors.is(device::DescriptorForm::kDescriptorBuffer)) {
        info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    }
    const VkResult created =
        context_.call.vkCreateComputePipelines(context_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline.handle);
    context_.call.vkDestroyShaderModule(context_.handle, module, nullptr);
    HEAPWRIGHT_TRY(check(created, "vkCreateComputePipelines"));
    return device::PipelineId{pipelines_.insert(pipeline)};
}

void Pipelines::destroy(device::PipelineId pipeline) {
    if (const auto gone = pipelines_.take(pipeline.value)) {
        context_.call.vkDestroyPipeline(context_.handle, gone->handle, nullptr);
    }
}

}  // namespace heapwright::vulkan
