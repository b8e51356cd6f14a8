#include <fmt/format.h>

#include "heapwright/model/names.hpp"
#include "heapwright/render/detail/chart_parts.hpp"

namespace heapwright::render::detail {
namespace {

CsvTable overlap_table(const model::EngineMeasurements& measured, std::size_t device) {
    CsvTable table{.name = fmt::format("engine-overlap-{}", device),
                   .columns = {"first", "first_work", "second", "second_work", "samples", "first_alone_ns",
                               "second_alone_ns", "serial_ns", "concurrent_ns", "concurrent_p90_ns", "gained"},
                   .rows = {}};
    for (const model::EngineOverlap& overlap : measured.overlaps) {
        table.rows.push_back({overlap.first, overlap.first_work, overlap.second, overlap.second_work,
                              std::uint64_t{overlap.samples}, overlap.first_alone.ns, overlap.second_alone.ns,
                              overlap.serial.ns, overlap.concurrent.ns, overlap.concurrent.p90_ns, overlap.gained});
    }
    return table;
}

CsvTable copy_table(const model::EngineMeasurements& measured, std::size_t device) {
    CsvTable table{
        .name = fmt::format("engine-copies-{}", device),
        .columns = {"engine", "direction", "bytes_each", "samples", "median_ns", "min_ns", "p90_ns", "bytes_per_s"},
        .rows = {}};
    for (const model::EngineCopy& copy : measured.copies) {
        table.rows.push_back({copy.engine, std::string(model::name_of(copy.direction)), copy.bytes_each,
                              std::uint64_t{copy.samples}, copy.time.ns, copy.time.min_ns, copy.time.p90_ns,
                              copy.bytes_per_s});
    }
    return table;
}

CsvTable signal_table(const model::EngineMeasurements& measured, std::size_t device) {
    CsvTable table{.name = fmt::format("engine-signals-{}", device),
                   .columns = {"from", "to", "samples", "median_ns", "min_ns", "p90_ns"},
                   .rows = {}};
    for (const model::SignalLatency& latency : measured.signal_latencies) {
        table.rows.push_back({latency.from, latency.to, std::uint64_t{latency.samples}, latency.time.ns,
                              latency.time.min_ns, latency.time.p90_ns});
    }
    return table;
}

CsvTable pipeline_table(const model::EngineMeasurements& measured, std::size_t device) {
    CsvTable table{.name = fmt::format("engine-pipelines-{}", device),
                   .columns = {"pipeline", "cpu_latency", "engine_latency", "samples", "frame_ns", "min_ns", "p90_ns"},
                   .rows = {}};
    for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
        for (const model::PipelinePoint& point : pipeline.points) {
            table.rows.push_back({pipeline.name, std::uint64_t{point.cpu_latency}, std::uint64_t{point.engine_latency},
                                  std::uint64_t{point.samples}, point.frame.ns, point.frame.min_ns,
                                  point.frame.p90_ns});
        }
    }
    return table;
}

}  // namespace

void add_engine_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr || !device.report->run.engines) continue;
        const model::EngineMeasurements& measured = *device.report->run.engines;
        for (CsvTable& table :
             std::vector{overlap_table(measured, device.index), copy_table(measured, device.index),
                         signal_table(measured, device.index), pipeline_table(measured, device.index)}) {
            if (!table.rows.empty()) tables.push_back(std::move(table));
        }
    }
}

}  // namespace heapwright::render::detail
