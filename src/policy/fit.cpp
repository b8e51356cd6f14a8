#include "heapwright/policy/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

std::string hint_name(const model::Workload& workload, std::size_t position) {
    const std::size_t images = workload.images.size();
    return position < images ? fmt::format("images/{}", position) : fmt::format("buffers/{}", position - images);
}

// The most bytes first.
std::string list_text(std::vector<model::HintUnfit> hints) {
    constexpr std::size_t kListed = 3;
    std::ranges::stable_sort(hints, std::ranges::greater{}, &model::HintUnfit::bytes);
    std::string text;
    for (std::size_t i = 0; i < std::min(kListed, hints.size()); ++i)
        text += fmt::format("{}{} of {}", i == 0 ? "" : ", ", byte_text(hints[i].bytes), hints[i].hint);
    if (hints.size() > kListed) text += fmt::format(" and {}", counted(hints.size() - kListed, "other hint"));
    return text;
}

std::uint64_t sum_of(const std::vector<model::HintUnfit>& hints) {
    std::uint64_t sum = 0;
    for (const model::HintUnfit& hint : hints) sum = checked_add(sum, hint.bytes).value_or(~std::uint64_t{0});
    return sum;
}

// "buffers/0: 8 GiB are more than maxMemoryAllocationSize (2 GiB); too large as well: buffers/1"; empty: no resource
// alone is too large.
std::string too_large_text(const model::CapacityPlan& plan, const CapacityResult& planned) {
    std::vector<const model::HintUnfit*> too_large;
    for (const auto* const hints : {&plan.unfit, &plan.refused}) {
        for (const model::HintUnfit& hint : *hints) {
            if (hint.exceeded && std::ranges::find(too_large, hint.hint, &model::HintUnfit::hint) == too_large.end())
                too_large.push_back(&hint);
        }
    }
    if (too_large.empty()) return {};
    const model::HintUnfit& first = *too_large.front();
    const auto limits = planned.beyond_limit.find(first.hint);
    std::string text = fmt::format(
        "{}: {}", first.hint, limits == planned.beyond_limit.end() ? exceeded_text(*first.exceeded) : limits->second);
    for (std::size_t i = 1; i < too_large.size(); ++i)
        text += (i == 1 ? "; too large as well: " : ", ") + too_large[i]->hint;
    return text;
}

bool is_only_too_large(const model::CapacityPlan& plan) {
    return !plan.unfit.empty() &&
           std::ranges::all_of(plan.unfit, [](const model::HintUnfit& hint) { return hint.exceeded.has_value(); });
}

std::uint64_t own_memory_wanted(const model::Workload& workload) {
    std::uint64_t wanted = 0;
    const auto add = [&](const auto& hint) { wanted += hint.dedicated == model::OwnMemory::kAlways ? hint.count : 0; };
    std::ranges::for_each(workload.images, add);
    std::ranges::for_each(workload.buffers, add);
    return wanted;
}

double refused_bytes(const PlayedPolicy& run) {
    return std::accumulate(run.refused.begin(), run.refused.end(), 0.0);
}

class FitDecision {
public:
    FitDecision(const Context& context, const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                const CapacityResult& planned, model::DevicePolicy& policy)
        : context_(context),
          player_(player),
          runs_(runs),
          planned_(planned),
          policy_(policy),
          plan_(*policy.capacity) {}

    void decide() {
        const PlayedPolicy& worst = *std::ranges::max_element(runs_, {}, &PlayedPolicy::failures);
        plan_.unfit = hints_of(worst.without_memory);
        plan_.refused = hints_of(std::ranges::max_element(runs_, {}, refused_bytes)->refused);
        for (auto* const hints : {&plan_.unfit, &plan_.refused}) {
            for (model::HintUnfit& hint : *hints) {
                const auto exceeded = planned_.too_large.find(hint.hint);
                if (exceeded != planned_.too_large.end()) hint.exceeded = exceeded->second;
            }
        }
        const std::string needs = plan_.unfit.empty() ? needs_of_all() : needs_of_the_short(worst.seed);
        state(plan_, needs, planned_);
    }

    static void state(model::CapacityPlan& plan, const std::string& needs, const CapacityResult& planned) {
        plan.fits = plan.unfit.empty() && plan.refused.empty();
        plan.missing_bytes = checked_add(sum_of(plan.unfit), sum_of(plan.refused)).value_or(~std::uint64_t{0});
        std::vector<std::string> parts;
        if (const std::string too_large = too_large_text(plan, planned); !too_large.empty()) parts.push_back(too_large);
        if (!plan.refused.empty()) {
            parts.push_back("the device refuses " + list_text(plan.refused));
            const auto limit = planned.beyond_limit.find(plan.refused.front().hint);
            if (limit != planned.beyond_limit.end() && !plan.refused.front().exceeded)
                parts.back() += ": " + limit->second;
        }
        if (plan.fits || (!plan.unfit.empty() && !is_only_too_large(plan))) parts.push_back(needs);
        if (!plan.unfit.empty()) parts.push_back("without a place " + list_text(plan.unfit));
        plan.statement = fmt::format("{}: {}", plan.fits ? "fits" : "does not fit", fmt::join(parts, "; "));
    }

private:
    // Of what was played, for the whole workload.
    [[nodiscard]] std::uint64_t whole(std::uint64_t played) const {
        return saturating_bytes(std::ceil(static_cast<double>(played) / player_.scale()));
    }

