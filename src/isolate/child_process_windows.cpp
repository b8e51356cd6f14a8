#include "isolate/child_process.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include <windows.h>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "core/windows_text.hpp"
#include "isolate/detail/frames.hpp"
#include "isolate/detail/mailbox.hpp"
#include "isolate/detail/sign_of_life.hpp"
#include "isolate/detail/windows_process.hpp"

namespace heapwright::isolate {
namespace {

using detail::Handle;
using detail::Mailbox;
using detail::make_pipe;
using detail::Pipe;
using detail::Served;
using detail::system_error;

// Holds the values of the handles that the child inherits: frames, request, page.
constexpr const char* kWorkerVariable = "HEAPWRIGHT_WORKER";

// The worker's end of its channel; one worker a process.
HANDLE g_frames = nullptr;
HANDLE g_request = nullptr;

class SharedPage {
public:
    [[nodiscard]] static Result<SharedPage> create() {
        Handle mapping(CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0, kPageBytes, nullptr));
        if (!mapping.open()) return system_error("CreateFileMappingW");
        void* memory = MapViewOfFile(mapping.get(), FILE_MAP_ALL_ACCESS, 0, 0, kPageBytes);
        if (memory == nullptr) return system_error("MapViewOfFile");
        return SharedPage(std::move(mapping), static_cast<const char*>(memory));
    }
    ~SharedPage() {
        if (memory_ != nullptr) UnmapViewOfFile(memory_);
    }
    SharedPage(SharedPage&& other) noexcept
        : mapping_(std::move(other.mapping_)), memory_(std::exchange(other.memory_, nullptr)) {}
    SharedPage& operator=(SharedPage&&) = delete;

    [[nodiscard]] HANDLE handle() const { return mapping_.get(); }
    [[nodiscard]] std::string text() const { return read_breadcrumb(memory_); }
    [[nodiscard]] std::string other_calls() const { return read_other_calls(memory_); }
    [[nodiscard]] std::string step() const { return read_step(memory_); }

private:
    SharedPage(Handle mapping, const char* memory) : mapping_(std::move(mapping)), memory_(memory) {}
    Handle mapping_;
    const char* memory_ = nullptr;
};

bool write_all(HANDLE pipe, std::string_view bytes) {
    while (!bytes.empty()) {
        DWORD written = 0;
        const auto count = static_cast<DWORD>(std::min<std::size_t>(bytes.size(), 1 << 20));
        if (WriteFile(pipe, bytes.data(), count, &written, nullptr) == 0) return false;
        bytes.remove_prefix(written);
    }
    return true;
}

enum Source : std::size_t { kFrames, kDiagnostics };

// Hands on what the child sends until it closed both pipes and ended, or the time is over.
Served serve(HANDLE process, Mailbox& mailbox, const ChildRequest& request, const FrameHandler& on_frame,
             const SharedPage& page, std::string& diagnostics) {
    constexpr std::uint64_t kPollNs = 200'000'000;
    SteadyClock clock;
    std::uint64_t start_ns = clock.now_ns();
    std::uint64_t timeout_ns = request.timeout_ns;
    detail::FrameParser parser;
    detail::SignOfLife life(page, request);
    const FrameHandler take = [&](char kind, std::string payload) {
        life.frame(kind);
        if (kind == request.next_turn && !interrupted()) start_ns = clock.now_ns();
        on_frame(kind, std::move(payload));
    };
    for (;;) {
        const std::uint64_t elapsed_ns = clock.now_ns() - start_ns;
        if (elapsed_ns >= timeout_ns) return Served::kTimedOut;
        if (life.missing(clock.now_ns())) return Served::kStalled;
        // Windows itself gives Ctrl+C to the child as well.
        if (interrupted()) timeout_ns = std::min(timeout_ns, elapsed_ns + kInterruptGraceNs);
        const std::uint64_t wait_ns = std::min(timeout_ns - elapsed_ns, kPollNs);
        if (mailbox.finished()) {
            if (WaitForSingleObject(process, static_cast<DWORD>(wait_ns / 1'000'000 + 1)) == WAIT_OBJECT_0)
                return Served::kDone;
            continue;
        }
        const auto piece = mailbox.take(wait_ns);
        if (!piece) continue;
        life.seen(clock.now_ns());
        if (piece->source == kFrames) {
            parser.feed(piece->bytes.data(), piece->bytes.size(), take);
        } else {
            detail::keep_tail(diagnostics, piece->bytes.data(), piece->bytes.size());
        }
    }
}

// A crash ends this process at once, with the exception's code: no window that waits for a click, no debugger.
LONG WINAPI end_with_exception_code(EXCEPTION_POINTERS* exception) {
    TerminateProcess(GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

std::optional<std::array<HANDLE, 3>> inherited_handles() {
    const char* text = std::getenv(kWorkerVariable);
    unsigned long long values[3];
    if (text == nullptr || std::sscanf(text, "%llu,%llu,%llu", &values[0], &values[1], &values[2]) != 3) {
        return std::nullopt;
    }
    std::array<HANDLE, 3> handles;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        handles[i] = reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(values[i]));
        // What a driver starts must not hold the pipes open.
        if (SetHandleInformation(handles[i], HANDLE_FLAG_INHERIT, 0) == 0) return std::nullopt;
    }
    return handles;
}

}  // namespace

