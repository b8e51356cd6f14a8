#include "vulkan/dispatch_recorder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace heapwright::vulkan {

namespace {

using device::DescriptorForm;
device::DescriptorTable table_of(const DescriptorHeap* heap) {
    if (heap == nullptr) return {};
    return {.request = &heap->request, .type_at = [heap](std::uint32_t index) { return heap->slots[index].type; }};
}

}  // namespace

Status check_dispatch(const device::DispatchTables& dispatch, const WorkObjects& objects) {
    const Pipeline* pipeline = objects.pipelines.find(dispatch.pipeline);
    if (pipeline == nullptr) return fail(ErrorCode::kInvalidArgument, "the pipeline is not live");
    const DescriptorHeap* samplers = dispatch.sampler_heap ? objects.descriptors.find(*dispatch.sampler_heap) : nullptr;
    return device::check_dispatch(dispatch, pipeline->static_sampler,
                                  table_of(objects.descriptors.find(dispatch.resource_heap)), table_of(samplers));
}

Status check_view(const OpenDevice& context, const WorkObjects& objects, device::DescriptorHeapId id,
                  std::uint32_t index, device::ResourceId image) {
    const DescriptorHeap* heap = objects.descriptors.find(id);
    if (heap == nullptr || index >= heap->request.capacity || !heap->slots[index].view) {
        return fail(ErrorCode::kInvalidArgument, "no view was written where one is named");
    }
    if (heap->slots[index].view->image != image) {
        return fail(ErrorCode::kInvalidArgument, "the view that is named is of another image");
    }
    if (!context.enabled.dynamic_rendering) {
        return fail(ErrorCode::kNotSupported, "the device has no dynamic rendering, which work through views needs");
    }
    return {};
}

Status DispatchRecorder::dispatch(const device::DispatchTables& dispatch) {
    const Pipeline& pipeline = *objects_.pipelines.find(dispatch.pipeline);
    layout_ = objects_.layouts.pipeline(pipeline.static_sampler);
    resources_ = objects_.descriptors.find(dispatch.resource_heap);
    samplers_ = dispatch.sampler_heap ? objects_.descriptors.find(*dispatch.sampler_heap) : nullptr;
    if (pipeline.handle != bound_pipeline_) {
        context_.call.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
        bound_pipeline_ = pipeline.handle;
    }
    const bool changed = layout_ != bound_layout_ || resources_ != bound_resources_ || samplers_ != bound_samplers_;
    if (context_.descriptors.is(DescriptorForm::kDescriptorBuffer)) {
        if (changed) bind_buffers();
    } else if (!context_.descriptors.is(DescriptorForm::kPooledSets)) {
        HEAPWRIGHT_TRY(bind_arrays());
    }
    if (objects_.layouts.table() != VK_NULL_HANDLE) HEAPWRIGHT_TRY(bind_table(dispatch));
    if (context_.descriptors.is(DescriptorForm::kPooledSets)) HEAPWRIGHT_TRY(bind_sampler(dispatch));
    bound_layout_ = layout_;
    bound_resources_ = resources_;
    bound_samplers_ = samplers_;

    const PushWords words{.static_table = dispatch.static_table,
                          .dynamic_table = dispatch.dynamic_table,
                          .sampler = dispatch.sampler,
                          .output_word = dispatch.output_word};
    context_.call.vkCmdPushConstants(commands_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof words, &words);
    context_.call.vkCmdDispatch(commands_, 1, 1, 1);
    return {};
}

void DispatchRecorder::bind_sets(std::uint32_t first, std::span<const VkDescriptorSet> sets) {
    context_.call.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, first,
                                          static_cast<std::uint32_t>(sets.size()), sets.data(), 0, nullptr);
}

