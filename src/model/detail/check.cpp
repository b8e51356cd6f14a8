#include "model/detail/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "model/detail/read.hpp"

namespace heapwright::model::detail {
namespace {

using Value = std::optional<std::uint64_t>;

class Checker {
public:
    explicit Checker(std::string_view source) : source_(source) {}

    // Makes the error; `pointer` is a JSON pointer.
    [[nodiscard]] tl::unexpected<Error> at(std::string pointer, std::string message, Value value = {},
                                           Value limit = {}) const {
        return fail({.code = ErrorCode::kSchemaViolation,
                     .message = std::move(message),
                     .where = place(source_, pointer),
                     .value = value,
                     .limit = limit});
    }

    [[nodiscard]] Status index_below(std::uint64_t index, std::size_t count, std::string_view what,
                                     std::string pointer) const {
        if (index < count) return {};
        return at(std::move(pointer), fmt::format("no such {}", what), index, count);
    }

private:
    std::string_view source_;
};

struct SweepLimits {
    std::size_t point_count;
    std::size_t memory_types;
};

Status check_memory_type_bits(const Checker& checker, std::uint32_t bits, std::size_t memory_types,
                              const std::string& pointer) {
    const auto width = static_cast<std::size_t>(std::bit_width(bits));
    if (width <= memory_types) return {};
    return checker.at(pointer + "/memory_type_bits", fmt::format("bit {} names no memory type", width - 1), bits,
                      memory_types);
}

Status check_requirements(const Checker& checker, const std::vector<RequirementClass>& requirements,
                          std::size_t memory_types, const std::string& sweep) {
    for (std::size_t i = 0; i < requirements.size(); ++i) {
        HEAPWRIGHT_TRY(check_memory_type_bits(checker, requirements[i].memory_type_bits, memory_types,
                                              fmt::format("{}/requirements/{}", sweep, i)));
    }
    return {};
}

Status check_tables(const Checker& checker, const std::vector<SweepTable>& tables, std::size_t requirement_count,
                    std::size_t point_count, const std::string& sweep) {
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const SweepTable& table = tables[t];
        const std::string pointer = fmt::format("{}/tables/{}", sweep, t);
        if (table.size_bytes.size() != point_count) {
            return checker.at(pointer + "/size_bytes", "the grid has another number of points", table.size_bytes.size(),
                              point_count);
        }
        if (table.requirement.size() != point_count) {
            return checker.at(pointer + "/requirement", "the grid has another number of points",
                              table.requirement.size(), point_count);
        }
        for (std::size_t i = 0; i < point_count; ++i) {
            if (table.size_bytes[i] != 0 && table.requirement[i] >= requirement_count) {
                return checker.at(pointer + "/requirement", fmt::format("no such requirement at grid point {}", i),
                                  table.requirement[i], requirement_count);
            }
            if (table.size_bytes[i] == 0 && table.requirement[i] != 0) {
                return checker.at(pointer + "/requirement",
                                  fmt::format("grid point {} has no size, so its requirement is 0", i),
                                  table.requirement[i], 0);
            }
        }
    }
    return {};
}

template <class Case>
Status check_cases(const Checker& checker, const std::vector<Case>& cases, std::size_t table_count,
                   const std::string& sweep) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (!cases[i].table) continue;
        const std::string pointer = fmt::format("{}/cases/{}", sweep, i);
        HEAPWRIGHT_TRY(checker.index_below(*cases[i].table, table_count, "table", pointer + "/table"));
        if (!cases[i].not_supported.empty()) {
            return checker.at(pointer + "/not_supported", "a case with a table is supported");
        }
    }
    return {};
}

template <class Point>
Status check_points(const Checker& checker, const std::vector<Point>& points, std::size_t memory_types,
                    const std::string& sweep) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].requirements) continue;
        const std::string pointer = fmt::format("{}/points/{}", sweep, i);
        HEAPWRIGHT_TRY(check_memory_type_bits(checker, points[i].requirements->memory_type_bits, memory_types,
                                              pointer + "/requirements"));
        if (!points[i].not_supported.empty()) {
            return checker.at(pointer + "/not_supported", "a point with requirements is supported");
        }
    }
    return {};
}

