// This program is its own worker: run_child() starts it again with "worker MODE" as its arguments.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/breadcrumb.hpp"
#include "isolate/child_process.hpp"

using namespace heapwright;
using namespace heapwright::isolate;

namespace {

int act_as_worker(const std::string& mode) {
    auto channel = WorkerChannel::open();
    if (!channel) return 90;
    leave_breadcrumb("first call");
    if (mode == "echo") {
        const auto request = channel->read_request();
        if (!request || !channel->send('R', *request) || !channel->send('E', "")) return 91;
        return 0;
    }
    if (!channel->send('A', "sent before the end")) return 92;
    leave_breadcrumb("vkCreateImage", mode);
    if (mode == "crash") {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    }
    if (mode == "closing" && !channel->send('V', "")) return 94;
    if (mode == "hang" || mode == "closing") std::this_thread::sleep_for(std::chrono::minutes(5));
    if (mode.starts_with("pid:")) {
        // Says who it is, and hangs as a driver that ignores every request to end.
        for (const int signal_number : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal_number, SIG_IGN);
        std::FILE* file = std::fopen(mode.c_str() + 4, "w");
        std::fprintf(file, "%d\n", static_cast<int>(getpid()));
        std::fclose(file);
        std::this_thread::sleep_for(std::chrono::minutes(5));
    }
    if (mode.starts_with("helper:") || mode.starts_with("away:") || mode.starts_with("left:")) {
        // A helper as a driver forks it: it holds standard output and error open. "away" leaves the worker's group and
        // is the child of a process that has ended; the worker of "left" hangs.
        const std::size_t name_at = mode.find(':') + 1;
        const bool away = !mode.starts_with("helper:");
        const pid_t helper = fork();
        if (helper == 0) {
            if (away && fork() != 0) _exit(0);
            if (away) setsid();
            std::FILE* file = std::fopen((mode.substr(name_at) + ".new").c_str(), "w");
            std::fprintf(file, "%d\n", static_cast<int>(getpid()));
            std::fclose(file);
            std::filesystem::rename(mode.substr(name_at) + ".new", mode.substr(name_at));
            std::this_thread::sleep_for(std::chrono::minutes(5));
            _exit(0);
        }
        while (!std::filesystem::exists(mode.substr(name_at))) std::this_thread::yield();
        if (mode.starts_with("left:")) std::this_thread::sleep_for(std::chrono::minutes(5));
    }
    if (mode == "deaf") {
        // Closes its ends of all pipes, and hangs.
        for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
        std::this_thread::sleep_for(std::chrono::minutes(5));
    }
    if (mode == "turns") {
        for (int turn = 0; turn < 4; ++turn) {
            if (!channel->send('S', "")) return 93;
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
        }
    }
    if (mode == "exit") {
        std::fputs("driver says why\n", stderr);
        return 7;
    }
    return 0;
}

struct Frame {
    char kind;
    std::string payload;
};

struct Run {
    Result<ChildOutcome> outcome;
    std::vector<Frame> frames;
};

Run run(const std::string& mode, std::string input = {}, std::uint64_t timeout_ns = 60'000'000'000) {
    Run result{fail(ErrorCode::kIoError, "not run"), {}};
    result.outcome = run_child({.arguments = {"worker", mode}, .input = std::move(input), .timeout_ns = timeout_ns},
                               [&](char kind, std::string payload) {
                                   result.frames.push_back({kind, std::move(payload)});
                               });
    return result;
}

std::string pid_file(const std::string& name) {
    return (std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))).string();
}

// Empty until the file holds a number.
std::optional<pid_t> pid_in(const std::string& path) {
    std::ifstream file(path);
    pid_t pid = 0;
    if (!(file >> pid)) return std::nullopt;
    return pid;
}

// Whether the process is gone within five seconds.
bool ends(pid_t pid) {
    for (int wait = 0; wait < 500; ++wait) {
        std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
        std::string number;
        std::string name;
        std::string state;
        if (!(status >> number >> name >> state) || state == "Z") return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "worker") == 0) return act_as_worker(argv[2]);
    return Catch::Session().run(argc, argv);
}

TEST_CASE("request and frames cross the pipes whole") {
    std::string input(3'000'000, 'x');
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i * 131 % 251);
    const Run result = run("echo", input);
    REQUIRE(result.outcome);
    CHECK(result.outcome->end == ChildEnd::kExited);
    CHECK(result.outcome->code == 0);
    REQUIRE(result.frames.size() == 2);
    CHECK(result.frames[0].kind == 'R');
    CHECK((result.frames[0].payload == input));
    CHECK(result.frames[1].payload.empty());
}

TEST_CASE("a crash is named with its signal and last call, and loses no frame") {
    const Run result = run("crash");
    REQUIRE(result.outcome);
    CHECK(result.outcome->end == ChildEnd::kSignalled);
    CHECK(signal_name(result.outcome->code) == "SIGSEGV");
    CHECK(result.outcome->last_call == "vkCreateImage: crash");
    REQUIRE(result.frames.size() == 1);
    CHECK(result.frames[0].payload == "sent before the end");
}

TEST_CASE("a child that hangs is ended at the time limit") {
    const Run result = run("hang", {}, 300'000'000);
    REQUIRE(result.outcome);
    CHECK(result.outcome->end == ChildEnd::kTimedOut);
    CHECK(result.outcome->last_call == "vkCreateImage: hang");
    CHECK(result.frames.size() == 1);
}