void DispatchRecorder::bind_buffers() {
    const DescriptorStore& samplers = samplers_ == nullptr ? *objects_.descriptors.static_sampler() : *samplers_->store;
    const VkDescriptorBufferBindingInfoEXT buffers[] = {resources_->store->buffer(), samplers.buffer()};
    context_.call.vkCmdBindDescriptorBuffersEXT(commands_, static_cast<std::uint32_t>(std::size(buffers)), buffers);
    const auto set_offset = [this](std::uint32_t set, std::uint32_t buffer, std::uint64_t offset_bytes) {
        const VkDeviceSize offset = offset_bytes;
        context_.call.vkCmdSetDescriptorBufferOffsetsEXT(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, set, 1,
                                                         &buffer, &offset);
    };
    const std::span arrays = objects_.layouts.arrays(device::DescriptorHeapKind::kCbvSrvUav);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        if (arrays[i].set) set_offset(*arrays[i].set, 0, resources_->store->offset_of_array(i));
    }
    set_offset(objects_.layouts.sampler_set(), 1, samplers.offset_of_array(0));
}

Status DispatchRecorder::bind_arrays() {
    const bool layout_changed = layout_ != bound_layout_;
    HEAPWRIGHT_ASSIGN(std::shared_ptr<const DescriptorSets> resources, resources_->store->sets());
    if (layout_changed || resources != resource_sets_) {
        const std::span arrays = objects_.layouts.arrays(device::DescriptorHeapKind::kCbvSrvUav);
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (arrays[i].set) bind_sets(*arrays[i].set, std::span(&resources->of_array[i], 1));
        }
        if (resources != resource_sets_) arena_.keep(resources);
        resource_sets_ = std::move(resources);
    }
    if (samplers_ == nullptr) {
        if (layout_changed) {
            const VkDescriptorSet set = objects_.layouts.static_sampler_set();
            bind_sets(objects_.layouts.sampler_set(), std::span(&set, 1));
            sampler_sets_.reset();
        }
        return {};
    }
    HEAPWRIGHT_ASSIGN(std::shared_ptr<const DescriptorSets> samplers, samplers_->store->sets());
    if (layout_changed || samplers != sampler_sets_) {
        bind_sets(objects_.layouts.sampler_set(), samplers->of_array);
        if (samplers != sampler_sets_) arena_.keep(samplers);
        sampler_sets_ = std::move(samplers);
    }
    return {};
}

Status DispatchRecorder::bind_table(const device::DispatchTables& dispatch) {
    const std::uint32_t indices[] = {dispatch.static_table,  dispatch.static_table + 1,  dispatch.static_table + 2,
                                     dispatch.dynamic_table, dispatch.dynamic_table + 1, dispatch.dynamic_table + 2};
    HEAPWRIGHT_ASSIGN(const VkDescriptorSet set, arena_.allocate(objects_.layouts.table()));
    std::array<DescriptorInfo, std::size(indices)> infos{};
    std::array<VkWriteDescriptorSet, std::size(indices)> writes{};
    std::uint32_t count = 0;
    for (const std::uint32_t index : indices) {
        const DescriptorSlot& slot = resources_->slots[index];
        if (context_.descriptors.uniform_in_table && slot.type != DescriptorType::kConstantBuffer) continue;
        infos[count] = info_of(slot);
        writes[count] = write_of(slot.type, infos[count], set, count, 0);
        if (slot.view) arena_.keep(slot.view);
        ++count;
    }
    context_.call.vkUpdateDescriptorSets(context_.handle, count, writes.data(), 0, nullptr);
    bind_sets(0, std::span(&set, 1));
    return {};
}

Status DispatchRecorder::bind_sampler(const device::DispatchTables& dispatch) {
    VkDescriptorSet set = objects_.layouts.static_sampler_set();
    if (samplers_ != nullptr) {
        HEAPWRIGHT_ASSIGN(set, arena_.allocate(objects_.layouts.one_sampler()));
        const DescriptorSlot& slot = samplers_->slots[dispatch.sampler];
        const DescriptorInfo info = info_of(slot);
        const VkWriteDescriptorSet write = write_of(slot.type, info, set, 0, 0);
        context_.call.vkUpdateDescriptorSets(context_.handle, 1, &write, 0, nullptr);
        arena_.keep(slot.sampler);
    }
    bind_sets(objects_.layouts.sampler_set(), std::span(&set, 1));
    return {};
}

