// A device whose memory exists as numbers alone: what is allocated is counted and told to the observer. Requirements
// are the caller's. For allocators that never map or submit. Sizes in bytes. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.hpp"

namespace heapwright::bench {

class NumbersDevice final : public device::Device, public device::MemorySource, public device::ResourceBinder {
public:
    using Answer = std::function<model::MemoryRequirements(const model::ResourceDescription&)>;
    using Observer = std::function<void(std::uint64_t size_bytes, bool is_allocation)>;

    NumbersDevice(model::DeviceReport facts, Answer answer, Observer observer, std::uint64_t limit_bytes)
        : facts_(std::move(facts)),
          answer_(std::move(answer)),
          observer_(std::move(observer)),
          limit_bytes_(limit_bytes) {}

    [[nodiscard]] std::vector<std::uint64_t> allocations() const {
        std::vector<std::uint64_t> sizes;
        for (const auto& [id, size] : memory_) sizes.push_back(size);
        std::ranges::sort(sizes);
        return sizes;
    }
    [[nodiscard]] std::uint64_t allocation_count() const { return memory_.size(); }
    [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }

    const model::DeviceReport& facts() const override { return facts_; }
    bool is_real() const override { return false; }
    device::MemorySource& memory() override { return *this; }
    device::ResourceBinder& resources() override { return *this; }
    device::Submitter& submitter() override { std::abort(); }
    Result<std::unique_ptr<device::Timeline>> create_timeline(std::uint64_t) override { return nothing(); }
    std::vector<std::string> take_validation_messages() override { return {}; }

    Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        HEAPWRIGHT_TRY(take(request.size_bytes));
        return device::AllocationId{next_++};
    }
    void free(device::AllocationId memory) override { give_back(memory.value); }
    Result<std::span<std::byte>> map(device::AllocationId) override { return nothing(); }
    Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    Result<std::vector<model::HeapBudget>> budgets() override {
        std::vector<model::HeapBudget> all;
        for (const model::MemoryHeap& heap : facts_.heaps) all.push_back({.budget_bytes = heap.size_bytes});
        return all;
    }

    Result<model::MemoryRequirements> requirements(const model::ResourceDescription& description) override {
        return answer_(description);
    }
    Result<device::ResourceId> create_placed(const model::ResourceDescription&, device::AllocationId,
                                             std::uint64_t) override {
        return device::ResourceId{next_++};
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& description, MemoryTypeIndex,
                                                float) override {
        HEAPWRIGHT_TRY(take(answer_(description).size_bytes));
        return device::ResourceId{next_++};
    }
    void destroy(device::ResourceId resource) override { give_back(resource.value); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId) override { return nothing(); }

private:
    static tl::unexpected<Error> nothing() { return fail(ErrorCode::kNotSupported, "the device is numbers alone"); }

    Status take(std::uint64_t bytes) {
        if (bytes > limit_bytes_ - reserved_bytes_) return fail(ErrorCode::kOutOfDeviceMemory, "beyond the limit");
        memory_.emplace(next_, bytes);
        reserved_bytes_ += bytes;
        if (observer_) observer_(bytes, true);
        return {};
    }
    void give_back(std::uint64_t id) {
        const auto found = memory_.find(id);
        if (found == memory_.end()) return;  // a placed resource
        reserved_bytes_ -= found->second;
        if (observer_) observer_(found->second, false);
        memory_.erase(found);
    }

    model::DeviceReport facts_;
    Answer answer_;
    Observer observer_;
    std::uint64_t limit_bytes_;
    std::map<std::uint64_t, std::uint64_t> memory_;  // size by heap, or by dedicated resource
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t next_ = 1;
};

}  // namespace heapwright::bench
