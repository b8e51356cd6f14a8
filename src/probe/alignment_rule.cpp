#include "probe/alignment_rule.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace heapwright::probe {
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

std::uint64_t predicted_alignment(const AlignmentRule& rule, const AlignedPoint& point) {
    const std::uint64_t key = condition_key(rule.condition, point);
    std::uint64_t alignment = rule.below_alignment_bytes;
    for (const model::AlignmentStep& step : rule.steps) {
        if (key >= step.threshold) alignment = step.alignment_bytes;
    }
    return alignment;
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

}  // namespace heapwright::probe
