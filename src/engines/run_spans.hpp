// What is known of a run's submissions, and what may be said of it. Pure.
//
// Where the engines wrote timestamps around all work, a span is what they say. Elsewhere nobody tells when an engine
// begins a submission, and its end is known when the host looks. A span begins when its
// submission had been handed over, when the queue's one before was seen to be over or when what it waits for on other
// queues was, whichever came last; it ends when the host first saw its end. What was first seen to be over in one look
// with its queue's next submission is one span with that, and what was seen together with all that it waited for has no
// length that is known and no span.
// Beside it: why each wait of a schedule is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/conductor.hpp"
#include "engines/rules.hpp"
#include "engines/schedule.hpp"

namespace heapwright::engines {

// By the timestamps that an engine wrote around the work, from the run's start: the first work of all begins when it
// was submitted.
struct DeviceSpan {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
};

struct RunSubmission {
    ActorIndex actor;
    std::string name;
    std::uint64_t submitted_ns = 0;
    std::uint64_t over_ns = 0;  // first seen so
    std::uint64_t look = 0;     // the host's, that saw it; each asks the queues in their order
    std::vector<FencePoint> waits;
    std::vector<FencePoint> signals;
    bool has_work = true;
    std::optional<DeviceSpan> device = {};
};

struct RunSpan {
    ActorIndex actor;
    std::string name;  // of several: "draw (2 submissions)", "first half + second half"
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;  // later than begin_ns
    std::uint64_t submissions = 1;
    bool by_device = false;
};

// By begin. All of them are over.
[[nodiscard]] std::vector<RunSpan> spans_of(std::span<const RunSubmission> submissions,
                                            std::span<const engines::Fence> fences);

// Of the submissions named `ahead` that came after one named `behind`: how many were surely over before the last such
// one, by the timestamps of both, else in an earlier look than it.
struct Overtaking {
    std::uint64_t times = 0;
    std::uint64_t of = 0;
};
[[nodiscard]] Overtaking overtaking(std::span<const RunSubmission> submissions, std::string_view ahead,
                                    std::string_view behind);

// Why each wait of a schedule is there: taken out, does a rule break?

enum class WaitRole : std::uint8_t {
    kNecessary,  // without it the accesses in `shown_by` have no order
    kThrottle,   // a host wait that only bounds how far the host runs ahead
    kRedundant,  // other waits order the same work
};

struct WaitFinding {
    std::size_t wait = 0;
    WaitRole role = WaitRole::kRedundant;
    std::optional<Violation> shown_by;
};

// One finding per wait, in order. O(waits * check). The schedule itself breaks no rule.
[[nodiscard]] std::vector<WaitFinding> find_wait_roles(const Schedule& schedule, Rules rules);

// The schedule with one wait taken out.
[[nodiscard]] Schedule without(const Schedule& schedule, std::size_t wait);

}  // namespace heapwright::engines
