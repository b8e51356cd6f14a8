// From samples to figures: outliers, quantiles, and a cost of the form fixed + per byte. Pure and thread-safe.
// Beside it: one allocation, timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/clock.hpp"
#include "device/device.hpp"
#include "heapwright/core/result.hpp"
#include "heapwright/model/report.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::probe {

struct Spread {
    std::uint64_t min = 0;
    std::uint64_t median = 0;  // of an even number the lower of the two in the middle
    std::uint64_t p90 = 0;     // the smallest sample that at least 90% do not exceed
    std::uint64_t worst = 0;
};

// Both as they came. An outlier is further above the upper quartile than three times the quartiles' distance (Tukey's
// "far out", Exploratory Data Analysis, 1977), and above twice the median. More than one in eight are no outliers but
// what the device does at times; fewer than eight samples have none.
struct SplitSamples {
    std::vector<std::uint64_t> kept;
    std::vector<std::uint64_t> outliers;
};
[[nodiscard]] SplitSamples split_outliers(std::span<const std::uint64_t> samples);

// All zero without samples.
[[nodiscard]] Spread spread(std::vector<std::uint64_t> samples);

struct CostPoint {
    std::uint64_t size_bytes = 0;
    std::uint64_t cost_ns = 0;
    std::uint64_t least_ns = 0;  // of the samples whose median the cost is, as is the next; 0: too few to tell
    std::uint64_t late_ns = 0;
};

// The least squares of the relative errors, so that a curve over four decades is fitted at its small end too; neither
// part is negative. Points without cost are left out; nothing with fewer than two points.
[[nodiscard]] std::optional<model::MemoryCostFit> fit_cost(std::span<const CostPoint> points);

// One allocation, timed: allocate, map and write to every page, free. Or one that an image has alone: allocate and
// bind, destroy and free.

// The memory types whose cost can be measured on a device that enables nothing for it: not protected, not lazily
// allocated, not device coherent (AMD).
[[nodiscard]] bool is_measurable(const model::MemoryType& type);
[[nodiscard]] bool is_host_visible(const model::MemoryType& type);

// Frees the device memory at the end of its scope.
class ScopedAllocation {
public:
    ScopedAllocation(device::MemorySource& memory, device::AllocationId id) : memory_(memory), id_(id) {}
    ScopedAllocation(const ScopedAllocation&) = delete;
    ScopedAllocation& operator=(const ScopedAllocation&) = delete;
    ~ScopedAllocation() { memory_.free(id_); }

    [[nodiscard]] device::AllocationId id() const { return id_; }

private:
    device::MemorySource& memory_;
    device::AllocationId id_;
};

// Without the time for which the thread waited for a processor (Clock::processor_wait_ns), but for total_ns.
struct CostSample {
    std::uint64_t allocate_ns = 0;
    std::uint64_t touch_ns = 0;  // 0 when not host visible
    std::uint64_t free_ns = 0;
    std::uint64_t total_ns = 0;
};

// Nothing is left alive. Errors: MemorySource's.
[[nodiscard]] Result<CostSample> sample_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                                             std::uint64_t size_bytes);

// The same of memory dedicated to an image; where the API does both in one call, with the creation of the image.
// Nothing is touched. Errors: ResourceBinder's.
[[nodiscard]] Result<CostSample> sample_dedicated_cost(device::Device& device, Clock& clock,
                                                       MemoryTypeIndex memory_type,
                                                       const model::ImageDescription& image);

// Writes one byte to every page of 4 KiB.
void touch_pages(std::span<std::byte> bytes);

}  // namespace heapwright::probe
