#include "committed.hpp"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "test_paths.hpp"

namespace heapwright::test {

model::Report committed_report(const std::string& name) {
    const std::string file = test::source_path("reports/") + name + ".json";
    const auto text = read_file(file);
    REQUIRE(text.has_value());
    auto report = model::read_report(*text, file);
    if (!report) FAIL(to_string(report.error()));
    return std::move(*report);
}

compare::LoadedDocument loaded(model::Report report, const std::string& file) {
    compare::LoadedDocument document{.file = file, .stable_hash = model::stable_hash(report)};
    document.document = std::move(report);
    return document;
}

compare::LoadedDocument loaded_policy(model::Policy policy, const std::string& file) {
    compare::LoadedDocument document{.file = file, .stable_hash = model::stable_hash(policy)};
    document.document = std::move(policy);
    return document;
}

void double_alignment(model::DeviceReport& device, model::Format format) {
    model::ImageSweep& sweep = device.image_sweep;
    std::map<std::uint32_t, std::uint32_t> doubled;  // table -> its copy with doubled alignments
    for (model::ImageCase& entry : sweep.cases) {
        if (entry.format != format || !entry.table) continue;
        const auto [position, is_new] =
            doubled.try_emplace(*entry.table, static_cast<std::uint32_t>(sweep.tables.size()));
        if (is_new) {
            model::SweepTable table = sweep.tables[*entry.table];
            for (std::size_t point = 0; point < table.requirement.size(); ++point) {
                if (table.size_bytes[point] == 0) continue;
                model::RequirementClass requirement = sweep.requirements[table.requirement[point]];
                requirement.alignment_bytes *= 2;
                auto same = std::find(sweep.requirements.begin(), sweep.requirements.end(), requirement);
                if (same == sweep.requirements.end()) same = sweep.requirements.insert(same, requirement);
                table.requirement[point] = static_cast<std::uint16_t>(same - sweep.requirements.begin());
            }
            sweep.tables.push_back(std::move(table));
        }
        entry.table = position->second;
    }
}

}  // namespace heapwright::test
