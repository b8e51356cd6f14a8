// A workload's hints as a deterministic sequence of operations.
//
//   load:    every persistent, level and streaming resource is created as often as its hint counts, hints mixed, then
//            the first frame ends
//   frames:  the frame's resources are created | churn steps | the frame's resources are destroyed | EndFrame
//   unload:  nothing: what is alive at the end stays
//
// A churn step destroys one resource and creates another from the same hint. What is picked, uniformly, is a streaming
// resource or a group of level resources; a group is renewed as a whole, all destroyed before the first is created, and
// counts as that many steps. A group may span two frames. Nothing is renewed twice in a frame, so where there is little
// to renew a frame has fewer steps than the workload's steps_per_frame; there are as many frames as its churn_steps
// take at that rate, with frame resources alone as well, and one at least with any. A persistent resource never goes.
//
// One (workload, seed, scale) gives one sequence on every platform. Not thread-safe; use one stream a thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "heapwright/core/result.hpp"
#include "workload/operation.hpp"

namespace heapwright::workload {

// Whether every hint can be drawn from. Errors: kInvalidArgument naming the hint as a JSON pointer (bounds that are 0
// or cross, no power of two between them, no layers, samples that are not a power of two, mips of a multisampled image,
// reserve_share outside [0, 1)).
[[nodiscard]] Status check_workload(const model::Workload& workload);

// How a hint's count came out.
struct ScaledCount {
    std::uint32_t hint = 0;  // images, then buffers
    std::uint32_t wanted = 0;
    std::uint32_t used = 0;
};

class ResourceStream {
public:
    // `scale` in (0, 1] multiplies every hint's count; a hint with any keeps at least one. Churn steps are not scaled.
    // Errors: those of check_workload(); kInvalidArgument for another scale.
    [[nodiscard]] static Result<ResourceStream> create(model::Workload workload, std::uint64_t seed,
                                                       double scale = 1.0);

    // Empty when the workload is over.
    [[nodiscard]] std::optional<Operation> next();

    [[nodiscard]] const model::Workload& workload() const { return workload_; }
    [[nodiscard]] const std::vector<ScaledCount>& counts() const { return counts_; }

private:
    // What is renewed at once: one streaming resource, or a group of level resources.
    struct Unit {
        std::uint32_t hint = 0;
        std::vector<std::uint64_t> members;
        std::uint64_t renewed_in = 0;  // the last frame, counted from 1
    };

    ResourceStream(model::Workload workload, std::uint64_t seed);
    void plan_load(double scale);
    void plan_frame();
    // False: everything was renewed in this frame.
    [[nodiscard]] bool plan_step();
    [[nodiscard]] Create draw_from(std::uint32_t hint);
    [[nodiscard]] model::Lifetime lifetime(std::uint32_t hint) const;

    model::Workload workload_;
    Random random_;
    std::vector<ScaledCount> counts_;
    std::vector<Unit> units_;
    std::deque<Operation> planned_;  // never more than the load, or a frame and one group
    std::uint64_t next_id_ = 1;
    std::uint64_t steps_planned_ = 0;
    std::uint64_t frames_planned_ = 0;      // after the load
    std::uint64_t renewed_in_frame_ = 0;    // units
    std::optional<std::size_t> last_unit_;  // that a step renewed
    std::deque<Operation> carried_;         // steps of a group beyond the frame that began it
};

// Packed bytes that the workload has alive at its peak, by memory use, as the mean of many draws from each hint.
struct ExpectedBytes {
    std::array<std::uint64_t, 4> by_use{};  // position: MemoryUse
    [[nodiscard]] std::uint64_t total() const { return by_use[0] + by_use[1] + by_use[2] + by_use[3]; }
};

[[nodiscard]] Result<ExpectedBytes> expected_live_bytes(const model::Workload& workload, double scale = 1.0);

// The largest scale (in steps of 1/1024) whose expected packed bytes are at most `limit_bytes`. The caller leaves room
// for what drivers add. Errors: kOutOfRange when even one resource of every hint takes more.
[[nodiscard]] Result<double> scale_to_fit(const model::Workload& workload, std::uint64_t limit_bytes);

}  // namespace heapwright::workload
