#include "heapwright/validate/population.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"
#include "heapwright/core/count_text.hpp"
#include "heapwright/core/random.hpp"
#include "heapwright/workload/draw.hpp"
#include "heapwright/workload/stream.hpp"

namespace heapwright::validate {
namespace {

constexpr std::uint64_t kSmallestCapBytes = 65536;
constexpr int kDraws = 256;

template <class Hints>
std::uint64_t total(const Hints& hints) {
    std::uint64_t sum = 0;
    for (const auto& hint : hints) sum += hint.count;
    return sum;
}

template <class Hints>
void scale_counts(Hints& hints, double factor) {
    for (auto& hint : hints) {
        if (hint.count == 0) continue;
        hint.count = std::max(1u, static_cast<std::uint32_t>(std::ceil(hint.count * factor)));
    }
}

// Mean bytes of a hint's draws, each within the cap, times its count.
std::uint64_t expected_bytes(const model::Workload& workload, std::uint64_t cap_bytes, const SizeFunction& size_bytes) {
    double sum = 0;
    Random random(workload.seed);
    const auto add = [&](std::uint32_t count, auto&& draw_one) {
        double bytes = 0;
        for (int i = 0; i < kDraws; ++i) bytes += static_cast<double>(size_bytes(shrink(draw_one(), cap_bytes)));
        sum += bytes / kDraws * count;
    };
    for (const model::ImageHint& hint : workload.images)
        add(hint.count, [&] { return model::ResourceDescription(workload::draw_image(hint, random)); });
    for (const model::BufferHint& hint : workload.buffers)
        add(hint.count, [&] { return model::ResourceDescription(workload::draw_buffer(hint, random)); });
    return static_cast<std::uint64_t>(sum);
}

template <class Hints>
void raise_to_floor(Hints& hints, std::uint64_t floor, const char* what, std::vector<std::string>& changes) {
    const std::uint64_t wanted = total(hints);
    if (wanted == 0 || wanted >= floor) return;
    scale_counts(hints, static_cast<double>(floor) / static_cast<double>(wanted));
    changes.push_back(fmt::format("{} raised from {} to {}", what, wanted, total(hints)));
}

template <class Hints>
void lower_to_floor(Hints& hints, std::uint64_t floor, double factor, const char* what,
                    std::vector<std::string>& changes) {
    const std::uint64_t wanted = total(hints);
    if (wanted <= floor) return;
    scale_counts(hints, std::max(factor, static_cast<double>(floor) / static_cast<double>(wanted)));
    changes.push_back(fmt::format("{} lowered from {} to {}", what, wanted, total(hints)));
}

}  // namespace

void lower_counts(model::Workload& workload, const PopulationFloor& most) {
    const auto lower = [](auto& hints, std::uint64_t limit) {
        const std::uint64_t wanted = total(hints);
        if (wanted > limit) scale_counts(hints, static_cast<double>(limit) / static_cast<double>(wanted));
    };
    lower(workload.images, most.images);
    lower(workload.buffers, most.buffers);
}

model::ResourceDescription shrink(const model::ResourceDescription& description, std::uint64_t largest_packed_bytes) {
    if (workload::packed_size_bytes(description) <= largest_packed_bytes) return description;
    if (const auto* buffer = std::get_if<model::BufferDescription>(&description)) {
        model::BufferDescription smaller = *buffer;
        // Not all the same size: what exceeds the limit is spread over its upper half.
        const std::uint64_t half = std::max<std::uint64_t>(align_down(largest_packed_bytes / 2, 4), 4);
        smaller.size_bytes = half + align_down(smaller.size_bytes % half, 4);
        return smaller;
    }
    model::ImageDescription smaller = std::get<model::ImageDescription>(description);
    const std::uint32_t full_before = model::full_mip_chain(smaller.width, smaller.height, smaller.depth);
    const bool full_mips = smaller.mip_levels > 1 && smaller.mip_levels == full_before;
    while (model::packed_size_bytes(smaller) > largest_packed_bytes && std::max(smaller.width, smaller.height) > 1) {
        std::uint32_t& side = smaller.width >= smaller.height ? smaller.width : smaller.height;
        side = std::max(side / 2, 1u);
        const std::uint32_t full = model::full_mip_chain(smaller.width, smaller.height, smaller.depth);
        smaller.mip_levels = full_mips ? full : std::min(smaller.mip_levels, full);
    }
    return smaller;
}

Result<Population> fit_population(const model::Workload& workload, const PopulationFloor& floor,
                                  std::uint64_t limit_bytes, const SizeFunction& size_bytes) {
    HEAPWRIGHT_TRY(workload::check_workload(workload));
    Population population{.workload = workload, .changes = {}};
    model::Workload& fitted = population.workload;
    raise_to_floor(fitted.images, floor.images, "images", population.changes);
    raise_to_floor(fitted.buffers, floor.buffers, "buffers", population.changes);

    population.expected_bytes = expected_bytes(fitted, ~0ull, size_bytes);
    if (population.expected_bytes <= limit_bytes) return population;

    const double factor = static_cast<double>(limit_bytes) / static_cast<double>(population.expected_bytes);
    lower_to_floor(fitted.images, floor.images, factor, "images", population.changes);
    lower_to_floor(fitted.buffers, floor.buffers, factor, "buffers", population.changes);
    population.expected_bytes = expected_bytes(fitted, ~0ull, size_bytes);
    if (population.expected_bytes <= limit_bytes) return population;

    std::uint64_t cap = 1ull << 32;
    while (cap > kSmallestCapBytes && population.expected_bytes > limit_bytes) {
        cap /= 2;
        population.expected_bytes = expected_bytes(fitted, cap, size_bytes);
    }
    population.largest_packed_bytes = cap;
    population.changes.push_back(fmt::format("resources above {} bytes drawn smaller", cap));
    if (population.expected_bytes <= limit_bytes) return population;

    // Rounding keeps at least one of every hint, so that one step may not be enough.
    while (population.expected_bytes > limit_bytes) {
        const std::uint64_t before = total(fitted.images) + total(fitted.buffers);
        const double below = static_cast<double>(limit_bytes) / static_cast<double>(population.expected_bytes);
        scale_counts(fitted.images, 0.95 * below);
        scale_counts(fitted.buffers, 0.95 * below);
        population.expected_bytes = expected_bytes(fitted, cap, size_bytes);
        if (total(fitted.images) + total(fitted.buffers) == before) break;
    }
    population.changes.push_back(fmt::format("counts below the floor: {} and {}",
                                             counted(total(fitted.images), "image"),
                                             counted(total(fitted.buffers), "buffer")));
    if (population.expected_bytes > limit_bytes) {
        return fail(Error{.code = ErrorCode::kOutOfRange,
                          .message = "not even one small resource of every hint fits the memory limit",
                          .where = "memory_limit_bytes",
                          .value = population.expected_bytes,
                          .limit = limit_bytes});
    }
    return population;
}

}  // namespace heapwright::validate
