#include "vulkan/descriptor_buffer_store.hpp"

#include <algorithm>

#include "core/breadcrumb.hpp"
#include "core/checked.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {
namespace {

VkDeviceAddress address_of(const OpenDevice& context, VkBuffer buffer) {
    const VkBufferDeviceAddressInfo info{
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .pNext = nullptr, .buffer = buffer};
    return context.call.vkGetBufferDeviceAddress(context.handle, &info);
}

// Written by the host and read by every dispatch: coherent, on the device where there is such memory.
std::optional<MemoryTypeIndex> memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t admitted) {
    constexpr VkMemoryPropertyFlags kNeeded =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags kUnusable =
        VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    for (const VkMemoryPropertyFlags wanted : {kNeeded | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kNeeded}) {
        for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
            const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
            if ((admitted >> i & 1) != 0 && (flags & wanted) == wanted && (flags & kUnusable) == 0) {
                return MemoryTypeIndex{i};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

BufferPlan plan_buffer(std::span<const ArrayLayout> arrays, std::uint32_t capacity, std::uint64_t offset_alignment,
                       std::uint64_t least_set_bytes) {
    const std::uint64_t alignment = std::max<std::uint64_t>(1, offset_alignment);
    BufferPlan plan;
    for (const ArrayLayout& array : arrays) {
        plan.size_bytes = align_up(plan.size_bytes, alignment);
        plan.offsets.push_back(plan.size_bytes);
        plan.size_bytes += array.first_byte + array.descriptor_bytes * capacity;
    }
    if (!plan.offsets.empty()) {
        plan.size_bytes = std::max(plan.size_bytes, plan.offsets.back() + align_up(least_set_bytes, alignment));
    }
    return plan;
}

DescriptorBufferStore::DescriptorBufferStore(const OpenDevice& context, const DescriptorLayouts& layouts,
                                             MemoryAllocator& allocator, const StoreRequest& request,
                                             std::uint64_t least_set_bytes)
    : context_(context),
      layouts_(layouts),
      allocator_(allocator),
      arrays_(layouts.arrays(request.kind)),
      usage_(request.kind == device::DescriptorHeapKind::kSampler ? VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT
                                                                  : VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT),
      plan_(plan_buffer(arrays_, request.capacity, context.descriptor_buffer.descriptorBufferOffsetAlignment,
                        least_set_bytes)) {}

Result<std::unique_ptr<DescriptorStore>> DescriptorBufferStore::create(const OpenDevice& context,
                                                                       const DescriptorLayouts& layouts,
                                                                       MemoryAllocator& memory,
                                                                       const StoreRequest& request) {
    std::unique_ptr<DescriptorBufferStore> store(new DescriptorBufferStore(context, layouts, memory, request, 0));
    HEAPWRIGHT_TRY(store->allocate());
    return store;
}

Result<std::unique_ptr<DescriptorStore>> DescriptorBufferStore::create_static_sampler(const OpenDevice& context,
                                                                                      const DescriptorLayouts& layouts,
                                                                                      MemoryAllocator& memory) {
    std::unique_ptr<DescriptorBufferStore> store(new DescriptorBufferStore(
        context, layouts, memory, {.kind = device::DescriptorHeapKind::kSampler, .capacity = 1},
        layouts.static_sampler_set_bytes()));
    HEAPWRIGHT_TRY(store->allocate());
    DescriptorInfo info;
    info.image.sampler = layouts.static_sampler();
    store->write(0, DescriptorType::kSampler, info);
    return store;
}

Status DescriptorBufferStore::allocate() {
    const bool shared = context_.queue_families.size() > 1;
    const VkBufferCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = nullptr,
        .flags = 0,
        .size = plan_.size_bytes,
        .usage = usage_ | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? static_cast<std::uint32_t>(context_.queue_families.size()) : 0u,
        .pQueueFamilyIndices = context_.queue_families.data()};
    leave_breadcrumb("vkCreateBuffer", "a descriptor buffer");
    HEAPWRIGHT_TRY(check(context_.call.vkCreateBuffer(context_.handle, &info, nullptr, &buffer_), "vkCreateBuffer",
                         "a descriptor buffer"));
    VkMemoryRequirements requirements{};
    context_.call.vkGetBufferMemoryRequirements(context_.handle, buffer_, &requirements);
    const auto type = memory_type(context_.memory, requirements.memoryTypeBits);
    if (!type) {
        return fail(ErrorCode::kNotSupported, "no coherent memory type admits a descriptor buffer",
                    "vkGetBufferMemoryRequirements");
    }
    HEAPWRIGHT_ASSIGN(memory_, allocator_.allocate({.memory_type = *type,
                                                    .size_bytes = requirements.size,
                                                    .device_address = true,
                                                    .dedicated_buffer = buffer_}));
    HEAPWRIGHT_TRY(check(context_.call.vkBindBufferMemory(context_.handle, buffer_, memory_.handle, 0),
                         "vkBindBufferMemory", "a descriptor buffer"));
    HEAPWRIGHT_TRY(allocator_.map(memory_));
    address_ = address_of(context_, buffer_);
    return {};
}

DescriptorBufferStore::~DescriptorBufferStore() {
    context_.call.vkDestroyBuffer(context_.handle, buffer_, nullptr);
    if (memory_.handle != VK_NULL_HANDLE) allocator_.free(memory_);
}

VkDescriptorBufferBindingInfoEXT DescriptorBufferStore::buffer() const {
    return {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
            .pNext = nullptr,
            .address = address_,
            .usage = usage_};
}

void DescriptorBufferStore::write(std::uint32_t index, DescriptorType type, const DescriptorInfo& info) {
    const ArrayLayout* array = layouts_.array_of(type);
    if (array == nullptr) return;
    const auto position = static_cast<std::size_t>(array - arrays_.data());
    VkDescriptorAddressInfoEXT address{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
                                       .pNext = nullptr,
                                       .address = 0,
                                       .range = info.buffer.range,
                                       .format = VK_FORMAT_UNDEFINED};
    VkDescriptorGetInfoEXT get{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .pNext = nullptr, .type = vk_type(type), .data = {}};
    std::size_t bytes = 0;
    const VkPhysicalDeviceDescriptorBufferPropertiesEXT& sizes = context_.descriptor_buffer;
    switch (type) {
        case DescriptorType::kConstantBuffer:
            get.data.pUniformBuffer = &address;
            bytes = sizes.uniformBufferDescriptorSize;
            break;
        case DescriptorType::kReadBuffer:
        case DescriptorType::kWrittenBuffer:
            get.data.pStorageBuffer = &address;
            bytes = sizes.storageBufferDescriptorSize;
            break;
        case DescriptorType::kReadImage:
            get.data.pSampledImage = &info.image;
            bytes = sizes.sampledImageDescriptorSize;
            break;
        case DescriptorType::kWrittenImage:
            get.data.pStorageImage = &info.image;
            bytes = sizes.storageImageDescriptorSize;
            break;
        default:
            get.data.pSampler = &info.image.sampler;
            bytes = sizes.samplerDescriptorSize;
            break;
    }
    if (info.buffer.buffer != VK_NULL_HANDLE) {
        address.address = address_of(context_, info.buffer.buffer) + info.buffer.offset;
    }
    std::byte* destination = memory_.mapped + plan_.offsets[position] + array->first_byte +
                             static_cast<std::uint64_t>(index) * array->descriptor_bytes;
    context_.call.vkGetDescriptorEXT(context_.handle, &get, bytes, destination);
}

void DescriptorBufferStore::put(std::uint32_t first, std::span<const DescriptorSlot> slots) {
    for (const DescriptorSlot& slot : slots) write(first++, slot.type, info_of(slot));
}

}  // namespace heapwright::vulkan
