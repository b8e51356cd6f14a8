#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "replay/device.hpp"
#include "replay_report.hpp"

namespace requirements_test {

using namespace heapwright;
using namespace heapwright::device;
using namespace heapwright::replay;
using namespace heapwright::test;

namespace {

std::unique_ptr<ReplayDevice> open(const model::DeviceReport& report, const ReplayOptions& options = {}) {
    auto device = open_replay(report, options);
    REQUIRE(device);
    return std::move(*device);
}

// As the larger one asks, but for the size: that of the texels at least.
bool is_between(const model::MemoryRequirements& answer, const model::ImageDescription& image,
                const model::DeviceReport& report, const model::ImageDescription& larger) {
    const model::MemoryRequirements whole = model::find_requirements(report.image_sweep, larger).value();
    return answer.alignment_bytes == whole.alignment_bytes && answer.memory_type_bits == whole.memory_type_bits &&
           answer.dedicated == whole.dedicated && answer.size_bytes <= whole.size_bytes &&
           answer.size_bytes >= model::packed_size_bytes(image) && answer.size_bytes % answer.alignment_bytes == 0;
}

}  // namespace

TEST_CASE("every swept image point is answered as the report has it") {
    const auto report = small_report();
    const auto device = open(report, {.interpolate = true});
    const model::ImageSweep& sweep = report.image_sweep;
    std::size_t answered = 0;
    std::size_t refused = 0;
    for (const model::ImageCase& entry : sweep.cases) {
        for (std::size_t i = 0; i < sweep.grid.point_count(); ++i) {
            const auto [width, height] = sweep.grid.point(i);
            const auto description = entry.description(width, height);
            const auto expected = model::find_requirements(sweep, description);
            const auto actual = device->resources().requirements(description);
            REQUIRE(expected.has_value() == actual.has_value());
            if (expected) {
                CHECK(*expected == *actual);
                ++answered;
            } else {
                CHECK(actual.error().code == ErrorCode::kNotSupported);
                ++refused;
            }
        }
    }
    CHECK(answered == 6 * sweep.grid.point_count() - 1);
    CHECK(refused == sweep.grid.point_count() + 1);
    for (const model::ImagePoint& point : sweep.points) {
        CHECK(device->resources().requirements(point.description).value() == *point.requirements);
    }
    CHECK(device->interpolated().empty());
}

TEST_CASE("every swept buffer size is answered as the report has it") {
    const auto report = small_report();
    const auto device = open(report);
    for (const model::BufferCase& entry : report.buffer_sweep.cases) {
        for (const std::uint64_t size : report.buffer_sweep.sizes) {
            const model::BufferDescription buffer{.size_bytes = size, .usage = entry.usage};
            CHECK(device->resources().requirements(buffer).value() ==
                  model::find_requirements(report.buffer_sweep, buffer).value());
        }
    }
}

TEST_CASE("the reason of a refusal comes from the report") {
    const auto device = open(small_report());
    auto astc = sampled_image(64, 64);
    astc.format = model::Format::kAstc4x4UnormBlock;
    const auto refused = device->resources().requirements(astc);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kNotSupported);
    CHECK(refused.error().message.find("no ASTC here") != std::string::npos);
}

TEST_CASE("what the sweep does not hold is refused unless interpolation was asked for") {
    const auto image = sampled_image(65, 3);
    const model::BufferDescription buffer{.size_bytes = 300, .usage = kBufferUsage};
    {
        const auto device = open(small_report());
        CHECK(device->resources().requirements(image).error().code == ErrorCode::kOutOfRange);
        CHECK(device->resources().requirements(buffer).error().code == ErrorCode::kOutOfRange);
    }
    const auto report = small_report();
    const auto device = open(report, {.interpolate = true});
    const auto from_image = device->resources().requirements(image);
    REQUIRE(from_image);
    CHECK(is_between(*from_image, image, report, sampled_image(128, 16)));
    REQUIRE(device->resources().requirements(image));
    const auto from_buffer = device->resources().requirements(buffer);
    REQUIRE(from_buffer);
    CHECK(from_buffer->size_bytes == 304);  // by its alignment, not by the next swept size
    const auto listed = device->interpolated();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].queries == 2);
    CHECK(std::get<model::ImageDescription>(listed[0].resource) == image);
    CHECK(listed[0].taken_from.find("128x16") != std::string::npos);
    CHECK(listed[1].queries == 1);
    CHECK(device->resources()
              .requirements(model::BufferDescription{.size_bytes = 17 * kMib, .usage = kBufferUsage})
              .error()
              .code == ErrorCode::kOutOfRange);
}

TEST_CASE("interpolation prefers the case itself and else one that holds more") {
    const auto report = small_report();
    const auto device = open(report, {.interpolate = true});
    auto fewer_mips = sampled_image(200, 200);
    fewer_mips.mip_levels = 3;
    CHECK(is_between(device->resources().requirements(fewer_mips).value(), fewer_mips, report,
                     sampled_image(256, 256, true)));
    auto three_layers = sampled_image(64, 64);
    three_layers.array_layers = 3;
    auto four_layers = three_layers;
    four_layers.array_layers = 4;
    CHECK(is_between(device->resources().requirements(three_layers).value(), three_layers, report, four_layers));
    auto less_usage = sampled_image(64, 64);
    less_usage.usage = model::image_usage::kSampled;
    CHECK(device->resources().requirements(less_usage).value() ==
          model::find_requirements(report.image_sweep, sampled_image(64, 64)).value());
    auto storage = sampled_image(64, 64);
    storage.usage |= model::image_usage::kStorage;
    CHECK_FALSE(device->resources().requirements(storage));
}

