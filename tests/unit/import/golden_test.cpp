// What each real file gives, whole. HEAPWRIGHT_UPDATE_GOLDEN=1 writes the golden files anew.
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

// Without what says nothing of the importer: the program's version, and the long lists of extensions.
std::string golden_text(model::Report report) {
    report.header.tool_version = "golden";
    for (model::DeviceReport& device : report.devices) device.extensions.clear();
    return model::write(report);
}

}  // namespace

TEST_CASE("every real file imports as its golden report") {
    const bool update = std::getenv("HEAPWRIGHT_UPDATE_GOLDEN") != nullptr;
    for (const std::string& name : test::input_names()) {
        INFO(name);
        const std::string path = test::source_path("tests/golden/import/") + name + ".report.json";
        const std::string text = golden_text(test::imported(name));
        if (update) {
            REQUIRE(write_file_atomically(path, text));
            WARN("wrote " << path);
        }
        const auto golden = read_file(path);
        REQUIRE(golden);
        CHECK(text == *golden);
    }
}

TEST_CASE("an imported report passes the strict reader and keeps its origin") {
    for (const std::string& name : test::input_names()) {
        INFO(name);
        const model::Report report = test::imported(name);
        const std::string text = model::write(report);
        const auto again = model::read_report(text, name);
        if (!again) FAIL(to_string(again.error()));
        CHECK(model::write(*again) == text);
        for (const model::DeviceReport& device : again->devices) {
            CHECK(device.origin == model::ReportOrigin::kImport);
            CHECK(test::is_absent(device, "/image_sweep"));
            CHECK(test::is_absent(device, "/buffer_sweep"));
            CHECK(test::is_absent(device, "/volatile/memory_cost"));
            CHECK(device.image_sweep.cases.empty());
            CHECK(device.run.memory_cost.empty());
            CHECK(test::has_finding(device, "imported"));
        }
    }
}

TEST_CASE("the source's name leaves no trace in the report") {
    const std::string text = test::input_text("nvidia-h100-580.159.04.txt");
    const auto here = imports::import_report(text, "here.txt");
    const auto there = imports::import_report(text, "/some/where/else.txt");
    REQUIRE(here);
    REQUIRE(there);
    CHECK(model::write(*here) == model::write(*there));
}
