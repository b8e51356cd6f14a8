#include <utility>
#include <vector>

#include "heapwright/runtime/memory_pool.hpp"
#include "heapwright/validate/allocator_under_test.hpp"

namespace heapwright::validate {
namespace {

class PoolUnderTest final : public AllocatorUnderTest {
public:
    explicit PoolUnderTest(std::unique_ptr<runtime::MemoryPool> pool) : pool_(std::move(pool)) {}

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use) override {
        return keep(pool_->create(description, use));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return keep(pool_->allocate_dedicated(description, use));
    }
    void release(const Created& created, TimelineValue last_use) override {
        resources_[created.token].mark_used(last_use);
        resources_[created.token].reset();
        vacant_.push_back(created.token);
    }
    Status collect(TimelineValue completed) override { return pool_->collect(completed); }
    Status validate_invariants() const override { return pool_->validate_invariants(); }
    std::vector<OccupancyFigures> pools() const override { return occupancy_of(*pool_); }

private:
    Result<Created> keep(Result<runtime::Resource> resource) {
        if (!resource) return fail(std::move(resource.error()));
        if (vacant_.empty()) {
            vacant_.push_back(resources_.size());
            resources_.emplace_back();
        }
        const std::uint64_t token = vacant_.back();
        vacant_.pop_back();
        resources_[token] = std::move(*resource);
        return Created{.resource = resources_[token].id(), .token = token};
    }

    std::unique_ptr<runtime::MemoryPool> pool_;  // outlives the resources below
    std::vector<runtime::Resource> resources_;
    std::vector<std::uint64_t> vacant_;
};

}  // namespace

std::vector<OccupancyFigures> occupancy_of(const runtime::MemoryPool& pool) {
    std::vector<OccupancyFigures> all;
    for (const runtime::BucketFigures& bucket : pool.figures().buckets) {
        all.push_back({.name = bucket.id,
                       .used_bytes = bucket.suballocations.used,
                       .reserved_bytes = bucket.reserved_bytes,
                       .largest_free_bytes = bucket.suballocations.largest_free_range,
                       .fragmentation = bucket.mean_fragmentation,
                       .chunks = bucket.chunks});
    }
    return all;
}

Result<std::unique_ptr<AllocatorUnderTest>> make_pool_under_test(device::Device& device,
                                                                 const model::DevicePolicy& policy,
                                                                 std::uint64_t memory_limit_bytes) {
    HEAPWRIGHT_ASSIGN(auto pool,
                      runtime::MemoryPool::create(device, policy, {.memory_limit_bytes = memory_limit_bytes}));
    return std::make_unique<PoolUnderTest>(std::move(pool));
}

}  // namespace heapwright::validate
