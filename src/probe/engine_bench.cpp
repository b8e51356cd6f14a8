#include "probe/engine_bench.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace heapwright::probe {
namespace {

constexpr std::uint64_t kWaitNs = 10'000'000'000;
constexpr std::uint64_t kLargestStep = 16;  // by which a calibration grows
constexpr std::uint32_t kCorrections = 3;   // of an amount whose time is off by more than a quarter
constexpr std::uint32_t kCheckedRuns = 3;   // of copies, before an engine's timestamps are believed
constexpr std::uint64_t kCheckedCopies = 4;
constexpr std::uint64_t kMostDeviationNs = 5'000;  // between the two clocks: NVIDIA 580 states 2.8 us on an H200
constexpr std::uint32_t kCalibrations = 4;         // at most, for one that is near enough
constexpr const char* kNoSource = "the device's backend reads no timestamps";

std::optional<std::uint64_t> forward(double ns) {
    if (ns < 0) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(ns));
}

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
    device::TimestampSource* const source = device.timestamps();
    if (source != nullptr) bench.pairs_ = std::make_unique<MadePairs>(*source);
    bool any = false;
    for (std::size_t engine = 0; engine < bench.engines().size(); ++engine) {
        const device::EngineId id{static_cast<std::uint32_t>(engine)};
        const auto units = source != nullptr ? source->units(id) : fail(ErrorCode::kNotSupported, kNoSource);
        if (!units) {
            bench.lanes_[engine].no_timestamps = units.error().message;
            continue;
        }
        bench.lanes_[engine].units = *units;
        const auto common = any ? device::common_units(bench.units_, *units) : *units;
        bench.compare_ = bench.compare_ && common;
        bench.units_ = common.value_or(*units);
        any = true;
    }
    return bench;
}

EngineBench::MadePairs::~MadePairs() {
    for (const device::TimestampPairId pair : all) source.destroy(pair);
}

std::optional<std::size_t> EngineBench::first_of(device::EngineKind kind) const {
    const auto all = engines();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].kind == kind && all[i].priority == device::EnginePriority::kNormal) return i;
    }
    return std::nullopt;
}

Result<device::TimelinePoint> EngineBench::submit(std::size_t engine, std::span<const device::Work> work,
                                                  std::span<const device::TimelinePoint> waits,
                                                  std::optional<device::TimestampPairId> timestamps) {
    Lane& lane = lanes_[engine];
    const device::TimelinePoint end{.timeline = lane.timeline.get(), .value = {lane.last + 1}};
    HEAPWRIGHT_TRY(device_->submitter().submit({.engine = {static_cast<std::uint32_t>(engine)},
                                                .waits = waits,
                                                .work = work,
                                                .signals = std::span(&end, 1),
                                                .lists = {},
                                                .timestamps = timestamps}));
    ++lane.last;
    return end;
}

Result<TimedWork> EngineBench::submit_timed(std::size_t engine, std::span<const device::Work> work,
                                            std::span<const device::TimelinePoint> waits) {
    Lane& lane = lanes_[engine];
    if (lane.no_timestamps.empty() && lane.idle.empty()) {
        if (const auto made = pairs_->source.create({static_cast<std::uint32_t>(engine)})) {
            pairs_->all.push_back(*made);
            lane.idle.push_back(*made);
        } else {
            lane.no_timestamps = to_string(made.error());
        }
    }
    std::optional<device::TimestampPairId> timestamps;
    if (lane.no_timestamps.empty()) timestamps = lane.idle.back();
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint end, submit(engine, work, waits, timestamps));
    if (timestamps) lane.idle.pop_back();
    return TimedWork{.end = end, .engine = engine, .timestamps = timestamps};
}

Result<std::optional<device::TimestampPair>> EngineBench::timestamps_of(const TimedWork& timed) {
    if (!timed.timestamps) return std::optional<device::TimestampPair>();
    Lane& lane = lanes_[timed.engine];
    const auto pair = pairs_->source.read(*timed.timestamps);
    if (!pair) {
        if (pair.error().code == ErrorCode::kDeviceLost) return fail(pair.error());
        lane.no_timestamps = to_string(pair.error());
        return std::optional<device::TimestampPair>();
    }
    lane.idle.push_back(*timed.timestamps);
    return std::optional(*pair);
}

Result<TimedWork> EngineBench::submit_compared(std::size_t engine, std::span<const device::Work> work,
                                               std::span<const device::TimelinePoint> waits) {
    return timestamps_compare() ? submit_timed(engine, work, waits) : submit_untimed(engine, work, waits);
}

Result<TimedWork> EngineBench::submit_beside_host(std::size_t engine, std::span<const device::Work> work,
                                                  std::span<const device::TimelinePoint> waits) {
    return compare_ ? submit_timed(engine, work, waits) : submit_untimed(engine, work, waits);
}

Result<TimedWork> EngineBench::submit_untimed(std::size_t engine, std::span<const device::Work> work,
                                              std::span<const device::TimelinePoint> waits) {
    HEAPWRIGHT_ASSIGN(const device::TimelinePoint end, submit(engine, work, waits));
    return TimedWork{.end = end, .engine = engine, .timestamps = {}};
}

bool EngineBench::timestamps_compare() const {
    return pairs_ != nullptr && compare_ && pairs_->source.compare_across_submissions();
}

std::optional<std::uint64_t> EngineBench::ns_between(std::uint64_t from_ticks, std::uint64_t to_ticks) const {
    return forward(device::ns_between(from_ticks, to_ticks, units_));
}

