#include "heapwright/policy/simulation.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/vma_pool.hpp"
#include "heapwright/suballoc/tlsf_allocator.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kEmptyChunkAge = 120;  // frames, as the runtime keeps the last one
constexpr std::uint64_t kSurplusAge = kEmptyChunkAge / 8;

struct Chunk {
    std::uint64_t size_bytes = 0;
    suballoc::TlsfAllocator space;
    std::uint64_t empty_since = 0;

    [[nodiscard]] std::uint64_t free_bytes() const { return space.capacity() - space.used(); }
};

struct Place {
    Chunk* chunk = nullptr;  // empty: an allocation of its own, or not alive
    suballoc::SuballocationHandle handle;
    std::uint64_t dedicated_bytes = 0;
};

// What is reserved and what it cost, whatever rule reserves it.
class Account {
public:
    explicit Account(const AllocationCost& cost) : cost_(cost) {}

    void take(std::uint64_t bytes) {
        reserved_ += bytes;
        figures_.peak_reserved_bytes = std::max(figures_.peak_reserved_bytes, reserved_);
        figures_.peak_allocations = std::max(figures_.peak_allocations, ++allocations_);
        ++figures_.allocation_calls;
        const double cost = cost_.allocate_ns(bytes);
        frame_ns_ += cost;
        dearest_ns_ = std::max(dearest_ns_, cost);
    }

    void take_chunk(std::uint64_t bytes) {
        take(bytes);
        ++frame_chunks_;
    }

    void give_back(std::uint64_t bytes) {
        reserved_ -= bytes;
        --allocations_;
        frame_ns_ += cost_.free_ns(bytes);
    }

    void end_frame(std::uint64_t used_bytes, bool counts) {
        if (counts) {
            figures_.worst_frame_ns = std::max(figures_.worst_frame_ns, frame_ns_);
            frame_sum_ns_ += frame_ns_;
            figures_.most_new_chunks = std::max(figures_.most_new_chunks, frame_chunks_);
            reserved_sum_ += static_cast<double>(reserved_);
            used_sum_ += static_cast<double>(used_bytes);
            ++samples_;
        }
        frame_ns_ = 0;
        frame_chunks_ = 0;
    }

    [[nodiscard]] SimulatedFigures take_figures() {
        figures_.worst_frame_ns = std::max(figures_.worst_frame_ns, dearest_ns_);
        if (samples_ != 0) {
            figures_.mean_reserved_bytes = reserved_sum_ / static_cast<double>(samples_);
            figures_.mean_used_bytes = used_sum_ / static_cast<double>(samples_);
            figures_.mean_frame_ns = frame_sum_ns_ / static_cast<double>(samples_);
        }
        return figures_;
    }

private:
    const AllocationCost& cost_;
    std::uint64_t reserved_ = 0;
    std::uint64_t allocations_ = 0;
    std::uint64_t samples_ = 0;
    std::uint64_t frame_chunks_ = 0;
    double frame_ns_ = 0;
    double frame_sum_ns_ = 0;
    double dearest_ns_ = 0;
    double reserved_sum_ = 0;
    double used_sum_ = 0;
    SimulatedFigures figures_;
};

class SmallPool {
public:
    SmallPool(const ChunkRule& rule, const AllocationCost& cost, std::size_t resources)
        : rule_(rule), account_(cost), places_(resources) {}

    void create(std::uint32_t index, const SampledResource& resource) {
        used_ += resource.size_bytes;
        const std::uint64_t size =
            checked_align_up(resource.size_bytes, rule_.granule_bytes).value_or(resource.size_bytes);
        if (resource.size_bytes > rule_.dedicated_threshold_bytes) {
            account_.take(resource.size_bytes);
            places_[index].dedicated_bytes = resource.size_bytes;
            return;
        }
        if (place_in_chunks(index, size, resource.alignment_bytes)) return;
        const std::uint64_t bytes = next_chunk_bytes(rule_, held_, size, rule_.granule_bytes);
        auto space = suballoc::TlsfAllocator::create({.capacity = bytes, .granule = rule_.granule_bytes});
        if (!space) return;
        account_.take_chunk(bytes);
        held_ += bytes;
        chunks_.push_back(std::make_unique<Chunk>(Chunk{.size_bytes = bytes, .space = std::move(*space)}));
        Chunk& chunk = *chunks_.back();
        if (const auto range = chunk.space.allocate(size, resource.alignment_bytes))
            places_[index] = {.chunk = &chunk, .handle = range->handle};
        order(chunks_.size() - 1);
    }

    void destroy(std::uint32_t index, const SampledResource& resource) {
        used_ -= resource.size_bytes;
        const Place place = std::exchange(places_[index], Place{});
        if (place.dedicated_bytes != 0) account_.give_back(place.dedicated_bytes);
        if (place.chunk == nullptr) return;
        place.chunk->space.free(place.handle);
        const auto position =
            std::find_if(chunks_.begin(), chunks_.end(), [&](const auto& chunk) { return chunk.get() == place.chunk; });
        const auto slot = static_cast<std::size_t>(position - chunks_.begin());
        if (place.chunk->space.is_empty()) place.chunk->empty_since = frame_;
        order(slot);
    }

