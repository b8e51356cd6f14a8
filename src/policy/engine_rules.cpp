#include "policy/engine_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "model/claims.hpp"
#include "model/names.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

namespace {

template <class Items, class Predicate>
std::optional<std::size_t> find_in(const Items& items, Predicate is_wanted) {
    const auto found = std::ranges::find_if(items, is_wanted);
    if (found == items.end()) return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

}  // namespace

std::vector<std::size_t> EngineFacts::engines(std::string_view kind, std::string_view priority) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < measured_.engines.size(); ++i) {
        if (engine(i).kind == kind && engine(i).priority == priority) found.push_back(i);
    }
    return found;
}

std::optional<std::size_t> EngineFacts::first(std::string_view kind) const {
    const auto found = engines(kind);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::optional<std::size_t> EngineFacts::overlap(std::size_t first, std::size_t second) const {
    return find_in(measured_.overlaps, [&](const model::EngineOverlap& overlap) {
        return overlap.first == engine(first).name && overlap.second == engine(second).name;
    });
}

std::optional<std::size_t> EngineFacts::copy(std::size_t index, model::CopyDirection direction) const {
    return find_in(measured_.copies, [&](const model::EngineCopy& copy) {
        return copy.engine == engine(index).name && copy.direction == direction;
    });
}

std::optional<std::size_t> EngineFacts::pipeline(std::string_view name) const {
    return find_in(measured_.pipelines, [&](const model::PipelineMeasurement& pipeline) {
        return pipeline.name == name && !pipeline.points.empty();
    });
}

model::DecisionInput EngineFacts::cite(std::string_view member, model::Figure value) const {
    return context_.cite_device(fmt::format("/volatile/engines/{}", member), std::move(value));
}

model::DecisionInput EngineFacts::cite_ns(std::string_view member, std::uint64_t ns) const {
    return cite(member, model::nanoseconds(static_cast<double>(ns)));
}

model::DecisionInput EngineFacts::cite_engine(std::size_t index, std::string_view member) const {
    const model::EngineDescription& described = engine(index);
    std::string value;
    if (member == "kind") value = described.kind;
    if (member == "name") value = described.name;
    if (member == "priority") value = described.priority;
    if (member == "priority_note") value = described.priority_note;
    if (member == "dedicated") value = described.dedicated ? "true" : "false";
    return cite(fmt::format("engines/{}/{}", index, member), std::move(value));
}

model::Statement by_clock(const std::vector<model::MeasuredTime>& times) {
    model::Statement clock = claim<ClaimId::kByClock>(model::name_of(times.front().clock));
    const bool all_settled = std::ranges::all_of(times, [](const auto& time) { return settled(time); });
    if (!all_settled) clock += claim<ClaimId::kUnsettled>();
    return clock;
}

namespace {

constexpr double kLeastGain = 0.1;
// No more than all of the shorter work can be gained; the rest for the spread of the medians.
constexpr double kMostGain = 1.05;
constexpr std::uint32_t kLeastSamples = 3;

model::Decided<bool> without_engine(const EngineFacts& facts, std::string_view kind) {
    model::Decided<bool> decided;
    std::string names;
    for (std::size_t i = 0; i < facts.measured().engines.size(); ++i) {
        names += (i == 0 ? "" : ", ") + facts.engine(i).name;
        decided.why.inputs.push_back(facts.cite_engine(i, "name"));
    }
    decided.why.reason = claim<ClaimId::kNoEngineBeside>(names, kind);
    decided.why.alternatives = {{.value = "true", .reason = claim<ClaimId::kNoEngineToGive>(kind)}};
    return decided;
}

model::Decided<bool> unmeasured(const EngineFacts& facts, std::size_t engine, const model::Claim& why) {
    const model::EngineDescription& described = facts.engine(engine);
    model::Decided<bool> decided{.value = described.dedicated, .why = {}};
    decided.why.inputs = {facts.cite_engine(engine, "dedicated")};
    decided.why.reason = described.dedicated ? claim<ClaimId::kEngineHasQueues>(described.name, described.kind)
                                             : claim<ClaimId::kEngineSharesQueues>(described.name, described.kind);
    decided.why.reason += why;
    decided.why.alternatives = {
        {.value = described.dedicated ? "false" : "true", .reason = claim<ClaimId::kOnlyMeasurement>()}};
    return decided;
}

}  // namespace

model::Decided<bool> decide_overlap(const EngineFacts& facts, std::string_view kind) {
    const auto graphics = facts.first(kGraphicsEngine);
    const auto engine = facts.first(kind);
    if (!graphics || !engine) return without_engine(facts, kind);
    const auto index = facts.overlap(*graphics, *engine);
    if (!index || facts.measured().overlaps[*index].samples < kLeastSamples)
        return unmeasured(facts, *engine, claim<ClaimId::kNotMeasured>());

    const model::EngineOverlap& overlap = facts.measured().overlaps[*index];
    const bool enough = overlap.gained >= kLeastGain;
    const bool surely = overlap.concurrent.p90_ns < overlap.serial.ns;
    const auto member = [&](std::string_view name) { return fmt::format("overlaps/{}/{}", *index, name); };
    const auto gained = facts.cite(member("gained"), model::share(overlap.gained));
    if (overlap.disturbed) {
        model::Decided<bool> decided =
            unmeasured(facts, *engine, claim<ClaimId::kOverlapDisturbed>(*overlap.disturbed));
        decided.why.inputs.push_back(facts.cite(member("disturbed"), *overlap.disturbed));
        return decided;
    }
    if (overlap.gained > kMostGain) {
        model::Decided<bool> decided = unmeasured(facts, *engine, claim<ClaimId::kGainsTooMuch>(gained.value));
        decided.why.inputs.push_back(gained);
        return decided;
    }
    model::Decided<bool> decided{.value = enough && surely, .why = {}};
    const auto serial = facts.cite_ns(member("serial/ns"), overlap.serial.ns);
    const auto concurrent = facts.cite_ns(member("concurrent/ns"), overlap.concurrent.ns);
    const auto late = facts.cite_ns(member("concurrent/p90_ns"), overlap.concurrent.p90_ns);
    decided.why.inputs = {gained, serial, concurrent, late};
    const auto runs = model::count(overlap.samples);
    const auto least = model::nanoseconds(static_cast<double>(overlap.concurrent.min_ns));
    decided.why.reason = decided.value ? claim<ClaimId::kOverlapPays>(gained.value)
                         : enough      ? claim<ClaimId::kOverlapUnsure>(gained.value)
                                       : claim<ClaimId::kOverlapTooLittle>(gained.value);
    decided.why.reason += claim<ClaimId::kOverlapTimes>(overlap.first_work, overlap.first, overlap.second_work,
                                                        overlap.second, serial.value, concurrent.value);
    decided.why.reason += overlap.samples < kLeastSamplesForShare
                              ? claim<ClaimId::kOverlapRange>(runs, least, late.value)
                              : claim<ClaimId::kOverlapMost>(runs, late.value);
    decided.why.reason += by_clock({overlap.first_alone, overlap.second_alone, overlap.serial, overlap.concurrent});
    decided.why.alternatives = {decided.value ? model::Alternative{"false", claim<ClaimId::kInTheWayOfDraws>(kind)}
                                              : model::Alternative{"true", claim<ClaimId::kFencesForNothing>()}};
    return decided;
}

using model::claim;
using model::ClaimId;

std::optional<model::EnginePolicy> decide_engines(const Context& context, std::uint64_t frames_in_flight,
                                                  std::uint64_t largest_bytes, model::Statement& warnings) {
    if (!context.device.run.engines || context.device.run.engines->engines.empty()) return std::nullopt;
    const model::EngineMeasurements& measured = *context.device.run.engines;
    const EngineFacts facts(context, measured);
    model::EnginePolicy policy;
    policy.async_copy = decide_overlap(facts, kCopyEngine);
    policy.async_compute = decide_overlap(facts, kComputeEngine);
    policy.assignments = assign_engines(facts, policy.async_copy, policy.async_compute);
    policy.copy_ring_length = decide_copy_ring_length(facts, frames_in_flight);
    policy.compute_graphics_latency = decide_compute_graphics_latency(facts, frames_in_flight, policy.async_compute);
    policy.cpu_latency = decide_cpu_latency(facts, frames_in_flight, policy.compute_graphics_latency.value);
    decide_moves(facts, largest_bytes, policy);
    policy.direct_uploads = decide_direct_uploads(facts);
    if (measured.steadiness.answer == model::Steadiness::kDidNotSettle)
        warnings += std::vector{claim<ClaimId::kEnginesUnsettled>(), model::Claim(measured.steadiness.note)};
    return policy;
}

}  // namespace heapwright::policy
