#include "heapwright/render/cluster_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/share_text.hpp"
#include "heapwright/render/comparison_words.hpp"

namespace heapwright::render {
namespace {

std::string group_line(const model::BehaviourGroup& group) {
    std::string devices;
    constexpr std::size_t kShown = 3;
    for (std::size_t index = 0; index < std::min(group.devices.size(), kShown); ++index)
        devices +=
            fmt::format("{}{} ({})", index == 0 ? "" : ", ", group.devices[index].name, group.devices[index].driver);
    if (group.devices.size() > kShown) devices += fmt::format(" and {} more", group.devices.size() - kShown);
    std::string served = group.not_served;
    if (group.served_by) served = fmt::format("policy {}, {} waste", *group.served_by, share_text(group.waste));
    return fmt::format("  {} {}{}, heaps {} to {}: {}; {}\n", group.fingerprint.substr(0, 12),
                       counted(group.reports, "device"), group.outlier ? " (outlier)" : "",
                       byte_text(group.smallest_heap_bytes), byte_text(group.largest_heap_bytes), devices,
                       served.empty() ? "no policy" : served);
}

}  // namespace

std::string cluster_text(const model::Clusters& clusters) {
    std::string text =
        fmt::format("{} of {} {} in {}\n", counted(clusters.devices, "device"), counted(clusters.reports, "report"),
                    clusters.devices == 1 ? "behaves" : "behave", counted(clusters.groups.size(), "way"));
    for (const model::BehaviourGroup& group : clusters.groups) text += group_line(group);
    if (!clusters.policies.empty()) {
        text += fmt::format("{} {} within {:.1f}% more waste than their own:\n",
                            counted(clusters.policies.size(), "policy serves", "policies serve"), clusters.workload,
                            clusters.allowed_waste * 100);
        for (std::size_t index = 0; index < clusters.policies.size(); ++index) {
            const model::CoveringPolicy& policy = clusters.policies[index];
            text +=
                fmt::format("  policy {}: made for {} ({}), serves {} and {}\n", index, policy.made_for.substr(0, 12),
                            policy.file, counted(policy.groups, "group"), counted(policy.reports, "device"));
        }
    }
    if (!clusters.cover_bound.empty()) text += clusters.cover_bound + "\n";
    for (const model::VersionChange& change : clusters.version_changes)
        text += fmt::format("version: {}\n", change.statement);
    for (const model::SkippedFile& file : clusters.skipped)
        text += fmt::format("skipped: {}: {}\n", file.file, file.reason);
    return text;
}

}  // namespace heapwright::render
