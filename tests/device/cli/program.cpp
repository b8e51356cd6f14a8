#include "program.hpp"
#include "test_paths.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <catch2/catch_test_macros.hpp>

namespace heapwright::test {
namespace {

std::string slurp(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Streams {
    std::string input = "/dev/null";
    std::optional<int> standard_output = {};
};

Output run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment, int signal_number,
           int delay_ms, const Streams& streams) {
    const auto folder = fresh_folder("output");
    const auto out = folder / "out";
    const auto err = folder / "err";
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        dup2(open(streams.input.c_str(), O_RDONLY), STDIN_FILENO);
        dup2(streams.standard_output ? *streams.standard_output : open(out.c_str(), O_CREAT | O_WRONLY, 0600),
             STDOUT_FILENO);
        dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), STDERR_FILENO);
        std::vector<std::string> texts{test::build_path("heapwright")};
        texts.insert(texts.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        for (const std::string& entry : environment) putenv(strdup(entry.c_str()));
        execv(pointers[0], pointers.data());
        _exit(126);
    }
    if (signal_number != 0) {
        usleep(static_cast<useconds_t>(delay_ms) * 1000);
        kill(child, signal_number);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    Output result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err)};
    std::filesystem::remove_all(folder);
    return result;
}

// The folders of this program, which go when it ends.
struct Folders {
    std::vector<std::filesystem::path> paths;
    ~Folders() {
        std::error_code ignored;
        for (const auto& path : paths) std::filesystem::remove_all(path, ignored);
    }
};

}  // namespace

Output run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
                   const std::string& input, std::optional<int> standard_output) {
    return run(arguments, environment, 0, 0, {.input = input, .standard_output = standard_output});
}

Output interrupt_program(const std::vector<std::string>& arguments, int signal_number, int delay_ms) {
    return run(arguments, {}, signal_number, delay_ms, {});
}

std::string require_driver(const char* variable) {
    const char* path = std::getenv(variable);
    if (path == nullptr || !std::filesystem::exists(path)) SKIP(std::string(variable) << " names no driver");
    return path;
}

std::filesystem::path fresh_folder(const std::string& name) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("heapwright-" + name + "-" + std::to_string(getpid()));
    static Folders folders;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    folders.paths.push_back(folder);
    return folder;
}

}  // namespace heapwright::test
