// From the parameters of a resource to bound memory, and which bucket takes it.
#include <bit>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "core/rollback.hpp"
#include "vulkan/call.hpp"
#include "vulkan/chain.hpp"
#include "vulkan/device_pool_parts.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

namespace {

bool host_touches(model::MemoryUse use) {
    return use != model::MemoryUse::kDeviceOnly;
}

tl::unexpected<Error> not_supported(const char* why, const char* where) {
    return fail(ErrorCode::kNotSupported, why, where);
}

// Handles of memory that somebody else has allocated, or that is allocated in a way of its own.
constexpr VkExternalMemoryHandleTypeFlags kNotExported =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT |
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_MAPPED_FOREIGN_MEMORY_BIT_EXT |
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID;

Status check_exported(VkExternalMemoryHandleTypeFlags types, const char* where) {
    if ((types & kNotExported) == 0) return {};
    return fail({.code = ErrorCode::kNotSupported,
                 .message = "memory of host allocations and Android hardware buffers is imported: allocate it yourself",
                 .where = where,
                 .value = types & kNotExported});
}

Result<Wanted> wanted_for(const VkBufferCreateInfo& info, const AllocationOptions& options) {
    if ((info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) != 0)
        return not_supported("a sparse buffer has no one place in memory", "VkBufferCreateInfo::flags");
    Wanted wanted;
    wanted.request = {.resource_class = model::ResourceClass::kLinear, .use = options.use};
    if (const auto* external = in_chain<VkExternalMemoryBufferCreateInfo>(
            info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO)) {
        HEAPWRIGHT_TRY(check_exported(external->handleTypes, "VkExternalMemoryBufferCreateInfo::handleTypes"));
        wanted.exported_as = external->handleTypes;
    }
    const auto* address = in_chain<VkBufferOpaqueCaptureAddressCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO);
    if (address != nullptr && address->opaqueCaptureAddress != 0) {
        return not_supported("a buffer at a captured address needs memory that is allocated with its captured address",
                             "VkBufferOpaqueCaptureAddressCreateInfo::opaqueCaptureAddress");
    }
    constexpr VkBufferCreateFlags kReplayed =
        VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT | VK_BUFFER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT;
    wanted.address_is_replayable = (info.flags & kReplayed) != 0;
    wanted.is_protected = (info.flags & VK_BUFFER_CREATE_PROTECTED_BIT) != 0;
    if (options.dedicated || wanted.exported_as != 0 || wanted.address_is_replayable)
        wanted.request.own_memory = model::OwnMemory::kAlways;
    return wanted;
}

