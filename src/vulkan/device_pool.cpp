#include "heapwright/vulkan/device_pool.hpp"

#include <functional>
#include <utility>
#include <variant>

#include "contract/bucket_choice.hpp"
#include "core/rollback.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "vulkan/adopted_device.hpp"
#include "vulkan/call.hpp"
#include "vulkan/device_pool_parts.hpp"
#include "vulkan/requirement_query.hpp"

namespace heapwright::vulkan {

DevicePool::DevicePool(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

DevicePool::~DevicePool() {
    // The device is idle, so that every value has passed. The chunks go with the placer, their places with them.
    parts_->records.for_each([this](const Record& record) { parts_->destroy(record); });
}

Result<std::unique_ptr<DevicePool>> DevicePool::create(const PoolDevice& device, const model::DevicePolicy& policy,
                                                       const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), policy, std::move(index), options);
    parts->explanation = "the policy that the program gave\n";
    return std::unique_ptr<DevicePool>(new DevicePool(std::move(parts)));
}

Result<std::unique_ptr<DevicePool>> DevicePool::create_from_document(const PoolDevice& device,
                                                                     std::string_view document, std::string_view source,
                                                                     const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy fitting, fitting_policy(adopted->facts(), document, source));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), fitting.policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), fitting.policy, std::move(index), options);
    parts->explanation = std::move(fitting.explanation);
    parts->workload_name = std::move(fitting.workload_name);
    return std::unique_ptr<DevicePool>(new DevicePool(std::move(parts)));
}

Result<std::unique_ptr<DevicePool>> DevicePool::create_without_policy(const PoolDevice& device,
                                                                      const std::string& workload,
                                                                      const pool::PoolOptions& options) {
    HEAPWRIGHT_ASSIGN(std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    HEAPWRIGHT_ASSIGN(FittingPolicy made, made_policy(adopted->facts(), workload));
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(adopted->facts(), made.policy));
    auto parts = std::make_unique<Parts>(std::move(adopted), made.policy, std::move(index), options);
    parts->explanation = std::move(made.explanation);
    parts->workload_name = std::move(made.workload_name);
    return std::unique_ptr<DevicePool>(new DevicePool(std::move(parts)));
}

Result<AllocationInfo> DevicePool::info(PoolAllocation allocation) const {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    return record->info;
}

Result<std::span<std::byte>> DevicePool::map(PoolAllocation allocation) {
    HEAPWRIGHT_ASSIGN(Record * record, parts_->live(allocation));
    return parts_->map(*record);
}

namespace {

Status check_range(const Record& record, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    if (offset_bytes <= record.info.size_bytes && size_bytes <= record.info.size_bytes - offset_bytes) return {};
    return fail({.code = ErrorCode::kOutOfRange,
                 .message = "the range ends beyond the allocation",
                 .where = "offset_bytes",
                 .value = offset_bytes,
                 .limit = record.info.size_bytes});
}

}  // namespace

Status DevicePool::flush(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_TRY(check_range(*record, offset_bytes, size_bytes));
    if (!record->placement) return parts_->memory.flush(record->own_memory, offset_bytes, size_bytes);
    return parts_->source.flush(record->placement->memory, record->info.offset_bytes + offset_bytes, size_bytes);
}

Status DevicePool::invalidate(PoolAllocation allocation, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    HEAPWRIGHT_ASSIGN(const Record* record, parts_->live(allocation));
    HEAPWRIGHT_TRY(check_range(*record, offset_bytes, size_bytes));
    if (!record->placement) return parts_->memory.invalidate(record->own_memory, offset_bytes, size_bytes);
    return parts_->source.invalidate(record->placement->memory, record->info.offset_bytes + offset_bytes, size_bytes);
}

Status DevicePool::free(PoolAllocation allocation) {
    const std::optional<Record> record = parts_->records.take(allocation.value);
    if (!record) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    parts_->destroy(*record);
    return parts_->give_back(*record);
}

Status DevicePool::free_after(PoolAllocation allocation, TimelineValue last_use) {
    const std::uint64_t waiting = parts_->records.rename(allocation.value);
    if (waiting == 0) return fail(ErrorCode::kInvalidArgument, "the allocation is not live");
    Rollback renamed([&] { parts_->records.undo_rename(waiting, allocation.value); });
    const Record& record = *parts_->records.find(waiting);
    parts_->placer.release({.resource = device::ResourceId{waiting},
                            .placement = record.placement,
                            .dedicated = record.dedicated,
                            .last_use = last_use});
    renamed.keep();
    return {};
}

