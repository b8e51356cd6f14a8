#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "model/names.hpp"
#include "probe/engine_figures.hpp"
#include "probe/engine_phases.hpp"

namespace heapwright::probe {

namespace {

using device::EngineKind;

struct Half {
    EngineKind kind;
    LoadKind load;
};

struct Load {
    std::size_t engine = 0;
    LoadKind kind{};
    std::uint64_t amount = 0;

    [[nodiscard]] Result<EngineWork> work(EngineLoads& loads) const {
        HEAPWRIGHT_ASSIGN(auto made, loads.of(kind, amount));
        return EngineWork{.engine = engine, .work = std::move(made)};
    }
};

struct Pair {
    Load first;
    Load second;
    OverlapSeries series;
};

constexpr std::uint32_t kOverlapTries = 2;
constexpr double kFirstTryUntil = 0.6;  // of the phase's time; the rest is for what was disturbed
constexpr std::uint32_t kWarmRuns = 4;  // of each load, before it is asked whether more would gain

// A device that was idle runs slowly at first: the loads are run, one after the other, until that gains nothing.
Status warm(const EnginePhase& phase, std::span<const Half> halves) {
    std::vector<EngineWork> work;
    for (const Half& half : halves) {
        const auto engine = phase.bench.first_of(half.kind);
        if (!engine) continue;
        const auto amount = phase.loads.amount_for(phase.bench, *engine, half.load, phase.load_ns);
        if (!amount && amount.error().code == ErrorCode::kNotSupported) continue;
        if (!amount) return fail(amount.error());
        HEAPWRIGHT_ASSIGN(auto made, phase.loads.of(half.load, *amount));
        work.push_back({.engine = *engine, .work = std::move(made)});
    }
    const std::uint64_t until_ns = phase.bench.now_ns() + phase.warm_ns;
    std::uint64_t least_ns = std::numeric_limits<std::uint64_t>::max();
    for (bool gains = true; gains && phase.bench.now_ns() < until_ns;) {
        std::uint64_t round_ns = 0;
        for (std::uint32_t i = 0; i < kWarmRuns; ++i) {
            for (const EngineWork& each : work) {
                HEAPWRIGHT_ASSIGN(const RunTime taken, phase.bench.time_alone(each));
                round_ns += taken.ns();
            }
        }
        gains = static_cast<double>(round_ns) < (1 - kAlike) * static_cast<double>(least_ns);
        least_ns = std::min(least_ns, round_ns);
    }
    return {};
}

Result<Load> load_of(const EnginePhase& phase, std::size_t engine, LoadKind kind) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t amount, phase.loads.amount_for(phase.bench, engine, kind, phase.load_ns));
    // Whether the engine can do it at all.
    HEAPWRIGHT_TRY(phase.loads.of(kind, amount));
    return Load{.engine = engine, .kind = kind, .amount = amount};
}

Result<Pair> pair_of(const EnginePhase& phase, const Half& first, const Half& second) {
    const auto one = phase.bench.first_of(first.kind);
    const auto other = phase.bench.first_of(second.kind);
    if (!one || !other) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("the device has no {} engine", kind_name(one ? second.kind : first.kind)));
    }
    Pair pair;
    HEAPWRIGHT_ASSIGN(pair.first, load_of(phase, *one, first.load));
    HEAPWRIGHT_ASSIGN(pair.second, load_of(phase, *other, second.load));
    return pair;
}

// The work is made anew for each time, so that each uploads other bytes.
Status sample(const EnginePhase& phase, Pair& pair) {
    const auto time_alone = [&](const Load& load, TimeSeries& series) -> Status {
        HEAPWRIGHT_ASSIGN(const EngineWork work, load.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const RunTime taken, phase.bench.time_alone(work));
        series.add(taken);
        return {};
    };
    const auto time_both = [&](auto time, TimeSeries& series) -> Status {
        HEAPWRIGHT_ASSIGN(const EngineWork first, pair.first.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const EngineWork second, pair.second.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const RunTime taken, (phase.bench.*time)(first, second));
        series.add(taken);
        return {};
    };
    HEAPWRIGHT_TRY(time_alone(pair.first, pair.series.first_alone));
    HEAPWRIGHT_TRY(time_alone(pair.second, pair.series.second_alone));
    HEAPWRIGHT_TRY(time_both(&EngineBench::time_serial, pair.series.serial));
    HEAPWRIGHT_TRY(time_both(&EngineBench::time_together, pair.series.together));
    // The four compare by one clock.
    auto& [one, other, serial, together] = pair.series;
    for (TimeSeries* const series : {&one, &other, &serial, &together}) {
        if (!serial.by_device() || !together.by_device()) series->forget_device();
    }
    return {};
}

model::EngineOverlap overlap_of(const EnginePhase& phase, const Pair& pair) {
    model::EngineOverlap overlap{.first = phase.bench.engines()[pair.first.engine].name,
                                 .second = phase.bench.engines()[pair.second.engine].name,
                                 .first_work = std::string(work_name(pair.first.kind)),
                                 .second_work = std::string(work_name(pair.second.kind)),
                                 .samples = static_cast<std::uint32_t>(pair.series.serial.size()),
                                 .first_alone = pair.series.first_alone.measured(),
                                 .second_alone = pair.series.second_alone.measured(),
                                 .serial = pair.series.serial.measured(),
                                 .concurrent = pair.series.together.measured(),
                                 .gained = 0,
                                 .disturbed = {}};
    overlap.gained = gained(overlap);
    overlap.disturbed = disturbance(pair.series, overlap);
    return overlap;
}

