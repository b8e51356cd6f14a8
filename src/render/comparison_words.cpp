#include "heapwright/render/comparison_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "heapwright/core/count_text.hpp"

namespace heapwright::render {
namespace {

using model::ChangeStatus;

std::string section_of(const std::string& path) {
    const std::size_t end = path.find('/', 1);
    return path.size() > 1 ? path.substr(1, end == std::string::npos ? end : end - 1) : "device";
}

std::string field_statement(const model::FieldChange& change) {
    std::string text = change.path;
    if (change.to.empty())
        text += fmt::format(": {}, only in the baseline", change.from);
    else if (change.from.empty())
        text += fmt::format(": {}, not in the baseline", change.to);
    else
        text += fmt::format(": {} to {}", change.from, change.to);
    if (!change.reason.empty()) text += fmt::format(" ({})", change.reason);
    return text;
}

// One that is accepted, or only cannot be judged, goes before nothing.
bool is_new_violation(const model::FieldChange& change) {
    return change.path.starts_with("/findings/") && is_failure(change.status) &&
           change.to == name_of(model::FindingSeverity::kViolation);
}

// "NVIDIA H100 (UUID 0123..., PCI 0000:3b:00.0)": one of several that are alike.
std::string which_device(const model::DeviceComparison& device) {
    const model::DeviceIdentity& shown = device.other ? *device.other : *device.baseline;
    std::string text;
    if (!shown.device_uuid.empty()) text = "UUID " + shown.device_uuid;
    if (shown.pci) {
        text += fmt::format("{}PCI {:04x}:{:02x}:{:02x}.{:x}", text.empty() ? "" : ", ", shown.pci->domain,
                            shown.pci->bus, shown.pci->device, shown.pci->function);
    }
    return text.empty() ? shown.name : fmt::format("{} ({})", shown.name, text);
}

}  // namespace

std::string document_title(const model::ComparedDocument& document) {
    return document.host.empty() ? document.file : fmt::format("{} ({})", document.file, document.host);
}

std::string device_title(const model::DeviceComparison& device) {
    const auto& shown = device.other ? *device.other : *device.baseline;
    std::string title = fmt::format("{} [{}]", shown.name, name_of(shown.api));
    if (device.other && device.baseline && device.baseline->name != device.other->name)
        title = fmt::format("{} against {}", title, device.baseline->name);
    return title;
}

std::string driver_title(const model::DeviceComparison& device) {
    const auto text = [](const model::DeviceIdentity& identity) {
        return identity.driver_info.empty() ? fmt::format("{} {:#x}", identity.driver_id, identity.driver_version)
                                            : identity.driver_info;
    };
    if (!device.baseline) return text(*device.other);
    if (!device.other) return text(*device.baseline);
    const std::string from = text(*device.baseline);
    const std::string to = text(*device.other);
    return from == to ? from : from + " -> " + to;
}

std::vector<ListedChange> listed_changes(const model::DeviceComparison& device) {
    std::vector<ListedChange> changes;
    for (const model::SweepChange& change : device.sweeps) {
        changes.push_back({.status = change.status,
                           .section = section_of(change.cases.front()),
                           .path = change.cases.front() + "/" + change.property,
                           .statement = change.reason.empty() ? change.statement
                                                              : fmt::format("{} ({})", change.statement, change.reason),
                           .reason = change.reason});
    }
    for (const model::FieldChange& change : device.fields) {
        changes.push_back({.status = change.status,
                           .section = section_of(change.path),
                           .path = change.path,
                           .statement = field_statement(change),
                           .reason = change.reason,
                           .violation = is_new_violation(change)});
    }
    if (changes.empty() && device.status != ChangeStatus::kSame) {
        changes.push_back(
            {.status = device.status,
             .section = "device",
             .path = "/",
             .statement = fmt::format("the device {} is {}", which_device(device), device.other ? "new" : "missing")});
    }
    std::ranges::stable_sort(changes, std::greater<>(), [](const ListedChange& change) {
        return std::pair(change.violation, severity(change.status));
    });
    return changes;
}

std::vector<ListedChange> grouped_changes(const model::DeviceComparison& device) {
    constexpr std::string_view kExtensions = "/extensions/";
    std::vector<ListedChange> groups;
    std::map<ChangeStatus, std::vector<std::string>> extensions;
    std::map<ChangeStatus, std::size_t> places;
    for (ListedChange& change : listed_changes(device)) {
        const bool one_sided = change.status == ChangeStatus::kMissing || change.status == ChangeStatus::kNew;
        if (!one_sided || !change.path.starts_with(kExtensions)) {
            groups.push_back(std::move(change));
            continue;
        }
        extensions[change.status].push_back(change.path.substr(kExtensions.size()));
        if (places.try_emplace(change.status, groups.size()).second) groups.push_back(std::move(change));
    }
    for (const auto& [status, place] : places) {
        const auto& names = extensions[status];
        groups[place].path = "/extensions";
        groups[place].statement = fmt::format("{}: {}", counted(names.size(), "extension"), fmt::join(names, ", "));
    }
    return groups;
}

StatusCounts counts_of(const model::DeviceComparison& device) {
    StatusCounts counts;
    for (const ListedChange& change : listed_changes(device)) {
        switch (change.status) {
            case ChangeStatus::kRegressed: ++counts.regressed; break;
            case ChangeStatus::kMissing: ++counts.missing; break;
            case ChangeStatus::kChanged: ++counts.changed; break;
            case ChangeStatus::kImproved: ++counts.improved; break;
            case ChangeStatus::kNew: ++counts.added; break;
            case ChangeStatus::kExpected: ++counts.expected; break;
            case ChangeStatus::kInconclusive: ++counts.inconclusive; break;
            case ChangeStatus::kSame: break;
        }
    }
    return counts;
}

std::string counts_text(const StatusCounts& counts) {
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view name) {
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    };
    if (counts.regressed + counts.missing + counts.changed + counts.improved + counts.added == 0) text = "same";
    add(counts.regressed, "regressed");
    add(counts.missing, "missing");
    add(counts.changed, "changed");
    add(counts.improved, "improved");
    add(counts.added, "new");
    add(counts.inconclusive, "inconclusive");
    add(counts.expected, "expected");
    return text;
}

std::string place_of(const model::AllowListNote& note) {
    return note.line == 0 ? note.file : fmt::format("{}:{}", note.file, note.line);
}

std::string shortened(const std::string& text, std::size_t most_bytes) {
    if (text.size() <= most_bytes) return text;
    std::size_t end = most_bytes > 3 ? most_bytes - 3 : 0;
    // Not inside a UTF-8 sequence.
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

}  // namespace heapwright::render
