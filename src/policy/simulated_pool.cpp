#include "policy/simulated_pool.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>

#include "core/checked.hpp"
#include "core/parallel.hpp"
#include "core/percentile.hpp"
#include "pool/waste_account.hpp"
#include "workload/draw.hpp"
#include "workload/slots.hpp"

namespace heapwright::policy {

namespace {

using RequirementsOf = std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>;

// Frames after the load, each figure of each kept.
class FrameTimes {
public:
    explicit FrameTimes(const SimulatedPrice& creation) : creation_(creation) {}

    void add(const PlayedFrame& frame) {
        SimulatedPrice spent = frame.spent;
        const auto creations = static_cast<double>(frame.creations);
        median_ns_.push_back(spent.median_ns + creations * creation_.median_ns);
        spent.late_ns += frame.waited_ns;  // at the least the driver serves both at once
        times_.worst_frame_ns = std::max(times_.worst_frame_ns, spent.late_ns);
        times_.least_worst_frame_ns = std::max(times_.least_worst_frame_ns, spent.least_ns);
        times_.median_worst_frame_ns = std::max(times_.median_worst_frame_ns, spent.median_ns);
        times_.most_calls = std::max<std::uint64_t>(times_.most_calls, frame.calls + (frame.waited ? 1 : 0));
        sum_ns_ += spent.late_ns;
        late_ns_.push_back(spent.late_ns + creations * creation_.late_ns);
        least_ns_.push_back(spent.least_ns + creations * creation_.least_ns);
    }

    [[nodiscard]] SimulatedTimes take(const PlayedPool& pool) {
        times_.worst_load_ns = pool.worst_load().late_ns;
        times_.least_worst_load_ns = pool.worst_load().least_ns;
        times_.median_worst_load_ns = pool.worst_load().median_ns;
        times_.late_chunks = pool.late_chunks();
        times_.frames = late_ns_.size();
        if (late_ns_.empty()) return times_;
        times_.mean_frame_ns = sum_ns_ / static_cast<double>(late_ns_.size());
        times_.p99_frame_ns = percentile(std::move(late_ns_), 99);
        times_.least_p99_frame_ns = percentile(std::move(least_ns_), 99);
        times_.median_p99_frame_ns = percentile(std::move(median_ns_), 99);
        return times_;
    }

private:
    const SimulatedPrice& creation_;
    SimulatedTimes times_;
    double sum_ns_ = 0;
    std::vector<double> late_ns_;
    std::vector<double> least_ns_;
    std::vector<double> median_ns_;
};

}  // namespace

Result<SimulatedPool> simulate_pool(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                                    std::span<const workload::Operation> operations,
                                    const RequirementsOf& requirements_of, const SimulatedPoolOptions& options) {
    SimulatedPool outcome;
    HEAPWRIGHT_ASSIGN(const auto pool, PlayedPool::create(facts, policy, options, &outcome.calls));
    outcome.places.reserve(static_cast<std::size_t>(std::ranges::count_if(
        operations, [](const workload::Operation& one) { return std::holds_alternative<workload::Create>(one); })));
    FrameTimes times(options.creation);
    pool::WasteAccount waste;
    workload::Slots slots;
    for (const workload::Operation& operation : operations) {
        if (const auto* created = std::get_if<workload::Create>(&operation)) {
            const auto requirements = requirements_of(created->resource);
            if (!requirements) {
                outcome.places.push_back({.error = requirements.error().code});
                continue;
            }
            const auto slot = slots.take(created->id);
            if (!slot) {
                outcome.places.push_back({.error = ErrorCode::kInvalidArgument});
                continue;
            }
            outcome.places.push_back(pool->create(
                *slot, {.requirements = *requirements,
                        .resource_class = model::resource_class(created->resource, pool->separates_render_targets()),
                        .use = created->memory_use,
                        .transient_attachment = model::is_transient_attachment(created->resource),
                        .own_memory = created->own_memory}));
        } else if (const auto* destroyed = std::get_if<workload::Destroy>(&operation)) {
            if (const auto slot = slots.give_back(destroyed->id)) pool->destroy(*slot);
        } else {
            HEAPWRIGHT_ASSIGN(const PlayedFrame frame, pool->end_frame());
            waste.end_frame(frame.reserved_bytes, frame.used_bytes);
            if (!frame.is_load) times.add(frame);
        }
    }
    HEAPWRIGHT_TRY(pool->finish());
    outcome.peak_bytes = pool->memory().peak_bytes();
    outcome.mean_waste = waste.mean();
    outcome.peak_waste = waste.peak();
    outcome.times = times.take(*pool);
    outcome.most_new_chunks = pool->most_new_chunks();
    return outcome;
}

namespace {

constexpr std::uint64_t kMoreThanEnough = 1ull << 60;

void set_limit(model::DeviceReport& facts, std::string_view name,
               const std::function<std::uint64_t(std::uint64_t)>& to) {
    for (model::Fact& limit : facts.limits) {
        if (limit.name == name) limit.value = to(limit.value);
    }
}

// The same device and policy with another amount of memory and of allocations.
struct Room {
    model::DeviceReport facts;
    model::DevicePolicy policy;

