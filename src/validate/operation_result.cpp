#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "policy/bucket_search.hpp"
#include "validate/measured_run.hpp"
#include "validate/operation_player.hpp"
#include "validate/promises.hpp"
#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {
namespace {

bool has_hints(const model::Workload& workload) {
    return !workload.images.empty() || !workload.buffers.empty();
}

}  // namespace

void OperationPlayer::fill_in(model::ScenarioResult& result) const {
    MemoryScenario::fill_in(result);
    result.counts.operations = operations_;
    result.counts.failures = shortfall_.failures;
    result.counts.peak_images = live_.peak_images();
    result.counts.peak_buffers = live_.peak_buffers();
    result.memory.peak_used_bytes = live_.peak_used_bytes();
    result.memory.mean_waste = waste_.mean();
    result.memory.peak_waste = waste_.peak();
    result.memory.mean_fragmentation = fragmentation_.value();
    result.occupancy = occupancy_.occupancy();
    result.run = {.allocate = latencies_.allocate(),
                  .free = latencies_.free(),
                  .create = latencies_.create(),
                  .worst_load_ns = frames_.worst_load_ns(),
                  .worst_frames = frames_.frames().frames(),
                  .prepared_chunks = frames_.prepared_since_load(*allocator_)};
    if (!result.run.worst_frames.empty()) result.run.worst_frame_ns = result.run.worst_frames.front().ns;
    result.run.p99_frame_ns = frames_.frames().p99_ns();
    if (const std::uint64_t slowest_ns = observed.times().slowest_device_ns.load(); slowest_ns != 0)
        result.run.slowest_device_call_ns = slowest_ns;
    // A replayed device has a time of its own, which the background's is not.
    if (device.is_real()) result.run.engine_spans = allocator_->background_spans(started_ns);
    result.run.steadiness = judge_frames(options, frames_.frames().series_ns());
}

std::optional<model::PlayedPart> OperationPlayer::played_part() const {
    if (!what_.is_workload || (shortfall_.unplayed.empty() && !population.stand_in)) return std::nullopt;
    model::PlayedPart part{.bytes_share = population.bytes_share,
                           .resources_share = population.resources_share,
                           .asked_for = (shortfall_.lacked == 0 || options.allow_unplayed) &&
                                        (!population.stand_in || options.scale_to_fit),
                           .statement = {}};
    // What a stand-in has fewer of, the source never asks for.
    std::vector<std::uint64_t> fewer;
    const auto add_fewer = [&](const auto& hints) {
        for (const auto& hint : hints)
            fewer.push_back(population.fewer[fewer.size()] *
                            (hint.lifetime == model::Lifetime::kFrame ? frames_.ends() : 1));
    };
    add_fewer(population.workload.images);
    add_fewer(population.workload.buffers);
    const std::uint64_t requests = std::accumulate(fewer.begin(), fewer.end(), requests_);
    const auto images = static_cast<std::uint32_t>(population.workload.images.size());
    std::uint64_t unplayed = 0;
    for (const auto& [place, what] : shortfall_.unplayed) {
        const bool is_image = place < images;
        part.unplayed.push_back(
            {.hint = fmt::format("{}/{}", is_image ? "images" : "buffers", is_image ? place : place - images),
             .reason = what.reason,
             .bytes_share = population.unplayed_bytes_share[place],
             .requests = what.requests + fewer[place]});
        unplayed += what.requests;
    }
    std::ranges::stable_sort(part.unplayed, std::ranges::greater{}, &model::UnplayedHint::bytes_share);
    if (requests != 0) part.requests_share = static_cast<double>(requests_ - unplayed) / static_cast<double>(requests);
    part.statement = fmt::format("{}{} of the bytes, {} of the resources and {} of the requests{}",
                                 population.stand_in ? "a stand-in ran: " : "", share_text(part.bytes_share),
                                 share_text(part.resources_share), share_text(part.requests_share),
                                 population.stand_in ? "" : " ran");
    constexpr std::size_t kTold = 2;
    for (std::size_t i = 0; i < std::min(kTold, part.unplayed.size()); ++i)
        part.statement += fmt::format("; not {}: {}", part.unplayed[i].hint, part.unplayed[i].reason);
    if (part.unplayed.size() > kTold)
        part.statement += fmt::format("; and not {}", counted(part.unplayed.size() - kTold, "more hint"));
    return part;
}

