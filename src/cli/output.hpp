// Where a command's result and its messages go: documents to standard output or a file, everything else to standard
// error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "render/overview.hpp"

namespace heapwright::cli {

// Standard output and error as UTF-8 text whose line ends stay as they are, while this lives; elsewhere than on Windows
// they are that already. Descriptors that were closed are held, so that no file takes their place.
class StandardStreams {
public:
    StandardStreams();
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

private:
    [[maybe_unused]] unsigned console_code_page_ = 0;
};

// A file is written whole or not at all. "-" and "" are standard output; a reader who closed that pipe, as head does,
// has what it wanted, which is no error. One that is full or closed is.
[[nodiscard]] Status write_output(std::string_view bytes, const std::string& file);

[[nodiscard]] bool standard_output_is_terminal();

// A text of lines for people: what names of drivers and files hold in it is made harmless (core/text.hpp).
[[nodiscard]] Status write_text(std::string_view text, const std::string& file);

// As it is, on standard error.
void print_usage_error(std::string_view text);

// "heapwright: ..." on standard error, in one line whatever is in the error, and so is a note.
void print_error(const Error& error);
void print_note(std::string_view text, const OutputOptions& output);

// A note of several lines.
void print_summary(std::string_view text, const OutputOptions& output);
// The same of lines that are harmless already, and may have colours.
void print_words(std::string_view harmless, const OutputOptions& output);

// Prints the error and gives its exit code.
[[nodiscard]] ExitCode report_error(const Error& error);

// One line with the share that is done and the time that is left, rewritten in place, on standard error, when that is a
// terminal and --quiet is not given.
class Progress {
public:
    explicit Progress(const OutputOptions& output);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::string_view stage, double share);

private:
    bool enabled_;
    bool shown_ = false;
    std::string stage_;
    std::uint64_t begun_ns_ = 0;  // the stage
    std::uint64_t drawn_ns_ = 0;
};

// What a command answers, in words or as its document, and where either goes:
//   -o FILE   the document goes to FILE, the words to standard output (none with -q)
//   --json    the document goes to standard output, or to FILE alone
//   --text    the words go to standard output, or to FILE
//   nothing   a terminal gets the words, a pipe or a file the document
// The words fit one screen; -v has all of them.

struct Answer {
    std::function<std::string()> document;
    std::function<std::string(const render::ScreenStyle&)> screen;  // harmless: render's screens see to it
    std::function<std::string()> all;                               // for -v
};

// Adds --json, --text, -v and --colour.
void add_answer_options(CLI::App& command, OutputOptions& options);

// Only what is printed or written is made.
[[nodiscard]] Status give(const Answer& answer, const OutputOptions& options);

// The words alone, as give() would print them.
[[nodiscard]] std::string words_of(const Answer& answer, const OutputOptions& options);

// The command that comes after this one, with the file that this one wrote; else how to keep the document.
[[nodiscard]] std::string next_command(std::string_view before, std::string_view after, const OutputOptions& options);

// Whether standard output gets words rather than the document, when no -o is given.
[[nodiscard]] bool wants_words(const OutputOptions& options);

// What standard output can show: colour on a terminal that is not dumb, unless NO_COLOR or --colour says otherwise;
// symbols where its characters are UTF-8.
[[nodiscard]] render::ScreenStyle screen_style(const OutputOptions& options);

}  // namespace heapwright::cli
