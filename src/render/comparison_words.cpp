#include "render/comparison_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "core/text.hpp"

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

constexpr ComparisonRule kRules[] = {
    {"HW-FINDING", "Finding", "The driver keeps or breaks another clause of the specification than before.",
     "A finding of the probe came, went or changed its severity. A driver that newly breaks the specification may hand "
     "out memory that does not fit what is bound to it."},
    {"HW-DEVICE", "Device", "A device is missing or new.",
     "Only one of the documents holds the device, or its driver could be probed only there."},
    {"HW-FAILURE", "Failure", "A call of the driver fails that did not, or the other way round.",
     "The driver crashed, hung or failed at another call than in the baseline's run, or in another way."},
    {"HW-IDENTITY", "Identity", "The device or its driver names itself otherwise.",
     "Names, versions, UUIDs and addresses. The host decides most of them."},
    {"HW-HEAP", "Heap", "A memory heap differs.", "Flags, sizes and budgets of the heaps. The host decides the sizes."},
    {"HW-MEMORY-TYPE", "MemoryType", "A memory type differs.",
     "Property flags of the memory types, and which resources they take."},
    {"HW-LIMIT", "Limit", "A limit differs.",
     "A limit of the device: a larger alignment or granularity and a smaller maximum break what was sized for the "
     "baseline."},
    {"HW-FEATURE", "Feature", "A feature differs.", "A feature is supported on one side only."},
    {"HW-QUEUE", "QueueFamily", "A queue family differs.", "What a queue family runs, and how many queues it has."},
    {"HW-EXTENSION", "Extension", "An extension differs.",
     "An extension is there on one side only, or in another version."},
    {"HW-FACT", "Fact", "Another fact about the device differs.",
     "Texts, layered APIs, sparse requirements, image compression, and what could not be asked for."},
    {"HW-SWEEP-ALIGNMENT", "SweepAlignment", "Resources need another alignment.",
     "The driver answered the memory requirements of images or buffers with another alignment."},
    {"HW-SWEEP-SIZE", "SweepSize", "Resources need another size.",
     "The driver answered the memory requirements of images or buffers with another size."},
    {"HW-SWEEP-MEMORY-TYPES", "SweepMemoryTypes", "Resources go into other memory types.",
     "The driver answered the memory requirements of images or buffers with other memory types."},
    {"HW-SWEEP-DEDICATED", "SweepDedicated", "Resources want or need a dedicated allocation otherwise.",
     "The driver prefers or requires dedicated allocations for other images or buffers."},
    {"HW-SWEEP-SUPPORT", "SweepSupport", "Resources are supported otherwise.",
     "Images or buffers can be made on one side only."},
    {"HW-SWEEP-CASE", "SweepCase", "A case of the sweep is missing or new.",
     "Only one of the reports asked for these images or buffers, or at these sizes."},
    {"HW-COST", "Cost", "Memory costs another time.",
     "What allocation, mapping and first touch cost, refused allocations and bandwidth, judged under like conditions."},
    {"HW-ENGINE", "Engine", "The engines work or overlap otherwise.",
     "Copies, signals, overlaps and pipelines of the device's engines, as they were measured."},
    {"HW-POLICY", "Policy", "The policy decides otherwise.",
     "A number of an allocation policy: chunk sizes, thresholds, buckets, rings and what is expected of them."},
    {"HW-VALIDATION", "Validation", "The validation came out otherwise.",
     "A verdict, a scenario or a count of a validation."},
    {"HW-LEFT-OUT", "LeftOut", "A policy or a validation leaves out something else.",
     "What does not fit or was not asked for is left out by name."},
    {"HW-ALLOW-LIST", "AllowList", "An entry of the allow-list, a bound or a probe did nothing.",
     "An entry that allowed nothing or has expired, a bound that matches nothing, a probe of another driver."},
    {"HW-OTHER", "Other", "Another part of the documents differs.", "A part that has no rule of its own."},
};

