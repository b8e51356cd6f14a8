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
// Beside it: what the host writes in a frame, and how fast hints are renewed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"
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

// What the host writes in a frame for the device to copy or read. Pure; the hints have passed check_workload().

// Of a workload that does not state its uploads of a frame. At least: the constants of its draws take room, too.
inline constexpr std::uint64_t kLeastUnstatedUploadBytes = 1ull << 20;
inline constexpr std::uint64_t kMostUnstatedUploadBytes = 8ull << 20;

// As the workload states it, else what a frame renews of the resources that are copied to, on average, within those
// bounds.
[[nodiscard]] std::uint64_t upload_bytes_per_frame(const model::Workload& workload);

// How fast the hints of a workload are renewed, as ResourceStream plays them, and what frames in flight hold of it.
// A frame renews at most what there is, and nothing twice. Vectors are by hint: images, then buffers. Pure.

[[nodiscard]] constexpr bool is_renewed(model::Lifetime lifetime) {
    return lifetime == model::Lifetime::kStreaming || lifetime == model::Lifetime::kLevel;
}

// Resources of a hint that come and go together: level resources by sixteenths of their hint, streaming ones each
// alone.
[[nodiscard]] constexpr std::uint32_t renewed_together(model::Lifetime lifetime, std::uint32_t count) {
    return lifetime == model::Lifetime::kLevel ? std::max(1u, count / 16) : 1;
}

// Resources of each hint that a frame gives up for others, on average; a frame's own ones are no part of it.
[[nodiscard]] std::vector<double> renewed_in_frame(const model::Workload& workload);

// Resources of each hint that exist beyond its count because frames in flight still use them, on average: at most
// count x frames in flight, and without churn none, for then no frame follows the load.
[[nodiscard]] std::vector<double> held_in_flight(const model::Workload& workload);

}  // namespace heapwright::workload
