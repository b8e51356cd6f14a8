#include "heapwright/policy/simulation.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "heapwright/contract/ageing.hpp"
#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/policy/simulated_account.hpp"
#include "heapwright/policy/vma_pool.hpp"
#include "heapwright/pool/chunk_set.hpp"

namespace heapwright::policy {
namespace {

// Chunks that cost what the account says and hold nothing.
class CountedMemory final : public pool::ChunkMemory {
public:
    CountedMemory(SimulatedAccount& account, std::uint64_t heap_bytes)
        : account_(account), most_kept_bytes_(contract::most_kept_empty_bytes(heap_bytes, contract::kKeptEmptyShare)) {}

    Result<Piece> take(std::uint64_t size_bytes, std::uint64_t) override {
        account_.take_chunk(size_bytes);
        return Piece{.heap = {++taken_}, .size_bytes = size_bytes};
    }
    void give_back(const Piece& piece) override { account_.give_back(piece.size_bytes); }
    bool keep_empty(std::uint64_t size_bytes) override {
        if (!contract::may_keep_empty(kept_bytes_, size_bytes, most_kept_bytes_)) return false;
        kept_bytes_ += size_bytes;
        return true;
    }
    void end_keeping(std::uint64_t size_bytes) override { kept_bytes_ -= size_bytes; }

private:
    SimulatedAccount& account_;
    std::uint64_t most_kept_bytes_;
    std::uint64_t kept_bytes_ = 0;
    std::uint64_t taken_ = 0;
};

class SimulatedBucket {
public:
    SimulatedBucket(const model::BucketPolicy& bucket, const SampledTrace& trace, const AllocationCost& cost)
        : bucket_(bucket),
          account_(cost),
          memory_(account_, trace.heap_bytes),
          chunks_(bucket, memory_, {}),
          places_(trace.resources.size()) {}

    void create(std::uint32_t index, const SampledResource& resource) {
        used_ += resource.size_bytes;
        if (contract::passes_threshold(bucket_, resource.size_bytes)) {
            account_.take(resource.size_bytes);
            return;
        }
        // A request that no chunk can hold takes none; the memory itself never refuses.
        if (auto placement = chunks_.allocate(resource.size_bytes, resource.alignment_bytes))
            places_[index] = *placement;
    }

    void destroy(std::uint32_t index, const SampledResource& resource) {
        used_ -= resource.size_bytes;
        if (contract::passes_threshold(bucket_, resource.size_bytes)) return account_.give_back(resource.size_bytes);
        if (const auto place = std::exchange(places_[index], std::nullopt)) (void)chunks_.free(*place);
    }

    void end_frame(bool counts) {
        chunks_.age();
        account_.end_frame(used_, counts);
    }

    [[nodiscard]] SimulatedFigures take_figures() { return account_.take_figures(); }

private:
    const model::BucketPolicy& bucket_;
    SimulatedAccount account_;
    CountedMemory memory_;
    pool::ChunkSet chunks_;
    std::vector<std::optional<pool::Placement>> places_;
    std::uint64_t used_ = 0;
};

class VmaSmallPool {
public:
    VmaSmallPool(std::uint64_t heap_bytes, std::uint64_t granularity_bytes, const AllocationCost& cost,
                 std::size_t resources)
        : pool_(vma_block_bytes(heap_bytes), granularity_bytes), account_(cost), places_(resources) {}

    void create(std::uint32_t index, const SampledResource& resource) {
        used_ += resource.size_bytes;
        const VmaRequest request{.size_bytes = resource.size_bytes,
                                 .alignment_bytes = resource.alignment_bytes,
                                 .is_optimal = resource.resource_class != model::ResourceClass::kLinear};
        if (!pool_.prefers_dedicated(resource.size_bytes)) places_[index] = pool_.allocate(request);
        if (places_[index]) return;
        if (!pool_.prefers_dedicated(resource.size_bytes)) {
            const std::uint64_t bytes = pool_.new_block_sizes(resource.size_bytes).front();
            account_.take(bytes);
            places_[index] = pool_.allocate_in_new_block(next_block_++, bytes, request);
            return;
        }
        account_.take(resource.size_bytes);
    }

    void destroy(std::uint32_t index, const SampledResource& resource) {
        used_ -= resource.size_bytes;
        const auto place = std::exchange(places_[index], std::nullopt);
        if (!place) return account_.give_back(resource.size_bytes);
        if (const auto block = pool_.free(*place)) account_.give_back(block->size_bytes);
    }

    void end_frame(bool counts) { account_.end_frame(used_, counts); }

    [[nodiscard]] SimulatedFigures take_figures() { return account_.take_figures(); }

private:
    VmaPool pool_;
    SimulatedAccount account_;
    std::vector<std::optional<VmaPool::Place>> places_;
    std::uint64_t next_block_ = 0;
    std::uint64_t used_ = 0;
};

template <class Pool>
SimulatedFigures play(const SampledTrace& trace, Pool& pool, const std::vector<bool>& mine) {
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TraceStep& step = trace.steps[at];
        if (step.kind == TraceStep::Kind::kEndFrame)
            pool.end_frame(at >= trace.load_steps);
        else if (!mine[step.resource])
            continue;
        else if (step.kind == TraceStep::Kind::kCreate)
            pool.create(step.resource, trace.resources[step.resource]);
        else
            pool.destroy(step.resource, trace.resources[step.resource]);
    }
    return pool.take_figures();
}

// The bucket of two-level bins that the rule describes.
model::BucketPolicy bucket_under(const ChunkRule& rule) {
    model::BucketPolicy bucket;
    bucket.chunk_size_bytes.value = rule.chunk_bytes;
    if (rule.first_bytes < rule.chunk_bytes) {
        bucket.growth.emplace();
        bucket.growth->first_chunk_bytes.value = rule.first_bytes;
        bucket.growth->divisor.value = rule.divisor;
    }
    bucket.dedicated_threshold_bytes.emplace().value = rule.dedicated_threshold_bytes;
    bucket.chunk_choice.value = rule.choice;
    bucket.granule_bytes.value = rule.granule_bytes;
    return bucket;
}

}  // namespace

SimulatedFigures simulate(const SampledTrace& trace, const model::BucketPolicy& bucket, const AllocationCost& cost,
                          const std::function<bool(const SampledResource&)>& belongs) {
    std::vector<bool> mine(trace.resources.size());
    for (std::size_t index = 0; index < mine.size(); ++index) mine[index] = belongs(trace.resources[index]);
    SimulatedBucket simulated(bucket, trace, cost);
    return play(trace, simulated, mine);
}

SimulatedFigures simulate(const SampledTrace& trace, const ChunkRule& rule, const AllocationCost& cost,
                          const std::function<bool(const SampledResource&)>& belongs) {
    return simulate(trace, bucket_under(rule), cost, belongs);
}

SimulatedFigures simulate_vma(const SampledTrace& trace, std::uint64_t heap_bytes, std::uint64_t granularity_bytes,
                              const AllocationCost& cost) {
    VmaSmallPool pool(heap_bytes, granularity_bytes, cost, trace.resources.size());
    return play(trace, pool, std::vector<bool>(trace.resources.size(), true));
}

}  // namespace heapwright::policy
