#include "heapwright/policy/upload_rate.hpp"

#include "heapwright/model/claims.hpp"
#include "heapwright/workload/uploads.hpp"

namespace heapwright::policy {

using model::claim;
using model::ClaimId;

UploadRate upload_rate(const Context& context) {
    const std::uint64_t bytes = workload::upload_bytes_per_frame(context.workload);
    if (context.workload.uploads.bytes_per_frame)
        return {bytes, {}, {context.cite_workload("/uploads/bytes_per_frame", model::bytes(bytes))}};
    if (bytes == workload::kLeastUnstatedUploadBytes || bytes == workload::kMostUnstatedUploadBytes)
        return {bytes, claim<ClaimId::kUploadsNotStated>(), {}};
    return {bytes,
            claim<ClaimId::kUploadsRenewed>(),
            {context.cite_workload("/steps_per_frame", model::count(context.workload.steps_per_frame))}};
}

}  // namespace heapwright::policy