template <class Sweep>
Status check_sweep(const Checker& checker, const Sweep& sweep, const SweepLimits& limits, const std::string& pointer) {
    HEAPWRIGHT_TRY(check_requirements(checker, sweep.requirements, limits.memory_types, pointer));
    HEAPWRIGHT_TRY(check_tables(checker, sweep.tables, sweep.requirements.size(), limits.point_count, pointer));
    HEAPWRIGHT_TRY(check_cases(checker, sweep.cases, sweep.tables.size(), pointer));
    return check_points(checker, sweep.points, limits.memory_types, pointer);
}

template <class T, class Key>
Status check_ascending(const Checker& checker, const std::vector<T>& values, Key key, const std::string& pointer) {
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (key(values[i - 1]) >= key(values[i])) {
            return checker.at(fmt::format("{}/{}", pointer, i), "not above the entry before it", key(values[i]),
                              key(values[i - 1]));
        }
    }
    return {};
}

bool states_zero_size(const DeviceReport& device, std::size_t heap) {
    const std::string evidence = fmt::format("/heaps/{}", heap);
    return std::any_of(device.findings.begin(), device.findings.end(), [&](const Finding& finding) {
        return finding.id == kZeroSizeHeapFinding &&
               std::find(finding.evidence.begin(), finding.evidence.end(), evidence) != finding.evidence.end();
    });
}

Status check_memory(const Checker& checker, const DeviceReport& device, const std::string& pointer) {
    for (std::size_t i = 0; i < device.heaps.size(); ++i) {
        if (device.heaps[i].size_bytes != 0 || states_zero_size(device, i)) continue;
        return checker.at(fmt::format("{}/heaps/{}/size_bytes", pointer, i),
                          fmt::format("a heap of no size that no finding \"{}\" with the evidence \"/heaps/{}\" states",
                                      kZeroSizeHeapFinding, i),
                          0, 1);
    }
    for (std::size_t i = 0; i < device.memory_types.size(); ++i) {
        HEAPWRIGHT_TRY(checker.index_below(device.memory_types[i].heap_index, device.heaps.size(), "heap",
                                           fmt::format("{}/memory_types/{}/heap_index", pointer, i)));
    }
    return {};
}

Status check_observations(const Checker& checker, const DeviceReport& device, const std::string& pointer) {
    const auto each = [&](const auto& observations, std::size_t tables, std::string_view kind) -> Status {
        for (std::size_t i = 0; i < observations.size(); ++i) {
            HEAPWRIGHT_TRY(checker.index_below(observations[i].table, tables, "table",
                                               fmt::format("{}/observations/{}/{}/table", pointer, kind, i)));
        }
        return {};
    };
    HEAPWRIGHT_TRY(each(device.observations.images, device.image_sweep.tables.size(), "images"));
    return each(device.observations.buffers, device.buffer_sweep.tables.size(), "buffers");
}

Status check_cost_points(const Checker& checker, const std::vector<MemoryCostPoint>& points,
                         const std::string& pointer) {
    HEAPWRIGHT_TRY(check_ascending(
        checker, points, [](const MemoryCostPoint& point) { return point.size_bytes; }, pointer));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const MemoryCostPoint& point = points[i];
        const std::size_t outliers = std::max(
            {point.allocate_outliers_ns.size(), point.touch_outliers_ns.size(), point.free_outliers_ns.size()});
        if (outliers > point.samples / 8)
            return checker.at(fmt::format("{}/{}", pointer, i), "at most one outlier in eight samples", outliers,
                              point.samples / 8);
    }
    return {};
}

Status check_run(const Checker& checker, const DeviceReport& device, const std::string& pointer) {
    const DeviceVolatile& run = device.run;
    if (!run.heap_budgets.empty() && run.heap_budgets.size() != device.heaps.size()) {
        return checker.at(pointer + "/volatile/heap_budgets", "one budget for each heap or none",
                          run.heap_budgets.size(), device.heaps.size());
    }
    for (std::size_t i = 0; i < run.memory_cost.size(); ++i) {
        const std::string curve = fmt::format("{}/volatile/memory_cost/{}", pointer, i);
        HEAPWRIGHT_TRY(checker.index_below(run.memory_cost[i].memory_type, device.memory_types.size(), "memory type",
                                           curve + "/memory_type"));
        HEAPWRIGHT_TRY(check_cost_points(checker, run.memory_cost[i].points, curve + "/points"));
        HEAPWRIGHT_TRY(
            check_cost_points(checker, run.memory_cost[i].dedicated_image_points, curve + "/dedicated_image_points"));
    }
    return {};
}