std::optional<std::uint64_t> EngineBench::host_moment_ns(std::size_t engine, std::uint64_t ticks) {
    if (pairs_ == nullptr || !lanes_[engine].no_timestamps.empty()) return std::nullopt;
    for (std::uint32_t i = 0; i < kCalibrations; ++i) {
        const auto now = pairs_->source.calibrate({static_cast<std::uint32_t>(engine)});
        if (!now) return std::nullopt;
        if (now->deviation_ns > kMostDeviationNs) continue;
        const auto since_ns = forward(device::ns_between(ticks, now->device_ticks, lanes_[engine].units));
        return since_ns && *since_ns <= now->host_ns ? std::optional(now->host_ns - *since_ns) : std::nullopt;
    }
    return std::nullopt;
}

Status EngineBench::check_timestamps(const WorkMaker& make) {
    for (std::size_t engine = 0; engine < engines().size(); ++engine) {
        Lane& lane = lanes_[engine];
        for (std::uint32_t i = 0; i < kCheckedRuns && lane.no_timestamps.empty(); ++i) {
            HEAPWRIGHT_ASSIGN(auto copies, make(kCheckedCopies));
            HEAPWRIGHT_ASSIGN(const RunTime taken, time_alone({.engine = engine, .work = std::move(copies)}));
            // Nothing: they failed, or ran backwards.
            if (taken.device_ns.value_or(0) == 0 && lane.no_timestamps.empty()) {
                lane.no_timestamps = fmt::format("its timestamps stand still, or run backwards, while it copies for {}",
                                                 time_text(*taken.host_ns));
            } else if (taken.device_ns && *taken.device_ns > *taken.host_ns) {
                lane.no_timestamps = fmt::format("its timestamps say that a copy took {}, of which the host saw {}",
                                                 time_text(*taken.device_ns), time_text(*taken.host_ns));
            }
        }
    }
    return check_order(make);
}

Status EngineBench::check_order(const WorkMaker& make) {
    for (std::size_t first = 0; first < engines().size(); ++first) {
        for (std::size_t second = 0; second < engines().size() && timestamps_compare(); ++second) {
            if (first == second || !lanes_[first].no_timestamps.empty() || !lanes_[second].no_timestamps.empty())
                continue;
            HEAPWRIGHT_ASSIGN(const auto one, make(kCheckedCopies));
            HEAPWRIGHT_ASSIGN(const auto other, make(kCheckedCopies));
            HEAPWRIGHT_ASSIGN(const TimedWork middle, submit_timed(first, one));
            HEAPWRIGHT_ASSIGN(const TimedWork end, submit_timed(second, other, std::span(&middle.end, 1)));
            HEAPWRIGHT_TRY(wait(end.end));
            HEAPWRIGHT_ASSIGN(const auto earlier, timestamps_of(middle));
            HEAPWRIGHT_ASSIGN(const auto later, timestamps_of(end));
            if (earlier && later && !ns_between(earlier->end_ticks, later->begin_ticks)) compare_ = false;
        }
    }
    return {};
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
        HEAPWRIGHT_ASSIGN(const RunTime once, time_alone(work));
        HEAPWRIGHT_ASSIGN(const RunTime again, time_alone(work));
        return std::min(once.ns(), again.ns());
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

Result<RunTime> EngineBench::time_of_both(std::uint64_t start_ns, const TimedWork& first, const TimedWork& second) {
    RunTime taken{.host_ns = now_ns() - start_ns, .device_ns = {}};
    HEAPWRIGHT_ASSIGN(const auto one, timestamps_of(first));
    HEAPWRIGHT_ASSIGN(const auto other, timestamps_of(second));
    if (!one || !other || !timestamps_compare()) return taken;
    // Either may begin and end first.
    const auto earlier = [this](std::uint64_t a, std::uint64_t b) { return device::ns_between(a, b, units_) >= 0; };
    const std::uint64_t begin = earlier(one->begin_ticks, other->begin_ticks) ? one->begin_ticks : other->begin_ticks;
    const std::uint64_t end = earlier(one->end_ticks, other->end_ticks) ? other->end_ticks : one->end_ticks;
    taken.device_ns = ns_between(begin, end);
    return taken;
}

Result<RunTime> EngineBench::time_alone(const EngineWork& work) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const TimedWork timed, submit_timed(work.engine, work.work));
    HEAPWRIGHT_TRY(wait(timed.end));
    RunTime taken{.host_ns = now_ns() - start, .device_ns = {}};
    HEAPWRIGHT_ASSIGN(const auto pair, timestamps_of(timed));
    if (pair)
        taken.device_ns = forward(device::ns_between(pair->begin_ticks, pair->end_ticks, lanes_[work.engine].units));
    return taken;
}

Result<RunTime> EngineBench::time_serial(const EngineWork& first, const EngineWork& second) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const TimedWork middle, submit_compared(first.engine, first.work));
    HEAPWRIGHT_ASSIGN(const TimedWork end, submit_compared(second.engine, second.work, std::span(&middle.end, 1)));
    HEAPWRIGHT_TRY(wait(end.end));
    return time_of_both(start, middle, end);
}

Result<RunTime> EngineBench::time_together(const EngineWork& first, const EngineWork& second) {
    const std::uint64_t start = now_ns();
    HEAPWRIGHT_ASSIGN(const TimedWork one, submit_compared(first.engine, first.work));
    HEAPWRIGHT_ASSIGN(const TimedWork other, submit_compared(second.engine, second.work));
    HEAPWRIGHT_TRY(wait(one.end));
    HEAPWRIGHT_TRY(wait(other.end));
    return time_of_both(start, one, other);
}

}  // namespace heapwright::probe
