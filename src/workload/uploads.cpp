#include "workload/uploads.hpp"

#include <algorithm>

#include "workload/renewal.hpp"
#include "workload/size_bins.hpp"

namespace heapwright::workload {
namespace {

double mean(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest) {
    double sum = 0;
    for (const SizeBin& bin : size_bins(distribution, smallest, largest)) sum += bin.weight * bin.mean;
    return sum;
}

double mean_bytes(const model::ImageHint& hint) {
    if (hint.extents.empty()) {
        const auto side = static_cast<std::uint32_t>(mean(hint.distribution, hint.smallest_side, hint.largest_side));
        return static_cast<double>(model::packed_size_bytes(model::describe(hint, side, side)));
    }
    double sum = 0;
    for (const auto& [width, height] : hint.extents)
        sum += static_cast<double>(model::packed_size_bytes(model::describe(hint, width, height)));
    return sum / static_cast<double>(hint.extents.size());
}

}  // namespace

std::uint64_t upload_bytes_per_frame(const model::Workload& workload) {
    if (workload.uploads.bytes_per_frame) return *workload.uploads.bytes_per_frame;
    const std::vector<double> renewed = renewed_in_frame(workload);
    double bytes = 0;
    std::size_t at = 0;
    for (const model::ImageHint& hint : workload.images) {
        if ((hint.usage & model::image_usage::kTransferDst) != 0) bytes += renewed[at] * mean_bytes(hint);
        ++at;
    }
    for (const model::BufferHint& hint : workload.buffers) {
        if ((hint.usage & model::buffer_usage::kTransferDst) != 0)
            bytes += renewed[at] * mean(hint.distribution, hint.smallest_bytes, hint.largest_bytes);
        ++at;
    }
    return static_cast<std::uint64_t>(std::clamp(bytes, static_cast<double>(kLeastUnstatedUploadBytes),
                                                 static_cast<double>(kMostUnstatedUploadBytes)));
}

}  // namespace heapwright::workload
