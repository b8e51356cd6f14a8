#include "compare/cost_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compare/memory_layout.hpp"
#include "core/byte_text.hpp"

namespace heapwright::compare {

std::vector<SharedCurve> shared_curves(const model::DeviceReport& baseline, const model::DeviceReport& other) {
    const MemoryLayout layout = layout_of(baseline);
    const TypeTranslation translation(layout, layout_of(other));
    std::vector<SharedCurve> shared;
    for (const model::MemoryCostCurve& curve : baseline.run.memory_cost) {
        const auto type = translation.type(curve.memory_type);
        if (!type) continue;
        const auto same = std::ranges::find(other.run.memory_cost, *type, &model::MemoryCostCurve::memory_type);
        if (same != other.run.memory_cost.end()) shared.push_back({&curve, &*same, layout.types[curve.memory_type]});
    }
    return shared;
}

std::string cost_root(const std::string& type, const CostPoints& of, const CostKind& cost) {
    return fmt::format("/volatile/memory_cost/{}/{}{}_ns", type, of.prefix, cost.name);
}

std::string range_path(const std::string& type, const CostPoints& of, const CostKind& cost, bool small) {
    return cost_root(type, of, cost) + (small ? "/up_to_1_MiB" : "/above_1_MiB");
}

std::string size_path(const std::string& type, const CostPoints& of, const CostKind& cost, std::uint64_t size_bytes) {
    return fmt::format("{}/{}", cost_root(type, of, cost), byte_text(size_bytes));
}

std::string why_unsettled(std::string_view which_run, const model::MemoryCostCurve& curve, const CostPoints& of,
                          const model::MemoryCostPoint& point) {
    std::optional<model::Steadiness> steadiness = point.steadiness;
    const bool is_dedicated = of.points == &model::MemoryCostCurve::dedicated_image_points;
    if (!steadiness && !is_dedicated && curve.steadiness) steadiness = curve.steadiness->answer;
    if (!steadiness || *steadiness == model::Steadiness::kSteady) return {};
    return fmt::format("{} had {}", which_run,
                       *steadiness == model::Steadiness::kDidNotSettle
                           ? "not settled"
                           : "too few samples to tell whether it had settled");
}

}  // namespace heapwright::compare
