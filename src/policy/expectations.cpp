#include "heapwright/policy/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/parallel.hpp"
#include "heapwright/policy/allocation_cost.hpp"
#include "heapwright/policy/resource_sizing.hpp"
#include "heapwright/policy/simulated_pool.hpp"
#include "heapwright/workload/stream.hpp"

namespace heapwright::policy {
namespace {

constexpr std::size_t kSeeds = 5;
// What the pool itself takes for a creation, measured on the hosts of the committed policies: between 1.5 and 4 us. It
// is what a frame without any call of the device spends.
constexpr double kOwnNsPerCreation = 4'000;
// A search plays its sample hundreds of times, this the whole policy once for each seed.
constexpr std::uint64_t kPlayedPerSampled = 16;
// Frames end early where their own resources are many beside what churns.
constexpr std::uint64_t kOperationsPerStep = 16;

struct Sizers {
    explicit Sizers(const Context& context) {
        for (const model::ImageHint& hint : context.workload.images) images.emplace_back(context, hint);
        for (const model::BufferHint& hint : context.workload.buffers) buffers.emplace_back(context, hint);
    }

    std::vector<ImageSizer> images;  // by hint
    std::vector<BufferSizer> buffers;
};

// Each answer is kept: a workload asks for the same extents again and again.
class Sizes {
public:
    explicit Sizes(const Sizers& sizers) : sizers_(sizers) {}

    [[nodiscard]] Result<model::MemoryRequirements> requirements(const workload::Create& create) {
        const auto* image = std::get_if<model::ImageDescription>(&create.resource);
        const Key key = image != nullptr
                            ? Key{create.hint, image->width, image->height}
                            : Key{create.hint, std::get<model::BufferDescription>(create.resource).size_bytes};
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        auto sized = image != nullptr ? sizers_.images[create.hint].size(image->width, image->height)
                                      : sizers_.buffers[create.hint - sizers_.images.size()].size(key.size);
        if (!sized) return fail(ErrorCode::kNotSupported, "the device has no such resource", "simulation");
        return known_.emplace(key, sized->requirements).first->second;
    }

private:
    struct Key {
        std::uint32_t hint = 0;
        std::uint64_t size = 0;    // a buffer's bytes, an image's width
        std::uint64_t height = 0;  // of an image
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t mixed = key.size * 0x9E37'79B9'7F4A'7C15u ^ (key.height << 32 | key.hint);
            mixed = (mixed ^ mixed >> 29) * 0xBF58'476D'1CE4'E5B9u;
            return static_cast<std::size_t>(mixed ^ mixed >> 32);
        }
    };

    const Sizers& sizers_;
    std::unordered_map<Key, model::MemoryRequirements, Hash> known_;
};

std::uint64_t live_resources(const model::Workload& workload) {
    std::uint64_t sum = 0;
    for (const model::ImageHint& hint : workload.images) sum += hint.count;
    for (const model::BufferHint& hint : workload.buffers) sum += hint.count;
    return sum;
}

struct Played {
    SimulatedPool pool;
    std::uint64_t peak_allocations = 0;
    std::uint64_t failures = 0;
    bool served_any = false;
    std::uint64_t most_creations = 0;        // in one frame after the load
    std::vector<std::uint64_t> frame_bytes;  // by heap: the most that resources of one frame take, on the device alone
};

class Player {
public:
    Player(const Context& context, const model::DevicePolicy& policy, const SampleOptions& sample)
        : context_(context),
          policy_(policy),
          sizers_(context),
          workload_(context.workload),
          most_operations_(sample.churn_steps * kPlayedPerSampled * kOperationsPerStep) {
        const std::uint64_t live = std::max<std::uint64_t>(1, live_resources(context.workload));
        scale_ = std::min(1.0, static_cast<double>(sample.most_resources) / static_cast<double>(live));
        workload_.churn_steps = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(workload_.churn_steps, sample.churn_steps * kPlayedPerSampled));
        for (std::uint32_t type = 0; type < context.device.memory_types.size(); ++type)
            costs_.emplace_back(context, type);
    }

