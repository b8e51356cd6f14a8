#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <map>

#include "workload/draw.hpp"

using namespace heapwright;
using namespace heapwright::workload;
using model::SizeDistribution;

TEST_CASE("draws stay inside their bounds and reach both ends") {
    for (const auto distribution :
         {SizeDistribution::kUniform, SizeDistribution::kLogUniform, SizeDistribution::kPowersOfTwo}) {
        Random random(11);
        std::uint64_t smallest = ~0ull;
        std::uint64_t largest = 0;
        for (int i = 0; i < 5000; ++i) {
            const std::uint64_t value = draw(distribution, 16, 64, random);
            smallest = std::min(smallest, value);
            largest = std::max(largest, value);
            if (distribution == SizeDistribution::kPowersOfTwo) CHECK(std::has_single_bit(value));
        }
        CHECK(smallest == 16);
        CHECK(largest == 64);
    }
}

TEST_CASE("bounds that are not powers of two hold too") {
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t power = draw(SizeDistribution::kPowersOfTwo, 17, 100, random);
        CHECK((power == 32 || power == 64));
        const std::uint64_t value = draw(SizeDistribution::kLogUniform, 100, 3000, random);
        CHECK((value >= 100 && value <= 3000));
        CHECK(draw(SizeDistribution::kLogUniform, 7, 7, random) == 7);
    }
}

TEST_CASE("every doubling is equally likely under a log-uniform distribution, whatever the bounds") {
    Random random(5);
    std::map<std::uint64_t, int> octaves;
    for (int i = 0; i < 12000; ++i) {
        ++octaves[std::bit_floor(draw(SizeDistribution::kLogUniform, 256, 1 << 20, random))];
    }
    // The upper bound is one value, not a doubling of its own.
    CHECK(octaves[1 << 20] < 10);
    octaves.erase(1 << 20);
    REQUIRE(octaves.size() == 12);
    for (const auto& [octave, count] : octaves) CHECK((count > 850 && count < 1150));
}

TEST_CASE("inside a doubling small values are likelier under a log-uniform distribution") {
    Random random(6);
    int below = 0;
    for (int i = 0; i < 20000; ++i) below += draw(SizeDistribution::kLogUniform, 1 << 16, 1 << 17, random) < 92682;
    CHECK((below > 9700 && below < 10300));  // 92682 is 2^16.5
}

TEST_CASE("images and buffers come out as their hint says") {
    Random random(1);
    const model::ImageHint atlas{.format = model::Format::kBc6hUfloatBlock,
                                 .extents = {{64, 32}, {129, 7}},
                                 .full_mips = true,
                                 .array_layers = 6};
    bool first = false;
    bool second = false;
    for (int i = 0; i < 100; ++i) {
        const auto image = draw_image(atlas, random);
        CHECK(image.array_layers == 6);
        CHECK(image.mip_levels == model::full_mip_chain(image.width, image.height));
        first |= image.width == 64 && image.height == 32;
        second |= image.width == 129 && image.height == 7;
        CHECK((image.width == 64 || image.width == 129));
    }
    CHECK(first);
    CHECK(second);
    for (int i = 0; i < 100; ++i) {
        const auto buffer = draw_buffer({.smallest_bytes = 5, .largest_bytes = 1000}, random);
        CHECK(buffer.size_bytes % 4 == 0);
        CHECK((buffer.size_bytes >= 8 && buffer.size_bytes <= 1000));
    }
}
