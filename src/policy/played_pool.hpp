// A memory pool run over numbers, a step at a time: the pool's own placer (pool/memory_placer.hpp) on heaps that the
// report describes. What a pool on the device would do, but for what others take of the device's memory meanwhile.
// Without prices nothing is prepared in the background, and what is not given by the steps happens at once; with them
// each frame has what its budget leaves for the background.
//   a resource is created through the ordinary interface; one that is refused as humongous is asked for by name
//   a destroyed one is given back when the frame in which it was destroyed is through, `frames_in_flight` frames later
//   the first end of a frame ends the load
// Its memory grows with what is alive and not with the steps. Sizes in bytes, times in nanoseconds. Not thread-safe.
// Ownership: the facts and the options outlive it. Errors: those of contract::BucketIndex::create, and kInvariantBroken
// when the placer's books do not agree.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/device/background_processor.hpp"
#include "heapwright/model/policy.hpp"
#include "policy/counted_memory.hpp"
#include "pool/memory_placer.hpp"

namespace heapwright::policy {

// Where a resource went. All zero but the error where it went nowhere.
struct SimulatedPlace {
    std::optional<ErrorCode> error;
    bool alone = false;  // memory of its own: no bucket, chunk or offset
    std::uint32_t memory_type = 0;
    std::uint32_t bucket = 0;
    std::uint32_t chunk = 0;  // the bucket's slot
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;

    friend bool operator==(const SimulatedPlace&, const SimulatedPlace&) = default;
};

// What a call of the device takes, or a creation within the pool: what one in ten takes longer than, the least, and
// what every other takes longer than.
struct SimulatedPrice {
    double late_ns = 0;
    double least_ns = 0;
    double median_ns = 0;

    SimulatedPrice& operator+=(const SimulatedPrice& other) {
        late_ns += other.late_ns;
        least_ns += other.least_ns;
        median_ns += other.median_ns;
        return *this;
    }
};

struct SimulatedPoolOptions {
    std::uint64_t memory_limit_bytes = ~0ull;
    std::uint64_t frames_in_flight = 2;
    std::uint64_t frame_budget_ns = 16'666'667;
    // What a call takes, and with it a background that keeps the policy's chunks ahead ready. Empty: neither. The clock
    // of the play goes by the late price.
    std::function<SimulatedPrice(const DeviceMemoryCall&)> price = {};
    SimulatedPrice creation = {};            // the pool's own part, in p99_frame_ns alone
    device::MemorySource* memory = nullptr;  // the device's own, which is taken too; null: numbers alone
};

struct PlayedFrame {
    bool is_load = false;
    SimulatedPrice spent;  // by the frame's own calls of the device
    // A call of the frame may have had to wait for an item of the background: for the dearest so far, at most.
    bool waited = false;
    double waited_ns = 0;
    std::uint64_t calls = 0;        // the frame's own
    std::uint64_t allocations = 0;  // of these: device memory taken
    std::uint64_t creations = 0;
    std::uint64_t most_reserved_bytes = 0;     // amid it, and in the background behind it
    std::uint64_t most_alive_allocations = 0;  // the same
    std::uint64_t reserved_bytes = 0;          // at its end
    std::uint64_t used_bytes = 0;              // at its end, as the driver asks; frames in flight use, too
};

class PlayedPool {
public:
    // `calls`: where every call of the device is appended; null: nowhere.
    [[nodiscard]] static Result<std::unique_ptr<PlayedPool>> create(const model::DeviceReport& facts,
                                                                    const model::DevicePolicy& policy,
                                                                    const SimulatedPoolOptions& options,
                                                                    std::vector<DeviceMemoryCall>* calls = nullptr);

    // In a slot that nothing is alive in; slots are dense.
    SimulatedPlace create(std::uint32_t slot, const pool::MemoryPlacer::Request& request);
    // A slot whose creation failed is passed over.
    void destroy(std::uint32_t slot);
    [[nodiscard]] Result<PlayedFrame> end_frame();
    // Behind the last step: what was called since the last one counts too, and the books agree.
    [[nodiscard]] Status finish();

    [[nodiscard]] bool separates_render_targets() const { return placer_.index().separates_render_targets(); }
    [[nodiscard]] const CountedMemory& memory() const { return memory_; }
    // The dearest creation of the load, what it may have waited for included.
    [[nodiscard]] const SimulatedPrice& worst_load() const { return worst_load_; }
    // After the load: requests that found none of the chunks ahead ready.
    [[nodiscard]] std::uint64_t late_chunks() const;
    [[nodiscard]] double background_ns() const { return background_ns_; }  // spent there, by the median price
    // By bucket: that requests took from the device in one frame after the load.
    [[nodiscard]] const std::vector<std::uint64_t>& most_new_chunks() const { return most_new_chunks_; }

private:
    enum class Held : std::uint8_t { kNothing, kPlaced, kAlone };

    struct Live {
        pool::Placement placement;          // of what is alone: its memory, its type and its size
        std::uint64_t requested_bytes = 0;  // as the driver asks
        Held held = Held::kNothing;
    };

    struct Costs {
        std::uint64_t calls = 0;
        std::uint64_t allocations = 0;
        SimulatedPrice price;
    };

    PlayedPool(const model::DeviceReport& facts, const model::DevicePolicy& policy, contract::BucketIndex index,
               const SimulatedPoolOptions& options, std::vector<DeviceMemoryCall>* calls);
    [[nodiscard]] bool is_loading() const { return frame_number_ == 1; }
    [[nodiscard]] pool::PoolOptions pool_options();
    [[nodiscard]] Result<Live> try_create(const pool::MemoryPlacer::Request& request);
    void count_new_chunk(std::uint32_t bucket);
    // Of the calls made since this was asked last.
    Costs take_costs();
    // Of the request that is served; whether it called the device.
    bool take_request_costs();
    SimulatedPrice take_frame_costs();
    void rest(double left_ns);

    const SimulatedPoolOptions& options_;
    std::vector<DeviceMemoryCall>* calls_;
    std::deque<device::WorkItem> waiting_;
    CountedMemory memory_;
    pool::MemoryPlacer placer_;
    std::uint64_t frame_number_ = 1;
    std::vector<Live> live_;  // by slot
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t alive_allocations_ = 0;
    std::uint64_t used_bytes_ = 0;           // as the driver asks, of the live ones and those that frames in flight use
    std::deque<std::uint64_t> given_up_{0};  // bytes of each such frame, and of the one that is recorded
    std::uint64_t late_in_load_ = 0;
    std::vector<std::uint64_t> new_chunks_;  // by bucket, in this frame
    std::vector<std::uint64_t> most_new_chunks_;
    PlayedFrame frame_;  // the one under way
    SimulatedPrice worst_load_;
    double background_ns_ = 0;
    double dearest_ahead_ns_ = 0;  // of the background's items
    bool is_behind_ = false;       // in this frame
};

}  // namespace heapwright::policy
