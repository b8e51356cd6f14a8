#include "vulkan/memory_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "core/rollback.hpp"
#include "vulkan/call.hpp"

namespace heapwright::vulkan {

MemorySource::~MemorySource() {
    allocations_.for_each([this](const std::unique_ptr<Held>& held) { memory_.free(held->memory); });
}

Result<device::AllocationId> MemorySource::allocate(const device::AllocationRequest& request) {
    return take({.memory_type = request.memory_type,
                 .size_bytes = request.size_bytes,
                 .priority = request.priority,
                 .device_address = request.device_address});
}

Result<device::AllocationId> MemorySource::take(const MemoryRequest& request) {
    auto held = std::make_unique<Held>();
    HEAPWRIGHT_ASSIGN(held->memory, memory_.allocate(request));
    Rollback taken([this, memory = held->memory] { memory_.free(memory); });
    held->may_be_mapped = memory_.is_host_visible(request.memory_type);
    if (held->may_be_mapped && maps_ == Maps::kAtOnce) HEAPWRIGHT_TRY(map(*held));
    const device::AllocationId id{allocations_.insert(std::move(held))};
    taken.keep();
    return id;
}

void MemorySource::free(device::AllocationId allocation) {
    if (const auto held = allocations_.take(allocation.value)) memory_.free((*held)->memory);
}

Result<MemorySource::Held*> MemorySource::live(device::AllocationId allocation) {
    std::unique_ptr<Held>* held = allocations_.find(allocation.value);
    if (held == nullptr) return fail(ErrorCode::kInvalidArgument, "the device allocation is not live");
    return held->get();
}

const DeviceMemory* MemorySource::find(device::AllocationId allocation) {
    std::unique_ptr<Held>* held = allocations_.find(allocation.value);
    return held == nullptr ? nullptr : &(*held)->memory;
}

std::byte* MemorySource::mapped(device::AllocationId allocation) {
    std::unique_ptr<Held>* held = allocations_.find(allocation.value);
    return held == nullptr ? nullptr : (*held)->mapped.load(std::memory_order_acquire);
}

Result<std::span<std::byte>> MemorySource::map(Held& held) const {
    const auto size = static_cast<std::size_t>(held.memory.size_bytes);
    if (std::byte* const bytes = held.mapped.load(std::memory_order_acquire)) return std::span(bytes, size);
    const std::unique_lock lock(held.mapping);
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, memory_.map(held.memory));
    held.mapped.store(bytes.data(), std::memory_order_release);
    return bytes;
}

DeviceMemory MemorySource::as_mapped(const Held& held) {
    return {.handle = held.memory.handle,
            .size_bytes = held.memory.size_bytes,
            .memory_type = held.memory.memory_type,
            .mapped = held.mapped.load(std::memory_order_acquire)};
}

Result<std::span<std::byte>> MemorySource::map(device::AllocationId allocation) {
    HEAPWRIGHT_ASSIGN(Held * held, live(allocation));
    return map(*held);
}

Status MemorySource::flush(device::AllocationId allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Held* held, live(allocation));
    return memory_.flush(as_mapped(*held), offset_bytes, size_bytes);
}

Status MemorySource::invalidate(device::AllocationId allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Held* held, live(allocation));
    return memory_.invalidate(as_mapped(*held), offset_bytes, size_bytes);
}

namespace {

tl::unexpected<Error> limit_error(ErrorCode code, std::string message, std::uint64_t value, std::uint64_t limit) {
    return fail(Error{
        .code = code, .message = std::move(message), .where = "vkAllocateMemory", .value = value, .limit = limit});
}

}  // namespace

