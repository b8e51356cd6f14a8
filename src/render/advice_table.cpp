#include "heapwright/render/advice_table.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/share_text.hpp"
#include "heapwright/core/time_text.hpp"
#include "heapwright/render/detail/policy_rows.hpp"
#include "heapwright/render/detail/screen.hpp"

namespace heapwright::render {
namespace {

constexpr std::size_t kMisfits = 3;

// "1-16 MiB", "256 KiB-4 MiB", "16 MiB".
std::string chunks_text(const AdviceRow& row) {
    const std::string most = byte_text(row.most_chunk_bytes);
    if (row.most_chunk_bytes == 0) return "none";
    if (row.least_chunk_bytes == row.most_chunk_bytes) return most;
    std::string least = byte_text(row.least_chunk_bytes);
    const std::size_t unit = least.find(' ');
    if (most.ends_with(least.substr(unit))) least.resize(unit);
    return fmt::format("{}-{}", least, most);
}

std::string assumed_cell(const AdviceRow& row) {
    if (row.assumed.empty()) return "-";
    if (row.assumed.size() > 1) return "both";
    return row.assumed.front() == detail::kAssumedSizes ? "sizes" : "costs";
}

std::string fits_cell(const AdviceRow& row) {
    if (!row.fits) return "no";
    return row.is_part ? row.workload.substr(row.workload.rfind('@') + 1) : "yes";
}

// Rows of one name have their source behind it.
std::vector<std::string> names_of(std::span<const AdviceRow> rows) {
    std::map<std::string_view, std::size_t> times;
    for (const AdviceRow& row : rows) ++times[row.device];
    std::vector<std::string> names;
    for (const AdviceRow& row : rows)
        names.push_back(times[row.device] > 1 ? fmt::format("{} [{}]", row.device, row.source) : row.device);
    return names;
}

std::vector<std::string> cells_of(const AdviceRow& row, const std::string& name) {
    return {name,
            chunks_text(row),
            byte_text(row.own_memory_above_bytes),
            byte_text(row.upload_ring_bytes),
            row.mean_waste ? share_text(*row.mean_waste) : "-",
            row.worst_frame_ns ? time_text(*row.worst_frame_ns) : "-",
            fits_cell(row),
            assumed_cell(row)};
}

// A column that says nothing gives its room to the names, which are cut to what is left of the screen.
std::vector<std::vector<std::string>> fitted(std::vector<std::vector<std::string>> cells) {
    constexpr std::size_t kFrame = 5;
    if (std::ranges::all_of(cells.begin() + 1, cells.end(), [](const auto& row) { return row[kFrame] == "-"; }))
        for (std::vector<std::string>& row : cells) row.erase(row.begin() + kFrame);
    std::size_t others = 2;
    for (std::size_t column = 1; column < cells.front().size(); ++column) {
        std::size_t widest = 0;
        for (const auto& row : cells) widest = std::max(widest, detail::columns_of(row[column]));
        others += widest + 2;
    }
    for (std::vector<std::string>& row : cells) row.front() = detail::cut(row.front(), kScreenColumns - others);
    return cells;
}

// Names after each other, in lines that fit the screen.
void list_names(const std::vector<std::string>& names, const std::vector<std::size_t>& positions,
                detail::Screen& screen) {
    std::string line;
    for (const std::size_t position : positions) {
        const std::string& name = names[position];
        if (!line.empty() && detail::columns_of(line) + detail::columns_of(name) + 5 > kScreenColumns) {
            screen.line("  " + line + ",");
            line.clear();
        }
        line += (line.empty() ? "" : ", ") + name;
    }
    if (!line.empty()) screen.line("  " + line);
}

}  // namespace

AdviceRow advice_row(const model::DevicePolicy& policy, std::string device, std::string workload) {
    AdviceRow row{.device = std::move(device),
                  .driver = fmt::format("{} {}", policy.identity.driver_name, policy.identity.driver_info),
                  .source = {},
                  .api = policy.identity.api,
                  .workload = std::move(workload),
                  .own_memory_above_bytes = policy.humongous_threshold_bytes.value,
                  .upload_ring_bytes = policy.uploads.ring_bytes.value,
                  .mean_waste = {},
                  .worst_frame_ns = {},
                  .frame_budget_ns = policy.frame_budget_ns,
                  .capacity = {},
                  .assumed = detail::assumed_parts(policy.assumed),
                  .remark = {}};
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (!model::is_in_use(bucket)) continue;
        const std::uint64_t most = bucket.chunk_size_bytes.value;
        const std::uint64_t first = bucket.growth ? bucket.growth->first_chunk_bytes.value : most;
        row.least_chunk_bytes = row.least_chunk_bytes == 0 ? first : std::min(row.least_chunk_bytes, first);
        row.most_chunk_bytes = std::max(row.most_chunk_bytes, most);
    }
    if (policy.expectations) {
        row.mean_waste = policy.expectations->mean_waste.value;
        if (policy.expectations->worst_frame_ns) row.worst_frame_ns = policy.expectations->worst_frame_ns->value;
    }
    if (policy.capacity) {
        row.fits = policy.capacity->fits;
        row.capacity = model::statement_of(*policy.capacity);
    }
    return row;
}

