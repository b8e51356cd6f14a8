// Every fact that decides allocation stands in the report, or its absence does with the reason.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "drivers.hpp"
#include "heapwright/model/json.hpp"

using namespace heapwright;

namespace {

struct NamedFact {
    const char* structure;
    std::vector<const char*> members;
};

// Numbers, under the specification's names.
const std::vector<NamedFact>& numbers() {
    static const std::vector<NamedFact> kNumbers = {
        {"VkPhysicalDeviceMaintenance3Properties", {"maxPerSetDescriptors", "maxMemoryAllocationSize"}},
        {"VkPhysicalDeviceMaintenance4Properties", {"maxBufferSize"}},
        {"VkPhysicalDeviceMaintenance5Properties",
         {"earlyFragmentMultisampleCoverageAfterSampleCounting", "earlyFragmentSampleMaskTestBeforeSampleCounting",
          "depthStencilSwizzleOneSupport", "polygonModePointSize", "nonStrictSinglePixelWideLinesUseParallelogram",
          "nonStrictWideLinesUseParallelogram"}},
        {"VkPhysicalDeviceMaintenance6Properties",
         {"blockTexelViewCompatibleMultipleLayers", "maxCombinedImageSamplerDescriptorCount",
          "fragmentShadingRateClampCombinerInputs"}},
        {"VkPhysicalDeviceMemoryPriorityFeaturesEXT", {"memoryPriority"}},
        {"VkPhysicalDevicePageableDeviceLocalMemoryFeaturesEXT", {"pageableDeviceLocalMemory"}},
        {"VkPhysicalDeviceLimits",
         {"bufferImageGranularity", "nonCoherentAtomSize", "minMemoryMapAlignment", "minTexelBufferOffsetAlignment",
          "minUniformBufferOffsetAlignment", "minStorageBufferOffsetAlignment", "optimalBufferCopyOffsetAlignment",
          "optimalBufferCopyRowPitchAlignment", "sparseAddressSpaceSize", "maxMemoryAllocationCount",
          "maxSamplerAllocationCount"}},
        {"VkPhysicalDeviceTexelBufferAlignmentProperties",
         {"storageTexelBufferOffsetAlignmentBytes", "storageTexelBufferOffsetSingleTexelAlignment",
          "uniformTexelBufferOffsetAlignmentBytes", "uniformTexelBufferOffsetSingleTexelAlignment"}},
        {"VkPhysicalDeviceSparseProperties",
         {"residencyStandard2DBlockShape", "residencyStandard2DMultisampleBlockShape", "residencyStandard3DBlockShape",
          "residencyAlignedMipSize", "residencyNonResidentStrict"}},
        {"VkPhysicalDeviceFeatures",
         {"sparseBinding", "sparseResidencyBuffer", "sparseResidencyImage2D", "sparseResidencyImage3D",
          "sparseResidency2Samples", "sparseResidency4Samples", "sparseResidency8Samples", "sparseResidency16Samples",
          "sparseResidencyAliased"}},
        {"VkPhysicalDeviceProtectedMemoryProperties", {"protectedNoFault"}},
        {"VkPhysicalDeviceProtectedMemoryFeatures", {"protectedMemory"}},
        {"VkPhysicalDeviceExternalMemoryHostPropertiesEXT", {"minImportedHostPointerAlignment"}},
        {"VkPhysicalDeviceBufferDeviceAddressFeatures",
         {"bufferDeviceAddress", "bufferDeviceAddressCaptureReplay", "bufferDeviceAddressMultiDevice"}},
        {"VkPhysicalDeviceDescriptorIndexingProperties",
         {"maxUpdateAfterBindDescriptorsInAllPools", "maxPerStageDescriptorUpdateAfterBindSamplers",
          "maxPerStageDescriptorUpdateAfterBindUniformBuffers", "maxPerStageDescriptorUpdateAfterBindStorageBuffers",
          "maxPerStageDescriptorUpdateAfterBindSampledImages", "maxPerStageDescriptorUpdateAfterBindStorageImages",
          "maxPerStageDescriptorUpdateAfterBindInputAttachments", "maxPerStageUpdateAfterBindResources",
          "maxDescriptorSetUpdateAfterBindSamplers", "maxDescriptorSetUpdateAfterBindUniformBuffers",
          "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindStorageBuffers",
          "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindSampledImages",
          "maxDescriptorSetUpdateAfterBindStorageImages", "maxDescriptorSetUpdateAfterBindInputAttachments"}},
        {"VkPhysicalDeviceDescriptorBufferPropertiesEXT",
         {"descriptorBufferOffsetAlignment",
          "maxDescriptorBufferBindings",
          "maxResourceDescriptorBufferBindings",
          "maxSamplerDescriptorBufferBindings",
          "samplerDescriptorSize",
          "combinedImageSamplerDescriptorSize",
          "sampledImageDescriptorSize",
          "storageImageDescriptorSize",
          "uniformTexelBufferDescriptorSize",
          "robustUniformTexelBufferDescriptorSize",
          "storageTexelBufferDescriptorSize",
          "robustStorageTexelBufferDescriptorSize",
          "uniformBufferDescriptorSize",
          "robustUniformBufferDescriptorSize",
          "storageBufferDescriptorSize",
          "robustStorageBufferDescriptorSize",
          "inputAttachmentDescriptorSize",
          "accelerationStructureDescriptorSize",
          "maxSamplerDescriptorBufferRange",
          "maxResourceDescriptorBufferRange",
          "samplerDescriptorBufferAddressSpaceSize",
          "resourceDescriptorBufferAddressSpaceSize",
          "descriptorBufferAddressSpaceSize"}},
        {"VkPhysicalDeviceInlineUniformBlockProperties",
         {"maxInlineUniformBlockSize", "maxPerStageDescriptorInlineUniformBlocks",
          "maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks", "maxDescriptorSetInlineUniformBlocks",
          "maxDescriptorSetUpdateAfterBindInlineUniformBlocks"}},
        {"VkPhysicalDeviceHostImageCopyProperties", {"identicalMemoryTypeRequirements"}},
        {"VkPhysicalDeviceHostImageCopyFeatures", {"hostImageCopy"}},
        {"VkPhysicalDeviceCoherentMemoryFeaturesAMD", {"deviceCoherentMemory"}},
        {"VkPhysicalDeviceImageCompressionControlFeaturesEXT", {"imageCompressionControl"}},
        {"VkPhysicalDevicePortabilitySubsetPropertiesKHR", {"minVertexInputBindingStrideAlignment"}},
        {"VkPhysicalDevicePortabilitySubsetFeaturesKHR",
         {"constantAlphaColorBlendFactors", "events", "imageViewFormatReinterpretation", "imageViewFormatSwizzle",
          "imageView2DOn3DImage", "multisampleArrayImage", "mutableComparisonSamplers", "pointPolygons",
          "samplerMipLodBias", "separateStencilMaskRef", "shaderSampleRateInterpolationFunctions",
          "tessellationIsolines", "tessellationPointMode", "triangleFans", "vertexAttributeAccessBeyondStride"}},
    };
    return kNumbers;
}

bool has_fact(const std::vector<model::Fact>& facts, std::string_view group, std::string_view name) {
    return std::any_of(facts.begin(), facts.end(),
                       [&](const model::Fact& fact) { return fact.group == group && fact.name == name; });
}

// The reason why a structure is not in the report; empty when none is given.
std::string reason(const model::DeviceReport& report, std::string_view name) {
    for (const model::UnreportedFact& entry : report.unreported) {
        if (entry.name == name) return entry.reason;
    }
    return {};
}

void check_numbers(const model::DeviceReport& report) {
    for (const NamedFact& fact : numbers()) {
        const std::string why = reason(report, fact.structure);
        for (const char* member : fact.members) {
            INFO(fact.structure << "." << member << (why.empty() ? "" : ": ") << why);
            const bool present =
                has_fact(report.limits, fact.structure, member) || has_fact(report.features, fact.structure, member);
            CHECK(present == why.empty());
        }
    }
}

// A part that is either there or unreported for a reason, never both and never neither.
void check_part(const model::DeviceReport& report, bool present, std::string_view name) {
    INFO(name << ": " << reason(report, name));
    CHECK(present == reason(report, name).empty());
}

void check_all(const model::DeviceReport& report) {
    check_numbers(report);
    check_part(report, !report.run.heap_budgets.empty(), "VkPhysicalDeviceMemoryBudgetPropertiesEXT");
    check_part(report, !report.image_sweep.requirements.empty(), "VkMemoryDedicatedRequirements");
    check_part(report, !report.sparse_buffers.empty(), "sparse bind granularity");
    check_part(report, !report.sparse_images.empty(), "VkSparseImageMemoryRequirements");
    check_part(report, !report.texts.empty(), "optimalTilingLayoutUUID");
    check_part(report, !report.image_compression.empty(), "VkImageCompressionPropertiesEXT");
    check_part(report, !report.layered_apis.empty(), "VkPhysicalDeviceLayeredApiPropertiesListKHR");
    check_part(report, !report.identity.driver_id.empty(), "VkPhysicalDeviceDriverProperties");
    check_part(report, !report.identity.device_uuid.empty(), "VkPhysicalDeviceIDProperties");
    CHECK_FALSE(report.identity.driver_name.empty());
    CHECK_FALSE(report.identity.conformance_version.empty());
    for (const model::TextFact& text : report.texts) {
        CHECK(text.name == "optimalTilingLayoutUUID");
        CHECK(text.value.size() == 32);
    }
    for (const model::SparseImage& image : report.sparse_images) {
        CHECK_FALSE(image.aspects.empty());
        for (const model::SparseAspect& aspect : image.aspects) CHECK(aspect.image_granularity[0] > 1);
    }
    for (const model::UnreportedFact& entry : report.unreported) CHECK_FALSE(entry.reason.empty());
}

void check_driver(const probe_test::Driver& driver) {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(driver));
    check_all(probe_test::read(*source));
}

}  // namespace

TEST_CASE("every named fact of lavapipe is there or its absence has a reason", "[lavapipe]") {
    check_driver(probe_test::kLavapipe);
}

TEST_CASE("every named fact of the lavapipe of backports is there or its absence has a reason",
          "[lavapipe-backports]") {
    check_driver(probe_test::kLavapipeBackports);
}

TEST_CASE("every named fact of SwiftShader is there or its absence has a reason", "[swiftshader]") {
    check_driver(probe_test::kSwiftShader);
}
