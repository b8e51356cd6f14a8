#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "heapwright/model/flags.hpp"
#include "heapwright/render/detail/chart_parts.hpp"

namespace heapwright::render::detail {
namespace {

// The page draws what is added to a request where the sweep is dense.
constexpr std::uint64_t kDenseUpTo = 65;

struct BufferPointRow {
    std::uint64_t request_bytes = 0;
    std::uint64_t alignment_bytes = 0;
    std::uint64_t size_bytes = 0;
};

std::vector<BufferPointRow> points_of(const model::BufferSweep& sweep, std::uint32_t table_index) {
    std::vector<BufferPointRow> points;
    const model::SweepTable& table = sweep.tables[table_index];
    for (std::size_t i = 0; i < table.size_bytes.size(); ++i) {
        const auto answer = answer_at(sweep.requirements, table, i);
        if (!answer) continue;
        points.push_back({.request_bytes = sweep.sizes[i],
                          .alignment_bytes = answer->alignment_bytes,
                          .size_bytes = answer->size_bytes});
    }
    return points;
}

// The memory article's usage, where some device supports it; else the first that one does.
std::optional<model::Flags> first_usage(std::span<const ChartDevice> devices) {
    std::optional<model::Flags> first;
    for (const ChartDevice& device : devices) {
        if (device.report == nullptr) continue;
        for (const model::BufferCase& each : device.report->buffer_sweep.cases) {
            if (!each.table) continue;
            if (each.usage == model::buffer_usage::kStorage) return each.usage;
            if (!first) first = each.usage;
        }
    }
    return first;
}

bool has_buffers(const ChartDevice& device) {
    return device.report != nullptr &&
           std::any_of(device.report->buffer_sweep.cases.begin(), device.report->buffer_sweep.cases.end(),
                       [](const model::BufferCase& each) { return each.table.has_value(); });
}

}  // namespace

void add_buffer_tables(std::span<const ChartDevice> devices, ChartDetail detail, std::vector<CsvTable>& tables) {
    const std::optional<model::Flags> drawn = first_usage(devices);
    if (!drawn) return;
    CsvTable alignment{
        .name = "buffer-alignment", .columns = {"device", "request_bytes", "alignment_bytes"}, .rows = {}};
    CsvTable storage{.name = "buffer-storage", .columns = {"device", "request_bytes", "size_bytes"}, .rows = {}};
    CsvTable rounding{.name = "buffer-rounding", .columns = {"device", "request_bytes", "added_bytes"}, .rows = {}};
    CsvTable all{.name = "buffer-requirements",
                 .columns = {"device", "usage", "request_bytes", "alignment_bytes", "size_bytes"},
                 .rows = {}};
    for (const ChartDevice& device : devices) {
        if (!has_buffers(device)) continue;
        CsvTable raw{.name = fmt::format("raw-buffers-{}", device.index),
                     .columns = {"size", "alignment", "storage"},
                     .rows = {}};
        bool first = true;
        for (const model::BufferCase& each : device.report->buffer_sweep.cases) {
            if (!each.table) continue;
            const bool is_drawn = first && each.usage == *drawn;
            if (is_drawn) first = false;
            for (const BufferPointRow& point : points_of(device.report->buffer_sweep, *each.table)) {
                if (detail == ChartDetail::kAll)
                    all.rows.push_back({device.label, model::flags_text(each.usage, model::buffer_usage_names()),
                                        point.request_bytes, point.alignment_bytes, point.size_bytes});
                if (!is_drawn) continue;
                alignment.rows.push_back({device.label, point.request_bytes, point.alignment_bytes});
                storage.rows.push_back({device.label, point.request_bytes, point.size_bytes});
                raw.rows.push_back({point.request_bytes, point.alignment_bytes, point.size_bytes});
                if (point.request_bytes > kDenseUpTo) continue;
                rounding.rows.push_back({device.label, point.request_bytes, point.size_bytes - point.request_bytes});
            }
        }
        tables.push_back(std::move(raw));
    }
    for (CsvTable* table : {&alignment, &storage, &rounding}) tables.push_back(std::move(*table));
    if (detail == ChartDetail::kAll) tables.push_back(std::move(all));
}

}  // namespace heapwright::render::detail
