#include "compare/sweep_difference.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compare/field_difference.hpp"
#include "core/text.hpp"

namespace heapwright::compare {

namespace {

using model::ChangeStatus;
using model::SweepChange;
using model::SweepProperty;

using At = std::array<std::uint64_t, 2>;

using Answer = std::optional<model::MemoryRequirements>;

// The points of both grids, with their indexes in each.
struct CommonPoint {
    At at{};
    std::size_t from = 0;
    std::size_t to = 0;
};

std::vector<CommonPoint> common_points(const std::vector<At>& from, const std::vector<At>& to) {
    std::map<At, std::size_t> positions;
    for (std::size_t index = 0; index < to.size(); ++index) positions.emplace(to[index], index);
    std::vector<CommonPoint> points;
    for (std::size_t index = 0; index < from.size(); ++index) {
        const auto same = positions.find(from[index]);
        if (same != positions.end()) points.push_back({.at = from[index], .from = index, .to = same->second});
    }
    return points;
}

std::vector<At> grid_of(const model::ImageSweep& sweep) {
    std::vector<At> points;
    for (std::size_t index = 0; index < sweep.grid.point_count(); ++index) {
        const auto point = sweep.grid.point(index);
        points.push_back({point[0], point[1]});
    }
    return points;
}

std::vector<At> grid_of(const model::BufferSweep& sweep) {
    std::vector<At> points;
    for (const std::uint64_t size : sweep.sizes) points.push_back({size, 0});
    return points;
}

std::string types_text(std::uint32_t bits, const MemoryLayout& layout) {
    std::string text;
    for (std::uint32_t index = 0; index < layout.types.size(); ++index) {
        if ((bits >> index & 1) != 0) append(text, ", ", layout.types[index]);
    }
    return text.empty() ? "none" : text;
}

ChangeStatus ordered(std::uint64_t from, std::uint64_t to) {
    return to > from ? ChangeStatus::kRegressed : ChangeStatus::kImproved;
}

ChangeStatus types_status(std::uint32_t from, std::uint32_t to) {
    if ((from & ~to) == 0) return ChangeStatus::kImproved;
    return (to & ~from) == 0 ? ChangeStatus::kRegressed : ChangeStatus::kChanged;
}

// Properties of one point that differ, as (property, from, to) -> the values and the status.
struct PointChange {
    SweepProperty property = SweepProperty::kAlignmentBytes;
    std::string from;
    std::string to;
    ChangeStatus status = ChangeStatus::kChanged;

    auto operator<=>(const PointChange&) const = default;
};

class CaseComparison {
public:
    CaseComparison(const MemoryLayout& from, const MemoryLayout& to)
        : layout_(to), translation_(from, to), types_differ_(!translation_.is_identity()) {}

    void add(const At& at, const Answer& from, const Answer& to) {
        ++points_;
        const std::size_t before = changes_;
        if (from && to) {
            add_supported(at, *from, *to);
        } else if (from) {
            note({SweepProperty::kSupport, "supported", "not supported", ChangeStatus::kMissing}, at, from->size_bytes,
                 0);
        } else if (to) {
            note({SweepProperty::kSupport, "not supported", "supported", ChangeStatus::kNew}, at, 0, to->size_bytes);
        }
        if (changes_ == before) ++same_;
    }

    void finish(const std::string& path, const std::function<std::string(std::span<const ConditionPoint>)>& condition,
                SweepDifferences& result) {
        result.same_points += same_;
        for (auto& [key, points] : found_) {
            SweepChange change{.property = key.property,
                               .cases = {path},
                               .status = key.status,
                               .from = key.from,
                               .to = key.to,
                               .changed_points = points.size(),
                               .compared_points = points_};
            std::set<At> changed;
            for (const auto& point : points) changed.insert({point[0], point[1]});
            std::vector<ConditionPoint> universe;
            for (const At& at : compared_) universe.push_back({.at = at, .holds = changed.contains(at)});
            change.condition = condition(universe);
            if (key.property == SweepProperty::kSizeBytes) {
                change.from = "1";
                change.to = size_ratios(points);
            }
            change.points = std::move(points);
            result.changes.push_back(std::move(change));
        }
    }

