#include "vulkan/descriptor_heaps.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"
#include "vulkan/descriptor_buffer_store.hpp"
#include "vulkan/format_map.hpp"

namespace heapwright::vulkan {
namespace {

using device::DescriptorHeapKind;

model::Flags needed_usage(DescriptorType type) {
    switch (type) {
        case DescriptorType::kConstantBuffer: return model::buffer_usage::kUniform;
        case DescriptorType::kReadBuffer:
        case DescriptorType::kWrittenBuffer: return model::buffer_usage::kStorage;
        case DescriptorType::kReadImage: return model::image_usage::kSampled;
        case DescriptorType::kWrittenImage: return model::image_usage::kStorage;
        case DescriptorType::kRenderTarget: return model::image_usage::kColorAttachment;
        default: return model::image_usage::kDepthStencilAttachment;
    }
}

Status has_usage(model::Flags usage, DescriptorType type) {
    if ((usage & needed_usage(type)) != 0) return {};
    return device::refused(ErrorCode::kInvalidArgument,
                           fmt::format("the resource was made without the usage of {}", name_of(type)), usage,
                           needed_usage(type));
}

}  // namespace

Status DescriptorHeaps::prepare() {
    if (!context_.descriptors.is(device::DescriptorForm::kDescriptorBuffer)) return {};
    HEAPWRIGHT_ASSIGN(static_sampler_, DescriptorBufferStore::create_static_sampler(context_, layouts_, memory_));
    return {};
}

std::optional<std::uint64_t> DescriptorHeaps::stated_limit(DescriptorHeapKind kind, bool shader_visible) const {
    if (!shader_visible || !device::can_be_shader_visible(kind)) return std::nullopt;
    return kind == DescriptorHeapKind::kSampler ? context_.descriptors.sampler_limit
                                                : context_.descriptors.resource_limit;
}

Result<device::DescriptorHeapId> DescriptorHeaps::create(const device::DescriptorHeapRequest& request) {
    HEAPWRIGHT_TRY(device::check_heap_request(request, stated_limit(request.kind, request.shader_visible)));
    DescriptorHeap heap{.request = request};
    try {
        heap.slots.resize(request.capacity);
        if (request.shader_visible) {
            HEAPWRIGHT_ASSIGN(heap.store,
                              create_descriptor_store(context_, layouts_, memory_,
                                                      {.kind = request.kind, .capacity = request.capacity}));
        }
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::kOutOfHostMemory, fmt::format("the table of {} descriptors", request.capacity));
    }
    return device::DescriptorHeapId{heaps_.insert(std::move(heap))};
}

device::DescriptorHeapAddresses DescriptorHeaps::addresses(device::DescriptorHeapId id) const {
    device::DescriptorHeapAddresses addresses;
    const DescriptorHeap* heap = find(id);
    if (heap != nullptr && heap->request.shader_visible) addresses.gpu_start = 0;
    return addresses;
}

Result<DescriptorHeap*> DescriptorHeaps::range(device::DescriptorHeapId id, std::uint32_t first,
                                               std::uint32_t count) const {
    DescriptorHeap* heap = find(id);
    if (heap == nullptr) return fail(ErrorCode::kInvalidArgument, "the descriptor heap is not live");
    HEAPWRIGHT_TRY(device::check_range(heap->request, first, count));
    return heap;
}

Result<DescriptorSlot> DescriptorHeaps::buffer_slot(device::ResourceId id, std::uint64_t offset_bytes,
                                                    std::uint64_t size_bytes, DescriptorType type) {
    const Resource* resource = resources_.find(id);
    const auto* buffer = resource == nullptr ? nullptr : std::get_if<model::BufferDescription>(&resource->description);
    if (buffer == nullptr) return fail(ErrorCode::kInvalidArgument, "the buffer of a view is not live");
    HEAPWRIGHT_TRY(has_usage(buffer->usage, type));
    const bool constant = type == DescriptorType::kConstantBuffer;
    const std::uint64_t alignment =
        constant ? context_.limits.minUniformBufferOffsetAlignment : context_.limits.minStorageBufferOffsetAlignment;
    const std::uint64_t most = constant ? context_.limits.maxUniformBufferRange : context_.limits.maxStorageBufferRange;
    if (offset_bytes % std::max<std::uint64_t>(1, alignment) != 0) {
        return device::refused(ErrorCode::kInvalidArgument,
                               "the view's offset is no multiple of the device's alignment", offset_bytes, alignment);
    }
    if (size_bytes == 0 || size_bytes > most) {
        return device::refused(ErrorCode::kInvalidArgument, "the view has no bytes, or more than the device allows",
                               size_bytes, most);
    }
    if (offset_bytes > buffer->size_bytes || size_bytes > buffer->size_bytes - offset_bytes) {
        return device::refused(ErrorCode::kInvalidArgument,
                               fmt::format("{} bytes at offset {} end beyond the buffer", size_bytes, offset_bytes),
                               offset_bytes, buffer->size_bytes);
    }
    return DescriptorSlot{
        .type = type, .buffer = resource->buffer, .offset_bytes = offset_bytes, .size_bytes = size_bytes};
}

