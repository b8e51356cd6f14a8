// device::TimestampSource on Direct3D 12: a query heap of two timestamps and a readback buffer for each pair.
// Thread-safety: as the Submitter's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "d3d12/com.hpp"
#include "d3d12/device.hpp"
#include "device/slot_map.hpp"
#include "device/timestamps.hpp"
#include "heapwright/core/result.hpp"

namespace heapwright::d3d12 {

class Timestamps final : public device::TimestampSource {
public:
    struct Pair {
        device::EngineId engine;
        Com<ID3D12QueryHeap> queries;
        Com<ID3D12Resource> readback;
        const std::uint64_t* ticks = nullptr;  // mapped: begin, end
    };

    // The device outlives it.
    explicit Timestamps(const OpenDevice& context) : context_(context) {}
    Timestamps(const Timestamps&) = delete;
    Timestamps& operator=(const Timestamps&) = delete;

    // For the submitter, which adds its queues in the order of its engines before anything else is called.
    void add(ID3D12CommandQueue& queue, D3D12_COMMAND_LIST_TYPE type);
    // Null when it is no pair of the engine. The pair stays where it is until it is destroyed.
    [[nodiscard]] const Pair* find(device::TimestampPairId pair, device::EngineId engine);

    [[nodiscard]] Result<device::TimestampUnits> units(device::EngineId engine) const override;
    // Queues have clocks of their own, which are not compared with each other.
    [[nodiscard]] bool compare_across_submissions() const override { return false; }
    [[nodiscard]] Result<device::TimestampPairId> create(device::EngineId engine) override;
    void destroy(device::TimestampPairId pair) override { (void)pairs_.take(pair.value); }
    [[nodiscard]] Result<device::TimestampPair> read(device::TimestampPairId pair) override;
    // Also kNotSupported outside of Windows: the host's side is QueryPerformanceCounter's. The API states no deviation;
    // it is taken to be one count.
    [[nodiscard]] Result<device::ClockMoment> calibrate(device::EngineId engine) override;

private:
    struct Queue {
        ID3D12CommandQueue* queue = nullptr;  // the submitter's
        D3D12_QUERY_HEAP_TYPE heap_type = D3D12_QUERY_HEAP_TYPE_TIMESTAMP;
        std::uint64_t ticks_per_s = 0;
        std::string without;  // why it has none
    };

    const OpenDevice& context_;
    std::vector<Queue> queues_;
    device::SlotMap<Pair> pairs_;
};

// Around the work of a list.
void write_begin(ID3D12GraphicsCommandList& list, const Timestamps::Pair& pair);
void write_end(ID3D12GraphicsCommandList& list, const Timestamps::Pair& pair);

}  // namespace heapwright::d3d12
