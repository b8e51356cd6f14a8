#include <algorithm>
#include <utility>
#include <vector>

#include "pool/memory_pool.hpp"
#include "validate/allocator_under_test.hpp"
#include "validate/chunk_map.hpp"
#include "validate/frame_background.hpp"

namespace heapwright::validate {
namespace {

bool has_chunks_ahead(const model::BucketPolicy& bucket) {
    return bucket.chunks_ahead && bucket.chunks_ahead->value != 0;
}

class PoolUnderTest final : public AllocatorUnderTest {
public:
    PoolUnderTest(std::unique_ptr<FrameBackground> background, std::unique_ptr<pool::MemoryPool> pool)
        : background_(std::move(background)), pool_(std::move(pool)) {}

    Result<Created> create(const model::ResourceDescription& description, model::MemoryUse use,
                           model::OwnMemory own_memory) override {
        return keep(pool_->create(description, use, own_memory));
    }
    Result<Created> create_dedicated(const model::ResourceDescription& description, model::MemoryUse use) override {
        return keep(pool_->allocate_dedicated(description, use));
    }
    void release(const Created& created, TimelineValue last_use) override {
        resources_[created.token].mark_used(last_use);
        resources_[created.token].reset();
        vacant_.push_back(created.token);
    }
    Status release_completed(TimelineValue completed) override { return pool_->release_completed(completed); }
    Status validate_invariants() const override { return pool_->validate_invariants(); }
    std::vector<OccupancyFigures> pools() const override { return occupancy_of(*pool_); }
    std::optional<model::ChunkMap> chunk_map() const override { return chunk_map_of(*pool_); }
    void rest(std::uint64_t at_most_ns) override {
        if (background_) background_->rest(at_most_ns);
    }
    std::vector<model::EngineSpan> background_spans(std::uint64_t origin_ns) const override {
        return background_ ? background_->spans(origin_ns) : std::vector<model::EngineSpan>{};
    }
    std::optional<model::PreparedChunks> prepared_chunks() const override {
        if (!background_) return std::nullopt;
        const pool::PreparationFigures figures = pool_->figures().preparation;
        return model::PreparedChunks{.prepared = figures.prepared,
                                     .taken_ready = figures.taken_ready,
                                     .taken_late = figures.taken_late,
                                     .given_back = figures.given_back,
                                     .failed = figures.failed};
    }

private:
    Result<Created> keep(Result<pool::Resource> resource) {
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

    std::unique_ptr<FrameBackground> background_;  // empty: no bucket has chunks ahead
    std::unique_ptr<pool::MemoryPool> pool_;       // outlives the resources below
    std::vector<pool::Resource> resources_;
    std::vector<std::uint64_t> vacant_;
};

}  // namespace

std::vector<OccupancyFigures> occupancy_of(const pool::MemoryPool& pool) {
    std::vector<OccupancyFigures> all;
    for (const pool::BucketFigures& bucket : pool.figures().buckets) {
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
    std::unique_ptr<FrameBackground> background;
    pool::PoolOptions options{.memory_limit_bytes = memory_limit_bytes};
    if (std::ranges::any_of(policy.buckets, has_chunks_ahead)) {
        background = std::make_unique<FrameBackground>(device.is_real());
        options.background = [&queue = *background](device::WorkItem item) { return queue.submit(std::move(item)); };
    }
    HEAPWRIGHT_ASSIGN(auto pool, pool::MemoryPool::create(device, policy, options));
    return std::make_unique<PoolUnderTest>(std::move(background), std::move(pool));
}

}  // namespace heapwright::validate
