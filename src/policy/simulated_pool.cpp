#include "policy/simulated_pool.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/percentile.hpp"
#include "pool/waste_account.hpp"
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
    outcome.peak_bytes = pool->heaps().peak_bytes();
    outcome.mean_waste = waste.mean();
    outcome.peak_waste = waste.peak();
    outcome.times = times.take(*pool);
    outcome.most_new_chunks = pool->most_new_chunks();
    return outcome;
}

}  // namespace heapwright::policy
