// Drivers and settings with which there is no Direct3D 12 device.
#include <unistd.h>

#include <cstdio>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/capability_source.hpp"
#include "source.hpp"

using namespace heapwright;

namespace {

// What `call` prints on standard error, as the parent of a probing process reads it.
template <class Call>
std::string printed_by(Call call) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    std::fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    call();
    std::fflush(stderr);
    dup2(kept, STDERR_FILENO);
    ::close(kept);
    std::rewind(file);
    std::string text;
    char buffer[4096];
    for (std::size_t bytes = 0; (bytes = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, bytes);
    std::fclose(file);
    return text;
}

}  // namespace

TEST_CASE("vkd3d refuses SwiftShader and prints why", "[device]") {
    const char* icd = test::manifest_of("HEAPWRIGHT_ICD_SWIFTSHADER");
    std::string message;
    const std::string printed = printed_by([&] {
        const auto source = d3d12::create_capability_source({.icd_files = {icd}});
        message = source ? "a source" : to_string(source.error());
    });
    INFO(printed);
    CHECK(message.find("D3D12CreateDevice") != std::string::npos);
    CHECK(message.find("E_") != std::string::npos);
    // vkd3d's own reason, by which capability_source.hpp tells a parent to look.
    CHECK(printed.find("err:") != std::string::npos);
    CHECK(printed.find("is not supported") != std::string::npos);
}

TEST_CASE("a Vulkan device that is not there is no Direct3D 12 device", "[device]") {
    const char* icd = test::manifest_of(test::kDrivers[0]);
    // vkd3d takes its own choice when the index is beyond the enumeration, or refuses; never another driver.
    const auto source = d3d12::create_capability_source({.icd_files = {icd}, .vulkan_device_index = 0});
    REQUIRE(source);
    CHECK((*source)->adapters().size() == 1);
    const auto missing = d3d12::create_capability_source({.icd_files = {"/nonexistent/icd.json"}});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kIoError);
}
