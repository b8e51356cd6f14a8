#include "heapwright/policy/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

// What a figure may differ by although all seeds agree: half a point of waste.
constexpr double kWasteStep = 0.005;

// The chunks that a background has ready a moment earlier or later.
constexpr double kLateStep = 2;

double middle_of(model::Interval interval) {
    return (interval.least + interval.most) / 2;
}

std::string time_text(double ns) {
    if (ns < 1e4) return fmt::format("{:.1f} us", ns / 1e3);
    return ns < 1e6 ? fmt::format("{:.0f} us", ns / 1e3) : fmt::format("{:.2f} ms", ns / 1e6);
}

class Expecter {
public:
    Expecter(const Context& context, const model::DevicePolicy& policy, const PolicyPlayer& player,
             std::span<const PlayedPolicy> runs)
        : context_(context), policy_(policy), player_(player), runs_(runs) {
        const std::uint64_t first = context.workload.seed;
        how_ = fmt::format("the whole policy over numbers, seeds {} to {} of the workload's own stream", first,
                           first + runs.size() - 1);
        if (player.scale() < 1) how_ += fmt::format(", {:.3g}% of its bytes", 100 * player.scale());
        if (player.churn_steps() < context.workload.churn_steps)
            how_ += fmt::format(", {} of its {}", player.churn_steps(),
                                counted(context.workload.churn_steps, "churn step"));
        std::uint64_t failures = 0;
        for (const PlayedPolicy& run : runs) failures += run.failures;
        if (failures != 0) how_ += fmt::format("; {} found no memory", counted(failures, "request"));
        inputs_ = {context.cite_workload("/seed", std::to_string(context.workload.seed))};
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

    void decide_waste(model::Expectations& expected) const {
        const auto mean_waste = [](const PlayedPolicy& run) { return run.pool.mean_waste; };
        const model::Interval played = range(mean_waste);
        expected.mean_waste = {.value = std::max(0.0, mean(mean_waste))};
        expected.mean_waste.why.reason = fmt::format(
            "{:.1f}% of the bytes in use are reserved beyond them, over the ends of frames, where frames in flight use "
            "theirs, too: {:.1f}% to {:.1f}% by seed ({})",
            100 * expected.mean_waste.value, 100 * played.least, 100 * played.most, how_);
        expected.mean_waste.why.inputs = inputs_;
        expected.mean_waste_interval = interval(played, kWasteStep);
        const auto peak_waste = [](const PlayedPolicy& run) { return run.pool.peak_waste; };
        const model::Interval peak = range(peak_waste);
        expected.peak_waste = {.value = std::max(0.0, mean(peak_waste))};
        expected.peak_waste->why.reason =
            fmt::format("the same at the end of the frame that has most reserved: {:.1f}% to {:.1f}% by seed ({})",
                        100 * peak.least, 100 * peak.most, how_);
        expected.peak_waste->why.inputs = inputs_;
        expected.peak_waste_interval = interval(peak, kWasteStep);
    }

    void decide_allocations(model::Expectations& expected) const {
        const model::Interval played = whole(range(&PlayedPolicy::peak_allocations));
        auto& decided = expected.device_allocations;
        decided.value = saturating_bytes(std::round(mean(&PlayedPolicy::peak_allocations) / player_.scale()));
        decided.why.reason = fmt::format(
            "{} alive at the peak, chunks, chunks kept ready and resources with memory of their own: {:.0f} "
            "to {:.0f} by seed ({})",
            counted(decided.value, "device allocation"), played.least, played.most, how_);
        decided.why.inputs = inputs_;
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
        expected.p99_frame_ns =
            time(middle_seed([](const PlayedPolicy& run) { return run.pool.times.median_p99_frame_ns; }), p99,
                 "99 frames of 100 after the load spend no more on memory");
        expected.p99_frame_ns_interval = interval_of_times(p99);
        const model::Interval frame =
            times([](const PlayedPolicy& run) { return run.pool.times.worst_frame_ns; },
                  [](const PlayedPolicy& run) { return run.pool.times.least_worst_frame_ns; });
        expected.worst_frame_ns =
            time(most([](const PlayedPolicy& run) { return run.pool.times.median_worst_frame_ns; }), frame,
                 "the longest frame after the load spends this on memory, and more where it waits for a chunk that the "
                 "background is taking");
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
        expected.worst_load_ns =
            time(most([](const PlayedPolicy& run) { return run.pool.times.median_worst_load_ns; }), load,
                 "the dearest creation of the load, and more where it waits for a chunk that the background is taking");
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

    [[nodiscard]] std::string unsettled_text() const {
        std::set<std::pair<std::uint32_t, MemoryOwner>> used;
        for (const DeviceMemoryCall& call : runs_.front().pool.calls) used.emplace(call.memory_type, owner_of(call));
        std::uint64_t sizes = 0;
        std::uint64_t unsettled = 0;
        const auto count = [&](const std::vector<model::MemoryCostPoint>& points) {
            sizes += points.size();
            unsettled += static_cast<std::uint64_t>(std::ranges::count_if(points, [](const auto& point) {
                return point.steadiness && *point.steadiness != model::Steadiness::kSteady;
            }));
        };
        for (const model::MemoryCostCurve& curve : context_.device.run.memory_cost) {
            if (used.contains({curve.memory_type, MemoryOwner::kAnyone})) count(curve.points);
            if (used.contains({curve.memory_type, MemoryOwner::kOneImage})) count(curve.dedicated_image_points);
        }
        return unsettled == 0 ? ""
                              : fmt::format("; {} of {} had not settled or had too few samples to tell", unsettled,
                                            counted(sizes, "measured size"));
    }

    [[nodiscard]] model::Decided<std::uint64_t> time(double ns, model::Interval played, std::string_view what) const {
        model::Decided<std::uint64_t> decided{.value = saturating_bytes(std::ceil(ns))};
        decided.why.reason = fmt::format(
            "{}: {} by the medians of the measured curve, from {} where each call of the device takes its least to {} "
            "where it takes the 90th percentile, a creation {} to {} beside that{} ({})",
            what, time_text(ns), time_text(played.least), time_text(played.most),
            time_text(kOwnPriceOfCreation.least_ns), time_text(kOwnPriceOfCreation.late_ns), unsettled_text(), how_);
        decided.why.inputs = inputs_;
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
        decided.why.reason = fmt::format("{} after the load find none of the chunks ahead ready ({})",
                                         counted(decided.value, "request"), how_);
        decided.why.inputs = inputs_;
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
        decided.why.reason =
            fmt::format("{} are taken from heap {} at the peak, {} to {} by seed ({})", byte_text(decided.value), heap,
                        byte_text(saturating_bytes(played.least)), byte_text(saturating_bytes(played.most)), how_);
        decided.why.inputs = inputs_;
        const double of_frame = most([&](const PlayedPolicy& run) { return run.frame_bytes[heap]; });
        const std::uint64_t frames = context_.workload.frames_in_flight;
        if (of_frame > 0 && frames > 1) {
            // Work of two frames on one engine has an order, so that the device needs these once.
            const std::uint64_t spared = std::min(decided.value, whole(of_frame) * (frames - 1));
            decided.why.alternatives.push_back(
                {.value = std::to_string(decided.value - spared),
                 .reason = fmt::format(
                     "the resources that live for one frame take {} and exist for each of {} in flight; as one alias "
                     "group, which the application asks for, they would be there once",
                     byte_text(whole(of_frame)), counted(frames, "frame"))});
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
    std::string how_;
    std::vector<model::DecisionInput> inputs_;
};

}  // namespace

std::optional<model::Expectations> decide_expectations(const Context& context, const model::DevicePolicy& policy,
                                                       const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                                                       std::vector<std::string>& warnings) {
    if (!std::ranges::all_of(runs, &PlayedPolicy::served_any)) {
        const bool has_requests = std::ranges::any_of(runs, [](const PlayedPolicy& run) { return run.failures != 0; });
        warnings.emplace_back(has_requests ? "what to expect of the workload is not known: in the simulation none of "
                                             "its requests found memory"
                                           : "what to expect of the workload is not known: the simulation made no "
                                             "request");
        return std::nullopt;
    }
    const Expecter expecter(context, policy, player, runs);
    model::Expectations expected = expecter.decide();
    if (expected.failed_requests) {
        warnings.push_back(
            fmt::format("in the simulation {} found no memory; what to expect is known of the others alone",
                        counted(*expected.failed_requests, "request")));
    }
    if (expected.estimated_share) {
        warnings.push_back(fmt::format(
            "{:.3g}% of the bytes that the workload asks for are of sizes that nothing in the report tells; probe -w "
            "asks the driver for them",
            100 * *expected.estimated_share));
    }
    const double assumed_ns = expecter.worst_frame_ns();
    if (!expected.worst_frame_ns && assumed_ns > static_cast<double>(context.workload.frame_budget_ns)) {
        warnings.push_back(fmt::format(
            "by assumed costs the worst frame spends {} on device memory, more than its {}: nothing was measured",
            time_text(assumed_ns), time_text(static_cast<double>(context.workload.frame_budget_ns))));
    }
    if (expected.worst_frame_ns && expected.worst_frame_ns->value > context.workload.frame_budget_ns) {
        warnings.push_back(fmt::format(
            "the worst frame is expected to spend {} on device memory, allocations of their own included, more than "
            "its {}",
            time_text(static_cast<double>(expected.worst_frame_ns->value)),
            time_text(static_cast<double>(context.workload.frame_budget_ns))));
    }
    return expected;
}

}  // namespace heapwright::policy
