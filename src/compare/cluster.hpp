// Thousands of reports in one run: which devices behave alike, which stand apart, how few policies would serve all of
// them, and which driver versions changed behaviour. Reports are read one after another by several threads; only
// facts of a few hundred bytes a device stay. The result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "heapwright/core/result.hpp"
#include "heapwright/model/workload.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

struct ClusterOptions {
    const model::Workload* workload = nullptr;  // null: no search for covering policies
    double allowed_waste = 0.05;                // beyond the waste of a group's own policy
    std::size_t threads = 2;
    std::size_t most_groups_in_cover = 64;                // the largest groups; the others are listed as not searched
    std::function<void(std::uint64_t reports)> progress;  // may be empty; called from any of the threads, one at a time
};

// A text that is no report is named in `skipped` and left out. Errors: kIoError for a path that does not exist;
// kNoDevice when nothing could be read; kInterrupted.
[[nodiscard]] Result<model::Clusters> cluster_reports(const std::vector<std::string>& paths,
                                                      const ClusterOptions& options);

}  // namespace heapwright::compare
