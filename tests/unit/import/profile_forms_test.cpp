// Profiles that people write: partial queue families, alternatives, several blocks, the list form of a draft.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "heapwright/model/json.hpp"
#include "import/import.hpp"
#include "inputs.hpp"

namespace profile_forms_test {

using namespace heapwright;
using nlohmann::json;

namespace {

model::DeviceReport only_device(const std::string& text) {
    model::Report report = test::imported_text(text);
    REQUIRE(report.devices.size() == 1);
    return std::move(report.devices[0]);
}

json with_profile(const json& blocks, const json& capabilities) {
    return {{"capabilities", blocks},
            {"profiles", {{"VP_made_up", {{"version", 1}, {"api-version", "1.2.0"}, {"capabilities", capabilities}}}}}};
}

json block_with_limit(const std::string& name, std::uint64_t value) {
    return {{"properties", {{"VkPhysicalDeviceProperties", {{"limits", {{name, value}}}}}}}};
}

model::Flags bits_of(const json& names) {
    namespace flag = model::queue_flag;
    model::Flags bits = 0;
    for (const json& name : names) {
        if (name == "VK_QUEUE_GRAPHICS_BIT") bits |= flag::kGraphics;
        if (name == "VK_QUEUE_COMPUTE_BIT") bits |= flag::kCompute;
        if (name == "VK_QUEUE_TRANSFER_BIT") bits |= flag::kTransfer;
        if (name == "VK_QUEUE_VIDEO_DECODE_BIT_KHR") bits |= 0x20;
        if (name == "VK_QUEUE_VIDEO_ENCODE_BIT_KHR") bits |= 0x40;
    }
    return bits;
}

}  // namespace

TEST_CASE("a profile's queue families keep what is stated; each missing member is listed as absent") {
    const std::string text = test::input_text("profile-partial-queue-families.json");
    const model::DeviceReport device = only_device(text);
    const json families = json::parse(text).at("capabilities").at("block").at("queueFamiliesProperties");
    REQUIRE(families.size() == 4);
    REQUIRE(device.queue_families.size() == 4);
    for (std::size_t i = 0; i < families.size(); ++i) {
        INFO(i);
        const json& family = families[i].at("VkQueueFamilyProperties");
        CHECK(device.queue_families[i].flags == bits_of(family.at("queueFlags")));
        CHECK(device.queue_families[i].queue_count == family.at("queueCount").get<std::uint32_t>());
        const std::string place = "/queue_families/" + std::to_string(i);
        CHECK(test::is_absent(device, place + "/timestamp_valid_bits"));
        CHECK(test::is_absent(device, place + "/min_image_transfer_granularity"));
        CHECK_FALSE(test::is_absent(device, place + "/flags"));
        CHECK_FALSE(test::is_absent(device, place + "/queue_count"));
    }
    CHECK_FALSE(test::is_absent(device, "/queue_families"));
    CHECK(device.extensions.size() == 5);
}

TEST_CASE("any member of a queue family may be missing, or of a kind that cannot be") {
    const json families = json::parse(R"([
        {"VkQueueFamilyProperties": {"queueCount": 7, "timestampValidBits": 36}},
        {"VkQueueFamilyProperties": {"queueFlags": ["VK_QUEUE_COMPUTE_BIT", "VK_QUEUE_NO_SUCH_BIT"],
            "queueCount": "many", "minImageTransferGranularity": {"width": 8, "depth": 2}}},
        {"VkQueueFamilyProperties": {"queueFlags": 3, "queueCount": 1}}])");
    const model::DeviceReport device =
        only_device(with_profile({{"b", {{"queueFamiliesProperties", families}}}}, json::array({"b"})).dump());
    REQUIRE(device.queue_families.size() == 3);
    CHECK(device.queue_families[0].queue_count == 7);
    CHECK(device.queue_families[0].timestamp_valid_bits == 36);
    CHECK(test::is_absent(device, "/queue_families/0/flags"));
    CHECK(device.queue_families[1].flags == model::queue_flag::kCompute);
    CHECK(device.queue_families[1].min_image_transfer_granularity == std::array<std::uint32_t, 3>{8, 0, 2});
    CHECK(test::is_absent(device, "/queue_families/1/queue_count"));
    CHECK(test::is_absent(device, "/queue_families/1/min_image_transfer_granularity/1"));
    CHECK_FALSE(test::is_absent(device, "/queue_families/1/min_image_transfer_granularity"));
    CHECK(test::is_absent(device, "/queue_families/2/flags"));
    CHECK(test::statement_of(device, "unreadable-value").find("queueFlags/1") != std::string::npos);
}

