#include "heapwright/cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "heapwright/core/file.hpp"
#include "heapwright/core/printable.hpp"

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

// Of standard output, when it is a pipe.
bool reader_is_gone = false;

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
        reader_is_gone = errno == EPIPE;
        return fail(ErrorCode::kIoError, std::string("cannot be written: ") + std::strerror(errno), "standard output");
    }
    return {};
}

Status write_text(std::string_view text, const std::string& file) {
    return write_output(printable_lines(text), file);
}

void print_error(const Error& error) {
    say(fmt::format("heapwright: {}\n", printable(to_string(error))));
}

void print_note(std::string_view text, const OutputOptions& output) {
    if (!output.quiet) say(fmt::format("{}\n", printable(text)));
}

void print_summary(std::string_view text, const OutputOptions& output) {
    if (!output.quiet) say(fmt::format("{}\n", printable_lines(text)));
}

ExitCode report_error(const Error& error) {
    // Whoever closed the pipe, as head does, has what it wanted and needs no message.
    if (!reader_is_gone) print_error(error);
    return exit_code_of(error.code);
}

Progress::Progress(const OutputOptions& output) : enabled_(!output.quiet && standard_error_is_terminal()) {}

Progress::~Progress() {
    if (shown_) say("\r\x1b[K");
}

void Progress::show(std::string_view stage, double share) {
    if (!enabled_) return;
    shown_ = true;
    say(fmt::format("\r\x1b[K{:3.0f}% {}", share * 100.0, printable(stage)));
}

}  // namespace heapwright::cli
