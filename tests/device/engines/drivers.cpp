#include "drivers.hpp"

#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "d3d12/capability_source.hpp"
#include "vulkan/capability_source.hpp"

namespace heapwright::test {
namespace {

constexpr const char* kNamed = "HEAPWRIGHT_CHECK_ICD";

constexpr Driver kDrivers[] = {{"HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_SWIFTSHADER", model::Api::kVulkan},
                               {"HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kD3d12},
                               {"HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kD3d12}};

// Null: it is not set.
const char* manifest_of(const char* variable) {
    const char* icd = std::getenv(variable);
    return icd == nullptr || *icd == '\0' ? nullptr : icd;
}

}  // namespace

Driver named_driver() {
    if (manifest_of(kNamed) == nullptr) SKIP(kNamed << " is not set");
    const char* api = std::getenv("HEAPWRIGHT_CHECK_API");
    const bool is_d3d12 = api != nullptr && std::string_view(api) == "d3d12";
    return {kNamed, is_d3d12 ? model::Api::kD3d12 : model::Api::kVulkan};
}

std::vector<Driver> drivers() {
    if (manifest_of(kNamed) != nullptr) return {named_driver()};
    return {std::begin(kDrivers), std::end(kDrivers)};
}

bool takes_layers(const Driver& driver) {
    return driver.variable != std::string_view(kNamed) || std::getenv("HEAPWRIGHT_ICD_DEVICE_LAYERS") != nullptr;
}

Opened open(const Driver& driver, bool layers) {
    const char* icd = manifest_of(driver.variable);
    if (icd == nullptr) SKIP(driver.variable << " is not set");
    Opened opened;
    auto source = driver.api == model::Api::kD3d12
                      ? d3d12::create_capability_source({.icd_files = {icd}})
                      : vulkan::create_capability_source(
                            {.icd_files = {icd}, .validation_layers = layers, .synchronization_validation = layers});
    if (!source) FAIL(to_string(source.error()));
    opened.source = std::move(*source);
    REQUIRE_FALSE(opened.source->adapters().empty());
    auto device = opened.source->open(0, {.validation_layers = layers && driver.api == model::Api::kVulkan});
    if (!device) FAIL(to_string(device.error()));
    opened.device = std::move(*device);
    return opened;
}

}  // namespace heapwright::test
