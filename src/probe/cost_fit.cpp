#include "probe/cost_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/percentile.hpp"
#include "core/units.hpp"

namespace heapwright::probe {

namespace {

struct Line {
    double fixed = 0;
    double slope = 0;
};

// Sums of the normal equations, every point weighted with 1 / cost^2.
struct Sums {
    double w = 0;
    double wx = 0;
    double wxx = 0;
    double wy = 0;
    double wxy = 0;
};

Line solve(const Sums& sums) {
    const double determinant = sums.w * sums.wxx - sums.wx * sums.wx;
    Line line;
    if (determinant > 1e-12 * sums.w * sums.wxx) {
        line.slope = (sums.w * sums.wxy - sums.wx * sums.wy) / determinant;
        line.fixed = (sums.wy - line.slope * sums.wx) / sums.w;
    } else {
        line.fixed = sums.wy / sums.w;
    }
    if (line.slope < 0) return {.fixed = sums.wy / sums.w};
    if (line.fixed < 0) return {.slope = sums.wxy / sums.wxx};
    return line;
}

constexpr double kMostRatio = 1000;  // of the document

std::optional<double> middle_ratio(std::span<const CostPoint> points, std::uint64_t CostPoint::*figure) {
    std::vector<double> ratios;
    for (const CostPoint& point : points) {
        if (point.cost_ns == 0 || point.*figure == 0) continue;
        ratios.push_back(static_cast<double>(point.*figure) / static_cast<double>(point.cost_ns));
    }
    if (ratios.empty()) return std::nullopt;
    return std::min(percentile(std::move(ratios), 50), kMostRatio);
}

}  // namespace

SplitSamples split_outliers(std::span<const std::uint64_t> samples) {
    constexpr std::size_t kMostInSamples = 8;  // one outlier in so many
    SplitSamples split{.kept = {samples.begin(), samples.end()}, .outliers = {}};
    if (samples.size() < kMostInSamples) return split;
    const std::uint64_t upper = percentile(split.kept, 75);
    const std::uint64_t lower = percentile(split.kept, 25);
    const std::uint64_t fence = std::max(upper + 3 * (upper - lower), 2 * percentile(split.kept, 50));
    const auto is_outlier = [fence](std::uint64_t sample) { return sample > fence; };
    std::vector<std::uint64_t> outliers;
    std::ranges::copy_if(samples, std::back_inserter(outliers), is_outlier);
    if (outliers.size() > samples.size() / kMostInSamples) return split;
    split.outliers = std::move(outliers);
    std::erase_if(split.kept, is_outlier);
    return split;
}

Spread spread(std::vector<std::uint64_t> samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t count = samples.size();
    return {.min = samples.front(),
            .median = samples[(count - 1) / 2],
            .p90 = samples[(count * 9 + 9) / 10 - 1],
            .worst = samples.back()};
}

std::optional<model::MemoryCostFit> fit_cost(std::span<const CostPoint> points) {
    Sums sums;
    std::size_t used = 0;
    for (const CostPoint& point : points) {
        if (point.cost_ns == 0) continue;
        const double x = static_cast<double>(point.size_bytes) / static_cast<double>(kMiB);
        const double y = static_cast<double>(point.cost_ns);
        const double weight = 1.0 / (y * y);
        sums.w += weight;
        sums.wx += weight * x;
        sums.wxx += weight * x * x;
        sums.wy += weight * y;
        sums.wxy += weight * x * y;
        ++used;
    }
    if (used < 2) return std::nullopt;
    const Line line = solve(sums);
    double largest = 0;
    for (const CostPoint& point : points) {
        if (point.cost_ns == 0) continue;
        const double fitted =
            line.fixed + line.slope * static_cast<double>(point.size_bytes) / static_cast<double>(kMiB);
        const double cost = static_cast<double>(point.cost_ns);
        largest = std::max(largest, std::abs(fitted - cost) / cost);
    }
    return model::MemoryCostFit{.fixed_ns = line.fixed,
                                .ns_per_mib = line.slope,
                                .largest_relative_error = largest,
                                .least_ratio = middle_ratio(points, &CostPoint::least_ns),
                                .late_ratio = middle_ratio(points, &CostPoint::late_ns)};
}

namespace {

// Leaves out for how long the thread waited for a processor. The system is asked outside of what is timed.
class Stopwatch {
public:
    explicit Stopwatch(Clock& clock) : clock_(clock) { restart(); }

    void restart() {
        waited_ns_ = clock_.processor_wait_ns();
        start_ns_ = clock_.now_ns();
    }
    [[nodiscard]] std::uint64_t elapsed_ns() const {
        const std::uint64_t elapsed = clock_.now_ns() - start_ns_;
        return elapsed - std::min(elapsed, clock_.processor_wait_ns() - waited_ns_);
    }

private:
    Clock& clock_;
    std::uint64_t waited_ns_ = 0;
    std::uint64_t start_ns_ = 0;
};

}  // namespace

bool is_measurable(const model::MemoryType& type) {
    constexpr model::Flags kNeedMore = model::memory_property::kProtected | model::memory_property::kLazilyAllocated |
                                       model::memory_property::kDeviceCoherentAmd;
    return (type.property_flags & kNeedMore) == 0;
}

bool is_host_visible(const model::MemoryType& type) {
    return (type.property_flags & model::memory_property::kHostVisible) != 0;
}

void touch_pages(std::span<std::byte> bytes) {
    constexpr std::size_t kPageBytes = 4096;
    for (std::size_t offset = 0; offset < bytes.size(); offset += kPageBytes) {
        // Volatile, or the compiler drops writes that nobody reads.
        *static_cast<volatile std::byte*>(&bytes[offset]) = std::byte{1};
    }
}

Result<CostSample> sample_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                               std::uint64_t size_bytes) {
    device::MemorySource& source = device.memory();
    CostSample sample;
    const std::uint64_t begin = clock.now_ns();
    Stopwatch watch(clock);
    HEAPWRIGHT_ASSIGN(const device::AllocationId memory,
                      source.allocate({.memory_type = memory_type, .size_bytes = size_bytes}));
    sample.allocate_ns = watch.elapsed_ns();
    {
        const ScopedAllocation owner(source, memory);
        if (is_host_visible(device.facts().memory_types[memory_type.value])) {
            watch.restart();
            HEAPWRIGHT_ASSIGN(const std::span<std::byte> bytes, source.map(memory));
            touch_pages(bytes);
            sample.touch_ns = watch.elapsed_ns();
        }
        watch.restart();
    }
    sample.free_ns = watch.elapsed_ns();
    sample.total_ns = clock.now_ns() - begin;
    return sample;
}

Result<CostSample> sample_dedicated_cost(device::Device& device, Clock& clock, MemoryTypeIndex memory_type,
                                         const model::ImageDescription& image) {
    constexpr float kOrdinaryPriority = 0.5f;
    device::ResourceBinder& resources = device.resources();
    CostSample sample;
    const std::uint64_t begin = clock.now_ns();
    HEAPWRIGHT_ASSIGN(const device::ResourceBinder::Begun begun, resources.begin(image));
    Stopwatch watch(clock);
    const auto bound = resources.bind_dedicated(begun, image, memory_type, kOrdinaryPriority);
    sample.allocate_ns = watch.elapsed_ns();
    if (!bound) {
        resources.cancel(begun);
        return tl::unexpected(bound.error());
    }
    watch.restart();
    resources.destroy(*bound);
    sample.free_ns = watch.elapsed_ns();
    sample.total_ns = clock.now_ns() - begin;
    return sample;
}

}  // namespace heapwright::probe