    [[nodiscard]] double scale() const { return scale_; }
    [[nodiscard]] std::uint32_t churn_steps() const { return workload_.churn_steps; }
    [[nodiscard]] const std::vector<AllocationCost>& costs() const { return costs_; }

    // Thread-safe.
    [[nodiscard]] Result<Played> play(std::uint64_t seed, std::uint64_t frames_in_flight) const {
        Played played;
        Sizes sizes(sizers_);
        HEAPWRIGHT_ASSIGN(const std::vector<workload::Operation> operations, operations_of(seed, played));
        std::size_t next = 0;
        // simulate_pool() asks once for each creation, in their order.
        const auto requirements = [&](const model::ResourceDescription&) {
            while (!std::holds_alternative<workload::Create>(operations[next])) ++next;
            return sizes.requirements(std::get<workload::Create>(operations[next++]));
        };
        SimulatedPoolOptions options{.frames_in_flight = frames_in_flight,
                                     .frame_budget_ns = context_.workload.frame_budget_ns};
        options.price_ns = [this](const DeviceMemoryCall& call) {
            const AllocationCost& cost = costs_[call.memory_type];
            return call.takes ? cost.late_allocate_ns(call.size_bytes) : cost.late_free_ns(call.size_bytes);
        };
        HEAPWRIGHT_ASSIGN(played.pool, simulate_pool(context_.device, policy_, operations, requirements, options));
        note_frame_bytes(operations, played);
        std::uint64_t alive = 0;
        for (const DeviceMemoryCall& call : played.pool.calls) {
            alive += call.takes ? 1 : 0;
            alive -= call.takes ? 0 : 1;
            played.peak_allocations = std::max(played.peak_allocations, alive);
        }
        for (const SimulatedPlace& place : played.pool.places) {
            if (!place.error) played.served_any = true;
            if (place.error && *place.error != ErrorCode::kNotSupported) ++played.failures;
        }
        const double own_ns = kOwnNsPerCreation * static_cast<double>(played.most_creations);
        played.pool.times.worst_frame_ns += own_ns;
        played.pool.times.worst_load_ns += kOwnNsPerCreation;
        return played;
    }

private:
    [[nodiscard]] Result<std::vector<workload::Operation>> operations_of(std::uint64_t seed, Played& played) const {
        HEAPWRIGHT_ASSIGN(auto stream, workload::ResourceStream::create(workload_, seed, scale_));
        std::vector<workload::Operation> operations;
        std::uint64_t load_operations = 0;
        std::uint64_t creations = 0;
        while (auto operation = stream.next()) {
            if (std::holds_alternative<workload::EndFrame>(*operation)) {
                if (load_operations == 0)
                    load_operations = operations.size() + 1;
                else
                    played.most_creations = std::max(played.most_creations, creations);
                creations = 0;
                operations.push_back(std::move(*operation));
                if (operations.size() > load_operations + most_operations_) break;
                continue;
            } else if (std::holds_alternative<workload::Create>(*operation)) {
                ++creations;
            }
            operations.push_back(std::move(*operation));
        }
        return operations;
    }

    void note_frame_bytes(const std::vector<workload::Operation>& operations, Played& played) const {
        const auto& types = context_.device.memory_types;
        played.frame_bytes.assign(context_.device.heaps.size(), 0);
        std::vector<std::uint64_t> bytes = played.frame_bytes;
        auto place = played.pool.places.begin();
        for (const workload::Operation& operation : operations) {
            if (std::holds_alternative<workload::EndFrame>(operation)) {
                for (std::size_t heap = 0; heap < bytes.size(); ++heap)
                    played.frame_bytes[heap] = std::max(played.frame_bytes[heap], std::exchange(bytes[heap], 0));
            } else if (const auto* create = std::get_if<workload::Create>(&operation)) {
                const SimulatedPlace& made = *place++;
                if (made.error || create->lifetime != model::Lifetime::kFrame ||
                    create->memory_use != model::MemoryUse::kDeviceOnly)
                    continue;
                bytes[types[made.memory_type].heap_index] += made.size_bytes;
            }
        }
    }

