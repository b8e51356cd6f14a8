#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "contract/swept_requirements.hpp"
#include "core/checked.hpp"

using namespace heapwright;

namespace {

// A driver that stores every level in tiles of 16x4 texels and rounds the whole up to 256 bytes.
model::ImageSweep sweep_of_tiles() {
    model::ImageSweep sweep;
    sweep.grid = {.widths = {1, 2, 4, 8, 16, 32, 64, 128, 256}, .heights = {1, 2, 4, 8, 16, 32, 64, 128, 256}};
    sweep.requirements = {{.alignment_bytes = 256, .memory_type_bits = 1}};
    sweep.cases = {{.format = model::Format::kR8G8B8A8Unorm, .full_mips = true, .table = 0}};
    model::SweepTable table;
    const contract::TileRule driver{.width = 16, .height = 4};
    for (std::size_t point = 0; point < 81; ++point) {
        const auto [width, height] = sweep.grid.point(point);
        table.size_bytes.push_back(align_up(driver.bytes(sweep.cases[0].description(width, height)), 256));
        table.requirement.push_back(0);
    }
    sweep.tables = {table};
    return sweep;
}

}  // namespace

TEST_CASE("the tiles that a driver stores images in are found from its answers") {
    const model::ImageSweep sweep = sweep_of_tiles();
    const contract::TileRule rule = contract::fit_tiles(sweep, sweep.cases[0]);
    CHECK(rule.width == 16);
    CHECK(rule.height == 4);
    model::ImageDescription image = sweep.cases[0].description(17, 5);
    image.mip_levels = 1;
    CHECK(rule.bytes(image) == 32 * 8 * 4);
}

TEST_CASE("single blocks give the packed size, and a case without answers has them") {
    model::ImageSweep sweep = sweep_of_tiles();
    sweep.cases[0].table.reset();
    const contract::TileRule rule = contract::fit_tiles(sweep, sweep.cases[0]);
    CHECK(rule.width == 1);
    CHECK(rule.height == 1);
    for (const auto format : {model::Format::kR8G8B8A8Unorm, model::Format::kBc1RgbaUnormBlock}) {
        model::ImageCase entry = sweep.cases[0];
        entry.format = format;
        const model::ImageDescription image = entry.description(37, 211);
        CHECK(rule.bytes(image) == model::packed_size_bytes(image));
    }
}

TEST_CASE("from which size on images get memory of their own is found from the answers") {
    model::ImageSweep sweep = sweep_of_tiles();
    const auto single = [](std::uint32_t side, std::uint64_t size_bytes, model::Dedicated dedicated) {
        return model::ImagePoint{
            {.format = model::Format::kB8G8R8A8Unorm, .width = side, .height = side},
            model::MemoryRequirements{
                .size_bytes = size_bytes, .alignment_bytes = 256, .memory_type_bits = 1, .dedicated = dedicated},
            {}};
    };
    const model::ImageDescription image{.format = model::Format::kB8G8R8A8Unorm, .width = 600, .height = 600};
    CHECK_FALSE(contract::fit_dedicated(sweep, image).at(4096));
    sweep.points = {single(500, 1'000'000, model::Dedicated::kNone), single(700, 2'064'384, model::Dedicated::kNone),
                    single(800, 2'560'000, model::Dedicated::kPreferred)};
    const contract::DedicatedSizes sizes = contract::fit_dedicated(sweep, image);
    CHECK(sizes.at(2'064'384) == model::Dedicated::kNone);
    CHECK(sizes.at((2 << 20) - 256) == model::Dedicated::kNone);
    CHECK(sizes.at(2 << 20) == model::Dedicated::kPreferred);

    model::MemoryRequirements larger = *sweep.points[2].requirements;
    CHECK(contract::between_swept_images(larger, sweep.points[2].description, image, {}, sizes).dedicated ==
          model::Dedicated::kNone);
    // Answers that contradict each other tell no size: what the larger image wants is kept.
    sweep.points.push_back(single(900, 3'000'000, model::Dedicated::kNone));
    CHECK_FALSE(contract::fit_dedicated(sweep, image).at(4096));
    CHECK(contract::between_swept_images(larger, sweep.points[2].description, image, {},
                                         contract::fit_dedicated(sweep, image))
              .dedicated == model::Dedicated::kPreferred);
}
