// Files that are no report: dumps and recordings of allocators and of captures are named, for others the nearest
// format.
#include <catch2/catch_test_macros.hpp>

#include "import/import.hpp"
#include "inputs.hpp"

namespace foreign_test {

using namespace heapwright;
using imports::WantedFile;

namespace {

std::string error_of(std::string_view text) {
    const auto report = imports::import_report(text, "in");
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kParseError);
    CHECK(report.error().where == "in");
    return to_string(report.error());
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("dumps and recordings are refused by name as a report, captures as a workload too") {
    const std::string dump_2 = test::case_text("vma-dump-2.json");
    const std::string dump_3 = test::case_text("vma-dump-3.json");
    const std::string recording = test::case_text("vma-recording.csv");
    const std::string lines = test::case_text("gfxrecon-lines.jsonl");
    const struct {
        std::string text;
        std::string_view name;
    } cases[] = {{dump_2, "a dump of Vulkan Memory Allocator (VMA)"},
                 {dump_3, "a dump of Vulkan Memory Allocator (VMA)"},
                 {replaced(dump_2, "8304721920", "123"), "a dump of Vulkan Memory Allocator (VMA)"},
                 {dump_3.substr(0, dump_3.size() / 2), "a dump of Vulkan Memory Allocator (VMA)"},
                 {recording, "a recording of Vulkan Memory Allocator (VMA)"},
                 {replaced(recording, "1,8", "1,5"), "a recording of Vulkan Memory Allocator (VMA)"},
                 {lines, "a capture of gfxreconstruct as JSON"},
                 {test::case_text("gfxrecon-lines-one-invalid.jsonl"), "a capture of gfxreconstruct as JSON"},
                 {"[" + lines.substr(0, lines.find('\n')) + "]", "a capture of gfxreconstruct as JSON"},
                 {std::string("GFXR\0\1\2", 7), "a capture of gfxreconstruct"},
                 {R"({"General": {"API": "Direct3D 12", "GPU": "A"}, "Total": {"BlockCount": 3}})",
                  "a dump of D3D12 Memory Allocator (D3D12MA)"},
                 {R"({"Total": {"Blocks": 1}, "DEFAULT": {}, "UPLOAD": {}, "READBACK": {}})",
                  "a dump of D3D12 Memory Allocator (D3D12MA)"}};
    for (const auto& [text, name] : cases) {
        INFO(name);
        const std::string message = error_of(text);
        INFO(message);
        CHECK(has(message, "in: this is " + std::string(name) + ":"));
        CHECK(has(message, "import what vulkaninfo prints"));
        CHECK(message.size() < 300);
        const auto workload = imports::foreign_file(text, "load", WantedFile::kWorkload);
        if (!has(name, "gfxreconstruct")) {
            CHECK(has(message, "advise REPORT -w FILE"));
            CHECK_FALSE(workload);
            continue;
        }
        REQUIRE(workload);
        CHECK(has(workload->message, name));
        CHECK(has(workload->message, "heapwright workload --example"));
        CHECK(workload->where == "load");
    }
}

TEST_CASE("a log of vkd3d-proton is refused by name, and with DXVK's lines it is DXVK's") {
    const std::string log =
        "4134.551:00e4:00e8:info:vkd3d-proton:vkd3d_get_vk_version: vkd3d-proton - applicationVersion: 2.14.1.\n";
    CHECK(has(error_of(log), "this is a log of vkd3d-proton"));
    CHECK(has(error_of("952:info:vkd3d_instance_init: vkd3d-proton - build: 42fb018d85787fb.\n"), "vkd3d-proton"));
    CHECK_FALSE(imports::foreign_file(log, "log", WantedFile::kWorkload));
    CHECK(imports::import_report(log + test::case_text("log-dxvk-heaps.txt"), "in"));
}

TEST_CASE("a file of no known kind is told the nearest, what of it was found and what was looked for") {
    const std::string gpuinfo = error_of(R"([{"properties": {"deviceName": "A"}, "surroundings": {}}])");
    CHECK(has(gpuinfo, R"(nearest is gpuinfo.org JSON: "properties", "deviceName" is there, "environment" is not)"));
    CHECK(has(gpuinfo, "looked for gpuinfo.org JSON"));
    CHECK(has(error_of(R"([{"profiles": {}}])"), R"(nearest is Vulkan Profiles JSON: "profiles" is there)"));
    CHECK(has(error_of(R"([{"DXGI_ADAPTER_DESC3": {}}])"), R"("Adapters" is not)"));
    CHECK(has(error_of("\tmemoryHeaps[0]:\n\t\tsize = 3\n"), "nearest is vulkaninfo text: memoryHeaps[0] is there"));
    CHECK(has(error_of("info:  Game: a.exe\n"), "nearest is DXVK's log"));
    CHECK(has(error_of("hello"), "nothing in it is of one; looked for"));
    CHECK(has(error_of(""), "DXVK's log"));
    CHECK(has(error_of(R"({"other": ["Adapters", "DXGI_ADAPTER_DESC3"]})"), "stand elsewhere"));
    for (const char* text : {"", "{}", R"({"properties": 1})"}) CHECK(error_of(text).size() < 300);
}

TEST_CASE("files that can be imported are of no foreign kind") {
    for (const std::string& name : test::input_names()) {
        INFO(name);
        CHECK_FALSE(imports::foreign_file(test::input_text(name), name, WantedFile::kReport));
    }
}

}  // namespace foreign_test