    void saw(const At& at) { compared_.push_back(at); }

private:
    void add_supported(const At& at, const model::MemoryRequirements& one, const model::MemoryRequirements& other) {
        if (one.alignment_bytes != other.alignment_bytes) {
            note({SweepProperty::kAlignmentBytes, std::to_string(one.alignment_bytes),
                  std::to_string(other.alignment_bytes), ordered(one.alignment_bytes, other.alignment_bytes)},
                 at, one.alignment_bytes, other.alignment_bytes);
        }
        if (one.size_bytes != other.size_bytes) {
            // The values differ from point to point; the ratios are put in when all are known.
            note({SweepProperty::kSizeBytes, "", "", ordered(one.size_bytes, other.size_bytes)}, at, one.size_bytes,
                 other.size_bytes);
        }
        const std::uint32_t from_bits = translation_.bits(one.memory_type_bits);
        const std::uint32_t to_bits =
            types_differ_ ? other.memory_type_bits & translation_.common_bits() : other.memory_type_bits;
        if (from_bits != to_bits) {
            note({SweepProperty::kMemoryTypes, types_text(from_bits, layout_), types_text(to_bits, layout_),
                  types_status(from_bits, to_bits)},
                 at, from_bits, to_bits);
        }
        if (one.dedicated != other.dedicated) {
            note({SweepProperty::kDedicated, std::string(name_of(one.dedicated)), std::string(name_of(other.dedicated)),
                  other.dedicated == model::Dedicated::kRequired ? ChangeStatus::kRegressed
                  : one.dedicated == model::Dedicated::kRequired ? ChangeStatus::kImproved
                                                                 : ChangeStatus::kChanged},
                 at, static_cast<std::uint64_t>(one.dedicated), static_cast<std::uint64_t>(other.dedicated));
        }
    }

    void note(PointChange change, const At& at, std::uint64_t from, std::uint64_t to) {
        ++changes_;
        found_[std::move(change)].push_back({at[0], at[1], from, to});
    }

    // "1.25" or "1.01 to 2".
    static std::string size_ratios(const std::vector<std::array<std::uint64_t, 4>>& points) {
        double least = 1e300;
        double most = 0;
        for (const auto& point : points) {
            const double ratio = static_cast<double>(point[3]) / static_cast<double>(point[2]);
            least = std::min(least, ratio);
            most = std::max(most, ratio);
        }
        const std::string one = fmt::format("{:.4g}", least);
        const std::string other = fmt::format("{:.4g}", most);
        return one == other ? one : one + " to " + other;
    }

    const MemoryLayout& layout_;
    TypeTranslation translation_;
    bool types_differ_;
    std::map<PointChange, std::vector<std::array<std::uint64_t, 4>>> found_;
    std::vector<At> compared_;
    std::uint64_t points_ = 0;
    std::uint64_t same_ = 0;
    std::size_t changes_ = 0;
};

SweepChange support_change(const std::string& path, bool gone, const std::string& reason) {
    return {.property = SweepProperty::kSupport,
            .cases = {path},
            .status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew,
            .from = gone ? "supported" : "not supported",
            .to = gone ? "not supported" : "supported",
            .condition = "at every size",
            .reason = reason};
}

// What only one of the sweeps asked for.
class OneSided {
public:
    OneSided(bool from_absent, bool to_absent, SweepDifferences& result)
        : from_absent_(from_absent), to_absent_(to_absent), result_(result) {}

