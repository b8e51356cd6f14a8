#include "heapwright/policy/upload_rate.hpp"

#include <fmt/format.h>

#include "heapwright/workload/uploads.hpp"

namespace heapwright::policy {

UploadRate upload_rate(const Context& context) {
    const std::uint64_t bytes = workload::upload_bytes_per_frame(context.workload);
    if (context.workload.uploads.bytes_per_frame) {
        return {bytes,
                fmt::format("{} bytes", bytes),
                {context.cite_workload("/uploads/bytes_per_frame", std::to_string(bytes))}};
    }
    if (bytes == workload::kLeastUnstatedUploadBytes || bytes == workload::kMostUnstatedUploadBytes)
        return {bytes, fmt::format("{} bytes (not stated)", bytes), {}};
    return {bytes,
            fmt::format("{} bytes (not stated: what a frame renews of what is copied to)", bytes),
            {context.cite_workload("/steps_per_frame", std::to_string(context.workload.steps_per_frame))}};
}

}  // namespace heapwright::policy
