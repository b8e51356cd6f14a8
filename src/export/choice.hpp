// Which of a policy's buckets, heaps and memory types a target with fewer settings takes, by one rule for all targets.
// Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::exporting {

// The use that ranks the memory type best; of equal ones the first.
[[nodiscard]] model::MemoryUse use_of(const model::DevicePolicy& device, std::uint32_t memory_type);

// Buckets whose memory type serves device-only memory best, or any other use best. Indexes into device.buckets.
[[nodiscard]] std::vector<std::size_t> device_buckets(const model::DevicePolicy& device);
[[nodiscard]] std::vector<std::size_t> host_buckets(const model::DevicePolicy& device);

// Of these buckets the one that is expected to hold most; of equal ones the first. Empty: there is none.
[[nodiscard]] std::optional<std::size_t> fullest(const model::DevicePolicy& device,
                                                 const std::vector<std::size_t>& buckets);
[[nodiscard]] std::optional<std::size_t> fullest_with(const model::DevicePolicy& device,
                                                      const std::vector<std::size_t>& buckets,
                                                      model::ResourceClass resource_class);

// Of the memory type that is ranked first for the use; empty: there is none.
[[nodiscard]] std::optional<std::uint32_t> first_heap(const model::DevicePolicy& device, model::MemoryUse use);

// Whether the memory type has all of these memory_property bits; empty: the policy has no such type.
[[nodiscard]] std::optional<bool> has_properties(const model::DevicePolicy& device, std::uint32_t memory_type,
                                                 model::Flags properties);

// JSON pointer of a bucket's member below the device: "/buckets/2/granule_bytes".
[[nodiscard]] std::string bucket_path(std::size_t bucket, std::string_view member);

}  // namespace heapwright::exporting
