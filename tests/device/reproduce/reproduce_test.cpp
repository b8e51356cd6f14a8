// The generated programs as a stranger has them: compiled against the API's headers alone, linked with the loader, run
// on lavapipe (HEAPWRIGHT_ICD_LAVAPIPE; scripts/drivers --export sets it).
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "planted_findings.hpp"
#include "probe/examine.hpp"
#include "probe/reproducer.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

struct Outcome {
    int exit_code = -1;
    std::string printed;
};

Outcome run(const std::string& command) {
    Outcome outcome;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> block{};
    std::size_t read = 0;
    while ((read = std::fread(block.data(), 1, block.size(), pipe)) != 0) outcome.printed.append(block.data(), read);
    const int status = ::pclose(pipe);
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    return outcome;
}

std::filesystem::path scratch() {
    const std::filesystem::path folder = test::build_path("tests/reproduce");
    std::filesystem::create_directories(folder);
    return folder;
}

// Writes and compiles the program. The path of the executable.
std::filesystem::path build(const probe::DetailedFinding& detailed, const std::string& name) {
    const auto text = probe::reproducer(sound_device().identity, detailed);
    REQUIRE(text);
    const std::filesystem::path source = scratch() / (name + ".cpp");
    const std::filesystem::path program = scratch() / name;
    REQUIRE(write_file_atomically(source, *text));
    const Outcome compiled = run(std::string(HEAPWRIGHT_CXX) + " -std=c++17 -Wall -Wextra -Werror -O0 -o " +
                                 program.string() + " " + source.string() + " -lvulkan");
    INFO(compiled.printed);
    REQUIRE(compiled.exit_code == 0);
    return program;
}

std::string lavapipe_or_skip() {
    const char* icd = std::getenv("HEAPWRIGHT_ICD_LAVAPIPE");
    if (icd == nullptr || *icd == '\0') SKIP("HEAPWRIGHT_ICD_LAVAPIPE is not set");
    return icd;
}

Outcome run_on(const std::string& icd, const std::filesystem::path& program, const std::string& arguments = {}) {
    return run("VK_DRIVER_FILES=" + icd + " VK_ICD_FILENAMES=" + icd + " " + program.string() + " " + arguments);
}

probe::DetailedFinding planted(const std::string& id) {
    for (const PlantedFinding& entry : planted_findings()) {
        if (entry.id != id) continue;
        model::DeviceReport device = sound_device();
        entry.plant(device);
        auto found = probe::examine_in_detail(device);
        REQUIRE(found.size() == 1);
        return found[0];
    }
    FAIL("nothing plants " << id);
    return {};
}

std::string file_name(std::string id) {
    for (char& c : id) {
        if (c == ':') c = '-';
    }
    return id;
}

}  // namespace

TEST_CASE("Programs of planted findings compile and do not show on lavapipe what is not there") {
    const std::string icd = lavapipe_or_skip();
    // One of each form: two images, one image, two buffers, a limit, a limit of an extension, memory types,
    // a budget, a count.
    for (const std::string id :
         {"image-memory-type-bits-differ:color:optimal", "image-without-host-coherent-type",
          "image-size-falls-with-extent", "buffer-usage-adds-memory-types", "buffer-size-above-aligned-request",
          "buffer-alignment-below-offset-alignment:minUniformBufferOffsetAlignment",
          "limit-out-of-range:maxMemoryAllocationCount", "limit-out-of-range:maxMemoryAllocationSize",
          "limit-out-of-range:minImportedHostPointerAlignment", "memory-type-order", "memory-type-and-heap-disagree:1",
          "budget-above-heap:1", "usage-above-budget:0", "few-allocations:1"}) {
        const Outcome outcome = run_on(icd, build(planted(id), file_name(id)));
        INFO(id << "\n" << outcome.printed);
        // Lavapipe has one memory type and not every extension: what a program needs may be missing, and it says so.
        const bool lacks = outcome.printed.find("could not be tried: the device") != std::string::npos;
        CHECK(outcome.exit_code == (lacks ? 2 : 0));
        CHECK((lacks || outcome.printed.find("the violation does not show") != std::string::npos));
        // Older ones lack VK_EXT_memory_budget, too.
        const bool of_extension = id.starts_with("budget-") || id.starts_with("usage-") ||
                                  id == "limit-out-of-range:minImportedHostPointerAlignment";
        CHECK((!lacks || id == "few-allocations:1" || of_extension));
        CHECK(outcome.printed.find("the report's device is not here") != std::string::npos);
    }
}

TEST_CASE("Every planted finding's program compiles") {
    for (const PlantedFinding& entry : planted_findings()) {
        const auto text = probe::reproducer(sound_device().identity, planted(entry.id));
        REQUIRE(text);
        const std::filesystem::path source = scratch() / ("check-" + file_name(entry.id) + ".cpp");
        REQUIRE(write_file_atomically(source, *text));
        const Outcome compiled =
            run(std::string(HEAPWRIGHT_CXX) + " -std=c++17 -Wall -Wextra -Werror -fsyntax-only " + source.string());
        INFO(entry.id << "\n" << compiled.printed);
        CHECK(compiled.exit_code == 0);
    }
}

TEST_CASE("What is there shows") {
    const std::string icd = lavapipe_or_skip();
    probe::DetailedFinding detailed = planted("image-memory-type-bits-differ:color:optimal");
    detailed.reproduction.violated = "first.memoryTypeBits == second.memoryTypeBits && first.size != 0";
    const std::filesystem::path program = build(detailed, "shows");
    const Outcome outcome = run_on(icd, program);
    INFO(outcome.printed);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.printed.find("the violation shows") != std::string::npos);
    CHECK(run_on(icd, program, "0").exit_code == 1);
    CHECK(run_on(icd, program, "99").exit_code == 2);
    CHECK(run_on("/nonexistent/icd.json", program).exit_code == 2);
}
