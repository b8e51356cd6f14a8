#include "heapwright/compare/field_rules.hpp"

#include <span>

#include "heapwright/compare/glob.hpp"

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
    // The least guaranteed alignment of a mapping: a promise, which is better larger.
    {"/limits/*/minMemoryMapAlignment", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/sparseAddressSpaceSize", FieldClass::kOrdered, Better::kMore},
    {"/limits/D3D12_FEATURE_DATA_FORMAT_SUPPORT*/*", FieldClass::kOrdered, Better::kMoreBits},
    {"/limits/*/*SupportFlags", FieldClass::kOrdered, Better::kMoreBits},
    {"/limits/ID3D12Device::GetDescriptorHandleIncrementSize/*", FieldClass::kOrdered, Better::kLess},
    {"/limits/ID3D12Device::CreateDescriptorHeap/*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/*Alignment", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*Granularity", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*AtomSize", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*DescriptorSize", FieldClass::kOrdered, Better::kLess},
    {"/limits/*/*Tier", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/max*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/Max*", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/discreteQueuePriorities", FieldClass::kOrdered, Better::kMore},
    {"/limits/*/residency*", FieldClass::kOrdered, Better::kMore},
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
    // Another engine, ring or latency is another layout of the frame, and neither is the better one by itself.
    {"/engines/**", FieldClass::kExact},
};

constexpr FieldRule kValidationRules[] = {
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
    {"/*/*/occupancy/**", FieldClass::kVolatile},
    {"/*/*/occupancy", FieldClass::kVolatile},
};

const FieldRule* find(std::span<const FieldRule> rules, std::string_view path) {
    for (const FieldRule& rule : rules) {
        if (matches_path(rule.pattern, path)) return &rule;
    }
    return nullptr;
}

std::span<const FieldRule> rules_of(model::DocumentKind kind) {
    switch (kind) {
        case model::DocumentKind::kReport: return kReportRules;
        case model::DocumentKind::kPolicy: return kPolicyRules;
        case model::DocumentKind::kValidation: return kValidationRules;
        case model::DocumentKind::kWorkload:
        case model::DocumentKind::kComparison: break;
    }
    return {};
}

}  // namespace

FieldRule rule_of(model::DocumentKind kind, std::string_view path) {
    if (const FieldRule* rule = find(kIdentityRules, path)) return *rule;
    if (const FieldRule* rule = find(rules_of(kind), path)) return *rule;
    return {.pattern = "/**"};
}

}  // namespace heapwright::compare
