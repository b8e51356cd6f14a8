// Checks run_child() on Windows. This program is its own worker: run_child() starts it again with "worker MODE" as its
// arguments. Plain C++, because the cross build has no test framework. Exit code 0: every check held.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <windows.h>

#include "core/breadcrumb.hpp"
#include "isolate/child_process.hpp"

using namespace heapwright;
using namespace heapwright::isolate;

namespace {

int g_failed = 0;

void check(bool held, const char* what) {
    std::printf("%s: %s\n", held ? "good" : "FAILED", what);
    if (!held) ++g_failed;
}

int act_as_worker(const std::string& mode) {
    auto channel = WorkerChannel::open();
    if (!channel) return 90;
    leave_breadcrumb("first call");
    if (mode == "echo") {
        const auto request = channel->read_request();
        if (!request || !channel->send('R', *request) || !channel->send('E', "")) return 91;
        return 0;
    }
    if (mode == "environment") {
        const char* value = std::getenv("HEAPWRIGHT_CHECK");
        return channel->send('V', value == nullptr ? "" : value) ? 0 : 92;
    }
    if (!channel->send('A', "sent before the end")) return 93;
    leave_breadcrumb("vkCreateImage", mode);
    if (mode == "crash") {
        volatile int* volatile nowhere = nullptr;
        *nowhere = 1;
    }
    if (mode == "hang") std::this_thread::sleep_for(std::chrono::minutes(5));
    if (mode == "exit") {
        std::fputs("driver says why\n", stderr);
        return 7;
    }
    return 0;
}

struct Run {
    Result<ChildOutcome> outcome = fail(ErrorCode::kIoError, "not run");
    std::vector<std::pair<char, std::string>> frames;
};

Run run(std::vector<std::string> arguments, std::string input = {}, std::uint64_t timeout_ns = 60'000'000'000,
        std::vector<std::pair<std::string, std::string>> environment = {}) {
    arguments.insert(arguments.begin(), "worker");
    Run result;
    result.outcome = run_child({.arguments = std::move(arguments),
                                .environment = std::move(environment),
                                .input = std::move(input),
                                .timeout_ns = timeout_ns},
                               [&](char kind, std::string payload) { result.frames.emplace_back(kind, payload); });
    check(result.outcome.has_value(), "a child is started");
    if (!result.outcome) {
        std::printf("%s\n", to_string(result.outcome.error()).c_str());
        std::exit(1);
    }
    return result;
}

void check_all() {
    std::string input(3'000'000, 'x');
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i * 131 % 251);
    const Run echo = run({"echo"}, input);
    check(echo.outcome->end == ChildEnd::kExited && echo.outcome->code == 0, "a good child exits with 0");
    check(echo.frames.size() == 2 && echo.frames[0].second == input && echo.frames[1].second.empty(),
          "request and frames cross the pipes whole");

    const Run crash = run({"crash"});
    check(crash.outcome->end == ChildEnd::kSignalled, "a crash is seen as one");
    check(static_cast<DWORD>(crash.outcome->code) == 0xC0000005, "its code is the exception's");
    check(signal_text(crash.outcome->code) == "access violation (exception 0xC0000005)", "it is named");
    check(crash.outcome->last_call == "vkCreateImage: crash", "the last call before it is known");
    check(crash.frames.size() == 1 && crash.frames[0].second == "sent before the end", "no frame is lost by it");

    const Run hang = run({"hang"}, {}, 2'000'000'000);
    check(hang.outcome->end == ChildEnd::kTimedOut, "a child that hangs is ended at the time limit");
    check(hang.outcome->last_call == "vkCreateImage: hang" && hang.frames.size() == 1, "what it sent is kept");

    const Run exit = run({"exit"});
    check(exit.outcome->end == ChildEnd::kExited && exit.outcome->code == 7, "an exit code comes back");
    check(exit.outcome->diagnostics.starts_with("driver says why"), "what was printed comes back");

    const Run environment = run({"environment"}, {}, 60'000'000'000, {{"HEAPWRIGHT_CHECK", "a b\"c\\"}});
    check(environment.frames.size() == 1 && environment.frames[0].second == "a b\"c\\", "variables reach the child");

    check(!WorkerChannel::open(), "a process that no parent started is no worker");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "worker") return act_as_worker(argv[2]);
    check_all();
    std::printf("%d failed\n", g_failed);
    return g_failed == 0 ? 0 : 1;
}