template <class Sparse>
Status check_sparse(const Checker& checker, const std::vector<Sparse>& entries, std::size_t memory_types,
                    const std::string& pointer) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        HEAPWRIGHT_TRY(check_memory_type_bits(checker, entries[i].requirements.memory_type_bits, memory_types,
                                              fmt::format("{}/{}/requirements", pointer, i)));
    }
    return {};
}

Status check_device(const Checker& checker, const DeviceReport& device, const std::string& pointer) {
    HEAPWRIGHT_TRY(check_memory(checker, device, pointer));
    const std::size_t types = device.memory_types.size();
    HEAPWRIGHT_TRY(check_sparse(checker, device.sparse_images, types, pointer + "/sparse_images"));
    HEAPWRIGHT_TRY(check_sparse(checker, device.sparse_buffers, types, pointer + "/sparse_buffers"));
    HEAPWRIGHT_TRY(check_sweep(checker, device.image_sweep,
                               {.point_count = device.image_sweep.grid.point_count(), .memory_types = types},
                               pointer + "/image_sweep"));
    HEAPWRIGHT_TRY(check_ascending(
        checker, device.buffer_sweep.sizes, [](std::uint64_t size) { return size; }, pointer + "/buffer_sweep/sizes"));
    HEAPWRIGHT_TRY(check_sweep(checker, device.buffer_sweep,
                               {.point_count = device.buffer_sweep.sizes.size(), .memory_types = types},
                               pointer + "/buffer_sweep"));
    HEAPWRIGHT_TRY(check_observations(checker, device, pointer));
    return check_run(checker, device, pointer);
}

// What the memory type indexes of a policy mean stands in it.
Status check_memory_references(const Checker& checker, const DevicePolicy& device, const std::string& pointer) {
    for (std::size_t i = 0; i < device.heaps.size(); ++i) {
        if (device.heaps[i].base_bytes <= device.heaps[i].size_bytes) continue;
        return checker.at(fmt::format("{}/heaps/{}/base_bytes", pointer, i), "more than the heap has",
                          device.heaps[i].base_bytes, device.heaps[i].size_bytes);
    }
    for (std::size_t i = 0; i < device.memory_types.size(); ++i) {
        HEAPWRIGHT_TRY(checker.index_below(device.memory_types[i].heap_index, device.heaps.size(), "heap",
                                           fmt::format("{}/memory_types/{}/heap_index", pointer, i)));
    }
    for (std::size_t i = 0; i < device.memory_uses.size(); ++i) {
        const auto& ranked = device.memory_uses[i].memory_types.value;
        for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
            HEAPWRIGHT_TRY(
                checker.index_below(ranked[rank], device.memory_types.size(), "memory type",
                                    fmt::format("{}/memory_uses/{}/memory_types/value/{}", pointer, i, rank)));
        }
    }
    for (std::size_t i = 0; i < device.buckets.size(); ++i) {
        HEAPWRIGHT_TRY(checker.index_below(device.buckets[i].memory_type, device.memory_types.size(), "memory type",
                                           fmt::format("{}/buckets/{}/memory_type", pointer, i)));
    }
    return {};
}

