#include "heapwright/policy/reserve_share.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heapwright::policy {

std::optional<model::Decided<double>> decide_reserve_share(const Context& context, std::size_t heap) {
    if (heap >= context.device.run.heap_budgets.size()) return std::nullopt;
    const double asked = context.workload.reserve_share;
    model::Decided<double> share;
    share.value = std::clamp(asked, 0.0, 1.0);
    share.why.reason = fmt::format(
        "the workload leaves the share of {} to other processes, and their need changes: it is taken of the budget "
        "that the device names at run time, too, where that is less than the usable bytes",
        asked);
    share.why.inputs.push_back(context.cite_workload("/reserve_share", fmt::format("{}", asked)));
    if (share.value > 0) {
        share.why.alternatives.push_back(
            {.value = "0",
             .reason = "the budget is used up to its last byte, and the next allocation of any process pages"});
    }
    return share;
}

}  // namespace heapwright::policy
