// How busy the machine is with other work: what other processes take of the processors, and how long this thread waits
// for one though it is ready. From /proc/stat, getrusage and /proc/thread-self/schedstat; Windows: GetSystemTimes and
// GetProcessTimes, which say nothing of waiting. A meter belongs to the thread that made it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heapwright {

struct MachineShares {
    double others = 0;   // of all processors' time, 0 to 1
    double waiting = 0;  // of the time, 0 to 1; 0 where the system does not say
};

// Running totals of one moment, in nanoseconds.
struct MachineTimes {
    std::uint64_t at_ns = 0;
    std::uint64_t all_ns = 0;   // of all processors, idle or not
    std::uint64_t busy_ns = 0;  // of them, not idle; what a hypervisor took counts
    std::uint64_t own_ns = 0;   // of them, this process's
    std::uint64_t waited_ns = 0;
};

// Nothing when no processor time has passed between the two.
[[nodiscard]] std::optional<MachineShares> shares_between(const MachineTimes& from, const MachineTimes& to);

struct ProcessorTicks {
    std::uint64_t all = 0;
    std::uint64_t idle = 0;
};

// The first line of /proc/stat; guests' time is part of their hosts'. Nothing when it is none.
[[nodiscard]] std::optional<ProcessorTicks> parse_processor_ticks(std::string_view line);

// From its construction on.
class LoadMeter {
public:
    LoadMeter();

    // Until now. Nothing where the system does not say, and for less than some hundredths of a second.
    [[nodiscard]] std::optional<MachineShares> shares() const;

private:
    std::optional<MachineTimes> start_;
};

}  // namespace heapwright
