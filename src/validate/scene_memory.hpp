// Memory of one type for the resources of a scenario: one device allocation, divided by the general suballocator. What
// is freed is overwritten at once where the host reaches it, so that a device that still reads it shows.
// Thread-safe. Sizes in bytes. Errors: kNotSupported when no memory type of the policy takes such a resource.
// Ownership: the device outlives it; every resource in it is gone at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "device/device.hpp"
#include "frame/release_queues.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"

namespace heapwright::validate {

struct ScenePlacement {
    device::ResourceId resource;
    frame::MemoryRange range;
    std::span<std::byte> bytes;  // mapped, or empty
};

class SceneMemory final : public frame::MemoryRangeOwner {
public:
    // Room for `count` resources like `sample`, each with its alignment. It is mapped where its memory type is
    // host visible.
    [[nodiscard]] static Result<std::unique_ptr<SceneMemory>> create(device::Device& device,
                                                                     const model::DevicePolicy& policy,
                                                                     model::MemoryUse use,
                                                                     const model::ResourceDescription& sample,
                                                                     std::uint64_t count);
    ~SceneMemory();
    SceneMemory(const SceneMemory&) = delete;
    SceneMemory& operator=(const SceneMemory&) = delete;

    [[nodiscard]] Result<ScenePlacement> place(const model::ResourceDescription& description);

    // The device is done with the range, or should be.
    void free_range(std::uint64_t offset_bytes, std::uint64_t size_bytes,
                    suballoc::SuballocationHandle handle) override;

    // A placement whose resource was never used.
    void discard(const ScenePlacement& placement);

    [[nodiscard]] Status flush(const ScenePlacement& placement);
    [[nodiscard]] Status invalidate(const ScenePlacement& placement, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes);
    [[nodiscard]] std::uint64_t used_bytes() const;
    [[nodiscard]] device::AllocationId allocation() const { return allocation_; }

private:
    SceneMemory(device::Device& device, device::AllocationId memory, suballoc::TlsfAllocator space)
        : device_(device), allocation_(memory), space_(std::move(space)) {}

    device::Device& device_;
    device::AllocationId allocation_;
    std::uint32_t memory_type_ = 0;
    std::span<std::byte> mapped_;
    mutable std::mutex mutex_;
    suballoc::TlsfAllocator space_;
};

}  // namespace heapwright::validate
