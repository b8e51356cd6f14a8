#include "vulkan/resource_binder.hpp"

#include "core/breadcrumb.hpp"
#include "vulkan/call.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {
namespace {

const model::ImageDescription* as_image(const model::ResourceDescription& resource) {
    return std::get_if<model::ImageDescription>(&resource);
}

const model::BufferDescription* as_buffer(const model::ResourceDescription& resource) {
    return std::get_if<model::BufferDescription>(&resource);
}

// A descriptor buffer points to buffers by their addresses.
VkBufferCreateInfo create_info_of(const OpenDevice& context, const model::BufferDescription& buffer,
                                  std::span<const std::uint32_t> families) {
    VkBufferCreateInfo info = buffer_create_info(buffer, families);
    constexpr model::Flags kDescribed = model::buffer_usage::kUniform | model::buffer_usage::kStorage;
    if (context.descriptors.is(device::DescriptorForm::kDescriptorBuffer) && (buffer.usage & kDescribed) != 0) {
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    }
    return info;
}

}  // namespace

ResourceBinder::~ResourceBinder() {
    resources_.for_each([this](const Resource& resource) { release(resource); });
}

Status ResourceBinder::check(const model::ResourceDescription& resource) {
    if (const auto* image = as_image(resource)) return support_.check_image(*image);
    return support_.check_buffer(*as_buffer(resource));
}

Result<Resource> ResourceBinder::create(const model::ResourceDescription& resource,
                                        std::span<const std::uint32_t> families) {
    Resource created{.description = resource};
    if (const auto* image = as_image(resource)) {
        const VkImageCreateInfo info = image_create_info(*image, families);
        leave_breadcrumb("vkCreateImage");
        HEAPWRIGHT_TRY(vulkan::check(context_.call.vkCreateImage(context_.handle, &info, nullptr, &created.image),
                                     "vkCreateImage"));
    } else {
        const VkBufferCreateInfo info = create_info_of(context_, *as_buffer(resource), families);
        leave_breadcrumb("vkCreateBuffer");
        HEAPWRIGHT_TRY(vulkan::check(context_.call.vkCreateBuffer(context_.handle, &info, nullptr, &created.buffer),
                                     "vkCreateBuffer"));
    }
    return created;
}

model::MemoryRequirements ResourceBinder::requirements_of(const Resource& resource) const {
    RequirementsAnswer query;
    if (resource.image != VK_NULL_HANDLE) {
        const VkImageMemoryRequirementsInfo2 info{
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .image = resource.image};
        context_.call.vkGetImageMemoryRequirements2(context_.handle, &info, &query.answer);
    } else {
        const VkBufferMemoryRequirementsInfo2 info{
            .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .buffer = resource.buffer};
        context_.call.vkGetBufferMemoryRequirements2(context_.handle, &info, &query.answer);
    }
    return query.result();
}

Result<model::MemoryRequirements> ResourceBinder::requirements(const model::ResourceDescription& resource) {
    HEAPWRIGHT_TRY(check(resource));
    if (const auto known = known_.find(resource)) return *known;
    if (!context_.enabled.maintenance4) {
        HEAPWRIGHT_ASSIGN(const Resource temporary, create(resource, context_.queue_families));
        const model::MemoryRequirements requirements = requirements_of(temporary);
        release(temporary);
        known_.insert(resource, requirements);
        return requirements;
    }
    RequirementsAnswer query;
    if (const auto* image = as_image(resource)) {
        const VkImageCreateInfo create_info = image_create_info(*image, context_.queue_families);
        const VkDeviceImageMemoryRequirements info{.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                   .pNext = nullptr,
                                                   .pCreateInfo = &create_info,
                                                   .planeAspect = VK_IMAGE_ASPECT_NONE};
        leave_breadcrumb("vkGetDeviceImageMemoryRequirements");
        context_.call.vkGetDeviceImageMemoryRequirements(context_.handle, &info, &query.answer);
    } else {
        const VkBufferCreateInfo create_info = create_info_of(context_, *as_buffer(resource), context_.queue_families);
        const VkDeviceBufferMemoryRequirements info{.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                                    .pNext = nullptr,
                                                    .pCreateInfo = &create_info};
        leave_breadcrumb("vkGetDeviceBufferMemoryRequirements");
        context_.call.vkGetDeviceBufferMemoryRequirements(context_.handle, &info, &query.answer);
    }
    known_.insert(resource, query.result());
    return query.result();
}

