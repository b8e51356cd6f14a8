#include "cli/output.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/clock.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace heapwright::cli {
namespace {

bool standard_error_is_terminal() {
#ifdef _WIN32
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace

bool standard_output_is_terminal() {
#ifdef _WIN32
    return _isatty(_fileno(stdout)) != 0;
#else
    return isatty(STDOUT_FILENO) != 0;
#endif
}

namespace {

// Messages are for whoever listens: a standard error that is full, closed or broken ends no command.
void say(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

#ifndef _WIN32
// A file that is opened later must not become standard output or error, nor what a driver prints go into it. A closed
// one stays one that nothing can be written to.
void hold_standard_descriptors() {
    for (int descriptor = open("/dev/null", O_RDONLY); descriptor >= 0; descriptor = open("/dev/null", O_RDONLY)) {
        if (descriptor <= STDERR_FILENO) continue;
        close(descriptor);
        return;
    }
}
#endif

}  // namespace

#ifdef _WIN32
StandardStreams::StandardStreams() : console_code_page_(GetConsoleOutputCP()) {
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

StandardStreams::~StandardStreams() {
    if (console_code_page_ != 0) SetConsoleOutputCP(console_code_page_);
}
#else
StandardStreams::StandardStreams() {
    hold_standard_descriptors();
}
StandardStreams::~StandardStreams() = default;
#endif

Status write_output(std::string_view bytes, const std::string& file) {
    if (!file.empty() && file != "-") return write_file_atomically(file, bytes);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
        // Whether head leaves before or after the last byte is chance, and the exit code must not be.
        if (errno == EPIPE) return {};
        return fail(ErrorCode::kIoError, std::string("cannot be written: ") + std::strerror(errno), "standard output");
    }
    return {};
}

Status write_text(std::string_view text, const std::string& file) {
    return write_output(printable_lines(text), file);
}

void print_usage_error(std::string_view text) {
    say(text);
}

void print_error(const Error& error) {
    say(fmt::format("heapwright: {}\n", printable(to_string(error))));
}

void print_note(std::string_view text, const OutputOptions& output) {
    if (!output.quiet) say(fmt::format("{}\n", printable(text)));
}

void print_summary(std::string_view text, const OutputOptions& output) {
    print_words(printable_lines(text), output);
}

void print_words(std::string_view harmless, const OutputOptions& output) {
    if (!output.quiet) say(fmt::format("{}\n", harmless));
}

ExitCode report_error(const Error& error) {
    print_error(error);
    return exit_code_of(error.code);
}

Progress::Progress(const OutputOptions& output) : enabled_(!output.quiet && standard_error_is_terminal()) {}

Progress::~Progress() {
    if (shown_) say("\r\x1b[K");
}

void Progress::show(std::string_view stage, double share) {
    if (!enabled_) return;
    const std::uint64_t now_ns = SteadyClock().now_ns();
    constexpr std::uint64_t kRedrawNs = 100'000'000;
    if (stage != stage_) {
        stage_ = stage;
        begun_ns_ = now_ns;
    } else if (now_ns - drawn_ns_ < kRedrawNs) {
        return;
    }
    drawn_ns_ = now_ns;
    shown_ = true;
    // Early shares and short rests tell little.
    constexpr double kLeastShare = 0.05;
    constexpr double kLeastS = 2;
    std::string left;
    if (share >= kLeastShare && share < 1) {
        const double left_s = static_cast<double>(now_ns - begun_ns_) / 1e9 * (1 - share) / share;
        if (left_s >= kLeastS) left = fmt::format(", about {:.0f} s left", std::ceil(left_s));
    }
    say(fmt::format("\r\x1b[K{:3.0f}% {}{}", share * 100.0, printable(stage), left));
}

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
