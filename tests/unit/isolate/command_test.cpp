// Commands are shells, which every Linux has.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "isolate/command.hpp"

using namespace heapwright;
using namespace heapwright::isolate;

namespace {

CommandRequest shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .environment = {}, .timeout_ns = 60'000'000'000};
}

CommandOutcome outcome_of(const CommandRequest& request) {
    auto outcome = run_command(request);
    if (!outcome) FAIL(to_string(outcome.error()));
    return std::move(*outcome);
}

// Whether a process is there that is no zombie: one whose parent is gone waits for whoever reaps it.
bool runs(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t name_end = text.rfind(") ");
    return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

// The process whose number the command printed; it may take a moment to go after its end was asked for.
bool is_gone(const std::string& printed) {
    const auto process = static_cast<pid_t>(std::stol(printed));
    for (int attempt = 0; attempt < 500 && runs(process); ++attempt) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return !runs(process);
}

}  // namespace

TEST_CASE("what a command prints and its exit code come back apart") {
    const CommandOutcome outcome = outcome_of(shell("echo to output; echo to errors >&2; exit 7"));
    CHECK(outcome.end == ChildEnd::kExited);
    CHECK(outcome.code == 7);
    CHECK(outcome.output == "to output\n");
    CHECK(outcome.diagnostics == "to errors\n");
    CHECK_FALSE(outcome.output_cut);
    CHECK(outcome.elapsed_ns > 0);
}

TEST_CASE("arguments reach a command as they are, and its input is empty") {
    CommandRequest request = shell("printf '%s|' \"$@\"; cat");
    request.arguments.insert(request.arguments.end(), {"sh", "a b", "", "\"quoted\" $HOME", "ü"});
    CHECK(outcome_of(request).output == "a b||\"quoted\" $HOME|ü|");
}

TEST_CASE("a command's environment is this process's with the changes") {
    setenv("HEAPWRIGHT_TEST_KEPT", "kept", 1);
    setenv("HEAPWRIGHT_TEST_CHANGED", "old", 1);
    setenv("HEAPWRIGHT_TEST_GONE", "there", 1);
    CommandRequest request = shell(
        "echo $HEAPWRIGHT_TEST_KEPT $HEAPWRIGHT_TEST_CHANGED ${HEAPWRIGHT_TEST_GONE-gone} "
        "${HEAPWRIGHT_TEST_EMPTY-missing}.");
    request.environment = {
        {"HEAPWRIGHT_TEST_CHANGED", "new"}, {"HEAPWRIGHT_TEST_GONE", {}}, {"HEAPWRIGHT_TEST_EMPTY", ""}};
    CHECK(outcome_of(request).output == "kept new gone .\n");
    CHECK(std::string(std::getenv("HEAPWRIGHT_TEST_GONE")) == "there");
}

TEST_CASE("a command that hangs is ended at the time limit, with all that it started") {
    CommandRequest request = shell("sleep 300 & echo $!; echo before >&2; wait");
    request.timeout_ns = 500'000'000;
    const CommandOutcome outcome = outcome_of(request);
    CHECK(outcome.end == ChildEnd::kTimedOut);
    CHECK(outcome.diagnostics == "before\n");
    CHECK(is_gone(outcome.output));
}

TEST_CASE("a command that ignores signals is ended at the time limit") {
    CommandRequest request = shell("trap '' INT TERM HUP; while :; do :; done");
    request.timeout_ns = 300'000'000;
    CHECK(outcome_of(request).end == ChildEnd::kTimedOut);
}

TEST_CASE("a command's end counts, not that of a process that keeps its pipes open") {
    const CommandOutcome outcome = outcome_of(shell("sleep 300 & echo $!"));
    CHECK(outcome.end == ChildEnd::kExited);
    CHECK(outcome.code == 0);
    CHECK(is_gone(outcome.output));
}

TEST_CASE("a command that closes its output goes on to its end") {
    CommandRequest request = shell("exec >&- 2>&-; sleep 0.3; exit 5");
    CHECK(outcome_of(request).code == 5);
}

TEST_CASE("a command that a signal ends is named with the signal") {
    const CommandOutcome outcome = outcome_of(shell("echo before; kill -SEGV $$"));
    CHECK(outcome.end == ChildEnd::kSignalled);
    CHECK(signal_name(outcome.code) == "SIGSEGV");
    CHECK(outcome.output == "before\n");
}

TEST_CASE("a program that is missing or none is told by name") {
    CommandRequest request{.program = "/nowhere/program", .arguments = {}, .environment = {}};
    auto outcome = run_command(request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::kIoError);
    CHECK(outcome.error().where == "/nowhere/program");
    CHECK(outcome.error().message.find("No such file") != std::string::npos);

    request.program = "heapwright-no-such-program";
    outcome = run_command(request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().where == "heapwright-no-such-program");

    request.program = "/etc/passwd";
    outcome = run_command(request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().message.find("Permission denied") != std::string::npos);
}

TEST_CASE("a name is looked for in the folders of PATH") {
    CommandRequest request{.program = "sh", .arguments = {"-c", "echo found"}, .environment = {}};
    CHECK(outcome_of(request).output == "found\n");
}

TEST_CASE("large output on both pipes comes back whole, and errors as their tail") {
    const CommandOutcome outcome =
        outcome_of(shell("head -c 20000000 /dev/zero | tr '\\0' e >&2 & head -c 20000000 /dev/zero | tr '\\0' x; wait; "
                         "echo last >&2"));
    CHECK(outcome.code == 0);
    CHECK((outcome.output == std::string(20'000'000, 'x')));
    CHECK(outcome.diagnostics.size() == 64 << 10);
    CHECK(outcome.diagnostics.ends_with("elast\n"));
}

TEST_CASE("output above the limit is cut, and the command runs on") {
    CommandRequest request = shell("head -c 5000000 /dev/zero; echo done >&2; exit 3");
    request.max_output_bytes = 1000;
    const CommandOutcome outcome = outcome_of(request);
    CHECK(outcome.output.size() == 1000);
    CHECK(outcome.output_cut);
    CHECK(outcome.diagnostics == "done\n");
    CHECK(outcome.code == 3);
    request.max_output_bytes = 5'000'000;
    CHECK_FALSE(outcome_of(request).output_cut);
}