std::string signal_name(int signal_number) {
    const auto code = static_cast<DWORD>(signal_number);
    switch (code) {
        case EXCEPTION_ACCESS_VIOLATION: return "access violation";
        case EXCEPTION_IN_PAGE_ERROR: return "in page error";
        case EXCEPTION_ILLEGAL_INSTRUCTION: return "illegal instruction";
        case EXCEPTION_PRIV_INSTRUCTION: return "privileged instruction";
        case EXCEPTION_INT_DIVIDE_BY_ZERO: return "integer division by zero";
        case EXCEPTION_STACK_OVERFLOW: return "stack overflow";
        case 0xC0000008: return "invalid handle";
        case 0xC0000374: return "heap corruption";
        case 0xC0000409: return "fail fast";
        case 0xC0000420: return "failed assertion";
        default: return fmt::format("exception 0x{:08X}", code);
    }
}

std::string signal_text(int signal_number) {
    return fmt::format("{} (exception 0x{:08X})", signal_name(signal_number), static_cast<DWORD>(signal_number));
}

Result<ChildOutcome> run_child(const ChildRequest& request, const FrameHandler& on_frame) {
    HEAPWRIGHT_ASSIGN(Pipe frames, make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe diagnostics, make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe input, make_pipe());
    HEAPWRIGHT_ASSIGN(SharedPage page, SharedPage::create());

    std::vector<std::pair<std::string, std::optional<std::string>>> environment(request.environment.begin(),
                                                                                request.environment.end());
    const auto number = [](HANDLE handle) { return reinterpret_cast<std::uintptr_t>(handle); };
    environment.emplace_back(kWorkerVariable, fmt::format("{},{},{}", number(frames.write_end.get()),
                                                          number(input.read_end.get()), number(page.handle())));
    auto started = detail::start_program({.arguments = request.arguments,
                                          .environment = environment,
                                          .output = diagnostics.write_end.get(),
                                          .errors = diagnostics.write_end.get(),
                                          .inherited = {frames.write_end.get(), input.read_end.get(), page.handle()}});
    if (!started) return fail(started.error());
    frames.write_end.reset();
    diagnostics.write_end.reset();
    input.read_end.reset();

    ChildOutcome outcome;
    Mailbox mailbox(2);
    Served served = Served::kDone;
    {
        std::jthread frame_reader([&] { detail::read_into(mailbox, kFrames, frames.read_end.get()); });
        std::jthread diagnostic_reader([&] { detail::read_into(mailbox, kDiagnostics, diagnostics.read_end.get()); });
        std::jthread writer([&] {
            write_all(input.write_end.get(), request.input);
            input.write_end.reset();
        });
        served = serve(started->process.get(), mailbox, request, on_frame, page, outcome.diagnostics);
        // Ends the pipes of a child that still runs, and of whatever its driver started, and with them the threads.
        if (served != Served::kDone) mailbox.abandon();
        started->end_all();
    }
    WaitForSingleObject(started->process.get(), INFINITE);
    outcome.last_call = page.text();
    outcome.other_calls = page.other_calls();
    outcome.last_step = page.step();
    DWORD exit_code = 0;
    GetExitCodeProcess(started->process.get(), &exit_code);
    if (served != Served::kDone) {
        outcome.end = served == Served::kTimedOut ? ChildEnd::kTimedOut : ChildEnd::kStalled;
        outcome.limit_ns = served == Served::kTimedOut ? request.timeout_ns : request.stall_ns;
    } else {
        outcome.end = detail::is_exception(exit_code) ? ChildEnd::kSignalled : ChildEnd::kExited;
        outcome.code = static_cast<int>(exit_code);
    }
    return outcome;
}

Result<WorkerChannel> WorkerChannel::open() {
    const auto handles = inherited_handles();
    if (!handles) return fail(ErrorCode::kInvalidArgument, "only heapwright itself starts a worker", "worker");
    void* page = MapViewOfFile((*handles)[2], FILE_MAP_ALL_ACCESS, 0, 0, kPageBytes);
    if (page == nullptr) {
        return fail(ErrorCode::kIoError, "breadcrumb page: " + windows_error_text(GetLastError()), "MapViewOfFile");
    }
    set_breadcrumb_page(static_cast<char*>(page));
    g_frames = (*handles)[0];
    g_request = (*handles)[1];
    SetUnhandledExceptionFilter(end_with_exception_code);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    return WorkerChannel();
}

Result<std::string> WorkerChannel::read_request() {
    std::string request;
    std::array<char, 1 << 16> buffer;
    for (;;) {
        DWORD count = 0;
        if (ReadFile(g_request, buffer.data(), static_cast<DWORD>(buffer.size()), &count, nullptr) == 0) {
            const DWORD error = GetLastError();
            if (error == ERROR_BROKEN_PIPE) return request;
            return fail(ErrorCode::kIoError, windows_error_text(error), "worker's request");
        }
        request.append(buffer.data(), count);
    }
}

Status WorkerChannel::send(char kind, std::string_view payload) {
    const auto header = detail::frame_header(kind, payload.size());
    if (!write_all(g_frames, {header.data(), header.size()}) || !write_all(g_frames, payload)) {
        return fail(ErrorCode::kIoError, windows_error_text(GetLastError()), "worker's frames");
    }
    return {};
}

}  // namespace heapwright::isolate
