#include "model/swept_image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/checked.hpp"
#include "heapwright/model/format.hpp"

namespace heapwright::model {
namespace {

constexpr std::uint32_t kLargestTile = 256;
// More points would tell the same: the sides of a grid double.
constexpr std::size_t kMostPoints = 64;

struct Answer {
    ImageDescription image;
    double size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
};

Answer answer_of(const ImageDescription& image, const MemoryRequirements& requirements) {
    return {.image = image,
            .size_bytes = static_cast<double>(requirements.size_bytes),
            .alignment_bytes = std::max<std::uint64_t>(1, requirements.alignment_bytes)};
}

std::vector<Answer> answers_of(const ImageSweep& sweep, const ImageCase& entry) {
    std::vector<Answer> answers;
    const SweepTable& table = sweep.tables[*entry.table];
    const std::size_t points = sweep.grid.widths.size() * sweep.grid.heights.size();
    // An odd step meets every column and every row.
    const std::size_t step = points <= kMostPoints ? 1 : points / kMostPoints | 1;
    for (std::size_t point = 0; point < points; point += step) {
        const auto answer = answer_at(sweep.requirements, table, point);
        if (!answer) continue;
        const auto [width, height] = sweep.grid.point(point);
        answers.push_back(answer_of(entry.description(width, height), *answer));
    }
    return answers;
}

bool is_alike(const ImageDescription& one, const ImageDescription& other) {
    return one.format == other.format && one.tiling == other.tiling && one.dimension == other.dimension &&
           one.usage == other.usage && one.samples == other.samples && one.flags == other.flags;
}

// size * numerator / denominator, rounded up to the alignment; saturates.
std::uint64_t scaled_size(std::uint64_t size, std::uint64_t numerator, std::uint64_t denominator,
                          std::uint64_t alignment) {
    const std::uint64_t scaled = numerator == denominator
                                     ? size
                                     : saturating_bytes(static_cast<double>(size) * static_cast<double>(numerator) /
                                                        static_cast<double>(std::max<std::uint64_t>(1, denominator)));
    return align_up_or_largest(scaled, alignment);
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

TileRule nearest_rule(const std::vector<Answer>& answers) {
    TileRule best;
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

}  // namespace

std::uint64_t TileRule::bytes(const ImageDescription& image) const {
    const FormatInfo& format = info(image.format);
    std::uint64_t blocks = 0;
    for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
        const std::uint64_t level_width = std::max(1u, image.width >> level);
        const std::uint64_t level_height = std::max(1u, image.height >> level);
        blocks += align_up(div_ceil(level_width, format.block_width), width) *
                  align_up(div_ceil(level_height, format.block_height), height) * std::max(1u, image.depth >> level);
    }
    return blocks * format.block_bytes * image.array_layers * image.samples;
}

TileRule fit_tiles(const ImageSweep& sweep, const ImageCase& entry) {
    return entry.table ? nearest_rule(answers_of(sweep, entry)) : TileRule{};
}

TileRule fit_tiles(const ImageSweep& sweep, const ImageDescription& like) {
    std::vector<Answer> answers;
    for (const ImagePoint& point : sweep.points) {
        if (point.requirements && is_alike(point.description, like))
            answers.push_back(answer_of(point.description, *point.requirements));
    }
    return nearest_rule(answers);
}

std::optional<Dedicated> DedicatedSizes::at(std::uint64_t size_bytes) const {
    if (wanted == Dedicated::kNone || largest_without >= smallest_with) return std::nullopt;
    const std::uint64_t power = std::bit_floor(smallest_with);
    return size_bytes >= (power > largest_without ? power : smallest_with) ? wanted : Dedicated::kNone;
}

DedicatedSizes fit_dedicated(const ImageSweep& sweep, const ImageDescription& like) {
    DedicatedSizes sizes;
    const auto add = [&sizes](const MemoryRequirements& answer) {
        if (answer.dedicated == Dedicated::kNone) {
            sizes.largest_without = std::max(sizes.largest_without, answer.size_bytes);
        } else {
            sizes.smallest_with = std::min(sizes.smallest_with, answer.size_bytes);
            sizes.wanted = std::max(sizes.wanted, answer.dedicated);
        }
    };
    for (const ImageCase& entry : sweep.cases) {
        if (!entry.table || !is_alike(entry.description(1, 1), like)) continue;
        for (std::size_t point = 0; point < sweep.grid.point_count(); ++point) {
            if (const auto answer = answer_at(sweep.requirements, sweep.tables[*entry.table], point)) add(*answer);
        }
    }
    for (const ImagePoint& point : sweep.points)
        if (point.requirements && is_alike(point.description, like)) add(*point.requirements);
    return sizes;
}

MemoryRequirements between_swept_images(MemoryRequirements answer, const ImageDescription& answered,
                                        const ImageDescription& image, const TileRule& tiles,
                                        const DedicatedSizes& dedicated) {
    if (image == answered) return answer;
    answer.size_bytes =
        std::max(scaled_size(answer.size_bytes, tiles.bytes(image), tiles.bytes(answered), answer.alignment_bytes),
                 align_up_or_largest(packed_size_bytes(image), answer.alignment_bytes));
    answer.dedicated = dedicated.at(answer.size_bytes).value_or(answer.dedicated);
    return answer;
}

}  // namespace heapwright::model
