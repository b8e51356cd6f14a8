#include "import/import.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/hash.hpp"
#include "core/utf8.hpp"
#include "heapwright_generated/version.hpp"
#include "import/detail/formats.hpp"
#include "import/detail/json_text.hpp"
#include "import/detail/json_value.hpp"
#include "import/detail/text_tree.hpp"
#include "import/parts.hpp"

namespace heapwright::imports {

namespace {

using detail::JsonValue;

// The formats that are no JSON. The first that the text is of counts: a log may hold what another log says.
struct TextFormat {
    ImportFormat format;
    bool (*is_of)(std::string_view text);
    Result<std::vector<model::DeviceReport>> (*read)(std::string_view text, std::string_view source);
};

constexpr TextFormat kTextFormats[] = {
    {ImportFormat::kVulkaninfo, detail::is_vulkaninfo, detail::import_vulkaninfo},
    {ImportFormat::kDxvkLog, detail::is_dxvk_log, detail::import_dxvk_log},
    {ImportFormat::kGfxrecon, detail::is_gfxrecon_info, detail::import_gfxrecon_info},
};

// JSON may begin with '[', and so may a shell's prompt and a loader's message.
const TextFormat* text_format_of(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '{') return nullptr;
    const auto found = std::find_if(std::begin(kTextFormats), std::end(kTextFormats),
                                    [text](const TextFormat& entry) { return entry.is_of(text); });
    return found == std::end(kTextFormats) ? nullptr : found;
}

// A text that no reader takes: by the name of what it is, where that is known.
tl::unexpected<Error> refused(std::string_view text, std::string_view source) {
    auto named = foreign_file(text, source, WantedFile::kReport);
    return tl::unexpected(named ? std::move(*named) : unknown_file(text, source));
}

Result<detail::ForeignJson> parse_json(std::string_view text, std::string_view source) {
    auto parsed = detail::parse_json_text(text, source);
    if (parsed) return parsed;
    // Several documents in one file are no JSON.
    auto named = foreign_file(text, source, WantedFile::kReport);
    return tl::unexpected(named ? std::move(*named) : std::move(parsed.error()));
}

Result<ImportFormat> detect_json_format(const JsonValue& root, std::string_view text, std::string_view source) {
    const auto schema = root.find("$schema");
    if (schema && schema->text().value_or("").starts_with("urn:heapwright:")) {
        return schema->error("this is a document of heapwright already; it needs no import", ErrorCode::kParseError);
    }
    if (detail::is_d3d12info(root)) return ImportFormat::kD3d12info;
    if (detail::is_profiles(root)) return ImportFormat::kProfiles;
    if (detail::is_gpuinfo(root)) return ImportFormat::kGpuinfo;
    if (detail::is_vkjson(root)) return ImportFormat::kVkjson;
    if (detail::is_devsim(root)) return ImportFormat::kDevsim;
    if (auto named = foreign_file(text, source, WantedFile::kReport)) return tl::unexpected(std::move(*named));
    if (auto near = detail::nearest_json_kind(root)) return root.error(std::move(*near), ErrorCode::kParseError);
    return refused(text, source);
}

Result<std::vector<model::DeviceReport>> import_json(ImportFormat format, const JsonValue& root) {
    const auto as_one = [](Result<model::DeviceReport> device) -> Result<std::vector<model::DeviceReport>> {
        if (!device) return tl::unexpected(std::move(device.error()));
        std::vector<model::DeviceReport> devices;
        devices.push_back(std::move(*device));
        return devices;
    };
    switch (format) {
        case ImportFormat::kProfiles: return detail::import_profiles(root);
        case ImportFormat::kD3d12info: return detail::import_d3d12info(root);
        case ImportFormat::kVkjson: return detail::import_vkjson(root);
        case ImportFormat::kDevsim: return as_one(detail::import_devsim(root));
        case ImportFormat::kGpuinfo: return as_one(detail::import_gpuinfo(root));
        case ImportFormat::kVulkaninfo:
        case ImportFormat::kDxvkLog:
        case ImportFormat::kGfxrecon: break;
    }
    return fail(ErrorCode::kInvalidArgument, "the format is no JSON");
}

void add_defects(const std::vector<std::string>& defects, std::vector<model::DeviceReport>& devices) {
    for (model::DeviceReport& device : devices) {
        for (const std::string& defect : defects) {
            device.findings.push_back({.id = "broken-json",
                                       .severity = model::FindingSeverity::kWarning,
                                       .statement = defect,
                                       .clause = {},
                                       .evidence = {}});
        }
    }
}

std::string_view licence_note(ImportFormat format) {
    return format == ImportFormat::kGpuinfo ? ", data of vulkan.gpuinfo.org under CC BY 4.0" : "";
}

model::Report finish(std::vector<model::DeviceReport> devices, ImportFormat format, std::string_view text) {
    model::Report report;
    report.header.tool_version = kVersion;
    const std::string statement = fmt::format("imported from {} (XXH3-128 of the file: {}){}", to_string(format),
                                              hash_hex(text), licence_note(format));
    for (std::size_t i = 0; i < devices.size(); ++i) {
        model::DeviceReport& device = devices[i];
        device.run.device_index = static_cast<std::uint32_t>(i);
        finish_device(device);
        device.findings.insert(device.findings.begin(), {.id = "imported",
                                                         .severity = model::FindingSeverity::kNote,
                                                         .statement = statement,
                                                         .clause = {},
                                                         .evidence = {}});
    }
    report.devices = std::move(devices);
    return report;
}

}  // namespace

