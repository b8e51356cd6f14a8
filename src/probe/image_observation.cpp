#include "probe/observations.hpp"

#include <algorithm>

#include "core/checked.hpp"

namespace heapwright::probe {
namespace {

using model::ImageSweep;
using model::SweepTable;

std::vector<AlignedPoint> aligned_points(const ImageSweep& sweep, const SweepTable& table) {
    std::vector<AlignedPoint> points(table.size_bytes.size());
    for (std::size_t index = 0; index < points.size(); ++index) {
        const auto [width, height] = sweep.grid.point(index);
        points[index] = {.width = width, .height = height};
        if (const auto answer = answer_at(sweep.requirements, table, index)) {
            points[index].size_bytes = answer->size_bytes;
            points[index].alignment_bytes = answer->alignment_bytes;
        }
    }
    return points;
}

std::vector<std::uint64_t> distinct_alignments(const std::vector<AlignedPoint>& points) {
    std::vector<std::uint64_t> alignments;
    for (const AlignedPoint& point : points) {
        if (point.size_bytes == 0) continue;
        if (std::find(alignments.begin(), alignments.end(), point.alignment_bytes) == alignments.end()) {
            alignments.push_back(point.alignment_bytes);
        }
    }
    std::sort(alignments.begin(), alignments.end());
    return alignments;
}

model::Overhead overhead(const std::vector<AlignedPoint>& points, const model::ImageCase& entry) {
    std::vector<double> ratios;
    ratios.reserve(points.size());
    model::Overhead result;
    for (const AlignedPoint& point : points) {
        if (point.size_bytes == 0) continue;
        const auto packed = static_cast<double>(model::packed_size_bytes(entry.description(point.width, point.height)));
        if (packed == 0) continue;
        ratios.push_back(static_cast<double>(point.size_bytes) / packed);
        if (ratios.back() > result.largest) {
            result.largest = ratios.back();
            result.largest_at = {point.width, point.height};
        }
    }
    if (ratios.empty()) return result;
    result.smallest = *std::min_element(ratios.begin(), ratios.end());
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    result.median = *middle;
    return result;
}

// Two neighbouring lines of the grid cost the same where both have an answer, and both have one somewhere.
bool lines_cost_the_same(const ImageSweep& sweep, const SweepTable& table, bool along_width, std::size_t a,
                         std::size_t b) {
    const std::size_t rows = sweep.grid.heights.size();
    const std::size_t others = along_width ? rows : sweep.grid.widths.size();
    std::size_t compared = 0;
    for (std::size_t other = 0; other < others; ++other) {
        const std::uint64_t size_a = table.size_bytes[along_width ? a * rows + other : other * rows + a];
        const std::uint64_t size_b = table.size_bytes[along_width ? b * rows + other : other * rows + b];
        if (size_a == 0 || size_b == 0) continue;
        if (size_a != size_b) return false;
        ++compared;
    }
    return compared > 1;
}

void add_equal_cost(const ImageSweep& sweep, const SweepTable& table, bool along_width,
                    std::vector<model::EqualCost>& found) {
    const auto& sides = along_width ? sweep.grid.widths : sweep.grid.heights;
    std::size_t first = 0;
    for (std::size_t index = 1; index <= sides.size(); ++index) {
        if (index < sides.size() && lines_cost_the_same(sweep, table, along_width, index - 1, index)) continue;
        if (index - first > 1) {
            found.push_back({.along_width = along_width, .from = sides[first], .to = sides[index - 1]});
        }
        first = index;
    }
}

const model::ImageCase* first_case_of(const ImageSweep& sweep, std::uint32_t table) {
    const auto found = std::find_if(sweep.cases.begin(), sweep.cases.end(),
                                    [table](const model::ImageCase& entry) { return entry.table == table; });
    return found == sweep.cases.end() ? nullptr : &*found;
}

}  // namespace

model::ImageObservation observe_image_table(const ImageSweep& sweep, std::uint32_t table_index,
                                            const AlignmentRuleFinder& finder) {
    const SweepTable& table = sweep.tables[table_index];
    const std::vector<AlignedPoint> points = aligned_points(sweep, table);
    const model::ImageCase* entry = first_case_of(sweep, table_index);

    model::ImageObservation observation{.table = table_index, .alignments = distinct_alignments(points)};
    observation.sizes_are_powers_of_two = !observation.alignments.empty();
    std::uint32_t answered = 0;
    for (const AlignedPoint& point : points) {
        if (point.size_bytes == 0) continue;
        if (answered++ == 0 || point.size_bytes < observation.smallest_size_bytes) {
            observation.smallest_size_bytes = point.size_bytes;
        }
        if (is_power_of_two(point.width) && is_power_of_two(point.height) && !is_power_of_two(point.size_bytes)) {
            observation.sizes_are_powers_of_two = false;
        }
    }
    observation.alignment_rule = finder.find(points);
    add_equal_cost(sweep, table, true, observation.equal_cost);
    add_equal_cost(sweep, table, false, observation.equal_cost);
    if (entry != nullptr) observation.overhead = overhead(points, *entry);
    observation.statement = image_statement(observation, entry, answered);
    return observation;
}

}  // namespace heapwright::probe
