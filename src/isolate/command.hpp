// Runs another program, or this one by a command of its own, with a time limit, and keeps what it printed. In contrast
// to run_child(), the program knows nothing of its parent: what it prints and how it ends is all there is.
//
// It leads a process group (Windows: a job) of its own, and nothing of that group outlives the call. So neither a
// program that hangs nor one whose own children keep its pipes open holds up the caller. An interruption is passed on;
// a program that does not heed it is ended soon after.
// Thread-safety: run_command() may be called from several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/file.hpp"
#include "heapwright/core/result.hpp"
#include "isolate/child_process.hpp"

namespace heapwright::isolate {

// How long a program may take to end by itself once it was told of an interruption. heapwright itself may have to end
// a worker first.
inline constexpr std::uint64_t kCommandGraceNs = 2 * kInterruptGraceNs;

struct CommandRequest {
    std::string program;                 // a path, or a name that PATH is searched for; empty: this program
    std::vector<std::string> arguments;  // after the program's name
    // In place of what this process has; without a value the variable is taken away.
    std::vector<std::pair<std::string, std::optional<std::string>>> environment;
    std::uint64_t timeout_ns = ~0ull;
    std::uint64_t max_output_bytes = kMaxDocumentBytes;
};

struct CommandOutcome {
    ChildEnd end = ChildEnd::kExited;
    int code = 0;             // exit code, or signal number (Windows: exception code)
    std::string output;       // the first max_output_bytes of its standard output
    bool output_cut = false;  // it printed more
    std::string diagnostics;  // the last 64 KiB of its standard error
    std::uint64_t elapsed_ns = 0;
};

// Standard input is empty. Errors: kIoError when the program is missing or could not be started.
[[nodiscard]] Result<CommandOutcome> run_command(const CommandRequest& request);

}  // namespace heapwright::isolate
