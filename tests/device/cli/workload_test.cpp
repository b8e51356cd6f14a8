// A workload of one's own: the annotated example, and a file that is not there.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "heapwright/core/file.hpp"
#include "program.hpp"

using namespace heapwright;
using namespace heapwright::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

Output checked(const std::filesystem::path& folder, const std::string& text) {
    const auto file = folder / "own.json";
    REQUIRE(write_file_atomically(file, text));
    return run_program({"workload", "--check", file.string()});
}

}  // namespace

TEST_CASE("each member that the example holds in a comment can be taken out of it") {
    const auto folder = fresh_folder("example");
    const std::vector<std::string> example = lines_of(run_program({"workload", "--example"}).out);
    int members = 0;
    int images_host_access = 0;
    for (std::size_t at = 0; at < example.size(); ++at) {
        const std::size_t comment = example[at].find("// \"");
        if (comment == std::string::npos) continue;
        ++members;
        std::string text;
        for (std::size_t i = 0; i < example.size(); ++i) {
            text += i == at ? std::string(example[i]).erase(comment, 3) : example[i];
            text += '\n';
        }
        CAPTURE(example[at]);
        const Output output = checked(folder, text);
        CAPTURE(output.err);
        // The one that contradicts another member, of the example's first hint: its images are the device's alone.
        if (example[at].find("host_access") != std::string::npos && images_host_access++ == 0) {
            CHECK(output.exit_code == 2);
            CHECK_THAT(output.err, ContainsSubstring("/images/0/host_access: the host does not see the memory"));
        } else {
            CHECK(output.exit_code == 0);
        }
    }
    CHECK(members >= 10);
}

TEST_CASE("a workload file that is not there is near no preset") {
    const Output missing = run_program({"workload", "--check", "none.json"});
    CHECK(missing.exit_code == 2);
    CHECK(missing.err.find("nearest") == std::string::npos);
    CHECK_THAT(run_program({"workload", "--check", "general-engin"}).err, ContainsSubstring("\"general-engine\""));
}
