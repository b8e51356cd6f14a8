// How many operations a second the players of a what-if take, on the churn b90 (traces.hpp) as buffers of 1 to 64 KiB,
// in a frame each 500 pairs. usage: bench_what_if REPORT [OPERATIONS] [WAY]
//   WAY   this one alone, once, for a profiler: advised, or a rule of `what-if`
// Each line: millions of operations a second, the median of 7 runs, the ways interleaved, on the thread's own clock.
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "policy/allocation_cost.hpp"
#include "whatif/ways.hpp"
#include "workload/slots.hpp"

#include "../traces.hpp"

namespace {

using namespace heapwright;

constexpr std::uint64_t kUnitBytes = 1024;
constexpr std::size_t kPairsPerFrame = 500;
constexpr std::size_t kBatch = 1024;
constexpr std::size_t kRuns = 7;
constexpr std::string_view kWays[] = {"advised",         "vma-default", "vma:64MiB",
                                      "d3d12ma-default", "fixed:64MiB", "one-each"};

double thread_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// What is alive is freed by the trace's own random numbers until the request fits.
class Churn {
public:
    Churn(const model::MemoryRequirements& any, std::size_t most_operations)
        : any_(any), most_operations_(most_operations) {}

    void add(const bench::Trace& trace) {
        const auto fill = static_cast<std::uint64_t>(trace.target_fill * static_cast<double>(trace.capacity));
        for (const auto* requests : {&trace.warm_up, &trace.requests}) {
            for (const bench::Request& request : *requests) {
                if (used_ + request.size > fill && frames_ == 0) end_frame();
                while (used_ + request.size > fill) destroy(request.victim);
                create(request.size);
                if (operations_ >= most_operations_) return;
            }
        }
    }
    [[nodiscard]] bool is_full() const { return operations_ >= most_operations_; }
    [[nodiscard]] std::size_t operations() const { return operations_; }
    [[nodiscard]] const std::vector<whatif::Step>& steps() const { return steps_; }

private:
    struct Live {
        std::uint64_t id = 0;
        std::uint32_t units = 0;
    };

    void create(std::uint32_t units) {
        const std::uint32_t slot = *slots_.take(operations_);
        whatif::Step step{.kind = whatif::Step::Kind::kCreate, .slot = slot, .request = {.requirements = any_}};
        step.request.requirements.size_bytes = units * kUnitBytes;
        steps_.push_back(step);
        live_.push_back({.id = operations_, .units = units});
        used_ += units;
        ++operations_;
        if (frames_ != 0 && ++pairs_ % kPairsPerFrame == 0) end_frame();
    }
    void destroy(std::uint32_t random) {
        const auto victim = static_cast<std::size_t>(std::uint64_t{random} * live_.size() >> 32);
        const std::uint32_t slot = *slots_.give_back(live_[victim].id);
        steps_.push_back({.kind = whatif::Step::Kind::kDestroy, .slot = slot, .request = {}});
        used_ -= live_[victim].units;
        live_[victim] = live_.back();
        live_.pop_back();
        ++operations_;
    }
    void end_frame() {
        steps_.push_back({});
        ++frames_;
    }

    model::MemoryRequirements any_;
    std::size_t most_operations_;
    std::vector<whatif::Step> steps_;
    std::vector<Live> live_;
    workload::Slots slots_;
    std::uint64_t used_ = 0;
    std::size_t operations_ = 0;
    std::size_t pairs_ = 0;
    std::size_t frames_ = 0;
};

[[noreturn]] void stop(const Error& error) {
    std::fprintf(stderr, "bench_what_if: %s\n", to_string(error).c_str());
    std::exit(1);
}

template <class T>
T take(Result<T> result) {
    if (!result) stop(result.error());
    return std::move(*result);
}

double play_ns(const whatif::Way& way, const whatif::Stage& stage, std::span<const whatif::Step> steps) {
    const auto player = take(whatif::make_player(way, stage));
    const double began = thread_ns();
    for (std::size_t at = 0; at < steps.size(); at += kBatch) {
        const Status played = player->play(steps.subspan(at, std::min(kBatch, steps.size() - at)));
        if (!played) stop(played.error());
    }
    return thread_ns() - began;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2 || count > 4) {
        std::fprintf(stderr, "usage: bench_what_if REPORT [OPERATIONS] [WAY]\n");
        return 2;
    }
    const model::Report report =
        take(model::read_report(take(read_file(std::string_view(arguments[1]))), arguments[1]));
    const model::DeviceReport& facts = report.devices.front();
    const std::size_t operations = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1'000'000;

    model::Workload workload;
    workload.name = "b90";
    workload.buffers.push_back({.usage = model::buffer_usage::kStorage | model::buffer_usage::kTransferDst,
                                .smallest_bytes = kUnitBytes,
                                .largest_bytes = 64 * kUnitBytes,
                                .distribution = model::SizeDistribution::kUniform,
                                .count = 27'700,
                                .lifetime = model::Lifetime::kStreaming});
    workload.churn_steps = 100'000;
    workload.steps_per_frame = kPairsPerFrame;
    const whatif::Way advised =
        whatif::way_of_policy("advised", {}, take(policy::advise(facts, workload, 0, {.with_expectations = false})));

    std::uint32_t every_type = 0;
    for (std::size_t type = 0; type < facts.memory_types.size(); ++type) every_type |= 1u << type;
    Churn churn({.size_bytes = 0, .alignment_bytes = 256, .memory_type_bits = every_type}, operations);
    for (std::uint64_t seed = 1; !churn.is_full(); ++seed) churn.add(bench::make_b90(seed));

    const policy::Context context{.device = facts, .workload = workload, .device_index = 0};
    std::vector<policy::AllocationCost> costs;
    for (std::uint32_t type = 0; type < facts.memory_types.size(); ++type) costs.emplace_back(context, type);
    const whatif::Stage stage{.facts = facts, .price_ns = [&](const policy::DeviceMemoryCall& call) {
                                  const policy::AllocationCost& cost = costs[call.memory_type];
                                  return call.takes ? cost.median_allocate_ns(call.size_bytes)
                                                    : cost.median_free_ns(call.size_bytes);
                              }};
    std::vector<whatif::Way> ways;
    for (const std::string_view name : kWays) {
        if (count > 3 && name != arguments[3]) continue;
        ways.push_back(name == "advised" ? advised : take(whatif::way_of_rule(name, facts, workload, advised)));
    }
    if (count > 3 && !ways.empty()) {
        play_ns(ways.front(), stage, churn.steps());
        std::printf("operations %zu\n", churn.operations());
        return 0;
    }
    std::vector<std::vector<double>> times(ways.size());
    for (std::size_t run = 0; run < kRuns; ++run) {
        for (std::size_t way = 0; way < ways.size(); ++way)
            times[way].push_back(play_ns(ways[way], stage, churn.steps()));
    }
    for (std::size_t way = 0; way < ways.size(); ++way) {
        std::ranges::nth_element(times[way], times[way].begin() + kRuns / 2);
        std::printf("%-16s %6.2f M operations a second\n", ways[way].name.c_str(),
                    static_cast<double>(churn.operations()) / times[way][kRuns / 2] * 1e3);
    }
    return 0;
}
