// A policy for people: every value with its reason, as Markdown tables.
#include <fmt/format.h>

#include <array>

#include "export/target.hpp"
#include "heapwright/model/claim_text.hpp"

namespace heapwright::exporting::markdown {
namespace {

constexpr Setting kValue{
    .key = "every policy value", .unit = "as its name says", .source = "the value of that name", .by_default = "none"};
constexpr std::array kSettings{kValue};

// One line of a table's cell: what Markdown and HTML would read as theirs stays text.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            case '|':
            case '*':
            case '_':
            case '`':
            case '[':
            case ']':
            case '#':
            case '\\':
                out += '\\';
                out += c;
                break;
            default: out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
        }
    }
    return out;
}

std::string write(const Target& target, Sheet& sheet) {
    const model::DevicePolicy& device = sheet.device();
    std::string rows;
    for (const PolicyValue& value : policy_values(sheet.policy(), sheet.device_index())) {
        sheet.set_text(kValue, value.text, {value.path});
        rows += fmt::format("| {} | {} | {} |\n", cell(name_of(value)), cell(value.shown), cell(value.reason));
    }
    std::string text = fmt::format("# Allocation policy for {}\n\n", cell(device.identity.name));
    text += "| | |\n|---|---|\n";
    text += fmt::format("| Driver | {} {} |\n", cell(device.identity.driver_name), cell(device.identity.driver_info));
    text += fmt::format("| API | {} {} |\n", device.identity.api == model::Api::kVulkan ? "Vulkan" : "Direct3D 12",
                        cell(device.identity.api_version));
    text += fmt::format("| Workload | {} |\n", cell(sheet.policy().workload_name));
    for (const std::string& line : head_of(target, sheet)) text += fmt::format("| Export | {} |\n", cell(line));
    text += "\n## Values\n\n| Value | | Why |\n|---|---|---|\n" + rows;
    text += "\n## Clamped, rounded, not expressible\n\nNothing: Markdown holds every value as it is.\n";
    const bool is_short = device.capacity && !device.capacity->fits;
    if (is_short || !device.warnings.empty()) text += "\n## Warnings\n\n";
    if (is_short) text += fmt::format("- {}\n", cell(model::statement_of(*device.capacity)));
    for (const model::Claim& warning : device.warnings.claims())
        text += fmt::format("- {}\n", cell(model::text_of(warning)));
    return text;
}

}  // namespace

extern const Target kTarget{.summary = {.name = "markdown",
                                        .title = "Markdown",
                                        .form = "Markdown",
                                        .ending = ".md",
                                        .checked_against = "CommonMark 0.30 with tables",
                                        .api = {}},
                            .settings = kSettings,
                            .write = write};

}  // namespace heapwright::exporting::markdown
