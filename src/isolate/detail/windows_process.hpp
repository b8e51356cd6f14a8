// Starts a program on Windows, this one or another, with exactly the handles that are named, in a job that ends with
// this process: a parent that dies leaves no child behind. Includes windows.h: for the Windows sources of this folder
// alone. Thread-safety: may be called from several threads at once; no child inherits another's handles.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <windows.h>

#include "heapwright/core/result.hpp"
#include "isolate/detail/mailbox.hpp"

namespace heapwright::isolate::detail {

class Handle {
public:
    Handle() = default;
    explicit Handle(HANDLE value) : value_(value == INVALID_HANDLE_VALUE ? nullptr : value) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    void reset() {
        if (value_ != nullptr) CloseHandle(value_);
        value_ = nullptr;
    }
    [[nodiscard]] HANDLE get() const { return value_; }
    [[nodiscard]] bool open() const { return value_ != nullptr; }

private:
    HANDLE value_ = nullptr;
};

// GetLastError() of a call without which no process starts.
[[nodiscard]] tl::unexpected<Error> system_error(const char* call);

struct Pipe {
    Handle read_end;
    Handle write_end;
};

[[nodiscard]] Result<Pipe> make_pipe();

// Puts what comes through the pipe into the mailbox until it closes. Windows pipes cannot be waited for together, so
// each has a thread of its own for this; the thread that takes from the mailbox alone sees what they bring.
void read_into(Mailbox& mailbox, std::size_t source, HANDLE pipe);

struct StartRequest {
    std::string program = {};                   // UTF-8, looked for as CreateProcess does; empty: this program
    const std::vector<std::string>& arguments;  // after the program's name, UTF-8
    // In place of what this process has; without a value the variable is taken away.
    const std::vector<std::pair<std::string, std::optional<std::string>>>& environment;
    HANDLE output;                       // its standard output
    HANDLE errors;                       // its standard error
    std::vector<HANDLE> inherited = {};  // the same values there as here
};

struct StartedProcess {
    Handle process;
    Handle job;

    // Ends the process and all that it started, those that still run.
    void end_all() const;
};

// Whether it is what an exception, not the program itself, ends a process with: a code of severity "error".
[[nodiscard]] bool is_exception(DWORD exit_code);

// Errors: kIoError with the call that failed.
[[nodiscard]] Result<StartedProcess> start_program(const StartRequest& request);

}  // namespace heapwright::isolate::detail
