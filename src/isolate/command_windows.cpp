#include "isolate/command.hpp"

#include <algorithm>
#include <thread>

#include <windows.h>

#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "isolate/detail/frames.hpp"
#include "isolate/detail/mailbox.hpp"
#include "isolate/detail/windows_process.hpp"

namespace heapwright::isolate {
namespace {

using detail::Mailbox;
using detail::Pipe;

constexpr std::uint64_t kPieceWaitNs = 50'000'000;

enum CommandSource : std::size_t { kOutput, kErrors };

void keep(const Mailbox::Piece& piece, std::uint64_t max_output_bytes, CommandOutcome& outcome) {
    if (piece.source == kErrors) {
        detail::keep_tail(outcome.diagnostics, piece.bytes.data(), piece.bytes.size());
        return;
    }
    const std::uint64_t left = max_output_bytes - outcome.output.size();
    outcome.output += piece.bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left, SIZE_MAX)));
    outcome.output_cut = outcome.output_cut || piece.bytes.size() > left;
}

// Listens until the program ended or its time is over. Returns whether it is.
bool serve_command(HANDLE process, Mailbox& mailbox, const CommandRequest& request, CommandOutcome& outcome) {
    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    std::uint64_t timeout_ns = request.timeout_ns;
    bool told = false;
    for (;;) {
        const std::uint64_t elapsed_ns = clock.now_ns() - start_ns;
        if (WaitForSingleObject(process, 0) == WAIT_OBJECT_0) return false;
        if (elapsed_ns >= timeout_ns) return true;
        // Windows itself gives Ctrl+C to the program as well.
        if (interrupted() && !std::exchange(told, true)) {
            timeout_ns = elapsed_ns + std::min(timeout_ns - elapsed_ns, kCommandGraceNs);
        }
        if (mailbox.finished()) {
            WaitForSingleObject(process, static_cast<DWORD>(kPieceWaitNs / 1'000'000));
        } else if (const auto piece = mailbox.take(kPieceWaitNs)) {
            keep(*piece, request.max_output_bytes, outcome);
        }
    }
}

}  // namespace

Result<CommandOutcome> run_command(const CommandRequest& request) {
    HEAPWRIGHT_ASSIGN(Pipe output, detail::make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe errors, detail::make_pipe());
    SteadyClock clock;
    const std::uint64_t start_ns = clock.now_ns();
    auto started = detail::start_program({.program = request.program,
                                          .arguments = request.arguments,
                                          .environment = request.environment,
                                          .output = output.write_end.get(),
                                          .errors = errors.write_end.get()});
    if (!started) {
        if (!request.program.empty()) started.error().where = request.program;
        return fail(started.error());
    }
    output.write_end.reset();
    errors.write_end.reset();

    CommandOutcome outcome;
    Mailbox mailbox(2);
    bool timed_out = false;
    {
        std::jthread output_reader([&] { detail::read_into(mailbox, kOutput, output.read_end.get()); });
        std::jthread error_reader([&] { detail::read_into(mailbox, kErrors, errors.read_end.get()); });
        timed_out = serve_command(started->process.get(), mailbox, request, outcome);
        // Ends whatever the program started too, and with it the pipes and the threads.
        started->end_all();
        while (!mailbox.finished()) {
            if (const auto piece = mailbox.take(kPieceWaitNs)) keep(*piece, request.max_output_bytes, outcome);
        }
    }
    WaitForSingleObject(started->process.get(), INFINITE);
    outcome.elapsed_ns = clock.now_ns() - start_ns;
    DWORD exit_code = 0;
    GetExitCodeProcess(started->process.get(), &exit_code);
    if (timed_out) {
        outcome.end = ChildEnd::kTimedOut;
    } else {
        outcome.end = detail::is_exception(exit_code) ? ChildEnd::kSignalled : ChildEnd::kExited;
        outcome.code = static_cast<int>(exit_code);
    }
    return outcome;
}

}  // namespace heapwright::isolate
