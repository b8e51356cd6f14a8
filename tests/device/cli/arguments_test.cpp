// What the program says to wrong arguments and to places it cannot read or write: at once, by name, with exit code 2.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

const std::string kReport = test::source_path("reports/anv-kbl-mesa-22.3.6.json");

void check_refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const Output output = run_program(arguments);
    INFO(output.err);
    CHECK(output.exit_code == 2);
    CHECK(output.out.empty());
    CHECK(output.err.starts_with("heapwright: "));
    for (const std::string& part : parts) {
        INFO(part);
        CHECK(output.err.find(part) != std::string::npos);
    }
}

std::size_t entries(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a value that cannot be meant is refused by name, with what was expected") {
    check_refused({"probe", "--memory-limit", "-1"}, {"--memory-limit", "'-1'", "512MiB"});
    check_refused({"probe", "--memory-limit", "0"}, {"--memory-limit", "'0'", "1 byte"});
    check_refused({"probe", "--memory-limit", "20000000000GiB"}, {"--memory-limit", "64 bits"});
    check_refused({"probe", "--memory-limit", "12 apples"}, {"--memory-limit", "12 apples"});
    for (const char* limit : {"0", "-1", "nan", "inf", "1e300", "abc"}) {
        check_refused({"probe", "--time-limit", limit}, {"--time-limit", limit, "31536000"});
    }
    check_refused({"probe", "--api", "metal"}, {"--api", "'metal'", "vulkan, d3d12 and all"});
    check_refused({"validate", kReport, "--seed", "-1"}, {"--seed", "'-1'", "18446744073709551615"});
    check_refused({"validate", kReport, "--seed", "99999999999999999999"}, {"--seed"});
    check_refused({"export", kReport, "-t", "vma", "-d", "-1"}, {"--device", "'-1'"});
    check_refused({"compare", kReport, kReport, "--least-ratio", "nan"}, {"--least-ratio", "'nan'", "1 to 1000"});
    check_refused({"compare", kReport, kReport, "--false-alarm-rate", "nan"}, {"--false-alarm-rate"});
    check_refused({"compare", "--cluster", kReport, "--waste", "nan"}, {"--waste"});
    check_refused({"run", "--scenario", "nope"}, {"--scenario", "nope", "mixed-workload"});
}

TEST_CASE("a number with leading zeros is decimal") {
    const auto folder = fresh_folder("zeros");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", kReport, "-w", "desktop-app", "-o", policy}).exit_code == 0);
    // Octal, 010 would be 8, and 08 no number at all.
    check_refused({"export", policy, "-t", "vma", "-d", "010"}, {"value 10"});
    check_refused({"export", policy, "-t", "vma", "-d", "08"}, {"value 8"});
    std::filesystem::remove_all(folder);
}

TEST_CASE("an empty value is refused, which a shell makes of an unset variable") {
    check_refused({"probe", "--device", ""}, {"--device", "is empty"});
    check_refused({"validate", kReport, "--replay", ""}, {"--replay", "is empty"});
    check_refused({"advise", ""}, {"REPORT", "is empty"});
    check_refused({"advise", kReport, "-o", ""}, {"--output", "is empty"});
    check_refused({"devices", "--icd", ""}, {"--icd", "is empty"});
}

TEST_CASE("a misspelt command is named") {
    check_refused({"devicess"}, {"devicess"});
    check_refused({"store", "ad", "x.db"}, {"ad x.db"});
}

TEST_CASE("what would be ignored is refused") {
    check_refused({"validate", kReport, "--replay", kReport, "--validation-layers"}, {"--replay", "layers"});
    check_refused({"validate", kReport, "--replay", kReport, "--icd", "x.json"}, {"--replay", "--icd"});
    check_refused({"compare", kReport, "--cluster", "--allow", "list.toml"}, {"--cluster", "--allow"});
}

