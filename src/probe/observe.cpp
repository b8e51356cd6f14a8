#include "probe/observe.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/checked.hpp"

namespace heapwright::probe {

namespace {

std::vector<std::array<std::uint32_t, 2>> extents(const model::ImageGrid& grid) {
    std::vector<std::array<std::uint32_t, 2>> all(grid.point_count());
    for (std::size_t index = 0; index < all.size(); ++index) all[index] = grid.point(index);
    return all;
}

}  // namespace

model::Observations observe(const model::DeviceReport& device) {
    model::Observations observations;
    const model::ImageSweep& images = device.image_sweep;
    if (!images.tables.empty()) {
        const AlignmentRuleFinder finder(extents(images.grid));
        for (std::uint32_t table = 0; table < images.tables.size(); ++table) {
            observations.images.push_back(observe_image_table(images, table, finder));
        }
    }
    const model::BufferSweep& buffers = device.buffer_sweep;
    for (std::uint32_t table = 0; table < buffers.tables.size(); ++table) {
        observations.buffers.push_back(observe_buffer_table(buffers, table));
    }
    const BufferUsageEffect effect = buffer_usage_effect(buffers);
    observations.buffer_usage_changes_size = effect.size;
    observations.buffer_usage_changes_alignment = effect.alignment;
    observations.buffer_usage_changes_memory_types = effect.memory_types;
    observations.statements = device_statements(device, observations);
    return observations;
}

namespace {

using model::AlignmentCondition;
using model::AlignmentRule;

// Simplest first. The first five depend on the extent alone.
constexpr std::array kSteppedConditions{AlignmentCondition::kBothSidesAtLeast, AlignmentCondition::kAnySideAtLeast,
                                        AlignmentCondition::kWidthAtLeast,     AlignmentCondition::kHeightAtLeast,
                                        AlignmentCondition::kAreaAtLeast,      AlignmentCondition::kSizeBytesAtLeast};
constexpr std::size_t kMostSteps = 4;
constexpr std::uint32_t kFewestTestsOfARange = 2;
constexpr std::uint32_t kFewestHeldOut = 8;

bool in_first_half(std::uint32_t width, std::uint32_t height) {
    std::uint64_t hash = (std::uint64_t{width} << 32 | height) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
    return ((hash * 0xBF58476D1CE4E5B9ull) >> 62 & 1) != 0;
}

// Any threshold in (below, from] tells the two apart; the power of two there is the simplest.
std::uint64_t simplest_threshold(std::uint64_t below, std::uint64_t from) {
    const std::uint64_t power = std::bit_floor(from);
    return power > below ? power : from;
}

// A table's points in the order of a condition's key, one half to learn from and one to test with.
struct Split {
    std::span<const AlignedPoint> points;
    std::span<const std::uint32_t> order;
    const std::vector<bool>& first_half;
    bool learn_from_first;

