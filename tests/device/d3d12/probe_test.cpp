// What a report of vkd3d says, against what is known of it and of the drivers beneath.
#include <algorithm>
#include <bit>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "core/checked.hpp"
#include "d3d12/capability_source.hpp"
#include "heapwright/model/json.hpp"
#include "source.hpp"

using namespace heapwright;

namespace {

const model::Finding* find(const model::DeviceReport& report, std::string_view id) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [id](const model::Finding& finding) { return finding.id == id; });
    return found == report.findings.end() ? nullptr : &*found;
}

bool has_fact(const std::vector<model::Fact>& facts, std::string_view group, std::string_view name) {
    return std::any_of(facts.begin(), facts.end(),
                       [&](const model::Fact& fact) { return fact.group == group && fact.name == name; });
}

std::string text_of(const model::DeviceReport& device) {
    model::Report report;
    report.header.tool_version = "test";
    report.devices.push_back(device);
    report.devices[0].run = {};
    return model::write(report);
}

}  // namespace

TEST_CASE("the identity names the device beneath vkd3d", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::DeviceIdentity& identity = source->adapters()[0];
    CHECK(identity.api == model::Api::kD3d12);
    CHECK(identity.name.find("llvmpipe") != std::string::npos);
    CHECK(identity.type == model::DeviceType::kCpu);
    CHECK(identity.vendor_id == 0x10005);
    CHECK(identity.driver_id == "VKD3D");
    CHECK(identity.driver_name.find("libvkd3d-utils.so.1") == 0);
    CHECK(identity.driver_name.find("llvmpipe") != std::string::npos);
    CHECK(identity.driver_info.find("Mesa") != std::string::npos);
    CHECK(identity.device_uuid.size() == 32);
    CHECK((identity.api_version.starts_with("11_") || identity.api_version.starts_with("12_")));
    CHECK(identity.luid.empty());
}

TEST_CASE("the two drivers are told apart", "[device]") {
    const auto first = test::open_source(test::kDrivers[0]);
    const auto second = test::open_source(test::kDrivers[1]);
    CHECK_FALSE(model::same_device_and_driver(first->adapters()[0], second->adapters()[0]));
}

TEST_CASE("features that the runtime knows are facts, the others a finding", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::DeviceReport report = test::read(*source);
    constexpr const char* kOptions = "D3D12_FEATURE_DATA_D3D12_OPTIONS";
    CHECK(has_fact(report.limits, kOptions, "ResourceHeapTier"));
    CHECK(has_fact(report.limits, kOptions, "ResourceBindingTier"));
    CHECK(has_fact(report.features, "D3D12_FEATURE_DATA_ARCHITECTURE1", "UMA"));
    CHECK(has_fact(report.limits, "D3D12_FEATURE_DATA_SHADER_MODEL", "HighestShaderModel"));
    CHECK(report.limit(model::FactName::made("ResourceHeapTier")) == 2);
    CHECK(report.feature(model::FactName::made("UMA")));
    CHECK(report.limit(model::FactName::made("MaxGPUVirtualAddressBitsPerProcess")).value_or(0) >= 32);

    // vkd3d 1.2 ends at D3D12_FEATURE_D3D12_OPTIONS5.
    CHECK(has_fact(report.features, "D3D12_FEATURE_DATA_D3D12_OPTIONS5", "SRVOnlyTiledResourceTier3"));
    CHECK_FALSE(has_fact(report.features, "D3D12_FEATURE_DATA_D3D12_OPTIONS6", "BackgroundProcessingSupported"));
    const model::Finding* unknown = find(report, "features-unknown-to-runtime");
    REQUIRE(unknown != nullptr);
    for (const char* name : {"OPTIONS6", "OPTIONS16", "OPTIONS19", "TIGHT_ALIGNMENT"}) {
        INFO(name);
        CHECK(std::any_of(unknown->evidence.begin(), unknown->evidence.end(), [name](const std::string& line) {
            return line.starts_with(std::string("D3D12_FEATURE_D3D12_") + name + ":");
        }));
    }
}

