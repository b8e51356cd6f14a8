#include "compare/measured_figure.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/device_pairing.hpp"
#include "core/text.hpp"

namespace heapwright::compare {

namespace {

using model::ChangeStatus;

double at_least_one(double value) {
    return std::max(1.0, value);
}

double ratio_of(const Figure& from, const Figure& to) {
    return at_least_one(to.median) / at_least_one(from.median);
}

// By how much all that is kept of one lies beyond all of the other; below 1 where they overlap.
double apart(const Figure& from, const Figure& to) {
    return std::max(at_least_one(to.least) / at_least_one(from.p90), at_least_one(from.least) / at_least_one(to.p90));
}

double size_of(double ratio) {
    return std::max(ratio, 1 / ratio);
}

std::string text_of(double value, FigureKind kind) {
    if (kind == FigureKind::kBandwidth) return byte_text(static_cast<std::uint64_t>(value)) + "/s";
    return time_text(value);
}

}  // namespace

std::string unlike_loads(const std::optional<model::MachineLoad>& from, const std::optional<model::MachineLoad>& to,
                         const NoiseOptions& options) {
    if (!from && !to) return {};
    if (!from || !to) return "only one run says how busy the machine was";
    const bool alike = std::abs(from->others_share - to->others_share) <= options.alike_others &&
                       std::abs(from->waiting_share - to->waiting_share) <= options.alike_waiting;
    if (alike) return {};
    return fmt::format(
        "other processes took {:.0f}% of the processors and then {:.0f}%, waiting {:.0f}% and then {:.0f}%",
        100 * from->others_share, 100 * to->others_share, 100 * from->waiting_share, 100 * to->waiting_share);
}

void FigureComparison::add(const std::map<std::string, Figure>& from, const std::map<std::string, Figure>& to,
                           const std::string& unlike) {
    for (const auto& [path, one] : from) {
        const auto other = to.find(path);
        if (other == to.end()) continue;
        Pair pair{.from = one, .to = other->second, .unlike = unlike};
        if (one.of != other->second.of)
            pair.unlike = fmt::format("{} and then {}", one.of, other->second.of);
        else if (!one.tells_nothing.empty())
            pair.unlike = one.tells_nothing;
        else if (!other->second.tells_nothing.empty())
            pair.unlike = other->second.tells_nothing;
        const auto [known, is_new] = nearest_.try_emplace(path, pair);
        if (is_new) continue;
        const Pair& held = known->second;
        const bool nearer = pair.unlike.empty() != held.unlike.empty()
                                ? pair.unlike.empty()
                                : size_of(ratio_of(pair.from, pair.to)) < size_of(ratio_of(held.from, held.to));
        if (nearer) known->second = std::move(pair);
    }
}

model::FieldChange FigureComparison::judge(const std::string& path, const Pair& pair) const {
    const double ratio = ratio_of(pair.from, pair.to);
    model::FieldChange change{.path = path,
                              .field_class = model::FieldClass::kNoisy,
                              .status = ChangeStatus::kSame,
                              .from = text_of(pair.from.median, kind_),
                              .to = text_of(pair.to.median, kind_),
                              .reason = fmt::format("{:.3g} times", ratio)};
    const bool tells =
        kind_ == FigureKind::kBandwidth || std::abs(pair.to.median - pair.from.median) >= options_.least_difference_ns;
    if (!tells || size_of(ratio) < options_.told_ratio) return change;
    const bool more_is_better = kind_ == FigureKind::kBandwidth;
    const bool is_better = (ratio > 1) == more_is_better;
    const double beyond = apart(pair.from, pair.to);
    if (!pair.unlike.empty()) {
        change.status = ChangeStatus::kInconclusive;
        change.reason += "; " + pair.unlike;
    } else if (beyond >= options_.least_figure_ratio) {
        change.status = is_better ? ChangeStatus::kImproved : ChangeStatus::kRegressed;
    } else if (beyond >= 1) {
        change.status = ChangeStatus::kInconclusive;
        change.reason += fmt::format("; two runs of one build may differ by {:.3g} times", options_.least_figure_ratio);
    } else {
        change.status = ChangeStatus::kInconclusive;
        change.reason += "; the samples of the two runs overlap";
    }
    return change;
}

void FigureComparison::finish(CostDifferences& result) const {
    for (const auto& [path, pair] : nearest_) {
        model::FieldChange change = judge(path, pair);
        if (change.status == ChangeStatus::kSame)
            ++result.same_fields;
        else
            result.changes.push_back(std::move(change));
    }
}

namespace {

using model::ChangeStatus;
using model::MemoryCostCurve;
using model::MemoryCostPoint;

class Parts {
public:
    Parts(const model::DeviceReport& baseline, const model::DeviceReport& other) : baseline_(baseline), other_(other) {}

