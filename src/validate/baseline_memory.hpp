// What the baselines share: device memory taken and given back within the caller's limit and maxMemoryAllocationCount,
// the memory types that serve a request, and releases that wait for their timeline value.
// Sizes in bytes. Not thread-safe. Errors: kOutOfDeviceMemory at a limit, so that it counts as a failed request.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>

#include "device/device.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "policy/memory_types.hpp"

namespace heapwright::validate {

class BaselineMemory {
public:
    BaselineMemory(device::Device& device, const model::DevicePolicy& policy, std::uint64_t limit_bytes);

    // The types of the policy's ranking that the requirements allow, best first.
    [[nodiscard]] std::span<const std::uint32_t> types(const model::MemoryRequirements& requirements,
                                                       model::MemoryUse use,
                                                       const model::ResourceDescription& description) {
        return types_.of(requirements.memory_type_bits, use, model::resource_class(description, false));
    }

    [[nodiscard]] Result<device::AllocationId> take_block(std::uint32_t memory_type, std::uint64_t size_bytes);
    void give_back_block(device::AllocationId memory, std::uint64_t size_bytes);
    [[nodiscard]] Result<device::ResourceId> create_dedicated(const model::ResourceDescription& description,
                                                              std::uint32_t memory_type, std::uint64_t size_bytes);
    void destroy_dedicated(device::ResourceId resource, std::uint64_t size_bytes);

    [[nodiscard]] std::uint64_t allocations() const { return allocations_; }
    [[nodiscard]] device::Device& device() { return device_; }

private:
    [[nodiscard]] Status check(std::uint64_t size_bytes) const;

    device::Device& device_;
    policy::RankedTypes types_;
    std::uint64_t limit_bytes_;
    std::uint64_t most_allocations_;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t allocations_ = 0;
};

class DelayedReleases {
public:
    void add(TimelineValue last_use, std::uint64_t token) { waiting_.push_back({last_use, token}); }
    void release_completed(TimelineValue completed, const std::function<void(std::uint64_t token)>& release);

private:
    struct Waiting {
        TimelineValue last_use;
        std::uint64_t token = 0;
    };
    std::deque<Waiting> waiting_;
};

}  // namespace heapwright::validate
