// The smallest set of policies, each made for one device, that serves every device within a given waste. Greedy set
// cover: always the policy that serves the most devices not yet served (a factor of ln n from the optimum at worst),
// then policies that others make superfluous are dropped. Deterministic; uses `threads` threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compare/cluster.hpp"
#include "heapwright/model/policy.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::compare {

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

}  // namespace heapwright::compare
