#include <bit>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

constexpr std::string_view kLimits = "VkPhysicalDeviceLimits";
constexpr std::string_view kMaintenance3 = "VkPhysicalDeviceMaintenance3Properties";
constexpr std::string_view kMaintenance4 = "VkPhysicalDeviceMaintenance4Properties";
constexpr std::string_view kExternalMemoryHost = "VkPhysicalDeviceExternalMemoryHostPropertiesEXT";

// Of the table "Required Limits" what decides sizes, alignments and counts.
struct RequiredLimit {
    std::string_view structure;
    model::FactName name;
    bool at_least = true;  // otherwise: at most
    std::uint64_t bound = 0;
};

constexpr RequiredLimit kRequired[] = {
    {kLimits, "maxImageDimension1D", true, 4096},
    {kLimits, "maxImageDimension2D", true, 4096},
    {kLimits, "maxImageDimension3D", true, 256},
    {kLimits, "maxImageDimensionCube", true, 4096},
    {kLimits, "maxImageArrayLayers", true, 256},
    {kLimits, "maxTexelBufferElements", true, 65536},
    {kLimits, "maxUniformBufferRange", true, 16384},
    {kLimits, "maxStorageBufferRange", true, 1ull << 27},
    {kLimits, "maxMemoryAllocationCount", true, 4096},
    {kLimits, "maxSamplerAllocationCount", true, 4000},
    {kLimits, "bufferImageGranularity", false, 131072},
    {kLimits, "minMemoryMapAlignment", true, 64},
    {kLimits, "minTexelBufferOffsetAlignment", false, 256},
    {kLimits, "minUniformBufferOffsetAlignment", false, 256},
    {kLimits, "minStorageBufferOffsetAlignment", false, 256},
    {kLimits, "nonCoherentAtomSize", false, 256},
    {kMaintenance3, "maxPerSetDescriptors", true, 1024},
    {kMaintenance3, "maxMemoryAllocationSize", true, 1ull << 30},
    {kMaintenance4, "maxBufferSize", true, 1ull << 30},
    {kExternalMemoryHost, "minImportedHostPointerAlignment", false, 65536},
};

// Members that the registry marks "pot".
struct PowerOfTwoLimit {
    std::string_view structure;
    model::FactName name;
};

constexpr PowerOfTwoLimit kPowersOfTwo[] = {
    {kLimits, "minMemoryMapAlignment"},
    {kLimits, "minTexelBufferOffsetAlignment"},
    {kLimits, "minUniformBufferOffsetAlignment"},
    {kLimits, "minStorageBufferOffsetAlignment"},
    {kLimits, "optimalBufferCopyOffsetAlignment"},
    {kLimits, "optimalBufferCopyRowPitchAlignment"},
    {kLimits, "nonCoherentAtomSize"},
    {kExternalMemoryHost, "minImportedHostPointerAlignment"},
};

DetailedFinding limit_finding(const model::Fact& fact, std::string id, model::FindingSeverity severity,
                              std::string statement, std::string clause, std::string_view condition) {
    const bool is_core = fact.group == kLimits;
    const std::string member = fmt::format("{}.{}", is_core ? "limits" : "fact", fact.name);
    return {.finding = {.id = std::move(id),
                        .severity = severity,
                        .statement = std::move(statement),
                        .clause = std::move(clause),
                        .evidence = {fmt::format("/limits/{}/{}: {}", fact.group, fact.name, fact.value)}},
            .reproduction = {.queries = {},
                             .structure = is_core ? "" : fact.group,
                             .allocations = {},
                             .violated = fmt::format(fmt::runtime(condition), fmt::arg("member", member))}};
}

}  // namespace

void check_limits(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    for (const RequiredLimit& required : kRequired) {
        const model::Fact* fact = find_fact(device.limits, required.name, required.structure);
        if (fact == nullptr) continue;
        if (required.at_least ? fact->value >= required.bound : fact->value <= required.bound) continue;
        const std::string_view word = required.at_least ? "at least" : "at most";
        findings.push_back(
            limit_finding(*fact, fmt::format("limit-out-of-range:{}", fact->name), model::FindingSeverity::kViolation,
                          fmt::format("{} is {}, {} {} is required", fact->name, fact->value, word, required.bound),
                          fmt::format("Required Limits: {} {} {}", fact->name, word, required.bound),
                          fmt::format("{{member}} {} {}u", required.at_least ? "<" : ">", required.bound)));
    }
    constexpr std::string_view kNotPowerOfTwo = "{member} == 0 || ({member} & ({member} - 1)) != 0";
    for (const PowerOfTwoLimit& entry : kPowersOfTwo) {
        const model::Fact* fact = find_fact(device.limits, entry.name, entry.structure);
        if (fact == nullptr || is_power_of_two(fact->value)) continue;
        findings.push_back(limit_finding(
            *fact, fmt::format("limit-not-power-of-two:{}", fact->name), model::FindingSeverity::kViolation,
            fmt::format("{} is {}, not a power of two", fact->name, fact->value),
            fmt::format("{}: {} must be a power of two", fact->group, fact->name), kNotPowerOfTwo));
    }
    // Allocators round with masks, but no clause asks for it.
    const model::Fact* granularity = find_fact(device.limits, "bufferImageGranularity", kLimits);
    if (granularity != nullptr && !is_power_of_two(granularity->value)) {
        findings.push_back(limit_finding(
            *granularity, "buffer-image-granularity-not-power-of-two", model::FindingSeverity::kWarning,
            fmt::format("bufferImageGranularity is {}, not a power of two; the specification allows it, most "
                        "allocators do not",
                        granularity->value),
            {}, kNotPowerOfTwo));
    }
}

}  // namespace heapwright::probe