TEST_CASE("of a profile's alternatives the first is taken; the finding names it and those left out") {
    const model::DeviceReport device = only_device(test::input_text("profile-alternatives.json"));
    const std::string statement = test::statement_of(device, "alternative-capabilities");
    INFO(statement);
    CHECK(statement.find("the first, \"variant_a\", is taken") != std::string::npos);
    CHECK(statement.find("left out: \"variant_b\"") != std::string::npos);
    REQUIRE(device.queue_families.size() == 2);
    CHECK(device.queue_families[0].flags == model::queue_flag::kTransfer);
    CHECK(device.queue_families[1].flags == (model::queue_flag::kGraphics | model::queue_flag::kCompute));
    CHECK(device.limit(model::FactName::made("maxImageDimension3D")) == 2048);
    CHECK_FALSE(device.limit(model::FactName::made("maxImageDimensionCube")));
    REQUIRE(device.extensions.size() == 2);
    CHECK(device.extensions[0].name == "VK_KHR_driver_properties");
    CHECK(device.extensions[1].name == "VK_KHR_get_memory_requirements2");
    // 4096 in the first block, 8192 in the alternative.
    CHECK(device.limit(model::FactName::made("maxImageDimension1D")) == 4096);
    CHECK(test::statement_of(device, "differing-capabilities").find("2 values differently") != std::string::npos);
}

TEST_CASE("several lists of alternatives give their first each; one alternative alone leaves nothing out") {
    const json blocks{{"x", block_with_limit("maxImageDimension1D", 1)},
                      {"y", block_with_limit("maxImageDimension2D", 2)},
                      {"z", block_with_limit("maxImageDimension3D", 3)},
                      {"only", block_with_limit("maxImageArrayLayers", 4)}};
    const model::DeviceReport device =
        only_device(with_profile(blocks, json::parse(R"([["y", "x", "z"], ["z", "x"], ["only"]])")).dump());
    CHECK_FALSE(device.limit(model::FactName::made("maxImageDimension1D")));
    CHECK(device.limit(model::FactName::made("maxImageDimension2D")) == 2);
    CHECK(device.limit(model::FactName::made("maxImageDimension3D")) == 3);
    CHECK(device.limit(model::FactName::made("maxImageArrayLayers")) == 4);
    CHECK(std::ranges::count(device.findings, "alternative-capabilities", &model::Finding::id) == 2);
    CHECK(test::statement_of(device, "alternative-capabilities").find("left out: \"x\", \"z\"") != std::string::npos);
    CHECK_FALSE(test::has_finding(device, "differing-capabilities"));

    const auto missing = imports::import_report(with_profile(blocks, {"x", "w"}).dump(), "in");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("no capability block \"w\"; it has \"only\", \"x\", \"y\", \"z\"") !=
          std::string::npos);
    CHECK(missing.error().where == "in: /profiles/VP_made_up/capabilities/1");
}

