#include "example.hpp"

namespace heapwright::model::example {
namespace {

// One cell a column; of the first row `more` is 0.
std::vector<WhatIfCell> what_if_cells(double more) {
    constexpr double kFirst[kWhatIfColumns] = {1.5 * (1 << 30), 0.125, 0.0625, 40, 180'000, 90'000, 40e6, 0, 0, 0};
    std::vector<WhatIfCell> cells;
    for (std::size_t column = 0; column < kWhatIfColumns; ++column) {
        const double difference = more * kFirst[column];
        cells.push_back({.column = static_cast<WhatIfColumn>(column),
                         .value = kFirst[column] + difference,
                         .verdict = more == 0         ? WhatIfVerdict::kFirst
                                    : difference == 0 ? WhatIfVerdict::kSame
                                    : column == 5     ? WhatIfVerdict::kNotTold
                                                      : WhatIfVerdict::kMore,
                         .least_difference = column == 5 ? -difference : 0.875 * difference,
                         .most_difference = 1.125 * difference,
                         .is_best = difference == 0 || column == 5});
    }
    return cells;
}

}  // namespace

WhatIf what_if() {
    WhatIf result;
    result.header.tool_version = "0.1.0";
    result.header.sources.push_back({.kind = DocumentKind::kReport, .stable_hash = std::string(32, 'b')});
    result.device = report().devices.at(0).identity;
    result.inputs.push_back(
        {.name = "game.trace", .kind = "trace", .weight = 1, .operations = 20'000, .creations = 12'000, .frames = 600});
    result.seeds = 0;
    result.stretches = 30;
    result.plays = 8;
    result.rows.push_back({.name = "advised",
                           .how = "the advice for this device and program",
                           .is_real = false,
                           .not_played = {},
                           .cells = what_if_cells(0)});
    result.rows.push_back({.name = "vma-default",
                           .how = "the Vulkan Memory Allocator's default: blocks of 256 MiB",
                           .is_real = false,
                           .not_played = {},
                           .cells = what_if_cells(0.5)});
    result.rows.push_back({.name = "d3d12ma-default",
                           .how = "the D3D12 Memory Allocator's default",
                           .is_real = false,
                           .not_played = "needs a report through Direct3D 12",
                           .cells = {}});
    result.rows.push_back({.name = "advised",
                           .how = "the advice for this device and program",
                           .is_real = true,
                           .not_played = {},
                           .cells = what_if_cells(0)});
    WhatIfCurve curve{.setting = "chunk", .of = "advised", .points = {}};
    curve.points.push_back({.size_bytes = 1 << 20, .not_played = "needs 5000 allocations of 4096", .cells = {}});
    curve.points.push_back({.size_bytes = 16 << 20, .not_played = {}, .cells = what_if_cells(0.25)});
    curve.points.push_back({.size_bytes = 64 << 20, .not_played = {}, .cells = what_if_cells(1)});
    result.curves.push_back(std::move(curve));
    result.notes.push_back("The trace does not say which resources the host reads: none is assumed.");
    result.run = {.created_utc = "2026-11-21T12:00:00Z", .host = "Linux"};
    return result;
}

}  // namespace heapwright::model::example
