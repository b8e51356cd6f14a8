#include "policy/expectations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "model/claims.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

// What a figure may differ by although all seeds agree: half a point of waste.
constexpr double kWasteStep = 0.005;

// The chunks that a background has ready a moment earlier or later.
constexpr double kLateStep = 2;

double middle_of(model::Interval interval) {
    return (interval.least + interval.most) / 2;
}

class Expecter {
public:
    Expecter(const Context& context, const model::DevicePolicy& policy, const PolicyPlayer& player,
             std::span<const PlayedPolicy> runs)
        : context_(context), policy_(policy), player_(player), runs_(runs) {
        const std::uint64_t first = context.workload.seed;
        const std::uint64_t last = first + runs.size() - 1;
        how_ += claim<ClaimId::kPlayedSeeds>(model::count(first), model::count(last));
        if (player.scale() < 1) how_ += claim<ClaimId::kPlayedPart>(model::share(player.scale()));
        const std::uint64_t steps = context.workload.churn_steps;
        if (player.churn_steps() < steps)
            how_ += claim<ClaimId::kPlayedChurn>(model::count(player.churn_steps()), model::count(steps));
        std::uint64_t failures = 0;
        for (const PlayedPolicy& run : runs) failures += run.failures;
        if (failures != 0) how_ += claim<ClaimId::kPlayedInVain>(model::count(failures));
        inputs_ = {context.cite_workload("/seed", model::count(context.workload.seed))};
    }

    [[nodiscard]] model::Expectations decide() const {
        model::Expectations expected;
        decide_waste(expected);
        decide_allocations(expected);
        decide_late_chunks(expected);
        if (all_measured()) decide_times(expected);
        for (std::uint32_t heap = 0; heap < policy_.heaps.size(); ++heap) expected.heaps.push_back(peak(heap));
        if (const std::uint64_t failed = whole(most(&PlayedPolicy::failures)); failed != 0)
            expected.failed_requests = failed;
        if (const double estimated = most(&PlayedPolicy::estimated_share); estimated > 0)
            expected.estimated_share = estimated;
        return expected;
    }

    // By the report's costs, or by assumed ones where it has none.
    [[nodiscard]] double worst_frame_ns() const {
        return most([](const PlayedPolicy& run) { return run.pool.times.worst_frame_ns; });
    }

private:
    // By seed.
    template <class Figure>
    [[nodiscard]] model::Interval range(Figure figure) const {
        const auto value = [&](const PlayedPolicy& run) { return static_cast<double>(std::invoke(figure, run)); };
        const auto [least, most] = std::ranges::minmax_element(runs_, {}, value);
        return {.least = value(*least), .most = value(*most)};
    }
    template <class Figure>
    [[nodiscard]] double most(Figure figure) const {
        return range(figure).most;
    }
    template <class Figure>
    [[nodiscard]] double mean(Figure figure) const {
        double sum = 0;
        for (const PlayedPolicy& run : runs_) sum += static_cast<double>(std::invoke(figure, run));
        return sum / static_cast<double>(runs_.size());
    }
    // As many seeds show less as show more.
    template <class Figure>
    [[nodiscard]] double middle_seed(Figure figure) const {
        std::vector<double> figures;
        for (const PlayedPolicy& run : runs_) figures.push_back(figure(run));
        const auto middle = figures.begin() + static_cast<std::ptrdiff_t>(figures.size() / 2);
        std::ranges::nth_element(figures, middle);
        return *middle;
    }
    // Twice as wide as what was played, about its middle, and at least `step` beyond it either way: what the figure
    // comes in, as chunks do.
    [[nodiscard]] static model::Interval interval(model::Interval played, double step) {
        const double width = played.most - played.least;
        const double reach = std::max(width, width / 2 + step);
        return {.least = std::max(0.0, middle_of(played) - reach), .most = std::max(0.0, middle_of(played) + reach)};
    }
    // Of what was played, for the whole workload.
    [[nodiscard]] std::uint64_t whole(double played) const {
        return saturating_bytes(std::ceil(played / player_.scale()));
    }
    [[nodiscard]] model::Interval whole(model::Interval played) const {
        return {.least = played.least / player_.scale(), .most = played.most / player_.scale()};
    }

