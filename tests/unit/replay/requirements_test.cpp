#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include "heapwright/replay/device.hpp"
#include "replay_report.hpp"

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
    CHECK(*from_image == model::find_requirements(report.image_sweep, sampled_image(128, 16)).value());
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
    CHECK(device->resources().requirements(fewer_mips).value() ==
          model::find_requirements(report.image_sweep, sampled_image(256, 256, true)).value());
    auto three_layers = sampled_image(64, 64);
    three_layers.array_layers = 3;
    auto four_layers = three_layers;
    four_layers.array_layers = 4;
    CHECK(device->resources().requirements(three_layers).value() ==
          model::find_requirements(report.image_sweep, four_layers).value());
    auto less_usage = sampled_image(64, 64);
    less_usage.usage = model::image_usage::kSampled;
    CHECK(device->resources().requirements(less_usage).value() ==
          model::find_requirements(report.image_sweep, sampled_image(64, 64)).value());
    auto storage = sampled_image(64, 64);
    storage.usage |= model::image_usage::kStorage;
    CHECK_FALSE(device->resources().requirements(storage));
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