    [[nodiscard]] bool is_learned(std::uint32_t index) const { return first_half[index] == learn_from_first; }
};

// A rule that explains the learned half, or nothing when none of this condition does.
std::optional<AlignmentRule> learn(const Split& split, AlignmentCondition condition) {
    AlignmentRule rule{.condition = condition};
    std::uint64_t key = 0;
    std::uint64_t alignment = 0;
    for (const std::uint32_t index : split.order) {
        const AlignedPoint& point = split.points[index];
        if (point.size_bytes == 0 || !split.is_learned(index)) continue;
        const std::uint64_t next_key = condition_key(condition, point);
        if (rule.found_on_points++ == 0) {
            rule.below_alignment_bytes = point.alignment_bytes;
        } else if (point.alignment_bytes != alignment) {
            if (next_key == key || rule.steps.size() == kMostSteps) return std::nullopt;
            rule.steps.push_back(
                {.threshold = simplest_threshold(key, next_key), .alignment_bytes = point.alignment_bytes});
        }
        key = next_key;
        alignment = point.alignment_bytes;
    }
    return rule;
}

// Counts the held-out points into the rule; false when one is not predicted or a range is hardly tested.
bool predicts_held_out(const Split& split, AlignmentRule& rule) {
    std::array<std::uint32_t, kMostSteps + 1> tests{};
    for (const std::uint32_t index : split.order) {
        const AlignedPoint& point = split.points[index];
        if (point.size_bytes == 0 || split.is_learned(index)) continue;
        const std::uint64_t key = condition_key(rule.condition, point);
        std::size_t range = 0;
        while (range < rule.steps.size() && key >= rule.steps[range].threshold) ++range;
        const std::uint64_t predicted = range == 0 ? rule.below_alignment_bytes : rule.steps[range - 1].alignment_bytes;
        if (predicted != point.alignment_bytes) return false;
        ++tests[range];
        ++rule.held_out_points;
    }
    return rule.held_out_points >= kFewestHeldOut &&
           std::all_of(tests.begin(), tests.begin() + static_cast<std::ptrdiff_t>(rule.steps.size()) + 1,
                       [](std::uint32_t count) { return count >= kFewestTestsOfARange; });
}

std::optional<AlignmentRule> find_stepped(std::span<const AlignedPoint> points, std::span<const std::uint32_t> order,
                                          const std::vector<bool>& first_half, AlignmentCondition condition) {
    // A boundary that one half does not show may show in the other.
    for (const bool learn_from_first : {true, false}) {
        const Split split{points, order, first_half, learn_from_first};
        auto rule = learn(split, condition);
        if (rule && !rule->steps.empty() && predicts_held_out(split, *rule)) return rule;
    }
    return std::nullopt;
}

}  // namespace

std::uint64_t condition_key(AlignmentCondition condition, const AlignedPoint& point) {
    switch (condition) {
        case AlignmentCondition::kAlways: return 0;
        case AlignmentCondition::kBothSidesAtLeast: return std::min(point.width, point.height);
        case AlignmentCondition::kAnySideAtLeast: return std::max(point.width, point.height);
        case AlignmentCondition::kWidthAtLeast: return point.width;
        case AlignmentCondition::kHeightAtLeast: return point.height;
        case AlignmentCondition::kAreaAtLeast: return std::uint64_t{point.width} * point.height;
        case AlignmentCondition::kSizeBytesAtLeast: return point.size_bytes;
    }
    return 0;
}

AlignmentRuleFinder::AlignmentRuleFinder(std::vector<std::array<std::uint32_t, 2>> extents) {
    std::vector<AlignedPoint> points;
    for (const auto& [width, height] : extents) {
        points.push_back({.width = width, .height = height});
        first_half_.push_back(in_first_half(width, height));
    }
    for (std::size_t at = 0; at < orders_.size(); ++at) {
        std::vector<std::uint32_t>& order = orders_[at];
        order.resize(points.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return condition_key(kSteppedConditions[at], points[a]) < condition_key(kSteppedConditions[at], points[b]);
        });
    }
}

std::optional<AlignmentRule> AlignmentRuleFinder::find(std::span<const AlignedPoint> points) const {
    const Split whole{points, orders_[0], first_half_, true};
    const auto one_alignment = [&points] {
        std::uint64_t alignment = 0;
        for (const AlignedPoint& point : points) {
            if (point.size_bytes == 0) continue;
            if (alignment != 0 && point.alignment_bytes != alignment) return false;
            alignment = point.alignment_bytes;
        }
        return alignment != 0;
    };
    if (one_alignment()) {
        auto rule = learn(whole, AlignmentCondition::kAlways);
        if (rule && rule->found_on_points != 0 && predicts_held_out(whole, *rule)) return rule;
        return std::nullopt;
    }

    std::optional<AlignmentRule> best;
    const auto consider = [&](AlignmentCondition condition, std::span<const std::uint32_t> order) {
        auto rule = find_stepped(points, order, first_half_, condition);
        if (rule && (!best || rule->steps.size() < best->steps.size())) best = std::move(rule);
    };
    for (std::size_t at = 0; at < orders_.size(); ++at) consider(kSteppedConditions[at], orders_[at]);
    if (best) return best;

    std::vector<std::uint32_t> by_size(points.size());
    std::iota(by_size.begin(), by_size.end(), 0u);
    std::sort(by_size.begin(), by_size.end(), [&points](std::uint32_t a, std::uint32_t b) {
        return std::pair(points[a].size_bytes, a) < std::pair(points[b].size_bytes, b);
    });
    consider(AlignmentCondition::kSizeBytesAtLeast, by_size);
    return best;
}