Status check_device(const Checker& checker, const DevicePolicy& device, const std::string& pointer) {
    const auto known_heap = [&](std::uint32_t heap) {
        return std::any_of(device.heaps.begin(), device.heaps.end(),
                           [&](const HeapPolicy& entry) { return entry.heap == heap; });
    };
    HEAPWRIGHT_TRY(check_memory_references(checker, device, pointer));
    for (std::size_t i = 0; i < device.feasibility.size(); ++i) {
        if (known_heap(device.feasibility[i].heap)) continue;
        return checker.at(fmt::format("{}/feasibility/{}/heap", pointer, i), "the policy has no such heap",
                          device.feasibility[i].heap);
    }
    for (std::size_t i = 0; i < device.buckets.size(); ++i) {
        const BucketPolicy& bucket = device.buckets[i];
        if (bucket.chunk_size_bytes.value < bucket.alignment_bytes) {
            return checker.at(fmt::format("{}/buckets/{}/chunk_size_bytes/value", pointer, i),
                              "a chunk smaller than its alignment", bucket.chunk_size_bytes.value,
                              bucket.alignment_bytes);
        }
        for (std::size_t other = 0; other < i; ++other) {
            if (device.buckets[other].id != bucket.id) continue;
            return checker.at(fmt::format("{}/buckets/{}/id", pointer, i),
                              fmt::format("bucket \"{}\" stands twice", bucket.id));
        }
    }
    return {};
}

Status check_series(const Checker& checker, const std::vector<OccupancySeries>& list, std::size_t samples,
                    const std::string& pointer) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const OccupancySeries& one = list[i];
        for (const std::size_t size : {one.used_bytes.size(), one.reserved_bytes.size(), one.largest_free_bytes.size(),
                                       one.fragmentation.size(), one.chunks.size()}) {
            if (size == samples) continue;
            return checker.at(fmt::format("{}/{}", pointer, i), "a figure has another number of samples than steps",
                              size, samples);
        }
    }
    return {};
}

Status check_scenarios(const Checker& checker, const std::vector<ScenarioResult>& scenarios,
                       const std::string& pointer) {
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        const ScenarioResult& scenario = scenarios[i];
        const std::string place = fmt::format("{}/{}", pointer, i);
        if (scenario.findings_total < scenario.findings.size()) {
            return checker.at(place + "/findings_total", "fewer findings in all than are listed",
                              scenario.findings_total, scenario.findings.size());
        }
        if (!scenario.occupancy) continue;
        const std::size_t samples = scenario.occupancy->steps.size();
        HEAPWRIGHT_TRY(check_series(checker, scenario.occupancy->heaps, samples, place + "/occupancy/heaps"));
        HEAPWRIGHT_TRY(check_series(checker, scenario.occupancy->pools, samples, place + "/occupancy/pools"));
    }
    return {};
}

Status check_device(const Checker& checker, const DeviceValidation& device, const std::string& pointer) {
    HEAPWRIGHT_TRY(check_scenarios(checker, device.scenarios, pointer + "/scenarios"));
    return check_scenarios(checker, device.baselines, pointer + "/baselines");
}

template <class Document>
Status check_devices(const Document& document, std::string_view source) {
    const Checker checker(source);
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        HEAPWRIGHT_TRY(check_device(checker, document.devices[i], fmt::format("/devices/{}", i)));
    }
    return {};
}

Status check_hints(const Checker& checker, const Workload& workload, std::string_view pointer) {
    for (std::size_t i = 0; i < workload.images.size(); ++i) {
        const ImageHint& hint = workload.images[i];
        if (hint.smallest_side <= hint.largest_side) continue;
        return checker.at(fmt::format("{}/images/{}/smallest_side", pointer, i), "above largest_side",
                          hint.smallest_side, hint.largest_side);
    }
    for (std::size_t i = 0; i < workload.buffers.size(); ++i) {
        const BufferHint& hint = workload.buffers[i];
        if (hint.smallest_bytes <= hint.largest_bytes) continue;
        return checker.at(fmt::format("{}/buffers/{}/smallest_bytes", pointer, i), "above largest_bytes",
                          hint.smallest_bytes, hint.largest_bytes);
    }
    return {};
}

}  // namespace

Status check(const Report& report, std::string_view source) {
    return check_devices(report, source);
}

Status check(const Policy& policy, std::string_view source) {
    if (policy.workload) HEAPWRIGHT_TRY(check_hints(Checker(source), *policy.workload, "/workload"));
    return check_devices(policy, source);
}

Status check(const Validation& validation, std::string_view source) {
    return check_devices(validation, source);
}

Status check(const Workload& workload, std::string_view source) {
    return check_hints(Checker(source), workload, "");
}

}  // namespace heapwright::model::detail
