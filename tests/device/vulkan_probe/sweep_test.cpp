// The sweeps on real drivers: known answers, equal answers on a second read, and what must hold on any driver.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "core/checked.hpp"
#include "drivers.hpp"
#include "heapwright/model/workload.hpp"

using namespace heapwright;
namespace image_usage = model::image_usage;
namespace buffer_usage = model::buffer_usage;

namespace {

model::MemoryRequirements rgba8(const model::DeviceReport& report, std::uint32_t width, std::uint32_t height) {
    const auto answer = model::find_requirements(
        report.image_sweep, model::ImageDescription{.format = model::Format::kR8G8B8A8Unorm,
                                                    .usage = image_usage::kSampled | image_usage::kTransferDst,
                                                    .width = width,
                                                    .height = height});
    REQUIRE(answer.has_value());
    return *answer;
}

template <class Sweep>
void check_tables(const Sweep& sweep, std::size_t points, std::uint32_t memory_types) {
    for (const model::RequirementClass& entry : sweep.requirements) {
        CHECK(is_power_of_two(entry.alignment_bytes));
        CHECK(entry.memory_type_bits != 0);
        CHECK(entry.memory_type_bits >> (memory_types - 1) <= 1);
    }
    for (const model::SweepTable& table : sweep.tables) {
        REQUIRE(table.size_bytes.size() == points);
        REQUIRE(table.requirement.size() == points);
        bool indices_good = true;
        for (const std::uint16_t index : table.requirement) indices_good &= index < sweep.requirements.size();
        CHECK(indices_good);
    }
    for (std::size_t a = 0; a < sweep.tables.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) CHECK(!(sweep.tables[a] == sweep.tables[b]));
    }
    std::size_t supported = 0;
    for (const auto& entry : sweep.cases) {
        // Exactly one of an answer and a reason.
        CHECK(entry.table.has_value() == entry.not_supported.empty());
        if (entry.table) CHECK(*entry.table < sweep.tables.size());
        if (entry.table) ++supported;
    }
    CHECK(supported > 0);
}

void check_sweep(const probe_test::Driver& driver) {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(driver));
    const model::DeviceReport report = probe_test::read(*source);
    const auto types = static_cast<std::uint32_t>(report.memory_types.size());

    const model::ImageSweep& images = report.image_sweep;
    const std::uint64_t largest = std::max<std::uint64_t>(4096, *report.limit("maxImageDimension2D"));
    CHECK(images.grid.widths.front() == 1);
    CHECK(images.grid.widths.back() * 2 > largest);
    CHECK(images.grid.find(1920, 1080).has_value());
    check_tables(images, images.grid.point_count(), types);
    // An image of one texel block takes what its texels take at least.
    for (const model::ImageCase& entry : images.cases) {
        if (!entry.table) continue;
        const model::SweepTable& table = images.tables[*entry.table];
        bool holds_its_texels = true;
        for (std::size_t i = 0; i < table.size_bytes.size(); ++i) {
            if (table.size_bytes[i] == 0) continue;
            const auto [width, height] = images.grid.point(i);
            holds_its_texels &= table.size_bytes[i] >= model::packed_size_bytes(entry.description(width, height));
        }
        INFO(model::info(entry.format).name << " usage " << entry.usage << " samples " << entry.samples);
        CHECK(holds_its_texels);
    }

    const model::BufferSweep& buffers = report.buffer_sweep;
    CHECK(std::is_sorted(buffers.sizes.begin(), buffers.sizes.end()));
    check_tables(buffers, buffers.sizes.size(), types);
    for (const model::SweepTable& table : buffers.tables) {
        bool large_enough = true;
        for (std::size_t i = 0; i < table.size_bytes.size(); ++i) {
            large_enough &= table.size_bytes[i] == 0 || table.size_bytes[i] >= buffers.sizes[i];
        }
        CHECK(large_enough);
    }
    CHECK(report.run.timing.sweep_queries > 10'000);
    CHECK(report.run.timing.sweep_ns > 0);
    CHECK(report.run.timing.total_ns >= report.run.timing.sweep_ns);

    const model::DeviceReport again = probe_test::read(*source);
    CHECK(again.identity == report.identity);
    CHECK(again.limits == report.limits);
    CHECK(again.features == report.features);
    CHECK(again.image_sweep.requirements == images.requirements);
    CHECK(again.image_sweep.tables == images.tables);
    CHECK(again.buffer_sweep.requirements == buffers.requirements);
    CHECK(again.buffer_sweep.tables == buffers.tables);
    REQUIRE(again.image_sweep.cases.size() == images.cases.size());
    for (std::size_t i = 0; i < images.cases.size(); ++i) {
        CHECK(again.image_sweep.cases[i].table == images.cases[i].table);
        CHECK(again.image_sweep.cases[i].not_supported == images.cases[i].not_supported);
    }
}

}  // namespace

