// Which workload a document is of: a name, which people read and two workloads may share, and the hash that tells them
// apart. Pure and thread-safe.
#pragma once

#include <string>

#include "heapwright/model/policy.hpp"
#include "heapwright/model/validation.hpp"
#include "heapwright/model/workload.hpp"

namespace heapwright::model {

struct WorkloadIdentity {
    std::string name;         // empty: an older validation, which does not say
    std::string stable_hash;  // empty: the document names no workload among its sources
};

[[nodiscard]] WorkloadIdentity workload_of(const Policy& policy);          // that it was made for
[[nodiscard]] WorkloadIdentity workload_of(const Validation& validation);  // that was played
[[nodiscard]] WorkloadIdentity workload_of(const Workload& workload);

// By their hashes; a document that states none may be of any workload.
[[nodiscard]] bool are_different(const WorkloadIdentity& one, const WorkloadIdentity& other);

// The name as people tell it from that of `beside`: "my-game", with the first digits of its hash where the names do not
// tell them apart.
[[nodiscard]] std::string told_from(const WorkloadIdentity& one, const WorkloadIdentity& beside);

// "the policy was made for "my-game", and "2d-ui" was played"; empty: it was made for `played`.
[[nodiscard]] std::string other_workload_text(const Policy& policy, const Workload& played);

}  // namespace heapwright::model
