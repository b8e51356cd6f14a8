#include "policy/played_pool.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace heapwright::policy {
namespace {

SimulatedPlace place_of(const pool::Placement& placement) {
    return {.memory_type = placement.memory_type.value,
            .bucket = placement.bucket,
            .chunk = placement.chunk,
            .offset_bytes = placement.offset_bytes,
            .size_bytes = placement.size_bytes};
}

void raise_to(SimulatedPrice& most, const SimulatedPrice& price) {
    most.late_ns = std::max(most.late_ns, price.late_ns);
    most.least_ns = std::max(most.least_ns, price.least_ns);
    most.median_ns = std::max(most.median_ns, price.median_ns);
}

}  // namespace

Result<std::unique_ptr<PlayedPool>> PlayedPool::create(const model::DeviceReport& facts,
                                                       const model::DevicePolicy& policy,
                                                       const SimulatedPoolOptions& options,
                                                       std::vector<DeviceMemoryCall>* calls) {
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(facts, policy));
    return std::unique_ptr<PlayedPool>(new PlayedPool(facts, policy, std::move(index), options, calls));
}

PlayedPool::PlayedPool(const model::DeviceReport& facts, const model::DevicePolicy& policy, contract::BucketIndex index,
                       const SimulatedPoolOptions& options, std::vector<DeviceMemoryCall>* calls)
    : options_(options),
      calls_(calls),
      memory_(facts, options.memory),
      placer_({.facts = facts, .memory = memory_}, policy, std::move(index), pool_options()) {
    placer_.begin_recording(TimelineValue{frame_number_});
}

pool::PoolOptions PlayedPool::pool_options() {
    pool::PoolOptions options{.memory_limit_bytes = options_.memory_limit_bytes};
    if (!options_.price) return options;
    options.background = [this](device::WorkItem item) {
        waiting_.push_back(std::move(item));
        return true;
    };
    return options;
}

SimulatedPlace PlayedPool::create(std::uint32_t slot, const pool::MemoryPlacer::Request& request) {
    const auto made = try_create(request);
    if (!made) {
        take_request_costs();
        return {.error = made.error().code};
    }
    const bool is_alone = made->held == Held::kAlone;
    const SimulatedPlace place = is_alone ? SimulatedPlace{.alone = true,
                                                           .memory_type = made->placement.memory_type.value,
                                                           .size_bytes = made->placement.size_bytes}
                                          : place_of(made->placement);
    if (live_.size() <= slot) live_.resize(slot + std::size_t{1});
    live_[slot] = *made;
    used_bytes_ += request.requirements.size_bytes;
    ++frame_.creations;
    if (take_request_costs() && !place.alone && !is_loading()) count_new_chunk(place.bucket);
    return place;
}

bool PlayedPool::take_request_costs() {
    if (!memory_.has_unread_calls()) return false;
    const SimulatedPrice cost = take_frame_costs();
    // A driver takes memory for one caller at a time: this call may come amid an item of the background.
    is_behind_ = is_behind_ || (cost.late_ns > 0 && !waiting_.empty());
    if (is_loading()) raise_to(worst_load_, cost);
    return true;
}

void PlayedPool::destroy(std::uint32_t slot) {
    if (slot >= live_.size() || live_[slot].held == Held::kNothing) return;
    Live& live = live_[slot];
    given_up_.back() += live.requested_bytes;
    if (live.held == Held::kPlaced)
        placer_.release(live.placement, TimelineValue{frame_number_});
    else
        placer_.release(
            {.resource = device::ResourceId{live.placement.memory.value},
             .dedicated = {.memory_type = live.placement.memory_type, .size_bytes = live.placement.size_bytes},
             .last_use = TimelineValue{frame_number_}});
    live.held = Held::kNothing;
}

Result<PlayedFrame> PlayedPool::end_frame() {
    const TimelineValue completed{frame_number_ - std::min(frame_number_, options_.frames_in_flight)};
    const bool was_loading = is_loading();
    frame_.is_load = was_loading;
    frame_.reserved_bytes = reserved_bytes_;
    frame_.used_bytes = used_bytes_;
    given_up_.push_back(0);
    if (completed.value != 0) {
        used_bytes_ -= given_up_.front();
        given_up_.pop_front();
    }
    placer_.begin_recording(TimelineValue{++frame_number_});
    HEAPWRIGHT_TRY(placer_.release_completed(
        completed, [this](device::ResourceId alone) { memory_.free(device::AllocationId{alone.value}); }));
    take_frame_costs();
    const bool was_behind = std::exchange(is_behind_, false);
    frame_.waited = was_behind;
    frame_.waited_ns = was_behind ? dearest_ahead_ns_ : 0;
    // Whoever has loaded lets the background finish before the first frame.
    rest(was_loading ? std::numeric_limits<double>::infinity()
                     : static_cast<double>(options_.frame_budget_ns) - frame_.spent.late_ns);
    if (was_loading) {
        late_in_load_ = placer_.figures().preparation.taken_late;
        if (was_behind) worst_load_.late_ns += dearest_ahead_ns_;
    }
    std::ranges::fill(new_chunks_, 0);
    return std::exchange(frame_,
                         {.most_reserved_bytes = reserved_bytes_, .most_alive_allocations = alive_allocations_});
}

