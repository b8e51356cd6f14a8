#include <cstdio>
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "vulkan/call.hpp"
#include "vulkan/instance.hpp"
#include "vulkan/loader.hpp"

using namespace heapwright;

TEST_CASE("an absent loader is an error that names what was tried") {
    const char* const names[] = {"libheapwright-none.so.1", "libheapwright-none.so.2"};
    const Status status = vulkan::load_loader(names);
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kNoLoader);
    CHECK(status.error().message.find("libheapwright-none.so.1") != std::string::npos);
    CHECK(status.error().message.find("libheapwright-none.so.2") != std::string::npos);
}

TEST_CASE("a library without the entry point is not a loader") {
    const char* const names[] = {"libc.so.6"};
    const Status status = vulkan::load_loader(names);
    REQUIRE(!status);
    CHECK(status.error().message.find("vkGetInstanceProcAddr") != std::string::npos);
}

TEST_CASE("a driver manifest that is absent or no manifest is an error that names it") {
    const std::filesystem::path absent = "/nonexistent/driver.json";
    const Status missing = vulkan::select_drivers(std::span(&absent, 1));
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::kIoError);
    CHECK(to_string(missing.error()).find(absent.string()) != std::string::npos);

    const auto text = std::filesystem::temp_directory_path() / "heapwright-loader-test.txt";
    std::ofstream(text) << "not a manifest\n";
    const Status wrong = vulkan::select_drivers(std::span(&text, 1));
    std::filesystem::remove(text);
    REQUIRE(!wrong);
    CHECK(wrong.error().code == ErrorCode::kParseError);
    CHECK(to_string(wrong.error()).find(text.string()) != std::string::npos);
}

TEST_CASE("a manifest that leads to no driver is no device") {
    const auto file = std::filesystem::temp_directory_path() / "heapwright-loader-test.json";
    std::ofstream(file) << R"({"file_format_version": "1.0.0",
        "ICD": {"library_path": "/nonexistent/libvulkan_none.so", "api_version": "1.3.0"}})";
    const auto instance = vulkan::Instance::create({.icd_files = {file}});
    std::filesystem::remove(file);
    REQUIRE(!instance);
    // kNoLoader where this machine has no Vulkan loader at all.
    CHECK((instance.error().code == ErrorCode::kNoDevice || instance.error().code == ErrorCode::kNoLoader));
    if (instance.error().code == ErrorCode::kNoDevice) {
        CHECK(instance.error().message.find(file.string() + ": its library /nonexistent/libvulkan_none.so") !=
              std::string::npos);
    }
}

TEST_CASE("a manifest whose driver the loader drops says why, and its library is relative to it") {
    const auto folder = std::filesystem::temp_directory_path() / "heapwright-dropped-test";
    std::filesystem::create_directories(folder / "lib");
    const auto file = folder / "driver.json";
    const auto why = [&](const std::string& text) {
        std::ofstream(file) << text;
        return vulkan::dropped_drivers(std::span(&file, 1));
    };
    const std::string absent = why(R"({"ICD": {"library_path": "./lib/libnone.so"}})");
    CHECK(absent.find(file.string() + ": its library ") == 0);
    CHECK(absent.find((folder / "./lib/libnone.so").string()) != std::string::npos);
    CHECK(why(R"({"ICD": {}})").find("/ICD/library_path") != std::string::npos);
    CHECK(why("{").find("not JSON") != std::string::npos);
    CHECK(why(R"({"ICD": {"library_path": "libc.so.6"}})").empty());
    std::filesystem::remove_all(folder);
}

TEST_CASE("results keep their name, number and call") {
    const Error error = vulkan::call_error(VK_ERROR_DEVICE_LOST, "vkQueueSubmit2");
    CHECK(error.code == ErrorCode::kDeviceLost);
    CHECK(error.where == "vkQueueSubmit2");
    CHECK(error.native_code == -4);
    CHECK(error.message == "VK_ERROR_DEVICE_LOST");
    CHECK(vulkan::error_code(VK_ERROR_OUT_OF_DEVICE_MEMORY) == ErrorCode::kOutOfDeviceMemory);
    CHECK(vulkan::error_code(VK_ERROR_TOO_MANY_OBJECTS) == ErrorCode::kTooManyObjects);
    CHECK(vulkan::result_name(static_cast<VkResult>(-77)) == "VkResult -77");
    CHECK(vulkan::check(VK_INCOMPLETE, "vkEnumeratePhysicalDevices").has_value());
}
