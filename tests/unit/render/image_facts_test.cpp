#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "render/image_facts.hpp"

using namespace heapwright;
using render::ImageFacts;
using render::detail::ImagePoint;

namespace {

ImagePoint point(std::uint32_t width, std::uint32_t height, std::uint64_t alignment, std::uint64_t size) {
    return {.width = width,
            .height = height,
            .on_grid = true,
            .texel_bytes = std::uint64_t{4} * width * height,
            .alignment_bytes = alignment,
            .size_bytes = size};
}

}  // namespace

TEST_CASE("One alignment is always that one") {
    const ImageFacts facts = render::image_facts(std::vector{point(4, 4, 64, 64), point(8, 8, 64, 300)});
    CHECK(facts.alignment == "always 64");
    CHECK(facts.largest_alignment.empty());
    CHECK(facts.smallest_bytes == 64);
    CHECK(facts.square_points == 2);
    CHECK(facts.square_powers == 1);
    CHECK(!facts.example);
    CHECK(!facts.equal);
}

TEST_CASE("The largest alignment has a rule where every point bears it out") {
    const std::vector both = {point(64, 256, 4096, 1), point(128, 128, 65536, 1), point(256, 64, 4096, 1)};
    CHECK(render::image_facts(both).alignment == "4096 or 65536; 65536 exactly when both sides are at least 128");
    const std::vector one = {point(64, 64, 256, 1), point(64, 256, 4096, 1), point(256, 64, 4096, 1)};
    CHECK(render::image_facts(one).largest_alignment == "4096 exactly when one side is at least 256");
    const std::vector none = {point(64, 64, 4096, 1), point(128, 128, 16, 1), point(256, 256, 4096, 1)};
    CHECK(render::image_facts(none).alignment == "16 or 4096");
}

TEST_CASE("The article's example, and the widths that cost as much as two texels") {
    const ImageFacts facts =
        render::image_facts(std::vector{point(128, 16, 4096, 20504), point(2, 4096, 4096, 65536),
                                        point(4, 4096, 4096, 65536), point(8, 4096, 4096, 131072)});
    REQUIRE(facts.example);
    CHECK(*facts.example == std::array<std::uint64_t, 2>{20504, 8192});
    REQUIRE(facts.equal);
    CHECK(*facts.equal == std::array<std::uint64_t, 2>{4, 65536});
}

TEST_CASE("Overhead is told of the grid alone, and its average of large images") {
    std::vector points = {point(1, 1, 16, 512), point(128, 128, 16, 65536), point(256, 128, 16, 262144)};
    points.push_back(point(100, 1, 16, 1 << 30));
    points.back().on_grid = false;
    const ImageFacts facts = render::image_facts(points);
    REQUIRE(facts.overhead);
    CHECK(facts.overhead->most == Catch::Approx(128));
    CHECK(facts.overhead->most_at == std::array<std::uint32_t, 2>{1, 1});
    REQUIRE(facts.overhead->large_average);
    CHECK(*facts.overhead->large_average == Catch::Approx(1.5));
}

TEST_CASE("The article draws powers of two up to 4096") {
    CHECK(render::detail::is_in_article({.width = 1, .height = 4096}));
    CHECK(!render::detail::is_in_article({.width = 8192, .height = 1}));
    CHECK(!render::detail::is_in_article({.width = 100, .height = 64}));
}
