#include "heapwright/policy/simulated_pool.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "heapwright/background/background_processor.hpp"
#include "heapwright/core/percentile.hpp"
#include "heapwright/pool/memory_placer.hpp"
#include "heapwright/pool/waste_account.hpp"

namespace heapwright::policy {
namespace {

using RequirementsOf = std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>;

class PoolOverNumbers {
public:
    PoolOverNumbers(const model::DeviceReport& facts, const model::DevicePolicy& policy, contract::BucketIndex index,
                    const RequirementsOf& requirements_of, const SimulatedPoolOptions& options)
        : options_(options),
          heaps_(facts),
          placer_({.facts = facts, .heaps = heaps_}, policy, std::move(index), pool_options()),
          requirements_of_(requirements_of) {
        placer_.begin_recording(TimelineValue{frame_number_});
    }

    void expect(std::size_t creations) { outcome_.places.reserve(creations); }

    Status operator()(const workload::Create& create) {
        std::uint64_t size_bytes = 0;
        auto made = try_create(create, size_bytes);
        if (!made) {
            outcome_.places.push_back({.error = made.error().code});
            return {};
        }
        outcome_.places.push_back(made->placement ? placed(*made->placement) : placed(made->dedicated));
        live_.insert_or_assign(create.id, Live{.release = std::move(*made), .size_bytes = size_bytes});
        used_bytes_ += size_bytes;
        const bool has_taken = heaps_.calls().size() != seen_calls_;
        const SimulatedPrice cost = take_frame_costs();
        ++frame_creations_;
        const SimulatedPlace& place = outcome_.places.back();
        if (has_taken && !place.alone && !is_loading()) count_new_chunk(place.bucket);
        // A driver takes memory for one caller at a time: this call may come amid an item of the background.
        is_behind_ = is_behind_ || (cost.late_ns > 0 && !waiting_.empty());
        if (!is_loading()) return {};
        outcome_.times.worst_load_ns = std::max(outcome_.times.worst_load_ns, cost.late_ns);
        outcome_.times.least_worst_load_ns = std::max(outcome_.times.least_worst_load_ns, cost.least_ns);
        outcome_.times.median_worst_load_ns = std::max(outcome_.times.median_worst_load_ns, cost.median_ns);
        return {};
    }

    Status operator()(const workload::Destroy& destroy) {
        const auto entry = live_.find(destroy.id);
        if (entry == live_.end()) return {};  // its creation failed
        given_up_.back() += entry->second.size_bytes;
        placer_.release(std::move(entry->second.release));
        live_.erase(entry);
        return {};
    }

    Status operator()(const workload::EndFrame&) {
        const TimelineValue completed{frame_number_ - std::min(frame_number_, options_.frames_in_flight)};
        const bool was_loading = is_loading();
        waste_.end_frame(reserved_bytes_, used_bytes_);
        given_up_.push_back(0);
        if (completed.value != 0) {
            used_bytes_ -= given_up_.front();
            given_up_.pop_front();
        }
        placer_.begin_recording(TimelineValue{++frame_number_});
        HEAPWRIGHT_TRY(placer_.release_completed(
            completed, [this](device::ResourceId alone) { heaps_.free(device::AllocationId{alone.value}); }));
        take_frame_costs();
        const bool was_behind = std::exchange(is_behind_, false);
        if (!was_loading) note_frame(was_behind);
        // Whoever has loaded lets the background finish before the first frame.
        rest(was_loading ? std::numeric_limits<double>::infinity()
                         : static_cast<double>(options_.frame_budget_ns) - frame_.late_ns);
        if (was_loading) {
            late_in_load_ = placer_.figures().preparation.taken_late;
            if (was_behind) outcome_.times.worst_load_ns += dearest_ahead_ns_;
        }
        frame_ = {};
        frame_calls_ = 0;
        frame_creations_ = 0;
        std::ranges::fill(new_chunks_, 0);
        return {};
    }

