// A workload of one's own: the annotated example, and what is said of one that no device can create.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

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

Output checked_image(const std::filesystem::path& folder, const std::string& image) {
    return checked(folder, R"({"$schema": "urn:heapwright:schema:workload:1", "schema_version": 1, "name": "own",
        "buffers": [], "images": [{"count": 2, )" +
                               image + "}]}");
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

TEST_CASE("a hint that no device can create is refused with its place, its value and the rule") {
    const auto folder = fresh_folder("impossible");
    const auto refused = [&](const std::string& image, const std::vector<std::string>& parts) {
        const Output output = checked_image(folder, image);
        CAPTURE(image, output.err);
        CHECK(output.exit_code == 2);
        for (const std::string& part : parts) CHECK_THAT(output.err, ContainsSubstring(part));
    };
    refused(R"("format": "R8G8B8A8_UNORM", "usage": [], "extents": [[512, 512]])",
            {"/images/0/usage", "VkImageCreateInfo: usage must not be 0"});
    refused(R"("format": "R8G8B8A8_UNORM", "usage": ["DEPTH_STENCIL_ATTACHMENT"], "extents": [[512, 512]])",
            {"/images/0/usage", "DEPTH_STENCIL_ATTACHMENT of R8G8B8A8_UNORM"});
    refused(R"("format": "R8G8B8A8_UNORM", "usage": ["COLOR_ATTACHMENT"], "extents": [[512, 512]],
               "tiling": "linear", "samples": 4)",
            {"/images/0/samples", "4 samples of a linear image", "optimal tiling"});
    refused(R"("format": "G8_B8R8_2PLANE_420_UNORM", "usage": ["SAMPLED"], "extents": [[1919, 1079]])",
            {"/images/0/extents/0", "1919x1079", "even width and height"});
    const std::string even = R"("format": "G8_B8R8_2PLANE_420_UNORM", "usage": ["SAMPLED"], "extents": [[1920, 1080]])";
    CHECK(checked_image(folder, even).exit_code == 0);
}

TEST_CASE("a workload file that is not there is near no preset") {
    const Output missing = run_program({"workload", "--check", "none.json"});
    CHECK(missing.exit_code == 2);
    CHECK(missing.err.find("nearest") == std::string::npos);
    CHECK_THAT(run_program({"workload", "--check", "general-engin"}).err, ContainsSubstring("\"general-engine\""));
}

TEST_CASE("Files that other allocators write are workloads of every command that takes one") {
    const auto folder = fresh_folder("of_allocators");
    for (const char* name : {"vma-dump-2.json", "vma-dump-3.json", "vma-recording.csv"}) {
        CAPTURE(name);
        const std::string file = source_path("tests/golden/import/cases/") + name;
        const Output checked_file = run_program({"workload", "--check", file});
        CHECK(checked_file.exit_code == 0);
        CHECK_THAT(checked_file.out, ContainsSubstring(": good."));
        const std::string policy = (folder / name).string() + ".policy.json";
        CHECK(run_program({"advise", "--gpu", "RTX 4090", "-w", file, "-o", policy}).exit_code == 0);
        const Output refused = run_program({"import", file});
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.err, ContainsSubstring("workload"));
    }
    const Output cut = [&] {
        const auto whole = read_file(source_path("tests/golden/import/cases/vma-dump-3.json"));
        REQUIRE(whole);
        const auto file = folder / "cut.json";
        REQUIRE(write_file_atomically(file, whole->substr(0, whole->size() / 2)));
        return run_program({"advise", "--gpu", "RTX 4090", "-w", file.string()});
    }();
    CHECK(cut.exit_code == 2);
    CHECK_THAT(cut.err, ContainsSubstring("cut.json"));
}