Status DevicePool::collect(TimelineValue completed) {
    return parts_->placer.release_completed(completed, [this](device::ResourceId waiting) {
        if (const auto record = parts_->records.take(waiting.value)) parts_->destroy(*record);
    });
}

std::uint64_t DevicePool::trim() {
    return parts_->placer.trim();
}

std::size_t DevicePool::live_allocations() const {
    return parts_->records.size() - parts_->placer.pending_count();
}

pool::PoolFigures DevicePool::figures() const {
    return parts_->placer.figures();
}

std::vector<model::HeapBudget> DevicePool::budgets() const {
    return parts_->memory.budgets();
}

const model::DevicePolicy& DevicePool::policy() const {
    return parts_->placer.policy();
}

const model::DeviceReport& DevicePool::facts() const {
    return parts_->device->facts();
}

const std::string& DevicePool::policy_explanation() const {
    return parts_->explanation;
}

std::string DevicePool::policy_document() const {
    model::Policy document;
    document.header.tool_version = kVersion;
    document.workload_name = parts_->workload_name;
    document.devices = {policy()};
    return model::write(document);
}

Status DevicePool::validate_invariants() const {
    return parts_->placer.validate_invariants();
}

// From a resource to bound memory, and back.

namespace {

bool host_touches(model::MemoryUse use) {
    return use != model::MemoryUse::kDeviceOnly;
}

}  // namespace

Status check_supported(const VkBufferCreateInfo& info) {
    if ((info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) == 0) return {};
    return fail(ErrorCode::kNotSupported, "a sparse buffer has no one place in memory", "VkBufferCreateInfo::flags");
}

Status check_supported(const VkImageCreateInfo& info) {
    if ((info.flags & (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_DISJOINT_BIT)) == 0) return {};
    return fail(ErrorCode::kNotSupported, "a sparse or disjoint image has no one place in memory",
                "VkImageCreateInfo::flags");
}

contract::Request request_for_buffer(const model::MemoryRequirements& requirements, const AllocationOptions& options) {
    return {.requirements = requirements,
            .resource_class = model::ResourceClass::kLinear,
            .use = options.use,
            .transient_attachment = false,
            .own_memory = options.dedicated ? model::OwnMemory::kAlways : model::OwnMemory::kAuto};
}

contract::Request request_for_image(const model::MemoryRequirements& requirements, VkImageTiling tiling,
                                    VkImageUsageFlags usage, const AllocationOptions& options) {
    const bool linear = tiling == VK_IMAGE_TILING_LINEAR;
    // A modifier may stand for either class of bufferImageGranularity: such an image has no neighbours.
    const bool either = tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    return {.requirements = requirements,
            .resource_class = linear ? model::ResourceClass::kLinear : model::ResourceClass::kOptimal,
            .use = options.use,
            .transient_attachment = (usage & VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT) != 0,
            .own_memory = options.dedicated || either ? model::OwnMemory::kAlways : model::OwnMemory::kAuto};
}

model::MemoryRequirements DevicePool::Parts::requirements(VkBuffer buffer) const {
    vulkan::RequirementsAnswer asked;
    const VkBufferMemoryRequirementsInfo2 question{
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .buffer = buffer};
    call().vkGetBufferMemoryRequirements2(handle(), &question, &asked.answer);
    return asked.result();
}

model::MemoryRequirements DevicePool::Parts::requirements(VkImage image) const {
    vulkan::RequirementsAnswer asked;
    const VkImageMemoryRequirementsInfo2 question{
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .pNext = nullptr, .image = image};
    call().vkGetImageMemoryRequirements2(handle(), &question, &asked.answer);
    return asked.result();
}

Status DevicePool::Parts::bind(const Native& native, const AllocationInfo& info) const {
    if (native.buffer != VK_NULL_HANDLE) {
        return vulkan::check(call().vkBindBufferMemory(handle(), native.buffer, info.memory, info.offset_bytes),
                             "vkBindBufferMemory");
    }
    if (native.image == VK_NULL_HANDLE) return {};
    return vulkan::check(call().vkBindImageMemory(handle(), native.image, info.memory, info.offset_bytes),
                         "vkBindImageMemory");
}