    void tell_played(model::Figure least, model::Figure most, model::Decision& why) const {
        why.reason += claim<ClaimId::kBySeed>(std::move(least), std::move(most));
        tell_how(why);
    }
    void tell_how(model::Decision& why) const {
        why.reason += how_;
        why.inputs = inputs_;
    }

    void decide_waste(model::Expectations& expected) const {
        const auto mean_waste = [](const PlayedPolicy& run) { return run.pool.mean_waste; };
        const model::Interval played = range(mean_waste);
        expected.mean_waste = {.value = std::max(0.0, mean(mean_waste))};
        expected.mean_waste.why.reason = claim<ClaimId::kMeanWaste>(model::share(expected.mean_waste.value));
        expected.mean_waste.why.reason += claim<ClaimId::kWasteInFlight>();
        tell_played(model::share(played.least), model::share(played.most), expected.mean_waste.why);
        expected.mean_waste_interval = interval(played, kWasteStep);
        const auto peak_waste = [](const PlayedPolicy& run) { return run.pool.peak_waste; };
        const model::Interval peak = range(peak_waste);
        expected.peak_waste = {.value = std::max(0.0, mean(peak_waste))};
        expected.peak_waste->why.reason = claim<ClaimId::kPeakWaste>(model::share(expected.peak_waste->value));
        tell_played(model::share(peak.least), model::share(peak.most), expected.peak_waste->why);
        expected.peak_waste_interval = interval(peak, kWasteStep);
    }

    void decide_allocations(model::Expectations& expected) const {
        const model::Interval played = whole(range(&PlayedPolicy::peak_allocations));
        auto& decided = expected.device_allocations;
        decided.value = saturating_bytes(std::round(mean(&PlayedPolicy::peak_allocations) / player_.scale()));
        decided.why.reason = claim<ClaimId::kAllocationsAlive>(model::count(decided.value));
        tell_played(model::number(std::round(played.least)), model::number(std::round(played.most)), decided.why);
        expected.device_allocations_interval = interval(played, 1);
    }

    // From what the calls take at least to what one in ten takes longer than, by all seeds.
    template <class Figure, class Least>
    [[nodiscard]] model::Interval times(Figure figure, Least least) const {
        return {.least = range(least).least, .most = most(figure)};
    }
    // A host takes up to twice as long as another, or half.
    [[nodiscard]] static model::Interval interval_of_times(model::Interval played) {
        const model::Interval decided = interval(played, 0);
        return {.least = std::min(middle_of(played) / 2, std::max(decided.least, played.least / 2)),
                .most = std::max(middle_of(played) * 2, decided.most)};
    }

    void decide_times(model::Expectations& expected) const {
        const auto p99_of = [](const PlayedPolicy& run) { return run.pool.times.p99_frame_ns; };
        const auto least_p99_of = [](const PlayedPolicy& run) { return run.pool.times.least_p99_frame_ns; };
        const model::Interval p99 = times(p99_of, least_p99_of);
        // A call seldom waits for the background, and a frame in a hundred is where seldom counts.
        expected.p99_frame_ns = time<ClaimId::kP99Frame>(
            middle_seed([](const PlayedPolicy& run) { return run.pool.times.median_p99_frame_ns; }), p99);
        expected.p99_frame_ns_interval = interval_of_times(p99);
        const model::Interval frame =
            times([](const PlayedPolicy& run) { return run.pool.times.worst_frame_ns; },
                  [](const PlayedPolicy& run) { return run.pool.times.least_worst_frame_ns; });
        expected.worst_frame_ns = time<ClaimId::kWorstFrame>(
            most([](const PlayedPolicy& run) { return run.pool.times.median_worst_frame_ns; }), frame);
        expected.worst_frame_ns_interval = interval_of_times(frame);
        // Where the background is quick enough, no frame is longer than the others.
        double& least_worst_ns = expected.worst_frame_ns_interval->least;
        if (expected.late_chunks_interval->least == 0)
            least_worst_ns = std::min(least_worst_ns, expected.p99_frame_ns_interval->least);
        // One frame in a hundred may be one that finds no chunk ready.
        const double frames = range([](const PlayedPolicy& run) { return run.pool.times.frames; }).least;
        const double late = played_late().most;
        double& most_p99_ns = expected.p99_frame_ns_interval->most;
        if ((late + by_chance(late)) * 100 >= frames)
            most_p99_ns = std::max(most_p99_ns, 2 * static_cast<double>(expected.worst_frame_ns->value));
        expected.most_calls_of_frame =
            saturating_bytes(most([](const PlayedPolicy& run) { return run.pool.times.most_calls; }));
        const model::Interval load = times([](const PlayedPolicy& run) { return run.pool.times.worst_load_ns; },
                                           [](const PlayedPolicy& run) { return run.pool.times.least_worst_load_ns; });
        expected.worst_load_ns = time<ClaimId::kWorstLoad>(
            most([](const PlayedPolicy& run) { return run.pool.times.median_worst_load_ns; }), load);
        expected.worst_load_ns_interval = interval_of_times(load);
        // A driver need not clear memory that nobody had before: then the call itself is all.
        double& least_load_ns = expected.worst_load_ns_interval->least;
        least_load_ns = std::min(least_load_ns, least_call_ns());
    }