    void compare_costs() {
        const auto& from = baseline_.run.memory_cost;
        const auto& to = other_.run.memory_cost;
        if (from.empty()) return;
        if (to.empty())
            return add_lost("/volatile/memory_cost", "measured", why_not_measured(other_, model::kCostOutOfTime));
        const MemoryLayout layout = layout_of(baseline_);
        const MemoryLayout other_layout = layout_of(other_);
        const TypeTranslation translation(layout, other_layout);
        std::set<std::uint32_t> known;
        for (const MemoryCostCurve& curve : from) {
            const auto type = translation.type(curve.memory_type);
            if (!type) continue;  // the memory type itself is missing
            known.insert(*type);
            const std::string path = "/volatile/memory_cost/" + layout.types[curve.memory_type];
            const auto same = std::ranges::find(to, *type, &MemoryCostCurve::memory_type);
            if (same == to.end())
                add(path, true, "measured");
            else
                compare_curves(curve, *same, path);
        }
        for (const MemoryCostCurve& curve : to) {
            const bool is_old_type = curve.memory_type < other_layout.types.size() &&
                                     layout.find_type(other_layout.types[curve.memory_type]).has_value();
            if (is_old_type && !known.contains(curve.memory_type))
                add("/volatile/memory_cost/" + other_layout.types[curve.memory_type], false, "measured");
        }
    }

    void compare_budgets() {
        if (baseline_.run.heap_budgets.size() > other_.run.heap_budgets.size())
            add_lost("/volatile/heap_budgets", counted(baseline_.run.heap_budgets.size(), "heap"),
                     why_not_measured(other_, {}));
    }

    [[nodiscard]] std::vector<model::FieldChange> take() { return std::move(changes_); }

private:
    void add(std::string path, bool gone, std::string what) {
        model::FieldChange change{.path = std::move(path), .field_class = model::FieldClass::kExact};
        change.status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew;
        (gone ? change.from : change.to) = std::move(what);
        changes_.push_back(std::move(change));
    }

    void add_lost(std::string path, std::string what, std::string reason) {
        add(std::move(path), true, std::move(what));
        if (reason.empty()) return;
        changes_.back().status = ChangeStatus::kInconclusive;
        changes_.back().reason = std::move(reason);
    }

    // One of the runs did not measure it, and no device is to blame.
    void add_inconclusive(std::string path, bool gone, std::string reason) {
        add(std::move(path), gone, "measured");
        changes_.back().status = ChangeStatus::kInconclusive;
        changes_.back().reason = std::move(reason);
    }

    void compare_curves(const MemoryCostCurve& from, const MemoryCostCurve& to, const std::string& path) {
        compare_refusals({from, from.points, false}, {to, to.points, false}, path);
        compare_points({from, from.points, false}, {to, to.points, false}, path);
        const std::string of_image = path + "/dedicated_image";
        compare_refusals({from, from.dedicated_image_points, true}, {to, to.dedicated_image_points, true}, of_image);
        compare_points({from, from.dedicated_image_points, true}, {to, to.dedicated_image_points, true}, of_image);
        if (from.host_bandwidth && !to.host_bandwidth)
            add_lost(path + "/host_bandwidth", "measured", lack_of(to, from.host_bandwidth->bytes_each));
        if (from.allocation_count && !to.allocation_count)
            add_lost(path + "/allocation_count", "counted", to.points.empty() ? lack_of(to, ~0ull) : "");
    }

    // Why a run had no memory or no time for so much; empty: it says nothing of it.
    static std::string lack_of(const MemoryCostCurve& curve, std::uint64_t bytes) {
        for (const model::SizeLeftOut& each : curve.left_out) {
            if (!each.dedicated_image && each.size_bytes <= bytes) return each.reason;
        }
        return {};
    }