Result<Wanted> wanted_for(const VkImageCreateInfo& info, const AllocationOptions& options) {
    if ((info.flags & (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_DISJOINT_BIT)) != 0)
        return not_supported("a sparse or disjoint image has no one place in memory", "VkImageCreateInfo::flags");
    const bool is_linear = info.tiling == VK_IMAGE_TILING_LINEAR;
    // A modifier may stand for either class of bufferImageGranularity: such an image has no neighbours.
    const bool is_either = info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    Wanted wanted;
    wanted.request = {
        .resource_class = is_linear ? model::ResourceClass::kLinear : model::ResourceClass::kOptimal,
        .use = options.use,
        .transient_attachment = (info.usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0,
    };
    if (const auto* external = in_chain<VkExternalMemoryImageCreateInfo>(
            info.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO)) {
        HEAPWRIGHT_TRY(check_exported(external->handleTypes, "VkExternalMemoryImageCreateInfo::handleTypes"));
        wanted.exported_as = external->handleTypes;
    }
    wanted.address_is_replayable = (info.flags & VK_IMAGE_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT) != 0;
    wanted.is_protected = (info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0;
    if (options.dedicated || is_either || wanted.exported_as != 0 || wanted.address_is_replayable)
        wanted.request.own_memory = model::OwnMemory::kAlways;
    return wanted;
}

Wanted with(Wanted wanted, const model::MemoryRequirements& requirements) {
    wanted.request.requirements = requirements;
    return wanted;
}

}  // namespace

model::MemoryRequirements DevicePool::Parts::requirements(VkBuffer buffer) const {
    RequirementsAnswer asked;
    const VkBufferMemoryRequirementsInfo2 question{
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .buffer = buffer};
    call().vkGetBufferMemoryRequirements2(handle(), &question, &asked.answer);
    return asked.result();
}

model::MemoryRequirements DevicePool::Parts::requirements(VkImage image) const {
    RequirementsAnswer asked;
    const VkImageMemoryRequirementsInfo2 question{
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .image = image};
    call().vkGetImageMemoryRequirements2(handle(), &question, &asked.answer);
    return asked.result();
}

Status DevicePool::Parts::bind(const Native& native, const Record& record) {
    const std::uint64_t offset = record.info.offset_bytes;
    if (native.buffer != VK_NULL_HANDLE) {
        const TurnTaken turn(buffer_turns);
        return check(source.bind(record.memory,
                                 [&](VkDeviceMemory into) {
                                     return call().vkBindBufferMemory(handle(), native.buffer, into, offset);
                                 }),
                     "vkBindBufferMemory");
    }
    if (native.image == VK_NULL_HANDLE) return {};
    const TurnTaken turn(image_turns);
    return check(source.bind(record.memory,
                             [&](VkDeviceMemory into) {
                                 return call().vkBindImageMemory(handle(), native.image, into, offset);
                             }),
                 "vkBindImageMemory");
}

Result<VkBuffer> DevicePool::Parts::create(const VkBufferCreateInfo& info) const {
    const TurnTaken turn(buffer_turns);
    VkBuffer buffer = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(check(call().vkCreateBuffer(handle(), &info, nullptr, &buffer), "vkCreateBuffer"));
    return buffer;
}

Result<VkImage> DevicePool::Parts::create(const VkImageCreateInfo& info) const {
    const TurnTaken turn(image_turns);
    VkImage image = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(check(call().vkCreateImage(handle(), &info, nullptr, &image), "vkCreateImage"));
    return image;
}

void DevicePool::Parts::destroy(VkBuffer buffer) const {
    const TurnTaken turn(buffer_turns);
    call().vkDestroyBuffer(handle(), buffer, nullptr);
}

void DevicePool::Parts::destroy(VkImage image) const {
    const TurnTaken turn(image_turns);
    call().vkDestroyImage(handle(), image, nullptr);
}

void DevicePool::Parts::destroy(const Record& record) {
    if (record.info.owns_resource) {
        if (record.info.buffer != VK_NULL_HANDLE) destroy(record.info.buffer);
        if (record.info.image != VK_NULL_HANDLE) destroy(record.info.image);
    }
    if (!record.placement) source.free(record.memory);
}

Status DevicePool::Parts::give_back(const Record& record) {
    if (record.placement) return placer.free(*record.placement);
    placer.free_alone(record.dedicated);
    return {};
}

Result<Record*> DevicePool::Parts::live(PoolAllocation allocation) const {
    Record* record = records.find(allocation.value);
    if (record == nullptr) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    return record;
}

AllocationInfo DevicePool::Parts::info_of(const Record& record) const {
    AllocationInfo info = record.info;
    if (std::byte* const begin = source.mapped(record.memory)) info.mapped = begin + info.offset_bytes;
    return info;
}

Result<Record> DevicePool::Parts::take_memory(const Native& native, const Wanted& wanted) {
    using pool::MemoryPlacer;
    const model::MemoryRequirements& requirements = wanted.request.requirements;
    if (wanted.address_is_replayable && !device->open().enabled.buffer_device_address)
        return not_supported("an address to capture and replay, and the device was created without bufferDeviceAddress",
                             "created_with");
    Record record;
    record.info = {.buffer = native.buffer, .image = native.image, .size_bytes = requirements.size_bytes};
    auto make = [&](MemoryTypeIndex type) -> Status {
        HEAPWRIGHT_ASSIGN(
            record.memory,
            source.take({.memory_type = type,
                         .size_bytes = requirements.size_bytes,
                         .priority = placer.priority_alone(requirements, wanted.request.resource_class, type),
                         .device_address = device->open().enabled.buffer_device_address &&
                                           (wanted.request.resource_class == model::ResourceClass::kLinear ||
                                            wanted.address_is_replayable),
                         .dedicated_buffer = native.buffer,
                         .dedicated_image = native.image,
                         .exported_as = wanted.exported_as,
                         .address_is_replayable = wanted.address_is_replayable}));
        return {};
    };
    const auto note = [&](MemoryTypeIndex type) {
        record.info.memory = source.handle(record.memory);
        record.info.memory_type = type.value;
        record.info.memory_properties = device->open().memory.memoryTypes[type.value].propertyFlags;
    };
    const auto note_alone = [&](const pool::DedicatedAllocation& alone) {
        record.dedicated = alone;
        record.info.dedicated = true;
        note(alone.memory_type);
    };
    if (wanted.is_protected) {
        // Such resources admit protected types alone, which no policy ranks.
        const std::uint32_t bits = requirements.memory_type_bits;
        if (bits == 0) return not_supported("no memory type is protected", "memoryTypeBits");
        const MemoryTypeIndex type{static_cast<std::uint32_t>(std::countr_zero(bits))};
        HEAPWRIGHT_ASSIGN(const pool::DedicatedAllocation alone,
                          placer.allocate_alone(wanted.request, type, std::ref(make)));
        note_alone(alone);
        return record;
    }
    HEAPWRIGHT_ASSIGN(const MemoryPlacer::Placed placed, placer.place(wanted.request, std::ref(make)));
    if (const auto* place = std::get_if<pool::Placement>(&placed)) {
        record.placement = *place;
        record.memory = place->memory;
        record.info.offset_bytes = place->offset_bytes;
        record.info.bucket = place->bucket;
        note(place->memory_type);
    } else {
        note_alone(std::get<pool::DedicatedAllocation>(placed));
    }
    return record;
}

Result<Allocated> DevicePool::Parts::place(const Native& native, Wanted wanted) {
    std::uint32_t& types_left = wanted.request.requirements.memory_type_bits;
    std::optional<Error> unmapped;
    while (true) {
        const Result<Record> memory_taken = take_memory(native, wanted);
        if (!memory_taken) return fail(unmapped ? *unmapped : memory_taken.error());
        const Record& record = *memory_taken;
        Rollback taken([&] {
            destroy(record);
            (void)give_back(record);
        });
        if (host_touches(wanted.request.use) && memory.is_host_visible({record.info.memory_type})) {
            // Before it is bound: a resource is bound once.
            const auto mapped = source.map(record.memory);
            if (!mapped && mapped.error().native_code == VK_ERROR_MEMORY_MAP_FAILED) {
                types_left &= ~(1u << record.info.memory_type);
                if (!unmapped) unmapped = mapped.error();
                continue;
            }
            if (!mapped) return fail(mapped.error());
        }
        Record ready = record;
        ready.info.owns_resource = native.owned;
        Allocated allocated{.allocation = {}, .info = info_of(ready)};
        // Before it is bound, which nothing undoes.
        allocated.allocation = {records.insert(std::move(ready))};
        Rollback kept([&] { (void)records.take(allocated.allocation.value); });
        HEAPWRIGHT_TRY(bind(native, record));
        kept.keep();
        taken.keep();
        return allocated;
    }
}

Result<CreatedBuffer> DevicePool::create_buffer(const VkBufferCreateInfo& info, const AllocationOptions& options) {
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    HEAPWRIGHT_ASSIGN(const VkBuffer buffer, parts_->create(info));
    Rollback made([&] { parts_->destroy(buffer); });
    HEAPWRIGHT_ASSIGN(const Allocated allocated,
                      parts_->place({.buffer = buffer, .owned = true}, with(wanted, parts_->requirements(buffer))));
    made.keep();
    return CreatedBuffer{.buffer = buffer, .allocation = allocated.allocation, .info = allocated.info};
}

Result<CreatedImage> DevicePool::create_image(const VkImageCreateInfo& info, const AllocationOptions& options) {
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    HEAPWRIGHT_ASSIGN(const VkImage image, parts_->create(info));
    Rollback made([&] { parts_->destroy(image); });
    HEAPWRIGHT_ASSIGN(const Allocated allocated,
                      parts_->place({.image = image, .owned = true}, with(wanted, parts_->requirements(image))));
    made.keep();
    return CreatedImage{.image = image, .allocation = allocated.allocation, .info = allocated.info};
}

Result<Allocated> DevicePool::bind_buffer(VkBuffer buffer, const VkBufferCreateInfo& info,
                                          const AllocationOptions& options) {
    if (buffer == VK_NULL_HANDLE) return fail(ErrorCode::kInvalidArgument, "a buffer is needed");
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    return parts_->place({.buffer = buffer}, with(wanted, parts_->requirements(buffer)));
}

Result<Allocated> DevicePool::bind_image(VkImage image, const VkImageCreateInfo& info,
                                         const AllocationOptions& options) {
    if (image == VK_NULL_HANDLE) return fail(ErrorCode::kInvalidArgument, "an image is needed");
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    return parts_->place({.image = image}, with(wanted, parts_->requirements(image)));
}

Result<Allocated> DevicePool::allocate(const VkMemoryRequirements& requirements, model::ResourceClass resource_class,
                                       const AllocationOptions& options) {
    Wanted wanted;
    wanted.request = {.requirements = {.size_bytes = requirements.size,
                                       .alignment_bytes = requirements.alignment,
                                       .memory_type_bits = requirements.memoryTypeBits},
                      .resource_class = resource_class,
                      .use = options.use,
                      .own_memory = options.dedicated ? model::OwnMemory::kAlways : model::OwnMemory::kAuto};
    return parts_->place({}, wanted);
}

// Which bucket takes a resource, asked without making it.

namespace {

// vkGetDeviceImageMemoryRequirements may not be asked about these (VUID-VkDeviceImageMemoryRequirements-pCreateInfo
// 06416, 06776).
bool is_askable(const VkImageCreateInfo& info) {
    return !is_in_chain(info.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR) &&
           !is_in_chain(info.pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
}

}  // namespace

BucketAnswer DevicePool::Parts::answer(const Wanted& wanted) const {
    const model::MemoryRequirements& requirements = wanted.request.requirements;
    if (wanted.is_protected) {
        BucketAnswer answer{.requirements = requirements, .dedicated = requirements.memory_type_bits != 0};
        if (answer.dedicated) answer.memory_type = std::countr_zero(requirements.memory_type_bits);
        return answer;
    }
    const contract::Destination to = contract::destination_of(placer.policy(), placer.index(), wanted.request);
    if (to.refused) return {.requirements = requirements, .refused = true};
    return {.requirements = requirements,
            .dedicated = to.memory_type && !to.bucket,
            .bucket = to.bucket,
            .memory_type = to.memory_type};
}

Result<BucketAnswer> DevicePool::bucket_of(const VkBufferCreateInfo& info, const AllocationOptions& options) const {
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    if (parts_->device->open().enabled.maintenance4) {
        RequirementsAnswer asked;
        const VkDeviceBufferMemoryRequirements question{
            .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pNext = nullptr, .pCreateInfo = &info};
        parts_->call().vkGetDeviceBufferMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(with(wanted, asked.result()));
    }
    HEAPWRIGHT_ASSIGN(const VkBuffer buffer, parts_->create(info));
    const model::MemoryRequirements requirements = parts_->requirements(buffer);
    parts_->destroy(buffer);
    return parts_->answer(with(wanted, requirements));
}

Result<BucketAnswer> DevicePool::bucket_of(const VkImageCreateInfo& info, const AllocationOptions& options) const {
    HEAPWRIGHT_ASSIGN(const Wanted wanted, wanted_for(info, options));
    if (parts_->device->open().enabled.maintenance4 && is_askable(info)) {
        RequirementsAnswer asked;
        const VkDeviceImageMemoryRequirements question{.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                       .pNext = nullptr,
                                                       .pCreateInfo = &info,
                                                       .planeAspect = VK_IMAGE_ASPECT_NONE};
        parts_->call().vkGetDeviceImageMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(with(wanted, asked.result()));
    }
    HEAPWRIGHT_ASSIGN(const VkImage image, parts_->create(info));
    const model::MemoryRequirements requirements = parts_->requirements(image);
    parts_->destroy(image);
    return parts_->answer(with(wanted, requirements));
}

}  // namespace heapwright::vulkan
