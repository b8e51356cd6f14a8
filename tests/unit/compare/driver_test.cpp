#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "compare/matrix_driver.hpp"

using namespace heapwright;
using namespace heapwright::compare;

namespace {

constexpr const char* kList = R"({"drivers": [
    {"id": "lavapipe-22.3.6", "family": "lavapipe", "icd": "/lvp.json", "purpose": "runs work"},
    {"id": "radv-navi10-22.3.6", "family": "radv", "api": "vulkan", "icd": "/radeon.json", "gpu": "navi10",
     "environment": [{"name": "AMDGPU_GPU_ID", "value": "navi10"}], "timing": false, "purpose": "a played GPU"},
    {"id": "radv-navi21-22.3.6", "family": "radv", "icd": "/radeon.json", "gpu": "navi21", "purpose": "a played GPU"},
    {"id": "wine-over-lavapipe", "family": "wine", "api": "all", "icd": "/lvp.json", "command": ["wine64", "x.exe"],
     "environment": [{"name": "VK_DRIVER_FILES"}, {"name": "WINEDEBUG", "value": "-all"}], "purpose": "Windows"},
    {"id": "vkd3d", "family": "vkd3d", "api": "d3d12", "purpose": "Direct3D 12", "absent": "no libvkd3d"}
]})";

std::vector<MatrixDriver> drivers() {
    return read_drivers(kList, "list").value();
}

Error driver_error(const std::string& text) {
    const auto list = read_drivers(text, "list");
    REQUIRE_FALSE(list);
    return list.error();
}

std::vector<std::string> ids(const std::vector<MatrixDriver>& chosen) {
    std::vector<std::string> result;
    for (const MatrixDriver& driver : chosen) result.push_back(driver.id);
    return result;
}

std::string text_of(const std::vector<EnvironmentEntry>& environment) {
    std::string text;
    for (const EnvironmentEntry& entry : environment) {
        text += entry.name + (entry.value ? "=" + *entry.value : " goes") + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("a list says how each driver is reached") {
    const std::vector<MatrixDriver> list = drivers();
    REQUIRE(list.size() == 5);
    CHECK(list[0].api == DriverApi::kVulkan);
    CHECK(list[0].timing);
    CHECK(list[1].gpu == "navi10");
    CHECK(list[3].command == std::vector<std::string>{"wine64", "x.exe"});
    CHECK_FALSE(list[3].absent);
    CHECK(list[4].absent == "no libvkd3d");
}

TEST_CASE("a driver's process gets the loader's variables, and those of its own that change them") {
    const std::vector<MatrixDriver> list = drivers();
    CHECK(text_of(environment_of(list[1])) ==
          "VK_DRIVER_FILES=/radeon.json\nVK_ICD_FILENAMES=/radeon.json\nAMDGPU_GPU_ID=navi10\n");
    CHECK(text_of(environment_of(list[3])) == "VK_DRIVER_FILES goes\nVK_ICD_FILENAMES=/lvp.json\nWINEDEBUG=-all\n");
    CHECK(environment_of(list[4]).empty());
}

TEST_CASE("a probe asks for the driver's API, and measures only where work runs") {
    const std::vector<MatrixDriver> list = drivers();
    CHECK(probe_arguments(list[0]) == std::vector<std::string>{"probe", "-q", "--api", "vulkan"});
    CHECK(probe_arguments(list[1]) == std::vector<std::string>{"probe", "-q", "--api", "vulkan", "--no-timing"});
    CHECK(probe_arguments(list[4]) == std::vector<std::string>{"probe", "-q", "--api", "d3d12"});
}

TEST_CASE("what is wrong with a list is named with its place") {
    CHECK(driver_error("{").code == ErrorCode::kParseError);
    CHECK(driver_error(R"({"drivers": [{"id": "a", "family": "f"}]})").message.find("purpose") != std::string::npos);
    const Error unknown = driver_error(R"({"drivers": [{"id": "a", "family": "f", "purpose": "", "icds": []}]})");
    CHECK(to_string(unknown).find("icds") != std::string::npos);
    for (const char* id : {"", "../a", "a/b", ".hidden", "a b"}) {
        const Error error =
            driver_error(R"({"drivers": [{"id": ")" + std::string(id) + R"(", "family": "f", "purpose": ""}]})");
        INFO(id);
        CHECK(error.where.find("/drivers/0/id") != std::string::npos);
    }
    const Error twice = driver_error(R"({"drivers": [{"id": "a", "family": "f", "purpose": ""},
                                                 {"id": "a", "family": "g", "purpose": ""}]})");
    CHECK(twice.where.find("/drivers/1/id") != std::string::npos);
}

TEST_CASE("a selection keeps the list's order, and asks only played drivers for their GPU") {
    const std::vector<MatrixDriver> list = drivers();
    CHECK(choose_drivers(list, {}).value().size() == list.size());
    CHECK(ids(choose_drivers(list, {.families = {"vkd3d", "lavapipe"}, .gpus = {}}).value()) ==
          std::vector<std::string>{"lavapipe-22.3.6", "vkd3d"});
    CHECK(ids(choose_drivers(list, {.families = {}, .gpus = {"navi21"}}).value()) ==
          std::vector<std::string>{"lavapipe-22.3.6", "radv-navi21-22.3.6", "wine-over-lavapipe", "vkd3d"});
}

TEST_CASE("a family or a GPU that the list lacks is refused with those that it has") {
    const std::vector<MatrixDriver> list = drivers();
    const auto family = choose_drivers(list, {.families = {"anv"}, .gpus = {}});
    REQUIRE_FALSE(family);
    CHECK(family.error().code == ErrorCode::kInvalidArgument);
    CHECK(family.error().message.find("lavapipe, radv, wine, vkd3d") != std::string::npos);
    const auto gpu = choose_drivers(list, {.families = {}, .gpus = {"navi10", "navi99"}});
    REQUIRE_FALSE(gpu);
    CHECK(gpu.error().message.find("'navi99'") != std::string::npos);
    // Where nothing is played, the rows of the missing drivers say why.
    CHECK(choose_drivers({list[0], list[4]}, {.families = {}, .gpus = {"navi10"}}).value().size() == 2);
}