TEST_CASE("families that two blocks state in the same words are one, and a block named twice counts once") {
    const auto family = [](const char* name, int count) {
        return json{{"VkQueueFamilyProperties", {{"queueFlags", json::array({name})}, {"queueCount", count}}}};
    };
    const json blocks{
        {"a", {{"queueFamiliesProperties", {family("VK_QUEUE_COMPUTE_BIT", 2), family("VK_QUEUE_COMPUTE_BIT", 2)}}}},
        {"b", {{"queueFamiliesProperties", {family("VK_QUEUE_COMPUTE_BIT", 2), family("VK_QUEUE_TRANSFER_BIT", 2)}}}}};
    const model::DeviceReport device = only_device(with_profile(blocks, {"a", "b", "a"}).dump());
    REQUIRE(device.queue_families.size() == 3);
    CHECK(device.queue_families[2].flags == model::queue_flag::kTransfer);
    CHECK(test::is_absent(device, "/queue_families/2/timestamp_valid_bits"));
    CHECK_FALSE(test::is_absent(device, "/queue_families/3/timestamp_valid_bits"));
}

TEST_CASE("profiles and capabilities as lists; a profile that names no block of the file is told") {
    const std::string text = test::input_text("profile-list-form.json");
    const model::DeviceReport device = only_device(text);
    CHECK(device.identity.name == "VP_LUNARG_test_api_1_2_198");
    CHECK(device.identity.api_version == "1.2.198");
    const std::string statement = test::statement_of(device, "missing-capabilities");
    INFO(statement);
    CHECK(statement.find("\"capabilities\"") != std::string::npos);
    CHECK(statement.find("its only one, \"baseline\"") != std::string::npos);
    const json block = json::parse(text).at("capabilities").at(0);
    const json& limits = block.at("properties").at("VkPhysicalDeviceProperties").at("limits");
    std::size_t checked = 0;
    for (const model::Fact& fact : device.limits) {
        if (fact.group != "VkPhysicalDeviceLimits" || !limits.at(std::string(fact.name)).is_number()) continue;
        INFO(fact.name);
        CHECK(fact.value == limits.at(std::string(fact.name)).get<std::uint64_t>());
        ++checked;
    }
    CHECK(checked > 30);
    CHECK(device.limit(model::FactName::made("framebufferColorSampleCounts")) == 9);
    CHECK(device.limit(model::FactName::made("minVertexInputBindingStrideAlignment")) == 4);
    CHECK(device.feature(model::FactName::made("imageCubeArray")));
    CHECK_FALSE(device.feature(model::FactName::made("samplerAnisotropy")));
    CHECK(device.extensions.size() == 2);
}

TEST_CASE("the list form with two profiles, each with the block that it names") {
    json one = block_with_limit("nonCoherentAtomSize", 32);
    json two = block_with_limit("nonCoherentAtomSize", 128);
    one["name"] = "one";
    two["name"] = "two";
    const json file{{"capabilities", {one, two}},
                    {"profiles",
                     {{{"name", "VP_b"}, {"api-version", "1.1.0"}, {"capabilities", json::array({"two"})}},
                      {{"name", "VP_a"}, {"api-version", "1.1.0"}, {"capabilities", json::array({"one"})}}}}};
    const auto report = imports::import_report(file.dump(), "in");
    if (!report) FAIL(to_string(report.error()));
    REQUIRE(report->devices.size() == 2);
    CHECK(report->devices[0].identity.name == "VP_b");
    CHECK(report->devices[0].limit(model::FactName::made("nonCoherentAtomSize")) == 128);
    CHECK(report->devices[1].identity.name == "VP_a");
    CHECK(report->devices[1].limit(model::FactName::made("nonCoherentAtomSize")) == 32);
    CHECK_FALSE(test::has_finding(report->devices[1], "missing-capabilities"));
}

TEST_CASE("a profile that states nothing is refused as one") {
    for (const std::string& text :
         {test::input_text("profile-draft-null.json"),
          std::string(R"({"$schema": "https://schema.khronos.org/vulkan/profiles-0.9.json#", "name": "other"})")}) {
        const auto report = imports::import_report(text, "in");
        REQUIRE_FALSE(report);
        CHECK(report.error().code == ErrorCode::kParseError);
        CHECK(report.error().message.find("a Vulkan profile that states nothing") != std::string::npos);
        CHECK(report.error().message.find("vulkaninfo --json") != std::string::npos);
    }
}

}  // namespace profile_forms_test
