// Compares the general suballocator with its peers on the fixed traces, in one program and alternating, so that the
// ratios hold on a machine that is not quiet.
//   bench_suballoc_traces                         times and ramps
//   bench_suballoc_traces --times | --ramps       one of them
//   bench_suballoc_traces --callgrind PEER TRACE  one replay, for tests/bench/count-instructions
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
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

struct Row {
    std::string peer;
    std::vector<double> ns_per_pair;
    double p50_ns = 0.0;
    double p999_ns = 0.0;
    double max_ns = 0.0;
    std::uint64_t failed = 0;

    [[nodiscard]] double median() const {
        std::vector<double> sorted = ns_per_pair;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

template <class Peer>
void time_once(const Trace& trace, Row& row) {
    Peer peer(trace);
    Replay<Peer> replay(peer, trace);
    typename Replay<Peer>::NoObserver none;
    replay.run(trace.warm_up, none);
    const double begin = thread_ns();
    replay.run(trace.requests, none);
    row.ns_per_pair.push_back((thread_ns() - begin) / static_cast<double>(trace.requests.size()));
    row.failed = replay.failed_count();
}

template <class Peer>
void time_calls(const Trace& trace, double tick_ns, std::uint64_t overhead, Row& row) {
    LeastTimes least;
    for (int pass = 0; pass < kPasses; ++pass) {
        Peer peer(trace);
        Replay<Peer> replay(peer, trace);
        typename Replay<Peer>::NoObserver none;
        replay.run(trace.warm_up, none);
        least.restart();
        replay.run(trace.requests, least);
    }
    const std::vector<std::uint64_t> sorted = least.sorted();
    const auto at = [&](double share) {
        const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
        return static_cast<double>(sorted[index] - std::min(sorted[index], overhead)) * tick_ns;
    };
    row.p50_ns = at(0.5);
    row.p999_ns = at(0.999);
    row.max_ns = at(1.0);
}

template <class... Peers>
void compare(const Trace& trace, double tick_ns, std::uint64_t overhead) {
    std::vector<Row> rows;
    (rows.push_back({.peer = Peers::kName}), ...);
    for (int run = 0; run < kRuns; ++run) {
        std::size_t index = 0;
        (time_once<Peers>(trace, rows[index++]), ...);
    }
    std::size_t index = 0;
    (time_calls<Peers>(trace, tick_ns, overhead, rows[index++]), ...);
    const double reference = rows.back().median();
    for (const Row& row : rows)
        std::printf("%-8s %-22s %8.1f ns/pair  x%.3f  p50 %6.1f  p99.9 %7.1f  max %8.1f  failed %llu\n",
                    std::string(trace.name).c_str(), row.peer.c_str(), row.median(), row.median() / reference,
                    row.p50_ns, row.p999_ns, row.max_ns, static_cast<unsigned long long>(row.failed));
}

template <class Peer>
double mean_ramp(Trace (*make)(std::uint64_t)) {
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Trace trace = make(seed);
        Peer peer(trace);
        sum += Replay<Peer>(peer, trace).ramp();
    }
    return sum / 10.0;
}

template <class... Peers>
void compare_ramps(std::string_view name, Trace (*make)(std::uint64_t)) {
    (std::printf("%-18s %-22s fill at the first failure %.4f\n", std::string(name).c_str(), Peers::kName,
                 mean_ramp<Peers>(make)),
     ...);
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
    const Trace traces[] = {make_a80(1), make_a80al(1), make_b90(1), make_c(1)};
    if (argc == 4 && std::strcmp(argv[1], "--callgrind") == 0) {
        int code = 2;
        for (const Trace& trace : traces)
            if (trace.name == argv[3])
                ((std::string_view(Peers::kName) == argv[2] ? void(code = replay_once<Peers>(trace)) : void()), ...);
        if (code != 0) std::fprintf(stderr, "no such peer or trace\n");
        return code;
    }
    const bool ramps_only = argc == 2 && std::strcmp(argv[1], "--ramps") == 0;
    const bool times_only = argc == 2 && std::strcmp(argv[1], "--times") == 0;
    const double tick_ns = ns_per_tick();
    const std::uint64_t overhead = empty_ticks();
    if (!ramps_only)
        for (const Trace& trace : traces) compare<Peers...>(trace, tick_ns, overhead);
    if (!times_only) {
        compare_ramps<Peers...>("ramp textures", make_ramp_textures);
        compare_ramps<Peers...>("ramp aligned", make_ramp_aligned);
        compare_ramps<Peers...>("ramp descriptors", make_ramp_descriptors);
    }
    return 0;
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
