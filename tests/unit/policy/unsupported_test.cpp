// Hints that this device cannot serve: beyond a limit they do not fit, by the limit's name and value; what an
// extension, a feature or the report's own answer denies is warned of.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "policy/advise.hpp"
#include "policy/demand.hpp"
#include "policy/left_out.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace unsupported_test {

using namespace heapwright;
using model::DeviceReport;

namespace {

model::Workload of_images(std::vector<model::ImageHint> images) {
    model::Workload workload;
    workload.name = "own";
    workload.churn_steps = 0;
    workload.images = std::move(images);
    return workload;
}

model::Workload of_buffer(model::Flags usage) {
    model::Workload workload;
    workload.name = "own";
    workload.buffers = {{.usage = usage}};
    return workload;
}

auto advised(const DeviceReport& device, const model::Workload& workload) {
    return policy::advise(device, workload, 0, {.rule = policy::ChunkRuleName::kSource, .sample = {}});
}

model::Statement warnings_of(const DeviceReport& device, const model::Workload& workload) {
    const policy::Context context{.device = device, .workload = workload, .device_index = 0};
    model::Statement warnings = policy::list_demand(context).warnings;
    policy::warn_of_unsupported(context, warnings);
    return warnings;
}

DeviceReport limited_device() {
    DeviceReport device = test::radv_like_device();
    test::set_limit(device, "maxImageDimension2D", 4096);
    test::set_limit(device, "maxImageDimension3D", 512);
    test::set_limit(device, "maxImageDimensionCube", 2048);
    test::set_limit(device, "maxImageArrayLayers", 256);
    return device;
}

}  // namespace

