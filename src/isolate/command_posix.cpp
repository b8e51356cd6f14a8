#include "isolate/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "core/system.hpp"
#include "isolate/detail/frames.hpp"
#include "isolate/detail/posix_process.hpp"

namespace heapwright::isolate {
namespace {

using detail::Descriptor;
using detail::Pipe;

// A shell's search: a name with a slash is a path, any other is looked for in PATH's folders.
Result<std::string> program_file(const std::string& program) {
    if (program.empty()) return "/proc/self/exe";
    if (program.find('/') != std::string::npos) return program;
    const std::string folders = environment_variable("PATH").value_or("/usr/bin:/bin");
    for (std::size_t start = 0; start <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', start), folders.size());
        const std::string file = (end == start ? "." : folders.substr(start, end - start)) + "/" + program;
        if (access(file.c_str(), X_OK) == 0) return file;
        start = end + 1;
    }
    return fail(ErrorCode::kIoError, "cannot be started: no folder of PATH has it", program);
}

struct Ends {
    int output;
    int diagnostics;
    int failure;  // closed by exec; else it brings a StartFailure
};

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_command(pid_t parent, const Ends& ends, const char* file, char* const* arguments,
                                 char* const* environment) {
    detail::end_with_parent(parent, SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    const int null_device = open("/dev/null", O_RDONLY);
    if (null_device < 0) detail::tell_and_end(ends.failure, "open");
    if (dup2(null_device, STDIN_FILENO) < 0 || dup2(ends.output, STDOUT_FILENO) < 0 ||
        dup2(ends.diagnostics, STDERR_FILENO) < 0) {
        detail::tell_and_end(ends.failure, "dup2");
    }
    execve(file, arguments, environment);
    detail::tell_and_end(ends.failure, "exec");
}

class Listener {
public:
    Listener(Descriptor output, Descriptor diagnostics, std::uint64_t max_output_bytes, CommandOutcome& outcome)
        : output_(std::move(output)),
          diagnostics_(std::move(diagnostics)),
          max_output_bytes_(max_output_bytes),
          outcome_(outcome) {}

    // Takes one piece from each pipe that has some. Returns whether any had.
    bool listen(int wait_ms) {
        pollfd entries[2] = {{output_.get(), POLLIN, 0}, {diagnostics_.get(), POLLIN, 0}};
        if (poll(entries, 2, wait_ms) <= 0) return false;
        if (entries[0].revents != 0) {
            take(output_, [this](const char* bytes, std::size_t count) { keep(bytes, count); });
        }
        if (entries[1].revents != 0) {
            take(diagnostics_, [this](const char* bytes, std::size_t count) {
                detail::keep_tail(outcome_.diagnostics, bytes, count);
            });
        }
        return true;
    }

private:
    template <class Keep>
    void take(Descriptor& pipe, Keep&& keep) {
        const ssize_t count = read(pipe.get(), buffer_.data(), buffer_.size());
        if (count > 0) keep(buffer_.data(), static_cast<std::size_t>(count));
        if (count == 0) pipe.reset();
    }

    void keep(const char* bytes, std::size_t count) {
        const std::uint64_t left = max_output_bytes_ - outcome_.output.size();
        outcome_.output.append(bytes, static_cast<std::size_t>(std::min<std::uint64_t>(count, left)));
        outcome_.output_cut = outcome_.output_cut || count > left;
    }

    Descriptor output_;
    Descriptor diagnostics_;
    std::uint64_t max_output_bytes_;
    CommandOutcome& outcome_;
    std::array<char, detail::kPieceBytes> buffer_;
};

// Listens until the program ended or its time is over. Returns whether it is.
bool serve_command(pid_t program, Listener& listener, std::uint64_t timeout_ns) {
    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    bool passed_on = false;
    for (;;) {
        const std::uint64_t elapsed_ns = clock.now_ns() - start_ns;
        if (detail::has_ended(program)) return false;
        if (elapsed_ns >= timeout_ns) return true;
        if (interrupted() && !std::exchange(passed_on, true)) {
            kill(program, SIGINT);
            timeout_ns = elapsed_ns + std::min(timeout_ns - elapsed_ns, kCommandGraceNs);
        }
        listener.listen(detail::kPollMs);
    }
}

}  // namespace

Result<CommandOutcome> run_command(const CommandRequest& request) {
    HEAPWRIGHT_ASSIGN(const std::string file, program_file(request.program));
    HEAPWRIGHT_ASSIGN(Pipe output, detail::make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe diagnostics, detail::make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe failure, detail::make_pipe());
    std::vector<std::string> argument_texts{request.program.empty() ? "heapwright" : request.program};
    argument_texts.insert(argument_texts.end(), request.arguments.begin(), request.arguments.end());
    std::vector<std::string> environment_texts = detail::changed_environment(request.environment);
    const std::vector<char*> arguments = detail::pointers(argument_texts);
    const std::vector<char*> environment = detail::pointers(environment_texts);

    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    const pid_t parent = getpid();
    const pid_t program = fork();
    if (program < 0) return detail::start_error("fork");
    if (program == 0) {
        become_command(parent, {output.write_end.get(), diagnostics.write_end.get(), failure.write_end.get()},
                       file.c_str(), arguments.data(), environment.data());
    }
    setpgid(program, program);  // whichever of the two comes first
    output.write_end.reset();
    diagnostics.write_end.reset();
    failure.write_end.reset();

    int status = 0;
    if (const detail::StartFailure told = detail::heard_from_start(failure.read_end); told.code != 0) {
        waitpid(program, &status, 0);
        return fail(
            ErrorCode::kIoError,
            std::string("cannot be started: ") + std::strerror(told.code) + detail::cause_of(told.code, told.call),
            request.program.empty() ? "heapwright" : request.program);
    }
    CommandOutcome outcome;
    Listener listener(std::move(output.read_end), std::move(diagnostics.read_end), request.max_output_bytes, outcome);
    const bool timed_out = serve_command(program, listener, request.timeout_ns);
    kill(-program, SIGKILL);
    // What the program wrote lies in the pipes, whoever else may hold them open.
    for (int piece = 0; piece < detail::kLastPieces && listener.listen(0); ++piece) {
    }
    while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.elapsed_ns = clock.now_ns() - start_ns;
    if (timed_out) {
        outcome.end = ChildEnd::kTimedOut;
    } else if (WIFSIGNALED(status)) {
        outcome.end = ChildEnd::kSignalled;
        outcome.code = WTERMSIG(status);
    } else {
        outcome.code = WEXITSTATUS(status);
    }
    return outcome;
}

}  // namespace heapwright::isolate
