#include "engines/work_size.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"
#include "engines/delayed.hpp"
#include "engines/device_run.hpp"

namespace heapwright::engines {
namespace {

constexpr std::uint32_t kSide = 128;
constexpr std::uint64_t kLeastNs = 200'000;
constexpr std::uint64_t kMostNs = 1'000'000;
constexpr std::uint64_t kRoundTrips = 2;
constexpr std::uint32_t kFirstRounds = 1024;
constexpr std::uint32_t kMostRounds = 60'000;  // Mesa's processor drivers end a loop after 65535
constexpr std::uint32_t kMostCopies = 16;
constexpr int kTries = 3;

struct Found {
    std::uint32_t times = 0;          // of rounds or copies
    std::uint64_t round_trip_ns = 0;  // of the smallest work: submitted, done and seen
    std::uint64_t longer_ns = 0;      // than that
};

// Raises `times` until the work takes long enough.
class Measuring {
public:
    Measuring(device::Device& device, Clock& clock) : clock_(clock), run_(device, clock, {.checked_before = true}) {}

    Result<Found> on(ActorKind kind, std::uint32_t first, std::uint32_t most) {
        ExampleSettings size;
        size.delay = {.rounds = first, .copies = first};
        const ActorIndex queue = run_.queue("size", kind);
        const FenceIndex fence = run_.fence("size");
        const ResourceIndex from = run_.buffer("little", 256, Place::kUpload);
        const ResourceIndex to = run_.buffer("written", 256);
        Delayed delayed(run_, size);
        delayed.add(queue, kind);
        run_.begin();
        Found found;
        found.round_trip_ns = least_ns(queue, fence, {copy({from}, {to}, 256)});
        const std::uint64_t wanted_ns = std::clamp(kRoundTrips * found.round_trip_ns, kLeastNs, kMostNs);
        for (found.times = first; run_.ok(); found.times = std::min(found.times * 2, most)) {
            size.delay = {.rounds = found.times, .copies = found.times};
            const std::uint64_t ns = least_ns(queue, fence, delayed.delay(queue));
            found.longer_ns = ns - std::min(ns, found.round_trip_ns);
            if (found.longer_ns >= wanted_ns || found.times >= most) break;
        }
        HEAPWRIGHT_ASSIGN(const RunOutcome outcome, run_.finish());
        if (!outcome.differences.empty())
            return fail(ErrorCode::kInvariantBroken, "the work that measures a device left other bytes", "work_size");
        return found;
    }

private:
    // Submitted, done and seen.
    std::uint64_t least_ns(ActorIndex queue, FenceIndex fence, const std::vector<device::Work>& work) {
        std::uint64_t least = UINT64_MAX;
        for (int i = 0; i < kTries; ++i) {
            const std::uint64_t began_ns = clock_.now_ns();
            run_.execute(queue, "size", work, kCopyNs);
            run_.signal(queue, fence, ++value_);
            run_.host_wait(fence, value_);
            least = std::min(least, clock_.now_ns() - began_ns);
        }
        return least;
    }

    Clock& clock_;
    DeviceRun run_;
    std::uint64_t value_ = 0;
};

}  // namespace

Result<WorkSize> measure_work_size(device::Device& device, Clock& clock) {
    HEAPWRIGHT_ASSIGN(const Found rounds, Measuring(device, clock).on(ActorKind::kCompute, kFirstRounds, kMostRounds));
    HEAPWRIGHT_ASSIGN(const Found copies, Measuring(device, clock).on(ActorKind::kCopy, 1, kMostCopies));
    const bool is_long = std::min(rounds.longer_ns, copies.longer_ns) >= kLeastNs;
    return WorkSize{
        .side = kSide,
        .delay = {.rounds = rounds.times, .copies = copies.times},
        .how = fmt::format("executions take {} longer than their own work, as measured: {} rounds on queues that "
                           "compute, {} of 4 MiB on copy queues",
                           is_long ? fmt::format("at least {} us", kLeastNs / 1000) : "less than 200 us", rounds.times,
                           counted(copies.times, "copy", "copies"))};
}

Result<WorkSize> work_size_for(device::Device& device, Clock& clock) {
    if (!device.is_real() || device.facts().identity.type == model::DeviceType::kCpu) return WorkSize{};
    return measure_work_size(device, clock);
}

}  // namespace heapwright::engines