std::string_view to_string(ImportFormat format) {
    switch (format) {
        case ImportFormat::kGpuinfo: return "gpuinfo.org JSON";
        case ImportFormat::kVulkaninfo: return "vulkaninfo text";
        case ImportFormat::kProfiles: return "Vulkan Profiles JSON";
        case ImportFormat::kD3d12info: return "D3d12info JSON";
        case ImportFormat::kDevsim: return "vulkaninfo JSON";
        case ImportFormat::kDxvkLog: return "DXVK's log";
        case ImportFormat::kGfxrecon: return "gfxreconstruct info";
        case ImportFormat::kVkjson: return "vkjson";
    }
    return "unknown";
}

Result<ImportFormat> detect_format(std::string_view text, std::string_view source) {
    std::string utf8;
    std::string unfenced;
    const std::string_view content = as_utf8(text, utf8);
    if (const TextFormat* format = text_format_of(content)) return format->format;
    const std::string_view json = detail::without_fence(content, unfenced);
    if (!detail::is_json_text(json)) return refused(content, source);
    HEAPWRIGHT_ASSIGN(const detail::ForeignJson parsed, parse_json(json, source));
    return detect_json_format(JsonValue(parsed.tape, source), json, source);
}

Result<model::Report> import_report(std::string_view text, std::string_view source) {
    std::string utf8;
    std::string unfenced;
    const std::string_view content = as_utf8(text, utf8);
    if (const TextFormat* format = text_format_of(content)) {
        HEAPWRIGHT_ASSIGN(auto devices, format->read(content, source));
        return finish(std::move(devices), format->format, text);
    }
    const std::string_view json = detail::without_fence(content, unfenced);
    if (!detail::is_json_text(json)) return refused(content, source);
    HEAPWRIGHT_ASSIGN(const detail::ForeignJson parsed, parse_json(json, source));
    const JsonValue root(parsed.tape, source);
    HEAPWRIGHT_ASSIGN(const ImportFormat format, detect_json_format(root, json, source));
    HEAPWRIGHT_ASSIGN(auto devices, import_json(format, root));
    add_defects(parsed.defects, devices);
    return finish(std::move(devices), format, text);
}

