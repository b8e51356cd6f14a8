#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "contract/feasibility.hpp"
#include "model/names.hpp"
#include "render/detail/chart_parts.hpp"

namespace heapwright::render::detail {

namespace {

std::uint64_t expected_bytes(const ChartDevice& device, std::uint32_t heap) {
    std::uint64_t sum = 0;
    for (const model::BucketPolicy& bucket : device.policy->buckets) {
        const auto& types = device.report->memory_types;
        if (bucket.memory_type < types.size() && types[bucket.memory_type].heap_index == heap) {
            sum += bucket.expected_bytes;
        }
    }
    return sum;
}

// Empty where the policy names none.
std::string kind_name(const std::optional<model::Decided<model::SuballocatorKind>>& kind) {
    return kind ? std::string(model::name_of(kind->value)) : std::string();
}

CsvTable heap_table(const ChartDevice& device) {
    CsvTable table{.name = fmt::format("heaps-{}", device.index),
                   .columns = {"heap", "size_bytes", "budget_bytes", "usable_bytes", "expected_bytes"}};
    for (std::uint32_t heap = 0; heap < device.report->heaps.size(); ++heap) {
        std::vector<CsvCell> row(table.columns.size());
        row[0] = heap;
        row[1] = device.report->heaps[heap].size_bytes;
        if (const auto budget = contract::known_budget(*device.report, heap)) row[2] = *budget;
        if (device.policy != nullptr) {
            const auto& plans = device.policy->heaps;
            const auto plan = std::find_if(plans.begin(), plans.end(),
                                           [&](const model::HeapPolicy& each) { return each.heap == heap; });
            if (plan != plans.end()) row[3] = plan->usable_bytes.value;
            row[4] = expected_bytes(device, heap);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

CsvTable bucket_table(const ChartDevice& device) {
    CsvTable table{
        .name = fmt::format("buckets-{}", device.index),
        .columns = {"bucket", "heap", "memory_type", "alignment_bytes", "chunk_size_bytes", "expected_bytes"}};
    const auto& types = device.report->memory_types;
    for (const model::BucketPolicy& bucket : device.policy->buckets) {
        std::vector<CsvCell>& row = table.rows.emplace_back(table.columns.size());
        row[0] = bucket.id;
        if (bucket.memory_type < types.size()) row[1] = std::uint64_t{types[bucket.memory_type].heap_index};
        row[2] = bucket.memory_type;
        row[3] = bucket.alignment_bytes;
        row[4] = bucket.chunk_size_bytes.value;
        row[5] = bucket.expected_bytes;
    }
    return table;
}

}  // namespace

void add_memory_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr) continue;
        tables.push_back(heap_table(device));
        if (device.policy != nullptr && !device.policy->buckets.empty()) tables.push_back(bucket_table(device));
    }
}

void add_descriptor_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    for (const ChartDevice& device : devices) {
        for (std::size_t p = 0; p < device.policies.size(); ++p) {
            CsvTable table{.name = fmt::format("descriptor-layout-{}-{}", device.index, p),
                           .columns = {"heap", "capacity", "static_descriptors", "dynamic_descriptors", "dynamic_chunk",
                                       "static_suballocator", "dynamic_suballocator"}};
            const model::DescriptorPolicy& policy = device.policies[p]->descriptors;
            const std::pair<std::string_view, const model::VisibleHeapPolicy*> heaps[] = {
                {"resources", &policy.resources}, {"samplers", &policy.samplers}};
            for (const auto& [name, heap] : heaps) {
                table.rows.push_back({std::string(name), heap->capacity.value,
                                      heap->capacity.value - heap->dynamic_capacity.value, heap->dynamic_capacity.value,
                                      heap->dynamic_chunk.value, kind_name(heap->static_suballocator),
                                      kind_name(heap->dynamic_suballocator)});
            }
            tables.push_back(std::move(table));
        }
    }
}

void add_cost_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    using Curve = model::MemoryCostCurve;
    using Point = model::MemoryCostPoint;
    struct Operation {
        std::string_view name;
        std::vector<Point> Curve::*points;
        std::uint64_t Point::*median;
        std::uint64_t Point::*least;
        std::uint64_t Point::*p90;
        std::uint64_t Point::*worst;
    };
    constexpr Operation kOperations[] = {
        {"allocate", &Curve::points, &Point::allocate_ns, &Point::allocate_min_ns, &Point::allocate_p90_ns,
         &Point::allocate_worst_ns},
        {"dedicated", &Curve::dedicated_image_points, &Point::allocate_ns, &Point::allocate_min_ns,
         &Point::allocate_p90_ns, &Point::allocate_worst_ns},
        {"touch", &Curve::points, &Point::touch_ns, &Point::touch_min_ns, &Point::touch_p90_ns, &Point::touch_worst_ns},
        {"dedicated-free", &Curve::dedicated_image_points, &Point::free_ns, &Point::free_min_ns, &Point::free_p90_ns,
         &Point::free_worst_ns},
        {"free", &Curve::points, &Point::free_ns, &Point::free_min_ns, &Point::free_p90_ns, &Point::free_worst_ns}};
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr) continue;
        for (const Operation& operation : kOperations) {
            CsvTable table{
                .name = fmt::format("cost-{}-{}", operation.name, device.index),
                .columns = {"memory_type", "size_bytes", "samples", "median_ns", "min_ns", "p90_ns", "worst_ns"}};
            for (const Curve& curve : device.report->run.memory_cost) {
                for (const Point& point : curve.*operation.points) {
                    if (point.*operation.median == 0) continue;
                    table.rows.push_back({curve.memory_type, point.size_bytes, point.samples, point.*operation.median,
                                          point.*operation.least, point.*operation.p90, point.*operation.worst});
                }
            }
            if (!table.rows.empty()) tables.push_back(std::move(table));
        }
    }
}