    void end_frame(bool counts) {
        ++frame_;
        auto empty =
            std::count_if(chunks_.begin(), chunks_.end(), [](const auto& chunk) { return chunk->space.is_empty(); });
        for (std::size_t slot = chunks_.size(); slot-- > 0;) {
            if (!chunks_[slot]->space.is_empty()) continue;
            if (frame_ - chunks_[slot]->empty_since <= (empty > 1 ? kSurplusAge : kEmptyChunkAge)) continue;
            remove(slot);
            --empty;
        }
        account_.end_frame(used_, counts);
    }

    [[nodiscard]] SimulatedFigures take_figures() { return account_.take_figures(); }

private:
    bool place(Chunk& chunk, std::uint32_t index, std::uint64_t size, std::uint64_t alignment) {
        const auto range = chunk.space.allocate(size, alignment);
        if (!range) return false;
        places_[index] = {.chunk = &chunk, .handle = range->handle};
        return true;
    }

    bool place_in_chunks(std::uint32_t index, std::uint64_t size, std::uint64_t alignment) {
        if (rule_.choice == model::ChunkChoice::kTightest) {
            std::size_t tightest = chunks_.size();
            std::uint64_t smallest = ~0ull;
            for (std::size_t slot = 0; slot < chunks_.size(); ++slot) {
                const std::uint64_t range = chunks_[slot]->space.fit(size, alignment);
                if (range == 0 || range >= smallest) continue;
                smallest = range;
                tightest = slot;
            }
            if (tightest == chunks_.size()) return false;
            if (place(*chunks_[tightest], index, size, alignment)) {
                order(tightest);
                return true;
            }
        }
        for (std::size_t slot = 0; slot < chunks_.size(); ++slot) {
            if (chunks_[slot]->free_bytes() < size || !place(*chunks_[slot], index, size, alignment)) continue;
            order(slot);
            return true;
        }
        return false;
    }

    // Ascending free bytes.
    void order(std::size_t slot) {
        for (; slot > 0 && chunks_[slot - 1]->free_bytes() > chunks_[slot]->free_bytes(); --slot)
            std::swap(chunks_[slot - 1], chunks_[slot]);
        for (; slot + 1 < chunks_.size() && chunks_[slot + 1]->free_bytes() < chunks_[slot]->free_bytes(); ++slot)
            std::swap(chunks_[slot + 1], chunks_[slot]);
    }

    void remove(std::size_t slot) {
        held_ -= chunks_[slot]->size_bytes;
        account_.give_back(chunks_[slot]->size_bytes);
        chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(slot));
    }

    const ChunkRule& rule_;
    Account account_;
    std::vector<Place> places_;
    std::vector<std::unique_ptr<Chunk>> chunks_;
    std::uint64_t held_ = 0;  // in chunks
    std::uint64_t used_ = 0;
    std::uint64_t frame_ = 0;
};

class VmaSmallPool {
public:
    VmaSmallPool(std::uint64_t heap_bytes, std::uint64_t granularity_bytes, const AllocationCost& cost,
                 std::size_t resources)
        : pool_(heap_bytes, granularity_bytes), account_(cost), places_(resources) {}

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
    Account account_;
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

}  // namespace

std::uint64_t next_chunk_bytes(const ChunkRule& rule, std::uint64_t held_bytes, std::uint64_t size_bytes,
                               std::uint64_t unit_bytes) {
    const std::uint64_t bound = std::min(rule.chunk_bytes, std::max(rule.first_bytes, held_bytes / rule.divisor));
    std::uint64_t bytes = std::min(rule.first_bytes, rule.chunk_bytes);
    while (bytes != 0 && bytes <= bound / 2) bytes *= 2;
    return std::max(align_down(bytes, unit_bytes), checked_align_up(size_bytes, unit_bytes).value_or(size_bytes));
}

SimulatedFigures simulate(const SampledTrace& trace, const ChunkRule& rule, const AllocationCost& cost,
                          const std::function<bool(const SampledResource&)>& belongs) {
    std::vector<bool> mine(trace.resources.size());
    for (std::size_t index = 0; index < mine.size(); ++index) mine[index] = belongs(trace.resources[index]);
    SmallPool pool(rule, cost, trace.resources.size());
    return play(trace, pool, mine);
}

SimulatedFigures simulate_vma(const SampledTrace& trace, std::uint64_t heap_bytes, std::uint64_t granularity_bytes,
                              const AllocationCost& cost) {
    VmaSmallPool pool(heap_bytes, granularity_bytes, cost, trace.resources.size());
    return play(trace, pool, std::vector<bool>(trace.resources.size(), true));
}

}  // namespace heapwright::policy
