// Transforms and draws: the work of the project's own pipelines, which takes no descriptors of the caller's but a view.
#include <algorithm>
#include <array>

#include "vulkan/dispatch_recorder.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint32_t kGroupWords = 64;  // the shader's local size
constexpr std::uint32_t kRowGroups = 32768;
constexpr std::uint32_t kRowWords = kRowGroups * kGroupWords;

std::uint32_t groups(std::uint64_t count, std::uint64_t of) {
    return static_cast<std::uint32_t>((count + of - 1) / of);
}

}  // namespace

Result<VkDescriptorSet> DispatchRecorder::buffer_set(VkDescriptorSetLayout layout,
                                                     std::span<const VkDescriptorBufferInfo> buffers) {
    HEAPWRIGHT_ASSIGN(const VkDescriptorSet set, arena_.allocate(layout));
    std::array<VkWriteDescriptorSet, 2> writes{};
    for (std::uint32_t i = 0; i < buffers.size(); ++i) {
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &buffers[i];
    }
    context_.call.vkUpdateDescriptorSets(context_.handle, static_cast<std::uint32_t>(buffers.size()), writes.data(), 0,
                                         nullptr);
    return set;
}

Status DispatchRecorder::transform(const device::TransformBuffer& transform, VkBuffer source, VkBuffer destination) {
    HEAPWRIGHT_ASSIGN(const ShaderProgram* program, objects_.programs.transform());
    if (program->pipeline != bound_pipeline_) {
        context_.call.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
        bound_pipeline_ = program->pipeline;
    }
    bound_layout_ = VK_NULL_HANDLE;  // the sets of another layout: the next dispatch binds its own again
    const std::uint64_t longest =
        context_.limits.maxStorageBufferRange / device::kShaderOffsetBytes * device::kShaderOffsetBytes;
    for (std::uint64_t done = 0; done < transform.size_bytes;) {
        const std::uint64_t part = std::min(transform.size_bytes - done, longest);
        const VkDescriptorBufferInfo buffers[] = {
            {.buffer = source, .offset = transform.source_offset_bytes + done, .range = part},
            {.buffer = destination, .offset = transform.destination_offset_bytes + done, .range = part}};
        HEAPWRIGHT_ASSIGN(const VkDescriptorSet set, buffer_set(program->set, buffers));
        context_.call.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1, &set, 0,
                                              nullptr);
        const TransformWords words{.word_count = static_cast<std::uint32_t>(part / sizeof(std::uint32_t)),
                                   .row_words = kRowWords,
                                   .key = transform.key,
                                   .rounds = transform.rounds};
        context_.call.vkCmdPushConstants(commands_, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof words,
                                         &words);
        context_.call.vkCmdDispatch(commands_, std::min(groups(words.word_count, kGroupWords), kRowGroups),
                                    groups(words.word_count, kRowWords), 1);
        done += part;
    }
    return {};
}

Status DispatchRecorder::draw(const device::DrawBuffer& draw, VkBuffer source) {
    HEAPWRIGHT_ASSIGN(const ShaderProgram* program, objects_.programs.draw());
    const auto view = objects_.descriptors.find(draw.heap)->slots[draw.index].view;
    arena_.keep(view);
    bound_layout_ = VK_NULL_HANDLE;
    const VkExtent2D extent{view->extent.width, view->extent.height};
    const VkDescriptorBufferInfo buffer{.buffer = source,
                                        .offset = draw.source_offset_bytes,
                                        .range = VkDeviceSize{extent.width} * extent.height * sizeof(std::uint32_t)};
    HEAPWRIGHT_ASSIGN(const VkDescriptorSet set, buffer_set(program->set, std::span(&buffer, 1)));
    const VkViewport viewport{.x = 0,
                              .y = 0,
                              .width = static_cast<float>(extent.width),
                              .height = static_cast<float>(extent.height),
                              .minDepth = 0,
                              .maxDepth = 1};
    const VkRect2D everything{.offset = {0, 0}, .extent = extent};
    const DrawWords words{.width = extent.width};
    VkRenderingAttachmentInfo target{};
    target.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    target.imageView = view->handle;
    target.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    target.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;  // every texel is drawn
    target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    rendering.renderArea = everything;
    rendering.layerCount = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &target;
    const DeviceCalls& call = context_.call;
    call.vkCmdBeginRendering(commands_, &rendering);
    call.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_GRAPHICS, program->pipeline);
    call.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_GRAPHICS, program->layout, 0, 1, &set, 0, nullptr);
    call.vkCmdPushConstants(commands_, program->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof words, &words);
    call.vkCmdSetViewport(commands_, 0, 1, &viewport);
    call.vkCmdSetScissor(commands_, 0, 1, &everything);
    call.vkCmdDraw(commands_, 3, 1, 0, 0);
    call.vkCmdEndRendering(commands_);
    return {};
}

}  // namespace heapwright::vulkan
