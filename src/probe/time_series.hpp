// Times of the same work, taken again and again, by the host's clock and, where there is one, by the device's. A series
// is told by one clock: the device's where that took every run. In nanoseconds. Values; not thread-safe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "heapwright/model/engine_measurements.hpp"

namespace heapwright::probe {

// One run of some work. At least one of the two; in nanoseconds.
struct RunTime {
    std::optional<std::uint64_t> host_ns;
    std::optional<std::uint64_t> device_ns;

    // By the device's clock where that took it.
    [[nodiscard]] std::uint64_t ns() const { return device_ns ? *device_ns : host_ns.value_or(0); }
};

class TimeSeries {
public:
    TimeSeries() = default;
    // By the host's clock alone.
    TimeSeries(std::initializer_list<std::uint64_t> host_ns) : host_ns_(host_ns) {}

    // A run that neither clock took is none.
    void add(const RunTime& run) {
        if (!run.host_ns && !run.device_ns) return;
        if (run.host_ns) host_ns_.push_back(*run.host_ns);
        if (run.device_ns)
            device_ns_.push_back(*run.device_ns);
        else
            all_by_device_ = false;
    }
    // Beside figures that the device's clock did not take, its times compare with nothing.
    void forget_device() { device_ns_.clear(); }

    // The device's clock counts once it took every run.
    [[nodiscard]] bool by_device() const { return all_by_device_ && !device_ns_.empty(); }
    // In the order in which they were taken, by the clock that counts.
    [[nodiscard]] std::span<const std::uint64_t> ns() const { return by_device() ? device_ns_ : host_ns_; }
    [[nodiscard]] std::size_t size() const { return ns().size(); }
    [[nodiscard]] bool empty() const { return ns().empty(); }

    // All zero without runs.
    [[nodiscard]] model::MeasuredTime measured() const;

private:
    std::vector<std::uint64_t> host_ns_;
    std::vector<std::uint64_t> device_ns_;
    bool all_by_device_ = true;
};

}  // namespace heapwright::probe
