// Two processes, one folder: the second one leaves it alone.
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <filesystem>
#include <future>
#include <thread>

#include <signal.h>

#include "core/folder_lock.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

namespace fs = std::filesystem;

bool is_held(const fs::path& folder) {
    return fs::is_directory(folder) && !FolderLock::take(folder);
}

}  // namespace

TEST_CASE("a second run into a folder that one is writing into is refused before it touches anything") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto parent = fresh_folder("two-runs");
    const fs::path folder = parent / "results";
    const std::vector<std::string> arguments{
        "run",   "--api",          "vulkan",         "--icd", icd,          "-w",
        "2d-ui", "--scale-to-fit", "--memory-limit", "64MiB", "--scenario", "upload",
        "-o",    folder.string()};
    auto first = std::async(std::launch::async, [&] { return run_program(arguments); });
    for (int wait = 0; wait < 2000 && !is_held(folder); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(is_held(folder));
    const Output second = run_program(arguments);
    INFO(second.err);
    CHECK(second.exit_code == 2);
    CHECK(second.err.find("another heapwright is writing into this folder") != std::string::npos);
    CHECK(second.err.find(folder.string()) != std::string::npos);
    const Output matrix = run_program({"matrix", folder.string(), "--compare-only"});
    CHECK(matrix.exit_code == 2);
    const Output csv =
        run_program({"report", test::source_path("reports/anv-kbl-mesa-22.3.6.json"), "--csv", folder.string()});
    CHECK(csv.exit_code == 2);
    CHECK(fs::exists(folder / "validation.json") == false);

    const Output done = first.get();
    INFO(done.err);
    CHECK(done.exit_code == 0);
    for (const char* name : {"report.json", "policy.json", "validation.json"}) CHECK(fs::exists(folder / name));
    for (const auto& entry : fs::directory_iterator(folder))
        CHECK(entry.path().string().find("previous") == std::string::npos);
    CHECK_FALSE(is_held(folder));
    fs::remove_all(parent);
}

TEST_CASE("a run that was killed holds its folder no longer") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto parent = fresh_folder("killed-run");
    const fs::path folder = parent / "results";
    const Output killed =
        interrupt_program({"run", "--api", "vulkan", "--icd", icd, "-o", folder.string()}, SIGKILL, 300);
    CHECK(killed.exit_code == 128 + SIGKILL);
    REQUIRE(fs::is_directory(folder));
    CHECK_FALSE(is_held(folder));
    fs::remove_all(parent);
}
