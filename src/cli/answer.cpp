#include "heapwright/cli/answer.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <string_view>

#include "heapwright/cli/output.hpp"
#include "heapwright/core/printable.hpp"
#include "heapwright/core/shell_argument.hpp"

namespace heapwright::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

bool characters_are_utf8() {
#ifdef _WIN32
    return true;  // StandardStreams sees to it
#else
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (value.empty()) continue;
        const std::string lower = CLI::detail::to_lower(std::string(value));
        return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
    }
    return false;
#endif
}

constexpr const char* kAuto = "auto";
constexpr const char* kAlways = "always";
constexpr const char* kNever = "never";

}  // namespace

void add_answer_options(CLI::App& command, OutputOptions& options) {
    CLI::Option* json = command.add_flag("--json", options.json, "The document (default where nobody looks)");
    command.add_flag("--text", options.text, "Words for people (default on a terminal)")->excludes(json);
    command.add_flag("-v,--verbose", options.verbose, "All the words, not one screen of them");
    command.add_option("--colour,--color", options.colour, "auto, always or never; NO_COLOR is never")
        ->check(CLI::IsMember({kAuto, kAlways, kNever}))
        ->default_str(kAuto);
}

render::ScreenStyle screen_style(const OutputOptions& options) {
    const bool terminal = standard_output_is_terminal();
    const bool plain = !environment("NO_COLOR").empty() || environment("TERM") == "dumb";
    return {.colour = options.colour == kAlways || (options.colour != kNever && terminal && !plain),
            .symbols = terminal && characters_are_utf8()};
}

bool wants_words(const OutputOptions& options) {
    if (options.json || options.file == "-") return false;
    return options.text || options.verbose || standard_output_is_terminal();
}

std::string next_command(std::string_view before, std::string_view after, const OutputOptions& options) {
    if (options.file.empty() || options.text) return "-o FILE keeps the document, --json prints it";
    return std::string(before) + shell_argument(options.file) + std::string(after);
}

std::string words_of(const Answer& answer, const OutputOptions& options) {
    return options.verbose ? printable_lines(answer.all()) : answer.screen(screen_style(options));
}

Status give(const Answer& answer, const OutputOptions& options) {
    const bool has_file = !options.file.empty() && options.file != "-";
    if (has_file && options.text) return write_output(words_of(answer, options), options.file);
    if (has_file) {
        HEAPWRIGHT_TRY(write_output(answer.document(), options.file));
        // The document is kept; words that nobody can take are no failure.
        if (!options.quiet && !options.json) static_cast<void>(write_output(words_of(answer, options), ""));
        return {};
    }
    return write_output(wants_words(options) ? words_of(answer, options) : answer.document(), "");
}

}  // namespace heapwright::cli