TEST_CASE("a child ends with its parent, however that ends") {
    for (const int signal_number : {SIGKILL, SIGQUIT}) {
        CAPTURE(signal_number);
        const std::string path = pid_file("heapwright-worker-");
        std::filesystem::remove(path);
        const pid_t parent = fork();
        REQUIRE(parent >= 0);
        if (parent == 0) {
            std::signal(signal_number, SIG_DFL);
            (void)run("pid:" + path);
            _exit(0);
        }
        std::optional<pid_t> worker;
        for (int wait = 0; wait < 1000 && !worker; ++wait) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            worker = pid_in(path);
        }
        kill(parent, signal_number);
        waitpid(parent, nullptr, 0);
        std::filesystem::remove(path);
        REQUIRE(worker);
        CHECK(ends(*worker));
    }
}

TEST_CASE("what a driver forks holds nothing up and ends with the child") {
    for (const char* mode : {"helper:", "away:"}) {
        INFO(mode);
        const std::string path = pid_file("heapwright-helper-");
        std::filesystem::remove(path);
        const Run result = run(mode + path, {}, 30'000'000'000);
        const std::optional<pid_t> helper = pid_in(path);
        std::filesystem::remove(path);
        REQUIRE(result.outcome);
        CHECK(result.outcome->end == ChildEnd::kExited);
        CHECK(result.outcome->code == 0);
        REQUIRE(result.frames.size() == 1);
        CHECK(result.frames[0].payload == "sent before the end");
        REQUIRE(helper);
        CHECK(ends(*helper));
    }
}

TEST_CASE("what a driver forks ends with the parent, in whichever group it is") {
    const std::string path = pid_file("heapwright-left-");
    std::filesystem::remove(path);
    const pid_t parent = fork();
    REQUIRE(parent >= 0);
    if (parent == 0) {
        (void)run("left:" + path);
        _exit(0);
    }
    std::optional<pid_t> helper;
    for (int wait = 0; wait < 1000 && !helper; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        helper = pid_in(path);
    }
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    std::filesystem::remove(path);
    REQUIRE(helper);
    CHECK(ends(*helper));
}

TEST_CASE("a child that closes its pipes and hangs is one that hangs") {
    const auto outcome =
        run_child({.arguments = {"worker", "deaf"}, .environment = {}, .input = {}, .unload_ns = 300'000'000},
                  [](char, std::string) {});
    REQUIRE(outcome);
    CHECK(outcome->end == ChildEnd::kStalled);
    CHECK(outcome->limit_ns == 300'000'000);
}

TEST_CASE("a limit of this process that keeps a worker from starting is told as the cause") {
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    // 40: enough for this program, too low for the descriptors that a worker finds open. 3: too low for a pipe.
    for (const rlim_t files : {rlim_t{40}, rlim_t{3}}) {
        CAPTURE(files);
        const rlimit low{.rlim_cur = files, .rlim_max = before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &low);
        const Run result = run("echo", "hello");
        setrlimit(RLIMIT_NOFILE, &before);
        REQUIRE_FALSE(result.outcome);
        CHECK(result.outcome.error().code == ErrorCode::kIoError);
        CHECK(result.outcome.error().message.find("the limit of open files is " + std::to_string(files)) !=
              std::string::npos);
        CHECK(result.frames.empty());
    }
}

TEST_CASE("a worker starts whichever descriptors its parent has open") {
    std::vector<int> opened;
    do {
        opened.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
        REQUIRE(opened.back() >= 0);
    } while (opened.back() < 80);
    // Each count of free descriptors puts the parent's ends of the pipes elsewhere among the worker's.
    for (int first_free = 48; first_free <= 62; ++first_free) {
        CAPTURE(first_free);
        for (int descriptor = first_free; descriptor < 80; ++descriptor) close(descriptor);
        const Run result = run("echo", "hello");
        for (int descriptor = first_free; descriptor < 80; ++descriptor) dup2(opened.back(), descriptor);
        for (int descriptor = first_free; descriptor < 80; ++descriptor) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        REQUIRE(result.outcome);
        CHECK(result.outcome->code == 0);
        REQUIRE(result.frames.size() == 2);
        CHECK(result.frames[0].payload == "hello");
    }
    for (const int descriptor : opened) close(descriptor);
}

TEST_CASE("each device's turn has the time limit to itself") {
    ChildRequest request{.arguments = {"worker", "turns"}, .timeout_ns = 1'200'000'000};
    const auto ignore = [](char, const std::string&) {};
    CHECK(run_child(request, ignore).value().end == ChildEnd::kTimedOut);
    request.next_turn = 'S';
    CHECK(run_child(request, ignore).value().end == ChildEnd::kExited);
}

TEST_CASE("a turn may be silent, and what follows its result may not") {
    ChildRequest request{
        .arguments = {"worker", "turns"}, .next_turn = 'S', .stall_ns = 200'000'000, .stalls_after = 'V'};
    const auto ignore = [](char, const std::string&) {};
    CHECK(run_child(request, ignore).value().end == ChildEnd::kExited);
    request.arguments = {"worker", "closing"};
    CHECK(run_child(request, ignore).value().end == ChildEnd::kStalled);
    request.arguments = {"worker", "turns"};
    request.stalls_after = 'S';  // stands for a result, too
    CHECK(run_child(request, ignore).value().end == ChildEnd::kExited);
    request.stalls_after = {};
    CHECK(run_child(request, ignore).value().end == ChildEnd::kStalled);
}

TEST_CASE("an exit code and what was printed come back") {
    const Run result = run("exit");
    REQUIRE(result.outcome);
    CHECK(result.outcome->end == ChildEnd::kExited);
    CHECK(result.outcome->code == 7);
    CHECK(result.outcome->diagnostics == "driver says why\n");
}

TEST_CASE("a process that no parent started is no worker") {
    const auto channel = WorkerChannel::open();
    REQUIRE_FALSE(channel);
    CHECK(channel.error().code == ErrorCode::kInvalidArgument);
}
