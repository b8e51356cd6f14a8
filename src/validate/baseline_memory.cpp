#include "validate/baseline_memory.hpp"

#include <algorithm>
#include <utility>

#include "contract/feasibility.hpp"
#include "core/checked.hpp"

namespace heapwright::validate {

BaselineMemory::BaselineMemory(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes)
    : device_(device),
      types_(policy),
      limit_bytes_(limit_bytes),
      most_allocations_(contract::most_allocations(device.facts())) {}

Status BaselineMemory::check(std::uint64_t size_bytes) const {
    if (allocations_ >= most_allocations_) {
        return fail(Error{.code = ErrorCode::kOutOfDeviceMemory,
                          .message = "one device allocation more than maxMemoryAllocationCount allows",
                          .value = allocations_ + 1,
                          .limit = most_allocations_});
    }
    const auto wanted = checked_add(reserved_bytes_, size_bytes);
    if (!wanted || *wanted > limit_bytes_) {
        return fail(Error{.code = ErrorCode::kOutOfDeviceMemory,
                          .message = "the memory limit does not hold one device allocation more",
                          .value = size_bytes,
                          .limit = limit_bytes_ - reserved_bytes_});
    }
    return {};
}

namespace {

// The allocation count limit is a limit as any other: memory that the caller holds counts towards it too.
tl::unexpected<Error> no_memory(Error error) {
    if (error.code == ErrorCode::kTooManyObjects) error.code = ErrorCode::kOutOfDeviceMemory;
    return fail(std::move(error));
}

}  // namespace

Result<device::AllocationId> BaselineMemory::take_block(std::uint32_t memory_type, std::uint64_t size_bytes) {
    HEAPWRIGHT_TRY(check(size_bytes));
    auto memory = device_.memory().allocate({.memory_type = MemoryTypeIndex{memory_type},
                                             .size_bytes = size_bytes,
                                             .device_address = device_.facts().feature("bufferDeviceAddress")});
    if (!memory) return no_memory(std::move(memory.error()));
    reserved_bytes_ += size_bytes;
    ++allocations_;
    return memory;
}

void BaselineMemory::give_back_block(device::AllocationId memory, std::uint64_t size_bytes) {
    device_.memory().free(memory);
    reserved_bytes_ -= size_bytes;
    --allocations_;
}

Result<device::ResourceId> BaselineMemory::create_dedicated(const model::ResourceDescription& description,
                                                            std::uint32_t memory_type, std::uint64_t size_bytes) {
    HEAPWRIGHT_TRY(check(size_bytes));
    auto resource = device_.resources().create_dedicated(description, MemoryTypeIndex{memory_type}, 0.5f);
    if (!resource) return no_memory(std::move(resource.error()));
    reserved_bytes_ += size_bytes;
    ++allocations_;
    return resource;
}

void BaselineMemory::destroy_dedicated(device::ResourceId resource, std::uint64_t size_bytes) {
    device_.resources().destroy(resource);
    reserved_bytes_ -= size_bytes;
    --allocations_;
}

void DelayedReleases::release_completed(TimelineValue completed,
                                        const std::function<void(std::uint64_t token)>& release) {
    for (; !waiting_.empty() && !(completed < waiting_.front().last_use); waiting_.pop_front())
        release(waiting_.front().token);
}

}  // namespace heapwright::validate
