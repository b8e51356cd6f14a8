// The compute pipelines that dispatches name. Thread-safe; a pipeline that is still live when this ends is destroyed.
// Beside it: the pipelines of TransformBuffer and DrawBuffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "device/slot_map.hpp"
#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright_generated/volk.hpp"
#include "vulkan/descriptor_layouts.hpp"
#include "vulkan/open_device.hpp"

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

// The pipelines of TransformBuffer and DrawBuffer, each made when it is first recorded. Their buffers come in ordinary
// descriptor sets, whatever the form of the device's descriptors. Thread-safe; no submitted work uses them at the end.

struct TransformWords {
    std::uint32_t word_count = 0;
    std::uint32_t row_words = 0;
    std::uint32_t key = 0;
    std::uint32_t rounds = 0;
};

inline constexpr std::uint32_t kCopyGroupQuads = 128;  // of four words; what every device runs at least

struct DrawWords {
    std::uint32_t width = 0;
};

struct ShaderProgram {
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

class ShaderPrograms {
public:
    explicit ShaderPrograms(const OpenDevice& context) : context_(context) {}
    ShaderPrograms(const ShaderPrograms&) = delete;
    ShaderPrograms& operator=(const ShaderPrograms&) = delete;
    ~ShaderPrograms();

    // Storage buffers 0 (read) and 1 (written), TransformWords. Errors: those of the calls that make pipelines.
    [[nodiscard]] Result<const ShaderProgram*> transform();
    // The same buffers and words, of which the number counts alone: a multiple of four. Any one row of groups of
    // kCopyGroupQuads invocations.
    [[nodiscard]] Result<const ShaderProgram*> copy();

    // Storage buffer 0, DrawWords; colour attachment of R8G8B8A8_UNORM, three vertices. Wants dynamic rendering.
    [[nodiscard]] Result<const ShaderProgram*> draw();

private:
    [[nodiscard]] Status create_layouts(ShaderProgram& program, std::uint32_t buffer_count, VkShaderStageFlags stage,
                                        std::uint32_t push_bytes);
    [[nodiscard]] Result<const ShaderProgram*> compute(ShaderProgram& program, const char* name,
                                                       std::span<const std::uint32_t> words);
    [[nodiscard]] Status create_draw();

    const OpenDevice& context_;
    std::mutex mutex_;
    ShaderProgram transform_;
    ShaderProgram copy_;
    ShaderProgram draw_;
};

}  // namespace heapwright::vulkan
