#include "policy/engines.hpp"

#include "model/claims.hpp"
#include "policy/engine_rules.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

std::optional<model::EnginePolicy> decide_engines(const Context& context, std::uint64_t frames_in_flight,
                                                  model::Statement& warnings) {
    if (!context.device.run.engines || context.device.run.engines->engines.empty()) return std::nullopt;
    const model::EngineMeasurements& measured = *context.device.run.engines;
    const EngineFacts facts(context, measured);
    model::EnginePolicy policy;
    policy.async_copy = decide_overlap(facts, kCopyEngine);
    policy.async_compute = decide_overlap(facts, kComputeEngine);
    policy.assignments = assign_engines(facts, policy.async_copy, policy.async_compute);
    policy.copy_ring_length = decide_copy_ring_length(facts, frames_in_flight);
    policy.compute_graphics_latency = decide_compute_graphics_latency(facts, frames_in_flight, policy.async_compute);
    policy.cpu_latency = decide_cpu_latency(facts, frames_in_flight, policy.compute_graphics_latency.value);
    if (measured.steadiness.answer == model::Steadiness::kDidNotSettle)
        warnings += std::vector{claim<ClaimId::kEnginesUnsettled>(), model::Claim(measured.steadiness.note)};
    return policy;
}

}  // namespace heapwright::policy
