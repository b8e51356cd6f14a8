#include "vulkan/pipelines.hpp"

#include <array>
#include <cstdint>
#include <span>

#include "core/breadcrumb.hpp"
#include "heapwright_generated/shaders/kCopyShader.hpp"
#include "heapwright_generated/shaders/kDrawFragments.hpp"
#include "heapwright_generated/shaders/kDrawVertices.hpp"
#include "heapwright_generated/shaders/kReadMutable.hpp"
#include "heapwright_generated/shaders/kReadMutableStatic.hpp"
#include "heapwright_generated/shaders/kReadPooled.hpp"
#include "heapwright_generated/shaders/kReadTyped.hpp"
#include "heapwright_generated/shaders/kReadTypedStatic.hpp"
#include "heapwright_generated/shaders/kReadUniformApart.hpp"
#include "heapwright_generated/shaders/kReadUniformApartStatic.hpp"
#include "heapwright_generated/shaders/kTransform.hpp"
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

namespace {

class ShaderModule {
public:
    [[nodiscard]] static Result<ShaderModule> create(const OpenDevice& context, std::span<const std::uint32_t> words) {
        const VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .pNext = nullptr,
                                            .flags = 0,
                                            .codeSize = words.size_bytes(),
                                            .pCode = words.data()};
        VkShaderModule module = VK_NULL_HANDLE;
        HEAPWRIGHT_TRY(
            check(context.call.vkCreateShaderModule(context.handle, &info, nullptr, &module), "vkCreateShaderModule"));
        return ShaderModule(context, module);
    }
    ShaderModule(ShaderModule&& other) noexcept
        : context_(other.context_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)) {}
    ShaderModule(const ShaderModule&) = delete;
    ShaderModule& operator=(const ShaderModule&) = delete;
    ShaderModule& operator=(ShaderModule&&) = delete;
    ~ShaderModule() { context_.call.vkDestroyShaderModule(context_.handle, handle_, nullptr); }

    [[nodiscard]] VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits which) const {
        return {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .pNext = nullptr,
                .flags = 0,
                .stage = which,
                .module = handle_,
                .pName = "main",
                .pSpecializationInfo = nullptr};
    }

private:
    ShaderModule(const OpenDevice& context, VkShaderModule handle) : context_(context), handle_(handle) {}

    const OpenDevice& context_;
    VkShaderModule handle_;
};

}  // namespace

ShaderPrograms::~ShaderPrograms() {
    for (const ShaderProgram& program : {transform_, copy_, draw_}) {
        context_.call.vkDestroyPipeline(context_.handle, program.pipeline, nullptr);
        context_.call.vkDestroyPipelineLayout(context_.handle, program.layout, nullptr);
        context_.call.vkDestroyDescriptorSetLayout(context_.handle, program.set, nullptr);
    }
}

Result<const ShaderProgram*> ShaderPrograms::transform() {
    return compute(transform_, "transform", kTransform);
}

Result<const ShaderProgram*> ShaderPrograms::copy() {
    return compute(copy_, "copy", kCopyShader);
}

Result<const ShaderProgram*> ShaderPrograms::draw() {
    const std::scoped_lock lock(mutex_);
    if (draw_.pipeline == VK_NULL_HANDLE) HEAPWRIGHT_TRY(create_draw());
    return &draw_;
}

