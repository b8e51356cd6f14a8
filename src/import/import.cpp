#include "heapwright/import/import.hpp"

#include <fmt/format.h>

#include "heapwright/core/hash.hpp"
#include "heapwright/import/detail/d3d12info.hpp"
#include "heapwright/import/detail/devsim.hpp"
#include "heapwright/import/detail/gpuinfo.hpp"
#include "heapwright/import/detail/json_value.hpp"
#include "heapwright/import/detail/profiles.hpp"
#include "heapwright/import/detail/vulkaninfo.hpp"
#include "heapwright/import/parts.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::imports {
namespace {

using detail::JsonValue;
using model::detail::JsonTape;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view without_byte_order_mark(std::string_view text) {
    return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

bool looks_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

tl::unexpected<Error> unknown_format(std::string_view source) {
    return fail(
        ErrorCode::kParseError,
        "the content is of no format that can be imported: gpuinfo.org JSON (\"properties\" and "
        "\"environment\"), vulkaninfo text (\"GPU0\" headings) or JSON (\"VkPhysicalDeviceProperties\"), Vulkan "
        "Profiles JSON (\"profiles\" and \"capabilities\") or D3d12info JSON (\"Adapters\")",
        std::string(source));
}

Result<ImportFormat> detect_json_format(const JsonValue& root, std::string_view source) {
    const auto schema = root.find("$schema");
    if (schema && schema->text().value_or("").starts_with("urn:heapwright:")) {
        return schema->error("this is a document of heapwright already; it needs no import", ErrorCode::kParseError);
    }
    if (detail::is_d3d12info(root)) return ImportFormat::kD3d12info;
    if (detail::is_profiles(root)) return ImportFormat::kProfiles;
    if (detail::is_gpuinfo(root)) return ImportFormat::kGpuinfo;
    if (detail::is_devsim(root)) return ImportFormat::kDevsim;
    return unknown_format(source);
}

Result<std::vector<model::DeviceReport>> import_json(ImportFormat format, const JsonValue& root) {
    switch (format) {
        case ImportFormat::kProfiles: return detail::import_profiles(root);
        case ImportFormat::kD3d12info: return detail::import_d3d12info(root);
        default: break;
    }
    HEAPWRIGHT_ASSIGN(model::DeviceReport device,
                      format == ImportFormat::kDevsim ? detail::import_devsim(root) : detail::import_gpuinfo(root));
    std::vector<model::DeviceReport> devices;
    devices.push_back(std::move(device));
    return devices;
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
    }
    return "unknown";
}

Result<ImportFormat> detect_format(std::string_view text, std::string_view source) {
    const std::string_view content = without_byte_order_mark(text);
    if (looks_like_json(content)) {
        HEAPWRIGHT_ASSIGN(const JsonTape tape, JsonTape::parse(content, source));
        return detect_json_format(JsonValue(tape, source), source);
    }
    if (detail::is_vulkaninfo(content)) return ImportFormat::kVulkaninfo;
    return unknown_format(source);
}

Result<model::Report> import_report(std::string_view text, std::string_view source) {
    const std::string_view content = without_byte_order_mark(text);
    if (!looks_like_json(content)) {
        if (!detail::is_vulkaninfo(content)) return unknown_format(source);
        HEAPWRIGHT_ASSIGN(auto devices, detail::import_vulkaninfo(content, source));
        return finish(std::move(devices), ImportFormat::kVulkaninfo, text);
    }
    HEAPWRIGHT_ASSIGN(const JsonTape tape, JsonTape::parse(content, source));
    const JsonValue root(tape, source);
    HEAPWRIGHT_ASSIGN(const ImportFormat format, detect_json_format(root, source));
    HEAPWRIGHT_ASSIGN(auto devices, import_json(format, root));
    return finish(std::move(devices), format, text);
}

}  // namespace heapwright::imports
