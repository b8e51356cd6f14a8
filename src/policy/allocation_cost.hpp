// What a device allocation of a memory type costs in CPU time: the report's measured curve, interpolated between its
// points and extended along its last two; where the report has none, a stated assumption. Times in nanoseconds. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heapwright/policy/context.hpp"

namespace heapwright::policy {

class AllocationCost {
public:
    AllocationCost(const Context& context, std::uint32_t memory_type);

    [[nodiscard]] double allocate_ns(std::uint64_t size_bytes) const { return at(size_bytes).allocate_ns; }
    [[nodiscard]] double free_ns(std::uint64_t size_bytes) const { return at(size_bytes).free_ns; }
    [[nodiscard]] bool is_measured() const { return measured_; }
    // "by the measured latency curve", or what is assumed instead.
    [[nodiscard]] const std::string& source() const { return source_; }
    // The measured points next to a size.
    [[nodiscard]] std::vector<model::DecisionInput> evidence(std::uint64_t size_bytes) const;

private:
    struct Point {
        double size_bytes = 0;
        double allocate_ns = 0;
        double free_ns = 0;
    };

    [[nodiscard]] Point at(std::uint64_t size_bytes) const;
    [[nodiscard]] std::size_t upper_point(double size_bytes) const;

    const Context& context_;
    std::size_t curve_ = 0;
    bool measured_ = false;
    std::string source_;
    std::vector<Point> points_;
};

}  // namespace heapwright::policy
