#include "render/image_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace heapwright::render {
namespace {

using detail::ImagePoint;

bool has_sides_of_powers(const ImagePoint& point) {
    return std::has_single_bit(point.width) && std::has_single_bit(point.height);
}

// "65536 exactly when both sides are at least 128", where every point bears it out.
std::string largest_alignment_rule(std::span<const ImagePoint> points, std::uint64_t largest) {
    struct Side {
        std::uint32_t (*of)(const ImagePoint&);
        std::string_view words;
    };
    constexpr Side kSides[] = {
        {[](const ImagePoint& point) { return std::min(point.width, point.height); }, "both sides are"},
        {[](const ImagePoint& point) { return std::max(point.width, point.height); }, "one side is"}};
    for (const Side& side : kSides) {
        std::uint32_t from = std::numeric_limits<std::uint32_t>::max();
        for (const ImagePoint& point : points)
            if (point.alignment_bytes == largest) from = std::min(from, side.of(point));
        const bool holds = std::ranges::all_of(points, [&](const ImagePoint& point) {
            return (point.alignment_bytes == largest) == (side.of(point) >= from);
        });
        if (holds) return fmt::format("{} exactly when {} at least {}", largest, side.words, from);
    }
    return {};
}

void tell_alignment(std::span<const ImagePoint> points, ImageFacts& facts) {
    std::vector<std::uint64_t> alignments;
    for (const ImagePoint& point : points) alignments.push_back(point.alignment_bytes);
    std::ranges::sort(alignments);
    alignments.erase(std::ranges::unique(alignments).begin(), alignments.end());
    if (alignments.size() == 1) {
        facts.alignment = fmt::format("always {}", alignments.front());
        return;
    }
    facts.largest_alignment = largest_alignment_rule(points, alignments.back());
    const std::span most(alignments.begin(), alignments.size() - 1);
    facts.alignment = fmt::format("{} or {}{}{}", fmt::join(most, ", "), alignments.back(),
                                  facts.largest_alignment.empty() ? "" : "; ", facts.largest_alignment);
}

std::optional<OverheadFacts> overhead_facts(std::span<const ImagePoint> points) {
    constexpr std::uint64_t kLargeBytes = 65536;
    std::optional<OverheadFacts> facts;
    double sum = 0;
    std::uint64_t large = 0;
    for (const ImagePoint& point : points) {
        if (!point.on_grid) continue;
        const double share = detail::overhead_of(point);
        if (!facts || share > facts->most)
            facts = OverheadFacts{.most = share, .most_at = {point.width, point.height}, .large_average = {}};
        if (point.texel_bytes < kLargeBytes) continue;
        sum += share;
        ++large;
    }
    if (large != 0) facts->large_average = sum / static_cast<double>(large);
    return facts;
}

}  // namespace

ImageFacts image_facts(std::span<const ImagePoint> points) {
    ImageFacts facts;
    tell_alignment(points, facts);
    facts.smallest_bytes = std::ranges::min(points, {}, &ImagePoint::size_bytes).size_bytes;
    const auto at = [&](std::uint32_t width, std::uint32_t height) {
        return std::ranges::find_if(
            points, [&](const ImagePoint& point) { return point.width == width && point.height == height; });
    };
    // The article's own example, which should take 8192 bytes.
    if (const auto example = at(128, 16); example != points.end())
        facts.example = {example->size_bytes, example->texel_bytes};
    const auto narrow = at(2, detail::kArticleLimit);
    for (const ImagePoint& point : points) {
        if (!has_sides_of_powers(point)) continue;
        ++facts.square_points;
        if (std::has_single_bit(point.size_bytes)) ++facts.square_powers;
        if (narrow == points.end() || point.height != narrow->height || point.size_bytes != narrow->size_bytes)
            continue;
        const std::uint64_t width = std::max(std::uint64_t{point.width}, facts.equal ? (*facts.equal)[0] : 0);
        facts.equal = {width, narrow->size_bytes};
    }
    facts.overhead = overhead_facts(points);
    return facts;
}

}  // namespace heapwright::render
