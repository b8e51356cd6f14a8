#include "policy/bucket_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "core/checked.hpp"
#include "core/units.hpp"
#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// What is reserved beyond the resources is, in part, one chunk that is being filled and one that was kept empty,
// however many resources there are; the rest grows with their number.
double expected_reserve(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const double simulated = limits.expected_bytes * limits.simulated_share;
    const double beyond = std::max(0.0, static_cast<double>(figures.peak_reserved_bytes) - simulated);
    const double fixed = std::min(beyond, 2 * static_cast<double>(rule.chunk_bytes));
    return limits.expected_bytes + fixed + (beyond - fixed) / limits.simulated_share;
}

// The policy's allocations, in proportion to what is simulated. A bucket always has one that is being filled and one
// that was kept empty, of however few resources: no proportion may take these away.
double allowed_of_simulated(const ChunkLimits& limits) {
    constexpr double kFixed = 2;
    return std::max(kFixed, static_cast<double>(limits.allowed_allocations) * limits.simulated_share);
}

}  // namespace

LimitsKept limits_kept(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const auto budget = static_cast<double>(limits.frame_budget_ns);
    const bool fits = !limits.most_bytes || expected_reserve(figures, rule, limits) <= *limits.most_bytes;
    if (!fits || figures.worst_frame_ns > budget ||
        static_cast<double>(figures.peak_allocations) > allowed_of_simulated(limits))
        return LimitsKept::kNone;
    const bool all = figures.worst_frame_ns * static_cast<double>(limits.frame_parts) <= budget &&
                     figures.peak_allocations <= limits.wanted_allocations;
    return all ? LimitsKept::kAll : LimitsKept::kOfDevice;
}

model::Statement limits_broken(const SimulatedFigures& figures, const ChunkRule& rule, const ChunkLimits& limits) {
    const auto budget = static_cast<double>(limits.frame_budget_ns);
    const double worst_ns = figures.worst_frame_ns;
    const model::Figure allocations = model::count(figures.peak_allocations);
    model::Statement broken;
    if (limits.most_bytes && expected_reserve(figures, rule, limits) > *limits.most_bytes) {
        broken += claim<ClaimId::kBreaksRoom>(model::bytes(saturating_bytes(expected_reserve(figures, rule, limits))),
                                              model::bytes(saturating_bytes(*limits.most_bytes)));
    }
    if (worst_ns > budget)
        broken += claim<ClaimId::kBreaksBudget>(model::nanoseconds(worst_ns), model::nanoseconds(budget));
    const double allowed = allowed_of_simulated(limits);
    if (static_cast<double>(figures.peak_allocations) > allowed)
        broken += claim<ClaimId::kBreaksAllowed>(allocations, model::number(std::floor(allowed)));
    if (!broken.empty()) return broken;
    if (worst_ns * static_cast<double>(limits.frame_parts) > budget) {
        broken += claim<ClaimId::kBreaksFramePart>(model::nanoseconds(worst_ns), model::count(limits.frame_parts),
                                                   model::nanoseconds(budget));
    }
    if (figures.peak_allocations > limits.wanted_allocations)
        broken += claim<ClaimId::kBreaksWanted>(allocations, model::count(limits.wanted_allocations));
    return broken;
}

std::vector<HeapRoom> find_room(const BucketInputs& inputs, std::span<const model::HeapPolicy> heaps) {
    std::vector<double> expected(heaps.size(), 0);
    std::vector<std::set<std::uint32_t>> types(heaps.size());
    for (const PlacedDemand& entry : inputs.placed) {
        if (!entry.lazily_allocated) expected[entry.heap] += entry.demand->held_bytes();
        if (is_ordinary(*entry.demand, inputs)) types[entry.heap].insert(entry.memory_type);
    }
    std::vector<HeapRoom> rooms(heaps.size());
    for (std::size_t heap = 0; heap < heaps.size(); ++heap) {
        const double spare = static_cast<double>(heaps[heap].usable_bytes.value) - expected[heap];
        if (spare >= 0) rooms[heap].spare_bytes = spare;
        rooms[heap].memory_types = static_cast<std::uint32_t>(types[heap].size());
    }
    return rooms;
}

namespace {

constexpr std::uint64_t kSmallestChunk = kMiB;
constexpr std::uint64_t kMostChunks = 512;  // a size that needs more than this is no candidate
constexpr std::uint64_t kGrowthShare = 4;   // a growing bucket starts at this part of its chunk size
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

double time_score(const SimulatedFigures& figures, std::uint64_t frame_budget_ns) {
    return time_share(figures.worst_frame_ns, figures.mean_frame_ns, frame_budget_ns);
}

class Search {
public:
    Search(const BucketDemand& bucket, std::uint64_t source_bytes, const SearchInputs& inputs)
        : bucket_(bucket), source_bytes_(source_bytes), inputs_(inputs) {}

