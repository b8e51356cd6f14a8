#include "validate/scene_memory.hpp"

#include <algorithm>
#include <cstring>

#include "core/checked.hpp"
#include "validate/content_driver.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kGranule = 256;  // of offsets: constant buffers need as much

}  // namespace

Result<std::unique_ptr<SceneMemory>> SceneMemory::create(device::Device& device, const model::DevicePolicy& policy,
                                                         model::MemoryUse use, const model::ResourceDescription& sample,
                                                         std::uint64_t count) {
    HEAPWRIGHT_ASSIGN(const auto requirements, device.resources().requirements(sample));
    const auto all_bytes =
        checked_mul(count, align_up(requirements.size_bytes, std::max(kGranule, requirements.alignment_bytes)));
    if (!all_bytes) {
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "the scenario's resources take more than 2^64 bytes",
                          .where = "size_bytes",
                          .value = requirements.size_bytes});
    }
    const std::uint64_t size_bytes = *all_bytes;
    const auto ranking = std::ranges::find(policy.memory_uses, use, &model::MemoryUsePolicy::use);
    if (ranking != policy.memory_uses.end()) {
        for (const std::uint32_t type : ranking->memory_types.value) {
            if (type >= 32 || (requirements.memory_type_bits >> type & 1u) == 0) continue;
            HEAPWRIGHT_ASSIGN(
                const device::AllocationId allocation,
                device.memory().allocate({.memory_type = MemoryTypeIndex{type},
                                          .size_bytes = size_bytes,
                                          .device_address = device.facts().feature("bufferDeviceAddress")}));
            auto space = suballoc::TlsfAllocator::create({.capacity = size_bytes, .granule = kGranule});
            if (!space) {
                device.memory().free(allocation);
                return fail(std::move(space.error()));
            }
            std::unique_ptr<SceneMemory> memory(new SceneMemory(device, allocation, std::move(*space)));
            memory->memory_type_ = type;
            if ((device.facts().memory_types[type].property_flags & model::memory_property::kHostVisible) != 0) {
                HEAPWRIGHT_ASSIGN(memory->mapped_, device.memory().map(allocation));
            }
            return memory;
        }
    }
    return fail(Error{.code = ErrorCode::kNotSupported,
                      .message = "no memory type of the policy takes the scenario's resources",
                      .where = "memory_type_bits",
                      .value = requirements.memory_type_bits});
}

SceneMemory::~SceneMemory() {
    device_.memory().free(allocation_);
}

Result<ScenePlacement> SceneMemory::place(const model::ResourceDescription& description) {
    HEAPWRIGHT_ASSIGN(const auto requirements, device_.resources().requirements(description));
    if ((requirements.memory_type_bits >> memory_type_ & 1u) == 0) {
        return fail(Error{.code = ErrorCode::kNotSupported,
                          .message = "the scenario's memory type does not take this resource",
                          .where = "memory_type_bits",
                          .value = requirements.memory_type_bits,
                          .limit = memory_type_});
    }
    suballoc::AllocateResult made = tl::unexpected(suballoc::AllocateFailure::kExhausted);
    {
        const std::lock_guard lock(mutex_);
        made = space_.allocate(requirements.size_bytes, std::max<std::uint64_t>(1, requirements.alignment_bytes));
        if (!made) {
            return fail(suballoc::to_error(made.error(), requirements.size_bytes, requirements.alignment_bytes,
                                           space_.capacity()));
        }
    }
    ScenePlacement placement{
        .resource = {},
        .range = {.owner = this, .offset_bytes = made->offset, .size_bytes = made->size, .handle = made->handle},
        .bytes = {}};
    auto resource = device_.resources().create_placed(description, allocation_, made->offset);
    if (!resource) {
        const std::lock_guard lock(mutex_);
        space_.free(made->handle);
        return fail(std::move(resource.error()));
    }
    placement.resource = *resource;
    if (!mapped_.empty()) placement.bytes = mapped_.subspan(made->offset, made->size);
    return placement;
}

void SceneMemory::free_range(std::uint64_t offset_bytes, std::uint64_t size_bytes,
                             suballoc::SuballocationHandle handle) {
    if (!mapped_.empty()) {
        for (std::uint64_t at = offset_bytes; at + 4 <= offset_bytes + size_bytes; at += 4)
            std::memcpy(mapped_.data() + at, &kPoisonWord, sizeof kPoisonWord);
        (void)device_.memory().flush(allocation_, offset_bytes, size_bytes);
    }
    const std::lock_guard lock(mutex_);
    space_.free(handle);
}

void SceneMemory::discard(const ScenePlacement& placement) {
    device_.resources().destroy(placement.resource);
    free_range(placement.range.offset_bytes, placement.range.size_bytes, placement.range.handle);
}

Status SceneMemory::flush(const ScenePlacement& placement) {
    return device_.memory().flush(allocation_, placement.range.offset_bytes, placement.range.size_bytes);
}

Status SceneMemory::invalidate(const ScenePlacement& placement, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    return device_.memory().invalidate(allocation_, placement.range.offset_bytes + offset_bytes, size_bytes);
}

std::uint64_t SceneMemory::used_bytes() const {
    const std::lock_guard lock(mutex_);
    return space_.used();
}

}  // namespace heapwright::validate
