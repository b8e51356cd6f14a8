// What a device allocation of a memory type costs in CPU time: the report's measured curve; where the report has none,
// a stated assumption. Rules decide by the steady price: a line through the curve, its first MiB and each further one
// rounded to wide steps, so that captures of one device that differ by noise decide alike. Of a measured curve it
// is the price of a life, allocating and freeing, which drivers share out otherwise from size to size, and is paid when
// the life begins; what is assumed has a price for each. What is promised lies between the
// least and the late price: the curve's quickest samples, which nothing disturbs, and its 90th percentile,
// interpolated between its points and extended along its last two; a point that has not settled, or
// has too few samples to tell, spreads no less than the curve does. Memory dedicated to an image has its own, where it
// was measured. Times in nanoseconds. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "policy/context.hpp"
#include "policy/counted_memory.hpp"

namespace heapwright::policy {

enum class CostBasis : std::uint8_t {
    kSteady,    // what rules decide by
    kCaptured,  // the curve's medians as they are, interpolated
};

enum class MemoryOwner : std::uint8_t {
    kAnyone,
    kOneImage,  // dedicated to it
};

[[nodiscard]] inline MemoryOwner owner_of(const DeviceMemoryCall& call) {
    return call.dedicated_image ? MemoryOwner::kOneImage : MemoryOwner::kAnyone;
}

class AllocationCost {
public:
    AllocationCost(const Context& context, std::uint32_t memory_type, CostBasis basis = CostBasis::kSteady);

    [[nodiscard]] double allocate_ns(std::uint64_t size_bytes) const {
        return is_line_ ? allocate_.at(size_bytes) : at(of_anyone_.medians, size_bytes).allocate_ns;
    }
    [[nodiscard]] double free_ns(std::uint64_t size_bytes) const {
        return is_line_ ? free_.at(size_bytes) : at(of_anyone_.medians, size_bytes).free_ns;
    }
    [[nodiscard]] double median_allocate_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return at(prices(owner).medians, size_bytes).allocate_ns;
    }
    [[nodiscard]] double median_free_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return at(prices(owner).medians, size_bytes).free_ns;
    }
    // The least is never above the median and the late never below it, which the curves' ends, drawn on, may be.
    [[nodiscard]] double least_allocate_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return std::min(at(prices(owner).least, size_bytes).allocate_ns, median_allocate_ns(size_bytes, owner));
    }
    [[nodiscard]] double least_free_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return std::min(at(prices(owner).least, size_bytes).free_ns, median_free_ns(size_bytes, owner));
    }
    [[nodiscard]] double late_allocate_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return std::max(at(prices(owner).late, size_bytes).allocate_ns, median_allocate_ns(size_bytes, owner));
    }
    [[nodiscard]] double late_free_ns(std::uint64_t size_bytes, MemoryOwner owner = MemoryOwner::kAnyone) const {
        return std::max(at(prices(owner).late, size_bytes).free_ns, median_free_ns(size_bytes, owner));
    }
    [[nodiscard]] bool is_measured() const { return measured_; }
    // Which curve was measured, or what is assumed instead.
    [[nodiscard]] const model::Statement& source() const { return source_; }
    // What evidence() cites. Empty where nothing is measured.
    [[nodiscard]] model::Statement nearest_point(std::uint64_t size_bytes) const;
    // The measured points next to a size.
    [[nodiscard]] std::vector<model::DecisionInput> evidence(std::uint64_t size_bytes) const;

private:
    struct Point {
        double size_bytes = 0;
        double allocate_ns = 0;
        double free_ns = 0;

        [[nodiscard]] double life_ns() const { return allocate_ns + free_ns; }
    };

    struct Line {
        double fixed_ns = 0;
        double ns_per_mib = 0;

        [[nodiscard]] double at(std::uint64_t size_bytes) const {
            return fixed_ns + ns_per_mib * static_cast<double>(size_bytes) / static_cast<double>(kMiB);
        }
    };

    // By the points of a curve.
    struct Prices {
        std::vector<Point> medians;
        std::vector<Point> least;
        std::vector<Point> late;
    };

    [[nodiscard]] const Prices& prices(MemoryOwner owner) const {
        return owner == MemoryOwner::kOneImage && !of_image_.medians.empty() ? of_image_ : of_anyone_;
    }
    [[nodiscard]] static Prices prices_of(const std::vector<model::MemoryCostPoint>& points,
                                          const std::optional<model::MemoryCostFit>& fit, double factor);
    // What the first MiB and each further one take, to allocate and free; fixed_ns is the first's beyond a further
    // one's.
    [[nodiscard]] static Line measured_line(const std::vector<Point>& points);
    // The same in wide steps.
    [[nodiscard]] static Line steady_line(const Line& measured);
    [[nodiscard]] std::size_t evidence_point(std::uint64_t size_bytes) const;
    [[nodiscard]] static Point at(const std::vector<Point>& points, std::uint64_t size_bytes);
    [[nodiscard]] static std::size_t upper_point(const std::vector<Point>& points, double size_bytes);

    const Context& context_;
    std::size_t curve_ = 0;
    bool measured_ = false;
    model::Statement source_;
    bool is_line_ = true;
    Prices of_anyone_;
    Prices of_image_;  // empty: not measured
    Line allocate_;
    Line free_;
};

}  // namespace heapwright::policy
