// Rule: the largest buffer that an application should make at once. What is logically larger, such as the weights of a
// large model, is split into buffers of this size, each with a device allocation of its own:
//   not above what bounds a buffer (maxBufferSize; 2 to MaxGPUVirtualAddressBitsPerResource on Direct3D 12), nor
//   maxMemoryAllocationSize, which bounds the memory behind it
//   not above the usable bytes of the heap that device-only memory comes from first
//   a multiple of 64 KiB where it is larger, so that no element of up to that size lies across two parts
//   of storage buffers not above maxStorageBufferRange either, since one descriptor sees no more
// Hints that are `splittable` are split by it (workload/draw.hpp), here and where the policy is played. Pure.
#pragma once

#include "policy/context.hpp"

namespace heapwright::policy {

struct BufferLimit {
    std::string name;
    std::uint64_t bytes = 0;
    model::DecisionInput input;
};

// Above which the device has no buffer at all; nothing where it states none.
[[nodiscard]] std::optional<BufferLimit> find_buffer_limit(const Context& context);

// `policy.heaps` and `policy.memory_uses` are decided. None where no memory type serves device-only memory.
[[nodiscard]] std::optional<model::Decided<std::uint64_t>> decide_largest_buffer(const Context& context,
                                                                                 const model::DevicePolicy& policy);

// The same of storage buffers; none where the workload has none, or where `policy.largest_buffer_bytes`, which is
// decided, holds for them, too.
[[nodiscard]] std::optional<model::Decided<std::uint64_t>> decide_largest_storage_buffer(
    const Context& context, const model::DevicePolicy& policy);

// What of the context's workload, which is whole, these two split.
[[nodiscard]] std::vector<model::HintSplit> list_split(const Context& context, const model::DevicePolicy& policy);

// Of storage buffers that one descriptor does not see in whole. They exist all the same.
void warn_of_storage_range(const Context& context, model::Statement& warnings);

}  // namespace heapwright::policy
