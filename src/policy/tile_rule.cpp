#include "heapwright/policy/tile_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "heapwright/core/checked.hpp"
#include "heapwright/model/format.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint32_t kLargestTile = 256;
// More points would tell the same: the sides of a grid double.
constexpr std::size_t kMostPoints = 64;

struct Answer {
    model::ImageDescription image;
    double size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
};

std::vector<Answer> answers_of(const model::ImageSweep& sweep, const model::ImageCase& entry) {
    std::vector<Answer> answers;
    const model::SweepTable& table = sweep.tables[*entry.table];
    const std::size_t points = sweep.grid.widths.size() * sweep.grid.heights.size();
    // An odd step meets every column and every row.
    const std::size_t step = points <= kMostPoints ? 1 : points / kMostPoints | 1;
    for (std::size_t point = 0; point < points; point += step) {
        const auto answer = model::answer_at(sweep.requirements, table, point);
        if (!answer) continue;
        const auto [width, height] = sweep.grid.point(point);
        answers.push_back({.image = entry.description(width, height),
                           .size_bytes = static_cast<double>(answer->size_bytes),
                           .alignment_bytes = std::max<std::uint64_t>(1, answer->alignment_bytes)});
    }
    return answers;
}

double distance(const TileRule& rule, const std::vector<Answer>& answers) {
    double sum = 0;
    for (const Answer& answer : answers) {
        const std::uint64_t bytes = rule.bytes(answer.image);
        const auto told = static_cast<double>(checked_align_up(bytes, answer.alignment_bytes).value_or(bytes));
        sum += std::abs(std::log2(answer.size_bytes / std::max(1.0, told)));
    }
    return sum;
}

}  // namespace

std::uint64_t TileRule::bytes(const model::ImageDescription& image) const {
    const model::FormatInfo& format = model::info(image.format);
    std::uint64_t blocks = 0;
    for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
        const std::uint64_t level_width = std::max(1u, image.width >> level);
        const std::uint64_t level_height = std::max(1u, image.height >> level);
        blocks += align_up(div_ceil(level_width, format.block_width), width) *
                  align_up(div_ceil(level_height, format.block_height), height) * std::max(1u, image.depth >> level);
    }
    return blocks * format.block_bytes * image.array_layers * image.samples;
}

TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageCase& entry) {
    TileRule best;
    if (!entry.table) return best;
    const std::vector<Answer> answers = answers_of(sweep, entry);
    double nearest = std::numeric_limits<double>::infinity();
    for (TileRule rule; rule.width <= kLargestTile; rule.width *= 2) {
        for (rule.height = 1; rule.height <= kLargestTile; rule.height *= 2) {
            const double far = distance(rule, answers);
            if (far < nearest) {
                nearest = far;
                best = rule;
            }
        }
    }
    return best;
}

}  // namespace heapwright::policy
