#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <iterator>
#include <string>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#endif

#include "core/file.hpp"

using namespace heapwright;

TEST_CASE("a file is written whole or not at all") {
    const auto folder = std::filesystem::temp_directory_path() / "heapwright-file-test";
    std::filesystem::create_directories(folder);
    const auto path = folder / "document.json";

    REQUIRE(write_file_atomically(path, "one"));
    REQUIRE(write_file_atomically(path, "two"));
    CHECK(read_file(path).value() == "two");
    CHECK(read_file(path, 2).error().code == ErrorCode::kOutOfRange);

    const auto missing = write_file_atomically(folder / "absent" / "document.json", "three");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kIoError);
    CHECK(read_file(folder).error().message == "is a folder, not a file");

    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
    CHECK(entries == 1);
    std::filesystem::remove_all(folder);
}

#ifndef _WIN32
namespace {

namespace fs = std::filesystem;

constexpr auto kOwner = fs::perms::owner_read | fs::perms::owner_write;

std::size_t entries_of(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file that is replaced keeps its permissions, and a new one has those of the umask") {
    const auto folder = fs::temp_directory_path() / "heapwright-file-mode-test";
    fs::create_directories(folder);
    const auto path = folder / "document.json";
    const mode_t old_mask = umask(027);
    REQUIRE(write_file_atomically(path, "one"));
    CHECK(fs::status(path).permissions() == (kOwner | fs::perms::group_read));
    for (const fs::perms mode : {kOwner, kOwner | fs::perms::others_read, fs::perms::owner_read, fs::perms::all}) {
        fs::permissions(path, mode);
        REQUIRE(write_file_atomically(path, "two"));
        CHECK(fs::status(path).permissions() == mode);
    }
    umask(old_mask);
    CHECK(entries_of(folder) == 1);
    fs::remove_all(folder);
}

TEST_CASE("a link that lies where a temporary file used to be is not followed") {
    const auto folder = fs::temp_directory_path() / "heapwright-file-link-test";
    fs::create_directories(folder);
    const auto victim = folder / "victim";
    REQUIRE(write_file_atomically(victim, "untouched"));
    const auto path = folder / "document.json";
    fs::create_symlink(victim, folder / ("document.json.tmp-" + std::to_string(getpid())));
    REQUIRE(write_file_atomically(path, "one"));
    CHECK(read_file(victim).value() == "untouched");
    CHECK_FALSE(fs::is_symlink(path));
    // A link that is the target itself is written through.
    fs::create_symlink("document.json", folder / "link.json");
    REQUIRE(write_file_atomically(folder / "link.json", "two"));
    CHECK(fs::is_symlink(folder / "link.json"));
    CHECK(read_file(path).value() == "two");
    CHECK(entries_of(folder) == 4);
    fs::remove_all(folder);
}

TEST_CASE("a write that fails leaves the old file and nothing beside it") {
    const auto folder = fs::temp_directory_path() / "heapwright-file-limit-test";
    fs::create_directories(folder);
    const auto path = folder / "document.json";
    REQUIRE(write_file_atomically(path, "one"));
    rlimit old{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit few{.rlim_cur = 1 << 20, .rlim_max = old.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &few) == 0);
    const auto written = write_file_atomically(path, std::string(4 << 20, 'x'));
    REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
    (void)std::signal(SIGXFSZ, old_handler);
    REQUIRE_FALSE(written);
    CHECK(read_file(path).value() == "one");
    CHECK(entries_of(folder) == 1);
    fs::remove_all(folder);
}

#ifdef O_TMPFILE
TEST_CASE("a process that is killed while it writes leaves no file of its own") {
    const auto folder = fs::temp_directory_path() / "heapwright-file-kill-test";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const int nameless = open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (nameless < 0) SKIP("this file system has no files without a name");
    close(nameless);
    const auto path = folder / "document.json";
    const std::string bytes(4 << 20, 'x');
    REQUIRE(write_file_atomically(path, bytes));
    constexpr int kKills = 200;
    for (int index = 0; index < kKills; ++index) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            for (;;) (void)write_file_atomically(path, bytes);
        }
        usleep(static_cast<useconds_t>(1000 + index * 37 % 4000));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        REQUIRE(fs::file_size(path) == bytes.size());
    }
    // What renames outlives the writer for a moment.
    for (int wait = 0; wait < 200 && entries_of(folder) > 1; ++wait) usleep(10'000);
    CHECK(entries_of(folder) == 1);
    std::error_code busy;  // where one that outlives its writer comes late
    for (int wait = 0; wait < 200 && (fs::remove_all(folder, busy), busy); ++wait) usleep(10'000);
    CHECK_FALSE(busy);
}
#endif
#endif
