#include "model/names.hpp"

#include <array>

namespace heapwright::model {
namespace {

template <auto last>
using Names = std::array<std::string_view, static_cast<std::size_t>(last) + 1>;

std::array<std::string_view, kFormatCount> format_names() {
    std::array<std::string_view, kFormatCount> names;
    for (const FormatInfo& entry : all_formats()) names[static_cast<std::size_t>(entry.format)] = entry.name;
    return names;
}

constexpr Names<DocumentKind::kWhatIf> kDocumentKindNames{"report",     "workload",   "policy",
                                                          "validation", "comparison", "what_if"};
constexpr Names<Api::kD3d12> kApiNames{"vulkan", "d3d12"};
constexpr Names<DeviceType::kCpu> kDeviceTypeNames{"other", "integrated_gpu", "discrete_gpu", "virtual_gpu", "cpu"};
constexpr Names<ReportOrigin::kImport> kReportOriginNames{"probe", "import"};
constexpr Names<D3d12HeapType::kCustom> kD3d12HeapTypeNames{"none",     "default",    "upload",
                                                            "readback", "gpu_upload", "custom"};
constexpr Names<FindingSeverity::kViolation> kFindingSeverityNames{"note", "warning", "violation"};
constexpr Names<FailureKind::kHang> kFailureKindNames{"error", "exit", "crash", "hang"};
constexpr Names<ImageTiling::kLinear> kImageTilingNames{"optimal", "linear"};
constexpr Names<ImageDimension::k3d> kImageDimensionNames{"2d", "3d"};
constexpr Names<ResourceClass::kOptimalRenderTarget> kResourceClassNames{"linear", "optimal", "optimal_render_target"};
constexpr Names<Dedicated::kRequired> kDedicatedNames{"none", "preferred", "required"};
constexpr Names<AlignmentCondition::kSizeBytesAtLeast> kAlignmentConditionNames{
    "always",          "both_sides_at_least", "any_side_at_least",  "width_at_least",
    "height_at_least", "area_at_least",       "size_bytes_at_least"};
constexpr Names<MemoryUse::kStreaming> kMemoryUseNames{"device_only", "upload", "readback", "streaming"};
constexpr Names<Lifetime::kFrame> kLifetimeNames{"persistent", "level", "streaming", "frame"};
constexpr Names<HostAccess::kRandom> kHostAccessNames{"sequential", "random"};
constexpr Names<OwnMemory::kNever> kOwnMemoryNames{"auto", "always", "never"};
constexpr Names<Capability::kTextureCompressionAstc> kCapabilityNames{
    "acceleration_structures", "lazily_allocated_memory", "texture_compression_bc", "texture_compression_etc2",
    "texture_compression_astc"};
constexpr Names<SizeDistribution::kPowersOfTwo> kSizeDistributionNames{"uniform", "log_uniform", "powers_of_two"};
constexpr Names<SuballocatorKind::kRing> kSuballocatorKindNames{"tlsf", "fixed_blocks", "slots", "linear", "ring"};
constexpr Names<ChunkChoice::kTightest> kChunkChoiceNames{"fullest", "tightest"};
constexpr Names<DedicatedRule::kWhenPreferred> kDedicatedRuleNames{"when_required", "when_preferred"};
constexpr Names<HumongousRule::kRefuse> kHumongousRuleNames{"own_memory", "refuse"};
constexpr Names<Verdict::kReplayedInPart> kVerdictNames{
    "validated", "replayed", "failed", "inconclusive", "not_supported", "validated_in_part", "replayed_in_part"};
constexpr Names<Fault::kBrokenRule> kFaultNames{
    "overlap",       "misalignment", "wrong_memory_type", "granularity_conflict", "early_reuse", "stale_bytes",
    "outside_chunk", "leak",         "api_error",         "validation_layer",     "invariant",   "wrong_descriptor",
    "broken_rule"};
constexpr Names<PromiseKind::kPeakReservedBytes> kPromiseKindNames{
    "mean_waste",     "peak_waste",    "device_allocations", "p99_frame_ns",
    "worst_frame_ns", "worst_load_ns", "late_chunks",        "peak_reserved_bytes"};
constexpr Names<PromiseVerdict::kLoose> kPromiseVerdictNames{"kept", "broken", "not_tested", "loose"};
constexpr Names<WaitRole::kRedundant> kWaitRoleNames{"necessary", "throttle", "redundant"};
constexpr Names<Steadiness::kTooFewSamples> kSteadinessNames{"steady", "did_not_settle", "too_few_samples"};
constexpr Names<SteadinessSource::kMeasurements> kSteadinessSourceNames{"driver", "measurements"};
constexpr Names<CopyDirection::kOnDevice> kCopyDirectionNames{"upload", "download", "on_device"};
constexpr Names<MeasuredBy::kDevice> kMeasuredByNames{"host", "device"};
constexpr Names<CopyMeans::kHost> kCopyMeansNames{"command", "image_command", "shader", "host"};

constexpr Names<CreatedObject::kDescriptors> kCreatedObjectNames{"image", "buffer", "memory", "descriptors"};

constexpr Names<Baseline::kBySize> kBaselineNames{"one-each",  "source-rule",       "vma-default",
                                                  "on-demand", "on-demand-256-mib", "by-size"};

// A name too few would leave an empty one behind.
template <std::size_t N>
constexpr bool all_named(const std::array<std::string_view, N>& names) {
    return !names.back().empty();
}
static_assert(all_named(kDocumentKindNames) && all_named(kApiNames) && all_named(kDeviceTypeNames) &&
              all_named(kReportOriginNames) && all_named(kD3d12HeapTypeNames) && all_named(kFindingSeverityNames) &&
              all_named(kFailureKindNames) && all_named(kImageTilingNames) && all_named(kImageDimensionNames) &&
              all_named(kResourceClassNames) && all_named(kDedicatedNames) && all_named(kAlignmentConditionNames) &&
              all_named(kMemoryUseNames) && all_named(kLifetimeNames) && all_named(kHostAccessNames) &&
              all_named(kOwnMemoryNames) && all_named(kCapabilityNames) && all_named(kSizeDistributionNames) &&
              all_named(kSuballocatorKindNames) && all_named(kChunkChoiceNames) && all_named(kDedicatedRuleNames) &&
              all_named(kHumongousRuleNames) && all_named(kVerdictNames) && all_named(kPromiseKindNames) &&
              all_named(kPromiseVerdictNames) && all_named(kFaultNames) && all_named(kWaitRoleNames) &&
              all_named(kSteadinessNames) && all_named(kSteadinessSourceNames) && all_named(kBaselineNames) &&
              all_named(kCopyDirectionNames) && all_named(kCopyMeansNames) && all_named(kMeasuredByNames) &&
              all_named(kCreatedObjectNames));

}  // namespace

template <>
std::span<const std::string_view> names_of<DocumentKind>() {
    return kDocumentKindNames;
}
template <>
std::span<const std::string_view> names_of<Api>() {
    return kApiNames;
}
template <>
std::span<const std::string_view> names_of<DeviceType>() {
    return kDeviceTypeNames;
}
template <>
std::span<const std::string_view> names_of<ReportOrigin>() {
    return kReportOriginNames;
}
template <>
std::span<const std::string_view> names_of<D3d12HeapType>() {
    return kD3d12HeapTypeNames;
}
template <>
std::span<const std::string_view> names_of<FindingSeverity>() {
    return kFindingSeverityNames;
}
template <>
std::span<const std::string_view> names_of<FailureKind>() {
    return kFailureKindNames;
}
template <>
std::span<const std::string_view> names_of<ImageTiling>() {
    return kImageTilingNames;
}
template <>
std::span<const std::string_view> names_of<ImageDimension>() {
    return kImageDimensionNames;
}
template <>
std::span<const std::string_view> names_of<ResourceClass>() {
    return kResourceClassNames;
}
template <>
std::span<const std::string_view> names_of<Dedicated>() {
    return kDedicatedNames;
}
template <>
std::span<const std::string_view> names_of<AlignmentCondition>() {
    return kAlignmentConditionNames;
}
template <>
std::span<const std::string_view> names_of<MemoryUse>() {
    return kMemoryUseNames;
}
template <>
std::span<const std::string_view> names_of<Lifetime>() {
    return kLifetimeNames;
}
template <>
std::span<const std::string_view> names_of<HostAccess>() {
    return kHostAccessNames;
}
template <>
std::span<const std::string_view> names_of<OwnMemory>() {
    return kOwnMemoryNames;
}
template <>
std::span<const std::string_view> names_of<Capability>() {
    return kCapabilityNames;
}
template <>
std::span<const std::string_view> names_of<SizeDistribution>() {
    return kSizeDistributionNames;
}
template <>
std::span<const std::string_view> names_of<SuballocatorKind>() {
    return kSuballocatorKindNames;
}
template <>
std::span<const std::string_view> names_of<ChunkChoice>() {
    return kChunkChoiceNames;
}
template <>
std::span<const std::string_view> names_of<DedicatedRule>() {
    return kDedicatedRuleNames;
}
template <>
std::span<const std::string_view> names_of<HumongousRule>() {
    return kHumongousRuleNames;
}
template <>
std::span<const std::string_view> names_of<PromiseKind>() {
    return kPromiseKindNames;
}
template <>
std::span<const std::string_view> names_of<PromiseVerdict>() {
    return kPromiseVerdictNames;
}
template <>
std::span<const std::string_view> names_of<Verdict>() {
    return kVerdictNames;
}
template <>
std::span<const std::string_view> names_of<Fault>() {
    return kFaultNames;
}
template <>
std::span<const std::string_view> names_of<Format>() {
    static const auto kNames = format_names();
    return kNames;
}
template <>
std::span<const std::string_view> names_of<WaitRole>() {
    return kWaitRoleNames;
}
template <>
std::span<const std::string_view> names_of<Steadiness>() {
    return kSteadinessNames;
}
template <>
std::span<const std::string_view> names_of<SteadinessSource>() {
    return kSteadinessSourceNames;
}
template <>
std::span<const std::string_view> names_of<Baseline>() {
    return kBaselineNames;
}
template <>
std::span<const std::string_view> names_of<CopyDirection>() {
    return kCopyDirectionNames;
}
template <>
std::span<const std::string_view> names_of<MeasuredBy>() {
    return kMeasuredByNames;
}
template <>
std::span<const std::string_view> names_of<CopyMeans>() {
    return kCopyMeansNames;
}
template <>
std::span<const std::string_view> names_of<CreatedObject>() {
    return kCreatedObjectNames;
}

std::string_view verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::kValidated: return "validated";
        case Verdict::kReplayed: return "replayed";
        case Verdict::kFailed: return "failed";
        case Verdict::kInconclusive: return "inconclusive";
        case Verdict::kNotSupported: return "not supported";
        case Verdict::kValidatedInPart: return "validated in part";
        case Verdict::kReplayedInPart: return "replayed in part";
    }
    return {};
}

}  // namespace heapwright::model