TEST_CASE("unified memory has one heap and three rows", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::DeviceReport report = test::read(*source);
    REQUIRE(report.heaps.size() == 1);
    CHECK(report.heaps[0].size_bytes >= 1ull << 30);
    CHECK(find(report, "heap-size-not-of-this-api") != nullptr);
    REQUIRE(report.memory_types.size() == 3);
    CHECK(report.memory_types[0].d3d12_heap_type == model::D3d12HeapType::kDefault);
    CHECK(report.memory_types[0].resource_classes.empty());
    CHECK((report.memory_types[0].property_flags & model::memory_property::kHostVisible) == 0);
    for (const std::size_t row : {1u, 2u}) {
        CHECK((report.memory_types[row].property_flags & model::memory_property::kHostVisible) != 0);
        CHECK(report.memory_types[row].resource_classes == std::vector{model::ResourceClass::kLinear});
    }
    // A driver with VK_EXT_memory_budget gives budgets, one without says that they are missing.
    const bool absent =
        std::find(report.absent.begin(), report.absent.end(), "/volatile/heap_budgets") != report.absent.end();
    CHECK(absent == report.run.heap_budgets.empty());
}

TEST_CASE("descriptor heaps are measured within bounds", "[device]") {
    const auto source = test::open_source(test::kDrivers[0]);
    const model::DeviceReport report = test::read(*source);
    for (const char* type : {"CBV_SRV_UAV", "SAMPLER", "RTV", "DSV"}) {
        const std::string name = std::string("D3D12_DESCRIPTOR_HEAP_TYPE_") + type;
        INFO(name);
        std::uint64_t increment = 0;
        std::uint64_t largest = 0;
        for (const model::Fact& fact : report.limits) {
            if (fact.name != name) continue;
            (fact.group == "ID3D12Device::CreateDescriptorHeap" ? largest : increment) = fact.value;
        }
        CHECK(increment > 0);
        CHECK(largest >= 1024);
        CHECK(largest * increment <= 64ull << 20);
    }
    // vkd3d 1.2 refuses no sampler heap for its size.
    const model::Finding* unlimited = find(report, "descriptor-heap-limit-not-enforced");
    REQUIRE(unlimited != nullptr);
    CHECK(std::any_of(unlimited->evidence.begin(), unlimited->evidence.end(), [](const std::string& line) {
        return line.starts_with("D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER: ");
    }));
}

TEST_CASE("the image sweep obeys the placement rules of the API", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::DeviceReport report = test::read(*source);
    const model::ImageSweep& sweep = report.image_sweep;
    std::size_t small = 0;
    std::size_t supported = 0;
    for (const model::ImageCase& image : sweep.cases) {
        if (!image.table) {
            CHECK_FALSE(image.not_supported.empty());
            continue;
        }
        ++supported;
        CHECK(image.tiling == model::ImageTiling::kOptimal);
        for (std::size_t point = 0; point < sweep.grid.point_count(); ++point) {
            const std::uint64_t size = sweep.tables[*image.table].size_bytes[point];
            if (size == 0) continue;
            const auto& requirement = sweep.requirements[sweep.tables[*image.table].requirement[point]];
            const auto [width, height] = sweep.grid.point(point);
            const model::ImageDescription description = image.description(width, height);
            const std::uint64_t alignment = requirement.alignment_bytes;
            const bool known = alignment == 4096 || alignment == 65536 || alignment == 4u << 20;
            if (!known || size % alignment != 0) FAIL(width << "x" << height << ": " << size << " at " << alignment);
            if (size < model::packed_size_bytes(description)) FAIL(width << "x" << height << " takes " << size);
            if (requirement.memory_type_bits != 1) FAIL("a texture outside the DEFAULT row");
            constexpr model::Flags kTargets =
                model::image_usage::kColorAttachment | model::image_usage::kDepthStencilAttachment;
            if (alignment == 4096) {
                ++small;
                if ((image.usage & kTargets) != 0) FAIL("a target at 4 KiB");
            }
        }
    }
    CHECK(supported >= 150);
    CHECK(small > 1000);
    const auto answer = find_requirements(
        sweep, model::ImageDescription{.usage = model::image_usage::kSampled, .width = 4096, .height = 4096});
    REQUIRE(answer);
    CHECK(answer->size_bytes >= 67108864);
    CHECK(answer->alignment_bytes == 65536);
}

