#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>

#include "core/random.hpp"
#include "planted_sweep.hpp"
#include "probe/observe.hpp"

using namespace heapwright;
using model::AlignmentCondition;
using test::PlantedAnswer;

namespace {

model::ImageObservation observe_image(const test::PlantedImageRule& rule) {
    return probe::observe(test::image_report({rule})).images.at(0);
}

model::BufferObservation observe_buffer(const test::PlantedBufferRule& rule) {
    return probe::observe(test::buffer_report({rule})).buffers.at(0);
}

PlantedAnswer radv(std::uint32_t width, std::uint32_t height) {
    const std::uint64_t alignment = width >= 128 && height >= 128 ? 65536 : 4096;
    return {test::rgba8_bytes(width, height, alignment), alignment};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the alignment of RADV on NAVI10 is found: both sides at least 128") {
    const auto seen = observe_image(radv);
    CHECK(seen.alignments == std::vector<std::uint64_t>{4096, 65536});
    REQUIRE(seen.alignment_rule);
    const auto& rule = *seen.alignment_rule;
    CHECK(rule.condition == AlignmentCondition::kBothSidesAtLeast);
    CHECK(rule.below_alignment_bytes == 4096);
    REQUIRE(rule.steps.size() == 1);
    CHECK(rule.steps[0].threshold == 128);
    CHECK(rule.steps[0].alignment_bytes == 65536);
    CHECK(rule.found_on_points + rule.held_out_points == test::full_grid().point_count());
    CHECK(rule.held_out_points > 80);
    CHECK(rule.found_on_points > 80);
    CHECK(contains(seen.statement, "Alignment is 65536 when both sides are at least 128, else 4096 (230 points, "));
    CHECK(contains(seen.statement, " held out, all predicted)."));
}

TEST_CASE("one alignment for all points is the simplest rule") {
    const auto seen = observe_image([](std::uint32_t width, std::uint32_t height) {
        return PlantedAnswer{width == 128 && height == 16 ? 20504 : test::rgba8_bytes(width, height, 4096), 4096};
    });
    REQUIRE(seen.alignment_rule);
    CHECK(seen.alignment_rule->condition == AlignmentCondition::kAlways);
    CHECK(seen.alignment_rule->steps.empty());
    CHECK_FALSE(seen.sizes_are_powers_of_two);
    CHECK(contains(seen.statement, "Alignment is always 4096 (230 points, "));
    CHECK(contains(seen.statement, "are not all powers of two"));
}

TEST_CASE("planted rules of every condition are found again") {
    struct Planted {
        AlignmentCondition condition;
        std::uint64_t threshold;
    };
    const auto planted = GENERATE(
        Planted{AlignmentCondition::kBothSidesAtLeast, 512}, Planted{AlignmentCondition::kAnySideAtLeast, 64},
        Planted{AlignmentCondition::kWidthAtLeast, 256}, Planted{AlignmentCondition::kHeightAtLeast, 32},
        Planted{AlignmentCondition::kAreaAtLeast, 1 << 16}, Planted{AlignmentCondition::kSizeBytesAtLeast, 1 << 20});
    const auto key = [&planted](std::uint32_t width, std::uint32_t height, std::uint64_t size) -> std::uint64_t {
        switch (planted.condition) {
            case AlignmentCondition::kBothSidesAtLeast: return std::min(width, height);
            case AlignmentCondition::kAnySideAtLeast: return std::max(width, height);
            case AlignmentCondition::kWidthAtLeast: return width;
            case AlignmentCondition::kHeightAtLeast: return height;
            case AlignmentCondition::kAreaAtLeast: return std::uint64_t{width} * height;
            default: return size;
        }
    };
    const auto seen = observe_image([&](std::uint32_t width, std::uint32_t height) {
        // Widths below 64 take as much as 64, so that the size is no function of the area.
        const std::uint64_t size = test::rgba8_bytes(std::max(64u, width), height, 256);
        return PlantedAnswer{size, key(width, height, size) >= planted.threshold ? 65536u : 256u};
    });
    INFO(seen.statement);
    REQUIRE(seen.alignment_rule);
    CHECK(seen.alignment_rule->condition == planted.condition);
    CHECK(seen.alignment_rule->below_alignment_bytes == 256);
    REQUIRE(seen.alignment_rule->steps.size() == 1);
    CHECK(seen.alignment_rule->steps[0].threshold == planted.threshold);
    CHECK(seen.alignment_rule->steps[0].alignment_bytes == 65536);
}

TEST_CASE("nested thresholds are steps of one rule") {
    const auto seen = observe_image([](std::uint32_t width, std::uint32_t height) {
        const std::uint32_t side = std::min(width, height);
        return PlantedAnswer{test::rgba8_bytes(width, height, 256), side >= 256 ? 65536u : side >= 16 ? 4096u : 256u};
    });
    REQUIRE(seen.alignment_rule);
    CHECK(seen.alignment_rule->condition == AlignmentCondition::kBothSidesAtLeast);
    REQUIRE(seen.alignment_rule->steps.size() == 2);
    CHECK(seen.alignment_rule->steps[0].threshold == 16);
    CHECK(seen.alignment_rule->steps[1].threshold == 256);
    CHECK(contains(seen.statement,
                   "Alignment is 65536 when both sides are at least 256, 4096 when both sides are at "
                   "least 16, else 256 ("));
}

TEST_CASE("a single odd point, wherever it lies, prevents a rule") {
    const model::ImageGrid grid = test::full_grid();
    for (std::size_t odd = 0; odd < grid.point_count(); ++odd) {
        const auto [odd_width, odd_height] = grid.point(odd);
        INFO("odd point " << odd_width << "x" << odd_height);
        const auto noisy = [&](std::uint32_t width, std::uint32_t height) {
            PlantedAnswer answer = radv(width, height);
            if (width == odd_width && height == odd_height) answer.alignment_bytes = 1024;
            return answer;
        };
        CHECK_FALSE(observe_image(noisy).alignment_rule);
    }
}

TEST_CASE("alignments at random give no rule, and the statement says so") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        const auto seen = observe_image([&random](std::uint32_t width, std::uint32_t height) {
            return PlantedAnswer{test::rgba8_bytes(width, height, 256), random.below(3) == 0 ? 65536u : 256u};
        });
        INFO("seed " << seed);
        CHECK_FALSE(seen.alignment_rule);
        CHECK(contains(seen.statement, "Alignment is 256 or 65536; no simple rule explains all 230 points."));
    }
}

