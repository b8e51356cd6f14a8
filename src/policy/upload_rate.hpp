// The uploads of a frame, for the rules that rest on them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/policy/context.hpp"
#include "heapwright/workload/uploads.hpp"

namespace heapwright::policy {

struct UploadRate {
    std::uint64_t bytes_per_frame = 0;
    std::string text;  // "8388608 bytes", with where it comes from where the workload does not state it
    std::vector<model::DecisionInput> inputs;
};

[[nodiscard]] inline UploadRate upload_rate(const Context& context) {
    const std::uint64_t bytes = workload::upload_bytes_per_frame(context.workload);
    if (context.workload.uploads.bytes_per_frame) {
        return {bytes,
                fmt::format("{} bytes", bytes),
                {context.cite_workload("/uploads/bytes_per_frame", std::to_string(bytes))}};
    }
    if (bytes == workload::kMostUnstatedUploadBytes) return {bytes, fmt::format("{} bytes (not stated)", bytes), {}};
    return {bytes,
            fmt::format("{} bytes (not stated: what a frame renews of what is copied to)", bytes),
            {context.cite_workload("/steps_per_frame", std::to_string(context.workload.steps_per_frame))}};
}

}  // namespace heapwright::policy
