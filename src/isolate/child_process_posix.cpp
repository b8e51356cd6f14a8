#include "isolate/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/clock.hpp"
#include "core/interrupt.hpp"
#include "isolate/detail/frames.hpp"
#include "isolate/detail/posix_process.hpp"
#include "isolate/detail/sign_of_life.hpp"
#include "isolate/detail/supervisor.hpp"

namespace heapwright::isolate {
namespace {

using detail::Descriptor;
using detail::make_pipe;
using detail::Pipe;
using detail::pointers;
using detail::Served;
using detail::start_error;

// The descriptors that the child finds open. High enough to stay clear of what a sanitizer or a shell has open.
constexpr int kFrameDescriptor = 60;
constexpr int kRequestDescriptor = 61;
constexpr int kPageDescriptor = 62;
constexpr int kFirstFreeDescriptor = 63;
// The supervisor ends all that the driver left in milliseconds.
constexpr std::uint64_t kCleanUpNs = 2'000'000'000;
constexpr const char* kWorkerVariable = "HEAPWRIGHT_WORKER";

class SharedPage {
public:
    [[nodiscard]] static Result<SharedPage> create() {
        SharedPage page;
        page.descriptor_ = Descriptor(memfd_create("heapwright-breadcrumb", MFD_CLOEXEC));
        if (!page.descriptor_.open()) return start_error("memfd_create");
        if (ftruncate(page.descriptor_.get(), kPageBytes) != 0) return start_error("ftruncate");
        void* memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page.descriptor_.get(), 0);
        if (memory == MAP_FAILED) return start_error("mmap");
        page.memory_ = static_cast<char*>(memory);
        return page;
    }
    ~SharedPage() {
        if (memory_ != nullptr) munmap(memory_, kPageBytes);
    }
    SharedPage(SharedPage&& other) noexcept
        : descriptor_(std::move(other.descriptor_)), memory_(std::exchange(other.memory_, nullptr)) {}
    SharedPage& operator=(SharedPage&&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_.get(); }
    [[nodiscard]] std::string text() const { return read_breadcrumb(memory_); }
    [[nodiscard]] std::string other_calls() const { return read_other_calls(memory_); }
    [[nodiscard]] std::string step() const { return read_step(memory_); }

private:
    SharedPage() = default;
    Descriptor descriptor_;
    char* memory_ = nullptr;
};

// Whatever the driver starts has it, too, whichever session it goes to.
std::string next_mark() {
    static std::atomic<std::uint64_t> children = 0;
    return fmt::format("{}-{}", getpid(), children.fetch_add(1));
}

std::vector<std::string> child_environment(const ChildRequest& request, const std::string& mark) {
    std::vector<std::pair<std::string, std::optional<std::string>>> changes(request.environment.begin(),
                                                                            request.environment.end());
    changes.emplace_back(kWorkerVariable, mark);
    return detail::changed_environment(changes);
}

bool write_all(int descriptor, const char* bytes, std::size_t count) {
    while (count != 0) {
        const ssize_t written = write(descriptor, bytes, count);
        if (written < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

struct WorkerEnds {
    int frames;
    int request;
    int page;
    int diagnostics;
    int failure;  // closed by exec; else it brings a StartFailure
};

// A descriptor cannot have the number that it should: dup2 and fcntl call that EBADF and EINVAL where the number lies
// above the limit of open files.
[[noreturn]] void no_descriptor(int failure, const char* call) {
    if (errno == EBADF || errno == EINVAL) errno = EMFILE;
    detail::tell_and_end(failure, call);
}

// Only async-signal-safe calls between fork and exec.
[[noreturn]] void become_worker(pid_t parent, WorkerEnds ends, char* const* arguments, char* const* environment) {
    detail::end_with_parent(parent, SIGTERM);  // heeded by the supervisor, which ends the worker
    // A parent with many open files has its own ends where the worker's belong.
    for (int* end : {&ends.failure, &ends.frames, &ends.request, &ends.page, &ends.diagnostics}) {
        if (*end < kFrameDescriptor || *end >= kFirstFreeDescriptor) continue;
        const int moved = fcntl(*end, F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
        if (moved < 0) no_descriptor(ends.failure, "fcntl");
        *end = moved;
    }
    const int null_device = open("/dev/null", O_RDONLY);
    if (null_device < 0) detail::tell_and_end(ends.failure, "open");
    const int places[][2] = {{null_device, STDIN_FILENO},        {ends.diagnostics, STDOUT_FILENO},
                             {ends.diagnostics, STDERR_FILENO},  {ends.frames, kFrameDescriptor},
                             {ends.request, kRequestDescriptor}, {ends.page, kPageDescriptor}};
    for (const auto& [from, to] : places) {
        if (dup2(from, to) < 0) no_descriptor(ends.failure, "dup2");
    }
    execve("/proc/self/exe", arguments, environment);
    detail::tell_and_end(ends.failure, "execve");
}

struct Ears {
    Descriptor frames;
    Descriptor diagnostics;
    Descriptor request;  // closed once all is written
};

// Serves the child's pipes until it closed them all or ended, or the time is over.
// What a driver started may hold the pipes open for as long as it likes.
Served serve(pid_t child, Ears& ears, const ChildRequest& request, const FrameHandler& on_frame, const SharedPage& page,
             std::string& diagnostics) {
    SteadyClock clock;
    std::uint64_t start_ns = clock.now_ns();
    std::uint64_t timeout_ns = request.timeout_ns;
    std::string_view input = request.input;
    detail::FrameParser parser;
    detail::SignOfLife life(page, request);
    const FrameHandler take = [&](char kind, std::string payload) {
        life.frame(kind);
        if (kind == request.next_turn && !interrupted()) start_ns = clock.now_ns();
        on_frame(kind, std::move(payload));
    };
    std::array<char, detail::kPieceBytes> buffer;
    bool passed_on = false;
    int pieces_left = detail::kLastPieces;
    while (ears.frames.open() || ears.diagnostics.open()) {
        const std::uint64_t elapsed_ns = clock.now_ns() - start_ns;
        const bool ended = detail::has_ended(child);
        if (ended && pieces_left-- == 0) return Served::kDone;
        if (elapsed_ns >= timeout_ns) return Served::kTimedOut;
        if (!ended && life.missing(clock.now_ns())) return Served::kStalled;
        if (interrupted() && !std::exchange(passed_on, true)) {
            kill(child, SIGINT);
            timeout_ns = std::min(timeout_ns, elapsed_ns + kInterruptGraceNs);
        }
        pollfd entries[3] = {
            {ears.frames.get(), POLLIN, 0}, {ears.diagnostics.get(), POLLIN, 0}, {ears.request.get(), POLLOUT, 0}};
        const std::uint64_t left_ms = (timeout_ns - elapsed_ns) / 1'000'000 + 1;
        const auto wait_ms = ended ? 0 : static_cast<int>(std::min<std::uint64_t>(left_ms, detail::kPollMs));
        if (poll(entries, 3, wait_ms) <= 0) {
            if (ended) return Served::kDone;
            continue;
        }
        if (entries[0].revents != 0) {
            const ssize_t count = read(ears.frames.get(), buffer.data(), buffer.size());
            if (count > 0) {
                life.seen(clock.now_ns());
                parser.feed(buffer.data(), static_cast<std::size_t>(count), take);
            }
            if (count == 0) ears.frames.reset();
        }
        if (entries[1].revents != 0) {
            const ssize_t count = read(ears.diagnostics.get(), buffer.data(), buffer.size());
            if (count > 0) detail::keep_tail(diagnostics, buffer.data(), static_cast<std::size_t>(count));
            if (count == 0) ears.diagnostics.reset();
        }
        if (entries[2].revents != 0) {
            const ssize_t count = write(ears.request.get(), input.data(), input.size());
            if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
            if (input.empty() || (count < 0 && errno != EAGAIN && errno != EINTR)) ears.request.reset();
        }
    }
    return Served::kDone;
}

bool ends_within(pid_t child, std::uint64_t most_ns) {
    constexpr int kPauseMs = 2;
    SteadyClock clock;
    for (const std::uint64_t start_ns = clock.now_ns(); !detail::has_ended(child); poll(nullptr, 0, kPauseMs)) {
        if (clock.now_ns() - start_ns >= most_ns) return false;
    }
    return true;
}

}  // namespace

std::string signal_name(int signal_number) {
    const char* name = sigabbrev_np(signal_number);
    return name == nullptr ? fmt::format("signal {}", signal_number) : fmt::format("SIG{}", name);
}

std::string signal_text(int signal_number) {
    return fmt::format("{} (signal {})", signal_name(signal_number), signal_number);
}

Result<ChildOutcome> run_child(const ChildRequest& request, const FrameHandler& on_frame) {
    HEAPWRIGHT_ASSIGN(Pipe frames, make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe diagnostics, make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe input, make_pipe());
    HEAPWRIGHT_ASSIGN(Pipe failure, make_pipe());
    HEAPWRIGHT_ASSIGN(SharedPage page, SharedPage::create());
    const std::string mark = next_mark();
    std::vector<std::string> argument_texts{"heapwright"};
    argument_texts.insert(argument_texts.end(), request.arguments.begin(), request.arguments.end());
    std::vector<std::string> environment_texts = child_environment(request, mark);
    const std::vector<char*> arguments = pointers(argument_texts);
    const std::vector<char*> environment = pointers(environment_texts);

    signal(SIGPIPE, SIG_IGN);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return start_error("fork");
    if (child == 0) {
        become_worker(parent,
                      {.frames = frames.write_end.get(),
                       .request = input.read_end.get(),
                       .page = page.descriptor(),
                       .diagnostics = diagnostics.write_end.get(),
                       .failure = failure.write_end.get()},
                      arguments.data(), environment.data());
    }
    setpgid(child, child);  // whichever of the two comes first
    frames.write_end.reset();
    diagnostics.write_end.reset();
    input.read_end.reset();
    failure.write_end.reset();
    if (const detail::StartFailure told = detail::heard_from_start(failure.read_end); told.code != 0) {
        waitpid(child, nullptr, 0);
        return start_error(told.call, told.code);
    }
    fcntl(input.write_end.get(), F_SETFL, O_NONBLOCK);

    ChildOutcome outcome;
    Ears ears{std::move(frames.read_end), std::move(diagnostics.read_end), std::move(input.write_end)};
    Served served = serve(child, ears, request, on_frame, page, outcome.diagnostics);
    // One that closed its pipes has little left to do.
    outcome.limit_ns = served == Served::kTimedOut ? request.timeout_ns : request.stall_ns;
    if (served == Served::kDone && !ends_within(child, request.unload_ns)) {
        served = Served::kStalled;
        outcome.limit_ns = request.unload_ns;
    }
    if (served != Served::kDone) {
        kill(child, SIGTERM);
        (void)ends_within(child, kCleanUpNs);
    }
    kill(-child, SIGKILL);  // where the supervisor itself came to an end, or is held up
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    // The supervisor, by whoever it was, or the worker, as whose end it told.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        detail::end_marked(fmt::format("{}={}", kWorkerVariable, mark));
    outcome.last_call = page.text();
    outcome.other_calls = page.other_calls();
    outcome.last_step = page.step();
    if (served != Served::kDone) {
        outcome.end = served == Served::kTimedOut ? ChildEnd::kTimedOut : ChildEnd::kStalled;
    } else if (WIFSIGNALED(status)) {
        outcome.end = ChildEnd::kSignalled;
        outcome.code = WTERMSIG(status);
    } else {
        outcome.code = WEXITSTATUS(status);
    }
    return outcome;
}

Result<WorkerChannel> WorkerChannel::open() {
    if (std::getenv(kWorkerVariable) == nullptr || fcntl(kFrameDescriptor, F_GETFD) < 0) {
        return fail(ErrorCode::kInvalidArgument, "only heapwright itself starts a worker", "worker");
    }
    HEAPWRIGHT_TRY(detail::become_supervised());
    void* page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kPageDescriptor, 0);
    if (page == MAP_FAILED) {
        return fail(ErrorCode::kIoError, fmt::format("breadcrumb page: {}", std::strerror(errno)), "mmap");
    }
    set_breadcrumb_page(static_cast<char*>(page));
    // What a driver starts must not hold the pipes open.
    for (const int descriptor : {kFrameDescriptor, kRequestDescriptor, kPageDescriptor}) {
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
    signal(SIGPIPE, SIG_IGN);
    return WorkerChannel();
}

Result<std::string> WorkerChannel::read_request() {
    std::string request;
    std::array<char, 1 << 16> buffer;
    for (;;) {
        const ssize_t count = read(kRequestDescriptor, buffer.data(), buffer.size());
        if (count > 0) request.append(buffer.data(), static_cast<std::size_t>(count));
        if (count == 0) return request;
        if (count < 0 && errno != EINTR) return fail(ErrorCode::kIoError, std::strerror(errno), "worker's request");
    }
}

Status WorkerChannel::send(char kind, std::string_view payload) {
    const auto header = detail::frame_header(kind, payload.size());
    if (!write_all(kFrameDescriptor, header.data(), header.size()) ||
        !write_all(kFrameDescriptor, payload.data(), payload.size())) {
        return fail(ErrorCode::kIoError, std::strerror(errno), "worker's frames");
    }
    return {};
}

}  // namespace heapwright::isolate
