#include "validate/population.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "core/random.hpp"
#include "core/text.hpp"
#include "workload/draw.hpp"
#include "workload/stream.hpp"

namespace heapwright::validate {

namespace {

constexpr int kDraws = 256;
constexpr double kDeviations = 3;  // of a sum of draws, for its largest value in a run
constexpr std::uint32_t kScaleSteps = 1024;

template <class Hints>
std::uint64_t total(const Hints& hints) {
    std::uint64_t sum = 0;
    for (const auto& hint : hints) sum += hint.count;
    return sum;
}

std::uint32_t scaled_count(std::uint32_t count, double scale) {
    return count == 0 ? 0 : std::max(1u, static_cast<std::uint32_t>(std::floor(count * scale)));
}

// A hint's draws as the device sizes them, smallest first.
struct DrawnHint {
    model::MemoryUse use = model::MemoryUse::kDeviceOnly;
    model::Lifetime lifetime = model::Lifetime::kStreaming;
    std::uint32_t count = 0;
    std::vector<std::uint64_t> sizes;  // 0: the device has no such resource
    double lacked = 0;                 // of the draws, the share that the device does not have
    double lacked_bytes = 0;           // packed, the mean over all draws
    double churn_in_frame = 0;

    [[nodiscard]] double mean_bytes(std::uint64_t largest_bytes) const {
        double sum = 0;
        for (const std::uint64_t size : sizes) sum += size <= largest_bytes ? static_cast<double>(size) : 0;
        return sum / static_cast<double>(sizes.size());
    }
    // Of the bytes of `held` resources: that of the draws themselves, and that of a mean that kDraws of them gave.
    [[nodiscard]] double variance(double held, std::uint64_t largest_bytes) const {
        const double mean = mean_bytes(largest_bytes);
        double squares = 0;
        for (const std::uint64_t size : sizes) {
            const double difference = (size <= largest_bytes ? static_cast<double>(size) : 0) - mean;
            squares += difference * difference;
        }
        return squares / static_cast<double>(sizes.size()) * (held + held * held / kDraws);
    }
    // At the peak, what waits for the device included.
    [[nodiscard]] double held(double scale, std::uint32_t frames_in_flight) const {
        const double alive = scaled_count(count, scale);
        if (lifetime == model::Lifetime::kFrame) return alive * (frames_in_flight + 1);
        return alive + std::min(alive, churn_in_frame) * frames_in_flight;
    }
    [[nodiscard]] double share_above(std::uint64_t largest_bytes) const {
        const auto above = sizes.end() - std::ranges::upper_bound(sizes, largest_bytes);
        return static_cast<double>(above) / static_cast<double>(sizes.size());
    }
};

class Fitting {
public:
    Fitting(const model::Workload& workload, const SizeFunction& size_bytes)
        : frames_in_flight_(workload.churn_steps == 0 ? 0 : std::max(workload.frames_in_flight, 1u)) {
        Random random(workload.seed);
        const auto add = [&](const auto& hint, auto&& draw_one) {
            DrawnHint drawn{.use = hint.memory_use, .lifetime = hint.lifetime, .count = hint.count, .sizes = {}};
            for (int i = 0; i < kDraws; ++i) {
                const model::ResourceDescription resource = draw_one(hint, random);
                drawn.sizes.push_back(size_bytes(resource));
                if (drawn.sizes.back() != 0) continue;
                drawn.lacked += 1.0 / kDraws;
                drawn.lacked_bytes += static_cast<double>(workload::packed_size_bytes(resource)) / kDraws;
            }
            std::ranges::sort(drawn.sizes);
            hints_.push_back(std::move(drawn));
        };
        for (const model::ImageHint& hint : workload.images) add(hint, workload::draw_image);
        for (const model::BufferHint& hint : workload.buffers) add(hint, workload::draw_buffer);
        const std::vector<double> renewed = workload::renewed_in_frame(workload);
        for (std::size_t at = 0; at < hints_.size(); ++at) {
            // A whole group is given up before the first of the next is made.
            const double together = workload::renewed_together(hints_[at].lifetime, hints_[at].count);
            if (renewed[at] > 0) hints_[at].churn_in_frame = std::max(renewed[at], together);
        }
    }

    [[nodiscard]] double bytes(double scale, std::uint64_t largest_bytes) const {
        double sum = 0;
        for (const DrawnHint& hint : hints_)
            sum += hint.mean_bytes(largest_bytes) * hint.held(scale, frames_in_flight_);
        return sum;
    }

    // More than a run ever has but once in hundreds; of equal sizes bytes() itself.
    [[nodiscard]] double most_bytes(double scale, std::uint64_t largest_bytes) const {
        double variance = 0;
        for (const DrawnHint& hint : hints_)
            variance += hint.variance(hint.held(scale, frames_in_flight_), largest_bytes);
        return bytes(scale, largest_bytes) + kDeviations * std::sqrt(variance);
    }

    [[nodiscard]] BytesByUse by_use() const {
        BytesByUse sums{};
        for (const DrawnHint& hint : hints_)
            sums[static_cast<std::size_t>(hint.use)] +=
                static_cast<std::uint64_t>(hint.mean_bytes(~0ull) * hint.held(1, frames_in_flight_));
        return sums;
    }

