#include "d3d12/facts.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "d3d12/call.hpp"
#include "heapwright/model/format.hpp"

namespace heapwright::d3d12 {

namespace {

bool is_refusal(HRESULT result) {
    const ErrorCode code = error_code(result);
    return result == E_FAIL || code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotSupported;
}

class FactReader {
public:
    FactReader(ID3D12Device* device, model::DeviceReport& report) : device_(device), report_(report) {}

    void read_structure(const FeatureStructure& structure) {
        std::vector<std::uint32_t> words(structure.size_bytes / sizeof(std::uint32_t));
        const HRESULT result = ask(structure.feature, structure.feature_name, words.data(), structure.size_bytes);
        if (FAILED(result)) return leave_out(structure.feature_name, result);
        for (const FeatureMember& member : structure.members) {
            const std::uint32_t value = words[member.offset_bytes / sizeof(std::uint32_t)];
            auto& facts = member.is_bool ? report_.features : report_.limits;
            facts.push_back({.group = structure.name, .name = member.name, .value = value});
        }
    }

    // In and out: the highest version that is asked about, then the highest that is there. A runtime refuses a version
    // that it does not know.
    template <class Structure, class Version>
    void read_highest(D3D12_FEATURE feature, const char* feature_name, const char* structure_name,
                      const char* member_name, Version Structure::*member, std::initializer_list<int> versions) {
        HRESULT result = E_INVALIDARG;
        for (const int version : versions) {
            Structure data{};
            data.*member = static_cast<Version>(version);
            result = ask(feature, feature_name, &data, sizeof data);
            if (FAILED(result)) continue;
            report_.limits.push_back(
                {.group = structure_name, .name = member_name, .value = static_cast<std::uint64_t>(data.*member)});
            return;
        }
        leave_out(feature_name, result);
    }

    void read_feature_level() { report_.identity.api_version = highest_feature_level(device_, failed_); }

    void read_formats() {
        for (const model::FormatInfo& format : model::swept_formats()) {
            if (format.dxgi_format == 0) continue;
            D3D12_FEATURE_DATA_FORMAT_SUPPORT support{};
            support.Format = static_cast<DXGI_FORMAT>(format.dxgi_format);
            if (FAILED(ask(D3D12_FEATURE_FORMAT_SUPPORT, "D3D12_FEATURE_FORMAT_SUPPORT", &support, sizeof support))) {
                continue;
            }
            const std::string group = fmt::format("D3D12_FEATURE_DATA_FORMAT_SUPPORT {}", format.name);
            report_.limits.push_back({group, "Support1", static_cast<std::uint32_t>(support.Support1)});
            report_.limits.push_back({group, "Support2", static_cast<std::uint32_t>(support.Support2)});
        }
    }

    void finish() {
        failed_.tell("features-not-measured",
                     fmt::format("{} questions about features have no answer", failed_.count()), "/features",
                     report_.findings);
        if (unknown_.empty()) return;
        report_.findings.push_back({.id = "features-unknown-to-runtime",
                                    .severity = model::FindingSeverity::kNote,
                                    .statement = fmt::format("CheckFeatureSupport refuses {} of the structures that "
                                                             "were asked for; their facts are absent",
                                                             unknown_.size()),
                                    .clause = "ID3D12Device::CheckFeatureSupport",
                                    .evidence = std::move(unknown_)});
    }

private:
    HRESULT ask(D3D12_FEATURE feature, const char* name, void* data, std::size_t size_bytes) {
        return check_feature(device_, feature, data, size_bytes, name, failed_);
    }

    void leave_out(const char* name, HRESULT result) {
        if (is_refusal(result)) unknown_.push_back(fmt::format("{}: {}", name, result_name(result)));
    }

