// What a command answers, in words or as its document, and where either goes:
//   -o FILE   the document goes to FILE, the words to standard output (none with -q)
//   --json    the document goes to standard output, or to FILE alone
//   --text    the words go to standard output, or to FILE
//   nothing   a terminal gets the words, a pipe or a file the document
// The words fit one screen; -v has all of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heapwright/cli/options.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/render/glance.hpp"

namespace heapwright::cli {

struct Answer {
    std::function<std::string()> document;
    std::function<std::string(const render::ScreenStyle&)> screen;
    std::function<std::string()> all;  // for -v
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
