#include "compare/policy_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "compare/memory_layout.hpp"
#include "policy/left_out.hpp"
#include "policy/policy_player.hpp"
#include "workload/split.hpp"

namespace heapwright::compare {
namespace {

// The policy in another device's memory types. Buckets of types that it lacks take nothing.
Result<model::DevicePolicy> translated(model::DevicePolicy policy, const model::DeviceReport& made_for,
                                       const model::DeviceReport& device) {
    const MemoryLayout layout = layout_of(made_for);
    const TypeTranslation translation(layout, layout_of(device));
    for (model::MemoryUsePolicy& use : policy.memory_uses) {
        std::vector<std::uint32_t> here;
        for (const std::uint32_t type : use.memory_types.value) {
            if (const auto same = translation.type(type)) here.push_back(*same);
        }
        if (here.empty() && !use.memory_types.value.empty()) {
            const std::uint32_t best = use.memory_types.value.front();
            return fail(ErrorCode::kNotSupported,
                        fmt::format("no memory type such as {}",
                                    best < layout.types.size() ? layout.types[best] : std::to_string(best)));
        }
        use.memory_types.value = std::move(here);
    }
    std::erase_if(policy.buckets,
                  [&](const model::BucketPolicy& bucket) { return !translation.type(bucket.memory_type); });
    for (model::BucketPolicy& bucket : policy.buckets)
        bucket.memory_type = translation.type(bucket.memory_type).value_or(bucket.memory_type);
    policy.memory_types = device.memory_types;
    return policy;
}

Status check_chunks(const model::DevicePolicy& policy, const model::DeviceReport& device) {
    const auto limit = device.limit("maxMemoryAllocationSize");
    for (const model::BucketPolicy& bucket : policy.buckets) {
        if (!model::is_in_use(bucket)) continue;
        const std::uint64_t usable =
            policy.heaps[device.memory_types[bucket.memory_type].heap_index].usable_bytes.value;
        const std::uint64_t most = std::min(limit.value_or(usable), usable);
        if (bucket.chunk_size_bytes.value <= most) continue;
        return fail({.code = ErrorCode::kNotSupported,
                     .message = fmt::format("chunks of bucket {} are too large here", bucket.id),
                     .value = bucket.chunk_size_bytes.value,
                     .limit = most});
    }
    return {};
}

}  // namespace

Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy, const model::DeviceReport& made_for,
                                      const model::DeviceReport& device, const model::DevicePolicy& own,
                                      const model::Workload& workload, const policy::SampleOptions& sample) {
    HEAPWRIGHT_ASSIGN(model::DevicePolicy here, translated(policy, made_for, device));
    here.heaps = own.heaps;
    here.max_chunks = own.max_chunks;
    HEAPWRIGHT_TRY(check_chunks(here, device));
    const model::Workload planned = workload::split_buffers(policy::plan_workload(device, workload).workload, here);
    const policy::Context context{.device = device, .workload = planned, .device_index = 0};
    HEAPWRIGHT_ASSIGN(const policy::PlayedPolicy played,
                      policy::PolicyPlayer(context, here, sample).play_seed(workload.seed));
    return PolicyFigures{.waste = std::max(0.0, played.pool.mean_waste), .failed_requests = played.failures};
}

}  // namespace heapwright::compare