    [[nodiscard]] double least_call_ns() const {
        double least = 0;
        for (const DeviceMemoryCall& call : runs_.front().pool.calls) {
            const double taken = player_.costs()[call.memory_type].least_allocate_ns(1, owner_of(call));
            least = least == 0 ? taken : std::min(least, taken);
        }
        return least;
    }

    [[nodiscard]] model::Statement unsettled() const {
        std::set<std::pair<std::uint32_t, MemoryOwner>> used;
        for (const DeviceMemoryCall& call : runs_.front().pool.calls) used.emplace(call.memory_type, owner_of(call));
        std::uint64_t sizes = 0;
        std::uint64_t moving = 0;
        const auto count = [&](const std::vector<model::MemoryCostPoint>& points) {
            sizes += points.size();
            moving += static_cast<std::uint64_t>(std::ranges::count_if(points, [](const auto& point) {
                return point.steadiness && *point.steadiness != model::Steadiness::kSteady;
            }));
        };
        for (const model::MemoryCostCurve& curve : context_.device.run.memory_cost) {
            if (used.contains({curve.memory_type, MemoryOwner::kAnyone})) count(curve.points);
            if (used.contains({curve.memory_type, MemoryOwner::kOneImage})) count(curve.dedicated_image_points);
        }
        if (moving == 0) return {};
        return claim<ClaimId::kTimeUnsettled>(model::count(moving), model::count(sizes));
    }

    template <ClaimId what>
    [[nodiscard]] model::Decided<std::uint64_t> time(double ns, model::Interval played) const {
        model::Decided<std::uint64_t> decided{.value = saturating_bytes(std::ceil(ns))};
        decided.why.reason = claim<what>(model::nanoseconds(decided.value));
        decided.why.reason += claim<ClaimId::kTimeOfMedians>();
        decided.why.reason +=
            claim<ClaimId::kTimeBetween>(model::nanoseconds(played.least), model::nanoseconds(played.most));
        decided.why.reason += claim<ClaimId::kTimeOfCreation>(model::nanoseconds(kOwnPriceOfCreation.least_ns),
                                                              model::nanoseconds(kOwnPriceOfCreation.late_ns));
        decided.why.reason += unsettled();
        tell_how(decided.why);
        return decided;
    }

    [[nodiscard]] model::Interval played_late() const {
        return range([](const PlayedPolicy& run) { return run.pool.times.late_chunks; });
    }
    // What comes by chance comes about so much more or less often in another run.
    [[nodiscard]] static double by_chance(double times) { return std::sqrt(times); }

    void decide_late_chunks(model::Expectations& expected) const {
        const model::Interval played = whole(played_late());
        model::Decided<std::uint64_t> decided{.value = saturating_bytes(std::ceil(played.most))};
        decided.why.reason =
            decided.value == 0 ? claim<ClaimId::kLateNone>() : claim<ClaimId::kLateChunks>(model::count(decided.value));
        tell_how(decided.why);
        expected.late_chunks = std::move(decided);
        expected.late_chunks_interval = interval(played, (kLateStep + by_chance(played_late().most)) / player_.scale());
    }