    ID3D12Device* device_;
    model::DeviceReport& report_;
    std::vector<std::string> unknown_;
    probe::FailedQuestions failed_;
};

}  // namespace

HRESULT check_feature(ID3D12Device* device, D3D12_FEATURE feature, void* data, std::size_t size_bytes,
                      std::string_view name, probe::FailedQuestions& failed) {
    constexpr const char* kCall = "ID3D12Device::CheckFeatureSupport";
    leave_breadcrumb(kCall, name);
    const HRESULT result = device->CheckFeatureSupport(feature, data, static_cast<UINT>(size_bytes));
    if (FAILED(result) && !is_refusal(result))
        failed.add(fmt::format("{} of {}: {}", kCall, name, result_text(result)));
    return result;
}

void read_features(ID3D12Device* device, model::DeviceReport& report) {
    FactReader reader(device, report);
    reader.read_feature_level();
    for (const FeatureStructure& structure : feature_structures()) reader.read_structure(structure);
    reader.read_highest(D3D12_FEATURE_SHADER_MODEL, "D3D12_FEATURE_SHADER_MODEL", "D3D12_FEATURE_DATA_SHADER_MODEL",
                        "HighestShaderModel", &D3D12_FEATURE_DATA_SHADER_MODEL::HighestShaderModel,
                        {0x69, 0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61, 0x60, 0x51});
    reader.read_highest(D3D12_FEATURE_ROOT_SIGNATURE, "D3D12_FEATURE_ROOT_SIGNATURE",
                        "D3D12_FEATURE_DATA_ROOT_SIGNATURE", "HighestVersion",
                        &D3D12_FEATURE_DATA_ROOT_SIGNATURE::HighestVersion, {3, 2, 1});
    reader.read_formats();
    reader.finish();
}

std::string highest_feature_level(ID3D12Device* device, probe::FailedQuestions& failed) {
    constexpr D3D_FEATURE_LEVEL kLevels[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_11_1, D3D_FEATURE_LEVEL_12_0,
                                             D3D_FEATURE_LEVEL_12_1, D3D_FEATURE_LEVEL_12_2};
    // A runtime that does not know the newest level refuses the whole list.
    for (UINT count = static_cast<UINT>(std::size(kLevels)); count > 0; --count) {
        D3D12_FEATURE_DATA_FEATURE_LEVELS levels{};
        levels.NumFeatureLevels = count;
        levels.pFeatureLevelsRequested = kLevels;
        if (FAILED(check_feature(device, D3D12_FEATURE_FEATURE_LEVELS, &levels, sizeof levels,
                                 "D3D12_FEATURE_FEATURE_LEVELS", failed))) {
            continue;
        }
        const auto level = static_cast<std::uint32_t>(levels.MaxSupportedFeatureLevel);
        return fmt::format("{}_{}", level >> 12, level >> 8 & 0xF);
    }
    return {};
}

namespace {

// D3D12_FEATURE_D3D12_TIGHT_ALIGNMENT, of headers newer than the ones this is compiled with.
struct TightAlignment {
    std::int32_t SupportTier;
};
constexpr auto kFeatureTightAlignment = static_cast<D3D12_FEATURE>(54);

// In these headers BOOL is an unsigned integer like any other, so a table says which members are meant.
#define HEAPWRIGHT_VALUE(structure, member)         \
    FeatureMember {                                 \
#member, offsetof(structure, member), false \
    }
#define HEAPWRIGHT_BOOL(structure, member)         \
    FeatureMember {                                \
#member, offsetof(structure, member), true \
    }

constexpr FeatureMember kOptions[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, DoublePrecisionFloatShaderOps),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, OutputMergerLogicOp),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, MinPrecisionSupport),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, TiledResourcesTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, ResourceBindingTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, PSSpecifiedStencilRefSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, TypedUAVLoadAdditionalFormats),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, ROVsSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, ConservativeRasterizationTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, MaxGPUVirtualAddressBitsPerResource),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, StandardSwizzle64KBSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, CrossNodeSharingTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS, CrossAdapterRowMajorTextureSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS,
                    VPAndRTArrayIndexFromAnyShaderFeedingRasterizerSupportedWithoutGSEmulation),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS, ResourceHeapTier),
};
constexpr FeatureMember kArchitecture[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE, TileBasedRenderer),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE, UMA),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE, CacheCoherentUMA),
};
constexpr FeatureMember kGpuVirtualAddressSupport[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT, MaxGPUVirtualAddressBitsPerResource),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT, MaxGPUVirtualAddressBitsPerProcess),
};
constexpr FeatureMember kOptions1[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS1, WaveOps),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS1, WaveLaneCountMin),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS1, WaveLaneCountMax),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS1, TotalLaneCount),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS1, ExpandedComputeResourceStates),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS1, Int64ShaderOps),
};
constexpr FeatureMember kProtectedResourceSessionSupport[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_SUPPORT, Support),
};
constexpr FeatureMember kArchitecture1[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE1, TileBasedRenderer),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE1, UMA),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE1, CacheCoherentUMA),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_ARCHITECTURE1, IsolatedMMU),
};
constexpr FeatureMember kOptions2[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS2, DepthBoundsTestSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS2, ProgrammableSamplePositionsTier),
};
constexpr FeatureMember kShaderCache[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_SHADER_CACHE, SupportFlags),
};
constexpr FeatureMember kOptions3[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS3, CopyQueueTimestampQueriesSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS3, CastingFullyTypedFormatSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS3, WriteBufferImmediateSupportFlags),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS3, ViewInstancingTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS3, BarycentricsSupported),
};
constexpr FeatureMember kExistingHeaps[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_EXISTING_HEAPS, Supported),
};
constexpr FeatureMember kOptions4[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS4, MSAA64KBAlignedTextureSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS4, SharedResourceCompatibilityTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS4, Native16BitShaderOpsSupported),
};
constexpr FeatureMember kSerialization[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_SERIALIZATION, HeapSerializationTier),
};
constexpr FeatureMember kCrossNode[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_CROSS_NODE, SharingTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_CROSS_NODE, AtomicShaderInstructions),
};
constexpr FeatureMember kOptions5[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS5, SRVOnlyTiledResourceTier3),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS5, RenderPassesTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS5, RaytracingTier),
};
constexpr FeatureMember kDisplayable[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_DISPLAYABLE, DisplayableTexture),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_DISPLAYABLE, SharedResourceCompatibilityTier),
};
constexpr FeatureMember kOptions6[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS6, AdditionalShadingRatesSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS6, PerPrimitiveShadingRateSupportedWithViewportIndexing),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS6, VariableShadingRateTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS6, ShadingRateImageTileSize),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS6, BackgroundProcessingSupported),
};
constexpr FeatureMember kOptions7[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS7, MeshShaderTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS7, SamplerFeedbackTier),
};
constexpr FeatureMember kOptions8[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS8, UnalignedBlockTexturesSupported),
};
constexpr FeatureMember kOptions9[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS9, MeshShaderPipelineStatsSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS9, MeshShaderSupportsFullRangeRenderTargetArrayIndex),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS9, AtomicInt64OnTypedResourceSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS9, AtomicInt64OnGroupSharedSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS9, DerivativesInMeshAndAmplificationShadersSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS9, WaveMMATier),
};
constexpr FeatureMember kOptions10[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS10, VariableRateShadingSumCombinerSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS10, MeshShaderPerPrimitiveShadingRateSupported),
};
constexpr FeatureMember kOptions11[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS11, AtomicInt64OnDescriptorHeapResourceSupported),
};
constexpr FeatureMember kOptions12[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS12, MSPrimitivesPipelineStatisticIncludesCulledPrimitives),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS12, EnhancedBarriersSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS12, RelaxedFormatCastingSupported),
};
constexpr FeatureMember kOptions13[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, UnrestrictedBufferTextureCopyPitchSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, UnrestrictedVertexElementAlignmentSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, InvertedViewportHeightFlipsYSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, InvertedViewportDepthFlipsZSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, TextureCopyBetweenDimensionsSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS13, AlphaBlendFactorSupported),
};
constexpr FeatureMember kOptions14[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS14, AdvancedTextureOpsSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS14, WriteableMSAATexturesSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS14, IndependentFrontAndBackStencilRefMaskSupported),
};
constexpr FeatureMember kOptions15[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS15, TriangleFanSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS15, DynamicIndexBufferStripCutSupported),
};
constexpr FeatureMember kOptions16[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS16, DynamicDepthBiasSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS16, GPUUploadHeapSupported),
};
constexpr FeatureMember kOptions17[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS17, NonNormalizedCoordinateSamplersSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS17, ManualWriteTrackingResourceSupported),
};
constexpr FeatureMember kOptions18[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS18, RenderPassesValid),
};
constexpr FeatureMember kOptions19[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, MismatchingOutputDimensionsSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS19, SupportedSampleCountsWithNoOutputs),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, PointSamplingAddressesNeverRoundUp),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, RasterizerDesc2Supported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, NarrowQuadrilateralLinesSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, AnisoFilterWithPointMipSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS19, MaxSamplerDescriptorHeapSize),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS19, MaxSamplerDescriptorHeapSizeWithStaticSamplers),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS19, MaxViewDescriptorHeapSize),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS19, ComputeOnlyCustomHeapSupported),
};
constexpr FeatureMember kOptions20[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS20, ComputeOnlyWriteWatchSupported),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS20, RecreateAtTier),
};
constexpr FeatureMember kPredication[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_PREDICATION, Supported),
};
constexpr FeatureMember kHardwareCopy[] = {
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_HARDWARE_COPY, Supported),
};
constexpr FeatureMember kOptions21[] = {
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS21, WorkGraphsTier),
    HEAPWRIGHT_VALUE(D3D12_FEATURE_DATA_D3D12_OPTIONS21, ExecuteIndirectTier),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS21, SampleCmpGradientAndBiasSupported),
    HEAPWRIGHT_BOOL(D3D12_FEATURE_DATA_D3D12_OPTIONS21, ExtendedCommandInfoSupported),
};
constexpr FeatureMember kTightAlignment[] = {HEAPWRIGHT_VALUE(TightAlignment, SupportTier)};

