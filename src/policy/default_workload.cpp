#include "policy/default_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "core/checked.hpp"
#include "core/text.hpp"
#include "model/claims.hpp"
#include "policy/advise.hpp"
#include "workload/read.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

constexpr std::uint32_t kAll = 100;
constexpr std::uint64_t kSpareParts = 32;  // of the usable bytes, what the expected peak leaves

std::uint64_t usable_bytes(const model::DevicePolicy& policy) {
    std::uint64_t sum = 0;
    for (const model::HeapPolicy& heap : policy.heaps)
        sum = checked_add(sum, heap.usable_bytes.value).value_or(~std::uint64_t{0});
    return sum;
}

// Whether every request finds memory and `room_bytes` hold what is expected to be reserved, of all heaps together: one
// that is full while another one is not is none too small.
bool has_room(const model::DevicePolicy& policy, std::uint64_t room_bytes) {
    if (!policy.expectations) return false;
    if (policy.expectations->failed_requests.value_or(0) != 0) return false;
    std::uint64_t expected = 0;
    for (const model::HeapExpectation& heap : policy.expectations->heaps)
        expected = checked_add(expected, heap.peak_reserved_bytes.value).value_or(~std::uint64_t{0});
    return expected <= room_bytes - room_bytes / kSpareParts;
}

class Fit {
public:
    Fit(const model::DeviceReport& device, std::size_t index, const model::Workload& workload, std::uint64_t most_bytes)
        : device_(device), index_(index), workload_(workload), most_bytes_(most_bytes) {}

    // At most `most`.
    Result<std::uint32_t> percent(std::uint32_t most) {
        HEAPWRIGHT_ASSIGN(const bool all, fits(most));
        if (all) return most;
        std::uint32_t low = 1;
        fits_at_all_ = false;
        for (std::uint32_t high = most - 1; low < high;) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            HEAPWRIGHT_ASSIGN(const bool good, fits(middle));
            if (good) {
                low = middle;
                fits_at_all_ = true;
            } else {
                high = middle - 1;
            }
        }
        if (!fits_at_all_) {
            HEAPWRIGHT_ASSIGN(fits_at_all_, fits(low));
        }
        return low;
    }

    [[nodiscard]] bool fits_at_all() const { return fits_at_all_; }

    // What it is to fit.
    [[nodiscard]] std::uint64_t room_bytes() const { return room_bytes_; }

private:
    Result<bool> fits(std::uint32_t percent) {
        const model::Workload part = workload::at_percent(workload_, percent);
        HEAPWRIGHT_ASSIGN(const model::DevicePolicy plan, advise(device_, part, index_, {.capacity_alone = true}));
        room_bytes_ = std::min(usable_bytes(plan), most_bytes_);
        if (plan.capacity && !plan.capacity->unfit.empty()) return false;
        // What chunks take above their resources shows in the simulation alone.
        HEAPWRIGHT_ASSIGN(const model::DevicePolicy policy, advise(device_, part, index_));
        return has_room(policy, room_bytes_);
    }

    const model::DeviceReport& device_;
    std::size_t index_;
    const model::Workload& workload_;
    std::uint64_t most_bytes_;
    std::uint64_t room_bytes_ = 0;
    bool fits_at_all_ = true;
};

}  // namespace

Result<DefaultWorkload> default_workload(const model::Report& report, std::span<const std::size_t> devices,
                                         const model::Workload& workload, const MostBytes& most_bytes) {
    std::vector<std::size_t> indexes(devices.begin(), devices.end());
    if (indexes.empty()) {
        indexes.resize(report.devices.size());
        std::iota(indexes.begin(), indexes.end(), std::size_t{0});
    }
    DefaultWorkload result{.workload = workload, .statement = {}};
    std::uint32_t least = kAll;
    for (const std::size_t index : indexes) {
        if (index >= report.devices.size()) continue;  // advise() tells it
        const model::DeviceReport& device = report.devices[index];
        Fit fit(device, index, workload, most_bytes ? most_bytes(device) : ~std::uint64_t{0});
        HEAPWRIGHT_ASSIGN(const std::uint32_t percent, fit.percent(least));
        if (percent >= least && fit.fits_at_all()) continue;
        least = percent;
        result.workload = workload::at_percent(workload, least);
        result.statement =
            fmt::format("{} at {}%, {} {}{}", workload.name, least,
                        fit.fits_at_all() ? "so that it fits" : "which does not fit, either,",
                        byte_text(fit.room_bytes()), indexes.size() > 1 ? " of " + device.identity.name : "");
    }
    return result;
}

