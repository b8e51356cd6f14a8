// What a difference between two drivers means to an allocator: the advisor's policies for both under one workload, and
// the memory that each takes for it, by simulation. Pure and thread-safe.
// Beside it: the smallest set of policies that serves every device, and what a policy would do on one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cluster.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"
#include "model/comparison.hpp"
#include "policy/simulation.hpp"

namespace heapwright::compare {

// Both wastes are what the device's own policy promises (expectations/mean_waste), of the workload as its driver sizes
// it; what a driver asks for beyond the other's shows in what the workload needs. Where a device gives no policy, the
// statement says why.
[[nodiscard]] model::PolicyImpact policy_impact(model::DeviceReport baseline, model::DeviceReport other,
                                                const model::Workload& workload);

// Leaves out what would make two policies differ although the drivers do not: budgets, which follow the moment, and
// measured costs that only one of the two has.
void make_comparable(model::DeviceReport& one, model::DeviceReport& other);

// The smallest set of policies, each made for one device, that serves every device within a given waste. Greedy set
// cover: always the policy that serves the most devices not yet served (a factor of ln n from the optimum at worst),
// then policies that others make superfluous are dropped. Deterministic; uses `threads` threads.

struct CoverDevice {
    std::optional<model::DeviceReport> device;
    std::string error;         // why there is none
    std::uint64_t weight = 1;  // devices that it stands for
};

struct CoverOptions {
    double allowed_waste = 0.05;  // beyond the waste of a device's own policy
    std::size_t threads = 2;
    model::HumongousRule humongous = model::HumongousRule::kOwnMemory;
};

struct Cover {
    struct Served {
        std::optional<std::size_t> by;  // position in `policies`
        double waste = 0;
        std::string not_served;  // the reason
    };
    std::vector<std::size_t> policies;  // the devices that they were made for
    std::vector<Served> devices;        // of each device, in their order
};

// The policies rest on no device's budget or speed: they are for other machines, too. Errors: kInterrupted.
[[nodiscard]] Result<Cover> cover_devices(std::vector<CoverDevice> devices, const model::Workload& workload,
                                          const CoverOptions& options);

// Of the groups' representatives, each read again. Fills served_by, waste and not_served of the groups, and the
// policies and bound of the clusters. Errors: kInterrupted.
[[nodiscard]] Status find_covering_policies(model::Clusters& clusters, const ClusterOptions& options);

// What a policy, its own or another device's, would do on a device under a workload: the whole policy played over
// numbers (policy/simulated_pool.hpp), the workload's own stream, sized as this device's driver answers. Pure and
// thread-safe.

struct PolicyFigures {
    double waste = 0;  // (reserved - used) / used, of the sums over the ends of frames
    std::uint64_t failed_requests = 0;
};

// Played with the workload's own seed alone. `made_for` is the device that the policy was made for: its memory types
// are found on `device` by what they are. `own` is the device's own policy: what it may use of each heap, and how many
// device allocations, holds for the other, too.
// Errors: kNotSupported with the reason why the policy cannot run on this device: a memory type that is missing, chunks
// that the device refuses.
[[nodiscard]] Result<PolicyFigures> simulate_policy(const model::DevicePolicy& policy,
                                                    const model::DeviceReport& made_for,
                                                    const model::DeviceReport& device, const model::DevicePolicy& own,
                                                    const model::Workload& workload,
                                                    const policy::SampleOptions& sample);

}  // namespace heapwright::compare