    const Context& context_;
    const model::DevicePolicy& policy_;
    Sizers sizers_;
    model::Workload workload_;
    std::uint64_t most_operations_;
    double scale_ = 1;
    std::vector<AllocationCost> costs_;
};

std::string time_text(double ns) {
    return ns < 1e6 ? fmt::format("{:.0f} us", ns / 1e3) : fmt::format("{:.2f} ms", ns / 1e6);
}

class Expecter {
public:
    Expecter(const Context& context, const model::DevicePolicy& policy, const Player& player,
             const std::vector<Played>& runs)
        : context_(context), policy_(policy), player_(player), runs_(runs) {
        const std::uint64_t first = context.workload.seed;
        how_ = fmt::format("the whole policy over numbers, seeds {} to {} of the workload's own stream", first,
                           first + kSeeds - 1);
        if (player.scale() < 1) how_ += fmt::format(", {:.3g}% of its resources", 100 * player.scale());
        if (player.churn_steps() < context.workload.churn_steps)
            how_ += fmt::format(", {} of its {}", player.churn_steps(),
                                counted(context.workload.churn_steps, "churn step"));
        std::uint64_t failures = 0;
        for (const Played& run : runs) failures += run.failures;
        if (failures != 0) how_ += fmt::format("; {} found no memory", counted(failures, "request"));
        inputs_ = {context.cite_workload("/seed", std::to_string(context.workload.seed))};
    }

    [[nodiscard]] model::Expectations decide() const {
        model::Expectations expected{
            .mean_waste = mean_waste(),
            .largest_mean_waste = std::max(0.0, most([](const Played& run) { return run.pool.mean_waste; })),
            .device_allocations = allocations()};
        if (all_measured()) {
            const double frame = most([](const Played& run) { return run.pool.times.worst_frame_ns; });
            const double load = most([](const Played& run) { return run.pool.times.worst_load_ns; });
            expected.worst_frame_ns = time(frame,
                                           "the longest frame after the load spends this on memory, behind a chunk of "
                                           "the background where one is being taken");
            expected.worst_load_ns =
                time(load, "the dearest creation of the load, behind a chunk that the background is taking");
        }
        expected.late_chunks = late_chunks();
        for (std::uint32_t heap = 0; heap < policy_.heaps.size(); ++heap) expected.heaps.push_back(peak(heap));
        if (const std::uint64_t failed = whole(most(&Played::failures)); failed != 0) expected.failed_requests = failed;
        return expected;
    }

private:
    template <class Figure>
    [[nodiscard]] double most(Figure figure) const {
        double largest = 0;
        for (const Played& run : runs_) largest = std::max(largest, static_cast<double>(std::invoke(figure, run)));
        return largest;
    }
    // Of what was played, for the whole workload.
    [[nodiscard]] std::uint64_t whole(double played) const {
        return saturating_bytes(std::ceil(played / player_.scale()));
    }

