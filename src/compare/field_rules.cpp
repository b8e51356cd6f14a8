#include "compare/field_rules.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "compare/glob.hpp"

namespace heapwright::compare {
namespace {

using model::FieldClass;

constexpr FieldRule kIdentityRules[] = {
    // The build's processor and compiler stand in a software driver's name.
    {"/identity/name", FieldClass::kHostDependent},
    {"/identity/driver_info", FieldClass::kHostDependent},
    {"/identity/driver_version", FieldClass::kHostDependent},
    {"/identity/driver_uuid", FieldClass::kHostDependent},
    {"/identity/device_uuid", FieldClass::kHostDependent},
    {"/identity/luid", FieldClass::kHostDependent},
    {"/identity/pci/**", FieldClass::kHostDependent},
    {"/identity/api_version", FieldClass::kOrdered, Better::kLaterVersion},
    {"/identity/conformance_version", FieldClass::kOrdered, Better::kLaterVersion},
};

struct LimitDirection {
    std::string_view limit;  // "VkPhysicalDeviceLimits/maxImageDimension2D"
    Better better;
};

// Ascending.
constexpr LimitDirection kRegistryLimits[] = {
#define HEAPWRIGHT_LIMIT(limit, better) {limit, Better::better},
#include "compare/limit_rows.inc"
#undef HEAPWRIGHT_LIMIT
};
static_assert(std::ranges::is_sorted(kRegistryLimits, {}, &LimitDirection::limit));

// What the registry calls exact or leaves open, or gives the direction of a requirement where the text of the
// specification makes it a promise; and what is newer than the table.
constexpr FieldRule kLimitRules[] = {
    // The least alignment that every mapping has.
    {"/limits/*/minMemoryMapAlignment", FieldClass::kOrdered, Better::kMore},
    // True: the size of one texel suffices, where it is less than the limit in bytes.
    {"/limits/*/*TexelBufferOffsetSingleTexelAlignment", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/protectedNoFault", FieldClass::kOrdered, Better::kMore},
    // True: a level that is no multiple of a block is in the mip tail, too.
    {"/limits/*/residencyAlignedMipSize", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/wavefrontSize", FieldClass::kExact},
    // How many descriptors of a pool one takes.
    {"/limits/*/maxCombinedImageSamplerDescriptorCount", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/shaderGroupBaseAlignment", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/shaderGroupHandleSize", FieldClass::kExact},
    // Bytes in a descriptor buffer.
    {"/limits/*/*DescriptorSize", FieldClass::kOrdered, Better::kLess},
    // The width of a subgroup is what shaders are written for.
    {"/limits/*/subgroupSize", FieldClass::kExact},
    {"/limits/*/combinedImageSamplerDescriptorSingleArray", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/bufferlessPushDescriptors", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/allowSamplerImageViewPostSubmitCreation", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/*CaptureReplayDescriptorDataSize", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/blockTexelViewCompatibleMultipleLayers", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/identicalMemoryTypeRequirements", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/depthStencilSwizzleOneSupport", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/polygonModePointSize", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/robustFragmentShadingRateAttachmentAccess", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/separateDepthStencilAttachmentAccess", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/HighestShaderModel", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/HighestVersion", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/MinPrecisionSupport", FieldClass::kOrdered, Better::kMoreBits},
};

constexpr FieldRule kReportRules[] = {
    // Cost curves are compared apart (cost_difference.hpp).
    {"/volatile/**", FieldClass::kVolatile},
    // Derived from the sweeps, which are compared themselves (sweep_difference.hpp).
    {"/observations/**", FieldClass::kVolatile},
    {"/image_sweep/**", FieldClass::kVolatile},
    {"/buffer_sweep/**", FieldClass::kVolatile},
    {"/origin", FieldClass::kHostDependent},
    {"/absent", FieldClass::kVolatile},  // what they name is inconclusive instead
    {"/heaps/*/size_bytes", FieldClass::kHostDependent},
    {"/heaps/*/flags", FieldClass::kSet, Better::kMore},
    {"/memory_types/*/property_flags", FieldClass::kSet, Better::kMore},
    {"/memory_types/*/resource_classes", FieldClass::kSet, Better::kMore},
    {"/limits/*/*SampleCounts", FieldClass::kOrdered, Better::kMoreBits},
    {"/limits/*/*AddressSpaceSize", FieldClass::kOrdered, Better::kMore},
    {"/limits/D3D12_FEATURE_DATA_FORMAT_SUPPORT*/*", FieldClass::kOrdered, Better::kMoreBits},
    {"/limits/*/*SupportFlags", FieldClass::kOrdered, Better::kMoreBits},
    {"/limits/ID3D12Device::GetDescriptorHandleIncrementSize/*", FieldClass::kOrdered, Better::kLess},
    {"/limits/ID3D12Device::CreateDescriptorHeap/*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/*Alignment", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*Granularity", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*AtomSize", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*Tier", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/max*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/Max*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/discreteQueuePriorities", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/residency*", FieldClass::kOrdered, Better::kMore},
    // What the device is, rather than what it can do.
    {"/features/D3D12_FEATURE_DATA_ARCHITECTURE*/**", FieldClass::kExact},
    {"/features/**", FieldClass::kOrdered, Better::kMore},
    // Codecs are there as the board's engines, its licence and the kernel's module allow; presentation as the host has
    // a window system; the rest come from the loader, its layers and the kernel.
    {"/extensions/VK_KHR_video_*", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/VK_VALVE_video_*", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/VK_EXT_acquire_*_display", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/VK_KHR_display_swapchain", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/VK_EXT_physical_device_drm", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/VK_EXT_pci_bus_info", FieldClass::kExact, Better::kNeither, Absence::kOfTheHost},
    {"/extensions/*/spec_version", FieldClass::kOrdered, Better::kMore},
    // A fact that cannot be asked for; what it would have said is missing beside it. The words are the tool's.
    {"/unreported/*/reason", FieldClass::kVolatile},
    {"/unreported/*", FieldClass::kExact, Better::kNeither, Absence::kIsBetter},
    {"/queue_families/*/flags", FieldClass::kSet, Better::kMore},
    {"/queue_families/*/queue_count", FieldClass::kOrdered, Better::kMore},
    {"/queue_families/*/timestamp_valid_bits", FieldClass::kOrdered, Better::kMore},
    {"/queue_families/*/min_image_transfer_granularity", FieldClass::kOrdered, Better::kFinerExtent},
    {"/sparse_*/*/requirements/memory_type_bits", FieldClass::kSet, Better::kMore},
    {"/sparse_*/*/requirements/*_bytes", FieldClass::kOrdered, Better::kLess},
    {"/sparse_images/*/aspects/*/mip_tail_size_bytes", FieldClass::kOrdered, Better::kLess},
    {"/image_compression/*/fixed_rate_flags", FieldClass::kSet, Better::kMore},
    {"/findings/*/severity", FieldClass::kOrdered, Better::kMilder},
    // A finding is known by its id; its words hold indexes and sizes.
    {"/findings/*/statement", FieldClass::kVolatile},
    {"/findings/*/evidence", FieldClass::kVolatile},
};

constexpr FieldRule kPolicyRules[] = {
    {"/**/reason", FieldClass::kVolatile},
    {"/**/inputs/**", FieldClass::kVolatile},
    {"/**/inputs", FieldClass::kVolatile},
    {"/**/alternatives/**", FieldClass::kVolatile},
    {"/**/alternatives", FieldClass::kVolatile},
    {"/assumed", FieldClass::kSet, Better::kLess},
    {"/warnings", FieldClass::kSet, Better::kLess},
    {"/heaps/*/size_bytes", FieldClass::kHostDependent},
    {"/heaps/*/usable_bytes/value", FieldClass::kHostDependent},
    {"/feasibility/*/usable_bytes", FieldClass::kHostDependent},
    {"/feasibility/*/fits", FieldClass::kOrdered, Better::kMore},
    {"/capacity/fits", FieldClass::kOrdered, Better::kMore},
    {"/capacity/missing_bytes", FieldClass::kOrdered, Better::kLess},
    {"/capacity/statement", FieldClass::kVolatile},
    {"/capacity/heaps/*/usable_bytes", FieldClass::kHostDependent},
    // Times and what is late follow from costs that were measured on the host.
    {"/expectations/*_ns/**", FieldClass::kHostDependent},
    {"/expectations/late_chunks/**", FieldClass::kHostDependent},
    {"/expectations/**/*_interval/**", FieldClass::kVolatile},  // restate the spread of the value beside it
    {"/expectations/**", FieldClass::kOrdered, Better::kLess},
    // Another engine, ring or latency is another layout of the frame, and neither is the better one by itself.
    {"/engines/**", FieldClass::kExact},
    // Threads follow from the host's processors.
    {"/creations/**", FieldClass::kHostDependent},
};

constexpr FieldRule kValidationRules[] = {
    // Of what is volatile, promises that are broken.
    {"/scenarios/*/volatile", FieldClass::kExact},
    {"/scenarios/*/volatile/promises", FieldClass::kExact},
    {"/scenarios/*/volatile/promises/*", FieldClass::kExact},
    {"/scenarios/*/volatile/promises/*/verdict", FieldClass::kOrdered, Better::kNotBroken},
    {"/scenarios/*/volatile/**", FieldClass::kVolatile},
    {"/baselines/*/volatile/**", FieldClass::kVolatile},
    {"/**/verdict", FieldClass::kOrdered, Better::kBetterVerdict},
    {"/reason", FieldClass::kVolatile},
    {"/*/*/reason", FieldClass::kVolatile},
    {"/memory_limit_bytes", FieldClass::kHostDependent},
    {"/**/memory/**", FieldClass::kOrdered, Better::kLess},
    {"/**/counts/failures", FieldClass::kOrdered, Better::kLess},
    {"/**/counts/verified_*", FieldClass::kOrdered, Better::kMore},
    {"/**/counts/device_allocation*", FieldClass::kOrdered, Better::kLess},
    {"/**/counts/dedicated_allocations", FieldClass::kOrdered, Better::kLess},
    {"/**/findings_total", FieldClass::kOrdered, Better::kLess},
    {"/**/part/bytes_share", FieldClass::kOrdered, Better::kMore},
    {"/**/part/resources_share", FieldClass::kOrdered, Better::kMore},
    {"/**/part/requests_share", FieldClass::kOrdered, Better::kMore},
    {"/**/part/statement", FieldClass::kVolatile},
    {"/**/part/unplayed/*/reason", FieldClass::kVolatile},
    {"/**/part/unplayed/*/*", FieldClass::kOrdered, Better::kLess},
    {"/interpolated_requirements", FieldClass::kOrdered, Better::kLess},
    {"/assumed_requirements", FieldClass::kOrdered, Better::kLess, Absence::kIsBetter},
    {"/left_out/*", FieldClass::kExact, Better::kNeither, Absence::kIsBetter},
    {"/*/*/findings/*", FieldClass::kExact, Better::kNeither, Absence::kIsBetter},
    {"/*/*/occupancy/**", FieldClass::kVolatile},
    {"/*/*/occupancy", FieldClass::kVolatile},
};

const FieldRule* find(std::span<const FieldRule> rules, std::string_view path) {
    for (const FieldRule& rule : rules) {
        if (matches_path(rule.pattern, path)) return &rule;
    }
    return nullptr;
}

constexpr std::string_view kLimitsRoot = "/limits/";

// Of "/limits/GROUP/NAME".
std::optional<FieldRule> limit_rule(std::string_view path) {
    if (const FieldRule* rule = find(kLimitRules, path)) return *rule;
    const std::string_view limit = path.substr(kLimitsRoot.size());
    const auto known = std::ranges::lower_bound(kRegistryLimits, limit, {}, &LimitDirection::limit);
    if (known == std::end(kRegistryLimits) || known->limit != limit) return std::nullopt;
    return FieldRule{.pattern = known->limit, .field_class = FieldClass::kOrdered, .better = known->better};
}

std::span<const FieldRule> rules_of(model::DocumentKind kind) {
    switch (kind) {
        case model::DocumentKind::kReport: return kReportRules;
        case model::DocumentKind::kPolicy: return kPolicyRules;
        case model::DocumentKind::kValidation: return kValidationRules;
        case model::DocumentKind::kWorkload:
        case model::DocumentKind::kComparison:
        case model::DocumentKind::kWhatIf: break;
    }
    return {};
}

}  // namespace

FieldRule rule_of(model::DocumentKind kind, std::string_view path) {
    if (const FieldRule* rule = find(kIdentityRules, path)) return *rule;
    if (kind == model::DocumentKind::kReport && path.starts_with(kLimitsRoot)) {
        if (const auto rule = limit_rule(path)) return *rule;
    }
    if (const FieldRule* rule = find(rules_of(kind), path)) return *rule;
    return {.pattern = "/**"};
}

}  // namespace heapwright::compare