Status MemoryAllocator::check_request(const MemoryRequest& request) const {
    if (request.memory_type.value >= context_.memory.memoryTypeCount) {
        return limit_error(ErrorCode::kInvalidArgument, "the memory type does not exist", request.memory_type.value,
                           context_.memory.memoryTypeCount);
    }
    if (request.size_bytes == 0) {
        return fail(ErrorCode::kInvalidArgument, "an allocation of 0 bytes", "vkAllocateMemory");
    }
    if (request.size_bytes > context_.max_allocation_bytes) {
        return limit_error(ErrorCode::kInvalidArgument, "the allocation is larger than maxMemoryAllocationSize",
                           request.size_bytes, context_.max_allocation_bytes);
    }
    const VkMemoryType& type = context_.memory.memoryTypes[request.memory_type.value];
    const std::uint64_t heap_bytes = context_.memory.memoryHeaps[type.heapIndex].size;
    if (request.size_bytes > heap_bytes) {
        return limit_error(ErrorCode::kOutOfDeviceMemory, "the allocation is larger than its memory heap",
                           request.size_bytes, heap_bytes);
    }
    const auto not_enabled = [&](VkMemoryPropertyFlags property, bool enabled) {
        return (type.propertyFlags & property) != 0 && !enabled;
    };
    if (not_enabled(VK_MEMORY_PROPERTY_PROTECTED_BIT, context_.enabled.protected_memory) ||
        not_enabled(VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD, context_.enabled.device_coherent_memory)) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("memory type {} is protected or device coherent, and the device was created without "
                                "protectedMemory or deviceCoherentMemory",
                                request.memory_type.value),
                    "vkAllocateMemory");
    }
    if (request.device_address && !context_.enabled.buffer_device_address) {
        return fail(ErrorCode::kNotSupported, "the device has no buffer device addresses", "vkAllocateMemory");
    }
    return {};
}

Result<DeviceMemory> MemoryAllocator::allocate(const MemoryRequest& request) {
    HEAPWRIGHT_TRY(check_request(request));
    // Every buffer that a descriptor may point to has an address then.
    const bool device_address =
        request.device_address || (context_.descriptors.is(device::DescriptorForm::kDescriptorBuffer) &&
                                   request.dedicated_image == VK_NULL_HANDLE);

    const VkMemoryPriorityAllocateInfoEXT priority{.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT,
                                                   .pNext = nullptr,
                                                   .priority = std::clamp(request.priority, 0.0f, 1.0f)};
    VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                    .pNext = nullptr,
                                    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                                    .deviceMask = 0};
    if (request.address_is_replayable) flags.flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    VkExportMemoryAllocateInfo exported{
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, .pNext = nullptr, .handleTypes = request.exported_as};
    VkMemoryDedicatedAllocateInfo dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                            .pNext = nullptr,
                                            .image = request.dedicated_image,
                                            .buffer = request.dedicated_buffer};
    const void* chain = context_.enabled.memory_priority ? &priority : nullptr;
    if (device_address) {
        flags.pNext = chain;
        chain = &flags;
    }
    if (request.dedicated_image != VK_NULL_HANDLE || request.dedicated_buffer != VK_NULL_HANDLE) {
        dedicated.pNext = chain;
        chain = &dedicated;
    }
    if (request.exported_as != 0) {
        exported.pNext = chain;
        chain = &exported;
    }
    const VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                    .pNext = chain,
                                    .allocationSize = request.size_bytes,
                                    .memoryTypeIndex = request.memory_type.value};

    const std::uint32_t live = live_.fetch_add(1);
    if (live >= context_.limits.maxMemoryAllocationCount) {
        live_.fetch_sub(1);
        return limit_error(ErrorCode::kTooManyObjects, "as many allocations live as maxMemoryAllocationCount allows",
                           live, context_.limits.maxMemoryAllocationCount);
    }
    DeviceMemory memory{.size_bytes = request.size_bytes, .memory_type = request.memory_type};
    const VkResult result = context_.call.vkAllocateMemory(context_.handle, &info, nullptr, &memory.handle);
    if (result != VK_SUCCESS) {
        live_.fetch_sub(1);
        Error error =
            call_error(result, "vkAllocateMemory",
                       fmt::format("{} bytes of memory type {}", request.size_bytes, request.memory_type.value));
        error.value = request.size_bytes;
        return fail(std::move(error));
    }
    used_bytes_[heap_of(request.memory_type)].fetch_add(request.size_bytes);
    return memory;
}

void MemoryAllocator::free(const DeviceMemory& memory) {
    context_.call.vkFreeMemory(context_.handle, memory.handle, nullptr);
    used_bytes_[heap_of(memory.memory_type)].fetch_sub(memory.size_bytes);
    live_.fetch_sub(1);
}