    [[nodiscard]] model::Decided<double> mean_waste() const {
        const auto [least, worst] =
            std::ranges::minmax(runs_, {}, [](const Played& run) { return run.pool.mean_waste; });
        // Amid the seeds, as far from the one as from the other.
        model::Decided<double> decided{.value = std::max(0.0, (least.pool.mean_waste + worst.pool.mean_waste) / 2)};
        decided.why.reason = fmt::format(
            "{:.1f}% of the bytes in use are reserved beyond them, on average over a run: {:.1f}% to {:.1f}% by seed "
            "({})",
            100 * decided.value, 100 * least.pool.mean_waste, 100 * worst.pool.mean_waste, how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> allocations() const {
        model::Decided<std::uint64_t> decided{.value =
                                                  whole(most([](const Played& run) { return run.peak_allocations; }))};
        decided.why.reason =
            fmt::format("{} alive at the peak, chunks, chunks kept ready and resources with memory of their own ({})",
                        counted(decided.value, "device allocation"), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> time(double ns, std::string_view what) const {
        model::Decided<std::uint64_t> decided{.value = saturating_bytes(std::ceil(ns))};
        decided.why.reason = fmt::format(
            "{}: {}, each call of the device by its measured curve at the 90th percentile, a creation at {} "
            "beside that ({})",
            what, time_text(ns), time_text(kOwnNsPerCreation), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::Decided<std::uint64_t> late_chunks() const {
        model::Decided<std::uint64_t> decided{
            .value = whole(most([](const Played& run) { return run.pool.times.late_chunks; }))};
        decided.why.reason = fmt::format("{} after the load find none of the chunks ahead ready ({})",
                                         counted(decided.value, "request"), how_);
        decided.why.inputs = inputs_;
        return decided;
    }

    [[nodiscard]] model::HeapExpectation peak(std::uint32_t heap) const {
        const double played = most([&](const Played& run) { return run.pool.peak_bytes[heap]; });
        model::HeapExpectation expected{.heap = heap, .peak_reserved_bytes = {.value = whole(played)}};
        auto& decided = expected.peak_reserved_bytes;
        decided.why.reason =
            fmt::format("{} are taken from heap {} at the peak ({})", byte_text(decided.value), heap, how_);
        decided.why.inputs = inputs_;
        const double of_frame = most([&](const Played& run) { return run.frame_bytes[heap]; });
        const std::uint64_t frames = context_.workload.frames_in_flight;
        if (of_frame > 0 && frames > 1) {
            // Work of two frames on one engine has an order, so that the device needs these once.
            const std::uint64_t spared = std::min(decided.value, whole(of_frame) * (frames - 1));
            decided.why.alternatives.push_back(
                {.value = std::to_string(decided.value - spared),
                 .reason = fmt::format(
                     "the resources that live for one frame take {} and exist for each of {} in flight; as one alias "
                     "group, which the application asks for, they would be there once",
                     byte_text(whole(of_frame)), counted(frames, "frame"))});
        }
        return expected;
    }

    [[nodiscard]] bool all_measured() const {
        return std::ranges::all_of(runs_, [&](const Played& run) {
            return std::ranges::all_of(run.pool.calls, [&](const DeviceMemoryCall& call) {
                return player_.costs()[call.memory_type].is_measured();
            });
        });
    }

    const Context& context_;
    const model::DevicePolicy& policy_;
    const Player& player_;
    const std::vector<Played>& runs_;
    std::string how_;
    std::vector<model::DecisionInput> inputs_;
};

}  // namespace

std::optional<model::Expectations> decide_expectations(const Context& context, const model::DevicePolicy& policy,
                                                       const SampleOptions& sample,
                                                       std::vector<std::string>& warnings) {
    if (live_resources(context.workload) == 0) return std::nullopt;
    const Player player(context, policy, sample);
    const std::uint64_t in_flight = std::max(1u, context.workload.frames_in_flight);
    std::vector<Result<Played>> played(kSeeds);
    for_each_index(kSeeds, std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kSeeds),
                   [&](std::size_t run) { played[run] = player.play(context.workload.seed + run, in_flight); });
    std::vector<Played> runs;
    for (Result<Played>& run : played) {
        if (!run) {
            warnings.push_back("what to expect of the workload is not known: " + to_string(run.error()));
            return std::nullopt;
        }
        runs.push_back(std::move(*run));
    }
    if (!std::ranges::all_of(runs, &Played::served_any)) {
        warnings.emplace_back(
            "what to expect of the workload is not known: in the simulation none of its requests found memory");
        return std::nullopt;
    }
    model::Expectations expected = Expecter(context, policy, player, runs).decide();
    if (expected.failed_requests) {
        warnings.push_back(
            fmt::format("in the simulation {} found no memory; what to expect is known of the others alone",
                        counted(*expected.failed_requests, "request")));
    }
    if (expected.worst_frame_ns && expected.worst_frame_ns->value > context.workload.frame_budget_ns) {
        warnings.push_back(fmt::format(
            "the worst frame is expected to spend {} on device memory, allocations of their own included, more than "
            "its {}",
            time_text(static_cast<double>(expected.worst_frame_ns->value)),
            time_text(static_cast<double>(context.workload.frame_budget_ns))));
    }
    return expected;
}

}  // namespace heapwright::policy
