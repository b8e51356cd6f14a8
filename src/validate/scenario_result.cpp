#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heapwright/core/count_text.hpp"
#include "heapwright/policy/chunk_limits.hpp"
#include "heapwright/validate/lack_of_memory.hpp"
#include "heapwright/validate/measured_run.hpp"
#include "heapwright/validate/scenario_run.hpp"

namespace heapwright::validate {

void ScenarioRun::fill_in(model::ScenarioResult& result) const {
    result.counts = counts_;
    result.counts.verified_resources = contents_.verified_resources();
    result.counts.verified_bytes = queue_->verified_bytes();
    const ShadowChecker::Totals totals = checker_.totals();
    result.counts.dedicated_allocations = totals.dedicated_allocation_calls;
    result.counts.device_allocations = totals.peak_device_allocations;
    result.counts.device_allocation_calls = totals.device_allocation_calls;
    result.memory = memory_;
    result.memory.peak_reserved_bytes = totals.peak_reserved_bytes;
    if (waste_samples_ != 0) result.memory.mean_waste = waste_sum_ / static_cast<double>(waste_samples_);
    if (fragmentation_samples_ != 0)
        result.memory.mean_fragmentation = fragmentation_sum_ / static_cast<double>(fragmentation_samples_);
    result.occupancy = occupancy_.occupancy();
}

void ScenarioRun::decide(model::ScenarioResult& result, const Status& played) const {
    std::vector<std::string> remarks = population_.changes;
    if (unsupported_ != 0)
        remarks.push_back(counted(unsupported_, "request for a resource", "requests for resources") +
                          " that the device does not have");
    if (unverifiable_ != 0)
        remarks.push_back(counted(unverifiable_, "resource") + " checked by placement alone (no copy shows the bytes)");
    if (const std::uint64_t left_out = worst_frames_.left_out(); left_out != 0)
        remarks.push_back(fmt::format("{} of {} left out of the worst ones: the machine ran another thread amid them",
                                      left_out, counted(worst_frames_.frame_count(), "frame")));
    if (prepared_ && prepared_->taken_late != 0 && !worst_frames_.frames().empty()) {
        // What the policy expects of the chunks that it has kept ready, beside what became of it.
        const std::uint64_t budget_ns = population_.workload.frame_budget_ns;
        remarks.push_back(fmt::format(
            "{} of {} came before their chunk was ready, though the policy expects that none waits; worst frame "
            "{:.1f} us, and a frame may spend 1/{} of its {} ns on device memory, {:.1f} us",
            prepared_->taken_late,
            counted(prepared_->taken_ready + prepared_->taken_late, "request for a chunk", "requests for chunks"),
            static_cast<double>(worst_frames_.frames().front().ns) / 1e3, policy::kFrameBudgetParts, budget_ns,
            static_cast<double>(budget_ns / policy::kFrameBudgetParts) / 1e3));
    }
    const std::string tail = remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, "; "));

    if (log_.total() != 0) {
        result.verdict = model::Verdict::kFailed;
        result.reason = counted(log_.total(), "finding") + tail;
    } else if (!played) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = no_verdict_text(played.error()) + tail;
    } else if (counts_.failures != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = fmt::format("{} found no memory, the first: {}{}", counted(counts_.failures, "request"),
                                    first_without_memory_, tail);
    } else if (const std::uint64_t unanswered = checker_.totals().unanswered; unanswered != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = unanswered_text(unanswered) + tail;
    } else {
        result.verdict = device_.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed;
        result.reason = fmt::format("every check passed{}", tail);
    }
}

Result<model::ScenarioResult> ScenarioRun::run(const model::Workload& workload) {
    model::ScenarioResult result{.name = name_, .seed = options_.seed};
    const std::uint64_t before = clock_.now_ns();
    HEAPWRIGHT_TRY(set_up(workload));
    const Status played = play();
    if (!played && !is_no_verdict(played.error()) && log_.total() == 0)
        log_.add(model::Fault::kApiError, "device", to_string(played.error()));

    if (auto map = allocator_->chunk_map()) occupancy_.add_map("end", played_, std::move(*map));
    fill_in(result);
    prepared_ = prepared_since_load();
    // A replayed device has a time of its own, which the background's is not.
    std::vector<model::EngineSpan> spans;
    if (device_.is_real()) spans = allocator_->background_spans(started_ns_);

    clean_up();
    checker_.check_leaks();
    take_messages();
    decide(result, played);
    result.findings = log_.findings();
    result.findings_total = log_.total();
    result.run = {.allocate = allocate_.figures(),
                  .free = free_.figures(),
                  .create = create_.figures(),
                  .worst_frame_ns = worst_frames_.frames().empty() ? 0 : worst_frames_.frames().front().ns,
                  .total_ns = clock_.now_ns() - before,
                  .worst_load_ns = worst_load_ns_,
                  .worst_frames = worst_frames_.frames(),
                  .engine_spans = std::move(spans),
                  .prepared_chunks = prepared_};
    result.run.steadiness = judge_frames(options_, worst_frames_.series_ns());
    return result;
}

}  // namespace heapwright::validate