namespace {

using Marks = std::array<std::string_view, 3>;  // empty ones count for nothing

constexpr std::string_view kDeviceInstead = "for a report, import what vulkaninfo prints";
constexpr std::string_view kLoadInstead =
    "a reader for it is still to come; until then write the resources as a trace or as a workload "
    "(`heapwright workload --example`)";

struct ForeignKind {
    std::string_view name;
    std::string_view says;  // what stands in such a file
    Marks marks;            // all must be there
    bool at_start = false;  // the first mark begins the file
    bool is_load = true;    // what a program allocates
    bool is_read = false;   // -w takes it (src/workload/dump.hpp)
};

constexpr ForeignKind kForeign[] = {
    {.name = "a dump of D3D12 Memory Allocator (D3D12MA)",
     .says = "what a program has allocated",
     .marks = {"\"Total\"", "\"Direct3D 12\""},
     .is_read = true},
    {.name = "a dump of D3D12 Memory Allocator (D3D12MA)",
     .says = "what a program has allocated",
     .marks = {"\"Total\"", "\"UPLOAD\"", "\"READBACK\""},
     .is_read = true},
    {.name = "a dump of Vulkan Memory Allocator (VMA)",
     .says = "what a program has allocated",
     .marks = {"\"Total\"", "\"Heap 0\""},
     .is_read = true},
    {.name = "a recording of Vulkan Memory Allocator (VMA)",
     .says = "what a program allocated, call by call",
     .marks = {"Vulkan Memory Allocator,Calls recording"},
     .at_start = true,
     .is_read = true},
    {.name = "a capture of gfxreconstruct as JSON",
     .says = "the calls of a program",
     .marks = {"\"header\"", "\"gfxrecon-version\""}},
    {.name = "a capture of gfxreconstruct", .says = "the calls of a program", .marks = {"GFXR"}, .at_start = true},
    {.name = "a log of vkd3d-proton",
     .says = "neither the device's name nor its heaps",
     .marks = {":vkd3d-proton:"},
     .is_load = false},
    {.name = "a log of vkd3d-proton",
     .says = "neither the device's name nor its heaps",
     .marks = {"vkd3d-proton - build:"},
     .is_load = false},
};

struct KnownFormat {
    std::string_view name;
    bool is_json;
    Marks marks;
};

constexpr KnownFormat kKnown[] = {
    {"gpuinfo.org JSON", true, {"\"properties\"", "\"deviceName\"", "\"environment\""}},
    {"vkjson", true, {"\"properties\"", "\"memory\"", "\"queues\""}},
    {"vulkaninfo JSON", true, {"\"VkPhysicalDeviceProperties\"", "\"deviceName\""}},
    {"Vulkan Profiles JSON", true, {"\"profiles\"", "\"capabilities\""}},
    {"D3d12info JSON", true, {"\"Adapters\"", "\"DXGI_ADAPTER_DESC3\""}},
    {"vulkaninfo text", false, {"GPU0", "deviceName", "memoryHeaps[0]"}},
    {"DXVK's log", false, {"info:", "Found device", "Memory Heap[0]"}},
    {"gfxreconstruct info", false, {"Physical device info:", "Device name:"}},
};

bool holds(std::string_view text, std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
}

bool is_of(std::string_view text, const ForeignKind& kind) {
    if (kind.at_start && !text.starts_with(kind.marks.front())) return false;
    return std::all_of(kind.marks.begin(), kind.marks.end(),
                       [text](std::string_view mark) { return holds(text, mark); });
}

struct Likeness {
    const KnownFormat* format = nullptr;
    std::vector<std::string_view> found;
    std::vector<std::string_view> missing;
};

Likeness likeness(std::string_view text, const KnownFormat& format) {
    Likeness like{.format = &format, .found = {}, .missing = {}};
    for (const std::string_view mark : format.marks) {
        if (!mark.empty()) (holds(text, mark) ? like.found : like.missing).push_back(mark);
    }
    return like;
}

// The largest share of marks found first.
bool nearer(const Likeness& a, const Likeness& b) {
    return a.found.size() * (b.found.size() + b.missing.size()) > b.found.size() * (a.found.size() + a.missing.size());
}

}  // namespace

std::optional<Error> foreign_file(std::string_view text, std::string_view source, WantedFile wanted) {
    const auto kind = std::find_if(std::begin(kForeign), std::end(kForeign), [&](const ForeignKind& entry) {
        return ((entry.is_load && !entry.is_read) || wanted == WantedFile::kReport) && is_of(text, entry);
    });
    if (kind == std::end(kForeign)) return std::nullopt;
    std::string message = fmt::format("this is {}: it says {}", kind->name, kind->says);
    if (wanted == WantedFile::kWorkload) {
        message += fmt::format("; {}", kLoadInstead);
    } else if (kind->is_read) {
        message += fmt::format(", not what the device is; it is a workload: advise REPORT -w FILE; {}", kDeviceInstead);
    } else if (kind->is_load) {
        message += fmt::format(", not what the device is; {}, and it will be a workload once its reader is there",
                               kDeviceInstead);
    } else {
        message += fmt::format("; {} or the log of DXVK", kDeviceInstead);
    }
    return Error{.code = ErrorCode::kParseError, .message = std::move(message), .where = std::string(source)};
}

Error unknown_file(std::string_view text, std::string_view source) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    Likeness nearest;
    std::vector<std::string_view> names;
    for (const KnownFormat& format : kKnown) {
        names.push_back(format.name);
        if (format.is_json != is_json) continue;
        Likeness like = likeness(text, format);
        if (!like.found.empty() && (nearest.format == nullptr || nearer(like, nearest))) nearest = std::move(like);
    }
    std::string message = "the content is of no format that can be imported";
    if (nearest.format == nullptr) {
        message += ", and nothing in it is of one";
    } else if (nearest.missing.empty()) {
        message += fmt::format("; nearest is {}, but {} stand elsewhere in it", nearest.format->name,
                               fmt::join(nearest.found, ", "));
    } else {
        message += fmt::format("; nearest is {}: {} is there, {} is not", nearest.format->name,
                               fmt::join(nearest.found, ", "), fmt::join(nearest.missing, ", "));
    }
    message += fmt::format("; looked for {}", fmt::join(names, ", "));
    return {.code = ErrorCode::kParseError, .message = std::move(message), .where = std::string(source)};
}

}  // namespace heapwright::imports
