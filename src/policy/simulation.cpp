#include "policy/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "contract/bucket_choice.hpp"
#include "contract/chunks.hpp"
#include "core/random.hpp"
#include "heapwright/pool/pool_options.hpp"
#include "policy/simulated_account.hpp"
#include "policy/vma.hpp"
#include "pool/chunk_set.hpp"
#include "workload/stream.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kFewestFrames = 16;
constexpr std::uint64_t kMostFrames = 4096;

struct Unit {
    std::uint32_t part = 0;
    std::vector<std::uint32_t> members;
    std::uint64_t renewed_in = 0;  // the last frame, counted from 1
};

class Sampler {
public:
    Sampler(const model::Workload& workload, std::span<const PlacedDemand> placed, const SampleOptions& options)
        : workload_(workload),
          placed_(placed),
          options_(options),
          frames_in_flight_(std::max(1u, workload.frames_in_flight)),
          random_(workload.seed + 1) {}

    SampledTrace take(double all_units) {
        choose_counts();
        load();
        churn(all_units);
        return std::move(trace_);
    }

private:
    void choose_counts() {
        double wanted = 0;
        double bytes = 0;
        for (const PlacedDemand& entry : placed_) {
            wanted += entry.demand->count;
            bytes += entry.demand->held_bytes();
        }
        if (wanted > 0) trace_.share = std::min(1.0, static_cast<double>(options_.most_resources) / wanted);
        trace_.share_of_held = trace_.share;
        if (bytes > 0) {
            const double held = std::min(1.0, static_cast<double>(options_.most_bytes) / bytes);
            trace_.share_of_held = std::min(1.0, trace_.share / held);
            trace_.share = std::min(trace_.share, held);
        }
        trace_.heap_bytes = saturating_bytes(static_cast<double>(options_.most_bytes) * trace_.share_of_held);
        // Parts of a distribution are fractions: what one part lacks to a whole is carried to the next.
        double carried = 0;
        for (const PlacedDemand& entry : placed_) {
            carried += entry.demand->count * trace_.share;
            const double whole = std::floor(carried + 1e-9);
            counts_.push_back(static_cast<std::uint32_t>(whole));
            carried -= whole;
        }
        if (std::all_of(counts_.begin(), counts_.end(), [](std::uint32_t count) { return count == 0; })) counts_[0] = 1;
    }

    std::uint32_t draw(std::uint32_t part) {
        const Demand& demand = *placed_[part].demand;
        const std::uint64_t largest = demand.requirements.size_bytes;
        const double mean = std::min(demand.mean_bytes, static_cast<double>(largest));
        const double smallest = std::max(1.0, 2 * mean - static_cast<double>(largest));
        const double drawn = smallest + random_.unit() * (static_cast<double>(largest) - smallest);
        const std::uint64_t size = std::min(largest, std::max<std::uint64_t>(1, saturating_bytes(drawn)));
        trace_.resources.push_back({.size_bytes = size,
                                    .alignment_bytes = demand.requirements.alignment_bytes,
                                    .resource_class = demand.resource_class});
        trace_.largest_bytes = std::max(trace_.largest_bytes, size);
        return static_cast<std::uint32_t>(trace_.resources.size() - 1);
    }

    std::uint32_t create(std::uint32_t part) {
        const std::uint32_t resource = draw(part);
        trace_.steps.push_back({.kind = TraceStep::Kind::kCreate, .resource = resource});
        return resource;
    }

    void give_up(std::uint32_t resource) { given_up_.back().push_back(resource); }

    void begin_frame(std::uint64_t number) {
        given_up_.emplace_back();
        frame_ = number;
        renewed_units_ = 0;
        if (pending_.empty()) return;
        units_[pending_.front().first].renewed_in = frame_;
        renewed_units_ = 1;
    }

    void end_frame() {
        if (given_up_.size() > frames_in_flight_) {
            for (const std::uint32_t resource : given_up_.front())
                trace_.steps.push_back({.kind = TraceStep::Kind::kDestroy, .resource = resource});
            given_up_.pop_front();
        }
        trace_.steps.push_back({});
    }

