#include "traces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/checked.hpp"
#include "core/random.hpp"

namespace heapwright::bench {
namespace {

constexpr std::uint64_t kTextureUnit = 512;
constexpr std::uint64_t kTextureSpace = 1ull << 30;
constexpr std::uint64_t kTextureMaxAlignment = 64ull << 10;
constexpr std::uint64_t kFrameUnit = 256;
constexpr std::uint64_t kDescriptorSpace = 1'000'000;
constexpr std::size_t kPairs = 200'000;
// The lengths at which VMA's default and a plain best fit reach the fills known of them (.83 and .97 for textures,
// .89 and .98 for descriptors): a longer ramp meets more large requests at each fill and fails earlier.
constexpr std::size_t kTextureRampRequests = 85'000;
constexpr std::size_t kDescriptorRampRequests = 400'000;
constexpr std::uint32_t kRequestsPerFrame = 1000;

// 2^9..2^26 bytes with P proportional to 2^(-k/2), times 1 (60%), 1.5 (20%), 4/3 (20%), clamped.
class TextureSizes {
public:
    explicit TextureSizes(std::uint64_t max_bytes) : max_bytes_(max_bytes) {
        double sum = 0.0;
        for (int k = kFirst; k <= kLast && (1ull << k) <= max_bytes; ++k) {
            sum += std::pow(2.0, -0.5 * k);
            cumulative_.push_back(sum);
        }
        for (double& value : cumulative_) value /= sum;
    }

    [[nodiscard]] std::uint64_t draw_bytes(Random& random) const {
        const double choice = random.unit();
        const auto step = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, choice) - cumulative_.begin();
        const std::uint64_t base = 1ull << (kFirst + step);
        const double factor = random.unit();
        const std::uint64_t bytes = factor < 0.6 ? base : factor < 0.8 ? base + base / 2 : base * 4 / 3;
        return std::min(bytes, max_bytes_);
    }

private:
    static constexpr int kFirst = 9;
    static constexpr int kLast = 26;
    std::uint64_t max_bytes_;
    std::vector<double> cumulative_;
};

Request texture_request(const TextureSizes& sizes, bool is_aligned, Random& random) {
    const std::uint64_t bytes = sizes.draw_bytes(random);
    const std::uint64_t alignment = std::min(std::bit_floor(bytes), kTextureMaxAlignment);
    return {static_cast<std::uint32_t>(align_up(bytes, kTextureUnit)),
            is_aligned ? static_cast<std::uint32_t>(alignment) : 1, static_cast<std::uint32_t>(random.next() >> 32)};
}

Request descriptor_request(Random& random) {
    return {static_cast<std::uint32_t>(random.between(1, 64)), 1, static_cast<std::uint32_t>(random.next() >> 32)};
}

template <class Draw>
std::vector<Request> draw_many(std::size_t count, Draw&& draw) {
    std::vector<Request> requests;
    requests.reserve(count);
    while (requests.size() < count) requests.push_back(draw());
    return requests;
}

Trace make_texture_trace(std::string_view name, bool is_aligned, std::uint64_t seed) {
    Random random(seed);
    const TextureSizes sizes(64ull << 20);
    const auto draw = [&] { return texture_request(sizes, is_aligned, random); };
    return {.name = name,
            .pattern = Pattern::kSteady,
            .capacity = kTextureSpace,
            .granule = kTextureUnit,
            .target_fill = 0.8,
            .warm_up = draw_many(50'000, draw),
            .requests = draw_many(kPairs, draw)};
}

Trace make_ramp(std::string_view name, std::uint64_t capacity, std::uint64_t granule, std::vector<Request> requests) {
    return {.name = name,
            .pattern = Pattern::kRamp,
            .capacity = capacity,
            .granule = granule,
            .requests = std::move(requests)};
}

}  // namespace

Trace make_a80(std::uint64_t seed) {
    return make_texture_trace("a80", false, seed);
}
Trace make_a80al(std::uint64_t seed) {
    return make_texture_trace("a80al", true, seed);
}

Trace make_b90(std::uint64_t seed) {
    Random random(seed);
    const auto draw = [&] { return descriptor_request(random); };
    return {.name = "b90",
            .pattern = Pattern::kSteady,
            .capacity = kDescriptorSpace,
            .target_fill = 0.9,
            .warm_up = draw_many(150'000, draw),
            .requests = draw_many(kPairs, draw)};
}

// 256-byte units of constant and vertex data: 1..256 units, small ones more often.
Trace make_c(std::uint64_t seed) {
    Random random(seed);
    const auto draw = [&]() -> Request {
        const std::uint64_t limit = 1ull << random.between(0, 8);
        return {static_cast<std::uint32_t>(random.between(1, limit) * kFrameUnit), 1, 0};
    };
    return {.name = "c",
            .pattern = Pattern::kFrames,
            .capacity = kFrameUnit << 18,
            .granule = kFrameUnit,
            .requests_per_frame = kRequestsPerFrame,
            .warm_up = draw_many(10 * kRequestsPerFrame, draw),
            .requests = draw_many(kPairs, draw)};
}

Trace make_ramp_textures(std::uint64_t seed) {
    Random random(seed);
    const TextureSizes sizes(4ull << 20);
    return make_ramp("ramp textures", kTextureSpace, kTextureUnit,
                     draw_many(kTextureRampRequests, [&] { return texture_request(sizes, false, random); }));
}

Trace make_ramp_aligned(std::uint64_t seed) {
    Random random(seed);
    const TextureSizes sizes(4ull << 20);
    return make_ramp("ramp aligned", kTextureSpace, kTextureUnit,
                     draw_many(kTextureRampRequests, [&] { return texture_request(sizes, true, random); }));
}

Trace make_ramp_descriptors(std::uint64_t seed) {
    Random random(seed);
    return make_ramp("ramp descriptors", kDescriptorSpace, 1,
                     draw_many(kDescriptorRampRequests, [&] { return descriptor_request(random); }));
}

}  // namespace heapwright::bench
