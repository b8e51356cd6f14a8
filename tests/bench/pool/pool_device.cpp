// The pool on an engine's device beside VMA itself: one process, one VkDevice, the same traces, the peers in turn.
//   vma           its own defaults
//   vma-exported  preferredLargeHeapBlockSize at the largest chunk size of the policy in device memory
//   pool, pool-c  the pool under the policy that the advisor makes for the load, by its C++ and its C interface
//   pool-defers   the same, freed after its frame's number; what is left to collect() is in "pair" alone
// For each load: what creating (pointer and size included) and destroying takes, what of the longest the driver had no
// part in, waste (reserved over used, the mean over the frames of the churn), the most device allocations, the longest
// frame with the load; then a destroy+create pair with several threads, each on its own resources. "pair" is all that a
// pair costs, what the end of its frame still does included. Medians of the runs, ratios to vma. Usage: kUsage.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "bench_error.hpp"
#include "core/file.hpp"
#include "device_trace.hpp"
#include "heapwright/model/json.hpp"
#include "peers.hpp"
#include "policy/advise.hpp"
#include "timed_driver.hpp"
#include "vulkan/device_report.hpp"
#include "vulkan/physical_device.hpp"

namespace heapwright::bench {
namespace {

constexpr const char* kUsage =
    "usage: bench_pool_device [--device INDEX] [--report FILE] [--loads N,...] [--threads N,...] [--memory MIB]\n"
    "                         [--steps N] [--runs N] [--seed N] [--only images|half|buffers] [--json FILE]\n"
    "  --report FILE  of that device, for the policy; otherwise the device is probed without measurements\n"
    "  --loads N,...  live resources (1750,7000); --threads N,... (1,2,4,8,16 as far as there are cores; 0: none)\n"
    "  --memory MIB   that the live resources may reserve (1024): larger loads get smaller resources\n";

struct Options {
    std::size_t device = 0;
    std::string report;
    std::vector<std::uint64_t> loads = {1750, 7000};
    std::vector<std::uint64_t> threads;
    std::uint64_t memory_bytes = 1ull << 30;
    std::uint64_t steps = 20'000;
    std::uint64_t runs = 3;
    std::uint64_t seed = 1;
    Kinds kinds = Kinds::kBoth;
    std::string json;
};

std::vector<std::uint64_t> numbers(std::string_view text) {
    std::vector<std::uint64_t> all;
    while (true) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{}) give_up(kUsage);
        all.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return all;
        if (text.front() != ',') give_up(kUsage);
        text.remove_prefix(1);
    }
}

Options read_options(int argc, char** argv) {
    Options options;
    for (std::uint64_t n = 1; n <= std::min(16u, std::max(2u, std::thread::hardware_concurrency())); n *= 2)
        options.threads.push_back(n);
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 == argc) give_up(kUsage);
        const std::string_view value = argv[i + 1];
        if (name == "--report") {
            options.report = value;
        } else if (name == "--only") {
            if (value != "images" && value != "buffers" && value != "half") give_up(kUsage);
            options.kinds = value == "images" ? Kinds::kImages : value == "half" ? Kinds::kHalfImages : Kinds::kBuffers;
        } else if (name == "--json") {
            options.json = value;
        } else {
            const std::vector<std::uint64_t> list = numbers(value);
            if (name == "--loads")
                options.loads = list;
            else if (name == "--threads")
                options.threads = list;
            else if (name == "--device")
                options.device = list.front();
            else if (name == "--memory")
                options.memory_bytes = list.front() << 20;
            else if (name == "--steps")
                options.steps = list.front();
            else if (name == "--runs")
                options.runs = std::max<std::uint64_t>(1, list.front());
            else if (name == "--seed")
                options.seed = list.front();
            else
                give_up(kUsage);
        }
    }
    if (options.threads == std::vector<std::uint64_t>{0}) options.threads.clear();
    return options;
}

// Names and values in the order of the table.
using Figures = std::vector<std::pair<std::string, double>>;

double quantile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

