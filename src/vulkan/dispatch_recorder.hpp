// Dispatches, clears through views, transforms and draws recorded into one command buffer: binds what the form of
// descriptors asks for, and no more often than it changes.
#pragma once

#include <optional>

#include "vulkan/command_recycler.hpp"
#include "vulkan/descriptor_heaps.hpp"
#include "vulkan/pipelines.hpp"

namespace heapwright::vulkan {

// Everything that a work item may name.
struct WorkObjects {
    ResourceBinder& resources;
    const DescriptorLayouts& layouts;
    DescriptorHeaps& descriptors;
    Pipelines& pipelines;
    ShaderPrograms& programs;
};

// The ids are live, of the right kind, the tables inside their heaps and of the descriptor types that the program
// reads. Errors: kInvalidArgument.
[[nodiscard]] Status check_dispatch(const device::DispatchTables& dispatch, const WorkObjects& objects);

// The view was written, and for this image. Errors: kInvalidArgument; kNotSupported without dynamic rendering.
[[nodiscard]] Status check_view(const OpenDevice& context, const WorkObjects& objects, device::DescriptorHeapId heap,
                                std::uint32_t index, device::ResourceId image);

class DispatchRecorder {
public:
    DispatchRecorder(const OpenDevice& context, VkCommandBuffer commands, const WorkObjects& objects,
                     RecordingArena& arena)
        : context_(context), commands_(commands), objects_(objects), arena_(arena) {}

    // What check_dispatch() and check_view() let through. Errors: vkAllocateDescriptorSets', vkCreateDescriptorPool's.
    [[nodiscard]] Status dispatch(const device::DispatchTables& dispatch);
    void clear(const device::ClearRenderTarget& clear);
    void clear(const device::ClearDepthStencil& clear);
    [[nodiscard]] Status transform(const device::TransformBuffer& transform, VkBuffer source, VkBuffer destination);
    [[nodiscard]] Status draw(const device::DrawBuffer& draw, VkBuffer source);

private:
    void bind_sets(std::uint32_t first, std::span<const VkDescriptorSet> sets);
    void bind_buffers();
    [[nodiscard]] Status bind_arrays();
    [[nodiscard]] Status bind_table(const device::DispatchTables& dispatch);
    [[nodiscard]] Status bind_sampler(const device::DispatchTables& dispatch);
    // Storage buffers from binding 0 on.
    [[nodiscard]] Result<VkDescriptorSet> buffer_set(VkDescriptorSetLayout layout,
                                                     std::span<const VkDescriptorBufferInfo> buffers);
    void render(const ImageViewObject& view, const VkRenderingAttachmentInfo* color,
                const VkRenderingAttachmentInfo* depth, const VkRenderingAttachmentInfo* stencil);

    const OpenDevice& context_;
    VkCommandBuffer commands_;
    const WorkObjects& objects_;
    RecordingArena& arena_;
    // What is bound, and what the dispatch at hand wants.
    VkPipeline bound_pipeline_ = VK_NULL_HANDLE;
    VkPipelineLayout bound_layout_ = VK_NULL_HANDLE;
    const DescriptorHeap* bound_resources_ = nullptr;
    const DescriptorHeap* bound_samplers_ = nullptr;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    const DescriptorHeap* resources_ = nullptr;
    const DescriptorHeap* samplers_ = nullptr;
    std::shared_ptr<const DescriptorSets> resource_sets_;
    std::shared_ptr<const DescriptorSets> sampler_sets_;
};

}  // namespace heapwright::vulkan
