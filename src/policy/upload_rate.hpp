// The uploads of a frame (workload/uploads.hpp), for the rules that rest on them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

struct UploadRate {
    std::uint64_t bytes_per_frame = 0;
    std::string text;  // "8388608 bytes", with where it comes from where the workload does not state it
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] UploadRate upload_rate(const Context& context);

}  // namespace heapwright::policy