TEST_CASE("an image beyond a limit of the device does not fit, by the limit's name and value") {
    const DeviceReport device = limited_device();
    const struct {
        model::ImageHint hint;
        const char* words;
    } cases[] = {
        {{.extents = {{8192, 64}}},
         "images/1 (R8G8B8A8_UNORM 8192x64) cannot be served: a side of 8192 is above "
         "maxImageDimension2D (4096)"},
        {{.extents = {{64, 100'000}}}, "a side of 100000 is above maxImageDimension2D (4096)"},
        {{.extents = {{64, 64}}, .depth = 600}, "a side of 600 is above maxImageDimension3D (512)"},
        {{.extents = {{4096, 4096}}, .array_layers = 6, .flags = model::image_creation::kCubeCompatible},
         "a side of 4096 is above maxImageDimensionCube (2048)"},
        {{.extents = {{64, 64}}, .array_layers = 300}, "300 layers are above maxImageArrayLayers (256)"},
    };
    for (const auto& [hint, words] : cases) {
        CAPTURE(words);
        const auto policy = advised(device, of_images({{.extents = {{64, 64}}}, hint}));
        REQUIRE(policy);
        CHECK_FALSE(policy->capacity->fits);
        REQUIRE(policy->capacity->refused.size() == 1);
        CHECK(policy->capacity->refused[0].hint == "images/1");
        CHECK(policy->capacity->refused[0].bytes >= 64 * 64 * 4);
        CHECK(test::times(policy->warnings, words) >= 1);
    }
    CHECK(advised(device, of_images({{.extents = {{4096, 64}}}}))->capacity->fits);
}

TEST_CASE("samples that no limit allows and formats of an extension that is not there are refused by name") {
    namespace usage = model::image_usage;
    DeviceReport device = limited_device();
    device.extensions = {{.name = "VK_KHR_maintenance1"}};
    test::set_limit(device, "framebufferColorSampleCounts", 15);
    test::set_limit(device, "sampledImageIntegerSampleCounts", 1);
    const struct {
        model::ImageHint hint;
        const char* words;
    } cases[] = {
        {{.usage = usage::kColorAttachment, .extents = {{512, 512}}, .samples = 64},
         "64 samples are above framebufferColorSampleCounts (8)"},
        {{.format = model::Format::kR32Uint, .usage = usage::kSampled, .extents = {{64, 64}}, .samples = 2},
         "2 samples are above sampledImageIntegerSampleCounts (1)"},
        {{.format = model::Format::kPvrtc14bppUnormBlockImg, .usage = usage::kSampled, .extents = {{64, 64}}},
         "the device lacks VK_IMG_format_pvrtc, which PVRTC1_4BPP_UNORM_BLOCK_IMG needs"},
    };
    for (const auto& [hint, words] : cases) {
        CAPTURE(words);
        const auto policy = advised(device, of_images({{.extents = {{64, 64}}}, hint}));
        REQUIRE(policy);
        CHECK(model::statement_of(*policy->capacity).find(words) != std::string::npos);
        CHECK(policy->capacity->refused.size() == 1);
    }
    device.extensions = {{.name = "VK_IMG_format_pvrtc"}};
    CHECK(advised(device, of_images({cases[2].hint}))->capacity->fits);
    model::ImageHint fewer = cases[0].hint;
    fewer.samples = 8;
    CHECK(advised(device, of_images({fewer}))->capacity->fits);
}

TEST_CASE("Direct3D 12 bounds sides, layers and samples by its constants") {
    DeviceReport device = test::radv_like_device();
    device.identity.api = model::Api::kD3d12;
    for (const char* name :
         {"maxImageDimension2D", "maxImageDimension3D", "maxImageDimensionCube", "maxImageArrayLayers"})
        test::remove_limit(device, name);
    const struct {
        model::ImageHint hint;
        const char* words;
    } cases[] = {
        {{.extents = {{20'000, 64}}}, "a side of 20000 is above D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION (16384)"},
        {{.extents = {{32'768, 32'768}}}, "a side of 32768 is above D3D12_REQ_TEXTURE2D_U_OR_V_DIMENSION (16384)"},
        {{.extents = {{64, 64}}, .depth = 4096},
         "a side of 4096 is above D3D12_REQ_TEXTURE3D_U_V_OR_W_DIMENSION (2048)"},
        {{.extents = {{64, 64}}, .array_layers = 4096},
         "4096 layers are above D3D12_REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION (2048)"},
        {{.usage = model::image_usage::kColorAttachment, .extents = {{64, 64}}, .samples = 64},
         "64 samples are above D3D12_MAX_MULTISAMPLE_SAMPLE_COUNT (32)"},
    };
    for (const auto& [hint, words] : cases) {
        CAPTURE(words);
        const auto policy = advised(device, of_images({{.extents = {{64, 64}}}, hint}));
        REQUIRE(policy);
        CHECK(model::statement_of(*policy->capacity).find(words) != std::string::npos);
    }
    CHECK(advised(device, of_images({{.extents = {{16'384, 64}}, .array_layers = 2048}}))->capacity->refused.empty());
}

TEST_CASE("where all hints are beyond a limit, the refusal names it") {
    const auto refused = advised(limited_device(), of_images({{.extents = {{5000, 5000}}, .count = 2}}));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
    CHECK(refused.error().message.ends_with("a side of 5000 is above maxImageDimension2D (4096)"));
}

TEST_CASE("of drawn sides those beyond the limit have no place, in one warning") {
    const auto policy = advised(limited_device(), of_images({{.smallest_side = 256, .largest_side = 16384}}));
    REQUIRE(policy);
    CHECK_FALSE(policy->capacity->fits);
    CHECK(test::times(policy->warnings, "cannot be served") == 1);
    CHECK(test::times(policy->warnings, model::ClaimId::kUnservedSizes) == 1);
}

TEST_CASE("a usage whose extension the device lacks is warned of, one that it may have is not") {
    constexpr model::Flags kStructure = 0x100000;
    constexpr model::Flags kBindingTable = 0x400;
    DeviceReport device = test::radv_like_device();
    device.extensions = {{.name = "VK_KHR_maintenance1"}};
    CHECK(test::times(warnings_of(device, of_buffer(kStructure)),
                      "buffers/0: the device lacks VK_KHR_acceleration_structure, which "
                      "ACCELERATION_STRUCTURE_STORAGE_KHR needs") == 1);
    CHECK(test::times(warnings_of(device, of_buffer(kBindingTable)),
                      "lacks VK_KHR_ray_tracing_pipeline, which SHADER_BINDING_TABLE_KHR needs") == 1);
    const auto policy = advised(device, of_buffer(kStructure));
    REQUIRE(policy);
    CHECK(test::times(policy->warnings, "lacks VK_KHR_acceleration_structure") == 1);
    CHECK(test::times(warnings_of(device, of_images({{.usage = 0x400 | 0x4}})),
                      "images/0: the device lacks VK_KHR_video_decode_queue, which VIDEO_DECODE_DST_KHR needs") == 1);
    CHECK(test::times(warnings_of(device, of_buffer(model::buffer_usage::kStorage)), "the device lacks") == 0);

    model::Workload none = of_buffer(kStructure);
    none.buffers[0].count = 0;
    CHECK(test::times(warnings_of(device, none), "lacks VK_") == 0);

    device.extensions = {{.name = "VK_KHR_acceleration_structure"}, {.name = "VK_NV_ray_tracing"}};
    CHECK(test::times(warnings_of(device, of_buffer(kStructure | kBindingTable)), "lacks VK_") == 0);
    device.extensions.clear();
    device.absent.emplace_back("/extensions");
    CHECK(test::times(warnings_of(device, of_buffer(kStructure | kBindingTable)), "lacks VK_") == 0);
}

TEST_CASE("on Direct3D 12 the ray-tracing tier tells of acceleration structures") {
    DeviceReport device = test::radv_like_device();
    device.identity.api = model::Api::kD3d12;
    device.extensions.clear();
    CHECK(test::times(warnings_of(device, of_buffer(0x100000)), "the device lacks") == 0);
    test::set_limit(device, "RaytracingTier", 0);
    CHECK(test::times(warnings_of(device, of_buffer(0x100000)), "lacks RaytracingTier") == 1);
}

TEST_CASE("a usage or format whose feature the device reports as missing is warned of") {
    DeviceReport device = test::radv_like_device();
    const auto bc7 = of_images({{.format = model::Format::kBc7UnormBlock, .extents = {{64, 64}}}});
    const auto addressed = of_buffer(model::buffer_usage::kShaderDeviceAddress | model::buffer_usage::kStorage);
    std::erase_if(device.features, [](const model::Fact& fact) {
        return fact.name == "textureCompressionBC" || fact.name == "bufferDeviceAddress";
    });
    CHECK(test::times(warnings_of(device, bc7), "the device lacks") == 0);
    CHECK(test::times(warnings_of(device, addressed), "lacks buffer") == 0);
    device.features.push_back({.group = "VkPhysicalDeviceFeatures", .name = "textureCompressionBC", .value = 0});
    device.features.push_back(
        {.group = "VkPhysicalDeviceBufferDeviceAddressFeatures", .name = "bufferDeviceAddress", .value = 0});
    CHECK(test::times(warnings_of(device, bc7),
                      "images/0: the device lacks textureCompressionBC, which BC7_UNORM_BLOCK needs") == 1);
    CHECK(test::times(warnings_of(device, addressed), "lacks bufferDeviceAddress, which SHADER_DEVICE_ADDRESS needs") ==
          1);
}

TEST_CASE("a format that the device refuses is not told to be planned, and the verdict says why") {
    DeviceReport device = test::radv_like_device();
    std::erase_if(device.features, [](const model::Fact& fact) { return fact.name.starts_with("textureCompression"); });
    for (const char* feature : {"textureCompressionBC", "textureCompressionASTC_LDR"})
        device.features.push_back({.group = "VkPhysicalDeviceFeatures", .name = feature, .value = 0});
    for (const model::Format format : {model::Format::kBc7UnormBlock, model::Format::kAstc4x4UnormBlock}) {
        const model::Workload workload =
            of_images({{.extents = {{64, 64}}},
                       {.format = format, .usage = model::image_usage::kSampled, .extents = {{64, 64}}}});
        CHECK(test::times(advised(device, workload)->warnings, "planned as if it were there") == 1);
        device.image_sweep.cases.push_back({.format = format,
                                            .usage = model::image_usage::kSampled,
                                            .table = {},
                                            .not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED"});
        const auto policy = advised(device, workload);
        REQUIRE(policy);
        CHECK(test::times(policy->warnings, "planned as if it were there") == 0);
        CHECK(test::times(policy->warnings, "the device lacks textureCompression") == 1);
        CHECK(model::statement_of(*policy->capacity).ends_with(": VK_ERROR_FORMAT_NOT_SUPPORTED"));
    }
}

TEST_CASE("the command that asks the driver names a file where the workload came by standard input") {
    CHECK(policy::probe_command("-") == "heapwright probe --workload FILE --output report.json");
    CHECK(policy::probe_command("own.json") == "heapwright probe --workload own.json --output report.json");
}

TEST_CASE("what the report refuses of a format it refuses of an image that does more") {
    DeviceReport device = test::radv_like_device();
    device.image_sweep.cases.push_back({.format = model::Format::kD16Unorm,
                                        .usage = model::image_usage::kSampled,
                                        .table = {},
                                        .not_supported = "VK_ERROR_FORMAT_NOT_SUPPORTED"});
    constexpr model::Flags kMore = model::image_usage::kSampled | model::image_usage::kTransferSrc;
    const auto lines =
        warnings_of(device, of_images({{.format = model::Format::kD16Unorm, .usage = kMore, .extents = {{64, 64}}}}));
    CHECK(test::times(lines, "does not even support D16_UNORM with SAMPLED: VK_ERROR_FORMAT_NOT_SUPPORTED") == 1);
    const auto others = warnings_of(
        device,
        of_images(
            {{.format = model::Format::kD16Unorm, .usage = model::image_usage::kTransferSrc, .extents = {{64, 64}}}}));
    CHECK(test::times(others, "not served") == 0);
}

}  // namespace unsupported_test