    // The largest size with which one of every hint fits; 0 where none does.
    [[nodiscard]] std::uint64_t largest_that_fits(double limit) const {
        if (most_bytes(0, ~0ull) <= limit) return ~0ull;
        std::vector<std::uint64_t> sizes;
        for (const DrawnHint& hint : hints_) {
            if (hint.count != 0) sizes.insert(sizes.end(), hint.sizes.begin(), hint.sizes.end());
        }
        std::ranges::sort(sizes);
        const auto first_too_large =
            std::ranges::partition_point(sizes, [&](std::uint64_t largest) { return most_bytes(0, largest) <= limit; });
        return first_too_large == sizes.begin() ? 0 : *(first_too_large - 1);
    }

    [[nodiscard]] double largest_scale(double limit, std::uint64_t largest_bytes) const {
        std::uint32_t low = 0;
        for (std::uint32_t high = kScaleSteps; low < high;) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            if (most_bytes(static_cast<double>(middle) / kScaleSteps, largest_bytes) <= limit) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return static_cast<double>(low) / kScaleSteps;
    }

    // Of the workload at its peak, what is played at this scale, and what is left out of each hint.
    void fill_in_shares(double scale, std::uint64_t largest_bytes, Population& population) const {
        double total_bytes = 0;
        double total = 0;
        double played = 0;
        for (const DrawnHint& hint : hints_) {
            const double held = hint.held(1, frames_in_flight_);
            total_bytes += (hint.mean_bytes(~0ull) + hint.lacked_bytes) * held;
            total += held;
            played += hint.held(scale, frames_in_flight_) * (1 - hint.lacked - hint.share_above(largest_bytes));
        }
        if (total_bytes > 0) population.bytes_share = bytes(scale, largest_bytes) / total_bytes;
        if (total > 0) population.resources_share = played / total;
        for (const DrawnHint& hint : hints_) {
            const double left_out = hint.mean_bytes(~0ull) - hint.mean_bytes(largest_bytes) + hint.lacked_bytes;
            population.unplayed_bytes_share.push_back(
                total_bytes > 0 ? left_out * hint.held(1, frames_in_flight_) / total_bytes : 0);
            population.fewer.push_back(hint.count - scaled_count(hint.count, scale));
        }
    }

