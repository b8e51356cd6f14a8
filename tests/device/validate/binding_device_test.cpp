// The scenarios of descriptors, lifetimes and uploads, and of several engines, on the software drivers that the
// environment names, on both APIs, against the committed table; and on a validation document from elsewhere.
// HEAPWRIGHT_VALIDATE_PRINT prints figures.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/file.hpp"
#include "d3d12/capability_source.hpp"
#include "expected_scenarios.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "validate/binding_scenario.hpp"
#include "validate/engine_scenario.hpp"
#include "vulkan/capability_source.hpp"
#include "vulkan/loader.hpp"

using namespace heapwright;

namespace {

struct Driver {
    const char* row;       // of the table
    const char* variable;  // that names its manifest
    model::Api api;
};

constexpr Driver kDrivers[] = {
    {"lavapipe-22.3.6", "HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kVulkan},
    {"lavapipe-25.0.7", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kVulkan},
    {"swiftshader", "HEAPWRIGHT_ICD_SWIFTSHADER", model::Api::kVulkan},
    {"vkd3d-lavapipe-22.3.6", "HEAPWRIGHT_ICD_LAVAPIPE", model::Api::kD3d12},
    {"vkd3d-lavapipe-25.0.7", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS", model::Api::kD3d12},
};

Result<std::unique_ptr<device::CapabilitySource>> source_of(const Driver& driver, const char* icd, bool layers) {
    if (driver.api == model::Api::kD3d12) return d3d12::create_capability_source({.icd_files = {icd}});
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    return vulkan::create_capability_source({.validation_layers = layers, .synchronization_validation = layers});
}

// As a row of the table.
void print_engines(const Driver& driver, const model::ScenarioResult& result) {
    const model::EngineFigures& seen = *result.engines;
    std::printf("%s,%s,0,%lu,0,0,%lu,%lu,%lu,\n", driver.row, result.name.c_str(), seen.bytes_checked, seen.submissions,
                seen.queues, seen.early_waits);
    std::printf("  %s: %s; %.3f s\n", result.name.c_str(), result.reason.c_str(),
                static_cast<double>(result.run.total_ns) * 1e-9);
    for (const model::WaitFinding& wait : seen.waits) {
        std::printf("  %d %s: %s\n", static_cast<int>(wait.role), wait.wait.c_str(), wait.shown_by.c_str());
    }
}

void print(const Driver& driver, const model::ScenarioResult& result) {
    if (std::getenv("HEAPWRIGHT_VALIDATE_PRINT") == nullptr) return;
    if (result.engines) print_engines(driver, result);
    if (!result.bindings) return;
    std::printf(
        "%s %s: %s\n  form %s (%s)\n  descriptors %lu bytes %lu frames %lu lists %lu reached %lu samplers %lu "
        "static %lu dynamic %lu cpu %lu uploads %lu; %s; %.2f s\n",
        driver.row, result.name.c_str(), result.reason.c_str(), result.bindings->descriptor_form.c_str(),
        result.bindings->descriptor_form_reason.c_str(), result.bindings->descriptors_checked,
        result.bindings->bytes_checked, result.bindings->frames, result.bindings->command_lists,
        result.bindings->descriptors_reached, result.bindings->peak_samplers, result.bindings->peak_static_descriptors,
        result.bindings->peak_dynamic_descriptors, result.bindings->peak_cpu_descriptors,
        result.bindings->peak_upload_bytes, result.bindings->limits.c_str(),
        static_cast<double>(result.run.total_ns) * 1e-9);
}

void check_driver(const Driver& driver, const char* icd, bool layers) {
    const auto source = source_of(driver, icd, layers);
    if (!source) FAIL(to_string(source.error()));
    REQUIRE((*source)->adapters().size() == 1);
    const bool has_layers = layers && driver.api == model::Api::kVulkan;
    auto device = (*source)->open(0, {.validation_layers = has_layers});
    if (!device) FAIL(to_string(device.error()));
    model::Workload workload;
    workload.name = "bindings";
    const auto policy = policy::advise((*device)->facts(), workload);
    if (!policy) FAIL(to_string(policy.error()));

    validate::ValidateOptions options;
    options.validation_layers = has_layers;
    options.seed = 5;
    options.memory_limit_bytes = 1ull << 30;
    options.extra_frames_ns = 0;
    for (const validate::BindingScenarioKind& scenario : validate::kBindingScenarios)
        options.scenarios.emplace_back(scenario.name);
    for (const validate::EngineScenarioKind& scenario : validate::engine_scenarios())
        options.scenarios.emplace_back(scenario.example.name);
    const auto result = validate::validate(**device, *policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    for (const model::ScenarioResult& one : result->scenarios) print(driver, one);
    test::check_expected(driver.row, *result);
}

}  // namespace

TEST_CASE("descriptors, lifetimes, uploads and engines hold on a software driver as the table asks") {
    const Driver driver = GENERATE(from_range(std::begin(kDrivers), std::end(kDrivers)));
    const char* icd = std::getenv(driver.variable);
    if (icd == nullptr || *icd == '\0') SKIP(driver.variable << " is not set");
    check_driver(driver, icd, true);
}

// HEAPWRIGHT_CHECK_ICD names the manifest, HEAPWRIGHT_CHECK_DRIVER the row of the table; HEAPWRIGHT_CHECK_API may be
// "d3d12". With validation layers where HEAPWRIGHT_ICD_DEVICE_LAYERS is set.
TEST_CASE("the driver that the environment names holds as its row of the table asks", "[.driver]") {
    const char* icd = std::getenv("HEAPWRIGHT_CHECK_ICD");
    const char* row = std::getenv("HEAPWRIGHT_CHECK_DRIVER");
    REQUIRE(icd != nullptr);
    REQUIRE(row != nullptr);
    const char* api = std::getenv("HEAPWRIGHT_CHECK_API");
    const bool is_d3d12 = api != nullptr && std::string_view(api) == "d3d12";
    check_driver({row, "HEAPWRIGHT_CHECK_ICD", is_d3d12 ? model::Api::kD3d12 : model::Api::kVulkan}, icd,
                 std::getenv("HEAPWRIGHT_ICD_DEVICE_LAYERS") != nullptr);
}

// HEAPWRIGHT_CHECK_VALIDATION names the document, HEAPWRIGHT_CHECK_DRIVER the row of the table.
TEST_CASE("a validation document from elsewhere did what the table asks", "[.document]") {
    const char* file = std::getenv("HEAPWRIGHT_CHECK_VALIDATION");
    const char* driver = std::getenv("HEAPWRIGHT_CHECK_DRIVER");
    REQUIRE(file != nullptr);
    REQUIRE(driver != nullptr);
    const auto text = read_file(file);
    REQUIRE(text);
    const auto validation = model::read_validation(*text, file);
    if (!validation) FAIL(to_string(validation.error()));
    REQUIRE_FALSE(validation->devices.empty());
    for (const model::DeviceValidation& device : validation->devices) test::check_expected(driver, device);
}