TEST_CASE("interpolation knows the single buffers that the sweep asked for") {
    auto report = small_report();
    const auto usage = model::buffer_usage::kStorage | model::buffer_usage::kShaderDeviceAddress;
    const model::MemoryRequirements asked{.size_bytes = 4096, .alignment_bytes = 512, .memory_type_bits = 1};
    model::MemoryRequirements larger = asked;
    larger.size_bytes = 8192;
    report.buffer_sweep.points = {
        {.description = {.size_bytes = 8192, .usage = usage}, .requirements = larger, .not_supported = {}},
        {.description = {.size_bytes = 4096, .usage = usage}, .requirements = asked, .not_supported = {}}};
    const auto device = open(report, {.interpolate = true});
    const auto between = device->resources().requirements(model::BufferDescription{.size_bytes = 3000, .usage = usage});
    REQUIRE(between);
    CHECK(between->size_bytes == 3072);
    CHECK(between->alignment_bytes == 512);
    REQUIRE(device->interpolated().size() == 1);
    CHECK(device->interpolated()[0].taken_from.find("4096") != std::string::npos);
    // Beyond the largest of them nothing is known.
    CHECK_FALSE(device->resources().requirements(model::BufferDescription{.size_bytes = 9000, .usage = usage}));
}

TEST_CASE("interpolation knows the single images that the sweep asked for") {
    auto report = small_report();
    const auto storage_image = [](std::uint32_t width, std::uint32_t height) {
        auto image = sampled_image(width, height);
        image.usage = model::image_usage::kStorage;
        return image;
    };
    const auto answer = [](std::uint64_t size_bytes) {
        return model::MemoryRequirements{
            .size_bytes = size_bytes, .alignment_bytes = 256, .memory_type_bits = 1, .dedicated = {}};
    };
    report.image_sweep.points = {{storage_image(100, 100), answer(65536), {}},
                                 {storage_image(70, 90), answer(32768), {}},
                                 {storage_image(20, 90), answer(8192), {}},
                                 {storage_image(40, 40), std::nullopt, "it says no"}};
    const auto device = open(report, {.interpolate = true});
    CHECK(is_between(device->resources().requirements(storage_image(60, 60)).value(), storage_image(60, 60), report,
                     storage_image(70, 90)));
    CHECK(is_between(device->resources().requirements(storage_image(71, 60)).value(), storage_image(71, 60), report,
                     storage_image(100, 100)));
    CHECK(device->resources().requirements(storage_image(40, 40)).error().code == ErrorCode::kNotSupported);
    CHECK(device->resources().requirements(storage_image(101, 60)).error().code == ErrorCode::kOutOfRange);
}

// Direct3D 12 keeps buffers with unordered access out of upload heaps.
TEST_CASE("a usage that was not swept asks for what its parts ask for, not for what one that holds more does") {
    using namespace model::buffer_usage;
    auto report = small_report();
    model::BufferSweep& sweep = report.buffer_sweep;
    sweep = {.sizes = {1024, 4096},
             .requirements = {{.alignment_bytes = 256, .memory_type_bits = 7},
                              {.alignment_bytes = 64, .memory_type_bits = 6, .dedicated = model::Dedicated::kPreferred},
                              {.alignment_bytes = 256, .memory_type_bits = 1}},
             .tables = {{.size_bytes = {1024, 4096}, .requirement = {0, 0}},
                        {.size_bytes = {2048, 4096}, .requirement = {1, 1}},
                        {.size_bytes = {1024, 4096}, .requirement = {2, 2}}},
             .cases = {{.usage = kUniform | kVertex | kIndex | kStorage, .table = 2},
                       {.usage = kVertex, .table = 0},
                       {.usage = kUniform, .table = 1},
                       {.usage = kVertex | kIndirect, .table = 2},
                       {.usage = kUniform | kVertex | kStorage, .table = 2}}};
    const auto device = open(report, {.interpolate = true});
    CHECK(device->resources().requirements(model::BufferDescription{.size_bytes = 800, .usage = kUniform | kVertex}) ==
          model::MemoryRequirements{.size_bytes = 2048,
                                    .alignment_bytes = 256,
                                    .memory_type_bits = 6,
                                    .dedicated = model::Dedicated::kPreferred});
    // No parts make it up: the one that holds least besides.
    CHECK(device->resources().requirements(model::BufferDescription{.size_bytes = 800, .usage = kStorage | kVertex}) ==
          model::MemoryRequirements{.size_bytes = 1024, .alignment_bytes = 256, .memory_type_bits = 1});
    const auto listed = device->interpolated();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].taken_from.starts_with("together: buffer of 1024 bytes"));
    CHECK(listed[1].taken_from.find(model::flags_text(kUniform | kVertex | kStorage, model::buffer_usage_names())) !=
          std::string::npos);
}

TEST_CASE("a report without memory cannot act as a device") {
    model::DeviceReport report;
    CHECK(open_replay(report).error().code == ErrorCode::kInvalidArgument);
    report.memory_types = {{.heap_index = 1}};
    report.heaps = {{.size_bytes = 1024}};
    CHECK(open_replay(report).error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("facts are the report without its sweeps") {
    const auto report = small_report();
    const auto device = open(report);
    CHECK_FALSE(device->is_real());
    CHECK(device->facts().identity == report.identity);
    CHECK(device->facts().limits == report.limits);
    CHECK(device->facts().memory_types.size() == 3);
    CHECK(device->facts().image_sweep.cases.empty());
    CHECK(device->facts().buffer_sweep.cases.empty());
}

}  // namespace requirements_test
