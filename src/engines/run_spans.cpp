#include "engines/run_spans.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"
#include "engines/rules.hpp"

namespace heapwright::engines {

namespace {

// When the point's value was first seen to be reached; nothing for one that the fence had from the start or that no
// queue reached.
std::optional<std::uint64_t> reached_ns(std::span<const RunSubmission> submissions, FencePoint point,
                                        std::span<const engines::Fence> fences) {
    if (point.value <= fences[point.fence.value].initial_value) return std::nullopt;
    std::optional<std::uint64_t> first;
    for (const RunSubmission& one : submissions) {
        const bool reaches = std::ranges::any_of(one.signals, [&point](const FencePoint& signal) {
            return signal.fence == point.fence && signal.value >= point.value;
        });
        if (reaches) first = std::min(first.value_or(one.over_ns), one.over_ns);
    }
    return first;
}

struct Batch {
    std::vector<std::string> names;
    RunSpan span;
    std::uint64_t look = 0;
};

std::string name_of(const Batch& batch) {
    if (batch.names.size() == 1 && batch.span.submissions > 1)
        return fmt::format("{} ({} submissions)", batch.names.front(), batch.span.submissions);
    return fmt::format("{}", fmt::join(batch.names, " + "));
}

// Nothing unless all work has timestamps: spans by two clocks do not stand beside each other.
std::vector<RunSpan> device_spans(std::span<const RunSubmission> submissions) {
    std::vector<RunSpan> spans;
    for (const RunSubmission& one : submissions) {
        if (!one.has_work) continue;
        if (!one.device) return {};
        if (one.device->end_ns <= one.device->begin_ns) continue;
        spans.push_back({.actor = one.actor,
                         .name = one.name,
                         .begin_ns = one.device->begin_ns,
                         .end_ns = one.device->end_ns,
                         .submissions = 1,
                         .by_device = true});
    }
    std::ranges::stable_sort(spans, {}, &RunSpan::begin_ns);
    return spans;
}

}  // namespace

std::vector<RunSpan> spans_of(std::span<const RunSubmission> submissions, std::span<const engines::Fence> fences) {
    if (std::vector<RunSpan> spans = device_spans(submissions); !spans.empty()) return spans;
    std::map<std::uint32_t, std::vector<Batch>> queues;  // by actor
    for (const RunSubmission& one : submissions) {
        std::vector<Batch>& batches = queues[one.actor.value];
        if (!batches.empty() && batches.back().look == one.look) {
            Batch& last = batches.back();
            ++last.span.submissions;
            if (std::ranges::find(last.names, one.name) == last.names.end()) last.names.push_back(one.name);
            continue;
        }
        std::uint64_t begin_ns = one.submitted_ns;
        if (!batches.empty()) begin_ns = std::max(begin_ns, batches.back().span.end_ns);
        for (const FencePoint& wait : one.waits)
            begin_ns = std::max(begin_ns, reached_ns(submissions, wait, fences).value_or(0));
        batches.push_back({{one.name}, {one.actor, {}, begin_ns, one.over_ns}, one.look});
    }
    std::vector<RunSpan> spans;
    for (auto& [actor, batches] : queues) {
        for (Batch& batch : batches) {
            if (batch.span.begin_ns >= batch.span.end_ns) continue;
            batch.span.name = name_of(batch);
            spans.push_back(std::move(batch.span));
        }
    }
    std::ranges::stable_sort(spans, {}, &RunSpan::begin_ns);
    return spans;
}

Overtaking overtaking(std::span<const RunSubmission> submissions, std::string_view ahead, std::string_view behind) {
    Overtaking found;
    const RunSubmission* last = nullptr;
    for (const RunSubmission& one : submissions) {
        if (one.name == behind) last = &one;
        if (one.name != ahead || last == nullptr) continue;
        ++found.of;
        if (one.device && last->device) {
            found.times += one.device->end_ns < last->device->end_ns ? 1u : 0u;
            continue;
        }
        // A look that asks the slower queue first says only what that had done a moment before.
        const std::uint64_t asked_first = last->actor.value < one.actor.value ? 1 : 0;
        found.times += one.look + asked_first < last->look ? 1u : 0u;
    }
    return found;
}

namespace {

// Preferably one between two pieces of work, which says more than the transitions beside them.
std::optional<Violation> first_violation(const Schedule& schedule, Rules rules) {
    const HappensBefore order(schedule);
    std::vector<Violation> violations = check_accesses(schedule, order, rules);
    if (violations.empty() && rules == Rules::kVulkan) violations = check_ownership(schedule, play(schedule), order);
    if (violations.empty()) return std::nullopt;
    const auto work = std::ranges::find_if(violations, [&](const Violation& violation) {
        return std::ranges::all_of(violation.operations, [&](std::size_t operation) {
            return std::holds_alternative<Execute>(schedule.operations[operation].what);
        });
    });
    return std::move(work == violations.end() ? violations.front() : *work);
}

}  // namespace

// An empty piece of work stands in the wait's place, so that positions stay what they are.
Schedule without(const Schedule& schedule, std::size_t wait) {
    Schedule less = schedule;
    less.operations[wait].what = Execute{.name = "nothing", .accesses = {}, .bundle = false, .duration_ns = 0};
    return less;
}

std::vector<WaitFinding> find_wait_roles(const Schedule& schedule, Rules rules) {
    std::vector<WaitFinding> findings;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
        const Operation& operation = schedule.operations[i];
        if (!std::holds_alternative<Wait>(operation.what)) continue;
        WaitFinding finding{
            .wait = i, .role = WaitRole::kRedundant, .shown_by = first_violation(without(schedule, i), rules)};
        if (finding.shown_by) {
            finding.role = WaitRole::kNecessary;
        } else if (schedule.actors[operation.actor.value].kind == ActorKind::kHost) {
            finding.role = WaitRole::kThrottle;
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace heapwright::engines