    Result<SimulatedPool> finish() {
        HEAPWRIGHT_TRY(placer_.validate_invariants());
        outcome_.calls = heaps_.calls();
        outcome_.peak_bytes = heaps_.peak_bytes();
        outcome_.mean_waste = waste_.mean();
        outcome_.peak_waste = waste_.peak();
        if (!frames_late_ns_.empty()) {
            outcome_.times.frames = frames_late_ns_.size();
            outcome_.times.mean_frame_ns = frame_sum_ns_ / static_cast<double>(frames_late_ns_.size());
            outcome_.times.p99_frame_ns = percentile(std::move(frames_late_ns_), 99);
            outcome_.times.least_p99_frame_ns = percentile(std::move(frames_least_ns_), 99);
            outcome_.times.median_p99_frame_ns = percentile(std::move(frames_median_ns_), 99);
        }
        if (options_.price && !is_loading())
            outcome_.times.late_chunks = placer_.figures().preparation.taken_late - late_in_load_;
        return std::move(outcome_);
    }

private:
    struct Live {
        pool::Release release;  // what its release will be
        std::uint64_t size_bytes = 0;
    };

    [[nodiscard]] bool is_loading() const { return frame_number_ == 1; }

    // After the load.
    void note_frame(bool was_behind) {
        SimulatedPrice spent = frame_;
        const auto creations = static_cast<double>(frame_creations_);
        frames_median_ns_.push_back(spent.median_ns + creations * options_.creation.median_ns);
        if (was_behind) spent.late_ns += dearest_ahead_ns_;  // at the least the driver serves both at once
        SimulatedTimes& times = outcome_.times;
        times.worst_frame_ns = std::max(times.worst_frame_ns, spent.late_ns);
        times.least_worst_frame_ns = std::max(times.least_worst_frame_ns, spent.least_ns);
        times.median_worst_frame_ns = std::max(times.median_worst_frame_ns, spent.median_ns);
        times.most_calls = std::max<std::uint64_t>(times.most_calls, frame_calls_ + (was_behind ? 1 : 0));
        frame_sum_ns_ += spent.late_ns;
        frames_late_ns_.push_back(spent.late_ns + creations * options_.creation.late_ns);
        frames_least_ns_.push_back(spent.least_ns + creations * options_.creation.least_ns);
    }

    [[nodiscard]] pool::PoolOptions pool_options() {
        pool::PoolOptions options{.memory_limit_bytes = options_.memory_limit_bytes};
        if (!options_.price) return options;
        options.background = [this](background::WorkItem item) {
            waiting_.push_back(std::move(item));
            return true;
        };
        return options;
    }

    void count_new_chunk(std::uint32_t bucket) {
        if (new_chunks_.size() <= bucket) {
            new_chunks_.resize(bucket + std::size_t{1});
            outcome_.most_new_chunks.resize(bucket + std::size_t{1});
        }
        std::uint64_t& most = outcome_.most_new_chunks[bucket];
        most = std::max(most, ++new_chunks_[bucket]);
    }

    // Of the calls made since this was asked last.
    SimulatedPrice take_costs() {
        SimulatedPrice cost;
        const std::vector<DeviceMemoryCall>& calls = heaps_.calls();
        for (; seen_calls_ < calls.size(); ++seen_calls_) {
            const DeviceMemoryCall& call = calls[seen_calls_];
            reserved_bytes_ += call.takes ? call.size_bytes : 0;
            reserved_bytes_ -= call.takes ? 0 : call.size_bytes;
            if (options_.price) cost += options_.price(call);
        }
        return cost;
    }

    SimulatedPrice take_frame_costs() {
        frame_calls_ += heaps_.calls().size() - seen_calls_;
        const SimulatedPrice cost = take_costs();
        frame_ += cost;
        return cost;
    }

    // The background begins nothing once the frame's time is over.
    void rest(double left_ns) {
        while (!waiting_.empty() && left_ns > 0) {
            const background::WorkItem item = std::move(waiting_.front());
            waiting_.pop_front();
            item.callback();
            const SimulatedPrice taken = take_costs();
            dearest_ahead_ns_ = std::max(dearest_ahead_ns_, taken.late_ns);
            left_ns -= taken.late_ns;
        }
    }

