#include "heapwright/render/comparison_forms.hpp"

#include <fmt/format.h>

#include "heapwright/core/count_text.hpp"
#include "heapwright/render/cluster_text.hpp"
#include "heapwright/render/comparison_words.hpp"

namespace heapwright::render {

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
            for (const ListedChange& change : grouped_changes(device)) {
                if (change.status == model::ChangeStatus::kExpected && !options.all) continue;
                text += fmt::format("    {}: {}\n", name_of(change.status), change.statement);
            }
            if (counts.expected != 0 && !options.all)
                text += fmt::format("    expected: {}, host-dependent or allowed\n",
                                    counted(counts.expected, "difference"));
            if (device.impact) text += fmt::format("    => {}\n", device.impact->statement);
        }
    }
    for (const model::AllowListNote& note : comparison.allow_list)
        text += fmt::format("{}:{}: {}\n", note.file, note.line, note.statement);
    if (comparison.clusters) text += cluster_text(*comparison.clusters);
    return text;
}

}  // namespace heapwright::render
