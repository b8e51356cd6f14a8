// Figures of two runs that no distribution is kept of, such as the time of a copy or a bandwidth: whether they differ
// by more than two runs of one build do. Against several runs of one build the nearest under like conditions is
// compared. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cost_difference.hpp"
#include "heapwright/model/report.hpp"
#include "model/comparison.hpp"

namespace heapwright::compare {

enum class FigureKind : std::uint8_t {
    kTime,       // nanoseconds: less is better
    kBandwidth,  // bytes a second: more is better
};

struct Figure {
    double least = 0;  // of a single value all three are that value
    double median = 0;
    double p90 = 0;
    std::string of;             // what it was measured with, "8 MiB": others are not compared
    std::string tells_nothing;  // why it is no evidence; empty: it is
};

// Why two runs cannot be told apart from the machine's load; empty when they can.
[[nodiscard]] std::string unlike_loads(const std::optional<model::MachineLoad>& from,
                                       const std::optional<model::MachineLoad>& to, const NoiseOptions& options);

class FigureComparison {
public:
    FigureComparison(const NoiseOptions& options, FigureKind kind) : options_(options), kind_(kind) {}

    // One run of the baseline with the other, by path; what only one has is left to others. `unlike`: why none of them
    // can be judged.
    void add(const std::map<std::string, Figure>& from, const std::map<std::string, Figure>& to,
             const std::string& unlike);
    void finish(CostDifferences& result) const;

private:
    struct Pair {
        Figure from;
        Figure to;
        std::string unlike;
    };
    [[nodiscard]] model::FieldChange judge(const std::string& path, const Pair& pair) const;

    NoiseOptions options_;
    FigureKind kind_;
    std::map<std::string, Pair> nearest_;
};

// Whether what one report measured of memory was measured in the other: costs by memory type and size, copies, counted
// allocations, budgets. A measurement that is gone is missing, one that failed has regressed; a size is inconclusive
// where a run says that it had no time or no memory for it. A baseline that measured nothing of a part asks nothing of
// it. Pure and thread-safe.

// Why a report lacks all measurements of a kind through no fault of the device: an import holds none, and a probe may
// have had no time left, as a finding of the id `out_of_time` says. Empty: no reason.
[[nodiscard]] std::string why_not_measured(const model::DeviceReport& device, std::string_view out_of_time);

// Without `costs`, budgets alone.
[[nodiscard]] std::vector<model::FieldChange> compare_measured(const model::DeviceReport& baseline,
                                                               const model::DeviceReport& other, bool costs);

}  // namespace heapwright::compare
