#include "import/foreign.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace heapwright::imports {
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