    [[nodiscard]] std::vector<model::HintUnfit> hints_of(const std::vector<std::uint64_t>& bytes) const {
        std::vector<model::HintUnfit> hints;
        for (std::size_t position = 0; position < bytes.size(); ++position) {
            if (bytes[position] == 0) continue;
            const double scale = player_.scale_of_hint(position);
            hints.push_back({.hint = hint_name(context_.workload, position),
                             .bytes = saturating_bytes(std::ceil(static_cast<double>(bytes[position]) / scale)),
                             .exceeded = {}});
        }
        return hints;
    }

    std::string needs_of_all() {
        std::uint64_t usable = 0;
        plan_.needed_bytes = 0;
        for (std::size_t heap = 0; heap < policy_.heaps.size(); ++heap) {
            std::uint64_t peak = 0;
            for (const PlayedPolicy& run : runs_) peak = std::max(peak, run.pool.peak_bytes[heap]);
            plan_.needed_bytes = checked_add(plan_.needed_bytes, whole(peak)).value_or(~std::uint64_t{0});
            usable = checked_add(usable, policy_.heaps[heap].usable_bytes.value).value_or(~std::uint64_t{0});
        }
        return fmt::format("needs {} of {} usable{}", byte_text(plan_.needed_bytes), byte_text(usable), ring_text());
    }

    // The ring is no request of the workload. Empty where its heap has room for it besides.
    [[nodiscard]] std::string ring_text() const {
        const auto use =
            std::ranges::find(policy_.memory_uses, model::MemoryUse::kUpload, &model::MemoryUsePolicy::use);
        if (use == policy_.memory_uses.end() || use->memory_types.value.empty()) return {};
        const std::uint32_t heap = context_.device.memory_types[use->memory_types.value.front()].heap_index;
        std::uint64_t peak = 0;
        for (const PlayedPolicy& run : runs_) peak = std::max(peak, run.pool.peak_bytes[heap]);
        const std::uint64_t usable = policy_.heaps[heap].usable_bytes.value;
        const std::uint64_t left = usable - std::min(usable, whole(peak));
        const std::uint64_t ring = policy_.uploads.ring_bytes.value;
        if (ring <= left) return {};
        return fmt::format(" without the upload ring, for whose {} heap {} has {} left", byte_text(ring), heap,
                           byte_text(left));
    }

    std::string needs_of_the_short(std::uint64_t seed) {
        std::set<std::uint32_t> heaps;
        for (const model::HintUnfit& hint : plan_.unfit) {
            const auto of_hint = planned_.heaps.find(hint.hint);
            if (of_hint != planned_.heaps.end()) heaps.insert(of_hint->second.begin(), of_hint->second.end());
        }
        if (heaps.empty()) {
            for (const model::HeapPolicy& heap : policy_.heaps) heaps.insert(heap.heap);
        }
        const auto unlimited = player_.play_without_limits(seed);
        if (!unlimited) return "what it needs is not known, " + to_string(unlimited.error());
        std::uint64_t usable = 0;
        plan_.needed_bytes = 0;
        for (const std::uint32_t heap : heaps) {
            plan_.needed_bytes =
                checked_add(plan_.needed_bytes, whole(unlimited->pool.peak_bytes[heap])).value_or(~std::uint64_t{0});
            usable = checked_add(usable, policy_.heaps[heap].usable_bytes.value).value_or(~std::uint64_t{0});
        }
        std::string needs = fmt::format("needs {} of {} usable{}", byte_text(plan_.needed_bytes), byte_text(usable),
                                        plan_.needed_bytes <= usable ? ", in pieces that do not fit side by side" : "");
        const std::uint64_t allocations = whole(unlimited->peak_allocations);
        if (allocations > policy_.max_chunks.value) {
            const auto limit = find_limit(context_, "maxMemoryAllocationCount");
            const std::uint64_t own = own_memory_wanted(context_.workload);
            const std::string of_bytes = plan_.needed_bytes <= usable ? std::string() : "; " + needs;
            needs = fmt::format(
                "{}{} of the {} allowed{}{}",
                own == 0 ? "needs " : fmt::format("{} want memory of their own: ", counted(own, "resource")),
                counted(allocations, "device allocation"), policy_.max_chunks.value,
                limit ? fmt::format(" (maxMemoryAllocationCount {})", limit->value) : "", of_bytes);
        }
        return needs;
    }

    const Context& context_;
    const PolicyPlayer& player_;
    std::span<const PlayedPolicy> runs_;
    const CapacityResult& planned_;
    model::DevicePolicy& policy_;
    model::CapacityPlan& plan_;
};

}  // namespace

void decide_fit(const Context& context, const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                const CapacityResult& planned, model::DevicePolicy& policy) {
    FitDecision(context, player, runs, planned, policy).decide();
    if (!policy.capacity->fits) policy.warnings.insert(policy.warnings.begin(), policy.capacity->statement);
}

void estimate_fit(const CapacityResult& planned, model::DevicePolicy& policy) {
    model::CapacityPlan& plan = *policy.capacity;
    std::uint64_t expected = sum_of(planned.plan.unfit);
    std::uint64_t usable = 0;
    for (const model::HeapCapacity& heap : plan.heaps) {
        expected = checked_add(expected, heap.expected_bytes).value_or(~std::uint64_t{0});
        usable = checked_add(usable, heap.usable_bytes).value_or(~std::uint64_t{0});
    }
    FitDecision::state(plan,
                       fmt::format("needs {} of {} usable{}", byte_text(expected), byte_text(usable),
                                   expected == 0 ? "" : " and for chunks a sixteenth more"),
                       planned);
    if (!plan.fits) policy.warnings.insert(policy.warnings.begin(), plan.statement);
}

}  // namespace heapwright::policy
