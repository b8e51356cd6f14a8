#include "compare/size_condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace heapwright::compare {
namespace {

using Measure = std::function<std::uint64_t(const ConditionPoint&)>;

struct Bound {
    std::uint64_t value = 0;
    bool upper = false;
};

// A threshold of the measure that parts the points that hold from the others.
std::optional<Bound> separating_bound(std::span<const ConditionPoint> points, const Measure& measure) {
    std::uint64_t least_in = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most_in = 0;
    std::uint64_t least_out = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most_out = 0;
    for (const ConditionPoint& point : points) {
        const std::uint64_t value = measure(point);
        auto& least = point.holds ? least_in : least_out;
        auto& most = point.holds ? most_in : most_out;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (least_in > most_out) return Bound{.value = least_in};
    if (most_in < least_out) return Bound{.value = most_in, .upper = true};
    return std::nullopt;
}

std::string fallback(std::span<const ConditionPoint> points, bool images) {
    const ConditionPoint* first = nullptr;
    const ConditionPoint* last = nullptr;
    std::size_t count = 0;
    for (const ConditionPoint& point : points) {
        if (!point.holds) continue;
        ++count;
        if (first == nullptr) first = &point;
        last = &point;
    }
    if (first == nullptr) return "at no size";
    const auto name = [images](const ConditionPoint& point) {
        return images ? fmt::format("{}x{}", point.at[0], point.at[1]) : fmt::format("{} bytes", point.at[0]);
    };
    if (count == 1) return fmt::format("at {}", name(*first));
    return fmt::format("at {} of {} sizes, {} to {}", count, points.size(), name(*first), name(*last));
}

bool everywhere(std::span<const ConditionPoint> points) {
    return !points.empty() && std::ranges::all_of(points, &ConditionPoint::holds);
}

bool nowhere(std::span<const ConditionPoint> points) {
    return std::ranges::none_of(points, &ConditionPoint::holds);
}

}  // namespace

std::string image_condition(std::span<const ConditionPoint> points) {
    if (everywhere(points)) return "at every size";
    if (nowhere(points)) return fallback(points, true);
    const auto smaller = [](const ConditionPoint& p) { return std::min(p.at[0], p.at[1]); };
    const auto larger = [](const ConditionPoint& p) { return std::max(p.at[0], p.at[1]); };
    if (const auto bound = separating_bound(points, smaller)) {
        return bound->upper ? fmt::format("where a side is at most {}", bound->value)
                            : fmt::format("at {0}x{0} and up", bound->value);
    }
    if (const auto bound = separating_bound(points, larger)) {
        return bound->upper ? fmt::format("up to {0}x{0}", bound->value)
                            : fmt::format("where a side is at least {}", bound->value);
    }
    if (const auto bound = separating_bound(points, [](const ConditionPoint& p) { return p.at[0]; }))
        return fmt::format("at widths {} {}", bound->upper ? "up to" : "from", bound->value);
    if (const auto bound = separating_bound(points, [](const ConditionPoint& p) { return p.at[1]; }))
        return fmt::format("at heights {} {}", bound->upper ? "up to" : "from", bound->value);
    if (const auto bound = separating_bound(points, [](const ConditionPoint& p) { return p.at[0] * p.at[1]; }))
        return fmt::format("at {} {} texels", bound->upper ? "no more than" : "no fewer than", bound->value);
    return fallback(points, true);
}

std::string buffer_condition(std::span<const ConditionPoint> points) {
    if (everywhere(points)) return "at every size";
    if (nowhere(points)) return fallback(points, false);
    if (const auto bound = separating_bound(points, [](const ConditionPoint& p) { return p.at[0]; }))
        return fmt::format("{} {} bytes", bound->upper ? "up to" : "from", bound->value);
    return fallback(points, false);
}

}  // namespace heapwright::compare
