// What of a difference between two rows is more than noise. Each input's figures come with samples, paired over the
// rows: of seeds, where the operations are drawn; of stretches of a trace's frames, drawn again in blocks, so that what
// hangs together in time stays together. A difference is told where the interval of Student's t about the mean paired
// difference, at 99% for all columns of a row together (Bonferroni), leaves out 0. Several inputs are added by weight,
// degrees of freedom by Welch and Satterthwaite. Pure; same input, same outcome.
// Source: Student 1908; Kuensch 1989 (moving blocks).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/what_if.hpp"
#include "whatif/account.hpp"

namespace heapwright::whatif {

// One row's figures of one input.
struct Sampled {
    Figures whole{};
    std::vector<Figures> samples;  // paired with those of the other rows
};

struct InputEvidence {
    double weight = 1;
    // Of the spread of sums over samples, the part that is the spread of one mean: 1 / seeds for seeds, 1 for draws.
    double variance_share = 1;
    double degrees_of_freedom = 0;  // 0: nothing is drawn, the figures are the trace's own
    std::vector<Sampled> rows;
};

// The accounts of each row, by seed.
[[nodiscard]] InputEvidence evidence_of_seeds(std::span<const std::vector<Figures>> rows, double weight);

// Fewer stretches tell nothing of noise.
inline constexpr std::size_t kLeastStretches = 8;
// The accounts of all rows over the same frames.
[[nodiscard]] InputEvidence evidence_of_stretches(std::span<const Account* const> rows, double weight);

struct Difference {
    double mean = 0;  // of the second less the first
    double margin = 0;

    [[nodiscard]] double least() const { return mean - margin; }
    [[nodiscard]] double most() const { return mean + margin; }
    [[nodiscard]] model::WhatIfVerdict verdict() const;
};

class Evidence {
public:
    explicit Evidence(std::vector<InputEvidence> inputs) : inputs_(std::move(inputs)) {}

    // Weighted over the inputs; empty: an input lacks the figure.
    [[nodiscard]] std::optional<double> value(std::size_t row, model::WhatIfColumn column) const;
    // Both rows have the figure.
    [[nodiscard]] Difference difference(std::size_t first, std::size_t second, model::WhatIfColumn column) const;

private:
    std::vector<InputEvidence> inputs_;
};

// What Student's t exceeds in absolute value with probability `both_tails`. Degrees of freedom of at least 1; more than
// 200 count as 200.
[[nodiscard]] double student_t(double degrees_of_freedom, double both_tails);

}  // namespace heapwright::whatif
