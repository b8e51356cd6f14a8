// What starting a process takes on Linux: descriptors, pipes, an environment. For the POSIX sources of this folder
// alone. Thread-safe.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapwright/core/result.hpp"

namespace heapwright::isolate::detail {

inline constexpr int kPollMs = 50;
inline constexpr std::size_t kPieceBytes = 1 << 16;
// More pieces than a pipe holds: what a process left there is read, and one that lives on outside of the group cannot
// make the reading endless.
inline constexpr int kLastPieces = 16;

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    void reset() {
        if (value_ >= 0) close(value_);
        value_ = -1;
    }
    [[nodiscard]] int get() const { return value_; }
    [[nodiscard]] bool open() const { return value_ >= 0; }

private:
    int value_ = -1;
};

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

// Of a forked process, which leads a group of its own from here on: it gets this signal when its parent ends, however
// that ends. Async-signal-safe. The parent may be gone already; then the process ends here.
inline void end_with_parent(pid_t parent, int signal_number) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, signal_number);
    if (getppid() != parent) _exit(127);
}

// Whether a child came to its end. It stays a zombie, so that its group's number is not given away.
[[nodiscard]] inline bool has_ended(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

// Which limit of this process, or what part of the system, stands behind an errno of a process that did not start:
// "; the limit of open files is 32 (ulimit -n)". Empty where neither does. `call` as StartFailure and start_error()
// name it.
[[nodiscard]] inline std::string cause_of(int reason, std::string_view call) {
    const auto limit = [](auto resource, const char* what, const char* command) {
        rlimit value{};
        if (getrlimit(resource, &value) != 0 || value.rlim_cur == RLIM_INFINITY) return std::string();
        return std::string("; the limit of ") + what + " is " + std::to_string(value.rlim_cur) + " (" + command + ")";
    };
    if (reason == EMFILE) return limit(RLIMIT_NOFILE, "open files", "ulimit -n");
    if (reason == EAGAIN && call == "fork") return limit(RLIMIT_NPROC, "processes", "ulimit -u");
    if (reason == ENOMEM) return limit(RLIMIT_AS, "address space in bytes", "ulimit -v");
    if (reason == ENOENT && call == "execve") return "; /proc must be mounted, its self/exe is this program";
    return {};
}

// The cause is this process or its system, never the driver, which has not been loaded by then.
[[nodiscard]] inline tl::unexpected<Error> start_error(const char* call, int reason = errno) {
    return fail(ErrorCode::kIoError,
                std::string("no process could be started: ") + std::strerror(reason) + cause_of(reason, call), call);
}

[[nodiscard]] inline Result<Pipe> make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return start_error("pipe2");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// What kept a forked process from becoming the program that it should be.
struct StartFailure {
    int code = 0;  // errno; 0: it became that program
    char call[12] = {};
};

// In the forked process: tells the parent over a pipe that exec closes, and ends. Async-signal-safe.
[[noreturn]] inline void tell_and_end(int pipe, const char* call) {
    StartFailure failure{.code = errno, .call = {}};
    for (std::size_t i = 0; i + 1 < sizeof failure.call && call[i] != 0; ++i) failure.call[i] = call[i];
    [[maybe_unused]] const ssize_t told = write(pipe, &failure, sizeof failure);
    _exit(127);
}

// In the parent, which has closed its own copy of the writing end: waits for exec, or for what was told instead.
[[nodiscard]] inline StartFailure heard_from_start(const Descriptor& pipe) {
    StartFailure failure;
    ssize_t count = 0;
    do count = read(pipe.get(), &failure, sizeof failure);
    while (count < 0 && errno == EINTR);
    return count == static_cast<ssize_t>(sizeof failure) ? failure : StartFailure{};
}

// This process's environment with the changes; one without a value is taken away.
[[nodiscard]] inline std::vector<std::string> changed_environment(
    const std::vector<std::pair<std::string, std::optional<std::string>>>& changes) {
    std::vector<std::string> result;
    const auto changed = [&](std::string_view entry) {
        return std::any_of(changes.begin(), changes.end(), [&](const auto& pair) {
            return entry.starts_with(pair.first) && entry.substr(pair.first.size()).starts_with('=');
        });
    };
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (!changed(*entry)) result.emplace_back(*entry);
    }
    for (const auto& [name, value] : changes) {
        if (value) result.push_back(name + "=" + *value);
    }
    return result;
}

// As execve() takes them; they point into `texts`.
[[nodiscard]] inline std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace heapwright::isolate::detail