TEST_CASE("points that the driver refused take no part") {
    const auto seen = observe_image([](std::uint32_t width, std::uint32_t height) {
        return width > 8192 || height > 8192 ? PlantedAnswer{} : radv(width, height);
    });
    REQUIRE(seen.alignment_rule);
    CHECK(seen.alignment_rule->steps.at(0).threshold == 128);
    CHECK(seen.alignment_rule->found_on_points + seen.alignment_rule->held_out_points == 14 * 14 + 5);
    CHECK(seen.smallest_size_bytes == 4096);

    const auto nothing = observe_image([](std::uint32_t, std::uint32_t) { return PlantedAnswer{}; });
    CHECK_FALSE(nothing.alignment_rule);
    CHECK(nothing.alignments.empty());
    CHECK(contains(nothing.statement, "answers no point"));
}

TEST_CASE("widths that cost the same are found along the right side") {
    const auto seen = observe_image([](std::uint32_t width, std::uint32_t height) {
        return PlantedAnswer{test::rgba8_bytes(std::max(64u, width), height, 256), 256};
    });
    REQUIRE(seen.equal_cost.size() == 1);
    CHECK(seen.equal_cost[0].along_width);
    CHECK(seen.equal_cost[0].from == 1);
    CHECK(seen.equal_cost[0].to == 64);
    CHECK(contains(seen.statement, "Widths from 1 to 64 cost the same."));
    CHECK(seen.sizes_are_powers_of_two);
}

