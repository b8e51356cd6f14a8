#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "render/comparison_forms.hpp"
#include "render/comparison_words.hpp"
#include "render/detail/screen.hpp"

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

// Groups of reports.
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

// Inside a table's cell.
std::string cell(const std::string& text) {
    constexpr std::size_t kMostBytes = 400;
    std::string result;
    for (const char c : shortened(text, kMostBytes)) {
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '[' || c == ']') result += '\\';
        if (c == '\n' || c == '\r')
            result += ' ';
        else if (c == '<')
            result += "&lt;";
        else
            result += c;
    }
    return result;
}

// The text in pieces that are kept whole or left out whole.
class Pieces {
public:
    explicit Pieces(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    void add(const std::string& piece) {
        constexpr std::size_t kNoticeBytes = 256;
        if (left_out_ != 0 || text_.size() + piece.size() + kNoticeBytes > most_bytes_) {
            ++left_out_;
            return;
        }
        text_ += piece;
    }

    [[nodiscard]] std::string take() {
        if (left_out_ != 0) {
            text_ += fmt::format("\n> **Cut off:** {} did not fit in {} bytes; the JSON output has all.\n",
                                 counted(left_out_, "more line"), most_bytes_);
        }
        return std::move(text_);
    }

private:
    std::size_t most_bytes_;
    std::string text_;
    std::uint64_t left_out_ = 0;
};

void add_overview(const model::Comparison& comparison, Pieces& pieces) {
    if (comparison.documents.empty()) return;
    pieces.add(
        "| device | driver | regressed | missing | changed | improved | new | inconclusive | expected |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const model::DocumentComparison& document : comparison.documents) {
        for (const model::DeviceComparison& device : document.devices) {
            StatusCounts counts = counts_of(device);
            std::string row = fmt::format("| {}{} | {} |", cell(device_title(device)),
                                          document.across_devices ? " (shown only)" : "", cell(driver_title(device)));
            for (const model::ChangeStatus status : kCountedStatuses) row += fmt::format(" {} |", counts[status]);
            pieces.add(row + "\n");
        }
    }
}

void add_device(const model::DeviceComparison& device, Pieces& pieces) {
    const auto changes = grouped_changes(device);
    if (changes.empty()) return;
    pieces.add(fmt::format("\n### {}: {}\n\n", cell(device_title(device)), cell(driver_title(device))));
    if (device.impact) pieces.add(fmt::format("**{}**\n\n", cell(device.impact->statement)));
    pieces.add("| status | difference |\n|---|---|\n");
    for (const ListedChange& change : changes)
        pieces.add(fmt::format("| {} | {} |\n", name_of(change.status), cell(change.statement)));
}

void add_clusters(const model::Clusters& clusters, Pieces& pieces) {
    pieces.add(fmt::format("\n## {} of {} in {} of equal allocation behaviour\n\n", counted(clusters.devices, "device"),
                           counted(clusters.reports, "report"), counted(clusters.groups.size(), "group")));
    pieces.add("| group | devices | heaps | for example | served by | waste |\n|---|---:|---|---|---|---:|\n");
    for (const model::BehaviourGroup& group : clusters.groups) {
        pieces.add(fmt::format("| {}{} | {} | {} to {} | {} | {} | {} |\n", group.fingerprint.substr(0, 12),
                               group.outlier ? " (outlier)" : "", group.reports, byte_text(group.smallest_heap_bytes),
                               byte_text(group.largest_heap_bytes),
                               group.devices.empty() ? "" : cell(group.devices.front().name),
                               group.served_by ? fmt::format("policy {}", *group.served_by) : cell(group.not_served),
                               group.served_by ? share_text(group.waste) : ""));
    }
    for (const model::VersionChange& change : clusters.version_changes)
        pieces.add(fmt::format("\n- {}", cell(change.statement)));
    for (const model::SkippedFile& file : clusters.skipped)
        pieces.add(fmt::format("\n- skipped: {}: {}", cell(file.file), cell(file.reason)));
    pieces.add("\n");
}

}  // namespace

std::string comparison_text(const model::Comparison& comparison, const ComparisonTextOptions& options) {
    std::string text;
    for (const model::DocumentComparison& document : comparison.documents) {
        text += fmt::format("{} against the baseline {}{}\n", document_title(document.other),
                            document_title(document.baseline),
                            document.across_devices ? " (different devices: differences are shown, none counts)" : "");
        for (const model::DeviceComparison& device : document.devices) {
            StatusCounts counts = counts_of(device);
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
            if (counts[model::ChangeStatus::kExpected] != 0 && !options.all)
                text += fmt::format("    expected: {}, host-dependent or allowed\n",
                                    counted(counts[model::ChangeStatus::kExpected], "difference"));
            if (device.impact) text += fmt::format("    => {}\n", device.impact->statement);
        }
    }
    for (const model::AllowListNote& note : comparison.allow_list)
        text += fmt::format("{}: {}\n", place_of(note), note.statement);
    if (comparison.clusters) text += cluster_text(*comparison.clusters);
    return options.one_screen ? cut_lines(text) : text;
}

std::string comparison_markdown(const model::Comparison& comparison, std::size_t most_bytes) {
    Pieces pieces(most_bytes);
    pieces.add("# heapwright: comparison of drivers\n\n");
    add_overview(comparison, pieces);
    for (const model::AllowListNote& note : comparison.allow_list)
        pieces.add(fmt::format("\n- {}: {}\n", cell(place_of(note)), cell(note.statement)));
    for (const model::DocumentComparison& document : comparison.documents) {
        pieces.add(fmt::format("\n## {} against {}{}\n", cell(document.other.file), cell(document.baseline.file),
                               document.across_devices ? ": different devices, shown only" : ""));
        for (const model::DeviceComparison& device : document.devices) {
            add_device(device, pieces);
            if (device.fields.empty() && device.sweeps.empty() && device.status == model::ChangeStatus::kSame)
                pieces.add(fmt::format("\n{}: same.\n", cell(device_title(device))));
        }
    }
    if (comparison.clusters) add_clusters(*comparison.clusters, pieces);
    return pieces.take();
}

std::string no_comparison_markdown(const std::string& reason) {
    return fmt::format("# heapwright: comparison of drivers\n\n**Not compared:** {}\n", cell(reason));
}

}  // namespace heapwright::render