namespace {

std::string hint_name(const model::Workload& workload, std::size_t position) {
    const std::size_t images = workload.images.size();
    return position < images ? fmt::format("images/{}", position) : fmt::format("buffers/{}", position - images);
}

// `first` says what it is of; the most bytes first.
template <ClaimId first>
model::Statement listed(std::vector<model::HintUnfit> hints) {
    constexpr std::size_t kListed = 3;
    std::ranges::stable_sort(hints, std::ranges::greater{}, &model::HintUnfit::bytes);
    model::Statement list = claim<first>(model::bytes(hints.front().bytes), hints.front().hint);
    for (std::size_t i = 1; i < std::min(kListed, hints.size()); ++i)
        list += claim<ClaimId::kBytesOfHint>(model::bytes(hints[i].bytes), hints[i].hint);
    if (hints.size() > kListed) list += claim<ClaimId::kOtherHints>(model::count(hints.size() - kListed));
    return list;
}

std::uint64_t sum_of(const std::vector<model::HintUnfit>& hints) {
    std::uint64_t sum = 0;
    for (const model::HintUnfit& hint : hints) sum = checked_add(sum, hint.bytes).value_or(~std::uint64_t{0});
    return sum;
}

// Empty: no resource alone is too large.
model::Statement too_large(const model::CapacityPlan& plan, const CapacityResult& planned) {
    std::vector<const model::HintUnfit*> found;
    for (const auto* const hints : {&plan.unfit, &plan.refused}) {
        for (const model::HintUnfit& hint : *hints) {
            if (hint.exceeded && std::ranges::find(found, hint.hint, &model::HintUnfit::hint) == found.end())
                found.push_back(&hint);
        }
    }
    if (found.empty()) return {};
    const model::HintUnfit& first = *found.front();
    const auto limits = planned.beyond_limit.find(first.hint);
    model::Statement statement =
        limits == planned.beyond_limit.end() ? model::Statement(unserved(first.hint, *first.exceeded)) : limits->second;
    for (std::size_t i = 1; i < found.size(); ++i) statement += claim<ClaimId::kTooLargeToo>(found[i]->hint);
    return statement;
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
        const model::Statement needs = plan_.unfit.empty() ? needs_of_all() : needs_of_the_short(worst.seed);
        state(plan_, needs, planned_);
    }

