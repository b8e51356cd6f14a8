// The words for where a difference lies.
#include "compare/sweep_difference.hpp"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <vector>

using heapwright::compare::ConditionPoint;

namespace {

std::string images(const std::function<bool(std::uint64_t, std::uint64_t)>& holds) {
    std::vector<ConditionPoint> points;
    for (std::uint64_t width = 1; width <= 4096; width *= 2) {
        for (std::uint64_t height = 1; height <= 4096; height *= 2)
            points.push_back({.at = {width, height}, .holds = holds(width, height)});
    }
    return heapwright::compare::image_condition(points);
}

}  // namespace

TEST_CASE("the simplest condition that is true of exactly the changed sizes is named") {
    CHECK(images([](auto, auto) { return true; }) == "at every size");
    CHECK(images([](auto w, auto h) { return w >= 128 && h >= 128; }) == "at 128x128 and up");
    CHECK(images([](auto w, auto h) { return w <= 64 || h <= 64; }) == "where a side is at most 64");
    CHECK(images([](auto w, auto h) { return w >= 64 || h >= 64; }) == "where a side is at least 64");
    CHECK(images([](auto w, auto h) { return w <= 32 && h <= 32; }) == "up to 32x32");
    CHECK(images([](auto w, auto) { return w >= 256; }) == "at widths from 256");
    CHECK(images([](auto, auto h) { return h <= 1; }) == "at heights up to 1");
    CHECK(images([](auto w, auto h) { return w * h >= 4096; }) == "at no fewer than 4096 texels");
    CHECK(images([](auto w, auto h) { return w == 8 && h == 16; }) == "at 8x16");
    CHECK(images([](auto w, auto h) { return w == 8 && h % 3 == 1; }) == "at 7 of 169 sizes, 8x1 to 8x4096");
}

TEST_CASE("buffers go by their size") {
    std::vector<ConditionPoint> points;
    for (std::uint64_t size = 1; size <= 65536; size *= 2) points.push_back({.at = {size, 0}, .holds = size >= 1024});
    CHECK(heapwright::compare::buffer_condition(points) == "from 1024 bytes");
    for (ConditionPoint& point : points) point.holds = !point.holds;
    CHECK(heapwright::compare::buffer_condition(points) == "up to 512 bytes");
}