#undef HEAPWRIGHT_VALUE
#undef HEAPWRIGHT_BOOL

#define HEAPWRIGHT_STRUCTURE(suffix, members)                                            \
    FeatureStructure {                                                                   \
        D3D12_FEATURE_##suffix, "D3D12_FEATURE_" #suffix, "D3D12_FEATURE_DATA_" #suffix, \
            sizeof(D3D12_FEATURE_DATA_##suffix), members                                 \
    }

constexpr FeatureStructure kStructures[] = {
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS, kOptions),
    HEAPWRIGHT_STRUCTURE(ARCHITECTURE, kArchitecture),
    HEAPWRIGHT_STRUCTURE(GPU_VIRTUAL_ADDRESS_SUPPORT, kGpuVirtualAddressSupport),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS1, kOptions1),
    HEAPWRIGHT_STRUCTURE(PROTECTED_RESOURCE_SESSION_SUPPORT, kProtectedResourceSessionSupport),
    HEAPWRIGHT_STRUCTURE(ARCHITECTURE1, kArchitecture1),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS2, kOptions2),
    HEAPWRIGHT_STRUCTURE(SHADER_CACHE, kShaderCache),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS3, kOptions3),
    HEAPWRIGHT_STRUCTURE(EXISTING_HEAPS, kExistingHeaps),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS4, kOptions4),
    HEAPWRIGHT_STRUCTURE(SERIALIZATION, kSerialization),
    HEAPWRIGHT_STRUCTURE(CROSS_NODE, kCrossNode),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS5, kOptions5),
    HEAPWRIGHT_STRUCTURE(DISPLAYABLE, kDisplayable),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS6, kOptions6),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS7, kOptions7),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS8, kOptions8),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS9, kOptions9),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS10, kOptions10),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS11, kOptions11),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS12, kOptions12),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS13, kOptions13),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS14, kOptions14),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS15, kOptions15),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS16, kOptions16),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS17, kOptions17),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS18, kOptions18),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS19, kOptions19),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS20, kOptions20),
    HEAPWRIGHT_STRUCTURE(PREDICATION, kPredication),
    HEAPWRIGHT_STRUCTURE(HARDWARE_COPY, kHardwareCopy),
    HEAPWRIGHT_STRUCTURE(D3D12_OPTIONS21, kOptions21),
    {kFeatureTightAlignment, "D3D12_FEATURE_D3D12_TIGHT_ALIGNMENT", "D3D12_FEATURE_DATA_TIGHT_ALIGNMENT",
     sizeof(TightAlignment), kTightAlignment},
};
#undef HEAPWRIGHT_STRUCTURE

}  // namespace

std::span<const FeatureStructure> feature_structures() {
    return kStructures;
}

}  // namespace heapwright::d3d12