Result<std::span<std::byte>> DevicePool::Parts::map(Record& record) {
    const auto size = static_cast<std::size_t>(record.info.size_bytes);
    if (record.placement) {
        HEAPWRIGHT_ASSIGN(const std::span<std::byte> chunk, source.map(record.placement->memory));
        const std::scoped_lock lock(map_mutex);
        record.info.mapped = chunk.data() + record.info.offset_bytes;
        return std::span(record.info.mapped, size);
    }
    const std::scoped_lock lock(map_mutex);
    HEAPWRIGHT_ASSIGN(const std::span<std::byte> whole, memory.map(record.own_memory));
    record.info.mapped = whole.data();
    return std::span(record.info.mapped, size);
}

void DevicePool::Parts::destroy(const Record& record) {
    if (record.info.owns_resource) {
        if (record.info.buffer != VK_NULL_HANDLE) call().vkDestroyBuffer(handle(), record.info.buffer, nullptr);
        if (record.info.image != VK_NULL_HANDLE) call().vkDestroyImage(handle(), record.info.image, nullptr);
    }
    if (!record.placement) memory.free(record.own_memory);
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

Result<PoolAllocation> DevicePool::Parts::place(const Native& native, const contract::Request& request) {
    using pool::MemoryPlacer;
    const model::MemoryRequirements& requirements = request.requirements;
    Record record;
    record.info = {
        .buffer = native.buffer, .image = native.image, .size_bytes = requirements.size_bytes, .owns_resource = false};
    auto make = [&](MemoryTypeIndex type) -> Status {
        HEAPWRIGHT_ASSIGN(
            record.own_memory,
            memory.allocate({.memory_type = type,
                             .size_bytes = requirements.size_bytes,
                             .priority = placer.priority_alone(requirements, request.resource_class, type),
                             .device_address = device->open().enabled.buffer_device_address &&
                                               request.resource_class == model::ResourceClass::kLinear,
                             .dedicated_buffer = native.buffer,
                             .dedicated_image = native.image}));
        return {};
    };
    HEAPWRIGHT_ASSIGN(const MemoryPlacer::Placed placed, placer.place(request, std::ref(make)));
    if (const auto* place = std::get_if<pool::Placement>(&placed)) {
        record.placement = *place;
        record.info.memory = source.find(record.placement->memory)->handle;
        record.info.offset_bytes = record.placement->offset_bytes;
        record.info.memory_type = record.placement->memory_type.value;
        record.info.bucket = record.placement->bucket;
    } else {
        record.dedicated = std::get<pool::DedicatedAllocation>(placed);
        record.info.memory = record.own_memory.handle;
        record.info.memory_type = record.dedicated.memory_type.value;
        record.info.dedicated = true;
    }
    Rollback counted([&] {
        destroy(record);
        (void)give_back(record);
    });
    HEAPWRIGHT_TRY(bind(native, record.info));
    if (host_touches(request.use) && memory.is_host_visible({record.info.memory_type})) HEAPWRIGHT_TRY(map(record));
    Record ready = record;
    ready.info.owns_resource = native.owned;
    const PoolAllocation allocation{records.insert(std::move(ready))};
    counted.keep();
    return allocation;
}

Result<CreatedBuffer> DevicePool::create_buffer(const VkBufferCreateInfo& info, const AllocationOptions& options) {
    HEAPWRIGHT_TRY(check_supported(info));
    CreatedBuffer created;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateBuffer(parts_->handle(), &info, nullptr, &created.buffer),
                                 "vkCreateBuffer"));
    Rollback made([&] { parts_->call().vkDestroyBuffer(parts_->handle(), created.buffer, nullptr); });
    HEAPWRIGHT_ASSIGN(created.allocation,
                      parts_->place({.buffer = created.buffer, .owned = true},
                                    request_for_buffer(parts_->requirements(created.buffer), options)));
    made.keep();
    return created;
}

