// Starts this program again on Windows, with exactly the handles that are named, in a job that ends with this process:
// a parent that dies leaves no worker behind. Includes windows.h: for the Windows sources of this folder alone.
// Thread-safety: may be called from several threads at once; no child inherits another's handles.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <windows.h>

#include "heapwright/core/result.hpp"

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

struct StartRequest {
    const std::vector<std::string>& arguments;                            // after the program's name, UTF-8
    const std::vector<std::pair<std::string, std::string>>& environment;  // beside this process's own
    HANDLE output;                                                        // its standard output and error
    std::vector<HANDLE> inherited;                                        // the same values there as here
};

struct StartedProcess {
    Handle process;
    Handle job;

    // Ends the process and all that it started, those that still run.
    void end_all() const;
};

// Errors: kIoError with the call that failed.
[[nodiscard]] Result<StartedProcess> start_this_program(const StartRequest& request);

}  // namespace heapwright::isolate::detail