Status ShaderPrograms::create_layouts(ShaderProgram& program, std::uint32_t buffer_count, VkShaderStageFlags stage,
                                      std::uint32_t push_bytes) {
    std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
    for (std::uint32_t i = 0; i < buffer_count; ++i) {
        bindings[i] = {.binding = i,
                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                       .descriptorCount = 1,
                       .stageFlags = stage,
                       .pImmutableSamplers = nullptr};
    }
    const VkDescriptorSetLayoutCreateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                   .pNext = nullptr,
                                                   .flags = 0,
                                                   .bindingCount = buffer_count,
                                                   .pBindings = bindings.data()};
    // What an earlier call that failed has left is used again.
    if (program.set == VK_NULL_HANDLE) {
        HEAPWRIGHT_TRY(
            check(context_.call.vkCreateDescriptorSetLayout(context_.handle, &set_info, nullptr, &program.set),
                  "vkCreateDescriptorSetLayout"));
    }
    const VkPushConstantRange push{.stageFlags = stage, .offset = 0, .size = push_bytes};
    const VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .setLayoutCount = 1,
                                          .pSetLayouts = &program.set,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &push};
    if (program.layout != VK_NULL_HANDLE) return {};
    return check(context_.call.vkCreatePipelineLayout(context_.handle, &info, nullptr, &program.layout),
                 "vkCreatePipelineLayout");
}

Result<const ShaderProgram*> ShaderPrograms::compute(ShaderProgram& program, const char* name,
                                                     std::span<const std::uint32_t> words) {
    const std::scoped_lock lock(mutex_);
    if (program.pipeline != VK_NULL_HANDLE) return &program;
    HEAPWRIGHT_TRY(create_layouts(program, 2, VK_SHADER_STAGE_COMPUTE_BIT, sizeof(TransformWords)));
    HEAPWRIGHT_ASSIGN(const ShaderModule module, ShaderModule::create(context_, words));
    const VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .pNext = nullptr,
                                           .flags = 0,
                                           .stage = module.stage(VK_SHADER_STAGE_COMPUTE_BIT),
                                           .layout = program.layout,
                                           .basePipelineHandle = VK_NULL_HANDLE,
                                           .basePipelineIndex = -1};
    leave_breadcrumb("vkCreateComputePipelines", name);
    HEAPWRIGHT_TRY(check(
        context_.call.vkCreateComputePipelines(context_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &program.pipeline),
        "vkCreateComputePipelines"));
    return &program;
}

Status ShaderPrograms::create_draw() {
    HEAPWRIGHT_TRY(create_layouts(draw_, 1, VK_SHADER_STAGE_FRAGMENT_BIT, sizeof(DrawWords)));
    HEAPWRIGHT_ASSIGN(const ShaderModule vertices, ShaderModule::create(context_, kDrawVertices));
    HEAPWRIGHT_ASSIGN(const ShaderModule fragments, ShaderModule::create(context_, kDrawFragments));
    const VkPipelineShaderStageCreateInfo stages[] = {vertices.stage(VK_SHADER_STAGE_VERTEX_BIT),
                                                      fragments.stage(VK_SHADER_STAGE_FRAGMENT_BIT)};
    VkPipelineVertexInputStateCreateInfo no_input{};
    no_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    VkPipelineInputAssemblyStateCreateInfo triangles{};
    triangles.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    triangles.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport{};
    viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{};
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.polygonMode = VK_POLYGON_MODE_FILL;
    raster.cullMode = VK_CULL_MODE_NONE;
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo samples{};
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState all_channels{};
    all_channels.colorWriteMask =
        VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    VkPipelineColorBlendStateCreateInfo blend{};
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = 1;
    blend.pAttachments = &all_channels;
    constexpr VkDynamicState kDynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{};
    dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    dynamic.dynamicStateCount = static_cast<std::uint32_t>(std::size(kDynamic));
    dynamic.pDynamicStates = kDynamic;
    constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &kFormat;
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = &rendering;
    info.stageCount = static_cast<std::uint32_t>(std::size(stages));
    info.pStages = stages;
    info.pVertexInputState = &no_input;
    info.pInputAssemblyState = &triangles;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = draw_.layout;
    info.basePipelineIndex = -1;
    leave_breadcrumb("vkCreateGraphicsPipelines", "draw");
    return check(
        context_.call.vkCreateGraphicsPipelines(context_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &draw_.pipeline),
        "vkCreateGraphicsPipelines");
}

}  // namespace heapwright::vulkan
