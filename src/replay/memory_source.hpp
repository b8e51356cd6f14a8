// The device memory of a replay device: limits, budgets, simulated time, shadow bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device/memory_source.hpp"
#include "replay/context.hpp"
#include "replay/shadow.hpp"

namespace heapwright::replay {

struct ReplayAllocation {
    MemoryTypeIndex memory_type;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<ShadowMemory> memory;
    std::uint64_t placed_resources = 0;
    bool dedicated_image = false;
};

class ReplayMemory final : public device::MemorySource {
public:
    explicit ReplayMemory(ReplayContext& context);

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override;
    void free(device::AllocationId memory) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId memory) override;
    [[nodiscard]] Status flush(device::AllocationId memory, std::uint64_t offset_bytes,
                               std::uint64_t size_bytes) override;
    [[nodiscard]] Status invalidate(device::AllocationId memory, std::uint64_t offset_bytes,
                                    std::uint64_t size_bytes) override;
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override;

    // For resources: an allocation that is one resource's alone, and the shadow memory behind an id (null when there is
    // none).
    [[nodiscard]] Result<ReplayAllocation> take_locked(const device::AllocationRequest& request,
                                                       bool dedicated_image = false);
    void give_back_locked(ReplayAllocation& allocation);
    [[nodiscard]] ReplayAllocation* find_locked(device::AllocationId memory);
    [[nodiscard]] bool is_host_visible(MemoryTypeIndex memory_type) const;

    // Takes the bytes of a range from the shadow limit. Errors: kOutOfHostMemory, and nothing is taken.
    [[nodiscard]] Status charge_locked(ShadowMemory& memory, std::uint64_t offset_bytes, std::uint64_t size_bytes);

    [[nodiscard]] std::uint64_t allocation_count_locked() const { return allocations_.size(); }
    [[nodiscard]] std::uint64_t allocated_bytes_locked() const;

private:
    [[nodiscard]] Status check_range_locked(device::AllocationId memory, std::uint64_t offset_bytes,
                                            std::uint64_t size_bytes);
    [[nodiscard]] std::uint64_t heap_limit_bytes(std::size_t heap_index) const;
    void pass_time(const ReplayAllocation& allocation, bool allocating);

    ReplayContext& context_;
    std::unordered_map<std::uint64_t, ReplayAllocation> allocations_;
    std::vector<std::uint64_t> used_bytes_;  // one per memory heap
    std::uint64_t alive_ = 0;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::replay
