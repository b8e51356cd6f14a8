// Every decision of a policy, found by walking the document's own field table: a decision that is added to the policy
// is listed here without a line of code. For those who show decisions, and for tests that hold of all of them.
// Pure and thread-safe.
#pragma once

#include <string>
#include <vector>

#include "heapwright/model/policy.hpp"

#ifndef HEAPWRIGHT_READS_REASONS
#error "decisions are listed for people (model/policy.hpp): what decides by the policy reads its values"
#endif

namespace heapwright::model {

struct ListedDecision {
    std::string path;     // a JSON pointer from the device's policy: "/buckets/0/chunk_size_bytes"
    std::string value;    // as the document writes it, a text without its quotes
    const Decision* why;  // of the policy that was listed, which outlives it
};

// In document order.
[[nodiscard]] std::vector<ListedDecision> list_decisions(const DevicePolicy& policy);

}  // namespace heapwright::model
