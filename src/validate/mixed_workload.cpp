#include "validate/memory_scenario.hpp"

#include <memory>

#include "validate/played_again.hpp"
#include "workload/stream.hpp"

namespace heapwright::validate {
namespace {

Result<OperationSource> resource_stream(const model::Workload& fitted, std::uint64_t seed) {
    HEAPWRIGHT_ASSIGN(auto stream, workload::ResourceStream::create(fitted, seed));
    const auto shared = std::make_shared<workload::ResourceStream>(std::move(stream));
    return [shared] { return shared->next(); };
}

}  // namespace

Result<model::ScenarioResult> run_mixed_workload(device::Device& device, const model::DevicePolicy& policy,
                                                 const model::Workload& workload, const ValidateOptions& options) {
    SteadyClock clock;
    return play_until_times_hold(clock, options.time_limit_ns, [&](std::uint64_t left_ns) {
        ValidateOptions one = options;
        one.time_limit_ns = left_ns;
        return play_operations({.name = model::kMixedWorkload, .is_workload = true, .source = resource_stream}, device,
                               policy, workload, one);
    });
}

}  // namespace heapwright::validate
