#include "heapwright/policy/simulated_pool.hpp"

#include <map>
#include <utility>
#include <variant>

#include "heapwright/pool/memory_placer.hpp"

namespace heapwright::policy {
namespace {

using RequirementsOf = std::function<Result<model::MemoryRequirements>(const model::ResourceDescription&)>;

class PoolOverNumbers {
public:
    PoolOverNumbers(const model::DeviceReport& facts, const model::DevicePolicy& policy, contract::BucketIndex index,
                    const RequirementsOf& requirements_of, const SimulatedPoolOptions& options)
        : heaps_(facts),
          placer_({.facts = facts, .heaps = heaps_}, policy, std::move(index),
                  {.memory_limit_bytes = options.memory_limit_bytes}),
          requirements_of_(requirements_of),
          frames_in_flight_(options.frames_in_flight) {
        placer_.begin_recording(TimelineValue{frame_});
    }

    Status operator()(const workload::Create& create) {
        auto made = try_create(create);
        if (!made) {
            outcome_.places.push_back({.error = made.error().code});
            return {};
        }
        outcome_.places.push_back(made->placement ? placed(*made->placement) : placed(made->dedicated));
        live_.insert_or_assign(create.id, std::move(*made));
        return {};
    }

    Status operator()(const workload::Destroy& destroy) {
        const auto entry = live_.find(destroy.id);
        if (entry == live_.end()) return {};  // its creation failed
        placer_.release(std::move(entry->second));
        live_.erase(entry);
        return {};
    }

    Status operator()(const workload::EndFrame&) {
        const TimelineValue completed{frame_ > frames_in_flight_ ? frame_ - frames_in_flight_ : 0};
        placer_.begin_recording(TimelineValue{++frame_});
        return placer_.release_completed(
            completed, [this](device::ResourceId alone) { heaps_.free(device::AllocationId{alone.value}); });
    }

    Result<SimulatedPool> finish() {
        HEAPWRIGHT_TRY(placer_.validate_invariants());
        outcome_.calls = heaps_.calls();
        outcome_.peak_bytes = heaps_.peak_bytes();
        return std::move(outcome_);
    }

private:
    [[nodiscard]] Result<pool::Release> try_create(const workload::Create& create) {
        HEAPWRIGHT_ASSIGN(const model::MemoryRequirements requirements, requirements_of_(create.resource));
        const pool::MemoryPlacer::Request request{
            .requirements = requirements,
            .resource_class = model::resource_class(create.resource, placer_.index().separates_render_targets()),
            .use = create.memory_use,
            .transient_attachment = model::is_transient_attachment(create.resource)};
        pool::Release made;
        const auto take = [&](MemoryTypeIndex memory_type) -> Status {
            HEAPWRIGHT_ASSIGN(const device::AllocationId heap,
                              heaps_.allocate({.memory_type = memory_type, .size_bytes = requirements.size_bytes}));
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

    CountedHeaps heaps_;
    pool::MemoryPlacer placer_;
    const RequirementsOf& requirements_of_;
    std::uint64_t frames_in_flight_;
    std::uint64_t frame_ = 1;
    std::map<std::uint64_t, pool::Release> live_;  // what its release will be
    SimulatedPool outcome_;
};

}  // namespace

Result<SimulatedPool> simulate_pool(const model::DeviceReport& facts, const model::DevicePolicy& policy,
                                    std::span<const workload::Operation> operations,
                                    const RequirementsOf& requirements_of, const SimulatedPoolOptions& options) {
    HEAPWRIGHT_ASSIGN(contract::BucketIndex index, contract::BucketIndex::create(facts, policy));
    PoolOverNumbers pool(facts, policy, std::move(index), requirements_of, options);
    for (const workload::Operation& operation : operations) HEAPWRIGHT_TRY(std::visit(pool, operation));
    return pool.finish();
}

}  // namespace heapwright::policy
