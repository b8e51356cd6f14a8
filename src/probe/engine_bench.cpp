#include "probe/engine_bench.hpp"

#include <algorithm>

namespace heapwright::probe {
namespace {

constexpr std::uint64_t kWaitNs = 10'000'000'000;
constexpr std::uint64_t kLargestStep = 16;  // by which a calibration grows
constexpr std::uint32_t kCorrections = 3;   // of an amount whose time is off by more than a quarter

}  // namespace

std::string_view kind_name(device::EngineKind kind) {
    switch (kind) {
        case device::EngineKind::kGraphics: return "graphics";
        case device::EngineKind::kCompute: return "compute";
        case device::EngineKind::kCopy: return "copy";
    }
    return {};
}

Result<EngineBench> EngineBench::create(device::Device& device, Clock& clock) {
    EngineBench bench(device, clock);
    for (std::size_t lane = 0; lane <= bench.engines().size(); ++lane) {
        HEAPWRIGHT_ASSIGN(auto timeline, device.create_timeline(0));
        bench.lanes_.push_back({.timeline = std::move(timeline)});
    }
    return bench;
}

std::optional<std::size_t> EngineBench::first_of(device::EngineKind kind) const {
    const auto all = engines();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].kind == kind && all[i].priority == device::EnginePriority::kNormal) return i;
    }
    return std::nullopt;
}

Result<device::TimelinePoint> EngineBench::submit(std::size_t engine, std::span<const device::Work> work,
                                                  std::span<const device::TimelinePoint> waits) {
    Lane& lane = lanes_[engine];
    const device::TimelinePoint end{.timeline = lane.timeline.get(), .value = {lane.last + 1}};
    HEAPWRIGHT_TRY(device_->submitter().submit({.engine = {static_cast<std::uint32_t>(engine)},
                                                .waits = waits,
                                                .work = work,
                                                .signals = std::span(&end, 1),
                                                .lists = {}}));
    ++lane.last;
    return end;
}

Status EngineBench::wait(const device::TimelinePoint& point) {
    return point.timeline->wait(point.value, kWaitNs);
}

device::TimelinePoint EngineBench::next_gate() {
    Lane& host = lanes_.back();
    return {.timeline = host.timeline.get(), .value = {++host.last}};
}

Result<std::uint64_t> EngineBench::calibrate(std::size_t engine, const WorkMaker& make, std::uint64_t most,
                                             std::uint64_t target_ns) {
    const auto time_of = [&](std::uint64_t amount) -> Result<std::uint64_t> {
        HEAPWRIGHT_ASSIGN(auto made, make(amount));
        const EngineWork work{.engine = engine, .work = std::move(made)};
        HEAPWRIGHT_ASSIGN(const std::uint64_t once_ns, time_alone(work));
        HEAPWRIGHT_ASSIGN(const std::uint64_t again_ns, time_alone(work));
        return std::min(once_ns, again_ns);
    };
    // A device that was slower, or faster, while the amount grew (caches, clocks) takes another time for all of it.
    const auto corrected = [&](std::uint64_t amount) -> Result<std::uint64_t> {
        for (std::uint32_t i = 0; i < kCorrections; ++i) {
            HEAPWRIGHT_ASSIGN(const std::uint64_t least_ns, time_of(1));
            HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns, time_of(amount));
            const std::uint64_t more_ns = taken_ns > least_ns ? taken_ns - least_ns : 0;
            const bool is_near = more_ns * 4 >= target_ns * 3 && more_ns * 4 <= target_ns * 5;
            if (is_near || more_ns == 0 || amount < 2) return amount;
            amount = std::clamp<std::uint64_t>((amount - 1) * target_ns / more_ns, 1, most);
        }
        return amount;
    };
    // The first run pays for what a driver sets up once, every run for its submission and for telling the host.
    HEAPWRIGHT_ASSIGN(const std::uint64_t least_ns, time_of(1));
    if (most < 2) return 1;
    for (std::uint64_t amount = 2;;) {
        HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns, time_of(amount));
        const std::uint64_t more_ns = taken_ns > least_ns ? taken_ns - least_ns : 0;
        const std::uint64_t wanted = more_ns == 0 ? most : (amount - 1) * target_ns / more_ns;
        if (more_ns * 2 >= target_ns) return corrected(std::clamp<std::uint64_t>(wanted, 1, most));
        if (amount == most) return most;
        const std::uint64_t largest = std::min(amount * kLargestStep, most);
        amount = std::clamp(wanted, std::min(amount * 2, largest), largest);
    }
}

Result<std::uint64_t> EngineBench::time_alone(const EngineWork& work) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint end, submit(work.engine, work.work));
    HEAPWRIGHT_TRY(wait(end));
    return now_ns() - start;
}

Result<std::uint64_t> EngineBench::time_serial(const EngineWork& first, const EngineWork& second) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint middle, submit(first.engine, first.work));
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint end, submit(second.engine, second.work, std::span(&middle, 1)));
    HEAPWRIGHT_TRY(wait(end));
    return now_ns() - start;
}

Result<std::uint64_t> EngineBench::time_together(const EngineWork& first, const EngineWork& second) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint one, submit(first.engine, first.work));
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint other, submit(second.engine, second.work));
    HEAPWRIGHT_TRY(wait(one));
    HEAPWRIGHT_TRY(wait(other));
    return now_ns() - start;
}

}  // namespace heapwright::probe