Status ResourceBinder::bind(const Resource& resource, VkDeviceMemory memory, std::uint64_t offset_bytes) const {
    if (resource.image != VK_NULL_HANDLE) {
        return vulkan::check(context_.call.vkBindImageMemory(context_.handle, resource.image, memory, offset_bytes),
                             "vkBindImageMemory");
    }
    return vulkan::check(context_.call.vkBindBufferMemory(context_.handle, resource.buffer, memory, offset_bytes),
                         "vkBindBufferMemory");
}

Result<device::ResourceId> ResourceBinder::create_placed(const model::ResourceDescription& resource,
                                                         device::AllocationId allocation, std::uint64_t offset_bytes) {
    const DeviceMemory* memory = source_.find(allocation);
    if (memory == nullptr) return fail(ErrorCode::kInvalidArgument, "the device allocation is not live");
    HEAPWRIGHT_TRY(check(resource));
    HEAPWRIGHT_ASSIGN(Resource created, create(resource, context_.queue_families));
    // The layer asks that requirements were read before memory is bound; the query costs well under a microsecond.
    if (context_.instance->validates()) static_cast<void>(requirements_of(created));
    if (Status bound = bind(created, memory->handle, offset_bytes); !bound) {
        release(created);
        return fail(std::move(bound.error()));
    }
    return device::ResourceId{resources_.insert(std::move(created))};
}

Result<device::ResourceId> ResourceBinder::create_dedicated(const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float priority) {
    HEAPWRIGHT_TRY(check(resource));
    HEAPWRIGHT_ASSIGN(Resource created, create(resource, context_.queue_families));
    return with_memory(std::move(created), memory_type, priority);
}

Result<device::ResourceId> ResourceBinder::create_exclusive(const model::ResourceDescription& resource,
                                                            MemoryTypeIndex memory_type, float priority) {
    HEAPWRIGHT_TRY(check(resource));
    HEAPWRIGHT_ASSIGN(Resource created, create(resource, {}));
    created.is_exclusive = context_.queue_families.size() > 1;
    return with_memory(std::move(created), memory_type, priority);
}

Status ResourceBinder::give_memory(Resource& created, MemoryTypeIndex memory_type, float priority) {
    const model::MemoryRequirements requirements = requirements_of(created);
    if (memory_type.value >= 32 || ((requirements.memory_type_bits >> memory_type.value) & 1) == 0) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the resource cannot lie in this memory type",
                          .where = "VkMemoryRequirements::memoryTypeBits",
                          .value = memory_type.value,
                          .limit = requirements.memory_type_bits});
    }
    const auto* buffer = as_buffer(created.description);
    HEAPWRIGHT_ASSIGN(
        const DeviceMemory memory,
        memory_.allocate(
            {.memory_type = memory_type,
             .size_bytes = requirements.size_bytes,
             .priority = priority,
             .device_address = buffer != nullptr && (buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0,
             .dedicated_buffer = created.buffer,
             .dedicated_image = created.image}));
    if (Status bound = bind(created, memory.handle, 0); !bound) {
        memory_.free(memory);
        return bound;
    }
    created.dedicated = memory;
    return {};
}

Result<device::ResourceId> ResourceBinder::with_memory(Resource created, MemoryTypeIndex memory_type, float priority) {
    if (Status given = give_memory(created, memory_type, priority); !given) {
        release(created);
        return fail(std::move(given.error()));
    }
    return device::ResourceId{resources_.insert(std::move(created))};
}

Result<device::ResourceBinder::Begun> ResourceBinder::begin(const model::ResourceDescription& resource) {
    auto known = known_.find(resource);
    // What was asked about is supported, but of buffers any other size than that one may be too much.
    const auto* buffer = as_buffer(resource);
    if (!known || (buffer != nullptr && (buffer->size_bytes == 0 || buffer->size_bytes > context_.max_buffer_bytes)))
        HEAPWRIGHT_TRY(check(resource));
    HEAPWRIGHT_ASSIGN(Resource created, create(resource, context_.queue_families));
    // The layer asks that requirements were read before memory is bound.
    if (!known || context_.instance->validates()) {
        const model::MemoryRequirements asked = requirements_of(created);
        if (!known) {
            known = asked;
            known_.insert(resource, asked);
        }
    }
    return Begun{.id = device::ResourceId{resources_.insert(std::move(created))}, .requirements = *known};
}

