#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "export/target.hpp"
#include "heapwright/model/claim_text.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::exporting {
namespace {

void section(std::vector<std::string>& lines, std::string_view title, const std::vector<std::string>& entries,
             std::string_view when_empty) {
    lines.emplace_back();
    lines.push_back(fmt::format("{}:", title));
    for (const std::string& entry : entries) lines.push_back("  " + entry);
    if (entries.empty()) lines.push_back(fmt::format("  {}", when_empty));
}

}  // namespace

std::vector<std::string> setting_rows(std::span<const Setting> settings) {
    using Row = std::array<std::string, 6>;
    std::vector<Row> rows{{"setting", "unit", "range", "rounding", "default", "comes from"}};
    for (const Setting& setting : settings) {
        rows.push_back({std::string(setting.key), std::string(setting.unit.empty() ? "-" : setting.unit),
                        range_text(setting), rounding_text(setting), std::string(setting.by_default),
                        std::string(setting.source)});
    }
    std::array<std::size_t, 6> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::vector<std::string> lines;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) line += fmt::format("{:<{}} | ", row[i], widths[i]);
        lines.push_back(line + row.back());
    }
    return lines;
}

std::vector<std::string> head_of(const Target& target, const Sheet& sheet) {
    const model::DeviceIdentity& identity = sheet.device().identity;
    std::vector<std::string> lines{
        fmt::format("{}: written by heapwright {} from an allocation policy; change the policy, not this file",
                    target.summary.title, kVersion),
        fmt::format("Checked against {}", target.summary.checked_against),
        fmt::format("Device: {} ({:04x}:{:04x}), {} {}", identity.name, identity.vendor_id, identity.device_id,
                    identity.driver_name, identity.driver_info)};
    for (const model::Claim& assumed : sheet.device().assumed.claims())
        lines.push_back("Assumed, not measured: " + model::text_of(assumed));
    lines.push_back(fmt::format("Policy: workload {}, hash {}", sheet.policy().workload_name, sheet.policy_hash()));
    lines.push_back(
        fmt::format("{} clamped or rounded, {} not expressible here, {} left to the default: export --account FILE",
                    counted(sheet.changes().size(), "value"), counted(sheet.not_expressible().size(), "value"),
                    counted(sheet.left_out().size(), "setting")));
    return lines;
}

std::vector<std::string> account_of(const Target& target, const Sheet& sheet) {
    std::vector<std::string> lines = head_of(target, sheet);
    lines.pop_back();  // the sections below tell it
    section(lines, "Settings", setting_rows(target.settings), "none");
    section(lines, "Values", sheet.values(), "none: the policy has no value for any setting");
    section(lines, "Clamped or rounded", sheet.changes(), "nothing");
    section(lines, fmt::format("Not expressible in {}", target.summary.title), sheet.not_expressible(), "nothing");
    section(lines, "Left to the default, because the policy has no value for it", sheet.left_out(), "nothing");
    return lines;
}

std::string comment(const std::vector<std::string>& lines, std::string_view prefix) {
    std::string text;
    for (const std::string& line : lines) {
        std::string safe = line;
        for (char& c : safe) {
            // A backslash at a line's end would carry the comment on; a control character could end it.
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
            if (c == '\\') c = '/';
        }
        text += safe.empty() ? std::string(prefix) : fmt::format("{} {}", prefix, safe);
        text += '\n';
    }
    return text;
}

std::string cpp_file(const Target& target, const Sheet& sheet, std::string_view include, std::string_view body) {
    return fmt::format(
        "{}#pragma once\n\n#include <{}>\n\nnamespace heapwright_policy {{\n\n{}\n}}  // namespace heapwright_policy\n",
        comment(head_of(target, sheet), "//"), include, body);
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
    return out + '"';
}

std::string identifier(std::string_view text) {
    const bool needs_head = text.empty() || (text.front() >= '0' && text.front() <= '9');
    std::string name(needs_head ? 1 : 0, '_');
    for (const char c : text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += letter ? c : '_';
    }
    return name;
}

}  // namespace heapwright::exporting