template <class Allocator>
Figures play(Allocator& allocator, const std::vector<Step>& trace, std::size_t population) {
    std::vector<typename Allocator::Resource> live;
    live.reserve(population);
    std::vector<std::uint64_t> sizes;
    typename Allocator::Frame frame;
    std::vector<double> image_ns, buffer_ns;
    double worst_own_ns = 0;
    double frame_ns = 0, worst_frame_ns = 0, churn_ns = 0, waste = 0, frames = 0;
    std::uint64_t used = 0, most_allocations = 0;
    std::size_t done = 0;
    for (const Step& step : trace) {
        const bool churns = step.victim != ~0u;
        if (churns) {
            used -= sizes[step.victim];
            const double driver_before_ns = driver_ns;
            const auto begin = Clock::now();
            allocator.release(frame, live[step.victim]);
            const double taken = ns_since(begin);
            frame_ns += taken;
            worst_own_ns = std::max(worst_own_ns, taken - (driver_ns - driver_before_ns));
        }
        const auto prepared = allocator.prepare(step.created);
        const double driver_before_ns = driver_ns;
        const auto begin = Clock::now();
        auto resource = allocator.create(prepared);
        const double taken = ns_since(begin);
        worst_own_ns = std::max(worst_own_ns, taken - (driver_ns - driver_before_ns));
        frame_ns += taken;
        const std::uint64_t size = allocator.size_of(resource);
        used += size;
        if (churns) {
            (std::holds_alternative<model::ImageDescription>(step.created) ? image_ns : buffer_ns).push_back(taken);
            live[step.victim] = std::move(resource);
            sizes[step.victim] = size;
        } else {
            live.push_back(std::move(resource));
            sizes.push_back(size);
        }
        if (++done % kStepsPerFrame != 0) continue;
        const double driver_before_end_ns = driver_ns;
        const auto end = Clock::now();
        allocator.end_frame(frame, true);
        const double ended_ns = ns_since(end);
        frame_ns += ended_ns;
        worst_own_ns = std::max(worst_own_ns, ended_ns - (driver_ns - driver_before_end_ns));
        worst_frame_ns = std::max(worst_frame_ns, frame_ns);
        const Held held = allocator.held();
        most_allocations = std::max(most_allocations, held.device_allocations);
        if (done > population) {
            churn_ns += frame_ns;
            waste += static_cast<double>(held.bytes) / static_cast<double>(used) - 1;
            frames += 1;
        }
        frame_ns = 0;
    }
    std::vector<double> free_ns = std::move(frame.free_ns);
    for (auto& resource : live) allocator.release(frame, resource);
    live.clear();
    allocator.end_frame(frame, true);
    frames = std::max(frames, 1.0);
    return {{"image_p50_us", quantile(image_ns, 0.5) / 1e3},
            {"image_p99_us", quantile(image_ns, 0.99) / 1e3},
            {"image_max_us", quantile(image_ns, 1) / 1e3},
            {"buffer_p50_us", quantile(buffer_ns, 0.5) / 1e3},
            {"buffer_p99_us", quantile(buffer_ns, 0.99) / 1e3},
            {"buffer_max_us", quantile(buffer_ns, 1) / 1e3},
            {"free_p50_us", quantile(free_ns, 0.5) / 1e3},
            {"free_p99_us", quantile(free_ns, 0.99) / 1e3},
            {"pair_us", churn_ns / frames / kStepsPerFrame / 1e3},
            {"waste_percent", 100 * waste / frames},
            {"device_allocations", static_cast<double>(most_allocations)},
            {"worst_frame_us", worst_frame_ns / 1e3},
            {"worst_own_us", worst_own_ns / 1e3}};
}

// Pairs a second of all threads until the last is done, each with its share of the trace's resources and steps.
template <class Allocator>
double pairs_per_second(Allocator& allocator, const Population& one, std::uint64_t steps, std::uint64_t seed,
                        std::uint64_t count) {
    const auto share = [&](std::uint64_t all) {
        return static_cast<std::uint32_t>(all == 0 ? 0 : std::max<std::uint64_t>(1, all / count));
    };
    const Population each{.images = share(one.images),
                          .buffers = share(one.buffers),
                          .largest_side = one.largest_side,
                          .largest_buffer_bytes = one.largest_buffer_bytes};
    std::atomic<std::uint64_t> loaded{0};
    std::vector<double> seconds(count);
    const auto work = [&](std::uint64_t index) {
        const std::vector<Step> trace = make_trace(each, static_cast<std::uint32_t>(steps), seed + index);
        std::vector<typename Allocator::Resource> live;
        typename Allocator::Frame frame;
        std::size_t done = 0;
        Clock::time_point begin;
        for (const Step& step : trace) {
            if (step.victim == ~0u) {
                live.push_back(allocator.create(allocator.prepare(step.created)));
                if (live.size() < each.all()) continue;
                ++loaded;
                while (loaded.load() < count) std::this_thread::yield();
                begin = Clock::now();
                continue;
            }
            allocator.release(frame, live[step.victim]);
            live[step.victim] = allocator.create(allocator.prepare(step.created));
            if (++done % kStepsPerFrame == 0) allocator.end_frame(frame, index == 0);
        }
        allocator.end_frame(frame, index == 0);
        seconds[index] = ns_since(begin) / 1e9;
        for (auto& resource : live) allocator.release(frame, resource);
        allocator.end_frame(frame, false);
    };
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < count; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
    return static_cast<double>(steps * count) / *std::ranges::max_element(seconds);
}

