#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <vector>

#include "committed.hpp"
#include "compare/field_rules.hpp"

using namespace heapwright;
using compare::Better;
using model::DocumentKind;
using model::FieldClass;

namespace {

constexpr const char* kReportsOfLimits[] = {"radv-navi10-mesa-25.0.7", "anv-kbl-mesa-25.0.7", "lavapipe-mesa-22.3.6",
                                            "nvidia-h100-580.159.04-vulkan", "nvidia-h100-580.159.04-vkd3d-1.2"};

// Neither value is the better one: what shaders and lines are like.
const std::set<std::string, std::less<>> kWithoutDirection{"TotalLaneCount",
                                                           "WaveLaneCountMax",
                                                           "WaveLaneCountMin",
                                                           "earlyFragmentMultisampleCoverageAfterSampleCounting",
                                                           "earlyFragmentSampleMaskTestBeforeSampleCounting",
                                                           "fragmentShadingRateClampCombinerInputs",
                                                           "nonStrictSinglePixelWideLinesUseParallelogram",
                                                           "nonStrictWideLinesUseParallelogram",
                                                           "shaderGroupHandleSize"};

bool has_direction(std::string_view section, const model::Fact& fact) {
    const std::string path = std::string(section) + "/" + fact.group + "/" + fact.name;
    const compare::FieldRule rule = compare::rule_of(DocumentKind::kReport, path);
    return rule.field_class == FieldClass::kOrdered && rule.better != Better::kNeither;
}

Better better(const char* path) {
    return compare::rule_of(DocumentKind::kReport, path).better;
}

}  // namespace

TEST_CASE("every limit of a report has a direction, but for those that are neither better nor worse") {
    for (const char* name : kReportsOfLimits) {
        const model::Report report = test::committed_report(name);
        for (const model::Fact& limit : report.devices.at(0).limits) {
            INFO(name << ": " << limit.group << "/" << limit.name);
            CHECK(has_direction("/limits", limit) != kWithoutDirection.contains(limit.name));
        }
    }
}

TEST_CASE("every feature is better when it is there, but for what the device is") {
    for (const char* name : kReportsOfLimits) {
        const model::Report report = test::committed_report(name);
        for (const model::Fact& feature : report.devices.at(0).features) {
            INFO(name << ": " << feature.group << "/" << feature.name);
            CHECK(has_direction("/features", feature) != feature.group.starts_with("D3D12_FEATURE_DATA_ARCHITECTURE"));
        }
    }
}

TEST_CASE("the registry's direction holds unless the specification's text says otherwise") {
    CHECK(better("/limits/VkPhysicalDeviceLimits/maxImageDimension2D") == Better::kMore);
    CHECK(better("/limits/VkPhysicalDeviceLimits/bufferImageGranularity") == Better::kLess);
    CHECK(better("/limits/VkPhysicalDeviceLimits/framebufferColorSampleCounts") == Better::kMoreBits);
    CHECK(better("/limits/VkPhysicalDeviceLimits/subPixelPrecisionBits") == Better::kMore);
    CHECK(better("/limits/VkPhysicalDeviceLimits/minTexelOffset") == Better::kLess);
    CHECK(better("/limits/VkPhysicalDeviceLimits/minMemoryMapAlignment") == Better::kMore);
    CHECK(better("/limits/VkPhysicalDeviceVulkan13Properties/uniformTexelBufferOffsetSingleTexelAlignment") ==
          Better::kMore);
}