Result<device::ResourceId> ResourceBinder::bind_placed(const Begun& begun, const model::ResourceDescription&,
                                                       device::AllocationId allocation, std::uint64_t offset_bytes) {
    const DeviceMemory* memory = source_.find(allocation);
    const Resource* resource = find(begun.id);
    if (memory == nullptr || resource == nullptr)
        return fail(ErrorCode::kInvalidArgument, "the device allocation or the resource is not live");
    HEAPWRIGHT_TRY(bind(*resource, memory->handle, offset_bytes));
    return begun.id;
}

Result<device::ResourceId> ResourceBinder::bind_dedicated(const Begun& begun, const model::ResourceDescription&,
                                                          MemoryTypeIndex memory_type, float priority) {
    Resource* resource = find(begun.id);
    if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "the resource is not live");
    HEAPWRIGHT_TRY(give_memory(*resource, memory_type, priority));
    return begun.id;
}

void ResourceBinder::release(const Resource& resource) {
    if (resource.image != VK_NULL_HANDLE) context_.call.vkDestroyImage(context_.handle, resource.image, nullptr);
    if (resource.buffer != VK_NULL_HANDLE) context_.call.vkDestroyBuffer(context_.handle, resource.buffer, nullptr);
    if (resource.dedicated) memory_.free(*resource.dedicated);
}

void ResourceBinder::destroy(device::ResourceId resource) {
    if (const auto gone = resources_.take(resource.value)) release(*gone);
}

Status ResourceBinder::create_and_destroy(const model::ResourceDescription& resource, device::AllocationId,
                                          std::uint64_t, std::uint32_t times) {
    HEAPWRIGHT_TRY(check(resource));
    // The bare functions and nothing else: threads that take turns in the driver come here for one pair at a time, and
    // a breadcrumb a call would be written by all of them to one place. Of one queue family, as engines create most.
    VkResult result = VK_SUCCESS;
    if (const auto* image = as_image(resource)) {
        const PFN_vkCreateImage create_image = context_.call.vkCreateImage;
        const PFN_vkDestroyImage destroy_image = context_.call.vkDestroyImage;
        const VkImageCreateInfo info = image_create_info(*image, {});
        for (std::uint32_t i = 0; i < times && result == VK_SUCCESS; ++i) {
            VkImage created = VK_NULL_HANDLE;
            result = create_image(context_.handle, &info, nullptr, &created);
            if (result == VK_SUCCESS) destroy_image(context_.handle, created, nullptr);
        }
        return vulkan::check(result, "vkCreateImage");
    }
    const PFN_vkCreateBuffer create_buffer = context_.call.vkCreateBuffer;
    const PFN_vkDestroyBuffer destroy_buffer = context_.call.vkDestroyBuffer;
    const VkBufferCreateInfo info = create_info_of(context_, *as_buffer(resource), {});
    for (std::uint32_t i = 0; i < times && result == VK_SUCCESS; ++i) {
        VkBuffer created = VK_NULL_HANDLE;
        result = create_buffer(context_.handle, &info, nullptr, &created);
        if (result == VK_SUCCESS) destroy_buffer(context_.handle, created, nullptr);
    }
    return vulkan::check(result, "vkCreateBuffer");
}

Result<std::span<std::byte>> ResourceBinder::map_dedicated(device::ResourceId id) {
    Resource* resource = find(id);
    if (resource == nullptr) return fail(ErrorCode::kInvalidArgument, "the resource is not live");
    if (!resource->dedicated) {
        return fail(ErrorCode::kInvalidArgument, "a placed resource is mapped through its device allocation");
    }
    const std::scoped_lock lock(map_mutex_);
    DeviceMemory& memory = *resource->dedicated;
    const bool first = memory.mapped == nullptr;
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, memory_.map(memory));
    // Host writes since the last submission would be lost if the range were invalidated before they are flushed.
    if (!first) HEAPWRIGHT_TRY(memory_.flush(memory, 0, memory.size_bytes));
    HEAPWRIGHT_TRY(memory_.invalidate(memory, 0, memory.size_bytes));
    return bytes;
}

Status ResourceBinder::flush_host_writes(const Resource& resource) {
    if (!resource.dedicated) return {};
    const std::scoped_lock lock(map_mutex_);
    if (resource.dedicated->mapped == nullptr) return {};
    return memory_.flush(*resource.dedicated, 0, resource.dedicated->size_bytes);
}

}  // namespace heapwright::vulkan
