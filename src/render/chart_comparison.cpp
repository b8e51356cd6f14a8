#include <fmt/format.h>

#include "render/detail/chart_parts.hpp"

namespace heapwright::render::detail {
namespace {

void add_sweep_changes(const model::DeviceComparison& device, const std::string& tag, std::vector<CsvTable>& tables) {
    CsvTable table{.name = "sweep-changes-" + tag,
                   .columns = {"property", "case", "width_or_size", "height", "from", "to"}};
    for (const model::SweepChange& sweep : device.sweeps) {
        if (sweep.property != model::SweepProperty::kAlignmentBytes &&
            sweep.property != model::SweepProperty::kSizeBytes)
            continue;
        const std::string first_case = sweep.cases.empty() ? std::string() : sweep.cases.front();
        for (const auto& [width, height, from, to] : sweep.points) {
            table.rows.push_back({std::string(name_of(sweep.property)), first_case, width, height, from, to});
        }
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
}

void add_groups(const model::Clusters& clusters, std::size_t index, std::vector<CsvTable>& tables) {
    CsvTable table{.name = fmt::format("behaviour-groups-{}", index),
                   .columns = {"fingerprint", "device", "reports", "outlier"}};
    for (const model::BehaviourGroup& group : clusters.groups) {
        std::string device = group.devices.empty() ? "unknown" : group.devices.front().name;
        if (group.devices.size() > 1) device += fmt::format(" and {} more", group.devices.size() - 1);
        table.rows.push_back(
            {group.fingerprint, std::move(device), group.reports, static_cast<std::uint64_t>(group.outlier)});
    }
    tables.push_back(std::move(table));
}

}  // namespace

void add_comparison_tables(std::span<const ReportDocument> documents, std::vector<CsvTable>& tables) {
    std::size_t index = 0;
    for (const ReportDocument& each : documents) {
        const auto* comparison = std::get_if<model::Comparison>(&each.document);
        if (comparison == nullptr) continue;
        for (std::size_t p = 0; p < comparison->documents.size(); ++p) {
            const auto& devices = comparison->documents[p].devices;
            for (std::size_t d = 0; d < devices.size(); ++d) {
                add_sweep_changes(devices[d], fmt::format("{}-{}-{}", index, p, d), tables);
            }
        }
        if (comparison->clusters) add_groups(*comparison->clusters, index, tables);
        ++index;
    }
}

}  // namespace heapwright::render::detail