    [[nodiscard]] model::HeapExpectation peak(std::uint32_t heap) const {
        const model::Interval played = whole(range([&](const PlayedPolicy& run) { return run.pool.peak_bytes[heap]; }));
        model::HeapExpectation expected{.heap = heap,
                                        .peak_reserved_bytes = {.value = saturating_bytes(std::ceil(played.most))}};
        expected.peak_reserved_bytes_interval = interval(played, largest_chunk_bytes(heap));
        const auto usable = static_cast<double>(policy_.heaps[heap].usable_bytes.value);
        double& bound = expected.peak_reserved_bytes_interval->most;
        bound = std::max(played.most, std::min(bound, usable));
        auto& decided = expected.peak_reserved_bytes;
        decided.why.reason = claim<ClaimId::kHeapPeak>(model::bytes(decided.value), model::count(heap));
        tell_played(model::bytes(saturating_bytes(played.least)), model::bytes(saturating_bytes(played.most)),
                    decided.why);
        const double of_frame = most([&](const PlayedPolicy& run) { return run.frame_bytes[heap]; });
        const std::uint64_t frames = context_.workload.frames_in_flight;
        if (of_frame > 0 && frames > 1) {
            // Work of two frames on one engine has an order, so that the device needs these once.
            const std::uint64_t bytes = whole(of_frame);
            const std::uint64_t spared = std::min(decided.value, bytes * (frames - 1));
            model::Statement reason = claim<ClaimId::kFrameAliased>();
            reason += claim<ClaimId::kFrameCopies>(model::bytes(bytes), model::count(frames));
            decided.why.alternatives.push_back(
                {.value = model::bytes(decided.value - spared), .reason = std::move(reason)});
        }
        return expected;
    }

    [[nodiscard]] double largest_chunk_bytes(std::uint32_t heap) const {
        std::uint64_t largest = 0;
        for (const model::BucketPolicy& bucket : policy_.buckets) {
            if (context_.device.memory_types[bucket.memory_type].heap_index == heap)
                largest = std::max(largest, bucket.chunk_size_bytes.value);
        }
        return static_cast<double>(largest);
    }

    [[nodiscard]] bool all_measured() const {
        return std::ranges::all_of(runs_, [&](const PlayedPolicy& run) {
            return std::ranges::all_of(run.pool.calls, [&](const DeviceMemoryCall& call) {
                return player_.costs()[call.memory_type].is_measured();
            });
        });
    }

    const Context& context_;
    const model::DevicePolicy& policy_;
    const PolicyPlayer& player_;
    std::span<const PlayedPolicy> runs_;
    model::Statement how_;
    std::vector<model::DecisionInput> inputs_;
};

}  // namespace

std::optional<model::Expectations> decide_expectations(const Context& context, const model::DevicePolicy& policy,
                                                       const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                                                       model::Statement& warnings) {
    if (!std::ranges::all_of(runs, &PlayedPolicy::served_any)) {
        const bool has_requests = std::ranges::any_of(runs, [](const PlayedPolicy& run) { return run.failures != 0; });
        warnings += has_requests ? claim<ClaimId::kNothingServed>() : claim<ClaimId::kNothingAsked>();
        return std::nullopt;
    }
    const Expecter expecter(context, policy, player, runs);
    model::Expectations expected = expecter.decide();
    if (expected.failed_requests) warnings += claim<ClaimId::kExpectWithout>(model::count(*expected.failed_requests));
    if (expected.estimated_share) warnings += claim<ClaimId::kSizesEstimated>(model::share(*expected.estimated_share));
    const auto budget_ns = static_cast<double>(context.workload.frame_budget_ns);
    const double assumed_ns = expecter.worst_frame_ns();
    if (!expected.worst_frame_ns && assumed_ns > budget_ns) {
        warnings += claim<ClaimId::kLongFrameAssumed>(model::nanoseconds(assumed_ns), model::nanoseconds(budget_ns));
    }
    if (expected.worst_frame_ns && expected.worst_frame_ns->value > context.workload.frame_budget_ns) {
        const auto expected_ns = static_cast<double>(expected.worst_frame_ns->value);
        warnings += claim<ClaimId::kLongFrameExpected>(model::nanoseconds(expected_ns), model::nanoseconds(budget_ns));
    }
    return expected;
}

}  // namespace heapwright::policy