Result<std::span<std::byte>> MemoryAllocator::map(DeviceMemory& memory) const {
    if (memory.mapped == nullptr) {
        if (!is_host_visible(memory.memory_type)) {
            return fail(ErrorCode::kNotSupported,
                        fmt::format("memory type {} is not host visible", memory.memory_type.value), "vkMapMemory");
        }
        void* address = nullptr;
        HEAPWRIGHT_TRY(check(context_.call.vkMapMemory(context_.handle, memory.handle, 0, VK_WHOLE_SIZE, 0, &address),
                             "vkMapMemory"));
        memory.mapped = static_cast<std::byte*>(address);
    }
    return std::span(memory.mapped, static_cast<std::size_t>(memory.size_bytes));
}

Result<VkMappedMemoryRange> MemoryAllocator::widened(const DeviceMemory& memory, std::uint64_t offset_bytes,
                                                     std::uint64_t size_bytes) const {
    if (offset_bytes > memory.size_bytes || size_bytes > memory.size_bytes - offset_bytes) {
        return fail(
            Error{.code = ErrorCode::kOutOfRange,
                  .message = fmt::format("{} bytes at offset {} end beyond the memory", size_bytes, offset_bytes),
                  .where = "VkMappedMemoryRange",
                  .value = offset_bytes,
                  .limit = memory.size_bytes});
    }
    if (memory.mapped == nullptr) {
        return fail(ErrorCode::kInvalidArgument, "the memory is not mapped", "VkMappedMemoryRange");
    }
    const std::uint64_t atom = std::max<std::uint64_t>(1, context_.limits.nonCoherentAtomSize);
    const std::uint64_t begin = align_down(offset_bytes, atom);
    const std::uint64_t end = std::min(align_up(offset_bytes + size_bytes, atom), memory.size_bytes);
    return VkMappedMemoryRange{.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
                               .pNext = nullptr,
                               .memory = memory.handle,
                               .offset = begin,
                               .size = end - begin};
}

bool MemoryAllocator::is_coherent(const DeviceMemory& memory) const {
    return (context_.memory.memoryTypes[memory.memory_type.value].propertyFlags &
            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
}

bool MemoryAllocator::is_host_visible(MemoryTypeIndex type) const {
    return (context_.memory.memoryTypes[type.value].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

Status MemoryAllocator::flush(const DeviceMemory& memory, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    if (is_coherent(memory) || size_bytes == 0) return {};
    HEAPWRIGHT_ASSIGN(const VkMappedMemoryRange range, widened(memory, offset_bytes, size_bytes));
    return check(context_.call.vkFlushMappedMemoryRanges(context_.handle, 1, &range), "vkFlushMappedMemoryRanges");
}

Status MemoryAllocator::invalidate(const DeviceMemory& memory, std::uint64_t offset_bytes,
                                   std::uint64_t size_bytes) const {
    if (is_coherent(memory) || size_bytes == 0) return {};
    HEAPWRIGHT_ASSIGN(const VkMappedMemoryRange range, widened(memory, offset_bytes, size_bytes));
    return check(context_.call.vkInvalidateMappedMemoryRanges(context_.handle, 1, &range),
                 "vkInvalidateMappedMemoryRanges");
}

std::vector<model::HeapBudget> MemoryAllocator::budgets() const {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    if (context_.enabled.memory_budget) {
        VkPhysicalDeviceMemoryProperties2 properties{};
        properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
        properties.pNext = &budget;
        context_.instance->functions().get_memory_properties2(context_.physical, &properties);
    }
    std::vector<model::HeapBudget> budgets;
    for (std::uint32_t i = 0; i < context_.memory.memoryHeapCount; ++i) {
        if (context_.enabled.memory_budget) {
            budgets.push_back({.budget_bytes = budget.heapBudget[i], .usage_bytes = budget.heapUsage[i]});
        } else {
            budgets.push_back(
                {.budget_bytes = context_.memory.memoryHeaps[i].size, .usage_bytes = used_bytes_[i].load()});
        }
    }
    return budgets;
}

}  // namespace heapwright::vulkan
