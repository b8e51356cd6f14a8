// The device memory of a report as numbers: takes and gives back device memory that nobody has, within the limits that
// the report states (the heaps' usable budgets, maxMemoryAllocationSize, maxMemoryAllocationCount), and writes down
// every call until somebody reads it. Where a device's own memory stands behind it, that is taken and given back too,
// and each call is timed. Guarantees: an error changes nothing; ids are never used again. Sizes in bytes. Not
// thread-safe. Ownership: the facts and the device's memory outlive it, which gives back what it still has. Errors: as
// device::MemorySource; nothing can be mapped.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/clock.hpp"
#include "device/memory_source.hpp"
#include "heapwright/model/report.hpp"

namespace heapwright::policy {

// Device memory taken or given back: a chunk, or an allocation that one resource has alone.
struct DeviceMemoryCall {
    bool takes = true;
    std::uint32_t memory_type = 0;
    std::uint64_t size_bytes = 0;
    bool dedicated_image = false;   // an image of optimal tiling has it alone
    std::uint64_t measured_ns = 0;  // that the device took; 0: it is a number

    friend bool operator==(const DeviceMemoryCall&, const DeviceMemoryCall&) = default;
};

class CountedMemory final : public device::MemorySource {
public:
    explicit CountedMemory(const model::DeviceReport& facts, device::MemorySource* memory = nullptr);
    ~CountedMemory() override;
    CountedMemory(const CountedMemory&) = delete;
    CountedMemory& operator=(const CountedMemory&) = delete;

    [[nodiscard]] Result<device::AllocationId> allocate(const device::AllocationRequest& request) override {
        return take(request, false);
    }
    // As allocate(), for one resource alone.
    [[nodiscard]] Result<device::AllocationId> take(const device::AllocationRequest& request, bool dedicated_image);
    void free(device::AllocationId memory) override;
    [[nodiscard]] Result<std::span<std::byte>> map(device::AllocationId memory) override;
    [[nodiscard]] Status flush(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    [[nodiscard]] Status invalidate(device::AllocationId, std::uint64_t, std::uint64_t) override { return {}; }
    [[nodiscard]] Result<std::vector<model::HeapBudget>> budgets() override;

    // visit(DeviceMemoryCall) of every call that was not read yet, in their order.
    template <class Visit>
    void read_calls(Visit&& visit) {
        for (const DeviceMemoryCall& call : calls_) visit(call);
        calls_.clear();
    }
    [[nodiscard]] bool has_unread_calls() const { return !calls_.empty(); }
    [[nodiscard]] std::uint64_t alive() const { return alive_.size(); }  // allocations
    [[nodiscard]] std::uint64_t used_bytes(std::uint32_t heap) const { return used_bytes_[heap]; }
    [[nodiscard]] const std::vector<std::uint64_t>& peak_bytes() const { return peak_bytes_; }  // by heap

private:
    struct Alive {
        DeviceMemoryCall call;
        device::AllocationId memory;  // of the device's own
    };

    const model::DeviceReport& facts_;
    device::MemorySource* memory_;
    SteadyClock clock_;
    std::uint64_t largest_;              // maxMemoryAllocationSize
    std::uint64_t most_;                 // maxMemoryAllocationCount
    std::vector<std::uint64_t> limits_;  // by heap: usable bytes
    std::unordered_map<std::uint64_t, Alive> alive_;
    std::vector<std::uint64_t> used_bytes_;
    std::vector<std::uint64_t> peak_bytes_;
    std::vector<DeviceMemoryCall> calls_;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::policy
