#include "heapwright/policy/default_workload.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "heapwright/core/byte_text.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/policy/advise.hpp"
#include "heapwright/workload/presets.hpp"

namespace heapwright::policy {
namespace {

constexpr std::uint32_t kAll = 100;
constexpr std::uint64_t kSpareParts = 32;  // of the usable bytes, what the expected peak leaves

std::uint64_t usable_bytes(const model::DevicePolicy& policy) {
    std::uint64_t sum = 0;
    for (const model::HeapPolicy& heap : policy.heaps)
        sum = checked_add(sum, heap.usable_bytes.value).value_or(~std::uint64_t{0});
    return sum;
}

// Whether every request finds memory and `room_bytes` hold what is expected to be reserved, of all heaps together: one
// that is full while another one is not is none too small.
bool has_room(const model::DevicePolicy& policy, std::uint64_t room_bytes) {
    if (!policy.expectations) return false;
    if (policy.expectations->failed_requests.value_or(0) != 0) return false;
    std::uint64_t expected = 0;
    for (const model::HeapExpectation& heap : policy.expectations->heaps)
        expected = checked_add(expected, heap.peak_reserved_bytes.value).value_or(~std::uint64_t{0});
    return expected <= room_bytes - room_bytes / kSpareParts;
}

class Fit {
public:
    Fit(const model::DeviceReport& device, std::size_t index, const model::Workload& workload, std::uint64_t most_bytes)
        : device_(device), index_(index), workload_(workload), most_bytes_(most_bytes) {}

    // At most `most`.
    Result<std::uint32_t> percent(std::uint32_t most) {
        HEAPWRIGHT_ASSIGN(const bool all, fits(most));
        if (all) return most;
        std::uint32_t low = 1;
        fits_at_all_ = false;
        for (std::uint32_t high = most - 1; low < high;) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            HEAPWRIGHT_ASSIGN(const bool good, fits(middle));
            if (good) {
                low = middle;
                fits_at_all_ = true;
            } else {
                high = middle - 1;
            }
        }
        if (!fits_at_all_) {
            HEAPWRIGHT_ASSIGN(fits_at_all_, fits(low));
        }
        return low;
    }

    [[nodiscard]] bool fits_at_all() const { return fits_at_all_; }

    // What it is to fit.
    [[nodiscard]] std::uint64_t room_bytes() const { return room_bytes_; }

private:
    Result<bool> fits(std::uint32_t percent) {
        const model::Workload part = workload::at_percent(workload_, percent);
        HEAPWRIGHT_ASSIGN(const model::DevicePolicy plan, advise(device_, part, index_, {.capacity_alone = true}));
        room_bytes_ = std::min(usable_bytes(plan), most_bytes_);
        if (plan.capacity && !plan.capacity->unfit.empty()) return false;
        // What chunks take above their resources shows in the simulation alone.
        HEAPWRIGHT_ASSIGN(const model::DevicePolicy policy, advise(device_, part, index_));
        return has_room(policy, room_bytes_);
    }

    const model::DeviceReport& device_;
    std::size_t index_;
    const model::Workload& workload_;
    std::uint64_t most_bytes_;
    std::uint64_t room_bytes_ = 0;
    bool fits_at_all_ = true;
};

}  // namespace

Result<DefaultWorkload> default_workload(const model::Report& report, std::span<const std::size_t> devices,
                                         const model::Workload& workload, const MostBytes& most_bytes) {
    std::vector<std::size_t> indexes(devices.begin(), devices.end());
    if (indexes.empty()) {
        indexes.resize(report.devices.size());
        std::iota(indexes.begin(), indexes.end(), std::size_t{0});
    }
    DefaultWorkload result{.workload = workload, .statement = {}};
    std::uint32_t least = kAll;
    for (const std::size_t index : indexes) {
        if (index >= report.devices.size()) continue;  // advise() tells it
        const model::DeviceReport& device = report.devices[index];
        Fit fit(device, index, workload, most_bytes ? most_bytes(device) : ~std::uint64_t{0});
        HEAPWRIGHT_ASSIGN(const std::uint32_t percent, fit.percent(least));
        if (percent >= least && fit.fits_at_all()) continue;
        least = percent;
        result.workload = workload::at_percent(workload, least);
        result.statement =
            fmt::format("{} at {}%, {} {}{}", workload.name, least,
                        fit.fits_at_all() ? "so that it fits" : "which does not fit, either,",
                        byte_text(fit.room_bytes()), indexes.size() > 1 ? " of " + device.identity.name : "");
    }
    return result;
}

}  // namespace heapwright::policy
