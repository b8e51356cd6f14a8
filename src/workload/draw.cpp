#include "workload/draw.hpp"

#include <algorithm>
#include <array>
#include <bit>

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

}  // namespace heapwright::workload
