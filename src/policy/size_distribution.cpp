#include "heapwright/policy/size_distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace heapwright::policy {
namespace {

constexpr std::uint64_t kLargestPower = 1ull << 63;

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

SizeBin bin_between(model::SizeDistribution distribution, double from, double to, double first, double last) {
    if (distribution == model::SizeDistribution::kUniform) {
        return {.mean = (from + to) / 2, .weight = (to - from) / (last - first)};
    }
    const double log_ratio = std::log(to / from);
    return {.mean = (to - from) / log_ratio, .weight = log_ratio / std::log(last / first)};
}

}  // namespace

std::vector<SizeBin> size_bins(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest) {
    smallest = std::max<std::uint64_t>(1, smallest);
    largest = std::max(smallest, largest);
    if (distribution == model::SizeDistribution::kPowersOfTwo) return powers_of_two(smallest, largest);
    if (smallest == largest) return {{.largest = largest, .mean = static_cast<double>(largest)}};

    std::vector<SizeBin> bins;
    const auto first = static_cast<double>(smallest);
    const auto last = static_cast<double>(largest);
    std::uint64_t from = smallest;
    while (from < largest) {
        const std::uint64_t next = from >= kLargestPower ? largest : std::min(largest, std::bit_floor(from) * 2);
        const auto low = static_cast<double>(from);
        const auto high = static_cast<double>(next);
        if (high > low) {  // neighbours above 2^53 may be one double
            SizeBin bin = bin_between(distribution, low, high, first, last);
            bin.largest = next;
            bins.push_back(bin);
        }
        from = next;
    }
    if (bins.empty()) bins.push_back({.largest = largest, .mean = last});
    return bins;
}

}  // namespace heapwright::policy
