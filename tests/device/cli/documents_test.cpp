// What the program says to documents that are broken: exit code 2 and the place.
#include <functional>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

using Json = nlohmann::ordered_json;

struct Case {
    const char* what;
    std::function<void(Json&)> change;
    const char* place;
};

Output advise(const std::filesystem::path& folder, const std::string& text) {
    const auto file = folder / "report.json";
    REQUIRE(write_file_atomically(file, text));
    return run_program({"advise", file.string()});
}

}  // namespace

TEST_CASE("an absurd report is refused with the place, the value and the limit") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const std::string good = run_program({"probe", "--api", "vulkan", "--icd", icd, "--no-timing"}).out;
    const auto folder = fresh_folder("documents");
    REQUIRE(advise(folder, good).exit_code == 0);

    const Case cases[] = {
        {"zero-size heap", [](Json& report) { report["devices"][0]["heaps"][0]["size_bytes"] = 0; },
         "/devices/0/heaps/0/size_bytes"},
        {"40 memory types",
         [](Json& report) {
             Json& types = report["devices"][0]["memory_types"];
             while (types.size() < 40) types.push_back(types[0]);
         },
         "/devices/0/memory_types"},
        {"a heap that does not exist", [](Json& report) { report["devices"][0]["memory_types"][0]["heap_index"] = 7; },
         "/devices/0/memory_types/0/heap_index"},
        {"memory type bits beyond the types",
         [](Json& report) { report["devices"][0]["image_sweep"]["requirements"][0]["memory_type_bits"] = 1u << 31; },
         "/devices/0/image_sweep/requirements/0/memory_type_bits"},
        {"alignment 3",
         [](Json& report) { report["devices"][0]["buffer_sweep"]["requirements"][0]["alignment_bytes"] = 3; },
         "/devices/0/buffer_sweep/requirements/0/alignment_bytes"},
        {"wrong version", [](Json& report) { report["schema_version"] = 99; }, "/schema_version"},
        {"another kind", [](Json& report) { report["$schema"] = "urn:heapwright:schema:policy:1"; }, "/$schema"},
        {"unknown key", [](Json& report) { report["devices"][0]["surprise"] = 1; }, "/devices/0/surprise"},
        {"wrong type", [](Json& report) { report["devices"][0]["identity"]["name"] = 1; }, "/devices/0/identity/name"},
    };
    for (const Case& entry : cases) {
        Json report = Json::parse(good);
        entry.change(report);
        const Output output = advise(folder, report.dump());
        INFO(entry.what << "\n" << output.err);
        CHECK(output.exit_code == 2);
        CHECK(output.out.empty());
        CHECK(output.err.find(entry.place) != std::string::npos);
        CHECK(output.err.find("report.json") != std::string::npos);
    }
    for (const std::string& text : {good.substr(0, good.size() / 2), std::string(), std::string("\xff\xfe\x00", 3),
                                    std::string("[1, 2"), good + "x"}) {
        const Output output = advise(folder, text);
        CHECK(output.exit_code == 2);
        CHECK(output.err.find("report.json") != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}