    BucketChoice run() {
        choice_.source_rule = simulated(
            {.chunk_bytes = source_bytes_, .first_bytes = source_bytes_, .granule_bytes = bucket_.granule_bytes.value});
        consider(simulated(fixed(source_bytes_)));
        for (const std::uint64_t size : sizes()) consider(simulated(fixed(size)));

        settle_near_ties();
        const ChunkRule best = choice_.best.rule;
        ChunkRule fullest = best;
        fullest.choice = model::ChunkChoice::kFullest;
        consider_change(simulated(fullest));
        const std::uint64_t unit = bucket_.unit_bytes();
        if (best.chunk_bytes / kGrowthShare >= std::max(kSmallestChunk, unit)) {
            ChunkRule growing = best;
            growing.first_bytes = best.chunk_bytes / kGrowthShare;
            growing.divisor = kGrowthShare;
            consider_change(simulated(growing));
        }
        if (bucket_.largest_bytes > best.chunk_bytes / 2 && best.chunk_bytes / 2 >= unit) {
            ChunkRule lower = best;
            lower.dedicated_threshold_bytes = best.chunk_bytes / 2;
            consider_change(simulated(lower));
        }
        choice_.kept = kept(choice_.best);
        choice_.limits = inputs_.limits;
        choice_.all_used_bytes = inputs_.all_used_bytes;
        return std::move(choice_);
    }

private:
    [[nodiscard]] std::vector<std::uint64_t> sizes() const {
        const std::uint64_t unit = bucket_.unit_bytes();
        const std::uint64_t last = std::bit_floor(source_bytes_);
        std::vector<std::uint64_t> all;
        for (std::uint64_t size = std::min(last, kSmallestChunk); size != 0 && size < source_bytes_; size *= 2) {
            if (size < unit) continue;
            if (saturating_bytes(bucket_.expected_bytes * inputs_.trace.share) / size <= kMostChunks)
                all.push_back(size);
            if (size == last) break;
        }
        return all;
    }

    [[nodiscard]] ChunkRule fixed(std::uint64_t size) const {
        return {.chunk_bytes = size,
                .first_bytes = size,
                .dedicated_threshold_bytes = bucket_.largest_bytes > size ? size : kNever,
                .granule_bytes = bucket_.granule_bytes.value,
                .choice = model::ChunkChoice::kTightest};
    }

    [[nodiscard]] Candidate simulated(const ChunkRule& rule) const {
        const auto known = std::ranges::find(inputs_.simulated, rule, &Candidate::rule);
        if (known != inputs_.simulated.end()) return timed(*known);
        inputs_.simulated.push_back(
            {.rule = rule,
             .figures = simulate(inputs_.trace, rule, inputs_.cost, [this](const SampledResource& resource) {
                 return belongs_to(bucket_, resource.resource_class, resource.alignment_bytes, bucket_.memory_type,
                                   inputs_.grouping);
             })});
        return timed(inputs_.simulated.back());
    }

    [[nodiscard]] Candidate timed(Candidate candidate) const {
        SimulatedFigures& figures = candidate.figures;
        figures.worst_frame_ns = std::lerp(figures.worst_unprepared_ns, figures.worst_frame_ns, inputs_.chunk_share);
        figures.mean_frame_ns = std::lerp(figures.mean_unprepared_ns, figures.mean_frame_ns, inputs_.chunk_share);
        return candidate;
    }

    void consider(Candidate candidate) {
        if (!has_best_) {
            has_best_ = true;
            choice_.best = std::move(candidate);
            return;
        }
        const bool better = is_better(candidate, choice_.best);
        if (better) std::swap(candidate, choice_.best);
        choice_.others.push_back(std::move(candidate));
    }

    // A rule that differs in more than its size is taken where that is worth more than noise.
    void consider_change(Candidate candidate) {
        const LimitsKept its_kept = kept(candidate);
        const LimitsKept best_kept = kept(choice_.best);
        const double noise = score_noise(choice_.best.figures, inputs_.limits.frame_budget_ns);
        const bool better =
            its_kept < best_kept || (its_kept == best_kept && score_of(candidate) + noise < score_of(choice_.best));
        if (better) std::swap(candidate, choice_.best);
        choice_.others.push_back(std::move(candidate));
    }

