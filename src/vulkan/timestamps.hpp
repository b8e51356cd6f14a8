// device::TimestampSource on Vulkan: a query pool of two timestamps for each pair, reset by the host when it is read.
// Thread-safety: as the Submitter's.
#pragma once

#include <cstdint>

#include "device/slot_map.hpp"
#include "device/timestamps.hpp"
#include "heapwright/core/result.hpp"
#include "vulkan/open_device.hpp"

namespace heapwright::vulkan {

class Timestamps final : public device::TimestampSource {
public:
    // The device outlives it.
    explicit Timestamps(const OpenDevice& context);
    Timestamps(const Timestamps&) = delete;
    Timestamps& operator=(const Timestamps&) = delete;
    // No submission that names a pair runs any more.
    ~Timestamps() override;

    [[nodiscard]] Result<device::TimestampUnits> units(device::EngineId engine) const override;
    [[nodiscard]] bool compare_across_submissions() const override { return context_.enabled.calibrated_timestamps; }
    [[nodiscard]] Result<device::TimestampPairId> create(device::EngineId engine) override;
    void destroy(device::TimestampPairId pair) override;
    [[nodiscard]] Result<device::TimestampPair> read(device::TimestampPairId pair) override;
    [[nodiscard]] Result<device::ClockMoment> calibrate(device::EngineId engine) override;

    // For the submitter. Errors: kInvalidArgument when it is no pair of the engine, or was not read since it was named.
    [[nodiscard]] Result<VkQueryPool> pool_of(device::TimestampPairId pair, device::EngineId engine);
    // The submission was queued.
    void note_named(device::TimestampPairId pair);
    // Outside a render pass; the pair was read since it was written.
    void write_begin(VkCommandBuffer commands, VkQueryPool pool) const;
    void write_end(VkCommandBuffer commands, VkQueryPool pool) const;

private:
    struct Pair {
        VkQueryPool pool = VK_NULL_HANDLE;
        device::EngineId engine;
        bool is_written = false;  // since it was last read
    };

    const OpenDevice& context_;
    bool calibrates_ = false;  // the device's clock with the host's
    device::SlotMap<Pair> pairs_;
};

}  // namespace heapwright::vulkan
