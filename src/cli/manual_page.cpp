#include "heapwright/cli/manual_page.hpp"

#include <fmt/format.h>

namespace heapwright::cli {
namespace {

// Text that roff takes as it is: no escape, no request at a line's start, dashes that stay dashes.
std::string safe(std::string_view text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) out += "\\&";
        switch (c) {
            case '\\': out += "\\e"; break;
            case '-': out += "\\-"; break;
            default: out += c;
        }
        at_start = c == '\n';
    }
    return out;
}

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", safe(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", safe(text));
}

std::string option_text(const OptionEntry& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.short_names) names.push_back(bold("-" + name));
    for (const std::string& name : option.long_names) names.push_back(bold("--" + name));
    std::string text = fmt::format(".TP\n{}", joined(names, ", "));
    if (!option.value_name.empty()) text += fmt::format(" {}", italic(option.value_name));
    text += fmt::format("\n{}", safe(option.description));
    if (!option.choices.empty() && option.description.find(option.choices.front()) == std::string::npos) {
        text += fmt::format("\n{}", safe(fmt::format("One of {}.", joined(option.choices, ", "))));
    }
    if (!option.by_default.empty()) text += fmt::format("\n{}", safe(fmt::format("Default: {}.", option.by_default)));
    return text + "\n";
}

std::string argument_text(const OptionEntry& argument) {
    std::string name = italic(argument.value_name);
    if (argument.repeatable) name += " ...";
    return argument.required ? name : fmt::format("[{}]", name);
}

std::string command_text(const CommandEntry& command) {
    std::string text = fmt::format(".SS {}\n.B heapwright {}\n", safe(command.name), safe(command.name));
    if (!command.options.empty()) text += "[\\fIoption\\fR ...]\n";
    for (const OptionEntry& argument : command.arguments) text += argument_text(argument) + "\n";
    if (!command.commands.empty()) text += fmt::format("{}\n", italic(joined(command.commands, "|")));
    text += fmt::format(".PP\n{}.\n", safe(command.description));
    for (const OptionEntry& argument : command.arguments) {
        text += fmt::format(".TP\n{}\n{}\n", italic(argument.value_name), safe(argument.description));
    }
    for (const OptionEntry& option : command.options) text += option_text(option);
    return text;
}

constexpr std::string_view kFiles = R"(.SH FILES
Documents are JSON; the schema of each is printed by
.BR "heapwright schema" .
A report says what a driver answered, a policy what to do about it, a validation what came of doing so.
.SH EXAMPLES
Probe every device, compute a policy and prove it, all at once:
.PP
.RS
.nf
heapwright run \-o results
.fi
.RE
.PP
Step by step, for one device:
.PP
.RS
.nf
heapwright probe \-d 0 \-o report.json
heapwright advise report.json \-o policy.json
heapwright validate policy.json
heapwright export policy.json \-\-target vma \-o heapwright_policy.h
.fi
.RE
.SH SEE ALSO
.BR vulkaninfo (1)
)";

}  // namespace

std::string manual_page(const ProgramEntry& program, std::string_view version, std::string_view date) {
    std::string text = ".\\\" Written from the program's own options.\n";
    text += fmt::format(".TH HEAPWRIGHT 1 {} \"heapwright {}\" \"User Commands\"\n", date, safe(version));
    text += ".SH NAME\nheapwright \\- GPU capability probe and allocation\\-policy advisor\n";
    text += ".SH SYNOPSIS\n.B heapwright\n\\fIcommand\\fR\n[\\fIoption\\fR ...]\n[\\fIfile\\fR ...]\n";
    text += fmt::format(".SH DESCRIPTION\n{}\n", safe(program.description));
    text += ".SH OPTIONS\n";
    for (const OptionEntry& option : program.options) text += option_text(option);
    text += ".SH COMMANDS\n";
    for (const CommandEntry& command : program.commands) text += command_text(command);
    text += ".SH EXIT STATUS AND ENVIRONMENT\n";
    for (std::size_t start = 0; start < program.footer.size();) {
        const std::size_t end = program.footer.find('\n', start);
        const std::size_t length = end == std::string::npos ? std::string::npos : end - start;
        if (start != 0) text += ".PP\n";
        text += safe(program.footer.substr(start, length)) + "\n";
        start = end == std::string::npos ? program.footer.size() : end + 1;
    }
    return text + std::string(kFiles);
}

}  // namespace heapwright::cli