Result<CreatedImage> DevicePool::create_image(const VkImageCreateInfo& info, const AllocationOptions& options) {
    HEAPWRIGHT_TRY(check_supported(info));
    CreatedImage created;
    HEAPWRIGHT_TRY(
        vulkan::check(parts_->call().vkCreateImage(parts_->handle(), &info, nullptr, &created.image), "vkCreateImage"));
    Rollback made([&] { parts_->call().vkDestroyImage(parts_->handle(), created.image, nullptr); });
    HEAPWRIGHT_ASSIGN(created.allocation, parts_->place({.image = created.image, .owned = true},
                                                        request_for_image(parts_->requirements(created.image),
                                                                          info.tiling, info.usage, options)));
    made.keep();
    return created;
}

Result<PoolAllocation> DevicePool::bind_buffer(VkBuffer buffer, const AllocationOptions& options) {
    if (buffer == VK_NULL_HANDLE) return fail(ErrorCode::kInvalidArgument, "a buffer is needed");
    return parts_->place({.buffer = buffer}, request_for_buffer(parts_->requirements(buffer), options));
}

Result<PoolAllocation> DevicePool::bind_image(VkImage image, VkImageTiling tiling, VkImageUsageFlags usage,
                                              const AllocationOptions& options) {
    if (image == VK_NULL_HANDLE) return fail(ErrorCode::kInvalidArgument, "an image is needed");
    return parts_->place({.image = image}, request_for_image(parts_->requirements(image), tiling, usage, options));
}

Result<PoolAllocation> DevicePool::allocate(const VkMemoryRequirements& requirements,
                                            model::ResourceClass resource_class, const AllocationOptions& options) {
    contract::Request request = request_for_buffer({.size_bytes = requirements.size,
                                                    .alignment_bytes = requirements.alignment,
                                                    .memory_type_bits = requirements.memoryTypeBits},
                                                   options);
    request.resource_class = resource_class;
    return parts_->place({}, request);
}

// Which bucket takes a resource, asked without making it.

BucketAnswer DevicePool::Parts::answer(const contract::Request& request) const {
    const contract::Destination to = contract::destination_of(placer.policy(), placer.index(), request);
    if (to.refused) return {.requirements = request.requirements, .refused = true};
    return {.requirements = request.requirements,
            .dedicated = to.memory_type && !to.bucket,
            .bucket = to.bucket,
            .memory_type = to.memory_type};
}

Result<BucketAnswer> DevicePool::bucket_of(const VkBufferCreateInfo& info, const AllocationOptions& options) const {
    HEAPWRIGHT_TRY(check_supported(info));
    if (parts_->device->open().enabled.maintenance4) {
        vulkan::RequirementsAnswer asked;
        const VkDeviceBufferMemoryRequirements question{
            .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pNext = nullptr, .pCreateInfo = &info};
        parts_->call().vkGetDeviceBufferMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(request_for_buffer(asked.result(), options));
    }
    VkBuffer buffer = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateBuffer(parts_->handle(), &info, nullptr, &buffer),
                                 "vkCreateBuffer", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(buffer);
    parts_->call().vkDestroyBuffer(parts_->handle(), buffer, nullptr);
    return parts_->answer(request_for_buffer(requirements, options));
}

Result<BucketAnswer> DevicePool::bucket_of(const VkImageCreateInfo& info, const AllocationOptions& options) const {
    HEAPWRIGHT_TRY(check_supported(info));
    if (parts_->device->open().enabled.maintenance4) {
        vulkan::RequirementsAnswer asked;
        const VkDeviceImageMemoryRequirements question{.sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_MEMORY_REQUIREMENTS,
                                                       .pNext = nullptr,
                                                       .pCreateInfo = &info,
                                                       .planeAspect = VK_IMAGE_ASPECT_NONE};
        parts_->call().vkGetDeviceImageMemoryRequirements(parts_->handle(), &question, &asked.answer);
        return parts_->answer(request_for_image(asked.result(), info.tiling, info.usage, options));
    }
    VkImage image = VK_NULL_HANDLE;
    HEAPWRIGHT_TRY(vulkan::check(parts_->call().vkCreateImage(parts_->handle(), &info, nullptr, &image),
                                 "vkCreateImage", "to ask for its requirements"));
    const model::MemoryRequirements requirements = parts_->requirements(image);
    parts_->call().vkDestroyImage(parts_->handle(), image, nullptr);
    return parts_->answer(request_for_image(requirements, info.tiling, info.usage, options));
}

}  // namespace heapwright::vulkan