Status PlayedPool::finish() {
    take_frame_costs();
    return placer_.validate_invariants();
}

std::uint64_t PlayedPool::late_chunks() const {
    return options_.price && !is_loading() ? placer_.figures().preparation.taken_late - late_in_load_ : 0;
}

void PlayedPool::count_new_chunk(std::uint32_t bucket) {
    if (new_chunks_.size() <= bucket) {
        new_chunks_.resize(bucket + std::size_t{1});
        most_new_chunks_.resize(bucket + std::size_t{1});
    }
    std::uint64_t& most = most_new_chunks_[bucket];
    most = std::max(most, ++new_chunks_[bucket]);
}

PlayedPool::Costs PlayedPool::take_costs() {
    Costs costs;
    memory_.read_calls([&](const DeviceMemoryCall& call) {
        if (call.takes) {
            reserved_bytes_ += call.size_bytes;
            ++alive_allocations_;
            ++costs.allocations;
            frame_.most_reserved_bytes = std::max(frame_.most_reserved_bytes, reserved_bytes_);
            frame_.most_alive_allocations = std::max(frame_.most_alive_allocations, alive_allocations_);
        } else {
            reserved_bytes_ -= call.size_bytes;
            --alive_allocations_;
        }
        ++costs.calls;
        if (options_.price) costs.price += options_.price(call);
        if (calls_ != nullptr) calls_->push_back(call);
    });
    return costs;
}

SimulatedPrice PlayedPool::take_frame_costs() {
    const Costs costs = take_costs();
    frame_.calls += costs.calls;
    frame_.allocations += costs.allocations;
    frame_.spent += costs.price;
    return costs.price;
}

// The background begins nothing once the frame's time is over.
void PlayedPool::rest(double left_ns) {
    while (!waiting_.empty() && left_ns > 0) {
        const device::WorkItem item = std::move(waiting_.front());
        waiting_.pop_front();
        item.callback();
        const SimulatedPrice taken = take_costs().price;
        dearest_ahead_ns_ = std::max(dearest_ahead_ns_, taken.late_ns);
        background_ns_ += taken.median_ns;
        left_ns -= taken.late_ns;
    }
}

Result<PlayedPool::Live> PlayedPool::try_create(const pool::MemoryPlacer::Request& request) {
    Live made{.requested_bytes = request.requirements.size_bytes};
    // One reference, so that std::function keeps it without an allocation.
    const struct {
        CountedMemory& memory;
        const pool::MemoryPlacer::Request& request;
        Live& made;
    } use{.memory = memory_, .request = request, .made = made};
    const auto take = [&use](MemoryTypeIndex memory_type) -> Status {
        HEAPWRIGHT_ASSIGN(
            use.made.placement.memory,
            use.memory.take({.memory_type = memory_type, .size_bytes = use.request.requirements.size_bytes},
                            use.request.resource_class != model::ResourceClass::kLinear));
        return {};
    };
    const auto keep = [&](const pool::DedicatedAllocation& alone) {
        made.placement.memory_type = alone.memory_type;
        made.placement.size_bytes = alone.size_bytes;
        made.held = Held::kAlone;
    };
    auto placed = placer_.place(request, take);
    if (!placed && placed.error().code == ErrorCode::kRefused) {
        HEAPWRIGHT_ASSIGN(const pool::DedicatedAllocation alone, placer_.allocate_alone(request, take));
        keep(alone);
        return made;
    }
    if (!placed) return fail(std::move(placed.error()));
    if (const auto* placement = std::get_if<pool::Placement>(&*placed)) {
        made.placement = *placement;
        made.held = Held::kPlaced;
    } else {
        keep(std::get<pool::DedicatedAllocation>(*placed));
    }
    return made;
}

}  // namespace heapwright::policy
