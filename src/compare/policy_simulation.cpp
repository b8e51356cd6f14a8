#include "heapwright/compare/policy_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "heapwright/compare/memory_layout.hpp"
#include "heapwright/contract/bucket_choice.hpp"
#include "heapwright/policy/allocation_count.hpp"
#include "heapwright/policy/capacity.hpp"
#include "heapwright/policy/dedicated_rule.hpp"
#include "heapwright/policy/heap_budget.hpp"
#include "heapwright/policy/simulation.hpp"

namespace heapwright::compare {
namespace {

using policy::Context;
using policy::Demand;
using policy::PlacedDemand;

class Simulation {
public:
    Simulation(const model::DevicePolicy& policy, const model::DeviceReport& made_for,
               const model::DeviceReport& device, const model::DevicePolicy& own, const model::Workload& workload,
               const policy::SampleOptions& sample)
        : policy_(policy),
          own_(own),
          here_(policy),
          context_{.device = device, .workload = workload, .device_index = 0},
          layout_(layout_of(made_for)),
          translation_(layout_, layout_of(device)),
          sample_(sample) {}

    Result<PolicyFigures> run() {
        HEAPWRIGHT_TRY(translate());
        std::vector<std::string> warnings;
        const auto max_chunks = policy::decide_max_chunks(context_, warnings);
        heaps_ = policy::decide_heaps(context_, max_chunks, warnings);
        const policy::DemandList demand = policy::list_demand(context_);
        const policy::CapacityResult capacity =
            policy::plan_capacity(context_, demand.parts, here_.memory_uses, heaps_, warnings);
        const std::vector<PlacedDemand>& placed = capacity.placed;
        const double all_units = policy::churning_units(placed);
        std::set<std::uint32_t> types;
        for (const PlacedDemand& entry : placed) {
            figures_.resources += entry.demand->count;
            if (is_apart(entry)) continue;
            HEAPWRIGHT_TRY(admit(entry));
            types.insert(entry.memory_type);
        }
        for (const std::uint32_t type : types) HEAPWRIGHT_TRY(run_type(type, placed, all_units));
        return figures_;
    }

private:
    // The policy in this device's memory types. Buckets of types that it lacks take nothing.
    Status translate() {
        here_.memory_uses.clear();
        for (const model::MemoryUsePolicy& use : policy_.memory_uses) {
            model::MemoryUsePolicy here;
            here.use = use.use;
            for (const std::uint32_t type : use.memory_types.value) {
                if (const auto same = translation_.type(type)) here.memory_types.value.push_back(*same);
            }
            if (here.memory_types.value.empty() && !use.memory_types.value.empty()) {
                const std::uint32_t best = use.memory_types.value.front();
                return fail(ErrorCode::kNotSupported,
                            fmt::format("no memory type such as {}",
                                        best < layout_.types.size() ? layout_.types[best] : std::to_string(best)));
            }
            here_.memory_uses.push_back(std::move(here));
        }
        std::erase_if(here_.buckets,
                      [&](const model::BucketPolicy& bucket) { return !translation_.type(bucket.memory_type); });
        for (model::BucketPolicy& bucket : here_.buckets)
            bucket.memory_type = translation_.type(bucket.memory_type).value_or(bucket.memory_type);
        auto index = contract::BucketIndex::create(context_.device, here_);
        if (!index) {
            return fail(ErrorCode::kNotSupported, fmt::format("{}: {}", index.error().where, index.error().message));
        }
        index_ = std::move(*index);
        return {};
    }

    [[nodiscard]] const model::BucketPolicy* bucket_of(std::uint32_t type, model::ResourceClass resource_class,
                                                       std::uint64_t size, std::uint64_t alignment) const {
        const auto found =
            contract::buckets_in_type(here_.buckets, index_.buckets(resource_class, type), size, alignment);
        return found.empty() ? nullptr : &here_.buckets[found.front()];
    }

    // Not in chunks: an allocation of its own, or humongous.
    [[nodiscard]] bool is_apart(const PlacedDemand& entry) const {
        return policy::is_dedicated(entry.demand->requirements, policy_.dedicated.value) ||
               contract::is_humongous(own_, entry.demand->requirements.size_bytes);
    }

    Status admit(const PlacedDemand& entry) const {
        const auto& requirements = entry.demand->requirements;
        if (contract::is_humongous(policy_, requirements.size_bytes)) {
            return fail({.code = ErrorCode::kNotSupported,
                         .message = fmt::format("{} is larger than the policy admits", entry.demand->what),
                         .value = requirements.size_bytes,
                         .limit = policy_.humongous_threshold_bytes.value});
        }
        const model::BucketPolicy* bucket = bucket_of(entry.memory_type, entry.demand->resource_class,
                                                      requirements.size_bytes, requirements.alignment_bytes);
        if (bucket == nullptr) {
            return fail(ErrorCode::kNotSupported, fmt::format("no bucket takes {} with an alignment of {}",
                                                              entry.demand->what, requirements.alignment_bytes));
        }
        const std::uint64_t chunk = bucket->chunk_size_bytes.value;
        const auto limit = context_.device.limit("maxMemoryAllocationSize");
        const std::uint64_t usable = heaps_[entry.heap].usable_bytes.value;
        if ((limit && chunk > *limit) || chunk > usable) {
            return fail({.code = ErrorCode::kNotSupported,
                         .message = fmt::format("chunks of bucket {} are too large here", bucket->id),
                         .value = chunk,
                         .limit = std::min(limit.value_or(usable), usable)});
        }
        return {};
    }

    Status run_type(std::uint32_t type, const std::vector<PlacedDemand>& all, double all_units) {
        std::vector<PlacedDemand> placed;
        for (const PlacedDemand& entry : all) {
            if (entry.memory_type == type && !is_apart(entry)) placed.push_back(entry);
        }
        policy::SampleOptions options = sample_;
        options.most_bytes = heaps_[context_.device.memory_types[type].heap_index].usable_bytes.value;
        const policy::SampledTrace trace = policy::sample_trace(context_.workload, placed, all_units, options);
        const policy::AllocationCost cost(context_, type);
        for (const model::BucketPolicy& bucket : here_.buckets) {
            if (bucket.memory_type != type) continue;
            const auto figures = policy::simulate(trace, bucket, cost, [&](const policy::SampledResource& resource) {
                return bucket_of(type, resource.resource_class, resource.size_bytes, resource.alignment_bytes) ==
                       &bucket;
            });
            const double share = trace.share > 0 ? trace.share : 1;
            figures_.used_bytes += figures.mean_used_bytes / share;
            figures_.reserved_bytes += figures.mean_reserved_bytes / share;
        }
        return {};
    }

    const model::DevicePolicy& policy_;
    const model::DevicePolicy& own_;
    model::DevicePolicy here_;     // policy_ with this device's memory types
    contract::BucketIndex index_;  // of it
    Context context_;
    MemoryLayout layout_;
    TypeTranslation translation_;
    policy::SampleOptions sample_;
    std::vector<model::HeapPolicy> heaps_;
    PolicyFigures figures_;
};

}  // namespace

Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy, const model::DeviceReport& made_for,
                                      const model::DeviceReport& device, const model::DevicePolicy& own,
                                      const model::Workload& workload, const policy::SampleOptions& sample) {
    return Simulation(policy, made_for, device, own, workload, sample).run();
}

}  // namespace heapwright::compare
