// Whether a workload fits a device, and the default one at the size that does.
//
// Rule: who states no workload gets the default one at the size that the devices hold. Every count is taken at the
// largest whole percentage at which the workload fits all of them (at least one of each hint); resources keep their
// sizes. It fits a device where capacity finds a place for all of it, no request of the simulation fails, and what it
// is expected to reserve at its peak leaves 1/32 of what may be taken: the usable bytes, or fewer where the caller says
// so, as `run` does of what it will take to validate. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "policy/capacity.hpp"
#include "policy/simulated_pool.hpp"

namespace heapwright::policy {

struct DefaultWorkload {
    model::Workload workload;  // named "general-engine@94%" where it was scaled: workload::preset() reads that
    std::string statement;     // "general-engine at 94%, so that it fits 1.8 GiB"; empty: all of it fits
};

// The most bytes that may be taken of a device.
using MostBytes = std::function<std::uint64_t(const model::DeviceReport& device)>;

// `devices`: positions in the report; empty: all. `most_bytes`: none: all that is usable. Where even 1% does not fit,
// that is what it is. Errors: those of advise().
[[nodiscard]] Result<DefaultWorkload> default_workload(const model::Report& report,
                                                       std::span<const std::size_t> devices,
                                                       const model::Workload& workload,
                                                       const MostBytes& most_bytes = {});

// Rule: whether the workload fits. It does if and only if every request finds memory when the whole policy runs over
// numbers on each of the seeds played (simulated_pool.hpp). What it needs is the peak of that run, chunks included;
// where requests fail, the peak with as much memory as it asks for, in the heaps that could hold what failed. What the
// device refuses counts as not fitting, too. Without such a run the estimate of capacity.hpp stands in. Sizes in bytes.
// Pure.

// Fills in policy.capacity, which holds planned.plan, and where it does not fit puts the statement before all warnings.
// `runs`: player.play(), not empty.
void decide_fit(const Context& context, const PolicyPlayer& player, std::span<const PlayedPolicy> runs,
                const CapacityResult& planned, model::DevicePolicy& policy);

// By the estimate alone.
void estimate_fit(const CapacityResult& planned, model::DevicePolicy& policy);

}  // namespace heapwright::policy