    void load() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t part = 0; part < placed_.size(); ++part) {
            if (placed_[part].demand->lifetime != model::Lifetime::kFrame)
                order.insert(order.end(), counts_[part], part);
        }
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(i))]);

        std::vector<std::size_t> open(placed_.size(), ~std::size_t{0});
        for (const std::uint32_t part : order) {
            const std::uint32_t resource = create(part);
            const model::Lifetime lifetime = placed_[part].demand->lifetime;
            if (lifetime == model::Lifetime::kPersistent) continue;
            const std::uint32_t group = workload::renewed_together(lifetime, counts_[part]);
            if (open[part] == ~std::size_t{0} || units_[open[part]].members.size() >= group) {
                open[part] = units_.size();
                units_.push_back({.part = part, .members = {}});
            }
            units_[open[part]].members.push_back(resource);
        }
        trace_.steps.push_back({});
    }

    void churn(double all_units) {
        double units = 0;
        for (const Unit& unit : units_) units += static_cast<double>(unit.members.size());
        const double share = all_units > 0 ? std::min(1.0, units / trace_.share / all_units) : 0.0;
        const double steps_per_frame =
            workload_.churn_steps == 0
                ? 0
                : std::min(units,
                           share * std::min(all_units, static_cast<double>(std::max(1u, workload_.steps_per_frame))));
        double per_frame = steps_per_frame;
        for (std::uint32_t part = 0; part < placed_.size(); ++part) {
            if (placed_[part].demand->lifetime == model::Lifetime::kFrame) per_frame += counts_[part];
        }
        const std::uint64_t frames =
            std::clamp(saturating_bytes(static_cast<double>(options_.churn_steps) / std::max(1.0, per_frame)),
                       kFewestFrames, kMostFrames);
        double due = 0;
        for (std::uint64_t frame = 0; frame < frames_in_flight_ + frames; ++frame) {
            if (frame == frames_in_flight_) trace_.load_steps = trace_.steps.size();
            begin_frame(frame + 1);
            std::vector<std::uint32_t> of_frame;
            for (std::uint32_t part = 0; part < placed_.size(); ++part) {
                if (placed_[part].demand->lifetime != model::Lifetime::kFrame) continue;
                for (std::uint32_t i = 0; i < counts_[part]; ++i) of_frame.push_back(create(part));
            }
            due += steps_per_frame;
            while (due >= 1 && step()) due -= 1;
            if (due >= 1) due = 0;  // what a frame cannot renew, none after it makes up for
            for (const std::uint32_t resource : of_frame) give_up(resource);
            end_frame();
        }
    }

    // False: everything was renewed in this frame.
    [[nodiscard]] bool step() {
        if (pending_.empty()) {
            if (renewed_units_ >= units_.size()) return false;
            std::size_t chosen = 0;
            do chosen = static_cast<std::size_t>(random_.below(units_.size()));
            while (units_[chosen].renewed_in == frame_);
            units_[chosen].renewed_in = frame_;
            ++renewed_units_;
            for (std::uint32_t member = 0; member < units_[chosen].members.size(); ++member) {
                give_up(units_[chosen].members[member]);
                pending_.push_back({chosen, member});
            }
        }
        const auto [unit, member] = pending_.front();
        pending_.pop_front();
        units_[unit].members[member] = create(units_[unit].part);
        return true;
    }

    const model::Workload& workload_;
    std::span<const PlacedDemand> placed_;
    SampleOptions options_;
    std::size_t frames_in_flight_;
    Random random_;
    std::vector<std::uint32_t> counts_;
    std::vector<Unit> units_;
    std::uint64_t frame_ = 0;
    std::uint64_t renewed_units_ = 0;                            // in this frame
    std::deque<std::pair<std::size_t, std::uint32_t>> pending_;  // members of a group given up, not yet renewed
    std::deque<std::vector<std::uint32_t>> given_up_;            // by frame, the one in flight longest first
    SampledTrace trace_;
};

}  // namespace

SampledTrace sample_trace(const model::Workload& workload, std::span<const PlacedDemand> placed, double all_units,
                          const SampleOptions& options) {
    if (placed.empty()) return {};
    return Sampler(workload, placed, options).take(all_units);
}

double churning_units(std::span<const PlacedDemand> placed) {
    double units = 0;
    for (const PlacedDemand& entry : placed) {
        if (workload::is_renewed(entry.demand->lifetime)) units += entry.demand->count;
    }
    return units;
}

namespace {

// Chunks that cost what the account says and hold nothing.
class CountedMemory final : public pool::ChunkMemory {
public:
    CountedMemory(SimulatedAccount& account, std::uint64_t heap_bytes)
        : account_(account), most_kept_bytes_(contract::most_kept_empty_bytes(heap_bytes, pool::kKeptEmptyShare)) {}

    Result<Piece> take(std::uint64_t size_bytes, std::uint64_t) override {
        account_.take_chunk(size_bytes);
        return Piece{.memory = {++taken_}, .size_bytes = size_bytes};
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