TEST_CASE("overhead is measured against the texels' bytes") {
    const auto seen = observe_image(radv);
    CHECK(seen.overhead.smallest == Catch::Approx(1.0));
    CHECK(seen.overhead.median == Catch::Approx(1.0));
    CHECK(seen.overhead.largest == Catch::Approx(1024.0));
    CHECK(seen.overhead.largest_at == std::array<std::uint32_t, 2>{1, 1});
    CHECK(seen.smallest_size_bytes == 4096);
}

TEST_CASE("a buffer's rounding, minimum and exactness are found") {
    const auto rounded = observe_buffer([](std::uint64_t size) { return PlantedAnswer{(size + 15) / 16 * 16, 16}; });
    CHECK(rounded.minimum_size_bytes == 16);
    CHECK(rounded.rounding_bytes == 16u);
    CHECK_FALSE(rounded.exact_from_bytes);
    CHECK(rounded.alignments == std::vector<std::uint64_t>{16});
    CHECK(contains(rounded.statement, "rounded up to a multiple of 16"));

    const auto exact = observe_buffer([](std::uint64_t size) { return PlantedAnswer{size, 4}; });
    CHECK(exact.rounding_bytes == 1u);
    CHECK(exact.exact_from_bytes == 1u);

    const auto late = observe_buffer([](std::uint64_t size) {
        return PlantedAnswer{size < 1024 ? (size + 31) / 32 * 32 : size, 64};
    });
    CHECK_FALSE(late.rounding_bytes);
    CHECK(late.exact_from_bytes == 1024u);
    CHECK(contains(late.statement, "From 1 KiB on every size equals the request"));

    const auto minimum = observe_buffer([](std::uint64_t size) {
        return PlantedAnswer{std::max<std::uint64_t>(16, (size + 3) / 4 * 4), 4};
    });
    CHECK(minimum.minimum_size_bytes == 16);
    CHECK_FALSE(minimum.rounding_bytes);
    CHECK(contains(minimum.statement, "Above that every size is the request rounded up to a multiple of 4"));
}

TEST_CASE("what a buffer's usage changes is told apart") {
    const auto plain = [](std::uint64_t size) { return PlantedAnswer{size, 16}; };
    const auto same = probe::observe(test::buffer_report({plain, plain}));
    CHECK_FALSE(same.buffer_usage_changes_size);
    CHECK_FALSE(same.buffer_usage_changes_alignment);
    CHECK_FALSE(same.buffer_usage_changes_memory_types);

    const auto aligned = probe::observe(test::buffer_report({plain, [](std::uint64_t size) {
                                                                 return PlantedAnswer{size, 64};
                                                             }}));
    CHECK_FALSE(aligned.buffer_usage_changes_size);
    CHECK(aligned.buffer_usage_changes_alignment);

    const auto larger =
        probe::observe(test::buffer_report({plain, [](std::uint64_t size) {
                                                return PlantedAnswer{size == 4097 ? size + 1 : size, 16};
                                            }}));
    CHECK(larger.buffer_usage_changes_size);
    CHECK_FALSE(larger.buffer_usage_changes_alignment);
}

TEST_CASE("the device's statements sum up its tables") {
    const auto seen = probe::observe(test::image_report({radv, radv}));
    REQUIRE(seen.statements.size() == 2);
    CHECK(seen.statements[0] == "Images are aligned to 4096 or 65536; none takes less than 4096 bytes.");
    CHECK(contains(seen.statements[1], "2 of 2 image tables"));
    CHECK(probe::observe(model::DeviceReport{}).statements.empty());
}

TEST_CASE("200 tables are observed quickly") {
    const auto device = test::image_report(std::vector<test::PlantedImageRule>(200, radv));
    auto best = std::chrono::nanoseconds::max();
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const auto seen = probe::observe(device);
        best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
        CHECK(seen.images.size() == 200);
    }
    WARN("200 tables of 230 points took " << best.count() / 1000 << " us");
    // Some 3 ms in a release build; the bound leaves room for sanitizers and busy machines.
    CHECK(best < std::chrono::milliseconds(200));
}
