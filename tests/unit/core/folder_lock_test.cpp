#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <optional>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#endif

#include "core/folder_lock.hpp"

using namespace heapwright;

TEST_CASE("a folder has one writer at a time, and nothing of the lock stays") {
    const auto folder = std::filesystem::temp_directory_path() / "heapwright-folder-lock-test";
    std::filesystem::create_directories(folder);
    {
        auto first = FolderLock::take(folder);
        REQUIRE(first);
        const auto second = FolderLock::take(folder);
        REQUIRE_FALSE(second);
        CHECK(second.error().message == "another heapwright is writing into this folder");
        const FolderLock moved = std::move(*first);
        CHECK_FALSE(FolderLock::take(folder));
    }
    CHECK(FolderLock::take(folder));
    CHECK(std::filesystem::is_empty(folder));
    std::filesystem::remove_all(folder);
    CHECK(FolderLock::take(folder).error().code == ErrorCode::kIoError);
}

#ifndef _WIN32
TEST_CASE("a process that is killed holds no folder") {
    const auto folder = std::filesystem::temp_directory_path() / "heapwright-folder-lock-kill-test";
    std::filesystem::create_directories(folder);
    int held[2];
    REQUIRE(pipe(held) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto lock = FolderLock::take(folder);
        if (write(held[1], lock ? "y" : "n", 1) == 1) pause();
        _exit(0);
    }
    char answer = 0;
    REQUIRE(read(held[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK_FALSE(FolderLock::take(folder));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(FolderLock::take(folder));
    close(held[0]);
    close(held[1]);
    std::filesystem::remove_all(folder);
}
#endif