namespace {

struct SizedRequest {
    std::uint64_t asked = 0;
    std::uint64_t given = 0;
};

std::vector<SizedRequest> answers(const model::BufferSweep& sweep, const model::SweepTable& table) {
    std::vector<SizedRequest> found;
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        if (table.size_bytes[index] != 0) found.push_back({sweep.sizes[index], table.size_bytes[index]});
    }
    return found;
}

// The power of two to which every request from `first` on is rounded up; nothing when there is none.
std::optional<std::uint64_t> rounding(const std::vector<SizedRequest>& requests, std::size_t first) {
    if (requests.size() < first + 2) return std::nullopt;
    for (std::uint64_t unit = 1; unit <= (1ull << 32); unit *= 2) {
        const bool explains =
            std::all_of(requests.begin() + static_cast<std::ptrdiff_t>(first), requests.end(),
                        [unit](const SizedRequest& one) { return checked_align_up(one.asked, unit) == one.given; });
        if (explains) return unit;
    }
    return std::nullopt;
}

// Only said where the exact sizes include odd ones, so that a driver that rounds to 16 is not called exact for having
// been asked for multiples of 16 last.
std::optional<std::uint64_t> exact_from(const std::vector<SizedRequest>& requests) {
    std::size_t first = requests.size();
    bool odd = false;
    while (first > 0 && requests[first - 1].asked == requests[first - 1].given) {
        --first;
        odd = odd || requests[first].asked % 2 != 0;
    }
    if (!odd || requests.size() - first < 2) return std::nullopt;
    return requests[first].asked;
}

// Two tables of one sweep at the sizes that both answer.
void compare(const model::BufferSweep& sweep, const model::SweepTable& a, const model::SweepTable& b,
             BufferUsageEffect& effect) {
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        const auto of_a = answer_at(sweep.requirements, a, index);
        const auto of_b = answer_at(sweep.requirements, b, index);
        if (!of_a || !of_b) continue;
        effect.size |= of_a->size_bytes != of_b->size_bytes;
        effect.alignment |= of_a->alignment_bytes != of_b->alignment_bytes;
        effect.memory_types |= of_a->memory_type_bits != of_b->memory_type_bits;
    }
}

}  // namespace

model::BufferObservation observe_buffer_table(const model::BufferSweep& sweep, std::uint32_t table_index) {
    const model::SweepTable& table = sweep.tables[table_index];
    model::BufferObservation observation{.table = table_index};
    const std::vector<SizedRequest> requests = answers(sweep, table);
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        const auto answer = answer_at(sweep.requirements, table, index);
        if (answer) observation.alignments.push_back(answer->alignment_bytes);
    }
    std::sort(observation.alignments.begin(), observation.alignments.end());
    observation.alignments.erase(std::unique(observation.alignments.begin(), observation.alignments.end()),
                                 observation.alignments.end());
    if (!requests.empty()) {
        observation.minimum_size_bytes =
            std::min_element(requests.begin(), requests.end(), [](const SizedRequest& a, const SizedRequest& b) {
                return a.given < b.given;
            })->given;
    }
    observation.rounding_bytes = rounding(requests, 0);
    observation.exact_from_bytes = exact_from(requests);

    const auto above_minimum = std::find_if(requests.begin(), requests.end(), [&](const SizedRequest& one) {
        return one.asked > observation.minimum_size_bytes;
    });
    const auto rounding_above_minimum = rounding(requests, static_cast<std::size_t>(above_minimum - requests.begin()));
    observation.statement = buffer_statement(observation, rounding_above_minimum, requests.size());
    return observation;
}

BufferUsageEffect buffer_usage_effect(const model::BufferSweep& sweep) {
    BufferUsageEffect effect;
    for (std::size_t index = 1; index < sweep.tables.size(); ++index) {
        compare(sweep, sweep.tables[0], sweep.tables[index], effect);
    }
    return effect;
}

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