constexpr const char* kPeers[] = {"vma", "vma-exported", "pool", "pool-c", "pool-defers"};
constexpr const char* kOwn = "worst_own_us";  // from a run of its own: timing the driver costs something

// What one line of the table and of the document says.
struct Line {
    std::uint64_t load = 0;
    std::string figure;
    double values[std::size(kPeers)] = {};
};

double median(std::vector<double> values) {
    return quantile(values, 0.5);
}

void print(const Line& line) {
    fmt::print("{:>7}  {:<20}", line.load, line.figure);
    for (const double value : line.values) fmt::print(" {:>12.3f}", value);
    for (std::size_t i = 1; i < std::size(kPeers); ++i)
        fmt::print("   {:>6.3f}", line.values[0] == 0 ? 0 : line.values[i] / line.values[0]);
    fmt::print("\n");
    std::fflush(stdout);
}

std::string to_json(const model::DeviceIdentity& device, const Options& options, const std::vector<Line>& lines) {
    std::string text =
        fmt::format("{{\n  \"device\": \"{}\",\n  \"driver\": \"{}\",\n  \"runs\": {},\n  \"figures\": [", device.name,
                    device.driver_info, options.runs);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        text += fmt::format("{}\n    {{\"live\": {}, \"figure\": \"{}\"", i == 0 ? "" : ",", lines[i].load,
                            lines[i].figure);
        for (std::size_t peer = 0; peer < std::size(kPeers); ++peer)
            text += fmt::format(", \"{}\": {:.6g}", kPeers[peer], lines[i].values[peer]);
        text += "}";
    }
    return text + "\n  ]\n}\n";
}

class Bench {
public:
    Bench(const Options& options, const vulkan::Instance& instance, VkPhysicalDevice physical,
          const model::DeviceReport& report)
        : options_(options),
          report_(report),
          device_(require(vulkan::OpenDevice::create(instance, physical, kDevice))) {}

    std::vector<Line> run() {
        fmt::print("{}, {}\n{:>7}  {:<20}", report_.identity.name, report_.identity.driver_info, "live", "figure");
        for (const char* peer : kPeers) fmt::print(" {:>12}", peer);
        fmt::print("   ratios to vma\n");
        for (const std::uint64_t load : options_.loads) run_load(load);
        return std::move(lines_);
    }

private:
    // One size for all memory types is all that VMA has without custom pools.
    [[nodiscard]] std::uint64_t exported_block_bytes(const model::DevicePolicy& policy) const {
        std::uint64_t block = 0;
        for (const model::BucketPolicy& bucket : policy.buckets) {
            const model::Flags flags = report_.memory_types[bucket.memory_type].property_flags;
            if ((flags & model::memory_property::kDeviceLocal) != 0)
                block = std::max(block, bucket.chunk_size_bytes.value);
        }
        return block;
    }

    // run(peer, allocator): each with a fresh allocator, which calls the driver through `get_proc_addr`. Each round
    // another begins, so that what a machine gives to who comes first or last falls on all.
    template <class Run>
    void in_turn(const model::DevicePolicy& policy, PFN_vkGetDeviceProcAddr get_proc_addr, std::uint64_t round,
                 Run&& run) {
        const BenchDevice device{.open = *device_, .get_proc_addr = get_proc_addr};
        const auto with = [&]<class Allocator>(std::size_t peer, auto&&... arguments) {
            Allocator allocator(device, arguments...);
            run(peer, allocator);
        };
        for (std::uint64_t i = 0; i < std::size(kPeers); ++i) {
            switch (const std::size_t peer = (round + i) % std::size(kPeers)) {
                case 0: with.template operator()<Vma>(peer, std::uint64_t{0}); break;
                case 1: with.template operator()<Vma>(peer, exported_block_bytes(policy)); break;
                case 2: with.template operator()<Pool<false>>(peer, policy); break;
                case 3: with.template operator()<PoolInC>(peer, document_of(policy)); break;
                default: with.template operator()<Pool<true>>(peer, policy);
            }
        }
    }