Result<DescriptorSlot> DescriptorHeaps::image_slot(device::ResourceId id, std::uint32_t mip_level,
                                                   std::uint32_t array_layer, DescriptorType type) {
    const Resource* resource = resources_.find(id);
    const auto* image = resource == nullptr ? nullptr : std::get_if<model::ImageDescription>(&resource->description);
    if (image == nullptr) return fail(ErrorCode::kInvalidArgument, "the image of a view is not live");
    HEAPWRIGHT_TRY(has_usage(image->usage, type));
    const model::FormatInfo& format = model::info(image->format);
    const bool depth_view = type == DescriptorType::kDepthStencil;
    if (format.is_depth_stencil() != depth_view || image->dimension != model::ImageDimension::k2d) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("{} is no view of a {} image", name_of(type), format.name));
    }
    if (mip_level >= image->mip_levels || array_layer >= image->array_layers) {
        return device::refused(ErrorCode::kInvalidArgument,
                               fmt::format("the image has no mip level {} of layer {}", mip_level, array_layer),
                               mip_level, image->mip_levels);
    }
    const VkImageViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                     .pNext = nullptr,
                                     .flags = 0,
                                     .image = resource->image,
                                     .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                     .format = vk_format(image->format),
                                     .components = {},
                                     .subresourceRange = {.aspectMask = all_aspects(image->format),
                                                          .baseMipLevel = mip_level,
                                                          .levelCount = 1,
                                                          .baseArrayLayer = array_layer,
                                                          .layerCount = 1}};
    VkImageView handle = VK_NULL_HANDLE;
    leave_breadcrumb("vkCreateImageView");
    HEAPWRIGHT_TRY(
        check(context_.call.vkCreateImageView(context_.handle, &info, nullptr, &handle), "vkCreateImageView"));
    auto view = std::make_shared<ImageViewObject>(context_, handle);
    view->image = id;
    view->extent = mip_extent(*image, mip_level);
    view->mip_level = mip_level;
    view->array_layer = array_layer;
    view->has_depth = format.has_depth;
    view->has_stencil = format.has_stencil;
    return DescriptorSlot{.type = type, .view = std::move(view)};
}

Result<DescriptorSlot> DescriptorHeaps::sampler_slot(const device::SamplerDescription& sampler) {
    const std::uint32_t live = samplers_->fetch_add(1);
    if (live >= context_.limits.maxSamplerAllocationCount) {
        samplers_->fetch_sub(1);
        return fail({.code = ErrorCode::kTooManyObjects,
                     .message = fmt::format("{} samplers live, as many as maxSamplerAllocationCount allows", live),
                     .where = "vkCreateSampler",
                     .value = live,
                     .limit = context_.limits.maxSamplerAllocationCount});
    }
    const VkSamplerCreateInfo info = sampler_info(context_, sampler);
    VkSampler handle = VK_NULL_HANDLE;
    leave_breadcrumb("vkCreateSampler");
    if (const VkResult created = context_.call.vkCreateSampler(context_.handle, &info, nullptr, &handle);
        created != VK_SUCCESS) {
        samplers_->fetch_sub(1);
        Error error = call_error(created, "vkCreateSampler", fmt::format("with {} samplers live", live));
        error.value = live;
        return fail(std::move(error));
    }
    return DescriptorSlot{.type = DescriptorType::kSampler,
                          .sampler = std::make_shared<SamplerObject>(context_, handle, *samplers_)};
}

struct DescriptorHeaps::SlotOf {
    DescriptorHeaps& heaps;

    Result<DescriptorSlot> operator()(const device::ConstantBufferView& view) const {
        return heaps.buffer_slot(view.buffer, view.offset_bytes, view.size_bytes, DescriptorType::kConstantBuffer);
    }
    Result<DescriptorSlot> operator()(const device::BufferView& view) const {
        return heaps.buffer_slot(view.buffer, view.offset_bytes, view.size_bytes,
                                 view.writable ? DescriptorType::kWrittenBuffer : DescriptorType::kReadBuffer);
    }
    Result<DescriptorSlot> operator()(const device::ImageView& view) const {
        return heaps.image_slot(view.image, view.mip_level, view.array_layer,
                                view.writable ? DescriptorType::kWrittenImage : DescriptorType::kReadImage);
    }
    Result<DescriptorSlot> operator()(const device::RenderTargetView& view) const {
        return heaps.image_slot(view.image, view.mip_level, view.array_layer, DescriptorType::kRenderTarget);
    }
    Result<DescriptorSlot> operator()(const device::DepthStencilView& view) const {
        return heaps.image_slot(view.image, view.mip_level, view.array_layer, DescriptorType::kDepthStencil);
    }
    Result<DescriptorSlot> operator()(const device::SamplerDescription& sampler) const {
        return heaps.sampler_slot(sampler);
    }
};

