// Allocators that a policy is measured against, on the same operations on the same device:
//   one-each     a device allocation for every resource
//   source-rule  the runtime's pools under max(M, H / K), buckets by class and alignment
//   vma-default  the Vulkan Memory Allocator's default block sizes, dedicated threshold and search order
// and, for streaming, the runtime's pools with every chunk taken by the request that needs it:
//   on-demand          the policy's own chunks
//   on-demand-256-mib  chunks of 256 MiB; smaller, and the reason says so, where the memory limit holds too few
// and, for defragmentation, by-size: the moves that put the largest resources first instead of those that empty chunks
// Lifetimes: device and policy outlive what is made; each gives everything back when it is destroyed on an idle device.
#pragma once

#include <vector>

#include "heapwright/model/validation.hpp"
#include "validate/allocator_under_test.hpp"
#include "validate/validate.hpp"

namespace heapwright::validate {

[[nodiscard]] Result<std::unique_ptr<AllocatorUnderTest>> make_one_each(device::Device& device,
                                                                        const model::DevicePolicy& policy,
                                                                        std::uint64_t memory_limit_bytes);
[[nodiscard]] Result<std::unique_ptr<AllocatorUnderTest>> make_vma_default(device::Device& device,
                                                                           const model::DevicePolicy& policy,
                                                                           std::uint64_t memory_limit_bytes);

// The scenario with each of its baselines, in the order above, where `options` ask for the scenario. Errors as
// validate().
[[nodiscard]] Result<std::vector<model::ScenarioResult>> run_baselines(device::Device& device,
                                                                       const model::DevicePolicy& policy,
                                                                       const model::Workload& workload,
                                                                       const ValidateOptions& options);

}  // namespace heapwright::validate
