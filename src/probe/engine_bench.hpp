// Runs work on the engines of a device and takes the time: by timestamps that the engines write where they can, and by
// the host's clock from the first submission until it sees the last end. One timeline an engine. Not thread-safe; the
// device and the clock outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "device/timestamps.hpp"
#include "heapwright/core/result.hpp"
#include "probe/time_series.hpp"

namespace heapwright::probe {

// As reports name it: "graphics".
[[nodiscard]] std::string_view kind_name(device::EngineKind kind);

struct EngineWork {
    std::size_t engine = 0;  // position in Submitter::engines()
    std::vector<device::Work> work;
};

// A submission whose time is taken.
struct TimedWork {
    device::TimelinePoint end;
    std::size_t engine = 0;
    std::optional<device::TimestampPairId> timestamps;  // empty: the engine writes none
};

class EngineBench {
public:
    // Errors: the seams'.
    [[nodiscard]] static Result<EngineBench> create(device::Device& device, Clock& clock);

    [[nodiscard]] std::span<const device::EngineInfo> engines() const { return device_->submitter().engines(); }
    // The first engine of a kind and of normal priority.
    [[nodiscard]] std::optional<std::size_t> first_of(device::EngineKind kind) const;
    [[nodiscard]] bool accepts_early_waits() const { return device_->submitter().accepts_early_waits(); }
    [[nodiscard]] std::uint64_t now_ns() { return clock_->now_ns(); }

    // The point that its end will signal.
    [[nodiscard]] Result<device::TimelinePoint> submit(std::size_t engine, std::span<const device::Work> work,
                                                       std::span<const device::TimelinePoint> waits = {},
                                                       std::optional<device::TimestampPairId> timestamps = {});
    // An engine whose timestamps fail is timed by the host from here on.
    [[nodiscard]] Result<TimedWork> submit_timed(std::size_t engine, std::span<const device::Work> work,
                                                 std::span<const device::TimelinePoint> waits = {});
    // The same where timestamps of several submissions compare; else without.
    [[nodiscard]] Result<TimedWork> submit_compared(std::size_t engine, std::span<const device::Work> work,
                                                    std::span<const device::TimelinePoint> waits = {});
    // The same for moments that compare with the host's alone: nothing contradicts the engine's clock.
    [[nodiscard]] Result<TimedWork> submit_beside_host(std::size_t engine, std::span<const device::Work> work,
                                                       std::span<const device::TimelinePoint> waits);
    // Once, after its end was waited for; nothing where the engine writes none.
    [[nodiscard]] Result<std::optional<device::TimestampPair>> timestamps_of(const TimedWork& timed);

    // Why the engine's times are the host's; empty where it writes timestamps.
    [[nodiscard]] const std::string& no_timestamps(std::size_t engine) const { return lanes_[engine].no_timestamps; }
    // Whether timestamps of different submissions, and of different engines, tell which came first.
    [[nodiscard]] bool timestamps_compare() const;
    // From one timestamp to another, of any two engines whose timestamps compare; nothing where the other is the
    // earlier one, which no order of work allows.
    [[nodiscard]] std::optional<std::uint64_t> ns_between(std::uint64_t from_ticks, std::uint64_t to_ticks) const;
    // By the host's clock, to five microseconds; nothing where the device does not tell how the two clocks stand.
    [[nodiscard]] std::optional<std::uint64_t> host_moment_ns(std::size_t engine, std::uint64_t ticks);
    // Runs copies that the maker gives on each engine, and on each two one after the other. An engine whose timestamps
    // stand still, or that say that work took longer than the host saw it take, is timed by the host from here on; so
    // is whatever several engines do where the clocks of two do not tell the same order. Errors: the maker's, the
    // seams'.
    using WorkMaker = std::function<Result<std::vector<device::Work>>(std::uint64_t amount)>;
    [[nodiscard]] Status check_timestamps(const WorkMaker& make);

    // Errors: kTimeLimit after ten seconds, kDeviceLost.
    [[nodiscard]] Status wait(const device::TimelinePoint& point);
    // The next value of a timeline that only the host signals.
    [[nodiscard]] device::TimelinePoint next_gate();

    // How much work takes about `target_ns` on the engine, from 1 to `most`: by what more of it takes, so that the
    // submission and the host's waiting are no part of it. Runs it a few times, the answer too, and corrects it where
    // it takes more than a quarter more or less.
    // Errors: the maker's, the seams'.
    [[nodiscard]] Result<std::uint64_t> calibrate(std::size_t engine, const WorkMaker& make, std::uint64_t most,
                                                  std::uint64_t target_ns);

    [[nodiscard]] Result<RunTime> time_alone(const EngineWork& work);
    // `second` waits on the device for `first`.
    [[nodiscard]] Result<RunTime> time_serial(const EngineWork& first, const EngineWork& second);
    [[nodiscard]] Result<RunTime> time_together(const EngineWork& first, const EngineWork& second);

private:
    // Of one engine, or of the host.
    struct Lane {
        std::unique_ptr<device::Timeline> timeline;
        std::uint64_t last = 0;
        std::string no_timestamps = {};
        device::TimestampUnits units = {};
        std::vector<device::TimestampPairId> idle = {};
    };
    // The pairs that were ever made; they end with the bench.
    struct MadePairs {
        explicit MadePairs(device::TimestampSource& of) : source(of) {}
        MadePairs(const MadePairs&) = delete;
        MadePairs& operator=(const MadePairs&) = delete;
        ~MadePairs();

        device::TimestampSource& source;
        std::vector<device::TimestampPairId> all;
    };

    EngineBench(device::Device& device, Clock& clock) : device_(&device), clock_(&clock) {}

    [[nodiscard]] Result<TimedWork> submit_untimed(std::size_t engine, std::span<const device::Work> work,
                                                   std::span<const device::TimelinePoint> waits);
    // Whether the clocks of each two engines tell the order of work that waits for other work.
    [[nodiscard]] Status check_order(const WorkMaker& make);
    // From the earlier of the two begins to the later of the ends.
    [[nodiscard]] Result<RunTime> time_of_both(std::uint64_t start_ns, const TimedWork& first, const TimedWork& second);

    device::Device* device_;
    Clock* clock_;
    std::vector<Lane> lanes_;           // one an engine, and the host's
    device::TimestampUnits units_;      // of timestamps of several engines: the narrowest
    bool compare_ = true;               // as far as is known by now
    std::unique_ptr<MadePairs> pairs_;  // null without timestamps
};

}  // namespace heapwright::probe