struct Place {
    std::string_view rule;
    std::string_view roots;  // without the first slash, parted by spaces
};

// A root holds what stands below it: the first that does.
constexpr Place kPlaces[] = {
    {"HW-FINDING", "findings"},
    {"HW-FAILURE", "failures"},
    {"HW-IDENTITY", "identity origin"},
    {"HW-HEAP", "heaps volatile/heap_budgets"},
    {"HW-MEMORY-TYPE", "memory_types"},
    {"HW-LIMIT", "limits"},
    {"HW-FEATURE", "features"},
    {"HW-QUEUE", "queue_families"},
    {"HW-EXTENSION", "extensions"},
    {"HW-FACT", "texts unreported layered_apis sparse_images sparse_buffers image_compression observations absent"},
    {"HW-ENGINE", "volatile/engines"},
    {"HW-LEFT-OUT", "left_out"},
    {"HW-VALIDATION",
     "replayed interpolated_requirements assumed_requirements validation_layers memory_limit_bytes "
     "scenarios baselines verdict reason"},
    {"HW-POLICY",
     "frame_budget_ns unanswered_points memory_uses largest_ordinary_bytes humongous_threshold_bytes "
     "humongous largest_buffer_bytes largest_storage_buffer_bytes split dedicated "
     "separate_linear_and_optimal max_chunks buckets feasibility capacity expectations frames_in_flight "
     "descriptors uploads engines creations assumed warnings"},
    {"HW-COST", "volatile"},
};

// Of a sweep by the property at the path's end.
constexpr Place kSweptProperties[] = {{"HW-SWEEP-ALIGNMENT", "alignment_bytes"},
                                      {"HW-SWEEP-SIZE", "size_bytes"},
                                      {"HW-SWEEP-MEMORY-TYPES", "memory_types"},
                                      {"HW-SWEEP-DEDICATED", "dedicated"},
                                      {"HW-SWEEP-SUPPORT", "support"}};

constexpr std::size_t index_of(std::string_view id) {
    return static_cast<std::size_t>(std::ranges::find(kRules, id, &ComparisonRule::id) - std::begin(kRules));
}

constexpr bool is_known(const Place& place) {
    return index_of(place.rule) < std::size(kRules);
}
static_assert(std::ranges::all_of(kPlaces, is_known) && std::ranges::all_of(kSweptProperties, is_known));

// Whether the path is one of the roots or stands below one.
bool is_below(std::string_view path, std::string_view roots) {
    while (!roots.empty()) {
        const std::string_view root = roots.substr(0, roots.find(' '));
        if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/')) return true;
        roots.remove_prefix(std::min(root.size() + 1, roots.size()));
    }
    return false;
}

std::size_t rule_among(std::span<const Place> places, std::string_view path, std::string_view otherwise) {
    const auto place = std::ranges::find_if(places, [&](const Place& each) { return is_below(path, each.roots); });
    return index_of(place == places.end() ? otherwise : place->rule);
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
                           .path = path_of(change),
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
    for (const ListedChange& change : listed_changes(device)) ++counts[change.status];
    return counts;
}

std::string counts_text(StatusCounts counts) {
    std::string text;
    for (const ChangeStatus status : kCountedStatuses) {
        if (status == ChangeStatus::kInconclusive && text.empty()) text = "same";
        if (counts[status] != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[status], name_of(status));
    }
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

std::span<const ComparisonRule> comparison_rules() {
    return kRules;
}

std::size_t rule_of_path(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    if (path.empty()) return index_of("HW-DEVICE");
    if (is_below(path, "image_sweep buffer_sweep"))
        return rule_among(kSweptProperties, path.substr(path.rfind('/') + 1), "HW-SWEEP-CASE");
    return rule_among(kPlaces, path, "HW-OTHER");
}

std::size_t rule_of_notes() {
    return index_of("HW-ALLOW-LIST");
}

}  // namespace heapwright::render
