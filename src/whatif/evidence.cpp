#include "whatif/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.hpp"

namespace heapwright::whatif {
namespace {

constexpr double kBothTails = 0.01 / static_cast<double>(model::kWhatIfColumns);
constexpr std::size_t kDraws = 400;

std::optional<double> figure(const Figures& figures, model::WhatIfColumn column) {
    return figures[static_cast<std::size_t>(column)];
}

}  // namespace

InputEvidence evidence_of_seeds(std::span<const std::vector<Figures>> rows, double weight) {
    InputEvidence evidence{.weight = weight};
    for (const std::vector<Figures>& seeds : rows) {
        Sampled row{.whole = {}, .samples = seeds};
        for (std::size_t column = 0; column < model::kWhatIfColumns; ++column) {
            double sum = 0;
            bool has_all = !seeds.empty();
            for (const Figures& of_seed : seeds) {
                has_all = has_all && of_seed[column];
                sum += of_seed[column].value_or(0);
            }
            if (has_all) row.whole[column] = sum / static_cast<double>(seeds.size());
        }
        evidence.rows.push_back(std::move(row));
    }
    const double seeds = rows.empty() ? 0 : static_cast<double>(rows.front().size());
    if (seeds < 2) return evidence;
    evidence.variance_share = 1 / seeds;
    evidence.degrees_of_freedom = seeds - 1;
    return evidence;
}

InputEvidence evidence_of_stretches(std::span<const Account* const> rows, double weight) {
    InputEvidence evidence{.weight = weight};
    for (const Account* account : rows) evidence.rows.push_back({.whole = account->figures(), .samples = {}});
    const std::size_t stretches = rows.empty() ? 0 : rows.front()->stretches().size();
    if (stretches < kLeastStretches) return evidence;
    evidence.degrees_of_freedom = static_cast<double>(stretches - 1);
    const auto block = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(stretches))));
    Random random(stretches);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
        std::vector<std::size_t> drawn;
        while (drawn.size() < stretches) {
            const std::size_t begin = random.below(stretches - block + 1);
            for (std::size_t i = 0; i < block && drawn.size() < stretches; ++i) drawn.push_back(begin + i);
        }
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Stretch frames;
            for (const std::size_t stretch : drawn) frames.add(rows[row]->stretches()[stretch]);
            evidence.rows[row].samples.push_back(figures_of(rows[row]->load(), frames));
        }
    }
    return evidence;
}

model::WhatIfVerdict Difference::verdict() const {
    if (mean == 0 && margin == 0) return model::WhatIfVerdict::kSame;
    if (least() > 0) return model::WhatIfVerdict::kMore;
    return most() < 0 ? model::WhatIfVerdict::kLess : model::WhatIfVerdict::kNotTold;
}

std::optional<double> Evidence::value(std::size_t row, model::WhatIfColumn column) const {
    double sum = 0;
    double weights = 0;
    for (const InputEvidence& input : inputs_) {
        const auto of_input = figure(input.rows[row].whole, column);
        if (!of_input) return std::nullopt;
        sum += input.weight * *of_input;
        weights += input.weight;
    }
    if (weights == 0) return std::nullopt;
    return sum / weights;
}

Difference Evidence::difference(std::size_t first, std::size_t second, model::WhatIfColumn column) const {
    double weights = 0;
    for (const InputEvidence& input : inputs_) weights += input.weight;
    Difference all;
    double variance = 0;
    double of_degrees = 0;  // the sum of variance^2 / degrees of freedom
    for (const InputEvidence& input : inputs_) {
        const double weight = input.weight / weights;
        const Sampled& one = input.rows[first];
        const Sampled& other = input.rows[second];
        all.mean += weight * (figure(other.whole, column).value_or(0) - figure(one.whole, column).value_or(0));
        const auto count = static_cast<double>(one.samples.size());
        if (input.degrees_of_freedom == 0 || count < 2) continue;
        std::vector<double> differences;
        for (std::size_t i = 0; i < one.samples.size(); ++i)
            differences.push_back(figure(other.samples[i], column).value_or(0) -
                                  figure(one.samples[i], column).value_or(0));
        double mean = 0;
        for (const double difference : differences) mean += difference / count;
        double squares = 0;
        for (const double difference : differences) squares += (difference - mean) * (difference - mean);
        const double of_input = weight * weight * input.variance_share * squares / (count - 1);
        variance += of_input;
        of_degrees += of_input * of_input / input.degrees_of_freedom;
    }
    if (variance > 0) all.margin = student_t(variance * variance / of_degrees, kBothTails) * std::sqrt(variance);
    return all;
}

double student_t(double degrees_of_freedom, double both_tails) {
    // Beyond it t is hardly smaller, and the density below too narrow for the rule.
    constexpr double kMostDegrees = 200;
    const double n = std::min(degrees_of_freedom, kMostDegrees);
    // With t = sqrt(n) tan(angle) the density is cos(angle)^(n - 1) over its integral.
    const double scale = std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2)) / std::sqrt(std::numbers::pi);
    const auto inside = [&](double angle) {  // the probability of |t| below it, by Simpson's rule
        constexpr int kParts = 512;
        const double step = angle / kParts;
        double sum = 0;
        for (int i = 0; i <= kParts; ++i) {
            const double density = std::pow(std::cos(i * step), n - 1);
            sum += density * (i == 0 || i == kParts ? 1 : i % 2 == 1 ? 4 : 2);
        }
        return 2 * scale * sum * step / 3;
    };
    double below = 0;
    double above = std::numbers::pi / 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (below + above) / 2;
        (inside(middle) < 1 - both_tails ? below : above) = middle;
    }
    return std::sqrt(n) * std::tan((below + above) / 2);
}

}  // namespace heapwright::whatif
