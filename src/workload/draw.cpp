#include "workload/draw.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/checked.hpp"

namespace heapwright::workload {

namespace {

// An octave is chosen by its values over its power of two, a value uniformly in it and kept with probability
// power / value, at least one half: so every value is drawn in proportion to 1 / value.
std::uint64_t draw_log_uniform(std::uint64_t smallest, std::uint64_t largest, Random& random) {
    struct Octave {
        std::uint64_t power = 1;
        std::uint64_t first = 1;
        std::uint64_t last = 1;
        std::uint64_t weight = 0;  // 2^32 where the octave is whole
    };
    std::array<Octave, 64> octaves;
    std::size_t count = 0;
    std::uint64_t all = 0;
    const auto first_octave = static_cast<std::uint64_t>(std::bit_width(smallest)) - 1;
    const auto last_octave = static_cast<std::uint64_t>(std::bit_width(largest)) - 1;
    for (std::uint64_t octave = first_octave; octave <= last_octave; ++octave) {
        Octave& one = octaves[count++];
        one.power = std::uint64_t{1} << octave;
        one.first = std::max(smallest, one.power);
        one.last = std::min(largest, one.power + (one.power - 1));
        const std::uint64_t values = one.last - one.first + 1;
        one.weight = octave <= 32 ? values << (32 - octave) : div_ceil(values, std::uint64_t{1} << (octave - 32));
        all += one.weight;
    }
    while (true) {
        std::uint64_t left = random.below(all);
        const Octave* chosen = octaves.data();
        for (; left >= chosen->weight; ++chosen) left -= chosen->weight;
        const std::uint64_t value = random.between(chosen->first, chosen->last);
        if (random.below(value) < chosen->power) return value;
    }
}

template <class Draw>
double mean_of(const Draw& draw_one) {
    constexpr int kDraws = 512;
    Random random(1);
    std::uint64_t sum = 0;
    for (int i = 0; i < kDraws; ++i) sum += packed_size_bytes(draw_one(random));
    return static_cast<double>(sum) / kDraws;
}

}  // namespace

std::uint64_t draw(model::SizeDistribution distribution, std::uint64_t smallest, std::uint64_t largest,
                   Random& random) {
    if (distribution == model::SizeDistribution::kUniform) return random.between(smallest, largest);
    if (distribution == model::SizeDistribution::kLogUniform) return draw_log_uniform(smallest, largest, random);
    const auto first_octave = static_cast<std::uint64_t>(std::bit_width(smallest)) - 1;
    const auto last_octave = static_cast<std::uint64_t>(std::bit_width(largest)) - 1;
    const std::uint64_t first = std::has_single_bit(smallest) ? first_octave : first_octave + 1;
    return std::uint64_t{1} << random.between(first, last_octave);
}

model::ImageDescription draw_image(const model::ImageHint& hint, Random& random) {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    if (hint.extents.empty()) {
        width = static_cast<std::uint32_t>(draw(hint.distribution, hint.smallest_side, hint.largest_side, random));
        height = static_cast<std::uint32_t>(draw(hint.distribution, hint.smallest_side, hint.largest_side, random));
    } else {
        const auto& extent = hint.extents[static_cast<std::size_t>(random.below(hint.extents.size()))];
        width = extent[0];
        height = extent[1];
    }
    return model::describe(hint, width, height);
}

model::BufferDescription draw_buffer(const model::BufferHint& hint, Random& random) {
    return {.size_bytes = align_up(draw(hint.distribution, hint.smallest_bytes, hint.largest_bytes, random), 4),
            .usage = hint.usage};
}

double mean_packed_bytes(const model::ImageHint& hint) {
    return mean_of([&](Random& random) { return draw_image(hint, random); });
}

double mean_packed_bytes(const model::BufferHint& hint) {
    return mean_of([&](Random& random) { return draw_buffer(hint, random); });
}

std::uint64_t packed_size_bytes(const model::ResourceDescription& resource) {
    if (const auto* buffer = std::get_if<model::BufferDescription>(&resource)) return buffer->size_bytes;
    return model::packed_size_bytes(std::get<model::ImageDescription>(resource));
}

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

namespace {

void split(model::BufferHint& hint, std::uint64_t most_bytes) {
    const Parts parts = parts_of(hint, most_bytes);
    if (parts.count == 1) return;
    const bool one_size = hint.smallest_bytes == hint.largest_bytes;
    hint.smallest_bytes = one_size ? parts.bytes : std::min(parts.bytes, div_ceil(hint.smallest_bytes, parts.count));
    hint.largest_bytes = parts.bytes;
    hint.count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(std::numeric_limits<std::uint32_t>::max(), hint.count * parts.count));
}

}  // namespace

Parts parts_of(const model::BufferHint& hint, std::uint64_t most_bytes) {
    if (!hint.splittable || most_bytes == 0 || hint.largest_bytes <= most_bytes) return {.bytes = hint.largest_bytes};
    constexpr std::uint64_t kMostParts = 1ull << 31;
    const std::uint64_t unit = most_bytes < kPartUnit ? 1 : kPartUnit;
    const std::uint64_t most = align_down(most_bytes, unit);
    Parts parts{.count = std::min(kMostParts, div_ceil(hint.largest_bytes, most))};
    if (hint.distribution == model::SizeDistribution::kPowersOfTwo) parts.count = std::bit_ceil(parts.count);
    parts.bytes = std::min(most, align_up(div_ceil(hint.largest_bytes, parts.count), unit));
    return parts;
}

const model::Decided<std::uint64_t>* largest_of(const model::BufferHint& hint, const model::DevicePolicy& policy) {
    const bool is_storage = (hint.usage & model::buffer_usage::kStorage) != 0;
    if (is_storage && policy.largest_storage_buffer_bytes) return &*policy.largest_storage_buffer_bytes;
    return policy.largest_buffer_bytes ? &*policy.largest_buffer_bytes : nullptr;
}

model::Workload split_buffers(model::Workload workload, const model::DevicePolicy& policy) {
    for (model::BufferHint& hint : workload.buffers) {
        if (const auto* const largest = largest_of(hint, policy)) split(hint, largest->value);
    }
    return workload;
}

}  // namespace heapwright::workload
