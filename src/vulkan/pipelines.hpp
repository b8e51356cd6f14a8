// The compute pipelines that dispatches name. Thread-safe; a pipeline that is still live when this ends is destroyed.
#pragma once

#include <cstddef>

#include "heapwright_generated/volk.hpp"

#include "device/slot_map.hpp"
#include "device/submitter.hpp"
#include "vulkan/descriptor_layouts.hpp"

namespace heapwright::vulkan {

struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    bool static_sampler = false;
};

class Pipelines {
public:
    Pipelines(const OpenDevice& context, const DescriptorLayouts& layouts) : context_(context), layouts_(layouts) {}
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;
    ~Pipelines();

    // Errors: vkCreateShaderModule's, vkCreateComputePipelines'.
    [[nodiscard]] Result<device::PipelineId> create(device::ComputeProgram program);
    void destroy(device::PipelineId pipeline);

    // Null for an id that is not live.
    [[nodiscard]] const Pipeline* find(device::PipelineId pipeline) { return pipelines_.find(pipeline.value); }
    [[nodiscard]] std::size_t live() const { return pipelines_.size(); }

private:
    const OpenDevice& context_;
    const DescriptorLayouts& layouts_;
    device::SlotMap<Pipeline> pipelines_;
};

}  // namespace heapwright::vulkan