    [[nodiscard]] static std::string document_of(const model::DevicePolicy& policy) {
        model::Policy document;
        document.workload_name = "churn";
        document.devices = {policy};
        return model::write(document);
    }

    void run_load(std::uint64_t load) {
        const Population one = population_of(static_cast<std::uint32_t>(load), options_.memory_bytes, options_.kinds);
        const model::DevicePolicy policy = require(policy::advise(report_, workload_of(one)));
        std::map<std::size_t, std::vector<double>> values[std::size(kPeers)];  // of the runs, by figure
        Figures names;
        const auto play_all = [&](std::uint64_t run, PFN_vkGetDeviceProcAddr get_proc_addr, bool is_of_own) {
            const auto trace = make_trace(one, static_cast<std::uint32_t>(options_.steps), options_.seed + run);
            in_turn(policy, get_proc_addr, run, [&](std::size_t peer, auto& allocator) {
                names = play(allocator, trace, one.all());
                for (std::size_t i = 0; i < names.size(); ++i) {
                    if ((names[i].first == kOwn) == is_of_own) values[peer][i].push_back(names[i].second);
                }
            });
        };
        for (std::uint64_t run = 0; run < options_.runs; ++run) {
            play_all(run, vkGetDeviceProcAddr, false);
            play_all(run, timed_get_device_proc_addr, true);
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            Line line{.load = load, .figure = names[i].first};
            for (std::size_t peer = 0; peer < std::size(kPeers); ++peer) line.values[peer] = median(values[peer][i]);
            tell(line);
        }
        for (const std::uint64_t threads : options_.threads) run_threads(load, one, policy, threads);
    }

    void run_threads(std::uint64_t load, const Population& one, const model::DevicePolicy& policy,
                     std::uint64_t threads) {
        std::vector<double> rates[std::size(kPeers)];
        for (std::uint64_t run = 0; run < options_.runs; ++run) {
            in_turn(policy, vkGetDeviceProcAddr, run, [&](std::size_t peer, auto& allocator) {
                rates[peer].push_back(
                    pairs_per_second(allocator, one, options_.steps, options_.seed + 100 * run, threads));
            });
        }
        Line line{.load = load, .figure = fmt::format("pairs_per_ms_{}", threads)};
        for (std::size_t peer = 0; peer < std::size(kPeers); ++peer) line.values[peer] = median(rates[peer]) / 1e3;
        tell(line);
    }

    void tell(const Line& line) {
        print(line);
        lines_.push_back(line);
    }

    const Options& options_;
    const model::DeviceReport& report_;
    // Without memoryPriority, with which an NVIDIA driver lets threads create buffers one at a time.
    static constexpr device::OpenOptions kDevice{.memory_priority = false};
    std::unique_ptr<vulkan::OpenDevice> device_;
    std::vector<Line> lines_;
};

}  // namespace
}  // namespace heapwright::bench

int main(int argc, char** argv) {
    using namespace heapwright;
    using namespace heapwright::bench;
    const Options options = read_options(argc, argv);
    real_get_device_proc_addr = [](VkDevice device, const char* name) { return vkGetDeviceProcAddr(device, name); };
    const vulkan::Instance instance = require(vulkan::Instance::create({}));
    const std::vector<VkPhysicalDevice> devices = require(instance.physical_devices());
    if (options.device >= devices.size()) give_up("no such Vulkan device");
    const auto physical = require(vulkan::PhysicalDevice::describe(instance, devices[options.device]));
    const model::DeviceReport report =
        options.report.empty()
            ? require(vulkan::read_report(instance, physical, static_cast<std::uint32_t>(options.device), {}))
            : require(model::read_report(require(read_file(options.report)), options.report)).devices.front();
    const std::vector<Line> lines = Bench(options, instance, physical.handle(), report).run();
    if (!options.json.empty()) {
        const Status written = write_file_atomically(options.json, to_json(report.identity, options, lines));
        if (!written) give_up(to_string(written.error()));
    }
    return 0;
}
