// The uploads of a frame (workload/uploads.hpp), for the rules that rest on them. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

struct UploadRate {
    std::uint64_t bytes_per_frame = 0;
    model::Statement source;  // empty where the workload states it
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] UploadRate upload_rate(const Context& context);

}  // namespace heapwright::policy
