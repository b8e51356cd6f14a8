// Rule: the largest buffer that an application should make at once. What is logically larger, such as the weights of a
// large model, is split into buffers of this size, each with a device allocation of its own:
//   not above maxBufferSize, which bounds a buffer, nor maxMemoryAllocationSize, which bounds the memory behind it
//   not above the usable bytes of the heap that device-only memory comes from first
//   a multiple of 64 KiB where it is larger, so that no element of up to that size lies across two parts
// Pure.
#pragma once

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

// `policy.heaps` and `policy.memory_uses` are decided. None where no memory type serves device-only memory.
[[nodiscard]] std::optional<model::Decided<std::uint64_t>> decide_largest_buffer(const Context& context,
                                                                                 const model::DevicePolicy& policy);

}  // namespace heapwright::policy
