#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "isolate/detail/posix_process.hpp"
#include "isolate/detail/supervisor.hpp"

namespace heapwright::isolate::detail {
namespace {

constexpr int kRoundMs = 1;
constexpr int kMostRounds = 2000;  // a process that the kernel itself holds up is not waited for any longer

// The fourth word of stat, after the name, which may hold anything in its brackets.
bool is_child_of(pid_t parent, pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text, '\0');
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos || name_end + 4 > text.size()) return false;
    pid_t found = 0;
    std::from_chars(text.data() + name_end + 4, text.data() + text.size(), found);
    return found == parent;
}

// The entries that are numbers.
std::vector<int> numbers_in(const char* path) {
    std::vector<int> numbers;
    DIR* const folder = opendir(path);
    if (folder == nullptr) return numbers;
    while (const dirent* entry = readdir(folder)) {
        int number = 0;
        const char* const end = entry->d_name + std::strlen(entry->d_name);
        const auto parsed = std::from_chars(entry->d_name, end, number);
        if (parsed.ec == std::errc{} && parsed.ptr == end) numbers.push_back(number);
    }
    closedir(folder);
    return numbers;
}

// As it was when the process began. Empty of a zombie.
bool has_entry(pid_t pid, std::string_view entry) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    for (std::string text; std::getline(file, text, '\0');)
        if (text == entry) return true;
    return false;
}

// What a killed one leaves behind becomes this process's child: until there is none.
void end_all_children() {
    for (int round = 0; round < kMostRounds; ++round) {
        pid_t reaped = 0;
        do reaped = waitpid(-1, nullptr, WNOHANG);
        while (reaped > 0);
        if (reaped < 0 && errno == ECHILD) return;
        for (const pid_t pid : numbers_in("/proc")) {
            if (is_child_of(getpid(), pid)) kill(pid, SIGKILL);
        }
        usleep(kRoundMs * 1000);
    }
}

[[noreturn]] void end_as(int status) {
    if (!WIFSIGNALED(status)) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
    const rlimit no_core{};
    setrlimit(RLIMIT_CORE, &no_core);
    const int signal_number = WTERMSIG(status);
    signal(signal_number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);
    _exit(128 + signal_number);
}

[[noreturn]] void supervise(pid_t worker, const sigset_t& awaited) {
    // The worker alone holds its ends of the pipes.
    for (const int descriptor : numbers_in("/proc/self/fd")) close(descriptor);
    for (;;) {
        int signal_number = 0;
        sigwait(&awaited, &signal_number);
        if (signal_number == SIGINT) kill(worker, SIGINT);
        if (signal_number == SIGTERM) kill(worker, SIGKILL);
        int status = 0;
        pid_t reaped = 0;
        do reaped = waitpid(-1, &status, signal_number == SIGTERM ? 0 : WNOHANG);
        while (reaped > 0 && reaped != worker);
        if (reaped != worker) continue;
        end_all_children();
        end_as(status);
    }
}

}  // namespace

void end_marked(std::string_view entry) {
    // One that is killed may have just made another.
    bool any = true;
    for (int round = 0; any && round < kMostRounds; ++round) {
        any = false;
        for (const pid_t pid : numbers_in("/proc")) {
            if (pid == getpid() || !has_entry(pid, entry)) continue;
            any = true;
            kill(pid, SIGKILL);
        }
        if (any) usleep(kRoundMs * 1000);
    }
}

Status become_supervised() {
    sigset_t awaited;
    sigset_t before;
    sigemptyset(&awaited);
    for (const int signal_number : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&awaited, signal_number);
    // One that was ignored before would never arrive.
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &awaited, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t supervisor = getpid();
    const pid_t worker = fork();
    if (worker < 0) return start_error("fork");
    if (worker > 0) supervise(worker, awaited);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a driver may ignore any other
    if (getppid() != supervisor) _exit(127);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return {};
}

}  // namespace heapwright::isolate::detail
