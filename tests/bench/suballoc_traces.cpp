// Compares the general suballocator with its peers on the fixed traces, in one program and interleaved, so that the
// ratios hold on a machine that is not quiet. Google Benchmark runs it and takes its flags; names are times/TRACE/PEER,
// calls/TRACE/PEER and ramp/TRACE/PEER.
//   bench_suballoc_traces                             all, as one table
//   bench_suballoc_traces --benchmark_filter=times/c  some of it
//   bench_suballoc_traces --callgrind PEER TRACE      one replay, for tests/bench/count-instructions
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "peers.hpp"
#include "replay.hpp"
#include "traces.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace heapwright::bench {
namespace {

constexpr int kRuns = 9;
constexpr int kPasses = 5;
constexpr std::uint64_t kRampSeeds = 10;
constexpr std::uint64_t kFreshRampSeeds = 40;  // those that no constant of an allocator was ever tried on

double now_ns() {
    return static_cast<double>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

// The time of this thread on a core: what other programs take does not count.
double thread_ns() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
#else
    return now_ns();
#endif
}

std::uint64_t ticks() {
#if defined(__x86_64__)
    unsigned aux = 0;
    const std::uint64_t now = __rdtscp(&aux);
    _mm_lfence();
    return now;
#else
    return static_cast<std::uint64_t>(now_ns());
#endif
}

double ns_per_tick() {
    const double begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    while (now_ns() - begin_ns < 50e6) {
    }
    return (now_ns() - begin_ns) / static_cast<double>(ticks() - begin);
}

std::uint64_t empty_ticks() {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t begin = ticks();
        least = std::min(least, ticks() - begin);
    }
    return least;
}

// Keeps, for each call of the deterministic replay, the least time of all passes: a preempted call is not slow in
// every pass.
class LeastTimes {
public:
    void restart() { cursor_ = 0; }
    void begin() { begin_ = ticks(); }
    void end() {
        const std::uint64_t taken = ticks() - begin_;
        if (cursor_ == times_.size())
            times_.push_back(taken);
        else
            times_[cursor_] = std::min(times_[cursor_], taken);
        ++cursor_;
    }
    [[nodiscard]] std::vector<std::uint64_t> sorted() const {
        std::vector<std::uint64_t> sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    }

private:
    std::vector<std::uint64_t> times_;
    std::size_t cursor_ = 0;
    std::uint64_t begin_ = 0;
};

// Time per pair of one replay, on this thread's own clock.
template <class Peer>
void time_replay(benchmark::State& state, const Trace& trace) {
    for (auto _ : state) {
        Peer peer(trace);
        Replay<Peer> replay(peer, trace);
        typename Replay<Peer>::NoObserver none;
        replay.run(trace.warm_up, none);
        const double begin = thread_ns();
        replay.run(trace.requests, none);
        const double taken = thread_ns() - begin;
        state.SetIterationTime(taken * 1e-9);
        state.counters["ns_per_pair"] = taken / static_cast<double>(trace.requests.size());
        state.counters["failed"] = static_cast<double>(replay.failed_count());
    }
}

// Time of single calls, each the least of kPasses.
template <class Peer>
void time_calls(benchmark::State& state, const Trace& trace) {
    static const double tick_ns = ns_per_tick();
    static const std::uint64_t overhead = empty_ticks();
    LeastTimes least;
    for (auto _ : state) {
        for (int pass = 0; pass < kPasses; ++pass) {
            Peer peer(trace);
            Replay<Peer> replay(peer, trace);
            typename Replay<Peer>::NoObserver none;
            replay.run(trace.warm_up, none);
            least.restart();
            replay.run(trace.requests, least);
        }
    }
    const std::vector<std::uint64_t> sorted = least.sorted();
    const auto at = [&](double share) {
        const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
        return static_cast<double>(sorted[index] - std::min(sorted[index], overhead)) * tick_ns;
    };
    state.counters["p50_ns"] = at(0.5);
    state.counters["p99.9_ns"] = at(0.999);
    state.counters["max_ns"] = at(1.0);
}

template <class Peer>
double mean_ramp(Trace (*make)(std::uint64_t), std::uint64_t first_seed, std::uint64_t count) {
    double sum = 0.0;
    for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
        const Trace trace = make(seed);
        Peer peer(trace);
        sum += Replay<Peer>(peer, trace).ramp();
    }
    return sum / static_cast<double>(count);
}

