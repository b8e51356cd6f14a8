#include <fmt/format.h>

#include <optional>

#include "import/detail/formats.hpp"
#include "import/detail/number_limits.hpp"
#include "import/detail/text_tree.hpp"
#include "import/number_text.hpp"
#include "import/parts.hpp"

namespace heapwright::imports::detail {
namespace {

constexpr std::string_view kName = "Device name";

bool heads_devices(const TextLine& line) {
    return line.value.empty() && (line.name == "Physical device info" || line.name == "Vulkan physical device info");
}

// The line above the devices, with what stands before it.
std::optional<std::string_view> heading_in(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const std::string_view content = trimmed(line.substr(quotation_of(line).size()));
        if (content == "Physical device info:" || content == "Vulkan physical device info:") return line;
    }
    return std::nullopt;
}

// "4202638 (1.2.142)": what stands before the parenthesis, and in it.
std::string_view outside(std::string_view value) {
    return trimmed(value.substr(0, value.find('(')));
}
std::string_view inside(std::string_view value) {
    const std::size_t open = value.find('(');
    const std::size_t close = value.find(')');
    return open < close && close != std::string_view::npos ? value.substr(open + 1, close - open - 1) : "";
}

// `lines` begins with the device's name.
model::DeviceReport device_of(TextLines lines) {
    model::DeviceReport device;
    device.identity.name = lines.front().value;
    add_absent_identity(device, {"type", "luid"});
    const auto number = [&](std::string_view name, std::string_view member, std::uint32_t& to) {
        const auto line = find_line(lines, name);
        const auto value = line ? parse_number(outside(lines[*line].value)) : std::nullopt;
        if (value && *value <= kMax32) {
            to = static_cast<std::uint32_t>(*value);
        } else if (line) {
            add_unreadable_value(device, fmt::format("/identity/{}", member),
                                 fmt::format("line {}", lines[*line].number));
        } else {
            add_absent_identity(device, {member});
        }
    };
    number("Device ID", "device_id", device.identity.device_id);
    number("Vendor ID", "vendor_id", device.identity.vendor_id);
    number("Driver version", "driver_version", device.identity.driver_version);
    if (const auto line = find_line(lines, "API version")) {
        device.identity.api_version = inside(lines[*line].value);
    }
    device.findings.push_back({.id = "no-memory-information",
                               .severity = model::FindingSeverity::kWarning,
                               .statement =
                                   "gfxreconstruct's info holds no memory heaps and no memory types; no policy "
                                   "can be computed from it",
                               .clause = {},
                               .evidence = {"/heaps", "/memory_types"}});
    return device;
}

}  // namespace

bool is_gfxrecon_info(std::string_view text) {
    return heading_in(text).has_value();
}

Result<std::vector<model::DeviceReport>> import_gfxrecon_info(std::string_view text, std::string_view source) {
    // gfxrecon-info prints some kilobytes; a line takes as much memory as many of its bytes.
    constexpr std::uint64_t kMostTextBytes = 1ull << 20;
    if (text.size() > kMostTextBytes) {
        return fail({.code = ErrorCode::kParseError,
                     .message = "larger than what gfxrecon-info prints",
                     .where = std::string(source),
                     .value = text.size(),
                     .limit = kMostTextBytes});
    }
    std::string unquoted;
    const std::string_view quotation = quotation_of(heading_in(text).value_or(""));
    const std::vector<TextLine> lines = read_lines(without_quotation(text, quotation, unquoted));
    std::vector<model::DeviceReport> devices;
    for (std::size_t heading = 0; heading < lines.size(); ++heading) {
        if (!heads_devices(lines[heading])) continue;
        TextLines listed = below(lines, heading);
        while (const auto first = find_line(listed, kName)) {
            listed = listed.subspan(*first);
            const std::size_t length = 1 + find_line(listed.subspan(1), kName).value_or(listed.size() - 1);
            if (!listed.front().value.empty()) devices.push_back(device_of(listed.subspan(0, length)));
            listed = listed.subspan(length);
        }
    }
    if (!devices.empty()) return devices;
    return fail(ErrorCode::kParseError, "gfxreconstruct's info of a capture that names no device", std::string(source));
}

}  // namespace heapwright::imports::detail