    Room(const model::DeviceReport& device, const model::DevicePolicy& of_device,
         const std::function<std::uint64_t(std::uint64_t)>& to)
        : policy(of_device) {
        // What a pool reads; the sweep alone is hundreds of times larger.
        facts.identity = device.identity;
        facts.heaps = device.heaps;
        facts.memory_types = device.memory_types;
        facts.limits = device.limits;
        facts.features = device.features;
        facts.run.heap_budgets = device.run.heap_budgets;
        for (model::MemoryHeap& heap : facts.heaps) heap.size_bytes = heap.size_bytes == 0 ? 0 : to(heap.size_bytes);
        for (model::HeapBudget& budget : facts.run.heap_budgets) {
            if (budget.budget_bytes != 0) budget.budget_bytes = to(budget.budget_bytes);
        }
        for (model::HeapPolicy& heap : policy.heaps) heap.usable_bytes.value = to(heap.usable_bytes.value);
        policy.max_chunks.value = to(policy.max_chunks.value);
        set_limit(facts, "maxMemoryAllocationCount", to);
    }
};

// What of the requests in vain would be in use, by hint, and where the sum of it is largest.
class UnplacedTally {
public:
    explicit UnplacedTally(std::size_t hints) : now_(hints), most_(hints) {}

    void add(const workload::Create& create, std::uint64_t size_bytes) {
        now_[create.hint] += size_bytes;
        sum_ += static_cast<double>(size_bytes);
        alive_.insert_or_assign(create.id, std::pair(create.hint, size_bytes));
        if (sum_ <= most_sum_) return;
        most_sum_ = sum_;
        most_ = now_;
    }
    void remove(std::uint64_t id) {
        const auto entry = alive_.find(id);
        if (entry == alive_.end()) return;
        const auto [hint, size_bytes] = entry->second;
        now_[hint] -= size_bytes;
        sum_ -= static_cast<double>(size_bytes);
        alive_.erase(entry);
    }
    [[nodiscard]] std::vector<std::uint64_t> take() { return std::move(most_); }

private:
    std::vector<std::uint64_t> now_;
    std::vector<std::uint64_t> most_;
    double sum_ = 0;
    double most_sum_ = 0;
    std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>> alive_;  // id -> hint, bytes
};

}  // namespace

PolicyPlayer::PolicyPlayer(const Context& context, const model::DevicePolicy& policy,
                           std::shared_ptr<const PlayedStreams> streams)
    : context_(context), policy_(policy), streams_(std::move(streams)) {
    for (std::uint32_t type = 0; type < context.device.memory_types.size(); ++type) costs_.emplace_back(context, type);
}

Result<std::vector<PlayedPolicy>> PolicyPlayer::play() const {
    std::vector<Result<PlayedPolicy>> played(kPlayedSeeds);
    for_each_index(kPlayedSeeds, std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kPlayedSeeds),
                   [&](std::size_t run) { played[run] = play_seed(context_.workload.seed + run); });
    std::vector<PlayedPolicy> runs;
    for (Result<PlayedPolicy>& run : played) {
        if (!run) return fail(std::move(run.error()));
        runs.push_back(std::move(*run));
    }
    return runs;
}

Result<PlayedPolicy> PolicyPlayer::play_seed(std::uint64_t seed, PlayedCosts costs) const {
    if (scale() == 1) return play(context_.device, policy_, seed, costs);
    const Room part(context_.device, policy_, [this](std::uint64_t whole) {
        return std::max<std::uint64_t>(1, saturating_bytes(static_cast<double>(whole) * scale()));
    });
    return play(part.facts, part.policy, seed, costs);
}

Result<PlayedPolicy> PolicyPlayer::play_without_limits(std::uint64_t seed) const {
    const Room room(context_.device, policy_, [](std::uint64_t) { return kMoreThanEnough; });
    return play(room.facts, room.policy, seed, PlayedCosts::kLate);
}