Status DescriptorHeaps::write(device::DescriptorHeapId id, std::uint32_t index, const device::Descriptor& descriptor) {
    HEAPWRIGHT_ASSIGN(DescriptorHeap * heap, range(id, index, 1));
    HEAPWRIGHT_TRY(device::check_kind(heap->request, descriptor));
    // At the limit the sampler that is overwritten makes room for the next one.
    if (std::holds_alternative<device::SamplerDescription>(descriptor) &&
        samplers_->load() >= context_.limits.maxSamplerAllocationCount) {
        heap->slots[index] = {};
    }
    HEAPWRIGHT_ASSIGN(heap->slots[index], std::visit(SlotOf{*this}, descriptor));
    if (heap->store) heap->store->put(index, std::span(heap->slots).subspan(index, 1));
    return {};
}

Status DescriptorHeaps::copy(device::DescriptorHeapId destination, std::uint32_t destination_index,
                             device::DescriptorHeapId source, std::uint32_t source_index, std::uint32_t count) {
    HEAPWRIGHT_ASSIGN(const DescriptorHeap* from, range(source, source_index, count));
    HEAPWRIGHT_ASSIGN(DescriptorHeap * to, range(destination, destination_index, count));
    HEAPWRIGHT_TRY(device::check_copy(from->request, to->request));
    const std::span read = std::span(from->slots).subspan(source_index, count);
    std::copy(read.begin(), read.end(), to->slots.begin() + destination_index);
    if (to->store) to->store->put(destination_index, read);
    return {};
}

void DescriptorHeaps::forget(device::DescriptorHeapId id, std::uint32_t index, std::uint32_t count) {
    if (const auto heap = range(id, index, count)) {
        for (DescriptorSlot& slot : std::span((*heap)->slots).subspan(index, count)) slot = {};
        if ((*heap)->store) (*heap)->store->forget(index, count);
    }
}

namespace {

constexpr std::uint32_t kTimedDescriptors = 4;  // the least that every device takes a stage

}  // namespace

DescriptorHeaps::~DescriptorHeaps() {
    context_.call.vkDestroyDescriptorSetLayout(context_.handle, timed_layout_, nullptr);
}

Result<VkDescriptorSetLayout> DescriptorHeaps::timed_layout() {
    const std::scoped_lock lock(timed_layout_mutex_);
    if (timed_layout_ != VK_NULL_HANDLE) return timed_layout_;
    const VkDescriptorSetLayoutBinding binding{.binding = 0,
                                               .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                               .descriptorCount = kTimedDescriptors,
                                               .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                               .pImmutableSamplers = nullptr};
    const VkDescriptorSetLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .pNext = nullptr,
                                               .flags = 0,
                                               .bindingCount = 1,
                                               .pBindings = &binding};
    HEAPWRIGHT_TRY(check(context_.call.vkCreateDescriptorSetLayout(context_.handle, &info, nullptr, &timed_layout_),
                         "vkCreateDescriptorSetLayout"));
    return timed_layout_;
}

Status DescriptorHeaps::create_and_destroy(std::uint32_t times) {
    HEAPWRIGHT_ASSIGN(const VkDescriptorSetLayout layout, timed_layout());
    const VkDescriptorPoolSize size{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = kTimedDescriptors};
    const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                               .pNext = nullptr,
                                               .flags = 0,
                                               .maxSets = 1,
                                               .poolSizeCount = 1,
                                               .pPoolSizes = &size};
    // The bare functions: a breadcrumb a call would be written by all threads to one place.
    const PFN_vkCreateDescriptorPool create_pool = context_.call.vkCreateDescriptorPool;
    const PFN_vkAllocateDescriptorSets allocate_sets = context_.call.vkAllocateDescriptorSets;
    const PFN_vkDestroyDescriptorPool destroy_pool = context_.call.vkDestroyDescriptorPool;
    Status done;
    for (std::uint32_t i = 0; i < times && done; ++i) {
        VkDescriptorPool pool = VK_NULL_HANDLE;
        done = check(create_pool(context_.handle, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
        if (!done) break;
        const VkDescriptorSetAllocateInfo set_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                   .pNext = nullptr,
                                                   .descriptorPool = pool,
                                                   .descriptorSetCount = 1,
                                                   .pSetLayouts = &layout};
        VkDescriptorSet set = VK_NULL_HANDLE;
        done = check(allocate_sets(context_.handle, &set_info, &set), "vkAllocateDescriptorSets");
        destroy_pool(context_.handle, pool, nullptr);
    }
    return done;
}

}  // namespace heapwright::vulkan