std::string advice_table(std::span<const AdviceRow> rows, const SharedPolicies& shared, const ScreenStyle& style,
                         std::size_t most, std::string_view next) {
    detail::Screen screen(style);
    if (rows.empty()) return {};
    const std::vector<std::string> names = names_of(rows);
    const AdviceRow& first = rows.front();
    const std::size_t part = first.is_part ? first.workload.rfind('@') : std::string::npos;
    screen.title(fmt::format("{} on {}", first.workload.substr(0, part), counted(rows.size(), "device")));
    std::size_t misfits = 0;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        if (!rows[at].fits && misfits++ < kMisfits)
            screen.verdict(detail::Tone::kBad, fmt::format("{}: {}", names[at], rows[at].capacity));
    }
    if (misfits > kMisfits)
        screen.line(fmt::format("  and {} that it does not fit", counted(misfits - kMisfits, "more device")));
    std::vector<std::vector<std::string>> cells{
        {"device", "chunks", "own above", "ring", "waste", "frame", "fits", "assumed"}};
    for (std::size_t at = 0; at < rows.size(); ++at) cells.push_back(cells_of(rows[at], names[at]));
    screen.table(fitted(std::move(cells)), most, "devices");
    for (const std::vector<std::size_t>& group : shared) {
        screen.line(
            "The first one's chunk sizes and thresholds serve all of these, with 5 points of waste more at most:");
        list_names(names, group, screen);
    }
    if (std::ranges::any_of(rows, [](const AdviceRow& row) { return !row.assumed.empty(); }))
        screen.line("Assumed, not measured: sizes and alignments of resources, costs of device memory, or both.");
    std::map<std::string_view, std::vector<std::size_t>> remarks;
    for (std::size_t at = 0; at < rows.size(); ++at)
        if (!rows[at].remark.empty()) remarks[rows[at].remark].push_back(at);
    for (const auto& [remark, positions] : remarks) {
        if (positions.size() == rows.size()) {
            screen.line(fmt::format("Of all: {}.", remark));
            continue;
        }
        screen.line(fmt::format("Of these {}:", remark));
        list_names(names, positions, screen);
    }
    if (!next.empty()) screen.next(next);
    return screen.take();
}

std::string advice_document(std::span<const AdviceRow> rows, const SharedPolicies& shared) {
    using OrderedJson = nlohmann::ordered_json;
    OrderedJson devices = OrderedJson::array();
    for (const AdviceRow& row : rows) {
        OrderedJson device{{"device", row.device},
                           {"driver", row.driver},
                           {"api", row.api == model::Api::kVulkan ? "vulkan" : "d3d12"},
                           {"source", row.source},
                           {"workload", row.workload},
                           {"is_part", row.is_part},
                           {"least_chunk_bytes", row.least_chunk_bytes},
                           {"most_chunk_bytes", row.most_chunk_bytes},
                           {"own_memory_above_bytes", row.own_memory_above_bytes},
                           {"upload_ring_bytes", row.upload_ring_bytes}};
        if (row.mean_waste) device["mean_waste"] = *row.mean_waste;
        if (row.worst_frame_ns) device["worst_frame_ns"] = *row.worst_frame_ns;
        device["frame_budget_ns"] = row.frame_budget_ns;
        device["fits"] = row.fits;
        device["capacity"] = row.capacity;
        device["assumed"] = row.assumed;
        if (!row.remark.empty()) device["remark"] = row.remark;
        devices.push_back(std::move(device));
    }
    OrderedJson groups = OrderedJson::array();
    for (const std::vector<std::size_t>& group : shared) {
        OrderedJson sources = OrderedJson::array();
        for (const std::size_t position : group) sources.push_back(rows[position].source);
        groups.push_back({{"policy_of", sources.front()}, {"serves", sources}});
    }
    const OrderedJson document{{"devices", std::move(devices)}, {"one_policy_for", std::move(groups)}};
    return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace heapwright::render
