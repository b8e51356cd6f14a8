#include "heapwright/policy/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"

namespace heapwright::policy {
namespace {

std::string time_text(double ns) {
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
        model::Expectations expected{
            .mean_waste = mean_waste(),
            .largest_mean_waste = std::max(0.0, most([](const PlayedPolicy& run) { return run.pool.mean_waste; })),
            .device_allocations = allocations()};
        if (all_measured()) {
            const double frame = worst_frame_ns();
            const double load = most([](const PlayedPolicy& run) { return run.pool.times.worst_load_ns; });
            expected.worst_frame_ns = time(frame,
                                           "the longest frame after the load spends this on memory, behind a chunk of "
                                           "the background where one is being taken");
            expected.worst_load_ns =
                time(load, "the dearest creation of the load, behind a chunk that the background is taking");
        }
        expected.late_chunks = late_chunks();
        for (std::uint32_t heap = 0; heap < policy_.heaps.size(); ++heap) expected.heaps.push_back(peak(heap));
        if (const std::uint64_t failed = whole(most(&PlayedPolicy::failures)); failed != 0)
            expected.failed_requests = failed;
        return expected;
    }

    // By the report's costs, or by assumed ones where it has none.
    [[nodiscard]] double worst_frame_ns() const {
        return most([](const PlayedPolicy& run) { return run.pool.times.worst_frame_ns; });
    }

private:
    template <class Figure>
    [[nodiscard]] double most(Figure figure) const {
        double largest = 0;
        for (const PlayedPolicy& run : runs_)
            largest = std::max(largest, static_cast<double>(std::invoke(figure, run)));
        return largest;
    }
    // Of what was played, for the whole workload.
    [[nodiscard]] std::uint64_t whole(double played) const {
        return saturating_bytes(std::ceil(played / player_.scale()));
    }

    [[nodiscard]] model::Decided<double> mean_waste() const {
        const auto [least, worst] =
            std::ranges::minmax(runs_, {}, [](const PlayedPolicy& run) { return run.pool.mean_waste; });
        // Amid the seeds, as far from the one as from the other.
        model::Decided<double> decided{.value = std::max(0.0, (least.pool.mean_waste + worst.pool.mean_waste) / 2)};
        decided.why.reason = fmt::format(
            "{:.1f}% of the bytes in use are reserved beyond them, over the ends of frames, where frames in flight use "
            "theirs, too: {:.1f}% to {:.1f}% by seed "
            "({})",
            100 * decided.value, 100 * least.pool.mean_waste, 100 * worst.pool.mean_waste, how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> allocations() const {
        model::Decided<std::uint64_t> decided{
            .value = whole(most([](const PlayedPolicy& run) { return run.peak_allocations; }))};
        decided.why.reason =
            fmt::format("{} alive at the peak, chunks, chunks kept ready and resources with memory of their own ({})",
                        counted(decided.value, "device allocation"), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> time(double ns, std::string_view what) const {
        model::Decided<std::uint64_t> decided{.value = saturating_bytes(std::ceil(ns))};
        decided.why.reason = fmt::format(
            "{}: {}, each call of the device by its measured curve at the 90th percentile, a creation at {} "
            "beside that ({})",
            what, time_text(ns), time_text(kOwnNsPerCreation), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> late_chunks() const {
        model::Decided<std::uint64_t> decided{
            .value = whole(most([](const PlayedPolicy& run) { return run.pool.times.late_chunks; }))};
        decided.why.reason = fmt::format("{} after the load find none of the chunks ahead ready ({})",
                                         counted(decided.value, "request"), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::HeapExpectation peak(std::uint32_t heap) const {
        const double played = most([&](const PlayedPolicy& run) { return run.pool.peak_bytes[heap]; });
        model::HeapExpectation expected{.heap = heap, .peak_reserved_bytes = {.value = whole(played)}};
        auto& decided = expected.peak_reserved_bytes;
        decided.why.reason =
            fmt::format("{} are taken from heap {} at the peak ({})", byte_text(decided.value), heap, how_);
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