    void add(SweepProperty property, const std::string& path, bool gone, std::string value) {
        SweepChange change{.property = property,
                           .cases = {path},
                           .status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew,
                           .from = gone ? value : std::string(kNotSwept),
                           .to = gone ? std::string(kNotSwept) : value,
                           .condition = "at every size"};
        if (gone ? to_absent_ : from_absent_) {
            change.status = ChangeStatus::kInconclusive;
            change.reason = "one of the documents comes from a source that does not hold this";
        }
        result_.changes.push_back(std::move(change));
    }

private:
    bool from_absent_;
    bool to_absent_;
    SweepDifferences& result_;
};

template <class Sweep>
void add_one_sided(const Sweep& sweep, const Sweep& other, const std::string& root, bool gone, OneSided& one_sided) {
    if (sweep.cases.empty()) return;
    if (other.cases.empty())
        return one_sided.add(SweepProperty::kCases, root, gone, counted(sweep.cases.size(), "case"));
    std::set<std::string> others;
    for (const auto& entry : other.cases) others.insert(case_path(entry));
    for (const auto& entry : sweep.cases) {
        const std::string path = case_path(entry);
        if (!others.contains(path)) one_sided.add(SweepProperty::kCase, path, gone, "swept");
    }
    const std::vector<At> other_grid = grid_of(other);
    const std::set<At> points(other_grid.begin(), other_grid.end());
    const std::vector<At> grid = grid_of(sweep);
    const auto lacking = std::ranges::count_if(grid, [&](const At& at) { return !points.contains(at); });
    if (lacking != 0)
        one_sided.add(SweepProperty::kPoints, root, gone, counted(static_cast<std::uint64_t>(lacking), "size"));
}

bool is_absent(const model::DeviceReport& device, std::string_view root) {
    return device.origin == model::ReportOrigin::kImport &&
           std::ranges::any_of(device.absent, [&](const std::string& pointer) { return pointer.starts_with(root); });
}

template <class Sweep, class Condition>
void compare_sweep(const Sweep& baseline, const Sweep& other, const MemoryLayout& from, const MemoryLayout& to,
                   Condition condition, SweepDifferences& result) {
    const std::vector<CommonPoint> points = common_points(grid_of(baseline), grid_of(other));
    std::map<std::string, const typename decltype(other.cases)::value_type*> others;
    for (const auto& entry : other.cases) others.emplace(case_path(entry), &entry);
    // Many cases share their tables: each pair is compared once.
    std::map<std::pair<std::uint32_t, std::uint32_t>, SweepDifferences> known;
    for (const auto& entry : baseline.cases) {
        const std::string path = case_path(entry);
        const auto same = others.find(path);
        if (same == others.end()) continue;
        if (!entry.table || !same->second->table) {
            if (entry.table) result.changes.push_back(support_change(path, true, same->second->not_supported));
            if (same->second->table) result.changes.push_back(support_change(path, false, entry.not_supported));
            continue;
        }
        const auto [pair, is_new] = known.try_emplace({*entry.table, *same->second->table});
        if (is_new) {
            CaseComparison comparison(from, to);
            for (const CommonPoint& point : points) {
                const Answer one = answer_at(baseline.requirements, baseline.tables[*entry.table], point.from);
                const Answer two = answer_at(other.requirements, other.tables[*same->second->table], point.to);
                if (!one && !two) continue;
                comparison.saw(point.at);
                comparison.add(point.at, one, two);
            }
            comparison.finish(path, condition, pair->second);
        }
        result.same_points += pair->second.same_points;
        for (SweepChange change : pair->second.changes) {
            change.cases = {path};
            result.changes.push_back(std::move(change));
        }
    }
}

}  // namespace

SweepDifferences compare_sweeps(const model::DeviceReport& baseline, const model::DeviceReport& other) {
    const MemoryLayout from = layout_of(baseline);
    const MemoryLayout to = layout_of(other);
    SweepDifferences result;
    const auto compare = [&](const auto& one, const auto& two, const std::string& root, auto condition) {
        compare_sweep(one, two, from, to, condition, result);
        OneSided one_sided(is_absent(baseline, root), is_absent(other, root), result);
        add_one_sided(one, two, root, true, one_sided);
        add_one_sided(two, one, root, false, one_sided);
    };
    compare(baseline.image_sweep, other.image_sweep, "/image_sweep", image_condition);
    compare(baseline.buffer_sweep, other.buffer_sweep, "/buffer_sweep", buffer_condition);
    return result;
}

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