TEST_CASE("a place that cannot be written is refused before the work") {
    const auto folder = fresh_folder("places");
    const std::string nowhere = (folder / "no" / "report.json").string();
    check_refused({"probe", "--icd", "/absent/icd.json", "-o", nowhere}, {"--output", nowhere, "no folder"});
    check_refused({"probe", "--icd", "/absent/icd.json", "-o", folder.string()}, {"--output", "is a folder"});
    check_refused({"compare", kReport, kReport, "--write", "json=" + nowhere}, {"--write", nowhere});
    check_refused({"compare", kReport, kReport, "--write", "yaml=x"}, {"--write", "yaml", "junit"});
    // A run that never came to its first document leaves no folder.
    const auto results = folder / "results";
    CHECK(run_program({"run", "--icd", "/absent/icd.json", "-o", results.string()}).exit_code == 2);
    CHECK(run_program({"run", "-w", "no such workload", "-o", results.string()}).exit_code == 2);
    CHECK(entries(folder) == 0);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a run leaves an earlier one's documents under other names, each set whole") {
    const auto folder = fresh_folder("earlier");
    const auto write = [&](const char* name, const char* text) { REQUIRE(write_file_atomically(folder / name, text)); };
    const auto holds = [&](const char* name, const char* text) {
        const auto read = read_file(folder / name);
        return read && *read == text;
    };
    const auto failing_run = [&] { return run_program({"run", "--icd", "/absent/icd.json", "-o", folder.string()}); };
    write("report.json", "1");
    write("policy.json", "1");
    write("validation.json", "1");
    const Output first = failing_run();
    CHECK(first.exit_code == 2);
    CHECK(first.err.find("validation.json.previous, policy.json.previous, report.json.previous") != std::string::npos);
    CHECK(entries(folder) == 3);
    CHECK(holds("report.json.previous", "1"));
    CHECK(holds("policy.json.previous", "1"));
    CHECK(holds("validation.json.previous", "1"));

    // One that fails before its first document takes nothing from them.
    CHECK(failing_run().err.find("earlier run") == std::string::npos);
    CHECK(entries(folder) == 3);

    // One that ended early does not replace one that did not.
    write("report.json", "2");
    write("policy.json", "2");
    CHECK(failing_run().err.find("policy.json.unfinished, report.json.unfinished") != std::string::npos);
    CHECK(entries(folder) == 5);
    CHECK(holds("report.json.unfinished", "2"));
    CHECK(holds("report.json.previous", "1"));

    // A set has members of one run alone; a link stays one.
    write("elsewhere.json", "3");
    std::filesystem::create_symlink("elsewhere.json", folder / "report.json");
    (void)failing_run();
    CHECK(std::filesystem::is_symlink(folder / "report.json"));
    CHECK(holds("report.json.unfinished", "3"));
    CHECK_FALSE(std::filesystem::exists(folder / "policy.json.unfinished"));
    CHECK_FALSE(std::filesystem::exists(folder / "elsewhere.json"));
    CHECK(entries(folder) == 5);  // the link is the fifth

    // A run whose documents cannot be written renames nothing.
    std::filesystem::remove(folder / "report.json");
    write("report.json", "4");
    std::filesystem::create_directory(folder / "policy.json");
    CHECK(failing_run().exit_code == 2);
    CHECK(holds("report.json", "4"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("a link is written through, and a named pipe is no file to replace") {
    const auto folder = fresh_folder("links");
    REQUIRE(write_file_atomically(folder / "real.json", "old"));
    std::filesystem::permissions(folder / "real.json",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink("real.json", folder / "link.json");
    REQUIRE(run_program({"schema", "policy", "-o", (folder / "link.json").string()}).exit_code == 0);
    CHECK(std::filesystem::is_symlink(folder / "link.json"));
    CHECK(read_file(folder / "real.json").value().starts_with("{"));
    CHECK(std::filesystem::status(folder / "real.json").permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));

    const std::string pipe = (folder / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    const Output output = run_program({"schema", "workload", "-o", pipe});
    CHECK(output.exit_code == 0);
    std::string seen(1 << 20, '\0');
    const ssize_t count = read(reader, seen.data(), seen.size());
    close(reader);
    seen.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    CHECK(seen == run_program({"schema", "workload"}).out);
    CHECK(std::filesystem::is_fifo(pipe));
    CHECK(entries(folder) == 3);
    std::filesystem::remove_all(folder);
}

TEST_CASE("every command reads its document from standard input as well") {
    const Output advised = run_program({"advise", "-"}, {}, kReport);
    INFO(advised.err);
    REQUIRE(advised.exit_code == 0);
    const auto folder = fresh_folder("stdin");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(write_file_atomically(policy, advised.out));
    CHECK(run_program({"explain", "-"}, {}, policy).out == run_program({"explain", policy}).out);
    CHECK(run_program({"export", "-", "-t", "vma"}, {}, policy).exit_code == 0);
    CHECK(run_program({"compare", kReport, "-"}, {}, kReport).exit_code == 0);
    const Output wrong = run_program({"explain", "-"}, {}, kReport);
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.err.find("standard input: /$schema") != std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("--device picks devices of a replayed report") {
    const auto folder = fresh_folder("replayed");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", kReport, "-w", "desktop-app", "-o", policy}).exit_code == 0);
    check_refused({"validate", policy, "--replay", kReport, "-d", "5"}, {"--device", "no device matches '5'"});
    std::filesystem::remove_all(folder);
}

TEST_CASE("a driver that hangs does not outlive an interruption") {
    const auto folder = fresh_folder("hanging");
    const std::string icd = (folder / "hanging_icd.json").string();
    REQUIRE(write_file_atomically(icd, R"({"file_format_version": "1.0.0", "ICD": {"library_path": ")" +
                                           test::build_path("tests/device/cli/libhanging_driver.so") +
                                           R"(", "api_version": "1.3.0"}})"));
    const auto start = std::chrono::steady_clock::now();
    const Output interrupted = interrupt_program({"devices", "--api", "vulkan", "--icd", icd}, SIGINT, 500);
    INFO(interrupted.err);
    CHECK(interrupted.exit_code == 4);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
    std::filesystem::remove_all(folder);
}

TEST_CASE("drivers that give no device are named") {
    const auto folder = fresh_folder("no-driver");
    const std::string icd = (folder / "no_icd.json").string();
    REQUIRE(write_file_atomically(icd, R"({"file_format_version": "1.0.0", "ICD": {}})"));
    const Output output = run_program({"devices", "--icd", icd});
    INFO(output.err);
    CHECK(output.exit_code == 3);
    CHECK(output.err.find(icd) != std::string::npos);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a reader that closed its pipe changes no exit code") {
    const std::string other = test::source_path("reports/anv-kbl-mesa-25.0.7.json");
    const std::vector<std::pair<std::vector<std::string>, int>> commands{
        {{"schema", "report"}, 0},
        {{"--help"}, 0},
        {{"compare", kReport, kReport, "-q"}, 0},
        {{"compare", kReport, other, "-q", "--no-impact"}, 1}};
    for (const auto& [arguments, expected] : commands) {
        CAPTURE(arguments.front());
        int ends[2];
        REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        close(ends[0]);
        const Output output = run_program(arguments, {}, "/dev/null", ends[1]);
        close(ends[1]);
        CHECK(output.exit_code == expected);
        CHECK(output.err.empty());
    }
}

TEST_CASE("files are written before a standard output that takes nothing") {
    const auto folder = fresh_folder("files-first");
    const std::string junit = (folder / "comparison.xml").string();
    const std::string markdown = (folder / "comparison.md").string();
    for (const std::string redirection : {">/dev/full", ">&-"}) {
        CAPTURE(redirection);
        const std::string command = test::build_path("heapwright") + " compare " + kReport + " " + kReport +
                                    " --write json=- --write junit=" + junit + " --write markdown=" + markdown + " " +
                                    redirection + " 2>/dev/null";
        const int status = std::system(command.c_str());
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 2);
        CHECK(std::filesystem::remove(junit));
        CHECK(std::filesystem::remove(markdown));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("a path that cannot be looked at is bad input of every command that takes one") {
    const auto folder = fresh_folder("unreadable-paths");
    const std::string loop = (folder / "loop").string();
    std::filesystem::create_symlink("loop", loop);
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", kReport, "-w", "2d-ui", "-q", "-o", policy}).exit_code == 0);
    const std::vector<std::vector<std::string>> commands{
        {"advise", "@"},
        {"advise", kReport, "-w", "@"},
        {"advise", kReport, "-o", "@/x"},
        {"compare", "@", kReport},
        {"compare", kReport, "@"},
        {"compare", "--baseline", "@", kReport},
        {"compare", "--baseline", "@/x", kReport},
        {"compare", "--cluster", "@"},
        {"compare", kReport, kReport, "--allow", "@"},
        {"compare", kReport, kReport, "--write", "junit=@/x"},
        {"compare", kReport, kReport, "--write-baseline", "@/x"},
        {"compare", "--pair", "@", "@"},
        {"explain", "@"},
        {"export", "@", "-t", "vma"},
        {"export", policy, "-t", "vma", "--account", "@/x"},
        {"import", "@"},
        {"matrix", "@", "--drivers", "/dev/null"},
        {"matrix", (folder / "m").string(), "--drivers", "@"},
        {"matrix", (folder / "m").string(), "--compare-only", "--baseline", "@"},
        {"probe", "--icd", "@", "--api", "vulkan"},
        {"report", "@"},
        {"report", kReport, "--csv", "@"},
        {"reproduce", "x", "@"},
        {"run", "-o", "@/x"},
        {"validate", "@"},
        {"validate", policy, "--replay", "@"},
        {"workload", "--check", "@"},
    };
    for (const std::string& path : {loop, (folder / std::string(5000, 'x')).string(), loop + "/x"}) {
        for (std::vector<std::string> arguments : commands) {
            for (std::string& argument : arguments) {
                const std::size_t at = argument.find('@');
                if (at != std::string::npos) argument.replace(at, 1, path);
            }
            const Output output = run_program(arguments);
            INFO(arguments[0] << " " << arguments[1].substr(0, 200) << ": " << output.err.substr(0, 400));
            CHECK((output.exit_code == 2 || (arguments[0] == "probe" && output.exit_code == 3)));
            CHECK(output.err.find(path.substr(0, 40)) != std::string::npos);
        }
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("a current folder that is gone ends no command by a signal") {
    const auto folder = fresh_folder("no-current-folder");
    const std::string program = test::build_path("heapwright");
    for (const char* arguments : {"probe --api vulkan --icd x.json", "matrix out --drivers /dev/null",
                                  "run -o out --icd x.json", "compare --baseline . x.json", "advise x.json"}) {
        std::filesystem::create_directories(folder / "gone");
        const int status = std::system(("cd " + (folder / "gone").string() + " && rmdir ../gone && " + program + " " +
                                        arguments + " >/dev/null 2>&1")
                                           .c_str());
        CAPTURE(arguments);
        CHECK(WIFEXITED(status));
        CHECK((WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 3));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("standard error that takes nothing ends no command, and files are whole") {
    const auto folder = fresh_folder("no-error-output");
    const std::string program = test::build_path("heapwright");
    for (const std::string redirection : {"2>/dev/full", "2>&-", "2>&- >&-", "</dev/null <&- 2>&- >&-"}) {
        CAPTURE(redirection);
        const std::string policy = (folder / "policy.json").string();
        std::filesystem::remove(policy);
        const std::string command = program + " advise " + kReport + " -w desktop-app -o " + policy + " " + redirection;
        CHECK(std::system(command.c_str()) == 0);
        const auto text = read_file(policy);
        REQUIRE(text);
        CHECK(model::read_policy(*text, policy));
        // An error is told by its exit code at least.
        const int status = std::system((program + " advise no-such-file.json " + redirection).c_str());
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 2);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("standard output that takes nothing is an error like any other") {
    for (const std::string arguments : {" schema report ", " --help ", " help compare ", " --version ", " "}) {
        for (const std::string redirection : {">/dev/full", ">&-"}) {
            CAPTURE(arguments, redirection);
            const int status =
                std::system((test::build_path("heapwright") + arguments + redirection + " 2>/dev/null").c_str());
            CHECK(WIFEXITED(status));
            CHECK(WEXITSTATUS(status) == 2);
        }
    }
}
