// Every value that a policy decided for one device, from the list of its decisions, so that none can be
// forgotten: what an exporter has not used is listed as not expressible. Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heapwright/model/policy.hpp"

namespace heapwright::exporting {

struct PolicyValue {
    std::string path;     // JSON pointer below the device: "/buckets/0/chunk_size_bytes"
    std::string pattern;  // the same for every index: "/buckets/*/chunk_size_bytes"
    std::string label;    // what the index stands for: "optimal/65536/1", "upload", "draws"; empty without one
    std::string text;     // the value as JSON
    std::string shown;    // the value for people
    std::string reason;   // why the policy has it; empty for what a bucket is made of
};

// The decided values, and of each bucket its resource classes and expected bytes, in the document's order.
[[nodiscard]] std::vector<PolicyValue> policy_values(const model::Policy& policy, std::size_t device);

// "/buckets/0/chunk_size_bytes (optimal/65536/1)".
[[nodiscard]] std::string name_of(const PolicyValue& value);

}  // namespace heapwright::exporting