    // The sizes have been tried, and nothing else.
    void settle_near_ties() {
        const double good_enough =
            score_of(choice_.best) + score_noise(choice_.best.figures, inputs_.limits.frame_budget_ns);
        const LimitsKept best_kept = kept(choice_.best);
        Candidate* smallest = &choice_.best;
        std::uint64_t largest_bytes = choice_.best.rule.chunk_bytes;
        for (Candidate& other : choice_.others) {
            if (kept(other) != best_kept || score_of(other) > good_enough) continue;
            largest_bytes = std::max(largest_bytes, other.rule.chunk_bytes);
            if (other.rule.chunk_bytes < smallest->rule.chunk_bytes) smallest = &other;
        }
        if (smallest->rule.chunk_bytes != largest_bytes) choice_.near_tie_bytes = largest_bytes;
        if (smallest != &choice_.best) std::swap(*smallest, choice_.best);
    }

    [[nodiscard]] double score_of(const Candidate& candidate) const {
        return score(candidate.figures, inputs_.all_used_bytes, inputs_.limits.frame_budget_ns);
    }

    [[nodiscard]] LimitsKept kept(const Candidate& candidate) const {
        return limits_kept(candidate.figures, candidate.rule, inputs_.limits);
    }

    [[nodiscard]] bool is_better(const Candidate& one, const Candidate& other) const {
        const LimitsKept one_kept = kept(one);
        const LimitsKept other_kept = kept(other);
        if (one_kept != other_kept) return one_kept < other_kept;
        return score_of(one) < score_of(other);
    }

    const BucketDemand& bucket_;
    std::uint64_t source_bytes_;
    const SearchInputs& inputs_;
    BucketChoice choice_;
    bool has_best_ = false;
};

}  // namespace

double score_noise(const SimulatedFigures& figures, std::uint64_t frame_budget_ns) {
    return kEqualWaste + kCaptureNoise * time_score(figures, frame_budget_ns);
}

double score(const SimulatedFigures& figures, double all_used_bytes, std::uint64_t frame_budget_ns) {
    const double wasted = (figures.mean_reserved_bytes - figures.mean_used_bytes) / std::max(1.0, all_used_bytes);
    return wasted + time_score(figures, frame_budget_ns);
}

model::Statement why_lost(const Candidate& candidate, const BucketChoice& choice) {
    const ChunkLimits& limits = choice.limits;
    if (limits_kept(candidate.figures, candidate.rule, limits) > choice.kept)
        return limits_broken(candidate.figures, candidate.rule, limits);
    const auto wasted = [](const Candidate& one) {
        return one.figures.mean_reserved_bytes - one.figures.mean_used_bytes;
    };
    const double more_bytes = (wasted(candidate) - wasted(choice.best)) / std::max(1.0, choice.all_used_bytes);
    const double more_time =
        time_score(candidate.figures, limits.frame_budget_ns) - time_score(choice.best.figures, limits.frame_budget_ns);
    const model::Figure of_bytes = model::share(std::abs(more_bytes));
    const model::Figure of_time = model::share(std::abs(more_time));
    const model::Claim wastes =
        more_bytes < 0 ? claim<ClaimId::kRuleWastesLess>(of_bytes) : claim<ClaimId::kRuleWastesMore>(of_bytes);
    const model::Claim takes =
        more_time < 0 ? claim<ClaimId::kRuleTakesShorter>(of_time) : claim<ClaimId::kRuleTakesLonger>(of_time);
    constexpr double kNothing = 0.00005;  // of either, which no screen shows
    model::Statement why;
    if (more_bytes + more_time < kNothing) why += claim<ClaimId::kRuleNearTie>();
    const bool time_first = more_bytes < more_time;
    if (time_first && std::abs(more_time) >= kNothing) why += takes;
    if (std::abs(more_bytes) >= kNothing) why += wastes;
    if (!time_first && std::abs(more_time) >= kNothing) why += takes;
    return why;
}

BucketChoice search_chunks(const BucketDemand& bucket, std::uint64_t source_bytes, const SearchInputs& inputs) {
    return Search(bucket, source_bytes, inputs).run();
}

model::Statement describe(const ChunkRule& rule) {
    model::Statement special;
    if (rule.first_bytes < rule.chunk_bytes)
        special += claim<ClaimId::kRuleGrows>(model::bytes(rule.first_bytes), model::count(rule.divisor));
    if (rule.dedicated_threshold_bytes != kNever)
        special += claim<ClaimId::kRuleDedicated>(model::bytes(rule.dedicated_threshold_bytes));
    if (rule.choice == model::ChunkChoice::kFullest) special += claim<ClaimId::kRuleFullest>();
    return special;
}

}  // namespace heapwright::policy
