#include <array>

#include "probe/engine_figures.hpp"
#include "probe/engine_phases.hpp"

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
    Direction direction;
    std::size_t engine = 0;
    std::uint64_t amount = 0;
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
            all.push_back({.direction = each, .engine = engine, .amount = amount, .samples = {}});
        }
    }
    const auto round = [&]() -> Status {
        for (Series& series : all) {
            // Made anew: each sample uploads other bytes.
            HEAPWRIGHT_ASSIGN(auto work, phase.loads.of(series.direction.load, series.amount));
            HEAPWRIGHT_ASSIGN(const std::uint64_t taken_ns,
                              phase.bench.time_alone({.engine = series.engine, .work = std::move(work)}));
            series.samples.push_back(taken_ns);
        }
        return {};
    };
    HEAPWRIGHT_TRY(phase.in_rounds(round));
    for (Series& series : all) {
        model::EngineCopy copy{.engine = engines[series.engine].name,
                               .direction = series.direction.direction,
                               .bytes_each = phase.loads.bytes_of(series.direction.load, series.amount),
                               .samples = static_cast<std::uint32_t>(series.samples.size()),
                               .time = spread_ns(std::move(series.samples))};
        copy.bytes_per_s = bytes_per_s(copy.bytes_each, copy.time.ns);
        phase.result.copies.push_back(std::move(copy));
    }
    return {};
}

}  // namespace heapwright::probe
