// The whole of advise and validate on the software drivers that the environment names. HEAPWRIGHT_VALIDATE_STEPS
// raises the churn for a longer run.
#include <cstdlib>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "churn_workload.hpp"
#include "policy/advise.hpp"
#include "validate/validate.hpp"
#include "vulkan/capability_source.hpp"
#include "vulkan/loader.hpp"

using namespace heapwright;

namespace {

constexpr const char* kDrivers[] = {"HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS",
                                    "HEAPWRIGHT_ICD_SWIFTSHADER"};

std::uint64_t churn_steps() {
    const char* steps = std::getenv("HEAPWRIGHT_VALIDATE_STEPS");
    return steps == nullptr ? 2000 : std::strtoull(steps, nullptr, 10);
}

std::string words(const model::ScenarioResult& result) {
    std::string text = result.reason;
    for (const model::ValidationFinding& finding : result.findings)
        text += "\n  step " + std::to_string(finding.step) + ", fault " +
                std::to_string(static_cast<int>(finding.fault)) + ": " + finding.resource + ": " + finding.statement;
    return text;
}

void print(const char* driver, const model::ScenarioResult& result) {
    UNSCOPED_INFO(driver);
    if (std::getenv("HEAPWRIGHT_VALIDATE_PRINT") == nullptr) return;
    std::printf("%s: %s\n  images %lu buffers %lu operations %lu verified %lu (%lu bytes) failures %lu\n", driver,
                result.reason.c_str(), result.counts.peak_images, result.counts.peak_buffers, result.counts.operations,
                result.counts.verified_resources, result.counts.verified_bytes, result.counts.failures);
    std::printf("  used %lu reserved %lu waste %.3f fragmentation %.3f device allocations %lu (calls %lu)\n",
                result.memory.peak_used_bytes, result.memory.peak_reserved_bytes, result.memory.mean_waste,
                result.memory.mean_fragmentation, result.counts.device_allocations,
                result.counts.device_allocation_calls);
    const auto line = [](const char* name, const model::LatencyFigures& figures) {
        std::printf("  %s: p50 %lu p99 %lu p99.9 %lu worst %lu ns\n", name, figures.p50_ns, figures.p99_ns,
                    figures.p999_ns, figures.worst_ns);
    };
    line("allocate", result.run.allocate);
    line("free", result.run.free);
    line("create", result.run.create);
    std::printf("  worst frame %lu ns, total %.2f s\n", result.run.worst_frame_ns,
                static_cast<double>(result.run.total_ns) * 1e-9);
}

}  // namespace

TEST_CASE("an 8K atlas and four buffers of 200 MB are played byte for byte") {
    const char* driver = GENERATE("HEAPWRIGHT_ICD_LAVAPIPE", "HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const char* icd = std::getenv(driver);
    if (icd == nullptr) SKIP(driver << " is not set");
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);
    constexpr std::uint64_t kBufferBytes = 200'000'000;
    constexpr std::uint32_t kSide = 8192;
    model::Workload workload;
    workload.name = "large";
    workload.churn_steps = 100;
    workload.images = {{.usage = model::image_usage::kSampled | model::image_usage::kTransferDst,
                        .extents = {{kSide, kSide}},
                        .lifetime = model::Lifetime::kPersistent}};
    workload.buffers = {{.usage = model::buffer_usage::kStorage | model::buffer_usage::kTransferDst,
                         .smallest_bytes = kBufferBytes,
                         .largest_bytes = kBufferBytes,
                         .distribution = model::SizeDistribution::kUniform,
                         .count = 4,
                         .lifetime = model::Lifetime::kPersistent},
                        {.largest_bytes = 65536, .count = 100}};

    auto source = vulkan::create_capability_source({});
    REQUIRE(source);
    const auto report = (*source)->read(0, {.workload = &workload});
    REQUIRE(report);
    const auto policy = policy::advise(*report, workload);
    REQUIRE(policy);
    auto device = (*source)->open(0, {});
    REQUIRE(device);
    validate::ValidateOptions options;
    options.memory_limit_bytes = 3ull << 30;
    options.scenarios = {"mixed-workload"};
    const auto result = validate::validate(**device, *policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    const model::ScenarioResult& scenario = result->scenarios.front();
    INFO(words(scenario));
    CHECK(result->verdict == model::Verdict::kValidated);
    CHECK_FALSE(scenario.stand_in);
    CHECK(scenario.counts.peak_images == 1);
    CHECK(scenario.counts.peak_buffers == 104);
    CHECK(scenario.counts.verified_bytes >= std::uint64_t{kSide} * kSide * 4 + 4 * kBufferBytes);
    CHECK(scenario.reason.find("checked by placement alone") == std::string::npos);
}

TEST_CASE("an advised policy holds byte for byte on a software driver") {
    const char* driver = GENERATE(from_range(std::begin(kDrivers), std::end(kDrivers)));
    const char* icd = std::getenv(driver);
    if (icd == nullptr) SKIP(driver << " is not set");
    setenv("VK_DRIVER_FILES", icd, 1);
    setenv("VK_ICD_FILENAMES", icd, 1);

    const bool layers = std::getenv("HEAPWRIGHT_VALIDATE_NO_LAYERS") == nullptr;
    auto source = vulkan::create_capability_source({.validation_layers = layers});
    REQUIRE(source);
    REQUIRE((*source)->adapters().size() == 1);
    const model::Workload workload = test::churn_workload();
    const auto report = (*source)->read(0, {.workload = &workload});
    REQUIRE(report);
    const auto policy = policy::advise(*report, workload);
    REQUIRE(policy);
    auto device = (*source)->open(0, {.validation_layers = layers});
    REQUIRE(device);

    validate::ValidateOptions options;
    options.memory_limit_bytes = 2ull << 30;
    options.validation_layers = layers;
    options.churn_steps = churn_steps();
    const auto result = validate::validate(**device, *policy, workload, options);
    if (!result) FAIL(to_string(result.error()));
    const model::ScenarioResult& scenario = result->scenarios.front();
    print(driver, scenario);
    INFO(words(scenario));
    CHECK(result->verdict == model::Verdict::kValidated);
    CHECK(scenario.counts.failures == 0);
    CHECK(scenario.counts.peak_images >= 2000);
    CHECK(scenario.counts.peak_buffers >= 5000);
    CHECK(scenario.counts.verified_resources >= 7000);
    CHECK(scenario.counts.operations >= 7000 + 2 * churn_steps());
}
