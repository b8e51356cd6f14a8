// Every decision of a policy, found by walking the document's own field table: a decision that is added to the policy
// is listed here without a line of code. For those who show decisions, and for tests that hold of all of them.
// Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::model {

struct ListedDecision {
    std::string path;     // a JSON pointer from the device's policy: "/buckets/0/chunk_size_bytes"
    std::string pattern;  // the same of every index: "/buckets/*/chunk_size_bytes"
    std::string name;     // "bucket optimal/65536/0: chunk size"
    std::string label;    // the name that stands for the last index: "optimal/65536/0"; empty without one
    std::string value;    // as the document writes it
    Figure figure;        // the same, for people
    const Decision* why;  // of the policy that was listed, which outlives it
};

// In document order.
[[nodiscard]] std::vector<ListedDecision> list_decisions(const DevicePolicy& policy);

}  // namespace heapwright::model
