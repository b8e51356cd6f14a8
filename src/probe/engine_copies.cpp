#include <array>

#include "heapwright/probe/engine_figures.hpp"
#include "heapwright/probe/engine_phases.hpp"

namespace heapwright::probe {
namespace {

struct Direction {
    model::CopyDirection direction;
    LoadKind load;
};

constexpr std::array kDirections{Direction{model::CopyDirection::kUpload, LoadKind::kUpload},
                                 Direction{model::CopyDirection::kDownload, LoadKind::kDownload},
                                 Direction{model::CopyDirection::kOnDevice, LoadKind::kCopyOnDevice}};

struct Series {
    model::CopyDirection direction;
    std::uint64_t bytes = 0;
    EngineWork work;
    std::vector<std::uint64_t> samples;
};

}  // namespace

Status measure_copies(const EnginePhase& phase) {
    const auto engines = phase.bench.engines();
    std::vector<Series> all;
    for (const Direction& each : kDirections) {
        // The same bytes on every engine, so that the engines compare.
        HEAPWRIGHT_ASSIGN(const std::uint64_t amount, phase.loads.amount_for(phase.bench, 0, each.load, phase.load_ns));
        for (std::size_t engine = 0; engine < engines.size(); ++engine) {
            if (engines[engine].priority != device::EnginePriority::kNormal) continue;
            HEAPWRIGHT_ASSIGN(auto work, phase.loads.of(each.load, amount));
            all.push_back({.direction = each.direction,
                           .bytes = phase.loads.bytes_of(each.load, amount),
                           .work = {.engine = engine, .work = std::move(work)},
                           .samples = {}});
        }
    }
    const auto round = [&]() -> Status {
        for (Series& series : all) {
            HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns, phase.bench.time_alone(series.work));
            series.samples.push_back(taken_ns);
        }
        return {};
    };
    HEAPWRIGHT_TRY(phase.in_rounds(round));
    for (Series& series : all) {
        model::EngineCopy copy{.engine = engines[series.work.engine].name,
                               .direction = series.direction,
                               .bytes_each = series.bytes,
                               .samples = static_cast<std::uint32_t>(series.samples.size()),
                               .time = spread_ns(std::move(series.samples))};
        copy.bytes_per_s = bytes_per_s(copy.bytes_each, copy.time.ns);
        phase.result.copies.push_back(std::move(copy));
    }
    return {};
}

}  // namespace heapwright::probe