    [[nodiscard]] std::uint64_t left_out(std::uint64_t largest_bytes) const {
        double sum = 0;
        for (const DrawnHint& hint : hints_) sum += hint.count * hint.share_above(largest_bytes);
        return static_cast<std::uint64_t>(std::ceil(sum));
    }

private:
    std::uint32_t frames_in_flight_;  // behind another: without churn there is one frame
    std::vector<DrawnHint> hints_;
};

std::string statement_of(double share, std::uint64_t left_out) {
    std::string text = fmt::format("a stand-in ran: {} of the bytes", share_text(share));
    if (left_out != 0) text += fmt::format("; {} did not run", counted(left_out, "large resource"));
    return text;
}

}  // namespace

void lower_counts(model::Workload& workload, const PopulationLimit& most) {
    const auto lower = [](auto& hints, std::uint64_t limit) {
        const std::uint64_t wanted = total(hints);
        if (wanted <= limit) return;
        const double factor = static_cast<double>(limit) / static_cast<double>(wanted);
        for (auto& hint : hints) {
            if (hint.count != 0) hint.count = std::max(1u, static_cast<std::uint32_t>(std::ceil(hint.count * factor)));
        }
    };
    lower(workload.images, most.images);
    lower(workload.buffers, most.buffers);
}

Result<Population> fit_population(const model::Workload& workload, std::uint64_t limit_bytes,
                                  const SizeFunction& size_bytes) {
    HEAPWRIGHT_TRY(workload::check_workload(workload));
    const Fitting fitting(workload, size_bytes);
    Population population{.workload = workload,
                          .wanted_bytes = fitting.by_use(),
                          .stand_in = {},
                          .unplayed_bytes_share = {},
                          .fewer = {}};
    const double limit = static_cast<double>(limit_bytes);
    const double wanted = fitting.bytes(1, ~0ull);
    population.expected_bytes = static_cast<std::uint64_t>(wanted);
    population.most_bytes = static_cast<std::uint64_t>(fitting.most_bytes(1, ~0ull));
    if (fitting.most_bytes(1, ~0ull) <= limit) {
        fitting.fill_in_shares(1, ~0ull, population);
        return population;
    }

    population.largest_bytes = fitting.largest_that_fits(limit);
    if (population.largest_bytes == 0) {
        return fail(Error{.code = ErrorCode::kOverBudget,
                          .message = "not even the workload's smallest resources fit the memory limit",
                          .where = "memory_limit_bytes",
                          .value = static_cast<std::uint64_t>(wanted),
                          .limit = limit_bytes});
    }
    const double scale = fitting.largest_scale(limit, population.largest_bytes);
    for (model::ImageHint& hint : population.workload.images) hint.count = scaled_count(hint.count, scale);
    for (model::BufferHint& hint : population.workload.buffers) hint.count = scaled_count(hint.count, scale);
    const double played = fitting.bytes(scale, population.largest_bytes);
    population.expected_bytes = static_cast<std::uint64_t>(played);
    population.most_bytes = static_cast<std::uint64_t>(fitting.most_bytes(scale, population.largest_bytes));
    fitting.fill_in_shares(scale, population.largest_bytes, population);
    const std::uint64_t left_out = fitting.left_out(population.largest_bytes);
    population.stand_in = model::StandIn{.bytes_share = played / wanted,
                                         .resources_left_out = left_out,
                                         .statement = statement_of(played / wanted, left_out)};
    return population;
}

std::uint64_t largest_subresource_bytes(const model::Workload& workload) {
    std::uint64_t largest = 0;
    for (const model::ImageHint& hint : workload.images) {
        model::ImageDescription image{.format = hint.format, .width = hint.largest_side, .height = hint.largest_side};
        if (hint.extents.empty()) largest = std::max(largest, model::packed_size_bytes(image));
        for (const auto& extent : hint.extents) {
            image.width = extent[0];
            image.height = extent[1];
            largest = std::max(largest, model::packed_size_bytes(image));
        }
    }
    return largest;
}

namespace {

// A resource that no device allocation holds is none that the device has, though it may describe it.
Result<SupportedResource> allocatable(const device::Device& device, const model::ResourceDescription& description,
                                      std::uint64_t size_bytes) {
    const std::uint64_t largest = contract::largest_allocation_bytes(device.facts());
    if (size_bytes <= largest) return SupportedResource{.description = description, .size_bytes = size_bytes};
    return fail(Error{.code = ErrorCode::kOutOfRange,
                      .message = "the resource is larger than any device allocation may be",
                      .where = "maxMemoryAllocationSize",
                      .value = size_bytes,
                      .limit = largest});
}

}  // namespace

Result<SupportedResource> supported(device::Device& device, const model::ResourceDescription& description) {
    model::ResourceDescription checked = description;
    if (auto* image = std::get_if<model::ImageDescription>(&checked)) {
        if ((image->usage & model::image_usage::kTransientAttachment) == 0)
            image->usage |= model::image_usage::kTransferSrc | model::image_usage::kTransferDst;
    } else {
        std::get<model::BufferDescription>(checked).usage |=
            model::buffer_usage::kTransferSrc | model::buffer_usage::kTransferDst;
    }
    auto requirements = device.resources().requirements(checked);
    if (requirements) return allocatable(device, checked, requirements->size_bytes);
    if (!is_refusal(requirements.error())) return fail(std::move(requirements.error()));
    HEAPWRIGHT_ASSIGN(const auto plain, device.resources().requirements(description));
    return allocatable(device, description, plain.size_bytes);
}

namespace {

std::set<std::uint32_t> heaps_of(const model::MemoryUsePolicy& use, const model::DeviceReport& facts) {
    std::set<std::uint32_t> heaps;
    for (const std::uint32_t type : use.memory_types.value) {
        if (type < facts.memory_types.size()) heaps.insert(facts.memory_types[type].heap_index);
    }
    return heaps;
}

}  // namespace

std::optional<std::string> misfit_of(const model::DevicePolicy& policy, const model::DeviceReport& facts,
                                     const BytesByUse& wanted_bytes, bool is_policys_workload) {
    if (policy.capacity && is_policys_workload) {
        // What the device refuses is left out, and the verdict says so; the rest is played.
        if (policy.capacity->unfit.empty()) return std::nullopt;
        return "the workload " + model::statement_of(*policy.capacity);
    }
    // Bytes that may lie in any of several heaps find room exactly if no set of uses wants more than its heaps have
    // (Hall's theorem).
    const std::size_t uses = policy.memory_uses.size();
    std::uint64_t most_missing = 0;
    std::string statement;
    for (std::uint32_t set = 1; set < 1u << uses; ++set) {
        std::uint64_t wanted = 0;
        std::set<std::uint32_t> heaps;
        for (std::size_t i = 0; i < uses; ++i) {
            if ((set >> i & 1u) == 0) continue;
            const auto of_use = heaps_of(policy.memory_uses[i], facts);
            if (of_use.empty()) continue;  // nothing of this use is placed at all
            wanted += wanted_bytes[static_cast<std::size_t>(policy.memory_uses[i].use)];
            heaps.insert(of_use.begin(), of_use.end());
        }
        std::uint64_t usable = 0;
        for (const model::HeapPolicy& heap : policy.heaps) {
            if (heaps.contains(heap.heap)) usable += heap.usable_bytes.value;
        }
        if (wanted <= usable || wanted - usable <= most_missing) continue;
        most_missing = wanted - usable;
        statement = fmt::format("the workload does not fit the policy: it keeps {} where {} are usable, {} missing",
                                byte_text(wanted), byte_text(usable), byte_text(most_missing));
    }
    if (most_missing == 0) return std::nullopt;
    return statement;
}

}  // namespace heapwright::validate
