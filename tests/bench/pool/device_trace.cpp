#include "device_trace.hpp"

#include <cmath>

#include "core/random.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint32_t kSmallestSide = 16;
constexpr std::uint64_t kSmallestBuffer = 256;

// The mean of log-uniform numbers.
double mean(double low, double high) {
    return low < high ? (high - low) / std::log(high / low) : low;
}

double expected_bytes(const Population& one) {
    const double side = mean(kSmallestSide, one.largest_side);
    return one.images * 4.0 * side * side +
           one.buffers * mean(static_cast<double>(kSmallestBuffer), static_cast<double>(one.largest_buffer_bytes));
}

}  // namespace

namespace {

std::uint32_t images_of(std::uint32_t live, Kinds kinds) {
    switch (kinds) {
        case Kinds::kBoth: break;
        case Kinds::kHalfImages: return live / 2;
        case Kinds::kImages: return live;
        case Kinds::kBuffers: return 0;
    }
    return live * 2 / 7;
}

}  // namespace

Population population_of(std::uint32_t live, std::uint64_t memory_bytes, Kinds kinds) {
    Population one{.images = images_of(live, kinds),
                   .buffers = 0,
                   .largest_side = live > 2000 ? 256u : 1024u,
                   .largest_buffer_bytes = 1 << 20};
    one.buffers = live - one.images;
    while (expected_bytes(one) * 2 > static_cast<double>(memory_bytes) && one.largest_buffer_bytes > 512) {
        one.largest_buffer_bytes /= 2;
        if (one.largest_side > 2 * kSmallestSide) one.largest_side = one.largest_side * 3 / 4;
    }
    return one;
}

std::vector<Step> make_trace(const Population& one, std::uint32_t steps, std::uint64_t seed) {
    Random random(seed);
    const auto log_uniform = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
    const auto draw = [&](bool image) -> model::ResourceDescription {
        if (!image) {
            return model::BufferDescription{.size_bytes = static_cast<std::uint64_t>(log_uniform(
                                                kSmallestBuffer, static_cast<double>(one.largest_buffer_bytes))),
                                            .usage = model::buffer_usage::kVertex | model::buffer_usage::kTransferDst};
        }
        const auto side = [&] { return static_cast<std::uint32_t>(log_uniform(kSmallestSide, one.largest_side)); };
        return model::ImageDescription{.usage = model::image_usage::kSampled | model::image_usage::kTransferDst,
                                       .width = side(),
                                       .height = side()};
    };
    std::vector<Step> trace;
    std::vector<bool> is_image;
    for (std::uint32_t i = 0; i < one.all(); ++i) {
        is_image.push_back(random.below(one.all()) < one.images);
        trace.push_back({.created = draw(is_image.back())});
    }
    for (std::uint32_t i = 0; i < steps; ++i) {
        const auto victim = static_cast<std::uint32_t>(random.below(one.all()));
        trace.push_back({.victim = victim, .created = draw(is_image[victim])});
    }
    return trace;
}

model::Workload workload_of(const Population& one) {
    model::Workload workload;
    workload.name = "churn";
    workload.steps_per_frame = kStepsPerFrame;
    if (one.images != 0)
        workload.images = {{.smallest_side = kSmallestSide,
                            .largest_side = one.largest_side,
                            .distribution = model::SizeDistribution::kLogUniform,
                            .count = one.images}};
    if (one.buffers != 0)
        workload.buffers = {
            {.smallest_bytes = kSmallestBuffer, .largest_bytes = one.largest_buffer_bytes, .count = one.buffers}};
    return workload;
}

}  // namespace heapwright::bench
