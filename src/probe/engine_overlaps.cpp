#include <optional>

#include <fmt/format.h>

#include "heapwright/probe/engine_figures.hpp"
#include "heapwright/probe/engine_phases.hpp"

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
    std::vector<std::uint64_t> first_alone;
    std::vector<std::uint64_t> second_alone;
    std::vector<std::uint64_t> serial;
    std::vector<std::uint64_t> together;
};

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
    const auto time_alone = [&](const Load& load, std::vector<std::uint64_t>& samples) -> Status {
        HEAPWRIGHT_ASSIGN(const EngineWork work, load.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns, phase.bench.time_alone(work));
        samples.push_back(taken_ns);
        return {};
    };
    const auto time_both = [&](auto time, std::vector<std::uint64_t>& samples) -> Status {
        HEAPWRIGHT_ASSIGN(const EngineWork first, pair.first.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const EngineWork second, pair.second.work(phase.loads));
        HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns, (phase.bench.*time)(first, second));
        samples.push_back(taken_ns);
        return {};
    };
    HEAPWRIGHT_TRY(time_alone(pair.first, pair.first_alone));
    HEAPWRIGHT_TRY(time_alone(pair.second, pair.second_alone));
    HEAPWRIGHT_TRY(time_both(&EngineBench::time_serial, pair.serial));
    return time_both(&EngineBench::time_together, pair.together);
}

}  // namespace

Status measure_overlaps(const EnginePhase& phase) {
    const Half draws{EngineKind::kGraphics, phase.draw};
    const Half compute{EngineKind::kCompute, LoadKind::kCompute};
    const Half copies{EngineKind::kCopy, LoadKind::kUpload};
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
    const auto round = [&]() -> Status {
        for (Pair& pair : pairs) HEAPWRIGHT_TRY(sample(phase, pair));
        return {};
    };
    HEAPWRIGHT_TRY(phase.in_rounds(round));
    for (Pair& pair : pairs) {
        model::EngineOverlap overlap{.first = phase.bench.engines()[pair.first.engine].name,
                                     .second = phase.bench.engines()[pair.second.engine].name,
                                     .first_work = std::string(work_name(pair.first.kind)),
                                     .second_work = std::string(work_name(pair.second.kind)),
                                     .samples = static_cast<std::uint32_t>(pair.serial.size()),
                                     .first_alone = spread_ns(std::move(pair.first_alone)),
                                     .second_alone = spread_ns(std::move(pair.second_alone)),
                                     .serial = spread_ns(std::move(pair.serial)),
                                     .concurrent = spread_ns(std::move(pair.together))};
        overlap.gained = gained(overlap);
        phase.result.overlaps.push_back(std::move(overlap));
    }
    return {};
}

}  // namespace heapwright::probe
