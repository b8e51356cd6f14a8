// Documents that ask for more memory than they are long, nest without end or repeat one thing: every command that reads
// one refuses it within twice its size and 200 MiB.
#include <catch2/catch_test_macros.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

constexpr std::size_t kTextBytes = 12u << 20;

// Head, the piece over and over, and tail. Written piece by piece: what this process holds counts as its children's.
struct Document {
    std::string what;
    std::string head;
    std::string piece;
    std::string tail;
};

std::uint64_t write(const Document& document, const std::string& file) {
    std::ofstream out(file, std::ios::binary);
    out << document.head;
    for (std::size_t size = 0; size < kTextBytes; size += document.piece.size()) out << document.piece;
    out << document.tail;
    out.close();
    return std::filesystem::file_size(file);
}

struct Ended {
    int exit_code = -1;
    std::uint64_t peak_bytes = 0;
};

// Of this one process.
Ended run(const std::vector<std::string>& arguments) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::vector<std::string> texts{test::build_path("heapwright")};
        texts.insert(texts.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
            _exit(126);
        execv(pointers[0], pointers.data());
        _exit(126);
    }
    int status = 0;
    rusage usage{};
    REQUIRE(wait4(child, &status, 0, &usage) == child);
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

TEST_CASE("a document takes memory by its size, whatever it holds") {
    const std::string head = R"({"$schema": "urn:heapwright:schema:report:1", "schema_version": 1, )";
    const std::string ids = R"("tool": {"name": "heapwright", "version": "1"}, "sources": [], )";
    const std::vector<Document> documents{
        {"integers", head + ids + "\"devices\": [", "1,", "1]}"},
        {"empty texts", head + ids + "\"devices\": [], \"failures\": [", "\"\",", "\"\"]}"},
        {"empty objects", head + ids + "\"devices\": [", "{},", "{}]}"},
        {"sources", head + "\"sources\": [", "{\"kind\":\"report\"},", "1]}"},
        {"nesting", "", "[", ""},
        {"a long text", "{\"a\": \"", "xxxxxxxxxxxxxxxx", "\"}"},
        {"commas", "", ",", ""},
        {"lines", "heapwright-trace 1\n", "frame\n", ""},
        {"headings", "VULKANINFO\n", "GPU0:\n", ""},
        {"tables", "", "[[allow]]\n", ""}};
    const auto folder = test::fresh_folder("hostile-bounds");
    const std::string file = (folder / "document.json").string();
    for (const Document& document : documents) {
        const std::string& what = document.what;
        const std::uint64_t most = 2 * write(document, file) + (200ull << 20);
        for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
                 {"advise", file},
                 {"explain", file},
                 {"import", file},
                 {"report", file},
                 {"compare", file, file},
                 {"compare", "--cluster", folder.string()},
                 {"compare", test::source_path("reports/anv-kbl-mesa-22.3.6.json"),
                  test::source_path("reports/anv-kbl-mesa-22.3.6.json"), "--allow", file, "--no-impact"},
                 {"workload", "--check", file},
                 {"matrix", (folder / "matrix").string(), "--drivers", file}}) {
            const Ended ended = run(command);
            INFO(fmt::format("{}: {}: exit code {}, {} MiB of {} MiB", what, fmt::join(command, " "), ended.exit_code,
                             ended.peak_bytes >> 20, most >> 20));
            CHECK((ended.exit_code == 2 || ended.exit_code == 3 || (ended.exit_code == 0 && what == "lines")));
            CHECK(ended.peak_bytes <= most);
        }
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("an allow-list with a key of many parts is refused") {
    const auto folder = test::fresh_folder("hostile-keys");
    const std::string file = (folder / "allow.toml").string();
    std::string key = "a";
    for (int part = 0; part < 400'000; ++part) key += ".a";
    REQUIRE(write_file_atomically(file, "[[allow]]\npath = \"/x\"\nreason = \"y\"\n" + key + " = 1\n"));
    const std::string report = test::source_path("reports/anv-kbl-mesa-22.3.6.json");
    const test::Output output = test::run_program({"compare", report, report, "--allow", file});
    CHECK(output.exit_code == 2);
    CHECK(output.err.find("allow.toml:4") != std::string::npos);
    std::filesystem::remove_all(folder);
}
