// Every engine copies a fresh word into host memory of its own, which the host watches: so both ends of a signal are
// seen on one clock. No barrier makes the word visible to a host that does not wait for the work's end first; where it
// does not show in time, the path is skipped. Where engines write timestamps that compare, these tell the same by the
// device's clock, and the host's view stands beside:
//
//   host to engine    from the host's signal until the host sees the word: the copy of four bytes is part of it; by the
//                     device's clock until the work begins
//   engine to engine  from the first engine's word to the second one's: the second copy is part of it; by the device's
//                     clock from the end of the one to the begin of the other
//   engine to host    from the engine's word, its last work before the signal and its timestamp, to the return of a
//   wait that had begun
//                     before, as a second thread sees the word: what the signal itself takes and the wake-up; by the
//                     device's clock from the end of the work
//
// A host that was away (both ends at the first look, or no look for longer than kMostGapNs before it saw a word) would
// measure its absence: such samples of its own are discarded.
#include <atomic>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "device/gate.hpp"
#include "probe/engine_figures.hpp"
#include "probe/engine_phases.hpp"

namespace heapwright::probe {
namespace {

constexpr std::uint64_t kTokenBytes = 64 * 1024;
constexpr std::uint64_t kFlagBytes = 256;
constexpr std::uint64_t kWatchNs = 20'000'000;  // for a word that has to appear
constexpr std::uint64_t kReachNs = 50'000;      // that a submission has to reach its queue
constexpr std::uint64_t kMostGapNs = 5'000;     // between two looks at a word that is watched for its moment
constexpr std::uint32_t kLeastRounds = 10;      // fewer have no nine tenths
constexpr std::uint32_t kSampleTries = 4;       // of a sample in which the host may be away
constexpr const char* kHost = "host";

struct Engine {
    std::size_t index = 0;
    ScratchBuffer flag;
};

class Watch {
public:
    explicit Watch(const EnginePhase& phase) : bench_(phase.bench), scratch_(phase.scratch) {}

    Status prepare() {
        HEAPWRIGHT_ASSIGN(tokens_,
                          scratch_.buffer(ScratchUse::kUpload, kTokenBytes, model::buffer_usage::kTransferSrc));
        for (std::uint32_t i = 0; i < kTokenBytes / 4; ++i) std::memcpy(&tokens_.bytes[i * 4ull], &i, sizeof i);
        return scratch_.flush(tokens_);
    }

    Result<Engine> watched(std::size_t index) {
        Engine engine{.index = index, .flag = {}};
        HEAPWRIGHT_ASSIGN(engine.flag,
                          scratch_.buffer(ScratchUse::kReadback, kFlagBytes, model::buffer_usage::kTransferDst));
        // Freed memory may hold a word of an earlier use.
        std::memset(engine.flag.bytes.data(), 0, engine.flag.bytes.size());
        HEAPWRIGHT_TRY(scratch_.flush(engine.flag));
        return engine;
    }

    // A copy of the next word into the engine's memory.
    [[nodiscard]] device::Work write_next(const Engine& engine) {
        last_ = last_ % (static_cast<std::uint32_t>(kTokenBytes / 4) - 1) + 1;
        return device::CopyBuffer{.source = tokens_.resource,
                                  .destination = engine.flag.resource,
                                  .source_offset_bytes = last_ * 4ull,
                                  .destination_offset_bytes = 0,
                                  .size_bytes = 4};
    }
    [[nodiscard]] std::uint32_t last_word() const { return last_; }

    // Whether the word stands in the engine's memory now.
    Result<bool> stands(const Engine& engine, std::uint32_t word) {
        HEAPWRIGHT_TRY(scratch_.invalidate(engine.flag));
        auto& place = *reinterpret_cast<std::uint32_t*>(engine.flag.bytes.data());
        return std::atomic_ref(place).load(std::memory_order_acquire) == word;
    }

    // When the host saw a word.
    struct Moment {
        std::optional<std::uint64_t> seen_ns;  // empty: not in time
        std::uint64_t gap_ns = 0;              // from its last look but one to its last

        // The host saw it come.
        [[nodiscard]] bool is_sharp() const { return seen_ns && gap_ns <= kMostGapNs; }
    };
    // When the word stood in the engine's memory, where it did not yet at `from_ns`. `held` is the end of a submission
    // that the host may hold back, and lets go on when it is asked of.
    Result<Moment> see(const Engine& engine, std::uint32_t word, std::uint64_t from_ns,
                       device::Timeline* held = nullptr) {
        Moment moment;
        for (std::uint64_t last_ns = from_ns; last_ns - from_ns <= kWatchNs;) {
            if (held != nullptr && !bench_.accepts_early_waits()) HEAPWRIGHT_TRY(held->completed());
            HEAPWRIGHT_ASSIGN(const bool seen, stands(engine, word));
            const std::uint64_t now_ns = bench_.now_ns();
            moment.gap_ns = now_ns - last_ns;
            last_ns = now_ns;
            if (!seen) continue;
            moment.seen_ns = now_ns;
            break;
        }
        return moment;
    }