TEST_CASE("buffers take multiples of 64 KiB, storage buffers no host row", "[device]") {
    const auto source = test::open_source(GENERATE(from_range(test::kDrivers)));
    const model::DeviceReport report = test::read(*source);
    namespace usage = model::buffer_usage;
    const auto ask = [&](std::uint64_t size, model::Flags bits) {
        const auto answer =
            find_requirements(report.buffer_sweep, model::BufferDescription{.size_bytes = size, .usage = bits});
        REQUIRE(answer);
        return *answer;
    };
    CHECK(ask(1, usage::kVertex).size_bytes == 65536);
    CHECK(ask(65536, usage::kVertex).size_bytes == 65536);
    CHECK(ask(65537, usage::kVertex).size_bytes == 131072);
    CHECK(ask(1, usage::kVertex).memory_type_bits == 0b111);
    CHECK(ask(1, usage::kStorage).memory_type_bits == 0b001);
}

TEST_CASE("two reads of one device are equal but for what is volatile", "[device]") {
    const auto first = test::open_source(test::kDrivers[0]);
    const auto second = test::open_source(test::kDrivers[0]);
    const std::string text = text_of(test::read(*first));
    CHECK(text == text_of(test::read(*second)));
    const auto back = model::read_report(text, "written report");
    if (!back) FAIL(to_string(back.error()));
}

TEST_CASE("facts come before the sweep, and a workload's points after it", "[device]") {
    const auto source = test::open_source(test::kDrivers[0]);
    model::Workload workload;
    workload.images = {
        {.usage = model::image_usage::kSampled, .extents = {{77, 33}}},
        {.format = model::Format::kEtc2R8G8B8UnormBlock, .usage = model::image_usage::kSampled, .extents = {{64, 64}}},
        {.format = model::Format::kBc1RgbaUnormBlock, .usage = model::image_usage::kSampled, .extents = {{66, 64}}}};
    workload.buffers = {{.usage = model::buffer_usage::kVertex, .smallest_bytes = 777, .largest_bytes = 777}};
    int facts_seen = 0;
    device::ReadOptions options;
    options.workload = &workload;
    options.on_facts = [&facts_seen](const model::DeviceReport& facts) {
        ++facts_seen;
        CHECK(facts.image_sweep.cases.empty());
        CHECK_FALSE(facts.limits.empty());
    };
    const model::DeviceReport report = test::read(*source, options);
    CHECK(facts_seen == 1);
    REQUIRE(report.image_sweep.points.size() == 3);
    CHECK(report.image_sweep.points[0].requirements);
    CHECK(report.image_sweep.points[1].not_supported == "DXGI has no ETC2_R8G8B8_UNORM_BLOCK format");
    CHECK(report.image_sweep.points[2].not_supported.find("whole 4x4 blocks") != std::string::npos);
    REQUIRE(report.buffer_sweep.points.size() == 1);
    CHECK(report.buffer_sweep.points[0].requirements);
}

TEST_CASE("an adapter that is not there is refused") {
    const auto source = test::open_source(test::kDrivers[0]);
    const auto report = source->read(1, {});
    REQUIRE_FALSE(report);
    CHECK(report.error().code == ErrorCode::kOutOfRange);
    const auto validated = source->open(0, {.validation_layers = true});
    REQUIRE_FALSE(validated);
    CHECK(validated.error().code == ErrorCode::kRefused);
}