    static void state(model::CapacityPlan& plan, const model::Statement& needs, const CapacityResult& planned) {
        plan.fits = plan.unfit.empty() && plan.refused.empty();
        plan.missing_bytes = checked_add(sum_of(plan.unfit), sum_of(plan.refused)).value_or(~std::uint64_t{0});
        plan.statement = plan.fits ? claim<ClaimId::kFits>() : claim<ClaimId::kDoesNotFit>();
        plan.statement += too_large(plan, planned);
        if (!plan.refused.empty()) {
            plan.statement += listed<ClaimId::kRefused>(plan.refused);
            const auto limit = planned.beyond_limit.find(plan.refused.front().hint);
            if (limit != planned.beyond_limit.end() && !plan.refused.front().exceeded) plan.statement += limit->second;
        }
        if (plan.fits || (!plan.unfit.empty() && !is_only_too_large(plan))) plan.statement += needs;
        if (!plan.unfit.empty()) plan.statement += listed<ClaimId::kWithoutPlace>(plan.unfit);
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

    model::Statement needs_of_all() {
        std::uint64_t usable = 0;
        plan_.needed_bytes = 0;
        for (std::size_t heap = 0; heap < policy_.heaps.size(); ++heap) {
            std::uint64_t peak = 0;
            for (const PlayedPolicy& run : runs_) peak = std::max(peak, run.pool.peak_bytes[heap]);
            plan_.needed_bytes = checked_add(plan_.needed_bytes, whole(peak)).value_or(~std::uint64_t{0});
            usable = checked_add(usable, policy_.heaps[heap].usable_bytes.value).value_or(~std::uint64_t{0});
        }
        model::Statement needs = claim<ClaimId::kNeeds>(model::bytes(plan_.needed_bytes), model::bytes(usable));
        needs += ring_without_room();
        return needs;
    }

    // The ring is no request of the workload. Empty where its heap has room for it besides.
    [[nodiscard]] model::Statement ring_without_room() const {
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
        return claim<ClaimId::kNeedsWithoutRing>(model::bytes(ring), model::count(heap), model::bytes(left));
    }

    model::Statement needs_of_the_short(std::uint64_t seed) {
        std::set<std::uint32_t> heaps;
        for (const model::HintUnfit& hint : plan_.unfit) {
            const auto of_hint = planned_.heaps.find(hint.hint);
            if (of_hint != planned_.heaps.end()) heaps.insert(of_hint->second.begin(), of_hint->second.end());
        }
        if (heaps.empty()) {
            for (const model::HeapPolicy& heap : policy_.heaps) heaps.insert(heap.heap);
        }
        const auto unlimited = player_.play_without_limits(seed);
        if (!unlimited) return claim<ClaimId::kNeedsUnknown>(to_string(unlimited.error()));
        std::uint64_t usable = 0;
        plan_.needed_bytes = 0;
        for (const std::uint32_t heap : heaps) {
            plan_.needed_bytes =
                checked_add(plan_.needed_bytes, whole(unlimited->pool.peak_bytes[heap])).value_or(~std::uint64_t{0});
            usable = checked_add(usable, policy_.heaps[heap].usable_bytes.value).value_or(~std::uint64_t{0});
        }
        model::Statement needs;
        const std::uint64_t allocations = whole(unlimited->peak_allocations);
        if (allocations > policy_.max_chunks.value) {
            if (const std::uint64_t own = own_memory_wanted(context_.workload); own != 0)
                needs += claim<ClaimId::kWantOwnMemory>(model::count(own));
            needs +=
                claim<ClaimId::kNeedsAllocations>(model::count(allocations), model::count(policy_.max_chunks.value));
            if (const auto limit = find_limit(context_, "maxMemoryAllocationCount"))
                needs += claim<ClaimId::kBoundByLimit>("maxMemoryAllocationCount", model::count(limit->value));
            if (plan_.needed_bytes <= usable) return needs;
        }
        needs += claim<ClaimId::kNeeds>(model::bytes(plan_.needed_bytes), model::bytes(usable));
        if (plan_.needed_bytes <= usable) needs += claim<ClaimId::kNeedsInPieces>();
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
}

void estimate_fit(const CapacityResult& planned, model::DevicePolicy& policy) {
    model::CapacityPlan& plan = *policy.capacity;
    std::uint64_t expected = sum_of(planned.plan.unfit);
    std::uint64_t usable = 0;
    for (const model::HeapCapacity& heap : plan.heaps) {
        expected = checked_add(expected, heap.expected_bytes).value_or(~std::uint64_t{0});
        usable = checked_add(usable, heap.usable_bytes).value_or(~std::uint64_t{0});
    }
    model::Statement needs = claim<ClaimId::kNeeds>(model::bytes(expected), model::bytes(usable));
    if (expected != 0) needs += claim<ClaimId::kNeedsForChunks>();
    FitDecision::state(plan, needs, planned);
}

}  // namespace heapwright::policy