void DispatchRecorder::render(const ImageViewObject& view, const VkRenderingAttachmentInfo* color,
                              const VkRenderingAttachmentInfo* depth, const VkRenderingAttachmentInfo* stencil) {
    const VkRenderingInfo info{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                               .pNext = nullptr,
                               .flags = 0,
                               .renderArea = {{0, 0}, {view.extent.width, view.extent.height}},
                               .layerCount = 1,
                               .viewMask = 0,
                               .colorAttachmentCount = color == nullptr ? 0u : 1u,
                               .pColorAttachments = color,
                               .pDepthAttachment = depth,
                               .pStencilAttachment = stencil};
    context_.call.vkCmdBeginRendering(commands_, &info);
    context_.call.vkCmdEndRendering(commands_);
}

namespace {

VkRenderingAttachmentInfo cleared(const ImageViewObject& view, VkImageLayout layout, const VkClearValue& value) {
    return {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
            .pNext = nullptr,
            .imageView = view.handle,
            .imageLayout = layout,
            .resolveMode = VK_RESOLVE_MODE_NONE,
            .resolveImageView = VK_NULL_HANDLE,
            .resolveImageLayout = VK_IMAGE_LAYOUT_UNDEFINED,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .clearValue = value};
}

}  // namespace

void DispatchRecorder::clear(const device::ClearRenderTarget& clear) {
    const auto view = objects_.descriptors.find(clear.heap)->slots[clear.index].view;
    arena_.keep(view);
    VkClearValue value{};
    static_assert(sizeof value.color == sizeof clear.value);
    std::memcpy(&value.color, clear.value.data(), sizeof value.color);
    const VkRenderingAttachmentInfo color = cleared(*view, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, value);
    render(*view, &color, nullptr, nullptr);
}

void DispatchRecorder::clear(const device::ClearDepthStencil& clear) {
    const auto view = objects_.descriptors.find(clear.heap)->slots[clear.index].view;
    arena_.keep(view);
    VkClearValue value{};
    value.depthStencil = {.depth = clear.depth, .stencil = clear.stencil};
    const VkRenderingAttachmentInfo both = cleared(*view, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL, value);
    render(*view, nullptr, view->has_depth ? &both : nullptr, view->has_stencil ? &both : nullptr);
}

// Transforms and draws: the work of the project's own pipelines, which takes no descriptors of the caller's but a view.

namespace {

constexpr std::uint32_t kGroupWords = 64;  // the shader's local size
constexpr std::uint32_t kRowGroups = 32768;
constexpr std::uint32_t kRowWords = kRowGroups * kGroupWords;
constexpr std::uint32_t kQuadBytes = 16;
constexpr std::uint32_t kCopySteps = 16;  // of each invocation of a copy, at least
constexpr std::uint32_t kMostCopyGroups = 65535;

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
    const bool copies = transform.rounds == 0 && transform.size_bytes % kQuadBytes == 0;
    HEAPWRIGHT_ASSIGN(const ShaderProgram* program, copies ? objects_.programs.copy() : objects_.programs.transform());
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
        if (copies) {
            const std::uint32_t quads = words.word_count / (kQuadBytes / sizeof(std::uint32_t));
            context_.call.vkCmdDispatch(commands_,
                                        std::min(groups(quads, kCopyGroupQuads * kCopySteps), kMostCopyGroups), 1, 1);
        } else {
            context_.call.vkCmdDispatch(commands_, std::min(groups(words.word_count, kGroupWords), kRowGroups),
                                        groups(words.word_count, kRowWords), 1);
        }
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