    [[nodiscard]] Result<pool::Release> try_create(const workload::Create& create, std::uint64_t& size_bytes) {
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, requirements_of_(create.resource));
        size_bytes = requirements.size_bytes;
        const pool::MemoryPlacer::Request request{
            .requirements = requirements,
            .resource_class = model::resource_class(create.resource, placer_.index().separates_render_targets()),
            .use = create.memory_use,
            .transient_attachment = model::is_transient_attachment(create.resource),
            .own_memory = create.own_memory};
        pool::Release made;
        const auto take = [&](MemoryTypeIndex memory_type) -> Status {
            HEAPWRIGHT_ASSIGN(const device::AllocationId heap,
                              heaps_.take({.memory_type = memory_type, .size_bytes = requirements.size_bytes},
                                          request.resource_class != model::ResourceClass::kLinear));
            made.resource = device::ResourceId{heap.value};
            return {};
        };
        const auto keep = [&](const pool::MemoryPlacer::Placed& placed) {
            if (const auto* placement = std::get_if<pool::Placement>(&placed)) made.placement = *placement;
            if (const auto* alone = std::get_if<pool::DedicatedAllocation>(&placed)) made.dedicated = *alone;
        };
        auto placed = placer_.place(request, take);
        if (!placed && placed.error().code == ErrorCode::kRefused) {
            HEAPWRIGHT_ASSIGN(const pool::DedicatedAllocation alone, placer_.allocate_alone(request, take));
            keep(alone);
            return made;
        }
        if (!placed) return fail(std::move(placed.error()));
        keep(*placed);
        return made;
    }

    static SimulatedPlace placed(const pool::Placement& placement) {
        return {.memory_type = placement.memory_type.value,
                .bucket = placement.bucket,
                .chunk = placement.chunk,
                .offset_bytes = placement.offset_bytes,
                .size_bytes = placement.size_bytes};
    }
    static SimulatedPlace placed(const pool::DedicatedAllocation& alone) {
        return {.alone = true, .memory_type = alone.memory_type.value, .size_bytes = alone.size_bytes};
    }

    const SimulatedPoolOptions& options_;
    std::deque<background::WorkItem> waiting_;
    CountedHeaps heaps_;
    pool::MemoryPlacer placer_;
    const RequirementsOf& requirements_of_;
    std::uint64_t frame_number_ = 1;
    std::unordered_map<std::uint64_t, Live> live_;
    std::size_t seen_calls_ = 0;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t used_bytes_ = 0;           // as the driver asks, of the live ones and those that frames in flight use
    std::deque<std::uint64_t> given_up_{0};  // bytes of each such frame, and of the one that is recorded
    std::uint64_t late_in_load_ = 0;
    pool::WasteAccount waste_;
    std::vector<std::uint64_t> new_chunks_;  // by bucket, in this frame
    SimulatedPrice frame_;                   // what the one under way has spent on the device
    std::uint64_t frame_calls_ = 0;
    std::uint64_t frame_creations_ = 0;
    double frame_sum_ns_ = 0;             // of the frames after the load
    std::vector<double> frames_late_ns_;  // of each of them
    std::vector<double> frames_least_ns_;
    std::vector<double> frames_median_ns_;
    double dearest_ahead_ns_ = 0;  // of the background's items
    bool is_behind_ = false;       // in this frame
    SimulatedPool outcome_;
};

}  // namespace

Result<SimulatedPool> simulate_pool(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                                    std::span<const workload::Operation> operations,
                                    const RequirementsOf& requirements_of, const SimulatedPoolOptions& options) {
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(facts, policy));
    PoolOverNumbers pool(facts, policy, std::move(index), requirements_of, options);
    pool.expect(static_cast<std::size_t>(std::ranges::count_if(operations, [](const workload::Operation& operation) {
        return std::holds_alternative<workload::Create>(operation);
    })));
    for (const workload::Operation& operation : operations) HEAPWRIGHT_TRY(std::visit(pool, operation));
    return pool.finish();
}

}  // namespace heapwright::policy