Result<PlayedPolicy> PolicyPlayer::play(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                                        std::uint64_t seed, PlayedCosts costs) const {
    PlayedPolicy played{.seed = seed, .pool = {}, .frame_bytes = {}, .without_memory = {}, .refused = {}};
    HEAPWRIGHT_ASSIGN(const auto stream, streams_->of(seed));
    played.estimated_share = stream->estimated_share;
    std::span<const workload::Operation> operations = stream->operations;
    if (costs == PlayedCosts::kShared) operations = operations.first(stream->short_count);
    // simulate_pool() asks once for each creation, in their order.
    const auto requirements =
        [&, next = std::size_t{0}](const model::ResourceDescription&) mutable -> Result<model::MemoryRequirements> {
        if (const auto& known = stream->requirements[next++]) return *known;
        return fail(ErrorCode::kNotSupported, "the device has no such resource", "simulation");
    };
    SimulatedPoolOptions options{.frames_in_flight = std::max(1u, context_.workload.frames_in_flight),
                                 .frame_budget_ns = context_.workload.frame_budget_ns};
    options.creation = kOwnPriceOfCreation;
    options.price = [this, costs](const DeviceMemoryCall& call) -> SimulatedPrice {
        const AllocationCost& cost = costs_[call.memory_type];
        if (costs == PlayedCosts::kShared) {
            const double shared = call.takes ? cost.allocate_ns(call.size_bytes) : cost.free_ns(call.size_bytes);
            return {.late_ns = shared, .least_ns = shared, .median_ns = shared};
        }
        const MemoryOwner owner = owner_of(call);
        if (call.takes)
            return {.late_ns = cost.late_allocate_ns(call.size_bytes, owner),
                    .least_ns = cost.least_allocate_ns(call.size_bytes, owner),
                    .median_ns = cost.median_allocate_ns(call.size_bytes, owner)};
        return {.late_ns = cost.late_free_ns(call.size_bytes, owner),
                .least_ns = cost.least_free_ns(call.size_bytes, owner),
                .median_ns = cost.median_free_ns(call.size_bytes, owner)};
    };
    HEAPWRIGHT_ASSIGN(played.pool, simulate_pool(facts, policy, operations, requirements, options));
    note_frame_bytes(operations, played);
    std::uint64_t alive = 0;
    for (const DeviceMemoryCall& call : played.pool.calls) {
        alive += call.takes ? 1 : 0;
        alive -= call.takes ? 0 : 1;
        played.peak_allocations = std::max(played.peak_allocations, alive);
    }
    const std::size_t hints = streams_->hint_count();
    UnplacedTally without_memory(hints);
    UnplacedTally refused(hints);
    auto place = played.pool.places.begin();
    auto requirement = stream->requirements.begin();
    for (const workload::Operation& operation : operations) {
        if (const auto* destroyed = std::get_if<workload::Destroy>(&operation)) {
            without_memory.remove(destroyed->id);
            refused.remove(destroyed->id);
        }
        const auto* create = std::get_if<workload::Create>(&operation);
        if (create == nullptr) continue;
        const std::optional<model::MemoryRequirements>& asked = *requirement++;
        if (!(place++)->error) {
            played.served_any = true;
        } else if (asked) {
            ++played.failures;
            without_memory.add(*create, asked->size_bytes);
        } else {
            refused.add(*create, std::max<std::uint64_t>(1, workload::packed_size_bytes(create->resource)));
        }
    }
    played.pool.places = std::vector<SimulatedPlace>();  // read, and most of what a play holds
    played.without_memory = without_memory.take();
    played.refused = refused.take();
    SimulatedTimes& times = played.pool.times;
    times.worst_frame_ns += kOwnPriceOfCreation.late_ns * static_cast<double>(stream->most_creations);
    times.least_worst_frame_ns += kOwnPriceOfCreation.least_ns * static_cast<double>(stream->most_creations);
    times.median_worst_frame_ns += kOwnPriceOfCreation.median_ns * static_cast<double>(stream->most_creations);
    times.median_worst_load_ns += kOwnPriceOfCreation.median_ns;
    times.worst_load_ns += kOwnPriceOfCreation.late_ns;
    times.least_worst_load_ns += kOwnPriceOfCreation.least_ns;
    return played;
}

void PolicyPlayer::note_frame_bytes(std::span<const workload::Operation> operations, PlayedPolicy& played) const {
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

}  // namespace heapwright::policy