template <class Peer>
void ramp(benchmark::State& state, Trace (*make)(std::uint64_t)) {
    for (auto _ : state) {
        state.counters["fill"] = mean_ramp<Peer>(make, 1, kRampSeeds);
        state.counters["fill_fresh"] = mean_ramp<Peer>(make, kRampSeeds + 1, kFreshRampSeeds);
    }
}

// One line for each trace and peer: medians of the interleaved runs, and the ratio to the last peer's.
class TableReporter : public benchmark::BenchmarkReporter {
public:
    explicit TableReporter(std::string reference) : reference_(std::move(reference)) {}

    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            for (const auto& [counter, value] : run.counters)
                lines_[run.run_name.function_name][counter].push_back(value.value);
        }
    }
    void Finalize() override {
        for (auto& [name, counters] : lines_) {
            std::printf("%-40s", name.c_str());
            for (const auto& [counter, values] : counters) std::printf("  %s %.4g", counter.c_str(), median(values));
            const auto reference = lines_.find(name.substr(0, name.rfind('/') + 1) + reference_);
            const auto times = counters.find("ns_per_pair");
            if (times != counters.end() && reference != lines_.end())
                std::printf("  ratio %.3f", median(times->second) / median(reference->second["ns_per_pair"]));
            std::printf("\n");
        }
    }

private:
    static double median(std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return values[values.size() / 2];
    }

    std::string reference_;
    std::map<std::string, std::map<std::string, std::vector<double>>> lines_;
};

template <class Peer>
void register_peer(const std::vector<Trace>& traces) {
    for (const Trace& trace : traces) {
        const std::string name = std::string(trace.name) + "/" + Peer::kName;
        benchmark::RegisterBenchmark(("times/" + name).c_str(),
                                     [&trace](benchmark::State& state) { time_replay<Peer>(state, trace); })
            ->UseManualTime()
            ->Iterations(1)
            ->Repetitions(kRuns);
        benchmark::RegisterBenchmark(("calls/" + name).c_str(), [&trace](benchmark::State& state) {
            time_calls<Peer>(state, trace);
        })->Iterations(1);
    }
    const auto register_ramp = [](const char* name, Trace (*make)(std::uint64_t)) {
        benchmark::RegisterBenchmark((std::string("ramp/") + name + "/" + Peer::kName).c_str(),
                                     [make](benchmark::State& state) { ramp<Peer>(state, make); })
            ->Iterations(1);
    };
    register_ramp("textures", make_ramp_textures);
    register_ramp("aligned", make_ramp_aligned);
    register_ramp("descriptors", make_ramp_descriptors);
}

template <class Peer>
int replay_once(const Trace& trace) {
    Peer peer(trace);
    Replay<Peer> replay(peer, trace);
    typename Replay<Peer>::NoObserver none;
    replay.run(trace.warm_up, none);
    replay.run(trace.requests, none);
    std::printf("requests %zu\n", trace.warm_up.size() + trace.requests.size());
    return 0;
}

template <class... Peers>
int run(int argc, char** argv) {
    const std::vector<Trace> traces = {make_a80(1), make_a80al(1), make_b90(1), make_c(1)};
    if (argc == 4 && std::strcmp(argv[1], "--callgrind") == 0) {
        int code = 2;
        for (const Trace& trace : traces)
            if (trace.name == argv[3])
                ((std::string_view(Peers::kName) == argv[2] ? void(code = replay_once<Peers>(trace)) : void()), ...);
        if (code != 0) std::fprintf(stderr, "no such peer or trace\n");
        return code;
    }
    // First, so that flags given override it.
    std::string interleaved = "--benchmark_enable_random_interleaving=true";
    std::vector<char*> arguments(argv, argv + argc);
    arguments.insert(arguments.begin() + 1, interleaved.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
    (register_peer<Peers>(traces), ...);
    std::string reference;
    ((reference = Peers::kName), ...);
    TableReporter table(reference);
    const std::size_t ran = benchmark::RunSpecifiedBenchmarks(&table);
    benchmark::Shutdown();
    return ran == 0 ? 1 : 0;
}

}  // namespace
}  // namespace heapwright::bench

int main(int argc, char** argv) {
    using namespace heapwright::bench;
#ifdef HEAPWRIGHT_HAVE_VMA
    return run<TlsfPeer, VmaMinimumMemoryPeer, VmaDefaultPeer>(argc, argv);
#else
    std::printf("VMA's header is absent: run scripts/fetch-vma and configure again to compare with it\n");
    return run<TlsfPeer>(argc, argv);
#endif
}
