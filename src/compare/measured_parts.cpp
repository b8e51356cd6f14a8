#include "heapwright/compare/measured_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "heapwright/compare/memory_layout.hpp"
#include "heapwright/core/byte_text.hpp"

namespace heapwright::compare {
namespace {

using model::ChangeStatus;
using model::MemoryCostCurve;
using model::MemoryCostPoint;

bool holds_engine(const model::EngineMeasurements& measured, const std::string& name) {
    return std::ranges::find(measured.engines, name, &model::EngineDescription::name) != measured.engines.end();
}

class Parts {
public:
    Parts(const model::DeviceReport& baseline, const model::DeviceReport& other) : baseline_(baseline), other_(other) {}

    void compare_costs() {
        const auto& from = baseline_.run.memory_cost;
        const auto& to = other_.run.memory_cost;
        if (from.empty()) return;
        if (to.empty()) return add("/volatile/memory_cost", true, "measured");
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
        const bool from = !baseline_.run.heap_budgets.empty();
        const bool to = !other_.run.heap_budgets.empty();
        if (from && !to) add("/volatile/heap_budgets", true, "reported");
    }

    void compare_engines() {
        if (!baseline_.run.engines) return;
        const model::EngineMeasurements& from = *baseline_.run.engines;
        if (!other_.run.engines) return add("/volatile/engines", true, "measured");
        const model::EngineMeasurements& to = *other_.run.engines;
        compare_names(from, to, true);
        compare_names(to, from, false);
        if (!from.copies.empty() && to.copies.empty()) add("/volatile/engines/copies", true, "measured");
        if (!from.overlaps.empty() && to.overlaps.empty()) add("/volatile/engines/overlaps", true, "measured");
        if (!from.signal_latencies.empty() && to.signal_latencies.empty())
            add("/volatile/engines/signal_latencies", true, "measured");
        if (!from.pipelines.empty() && to.pipelines.empty()) {
            // They are measured last. A run whose times did not settle used up its time before them.
            const bool no_time = to.steadiness.answer != model::Steadiness::kSteady;
            add("/volatile/engines/pipelines", true, "measured",
                no_time ? ChangeStatus::kInconclusive : ChangeStatus::kSame);
            if (no_time) changes_.back().reason = "the other run's times did not settle, and it had no time left";
        }
    }

    [[nodiscard]] std::vector<model::FieldChange> take() { return std::move(changes_); }

private:
    void add(std::string path, bool gone, std::string what, ChangeStatus status = ChangeStatus::kSame) {
        model::FieldChange change{.path = std::move(path), .field_class = model::FieldClass::kExact};
        change.status = gone ? ChangeStatus::kMissing : ChangeStatus::kNew;
        if (status != ChangeStatus::kSame) change.status = status;
        (gone ? change.from : change.to) = std::move(what);
        changes_.push_back(std::move(change));
    }

    void compare_names(const model::EngineMeasurements& from, const model::EngineMeasurements& to, bool gone) {
        for (const model::EngineDescription& engine : from.engines) {
            if (!holds_engine(to, engine.name)) add("/volatile/engines/" + engine.name, gone, "measured");
        }
    }

    void compare_curves(const MemoryCostCurve& from, const MemoryCostCurve& to, const std::string& path) {
        compare_refusals(from.refused, to.refused, path);
        compare_points(from.points, to.points, to.refused, path);
        const std::string of_image = path + "/dedicated_image";
        compare_refusals(from.dedicated_image_refused, to.dedicated_image_refused, of_image);
        compare_points(from.dedicated_image_points, to.dedicated_image_points, to.dedicated_image_refused, of_image);
        if (from.host_bandwidth && !to.host_bandwidth) add(path + "/host_bandwidth", true, "measured");
        if (from.allocation_count && !to.allocation_count) add(path + "/allocation_count", true, "counted");
    }

    using Refused = std::optional<model::RefusedAllocation>;

    void compare_points(const std::vector<MemoryCostPoint>& from, const std::vector<MemoryCostPoint>& to,
                        const Refused& refused, const std::string& path) {
        const auto largest = [](const std::vector<MemoryCostPoint>& points) {
            return points.empty() ? 0 : points.back().size_bytes;
        };
        for (const MemoryCostPoint& point : from) {
            const auto same = std::ranges::find(to, point.size_bytes, &MemoryCostPoint::size_bytes);
            const std::string size = fmt::format("{}/{}", path, byte_text(point.size_bytes));
            if (same == to.end()) {
                if (refused && refused->size_bytes <= point.size_bytes) continue;
                const bool no_time = !to.empty() && point.size_bytes > largest(to);
                add(size, true, "measured", no_time ? ChangeStatus::kInconclusive : ChangeStatus::kSame);
                if (no_time) changes_.back().reason = "the other run had no time or no memory for this size";
            } else if (point.touch_worst_ns != 0 && same->touch_worst_ns == 0) {
                add(size + "/touch_ns", true, "measured");
            }
        }
        for (const MemoryCostPoint& point : to) {
            const bool between = point.size_bytes < largest(from) &&
                                 std::ranges::find(from, point.size_bytes, &MemoryCostPoint::size_bytes) == from.end();
            if (between) add(fmt::format("{}/{}", path, byte_text(point.size_bytes)), false, "measured");
        }
    }

    void compare_refusals(const Refused& from, const Refused& to, const std::string& path) {
        if (from.has_value() == to.has_value()) return;
        const bool gone = from.has_value();
        const model::RefusedAllocation& refused = gone ? *from : *to;
        add(path + "/refused", gone, fmt::format("{}: {}", byte_text(refused.size_bytes), refused.reason),
            gone ? ChangeStatus::kImproved : ChangeStatus::kRegressed);
    }

    const model::DeviceReport& baseline_;
    const model::DeviceReport& other_;
    std::vector<model::FieldChange> changes_;
};

}  // namespace

std::vector<model::FieldChange> compare_measured(const model::DeviceReport& baseline, const model::DeviceReport& other,
                                                 bool costs) {
    Parts parts(baseline, other);
    parts.compare_budgets();
    parts.compare_engines();
    if (costs) parts.compare_costs();
    return parts.take();
}

}  // namespace heapwright::compare