// Samples of the pairs, all in each round; those that were disturbed once more where time is left.
Status sample_all(const EnginePhase& phase, std::vector<Pair>& pairs) {
    std::vector<Pair*> left;
    for (Pair& pair : pairs) left.push_back(&pair);
    const std::uint64_t start_ns = phase.bench.now_ns();
    EnginePhase tried = phase;
    if (phase.deadline_ns > start_ns) {
        const auto all_ns = static_cast<double>(phase.deadline_ns - start_ns);
        tried.deadline_ns = start_ns + static_cast<std::uint64_t>(kFirstTryUntil * all_ns);
    }
    for (std::uint32_t i = 0; i < kOverlapTries && !left.empty(); ++i) {
        if (i > 0 && phase.bench.now_ns() >= phase.deadline_ns) return {};
        for (Pair* const pair : left) {
            pair->series = {};
            // By now the device may have another speed.
            if (i == 0) continue;
            HEAPWRIGHT_ASSIGN(pair->first, load_of(phase, pair->first.engine, pair->first.kind));
            HEAPWRIGHT_ASSIGN(pair->second, load_of(phase, pair->second.engine, pair->second.kind));
        }
        const auto round = [&]() -> Status {
            for (Pair* const pair : left) HEAPWRIGHT_TRY(sample(phase, *pair));
            return {};
        };
        HEAPWRIGHT_TRY(tried.in_rounds(round));
        std::erase_if(left, [&](const Pair* pair) { return !overlap_of(phase, *pair).disturbed; });
        tried.deadline_ns = phase.deadline_ns;
    }
    return {};
}

}  // namespace

Status measure_overlaps(const EnginePhase& phase) {
    const Half draws{EngineKind::kGraphics, phase.draw};
    const Half compute{EngineKind::kCompute, LoadKind::kCompute};
    const Half copies{EngineKind::kCopy, LoadKind::kUpload};
    HEAPWRIGHT_TRY(warm(phase, std::array{draws, compute, copies}));
    std::vector<Pair> pairs;
    for (const auto& [first, second] :
         {std::pair(draws, compute), std::pair(draws, copies), std::pair(compute, copies)}) {
        auto made = pair_of(phase, first, second);
        if (made) {
            pairs.push_back(std::move(*made));
            continue;
        }
        HEAPWRIGHT_TRY(phase.tolerate(
            fmt::format("overlap of {} with {}", work_name(first.load), work_name(second.load)), fail(made.error())));
    }
    if (pairs.empty()) return {};
    HEAPWRIGHT_TRY(sample_all(phase, pairs));
    for (const Pair& pair : pairs) phase.result.overlaps.push_back(overlap_of(phase, pair));
    return {};
}

namespace {

struct Direction {
    model::CopyDirection direction;
    LoadKind load;
};

constexpr std::array kDirections{Direction{model::CopyDirection::kUpload, LoadKind::kUpload},
                                 Direction{model::CopyDirection::kDownload, LoadKind::kDownload},
                                 Direction{model::CopyDirection::kOnDevice, LoadKind::kCopyOnDevice}};

struct Series {
    Direction direction;
    std::size_t engine = 0;
    std::uint64_t amount = 0;
    TimeSeries times;
};

}  // namespace

Status measure_copies(const EnginePhase& phase) {
    const auto engines = phase.bench.engines();
    std::vector<Series> all;
    for (const Direction& each : kDirections) {
        for (std::size_t engine = 0; engine < engines.size(); ++engine) {
            if (engines[engine].priority != device::EnginePriority::kNormal) continue;
            // A power of two, so that runs of one build copy as much.
            const auto amount = phase.loads.amount_for(phase.bench, engine, each.load, phase.load_ns);
            if (!amount) {
                HEAPWRIGHT_TRY(phase.tolerate(
                    fmt::format("copies of {}, {}", engines[engine].name, model::name_of(each.direction)),
                    fail(amount.error())));
                continue;
            }
            all.push_back({.direction = each, .engine = engine, .amount = std::bit_floor(*amount), .times = {}});
        }
    }
    const auto round = [&]() -> Status {
        for (Series& series : all) {
            // Made anew: each sample uploads other bytes.
            HEAPWRIGHT_ASSIGN(auto work, phase.loads.of(series.direction.load, series.amount));
            HEAPWRIGHT_ASSIGN(const RunTime taken,
                              phase.bench.time_alone({.engine = series.engine, .work = std::move(work)}));
            series.times.add(taken);
        }
        return {};
    };
    HEAPWRIGHT_TRY(phase.in_rounds(round));
    // The engines compare by one clock.
    if (!std::ranges::all_of(all, [](const Series& each) { return each.times.by_device(); }))
        for (Series& each : all) each.times.forget_device();
    for (const Series& series : all) {
        model::EngineCopy copy{.engine = engines[series.engine].name,
                               .direction = series.direction.direction,
                               .bytes_each = phase.loads.bytes_of(series.direction.load, series.amount),
                               .samples = static_cast<std::uint32_t>(series.times.size()),
                               .time = series.times.measured()};
        copy.bytes_per_s = bytes_per_s(copy.bytes_each, copy.time.ns);
        phase.result.copies.push_back(std::move(copy));
    }
    return {};
}

}  // namespace heapwright::probe