    // What a thread of its own saw of a word; to be read when it has ended, but for `looks`.
    struct Sight : Moment {
        std::atomic<bool> looks = false;
    };
    // Looks at the word from before this returns until it stands there or the thread is asked to stop.
    Result<std::jthread> watch(const Engine& engine, std::uint32_t word, Sight& sight) {
        const auto look = [this, &engine, word, &sight](const std::stop_token& stop) {
            std::uint64_t last_ns = bench_.now_ns();
            for (sight.looks = true; !stop.stop_requested();) {
                const auto seen = stands(engine, word);
                const std::uint64_t now_ns = bench_.now_ns();
                sight.gap_ns = now_ns - last_ns;
                last_ns = now_ns;
                if (!seen) return;
                if (*seen) {
                    sight.seen_ns = now_ns;
                    return;
                }
            }
            sight.gap_ns = bench_.now_ns() - last_ns;
        };
        try {
            std::jthread watcher(look);
            while (!sight.looks) std::this_thread::yield();
            return watcher;
        } catch (const std::system_error& error) {
            return fail(ErrorCode::kOutOfHostMemory, fmt::format("no thread to watch a signal with: {}", error.what()));
        }
    }

    void let_submissions_arrive() {
        const std::uint64_t start_ns = bench_.now_ns();
        while (bench_.now_ns() - start_ns < kReachNs) continue;
    }

private:
    EngineBench& bench_;
    EngineScratch& scratch_;
    ScratchBuffer tokens_;
    std::uint32_t last_ = 0;
};

struct Path {
    const Engine* from = nullptr;  // null: the host
    const Engine* to = nullptr;
    TimeSeries samples;
    std::size_t away = 0;    // samples in which the host may have missed the word
    std::size_t unseen = 0;  // those in which it looked, and the word did not stand there in time
};

// From a moment of the host to another that the device tells, which may be none or lie before it.
std::optional<std::uint64_t> since_ns(std::uint64_t from_ns, std::optional<std::uint64_t> to_ns) {
    return to_ns && *to_ns > from_ns ? std::optional(*to_ns - from_ns) : std::nullopt;
}

// The device took all runs by now, and not this one: the clocks were not near enough at this moment.
bool lost_its_clock(const Path& path, const RunTime& taken) {
    return path.samples.by_device() && !taken.device_ns;
}

Status sample_from_host(EngineBench& bench, Watch& watch, Path& path) {
    const Engine& engine = *path.to;
    const device::TimelinePoint gate = bench.next_gate();
    const device::Work work = watch.write_next(engine);
    HEAPWRIGHT_ASSIGN(const TimedWork timed,
                      bench.submit_beside_host(engine.index, std::span(&work, 1), std::span(&gate, 1)));
    watch.let_submissions_arrive();
    const std::uint64_t signalled_ns = bench.now_ns();
    HEAPWRIGHT_TRY(device::open_gate(*gate.timeline, gate.value));
    HEAPWRIGHT_ASSIGN(const Watch::Moment seen, watch.see(engine, watch.last_word(), signalled_ns));
    HEAPWRIGHT_TRY(bench.wait(timed.end));
    HEAPWRIGHT_ASSIGN(const auto pair, bench.timestamps_of(timed));
    RunTime taken;
    if (seen.is_sharp())
        taken.host_ns = *seen.seen_ns - signalled_ns;
    else
        ++(seen.seen_ns ? path.away : path.unseen);
    if (pair) taken.device_ns = since_ns(signalled_ns, bench.host_moment_ns(engine.index, pair->begin_ticks));
    if (lost_its_clock(path, taken)) return {};
    path.samples.add(taken);
    return {};
}

Status sample_to_host(EngineBench& bench, Watch& watch, Path& path) {
    const Engine& engine = *path.from;
    const device::TimelinePoint gate = bench.next_gate();
    const device::Work work = watch.write_next(engine);
    HEAPWRIGHT_ASSIGN(const TimedWork timed,
                      bench.submit_beside_host(engine.index, std::span(&work, 1), std::span(&gate, 1)));
    watch.let_submissions_arrive();
    Watch::Sight sight;
    auto watcher = watch.watch(engine, watch.last_word(), sight);
    // The gate opens in any case: what waits for it could never end.
    HEAPWRIGHT_TRY(device::open_gate(*gate.timeline, gate.value));
    HEAPWRIGHT_TRY(bench.wait(timed.end));
    const std::uint64_t returned_ns = bench.now_ns();
    if (!watcher) return fail(watcher.error());
    watcher->request_stop();
    watcher->join();
    HEAPWRIGHT_ASSIGN(const auto pair, bench.timestamps_of(timed));
    RunTime taken;
    if (pair) {
        if (const auto ended_ns = bench.host_moment_ns(engine.index, pair->end_ticks))
            taken.device_ns = since_ns(*ended_ns, returned_ns);
    }
    if (lost_its_clock(path, taken)) return {};
    if (sight.is_sharp() && *sight.seen_ns < returned_ns) {
        taken.host_ns = returned_ns - *sight.seen_ns;
    } else {
        // A word that stands there now came while no thread looked, whatever the gap: the wait returned first.
        HEAPWRIGHT_ASSIGN(const bool came, watch.stands(engine, watch.last_word()));
        ++(came || sight.gap_ns > kMostGapNs ? path.away : path.unseen);
    }
    path.samples.add(taken);
    return {};
}

Status sample_engines(EngineBench& bench, Watch& watch, Path& path) {
    const Engine& from = *path.from;
    const Engine& to = *path.to;
    const device::TimelinePoint gate = bench.next_gate();
    const device::Work first = watch.write_next(from);
    const std::uint32_t first_word = watch.last_word();
    const device::Work second = watch.write_next(to);
    const std::uint32_t second_word = watch.last_word();
    HEAPWRIGHT_ASSIGN(const TimedWork middle,
                      bench.submit_compared(from.index, std::span(&first, 1), std::span(&gate, 1)));
    const auto end = bench.submit_compared(to.index, std::span(&second, 1), std::span(&middle.end, 1));
    watch.let_submissions_arrive();
    const std::uint64_t opened_ns = bench.now_ns();
    // The gate opens in any case: what waits for it could never end.
    HEAPWRIGHT_TRY(device::open_gate(*gate.timeline, gate.value));
    if (!end) return fail(end.error());
    HEAPWRIGHT_ASSIGN(const Watch::Moment ended, watch.see(from, first_word, opened_ns));
    // Both at the first look: the host was away, and what it would see is its own absence.
    const std::uint64_t looked_ns = bench.now_ns();
    HEAPWRIGHT_ASSIGN(const bool late, watch.stands(to, second_word));
    HEAPWRIGHT_ASSIGN(const Watch::Moment started, watch.see(to, second_word, looked_ns, end->end.timeline));
    HEAPWRIGHT_TRY(bench.wait(end->end));
    HEAPWRIGHT_ASSIGN(const auto one, bench.timestamps_of(middle));
    HEAPWRIGHT_ASSIGN(const auto other, bench.timestamps_of(*end));
    RunTime taken;
    if (!late && ended.is_sharp() && started.is_sharp())
        taken.host_ns = *started.seen_ns - *ended.seen_ns;
    else
        ++(late || (ended.seen_ns && started.seen_ns) ? path.away : path.unseen);
    if (one && other && bench.timestamps_compare())
        taken.device_ns = bench.ns_between(one->end_ticks, other->begin_ticks);
    path.samples.add(taken);
    return {};
}

}  // namespace

Status measure_signal_latencies(const EnginePhase& phase) {
    Watch watch(phase);
    HEAPWRIGHT_TRY(watch.prepare());
    std::vector<Engine> engines;
    for (const auto kind : {device::EngineKind::kGraphics, device::EngineKind::kCompute, device::EngineKind::kCopy}) {
        const auto index = phase.bench.first_of(kind);
        if (!index) continue;
        HEAPWRIGHT_ASSIGN(Engine engine, watch.watched(*index));
        engines.push_back(std::move(engine));
    }
    std::vector<Path> paths;
    for (const Engine& engine : engines) {
        paths.push_back({.from = nullptr, .to = &engine, .samples = {}});
        paths.push_back({.from = &engine, .to = nullptr, .samples = {}});
    }
    for (const Engine& from : engines) {
        for (const Engine& to : engines) {
            if (&from != &to) paths.push_back({.from = &from, .to = &to, .samples = {}});
        }
    }
    if (engines.size() < 2) phase.result.skipped.emplace_back("signals between engines: the device has one engine");

    const auto round = [&]() -> Status {
        for (Path& path : paths) {
            const auto sample = path.from == nullptr ? sample_from_host
                                : path.to == nullptr ? sample_to_host
                                                     : sample_engines;
            const std::size_t before = path.samples.size();
            for (std::uint32_t tries = 0; tries < kSampleTries && path.samples.size() == before; ++tries)
                HEAPWRIGHT_TRY(sample(phase.bench, watch, path));
        }
        return {};
    };
    EnginePhase more = phase;
    more.least_rounds = kLeastRounds;
    HEAPWRIGHT_TRY(more.in_rounds(round));
    const auto name = [&](const Engine* engine) {
        return engine == nullptr ? std::string(kHost) : phase.bench.engines()[engine->index].name;
    };
    for (const Path& path : paths) {
        if (path.samples.empty()) {
            // Which of the two reasons stands for all samples is chosen: the one of most.
            phase.result.skipped.push_back(
                fmt::format("signal from {} to {}: {}", name(path.from), name(path.to),
                            path.away > path.unseen ? model::kHostWasAway
                                                    : "the host did not see the engine's word in its memory in time"));
            continue;
        }
        phase.result.signal_latencies.push_back(
            {.from = name(path.from),
             .to = name(path.to),
             .through_host = path.to != nullptr && !phase.bench.accepts_early_waits(),
             .samples = static_cast<std::uint32_t>(path.samples.size()),
             .time = path.samples.measured()});
    }
    return {};
}

}  // namespace heapwright::probe
