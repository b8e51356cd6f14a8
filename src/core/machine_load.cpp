#include "core/machine_load.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>

#include "core/clock.hpp"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace heapwright {
namespace {

// Ticks are hundredths of a second: a shorter time has too few of them.
constexpr std::uint64_t kLeastNs = 50'000'000;

#ifdef _WIN32

std::uint64_t nanoseconds(const FILETIME& time) {
    return ((static_cast<std::uint64_t>(time.dwHighDateTime) << 32) | time.dwLowDateTime) * 100;
}

std::optional<MachineTimes> times_now() {
    FILETIME idle;
    FILETIME kernel;
    FILETIME user;
    FILETIME created;
    FILETIME exited;
    FILETIME own_kernel;
    FILETIME own_user;
    if (GetSystemTimes(&idle, &kernel, &user) == 0) return std::nullopt;
    if (GetProcessTimes(GetCurrentProcess(), &created, &exited, &own_kernel, &own_user) == 0) return std::nullopt;
    // The kernel's time includes the idle one.
    const std::uint64_t all_ns = nanoseconds(kernel) + nanoseconds(user);
    return MachineTimes{.at_ns = SteadyClock().now_ns(),
                        .all_ns = all_ns,
                        .busy_ns = all_ns - std::min(all_ns, nanoseconds(idle)),
                        .own_ns = nanoseconds(own_kernel) + nanoseconds(own_user)};
}

#else

std::uint64_t nanoseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

std::optional<MachineTimes> times_now() {
    std::string line;
    std::ifstream stat("/proc/stat");
    if (!std::getline(stat, line)) return std::nullopt;
    const auto ticks = parse_processor_ticks(line);
    const long rate = sysconf(_SC_CLK_TCK);
    rusage own{};
    if (!ticks || rate <= 0 || getrusage(RUSAGE_SELF, &own) != 0) return std::nullopt;
    const std::uint64_t tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(rate);
    MachineTimes times{.at_ns = SteadyClock().now_ns(),
                       .all_ns = ticks->all * tick_ns,
                       .busy_ns = (ticks->all - ticks->idle) * tick_ns,
                       .own_ns = nanoseconds(own.ru_utime) + nanoseconds(own.ru_stime)};
    // Time on a processor, time waiting for one, slices.
    std::ifstream schedule("/proc/thread-self/schedstat");
    std::uint64_t ran_ns = 0;
    if (!(schedule >> ran_ns >> times.waited_ns)) times.waited_ns = 0;
    return times;
}

#endif

double share(std::uint64_t part, std::uint64_t whole) {
    return std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

std::uint64_t since(std::uint64_t from, std::uint64_t to) {
    return to > from ? to - from : 0;
}

}  // namespace

std::optional<MachineShares> shares_between(const MachineTimes& from, const MachineTimes& to) {
    const std::uint64_t elapsed_ns = since(from.at_ns, to.at_ns);
    const std::uint64_t all_ns = since(from.all_ns, to.all_ns);
    if (elapsed_ns == 0 || all_ns == 0) return std::nullopt;
    const std::uint64_t busy_ns = since(from.busy_ns, to.busy_ns);
    const std::uint64_t own_ns = since(from.own_ns, to.own_ns);
    return MachineShares{.others = share(since(own_ns, busy_ns), all_ns),
                         .waiting = share(since(from.waited_ns, to.waited_ns), elapsed_ns)};
}

std::optional<ProcessorTicks> parse_processor_ticks(std::string_view line) {
    // user nice system idle iowait irq softirq steal; guest times follow, which user and nice hold already.
    constexpr std::size_t kCounted = 8;
    constexpr std::size_t kIdle = 3;
    constexpr std::size_t kWaitingForDisks = 4;
    if (!line.starts_with("cpu ")) return std::nullopt;
    line.remove_prefix(4);
    std::array<std::uint64_t, kCounted> values{};
    std::size_t count = 0;
    while (count < kCounted) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), values[count]);
        if (error != std::errc{}) break;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
        ++count;
    }
    if (count <= kIdle) return std::nullopt;
    ProcessorTicks ticks{.idle = values[kIdle] + values[kWaitingForDisks]};
    for (const std::uint64_t value : values) ticks.all += value;
    return ticks;
}

LoadMeter::LoadMeter() : start_(times_now()) {}

std::optional<MachineShares> LoadMeter::shares() const {
    const auto now = times_now();
    if (!start_ || !now || since(start_->at_ns, now->at_ns) < kLeastNs) return std::nullopt;
    return shares_between(*start_, *now);
}

}  // namespace heapwright
