// Runs work on the engines of a device and takes the time: from the first submission until the host sees the last end.
// One timeline an engine. Not thread-safe; the device and the clock outlive it.
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
#include "heapwright/core/result.hpp"

namespace heapwright::probe {

// As reports name it: "graphics".
[[nodiscard]] std::string_view kind_name(device::EngineKind kind);

struct EngineWork {
    std::size_t engine = 0;  // position in Submitter::engines()
    std::vector<device::Work> work;
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
                                                       std::span<const device::TimelinePoint> waits = {});
    // Errors: kTimeLimit after ten seconds, kDeviceLost.
    [[nodiscard]] Status wait(const device::TimelinePoint& point);
    // The next value of a timeline that only the host signals.
    [[nodiscard]] device::TimelinePoint next_gate();

    using WorkMaker = std::function<Result<std::vector<device::Work>>(std::uint64_t amount)>;
    // How much work takes about `target_ns` on the engine, from 1 to `most`: by what more of it takes, so that the
    // submission and the host's waiting are no part of it. Runs it a few times, the answer too, and corrects it where
    // it takes more than a quarter more or less.
    // Errors: the maker's, the seams'.
    [[nodiscard]] Result<std::uint64_t> calibrate(std::size_t engine, const WorkMaker& make, std::uint64_t most,
                                                  std::uint64_t target_ns);

    [[nodiscard]] Result<std::uint64_t> time_alone(const EngineWork& work);
    // `second` waits on the device for `first`.
    [[nodiscard]] Result<std::uint64_t> time_serial(const EngineWork& first, const EngineWork& second);
    [[nodiscard]] Result<std::uint64_t> time_together(const EngineWork& first, const EngineWork& second);

private:
    struct Lane {
        std::unique_ptr<device::Timeline> timeline;
        std::uint64_t last = 0;
    };

    EngineBench(device::Device& device, Clock& clock) : device_(&device), clock_(&clock) {}

    device::Device* device_;
    Clock* clock_;
    std::vector<Lane> lanes_;  // one an engine, and the host's
};

}  // namespace heapwright::probe
