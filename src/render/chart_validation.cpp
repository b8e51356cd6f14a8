#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/names.hpp"
#include "render/detail/chart_parts.hpp"

namespace heapwright::render::detail {
namespace {

using model::LatencyFigures;
using model::ScenarioResult;

std::vector<const ScenarioResult*> runs_of(const model::DeviceValidation& validation) {
    std::vector<const ScenarioResult*> runs;
    for (const ScenarioResult& run : validation.scenarios) runs.push_back(&run);
    for (const ScenarioResult& run : validation.baselines) runs.push_back(&run);
    return runs;
}

void add_occupancy(const ScenarioResult& run, const std::string& tag, std::vector<CsvTable>& tables) {
    const model::Occupancy& occupancy = *run.occupancy;
    if (occupancy.steps.empty()) return;
    const auto add = [&](std::string_view kind, std::string_view column,
                         const std::vector<model::OccupancySeries>& lanes) {
        if (lanes.empty()) return;
        CsvTable table{.name = fmt::format("occupancy-{}-{}", kind, tag),
                       .columns = {column, "operations", "used_bytes", "reserved_bytes", "largest_free_bytes",
                                   "fragmentation", "chunks"}};
        for (const model::OccupancySeries& lane : lanes) {
            for (std::size_t i = 0; i < occupancy.steps.size(); ++i) {
                table.rows.push_back({lane.name, occupancy.steps[i], lane.used_bytes[i], lane.reserved_bytes[i],
                                      lane.largest_free_bytes[i], lane.fragmentation[i], lane.chunks[i]});
            }
        }
        tables.push_back(std::move(table));
    };
    add("heaps", "heap", occupancy.heaps);
    add("pools", "pool", occupancy.pools);
    const auto& lanes = occupancy.pools.empty() ? occupancy.heaps : occupancy.pools;
    if (lanes.empty()) return;
    CsvTable fragmentation{.name = "fragmentation-" + tag, .columns = {"pool", "operations", "fragmentation"}};
    for (const model::OccupancySeries& lane : lanes) {
        for (std::size_t i = 0; i < occupancy.steps.size(); ++i) {
            fragmentation.rows.push_back({lane.name, occupancy.steps[i], lane.fragmentation[i]});
        }
    }
    tables.push_back(std::move(fragmentation));
}

template <class Value>
CsvCell cell_of(const std::optional<Value>& value) {
    return value ? CsvCell(*value) : CsvCell();
}

void add_chunks(const model::ChunkMap& map, const std::string& tag, std::vector<CsvTable>& tables) {
    CsvTable chunks{
        .name = "chunks-" + tag,
        .columns = {"pool", "chunk", "size_bytes", "used_bytes", "free_bytes", "largest_free_bytes", "free_ranges",
                    "suballocations", "internal_waste_bytes", "fragmentation", "used_percent"}};
    CsvTable ranges{.name = "free-ranges-" + tag, .columns = {"pool", "at_least_bytes", "free_ranges"}};
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> by_pool;
    std::map<std::string, std::uint64_t, std::less<>> seen;
    for (const model::MappedChunk& chunk : map.chunks) {
        chunks.rows.push_back({chunk.pool, ++seen[chunk.pool], chunk.size_bytes, chunk.used_bytes, chunk.free_bytes,
                               chunk.largest_free_bytes, chunk.free_ranges, chunk.suballocations,
                               chunk.internal_waste_bytes, chunk.fragmentation,
                               fmt::format("{}", fmt::join(chunk.used_percent, " "))});
        auto pool = std::ranges::find(by_pool, chunk.pool, &decltype(by_pool)::value_type::first);
        if (pool == by_pool.end()) pool = by_pool.insert(pool, {chunk.pool, {}});
        std::vector<std::uint64_t>& sums = pool->second;
        sums.resize(std::max(sums.size(), chunk.free_ranges_by_size.size()));
        for (std::size_t size = 0; size < chunk.free_ranges_by_size.size(); ++size)
            sums[size] += chunk.free_ranges_by_size[size];
    }
    for (const auto& [pool, sums] : by_pool) {
        for (std::size_t size = 0; size < sums.size(); ++size) {
            if (sums[size] != 0) ranges.rows.push_back({pool, std::uint64_t{1} << size, sums[size]});
        }
    }
    tables.push_back(std::move(chunks));
    if (!ranges.rows.empty()) tables.push_back(std::move(ranges));
}

void add_defragmentation(const ScenarioResult& run, const std::string& tag, std::vector<CsvTable>& tables) {
    std::uint64_t index = 0;
    add_table(
        tables, "defragmentation-" + tag,
        {"index", "step", "pool", "moves", "abandoned_moves", "copied_bytes", "freed_chunks", "reserved_before_bytes",
         "reserved_after_bytes", "largest_free_before_bytes", "largest_free_after_bytes"},
        run.defragmentation_steps, [&](const model::DefragmentationStep& step) -> CsvRow {
            return {index++,
                    step.step,
                    step.pool,
                    step.moves,
                    step.abandoned_moves,
                    step.copied_bytes,
                    step.freed_chunks,
                    step.reserved_before_bytes,
                    step.reserved_after_bytes,
                    step.largest_free_before_bytes,
                    step.largest_free_after_bytes};
        });
}

void add_descriptors(const model::BindingFigures& figures, const std::string& tag, std::vector<CsvTable>& tables) {
    CsvTable table{.name = "descriptors-" + tag, .columns = {"heap", "peak_descriptors"}};
    const std::pair<std::string_view, std::uint64_t> peaks[] = {
        {"CPU heaps, all four kinds", figures.peak_cpu_descriptors},
        {"shader-visible, static part", figures.peak_static_descriptors},
        {"shader-visible, dynamic part", figures.peak_dynamic_descriptors},
        {"distinct samplers", figures.peak_samplers},
        {"alive at once", figures.descriptors_reached}};
    for (const auto& [name, peak] : peaks) {
        if (peak > 0) table.rows.push_back({std::string(name), peak});
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
}

void add_promises(const model::DeviceValidation& validation, const std::string& tag, std::vector<CsvTable>& tables) {
    CsvTable table{
        .name = "promises-" + tag,
        .columns = {"scenario", "promise", "verdict", "predicted", "measured", "least", "most", "tolerance", "reason"}};
    for (const ScenarioResult* run : runs_of(validation)) {
        for (const model::Promise& promise : run->run.promises) {
            table.rows.push_back({run->name, text_of(promise.name), std::string(model::name_of(promise.verdict)),
                                  promise.predicted, cell_of(promise.measured), cell_of(promise.least), promise.most,
                                  promise.tolerance, promise.reason});
        }
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
}

void add_summary(const model::DeviceValidation& validation, const std::string& tag, std::vector<CsvTable>& tables) {
    CsvTable scenarios{.name = "scenarios-" + tag,
                       .columns = {"scenario", "kind", "verdict", "operations", "verified_bytes", "peak_used_bytes",
                                   "peak_reserved_bytes", "mean_waste", "mean_fragmentation", "device_allocations",
                                   "device_allocation_calls", "allocate_p50_ns", "allocate_p99_ns", "allocate_p999_ns",
                                   "allocate_worst_ns", "worst_frame_ns", "worst_load_ns"}};
    CsvTable waste{.name = "waste-" + tag,
                   .columns = {"scenario", "peak_used_bytes", "peak_reserved_bytes", "mean_waste"}};
    CsvTable latency{.name = "latency-" + tag,
                     .columns = {"scenario", "call", "samples", "p50_ns", "p99_ns", "p999_ns", "worst_ns"}};
    for (const ScenarioResult* run : runs_of(validation)) {
        const bool is_scenario = scenarios.rows.size() < validation.scenarios.size();
        const LatencyFigures& allocate = run->run.allocate;
        scenarios.rows.push_back(
            {run->name, std::string(is_scenario ? "scenario" : "baseline"), std::string(model::name_of(run->verdict)),
             run->counts.operations, run->counts.verified_bytes, run->memory.peak_used_bytes,
             run->memory.peak_reserved_bytes, run->memory.mean_waste, run->memory.mean_fragmentation,
             run->counts.device_allocations, run->counts.device_allocation_calls, allocate.p50_ns, allocate.p99_ns,
             allocate.p999_ns, allocate.worst_ns, run->run.worst_frame_ns, cell_of(run->run.worst_load_ns)});
        if (run->memory.peak_reserved_bytes > 0) {
            waste.rows.push_back(
                {run->name, run->memory.peak_used_bytes, run->memory.peak_reserved_bytes, run->memory.mean_waste});
        }
        const std::pair<std::string_view, const LatencyFigures*> calls[] = {
            {"allocate", &run->run.allocate}, {"free", &run->run.free}, {"create", &run->run.create}};
        for (const auto& [name, figures] : calls) {
            if (figures->samples == 0) continue;
            latency.rows.push_back({run->name, std::string(name), figures->samples, figures->p50_ns, figures->p99_ns,
                                    figures->p999_ns, figures->worst_ns});
        }
    }
    tables.push_back(std::move(scenarios));
    if (!waste.rows.empty()) tables.push_back(std::move(waste));
    if (!latency.rows.empty()) tables.push_back(std::move(latency));
}

}  // namespace

void add_validation_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    for (const ChartDevice& device : devices) {
        for (std::size_t v = 0; v < device.validations.size(); ++v) {
            const std::string tag = fmt::format("{}-{}", device.index, v);
            add_summary(*device.validations[v], tag, tables);
            add_promises(*device.validations[v], tag, tables);
            const std::vector<const ScenarioResult*> runs = runs_of(*device.validations[v]);
            for (std::size_t r = 0; r < runs.size(); ++r) {
                const ScenarioResult& run = *runs[r];
                const std::string run_tag = fmt::format("{}-{}", tag, r);
                if (run.occupancy) {
                    add_occupancy(run, run_tag, tables);
                    const std::vector<model::ChunkMap>& maps = run.occupancy->maps;
                    for (std::size_t m = 0; m < maps.size(); ++m)
                        if (!maps[m].chunks.empty()) add_chunks(maps[m], fmt::format("{}-{}", run_tag, m), tables);
                }
                add_defragmentation(run, run_tag, tables);
                if (run.bindings) add_descriptors(*run.bindings, run_tag, tables);
                if (run.engines) {
                    add_table(tables, "waits-" + run_tag, {"wait", "role", "shown_by"}, run.engines->waits,
                              [](const model::WaitFinding& wait) -> CsvRow {
                                  return {wait.wait, std::string(model::name_of(wait.role)), wait.shown_by};
                              });
                }
                add_table(tables, "engines-" + run_tag, {"engine", "name", "begin_ns", "end_ns", "clock"},
                          run.run.engine_spans, [](const model::EngineSpan& span) -> CsvRow {
                              return {span.engine, span.name, span.begin_ns, span.end_ns,
                                      std::string(model::name_of(span.clock))};
                          });
                add_table(tables, "worst-frames-" + run_tag,
                          {"frame", "ns", "allocations", "frees", "device_allocations", "device_frees", "device_ns"},
                          run.run.worst_frames, [](const model::WorstFrame& frame) -> CsvRow {
                              return {frame.frame,
                                      frame.ns,
                                      frame.allocations,
                                      frame.frees,
                                      frame.device_allocations,
                                      cell_of(frame.device_frees),
                                      cell_of(frame.device_ns)};
                          });
            }
        }
    }
}

}  // namespace heapwright::render::detail
