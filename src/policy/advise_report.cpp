#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "heapwright/model/json.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::policy {

Result<model::Policy> advise(const model::Report& report, const model::Workload& workload,
                             std::span<const std::size_t> device_indexes, const AdviseOptions& options) {
    std::vector<std::size_t> selected(device_indexes.begin(), device_indexes.end());
    if (selected.empty()) {
        selected.resize(report.devices.size());
        std::iota(selected.begin(), selected.end(), std::size_t{0});
    }
    model::Policy policy;
    policy.workload_name = workload.name;
    for (const std::size_t index : selected) {
        if (index >= report.devices.size()) {
            return fail({.code = ErrorCode::kOutOfRange,
                         .message = "the report holds no device of this index",
                         .where = "/devices",
                         .value = index,
                         .limit = report.devices.size()});
        }
        HEAPWRIGHT_ASSIGN(auto device_policy, advise(report.devices[index], workload, index, options));
        policy.devices.push_back(std::move(device_policy));
    }
    if (policy.devices.empty()) return fail(ErrorCode::kNoDevice, "the report holds no device", "/devices");

    policy.header.tool_version = kVersion;
    policy.header.sources = {{.kind = model::DocumentKind::kReport, .stable_hash = model::stable_hash(report)},
                             {.kind = model::DocumentKind::kWorkload, .stable_hash = model::stable_hash(workload)}};
    return policy;
}

}  // namespace heapwright::policy