namespace {

std::string clock_of(const model::MeasuredTime& time) {
    return std::string(model::name_of(time.clock));
}

template <class Measured>
std::string settled_of(const Measured& measured) {
    return settled(measured) ? "yes" : "no";
}

void add_creation_table(const ChartDevice& device, const model::CreationMeasurements& measured,
                        std::vector<CsvTable>& tables) {
    CsvTable creations{.name = fmt::format("creations-{}", device.index),
                       .columns = {"object", "memory_priority", "threads", "samples", "pairs_per_s",
                                   "least_pairs_per_s", "most_pairs_per_s", "settled"}};
    for (const model::CreationCurve& curve : measured.curves) {
        for (const model::CreationPoint& point : curve.points)
            creations.rows.push_back({std::string(model::name_of(curve.object)), curve.memory_priority ? "on" : "off",
                                      point.threads, point.samples, point.pairs_per_s, point.least_pairs_per_s,
                                      point.most_pairs_per_s, settled_of(point)});
    }
    if (!creations.rows.empty()) tables.push_back(std::move(creations));
}

void add_curve_tables(const ChartDevice& device, const model::EngineMeasurements& measured,
                      std::vector<CsvTable>& tables) {
    for (const std::string_view direction : model::names_of<model::CopyDirection>()) {
        CsvTable table{.name = fmt::format("copy-curves-{}-{}", direction, device.index),
                       .columns = {"engine", "means", "mapped", "bytes", "in_a_row", "samples", "median_ns", "min_ns",
                                   "p90_ns", "bytes_per_s", "clock", "settled"}};
        for (const model::CopyCurve& curve : measured.copy_curves) {
            if (model::name_of(curve.direction) != direction) continue;
            for (const model::CopyPoint& point : curve.points)
                table.rows.push_back({curve.engine, std::string(model::name_of(curve.means)),
                                      curve.mapped ? "yes" : "no", point.bytes, point.in_a_row, point.samples,
                                      point.time.ns, point.time.min_ns, point.time.p90_ns, point.bytes_per_s,
                                      clock_of(point.time), settled_of(point.time)});
        }
        if (!table.rows.empty()) tables.push_back(std::move(table));
    }
}

}  // namespace

void add_engine_tables(std::span<const ChartDevice> devices, std::vector<CsvTable>& tables) {
    for (const ChartDevice& device : devices) {
        if (device.report != nullptr && device.report->run.creations)
            add_creation_table(device, *device.report->run.creations, tables);
        if (device.report == nullptr || !device.report->run.engines) continue;
        const model::EngineMeasurements& measured = *device.report->run.engines;
        add_table(tables, fmt::format("engine-overlap-{}", device.index),
                  {"first", "first_work", "second", "second_work", "samples", "first_alone_ns", "second_alone_ns",
                   "serial_ns", "concurrent_ns", "concurrent_p90_ns", "gained", "clock", "settled"},
                  measured.overlaps, [](const model::EngineOverlap& overlap) -> CsvRow {
                      return {overlap.first,           overlap.first_work,
                              overlap.second,          overlap.second_work,
                              overlap.samples,         overlap.first_alone.ns,
                              overlap.second_alone.ns, overlap.serial.ns,
                              overlap.concurrent.ns,   overlap.concurrent.p90_ns,
                              overlap.gained,          clock_of(overlap.concurrent),
                              settled_of(overlap)};
                  });
        add_table(tables, fmt::format("engine-copies-{}", device.index),
                  {"engine", "direction", "bytes_each", "samples", "median_ns", "min_ns", "p90_ns", "bytes_per_s",
                   "clock", "settled"},
                  measured.copies, [](const model::EngineCopy& copy) -> CsvRow {
                      return {copy.engine,         std::string(model::name_of(copy.direction)),
                              copy.bytes_each,     copy.samples,
                              copy.time.ns,        copy.time.min_ns,
                              copy.time.p90_ns,    copy.bytes_per_s,
                              clock_of(copy.time), settled_of(copy.time)};
                  });
        add_curve_tables(device, measured, tables);
        add_table(tables, fmt::format("engine-signals-{}", device.index),
                  {"from", "to", "through_host", "samples", "median_ns", "min_ns", "p90_ns", "clock", "settled"},
                  measured.signal_latencies, [](const model::SignalLatency& latency) -> CsvRow {
                      return {latency.from,
                              latency.to,
                              latency.through_host ? "yes" : "no",
                              latency.samples,
                              latency.time.ns,
                              latency.time.min_ns,
                              latency.time.p90_ns,
                              clock_of(latency.time),
                              settled_of(latency.time)};
                  });
        CsvTable pipelines{.name = fmt::format("engine-pipelines-{}", device.index),
                           .columns = {"pipeline", "cpu_latency", "engine_latency", "samples", "frame_ns", "min_ns",
                                       "p90_ns", "clock", "settled"}};
        for (const model::PipelineMeasurement& pipeline : measured.pipelines) {
            for (const model::PipelinePoint& point : pipeline.points)
                pipelines.rows.push_back({pipeline.name, point.cpu_latency, point.engine_latency, point.samples,
                                          point.frame.ns, point.frame.min_ns, point.frame.p90_ns, clock_of(point.frame),
                                          settled_of(point.frame)});
        }
        if (!pipelines.rows.empty()) tables.push_back(std::move(pipelines));
    }
}

}  // namespace heapwright::render::detail