    using Refused = std::optional<model::RefusedAllocation>;

    struct Points {
        const MemoryCostCurve& curve;
        const std::vector<MemoryCostPoint>& list;
        bool dedicated;

        [[nodiscard]] const Refused& refused() const {
            return dedicated ? curve.dedicated_image_refused : curve.refused;
        }
        [[nodiscard]] const MemoryCostPoint* find(std::uint64_t size_bytes) const {
            const auto found = std::ranges::find(list, size_bytes, &MemoryCostPoint::size_bytes);
            return found == list.end() ? nullptr : &*found;
        }
        // Why the run did not measure a size; empty: nothing says so.
        [[nodiscard]] std::string left_out(std::uint64_t size_bytes) const {
            for (const model::SizeLeftOut& each : curve.left_out) {
                if (each.dedicated_image == dedicated && each.size_bytes == size_bytes) return each.reason;
            }
            return {};
        }
    };

    void compare_points(const Points& from, const Points& to, const std::string& path) {
        const auto of_size = [&](const MemoryCostPoint& point) {
            return fmt::format("{}/{}", path, byte_text(point.size_bytes));
        };
        for (const MemoryCostPoint& point : from.list) {
            const MemoryCostPoint* same = to.find(point.size_bytes);
            if (same == nullptr) {
                if (to.refused() && to.refused()->size_bytes <= point.size_bytes) continue;
                if (std::string reason = to.left_out(point.size_bytes); !reason.empty())
                    add_inconclusive(of_size(point), true, std::move(reason));
                else
                    add(of_size(point), true, "measured");
            } else if (point.touch_worst_ns != 0 && same->touch_worst_ns == 0) {
                add(of_size(point) + "/touch_ns", true, "measured");
            }
        }
        for (const MemoryCostPoint& point : to.list) {
            if (from.find(point.size_bytes) == nullptr && !from.refused())
                add_inconclusive(of_size(point), false, "the baseline's run did not measure it");
        }
    }

    void compare_refusals(const Points& from, const Points& to, const std::string& path) {
        // A refusal of fewer bytes is the worse one.
        const std::uint64_t from_bytes = from.refused() ? from.refused()->size_bytes : ~0ull;
        const std::uint64_t to_bytes = to.refused() ? to.refused()->size_bytes : ~0ull;
        if (from_bytes == to_bytes) return;
        const Points& granting = to_bytes < from_bytes ? from : to;
        const std::uint64_t asked = std::min(from_bytes, to_bytes);
        const std::string left_out = granting.left_out(asked);
        const bool is_tried =
            std::ranges::any_of(granting.list, [&](const MemoryCostPoint& point) { return point.size_bytes >= asked; });
        const auto text = [](const Refused& refused) {
            return refused ? fmt::format("{}: {}", byte_text(refused->size_bytes), refused->reason) : std::string();
        };
        changes_.push_back({.path = path + "/refused",
                            .field_class = model::FieldClass::kExact,
                            .status = !is_tried               ? ChangeStatus::kInconclusive
                                      : to_bytes < from_bytes ? ChangeStatus::kRegressed
                                                              : ChangeStatus::kImproved,
                            .from = text(from.refused()),
                            .to = text(to.refused()),
                            .reason = is_tried            ? ""
                                      : !left_out.empty() ? left_out
                                                          : "the run without a refusal did not try the size"});
    }

    const model::DeviceReport& baseline_;
    const model::DeviceReport& other_;
    std::vector<model::FieldChange> changes_;
};

}  // namespace

std::string why_not_measured(const model::DeviceReport& device, std::string_view out_of_time) {
    if (device.origin == model::ReportOrigin::kImport) return "an imported report holds none";
    const bool had_no_time =
        std::ranges::find(device.findings, out_of_time, &model::Finding::id) != device.findings.end();
    return std::string(had_no_time ? model::kTimeWasUp : "");
}

std::vector<model::FieldChange> compare_measured(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                                 bool costs) {
    Parts parts(baseline, other);
    parts.compare_budgets();
    if (costs) parts.compare_costs();
    return parts.take();
}

}  // namespace heapwright::compare
