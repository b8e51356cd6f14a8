#include "workload/size_bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heapwright::workload {
namespace {

constexpr std::uint64_t kLargestPower = 1ull << 63;
constexpr std::uint64_t kSummedBelow = 32;

std::vector<SizeBin> powers_of_two(std::uint64_t smallest, std::uint64_t largest) {
    std::vector<SizeBin> bins;
    for (std::uint64_t power = smallest > kLargestPower ? 0 : std::bit_ceil(smallest); power != 0 && power <= largest;
         power *= 2) {
        bins.push_back({.largest = power, .mean = static_cast<double>(power)});
        if (power == kLargestPower) break;
    }
    if (bins.empty()) bins.push_back({.largest = largest, .mean = static_cast<double>(largest)});
    for (SizeBin& bin : bins) bin.weight = 1.0 / static_cast<double>(bins.size());
    return bins;
}

// The sum of 1 / value over [first, last]. From kSummedBelow on the logarithm between the half steps is within a
// millionth of it.
double inverse_sum(std::uint64_t first, std::uint64_t last) {
    double sum = 0;
    for (; first <= last && first < kSummedBelow; ++first) sum += 1.0 / static_cast<double>(first);
    if (first > last) return sum;
    return sum + std::log1p(static_cast<double>(last - first + 1) / (static_cast<double>(first) - 0.5));
}

// `weight` not yet divided by the sum of all bins.
SizeBin bin_between(model::SizeDistribution distribution, std::uint64_t first, std::uint64_t last) {
    const double values = static_cast<double>(last - first) + 1;
    if (first == last) {
        const auto value = static_cast<double>(last);
        const bool uniform = distribution == model::SizeDistribution::kUniform;
        return {.largest = last, .mean = value, .weight = uniform ? 1 : 1 / value};
    }
    if (distribution == model::SizeDistribution::kUniform) {
        return {
            .largest = last, .mean = static_cast<double>(first) / 2 + static_cast<double>(last) / 2, .weight = values};
    }
    const double weight = inverse_sum(first, last);
    return {.largest = last, .mean = values / weight, .weight = weight};
}

}  // namespace

std::vector<SizeBin> size_bins(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest) {
    smallest = std::max<std::uint64_t>(1, smallest);
    largest = std::max(smallest, largest);
    if (distribution == model::SizeDistribution::kPowersOfTwo) return powers_of_two(smallest, largest);

    std::vector<SizeBin> bins;
    double all = 0;
    std::uint64_t first = smallest;
    std::uint64_t power = std::bit_floor(smallest);
    while (true) {
        const std::uint64_t last = power >= kLargestPower ? largest : std::min(largest, power * 2);
        bins.push_back(bin_between(distribution, first, last));
        all += bins.back().weight;
        if (last == largest) break;
        first = last + 1;
        power = last;
    }
    for (SizeBin& bin : bins) bin.weight /= all;
    return bins;
}

}  // namespace heapwright::workload
