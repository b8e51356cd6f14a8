// Runs this program again as a child that may crash or hang, and says how it ended.
//
//   parent                                   child ("heapwright worker")
//     request bytes  ------ pipe ---------->   WorkerChannel::read_request
//     FrameHandler   <----- pipe: frames ---   WorkerChannel::send
//     last_call      <----- shared page ----   leave_breadcrumb (core/breadcrumb.hpp)
//     diagnostics    <----- pipe: stderr ---   whatever the driver prints
//
// A child that ends, however it ends, loses nothing that it had sent. A signal that interrupts the parent is passed on;
// a child that does not heed it is ended soon after.
// Thread-safety: run_child() may be called from several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapwright/core/result.hpp"

namespace heapwright::isolate {

// How long a child that is told of an interruption may take to end by itself; a driver that hangs never heeds it.
inline constexpr std::uint64_t kInterruptGraceNs = 1'200'000'000;

struct ChildRequest {
    std::vector<std::string> arguments;                            // after the program's name
    std::vector<std::pair<std::string, std::string>> environment;  // set in the child alone
    std::string input;
    std::uint64_t timeout_ns = ~0ull;
    std::optional<char> next_turn = {};        // a frame of this kind starts timeout_ns anew: the next device's turn
    std::uint64_t stall_ns = ~0ull;            // the longest time without a frame and without another breadcrumb
    std::optional<char> stalls_after = {};     // counts from a frame of this kind to the next turn; empty: always
    std::uint64_t unload_ns = 20'000'000'000;  // from the end of its pipes to its own end
};

enum class ChildEnd : std::uint8_t { kExited, kSignalled, kTimedOut, kStalled };

struct ChildOutcome {
    ChildEnd end = ChildEnd::kExited;
    int code = 0;                // exit code, or signal number (Windows: exception code)
    std::uint64_t limit_ns = 0;  // of kTimedOut and kStalled: how long it may take, and did
    std::string last_call;       // the breadcrumb that the child left last
    std::string other_calls;     // the last calls of its other threads
    std::string last_step;       // and the step
    std::string diagnostics;     // the last 64 KiB of its standard output and error
};

// "SIGSEGV" for 11; "signal 77" for one without a name. Windows: "access violation" for 0xC0000005, "exception
// 0xC0001234" for one without a name.
[[nodiscard]] std::string signal_name(int signal_number);

// The name with its number: "SIGSEGV (signal 11)"; Windows: "access violation (exception 0xC0000005)".
[[nodiscard]] std::string signal_text(int signal_number);

// Called on the calling thread, in the order in which the child sent the frames.
using FrameHandler = std::function<void(char kind, std::string payload)>;

// Errors: kIoError when no child could be started.
[[nodiscard]] Result<ChildOutcome> run_child(const ChildRequest& request, const FrameHandler& on_frame);

// The child's end. Opening it redirects the breadcrumbs to the parent's page.
class WorkerChannel {
public:
    // Errors: kInvalidArgument when this process was not started by run_child().
    [[nodiscard]] static Result<WorkerChannel> open();

    [[nodiscard]] Result<std::string> read_request();

    // Errors: kIoError when the parent is gone.
    [[nodiscard]] Status send(char kind, std::string_view payload);

private:
    WorkerChannel() = default;
};

}  // namespace heapwright::isolate
