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

struct Pair {
    EngineWork first;
    EngineWork second;
    LoadKind first_load;
    LoadKind second_load;
    std::vector<std::uint64_t> first_alone;
    std::vector<std::uint64_t> second_alone;
    std::vector<std::uint64_t> serial;
    std::vector<std::uint64_t> together;
};

Result<EngineWork> load_of(const EnginePhase& phase, std::size_t engine, LoadKind kind) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t amount, phase.loads.amount_for(phase.bench, engine, kind, phase.load_ns));
    HEAPWRIGHT_ASSIGN(auto work, phase.loads.of(kind, amount));
    return EngineWork{.engine = engine, .work = std::move(work)};
}

Result<Pair> pair_of(const EnginePhase& phase, const Half& first, const Half& second) {
    const auto one = phase.bench.first_of(first.kind);
    const auto other = phase.bench.first_of(second.kind);
    if (!one || !other) {
        return fail(ErrorCode::kNotSupported,
                    fmt::format("the device has no {} engine", kind_name(one ? second.kind : first.kind)));
    }
    Pair pair{.first = {}, .second = {}, .first_load = first.load, .second_load = second.load};
    HEAPWRIGHT_ASSIGN(pair.first, load_of(phase, *one, first.load));
    HEAPWRIGHT_ASSIGN(pair.second, load_of(phase, *other, second.load));
    return pair;
}

Status sample(EngineBench& bench, Pair& pair) {
    HEAPWRIGHT_ASSIGN(const std::uint64_t first_ns, bench.time_alone(pair.first));
    HEAPWRIGHT_ASSIGN(const std::uint64_t second_ns, bench.time_alone(pair.second));
    HEAPWRIGHT_ASSIGN(const std::uint64_t serial_ns, bench.time_serial(pair.first, pair.second));
    HEAPWRIGHT_ASSIGN(const std::uint64_t together_ns, bench.time_together(pair.first, pair.second));
    pair.first_alone.push_back(first_ns);
    pair.second_alone.push_back(second_ns);
    pair.serial.push_back(serial_ns);
    pair.together.push_back(together_ns);
    return {};
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
        for (Pair& pair : pairs) HEAPWRIGHT_TRY(sample(phase.bench, pair));
        return {};
    };
    HEAPWRIGHT_TRY(phase.in_rounds(round));
    for (Pair& pair : pairs) {
        model::EngineOverlap overlap{.first = phase.bench.engines()[pair.first.engine].name,
                                     .second = phase.bench.engines()[pair.second.engine].name,
                                     .first_work = std::string(work_name(pair.first_load)),
                                     .second_work = std::string(work_name(pair.second_load)),
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
