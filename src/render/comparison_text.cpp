#include "heapwright/render/comparison_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heapwright/core/count_text.hpp"
#include "heapwright/render/cluster_text.hpp"
#include "heapwright/render/comparison_words.hpp"
#include "heapwright/render/detail/screen.hpp"

namespace heapwright::render {
namespace {

std::string cut_lines(std::string_view text) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1);
        lines += detail::cut(text.substr(0, end), kScreenColumns) + "\n";
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace

std::string comparison_text(const model::Comparison& comparison, const ComparisonTextOptions& options) {
    std::string text;
    for (const model::DocumentComparison& document : comparison.documents) {
        text += fmt::format("{} against the baseline {}{}\n", document_title(document.other),
                            document_title(document.baseline),
                            document.across_devices ? " (different devices: differences are shown, none counts)" : "");
        for (const model::DeviceComparison& device : document.devices) {
            const StatusCounts counts = counts_of(device);
            text += fmt::format("  {}: {}: {}; {} the same\n", device_title(device), driver_title(device),
                                counts_text(counts),
                                counted(device.same_fields, "field or sweep point is", "fields and sweep points are"));
            std::vector<ListedChange> changes = grouped_changes(device);
            std::erase_if(changes, [&](const ListedChange& change) {
                return change.status == model::ChangeStatus::kExpected && !options.all;
            });
            constexpr std::size_t kOneScreen = 14;
            const std::size_t left_out =
                options.one_screen && changes.size() > kOneScreen ? changes.size() - kOneScreen : 0;
            if (left_out != 0) changes.resize(kOneScreen);  // the worst stand first
            for (const ListedChange& change : changes)
                text += fmt::format("    {}: {}\n", name_of(change.status), change.statement);
            if (left_out != 0) text += fmt::format("    and {} (-v)\n", counted(left_out, "more difference"));
            if (counts.expected != 0 && !options.all)
                text += fmt::format("    expected: {}, host-dependent or allowed\n",
                                    counted(counts.expected, "difference"));
            if (device.impact) text += fmt::format("    => {}\n", device.impact->statement);
        }
    }
    for (const model::AllowListNote& note : comparison.allow_list)
        text += fmt::format("{}: {}\n", place_of(note), note.statement);
    if (comparison.clusters) text += cluster_text(*comparison.clusters);
    return options.one_screen ? cut_lines(text) : text;
}

}  // namespace heapwright::render
