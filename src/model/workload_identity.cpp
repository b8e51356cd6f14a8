#include "model/workload_identity.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "heapwright/model/json.hpp"

namespace heapwright::model {
namespace {

WorkloadIdentity identity_in(const DocumentHeader& header, std::string name) {
    const auto source = std::ranges::find(header.sources, DocumentKind::kWorkload, &SourceDocument::kind);
    return {.name = std::move(name), .stable_hash = source == header.sources.end() ? "" : source->stable_hash};
}

}  // namespace

WorkloadIdentity workload_of(const Policy& policy) {
    return identity_in(policy.header, policy.workload_name);
}
WorkloadIdentity workload_of(const Validation& validation) {
    return identity_in(validation.header, validation.workload_name);
}
WorkloadIdentity workload_of(const Workload& workload) {
    return {.name = workload.name, .stable_hash = stable_hash(workload)};
}

bool are_different(const WorkloadIdentity& one, const WorkloadIdentity& other) {
    return !one.stable_hash.empty() && !other.stable_hash.empty() && one.stable_hash != other.stable_hash;
}

std::string told_from(const WorkloadIdentity& one, const WorkloadIdentity& beside) {
    constexpr std::size_t kHashDigits = 8;
    const std::string hash = "of hash " + one.stable_hash.substr(0, kHashDigits);
    if (one.name.empty()) return "a workload " + hash;
    const bool is_clear = one.stable_hash.empty() || (!beside.name.empty() && one.name != beside.name);
    return fmt::format("\"{}\"{}", one.name, is_clear ? "" : " " + hash);
}

std::string other_workload_text(const Policy& policy, const Workload& played) {
    const WorkloadIdentity own = workload_of(policy);
    const WorkloadIdentity other = workload_of(played);
    if (!are_different(own, other)) return {};
    return fmt::format("the policy was made for {}, and {} was played", told_from(own, other), told_from(other, own));
}

}  // namespace heapwright::model