TEST_CASE("the sweep of lavapipe", "[lavapipe]") {
    check_sweep(probe_test::kLavapipe);
}

TEST_CASE("the sweep of the lavapipe of backports", "[lavapipe-backports]") {
    check_sweep(probe_test::kLavapipeBackports);
}

TEST_CASE("the sweep of SwiftShader", "[swiftshader]") {
    check_sweep(probe_test::kSwiftShader);
}

TEST_CASE("lavapipe's known answers", "[lavapipe]") {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(probe_test::kLavapipe));
    const model::DeviceReport report = probe_test::read(*source);
    if (report.identity.driver_info.find("22.3.6") == std::string::npos) {
        SKIP("these are of Mesa 22.3.6, here is " << report.identity.driver_info);
    }
    CHECK(rgba8(report, 1, 1).size_bytes == 256);
    CHECK(rgba8(report, 128, 128).size_bytes == 65'536);
    CHECK(rgba8(report, 1, 1).alignment_bytes == 16);
    CHECK(rgba8(report, 128, 128).alignment_bytes == 16);
    CHECK(rgba8(report, 128, 128).memory_type_bits == 1);
}

TEST_CASE("known answers of the lavapipe of backports", "[lavapipe-backports]") {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(probe_test::kLavapipeBackports));
    const model::DeviceReport report = probe_test::read(*source);
    if (report.identity.driver_info.find("25.0.7") == std::string::npos) {
        SKIP("these are of Mesa 25.0.7, here is " << report.identity.driver_info);
    }
    CHECK(rgba8(report, 128, 128).alignment_bytes == 64);
}

TEST_CASE("a workload's points outside the grid are asked, those inside are not asked again", "[lavapipe]") {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(probe_test::kLavapipe));
    model::Workload workload;
    workload.images.push_back({.extents = {{123, 45}, {128, 128}, {100'000, 1}}});
    workload.images.push_back({.format = model::Format::kR8G8Unorm, .smallest_side = 24, .largest_side = 64});
    workload.buffers.push_back(
        {.usage = buffer_usage::kVertex | buffer_usage::kTransferDst, .smallest_bytes = 333, .largest_bytes = 1024});
    const model::DeviceReport report = probe_test::read(*source, {.workload = &workload});

    const auto& points = report.image_sweep.points;
    REQUIRE(points.size() == 2 + 9);  // {24, 32, 64} squared
    CHECK(points[0].description.width == 123);
    REQUIRE(points[0].requirements.has_value());
    CHECK(points[0].requirements->size_bytes >= 123 * 45 * 4);
    CHECK(points[1].description.width == 100'000);
    CHECK(!points[1].requirements.has_value());
    CHECK(points[1].not_supported.find("100000x1") != std::string::npos);
    for (std::size_t i = 2; i < points.size(); ++i) {
        CHECK(points[i].description.format == model::Format::kR8G8Unorm);
        CHECK(points[i].requirements.has_value());
    }

    REQUIRE(report.buffer_sweep.points.size() == 1);
    CHECK(report.buffer_sweep.points[0].description.size_bytes == 333);
    CHECK(report.buffer_sweep.points[0].requirements.has_value());
}

TEST_CASE("a probe stops at its time limit", "[lavapipe]") {
    const auto source = probe_test::open_source(probe_test::icd_or_skip(probe_test::kLavapipe));
    const auto report = source->read(0, {.time_limit_ns = 1});
    REQUIRE(!report);
    CHECK(report.error().code == ErrorCode::kTimeLimit);
}
