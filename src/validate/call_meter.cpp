#include "validate/call_meter.hpp"

#include <algorithm>

#if defined(__linux__)
#include <sys/resource.h>
#include <time.h>
#endif

namespace heapwright::validate {

std::optional<std::uint64_t> thread_cpu_ns() {
#if defined(__linux__)
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
#else
    return std::nullopt;
#endif
}

std::optional<std::uint64_t> involuntary_switches() {
#if defined(__linux__)
    rusage usage{};
    if (getrusage(RUSAGE_THREAD, &usage) != 0) return std::nullopt;
    return static_cast<std::uint64_t>(usage.ru_nivcsw);
#else
    return std::nullopt;
#endif
}

std::optional<std::uint64_t> CallMeter::ask_machine() const {
    if (!asks_machine_) return std::nullopt;
    return simulated_ == nullptr ? involuntary_switches() : thread_cpu_ns();
}

std::uint64_t CallMeter::simulated_ns() const {
    return simulated_ == nullptr ? 0 : simulated_->now_ns();
}

void CallMeter::begin() {
    machine_before_ = ask_machine();
    simulated_before_ns_ = simulated_ns();
    binder_before_ns_ = times_.binder_ns.load(std::memory_order_relaxed);
    checking_before_ns_ = times_.checking_ns.load(std::memory_order_relaxed);
    device_before_ns_ = times_.device_ns.load(std::memory_order_relaxed);
    before_ns_ = clock_.now_ns();
}

CallCost CallMeter::end() {
    const std::uint64_t elapsed_ns = clock_.now_ns() - before_ns_;
    const std::uint64_t checking_ns = times_.checking_ns.load(std::memory_order_relaxed) - checking_before_ns_;
    const std::uint64_t binder_ns = times_.binder_ns.load(std::memory_order_relaxed) - binder_before_ns_;
    CallCost cost{.own_ns = elapsed_ns - std::min(elapsed_ns, checking_ns + binder_ns),
                  .with_binding_ns = elapsed_ns - std::min(elapsed_ns, checking_ns)};
    // The background's calls, which may go on beside this one, add up to no more than this one took.
    const std::uint64_t device_ns = times_.device_ns.load(std::memory_order_relaxed) - device_before_ns_;
    cost.device_ns = std::min(cost.own_ns, device_ns);
    const std::optional<std::uint64_t> machine = ask_machine();
    if (!machine || !machine_before_) return cost;
    if (simulated_ == nullptr) {
        cost.was_preempted = *machine != *machine_before_;
        return cost;
    }
    const std::uint64_t most_ns = *machine - *machine_before_ + simulated_ns() - simulated_before_ns_;
    cost.own_ns = std::min(cost.own_ns, most_ns);
    cost.device_ns = std::min(cost.device_ns, most_ns);
    cost.with_binding_ns = std::min(cost.with_binding_ns, most_ns);
    return cost;
}

}  // namespace heapwright::validate