std::string OperationPlayer::remarks_on(const std::optional<model::PreparedChunks>& prepared,
                                        std::uint64_t loose) const {
    std::vector<std::string> remarks;
    if (population.stand_in)
        remarks.push_back(fmt::format("the workload keeps {}, the limit has room for {}",
                                      byte_text(population.total_wanted_bytes()),
                                      byte_text(room_within(limit_bytes()))));
    if (shortfall_.repeated != 0)
        remarks.push_back(counted(shortfall_.repeated, "more request") + " failed as one of these did");
    // Of the workload itself the part that was played has said it.
    if (shortfall_.lacked != 0 && !what_.is_workload)
        remarks.push_back(counted(shortfall_.lacked, "request for a resource", "requests for resources") +
                          (device.is_real() ? " that the device does not have"
                                            : " that the device does not have or the report does not know"));
    if (shortfall_.unverifiable != 0)
        remarks.push_back(counted(shortfall_.unverifiable, "resource") +
                          " checked by placement alone (no copy shows the bytes)");
    const WorstFrames& frames = frames_.frames();
    if (const std::uint64_t left_out = frames.left_out(); left_out != 0)
        remarks.push_back(fmt::format("{} of {} left out of the worst ones: the machine ran another thread amid them",
                                      left_out, counted(frames.frame_count(), "frame")));
    if (loose != 0)
        remarks.push_back(loose == 1 ? "1 promise is loose: the run is better than it says"
                                     : fmt::format("{} promises are loose: the run is better than they say", loose));
    if (!policy.expectations && prepared && prepared->taken_late != 0 && !frames.frames().empty()) {
        // What the policy expects of the chunks that it has kept ready, beside what became of it.
        const std::uint64_t budget_ns = population.workload.frame_budget_ns;
        remarks.push_back(fmt::format(
            "{} of {} came before their chunk was ready, though the policy expects that none waits; worst frame "
            "{:.1f} us, and a frame may spend 1/{} of its {:.2f} ms on device memory, {:.1f} us",
            prepared->taken_late,
            counted(prepared->taken_ready + prepared->taken_late, "request for a chunk", "requests for chunks"),
            static_cast<double>(frames.frames().front().ns) / 1e3, policy::kFrameBudgetParts,
            static_cast<double>(budget_ns) / 1e6, static_cast<double>(budget_ns / policy::kFrameBudgetParts) / 1e3));
    }
    return remarks.empty() ? "" : fmt::format(" ({})", fmt::join(remarks, "; "));
}

std::string OperationPlayer::untested(const Status& played) const {
    if (population.stand_in) return "a stand-in ran";
    if (options.allow_other_device && !model::same_device_and_driver(policy.identity, device.facts().identity)) {
        return "the policy was made for another device or driver";
    }
    if (!options.other_workload.empty()) return "another workload than the policy's was played";
    if (!played) return "the run came to no end";
    if (shortfall_.failures != 0) return "requests failed";
    if (shortfall_.lacked != 0) {
        return device.is_real() ? "the device does not have all of the workload's resources"
                                : "the report does not know all of the workload's resources";
    }
    return {};
}

void OperationPlayer::judge_promises(model::ScenarioResult& result, const Status& played) const {
    if (!answers_for_workload()) return;
    PromiseFacts facts{
        .untested = untested(played), .untested_times = {}, .peak_reserved_bytes = checker.peak_reserved_by_heap()};
    if (!device.is_real()) {
        facts.untested_times = "a replayed device has no time of its own";
    } else if (device.facts().identity.type == model::DeviceType::kCpu) {
        facts.untested_times = "the device is a CPU";
    }
    result.run.promises = validate::judge_promises(policy, result, facts);
}

std::string OperationPlayer::passed_text(const std::string& broken) const {
    return broken.empty() ? "every check passed" : broken + "; --allow-broken-promises; every other check passed";
}

void OperationPlayer::decide(model::ScenarioResult& result, const Status& played) const {
    const std::string broken = broken_text(result.run.promises);
    const std::string tail = remarks_on(result.run.prepared_chunks, count_loose(result.run.promises));
    if (log.total() != 0) {
        result.verdict = model::Verdict::kFailed;
        result.reason = counted(log.total(), "finding") + tail;
    } else if (!played) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = no_verdict_text(played.error()) + tail;
    } else if (shortfall_.failures != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = fmt::format("{} found no memory, the first: {}{}", counted(shortfall_.failures, "request"),
                                    shortfall_.first_without_memory, tail);
    } else if (const std::uint64_t unanswered = checker.totals().unanswered; unanswered != 0) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = unanswered_text(unanswered) + tail;
    } else if (operations_ == 0 && has_hints(population.workload)) {
        result.verdict = model::Verdict::kInconclusive;
        result.reason = "nothing of the workload ran" + tail;
    } else if (!broken.empty() && !options.allow_broken_promises) {
        result.verdict = model::Verdict::kFailed;
        result.reason = fmt::format("{}; every other check passed{}", broken, tail);
    } else if (result.part) {
        result.verdict = device.is_real() ? model::Verdict::kValidatedInPart : model::Verdict::kReplayedInPart;
        result.reason = passed_text(broken) + tail;
    } else {
        result.verdict = device.is_real() ? model::Verdict::kValidated : model::Verdict::kReplayed;
        result.reason = passed_text(broken) + tail;
    }
    if (!result.part) return;
    // What is wrong goes before what is missing.
    const bool is_good = is_in_part(result.verdict);
    result.reason =
        is_good ? result.part->statement + "; " + result.reason : result.reason + "; " + result.part->statement;
}

Result<model::ScenarioResult> OperationPlayer::run(const model::Workload& workload) {
    model::ScenarioResult result{.name = std::string(what_.name), .seed = options.run_seed()};
    const std::uint64_t before = clock.now_ns();
    HEAPWRIGHT_TRY(set_up(workload));
    if (misfit_) {
        result.verdict = model::Verdict::kFailed;
        result.reason = *misfit_ + "; --scale-to-fit plays a part of it";
        return result;
    }
    result.stand_in = population.stand_in;
    const Status played = play();
    if (!played && !is_no_verdict(played.error()) && log.total() == 0)
        log.add(model::Fault::kApiError, "device", to_string(played.error()));

    if (auto map = allocator_->chunk_map()) occupancy_.add_map("end", played_, std::move(*map));
    fill_in(result);
    clean_up();
    checker.check_leaks();
    take_messages();
    judge_promises(result, played);
    result.part = played_part();
    decide(result, played);
    result.findings = log.findings();
    result.findings_total = log.total();
    result.run.total_ns = clock.now_ns() - before;
    return result;
}

}  // namespace heapwright::validate
