#include "probe/observations.hpp"

#include <algorithm>
#include <vector>

#include "core/checked.hpp"

namespace heapwright::probe {
namespace {

struct SizedRequest {
    std::uint64_t asked = 0;
    std::uint64_t given = 0;
};

std::vector<SizedRequest> answers(const model::BufferSweep& sweep, const model::SweepTable& table) {
    std::vector<SizedRequest> found;
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        if (table.size_bytes[index] != 0) found.push_back({sweep.sizes[index], table.size_bytes[index]});
    }
    return found;
}

// The power of two to which every request from `first` on is rounded up; nothing when there is none.
std::optional<std::uint64_t> rounding(const std::vector<SizedRequest>& requests, std::size_t first) {
    if (requests.size() < first + 2) return std::nullopt;
    for (std::uint64_t unit = 1; unit <= (1ull << 32); unit *= 2) {
        const bool explains =
            std::all_of(requests.begin() + static_cast<std::ptrdiff_t>(first), requests.end(),
                        [unit](const SizedRequest& one) { return checked_align_up(one.asked, unit) == one.given; });
        if (explains) return unit;
    }
    return std::nullopt;
}

// Only said where the exact sizes include odd ones, so that a driver that rounds to 16 is not called exact for having
// been asked for multiples of 16 last.
std::optional<std::uint64_t> exact_from(const std::vector<SizedRequest>& requests) {
    std::size_t first = requests.size();
    bool odd = false;
    while (first > 0 && requests[first - 1].asked == requests[first - 1].given) {
        --first;
        odd = odd || requests[first].asked % 2 != 0;
    }
    if (!odd || requests.size() - first < 2) return std::nullopt;
    return requests[first].asked;
}

// Two tables of one sweep at the sizes that both answer.
void compare(const model::BufferSweep& sweep, const model::SweepTable& a, const model::SweepTable& b,
             BufferUsageEffect& effect) {
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        const auto of_a = answer_at(sweep.requirements, a, index);
        const auto of_b = answer_at(sweep.requirements, b, index);
        if (!of_a || !of_b) continue;
        effect.size |= of_a->size_bytes != of_b->size_bytes;
        effect.alignment |= of_a->alignment_bytes != of_b->alignment_bytes;
        effect.memory_types |= of_a->memory_type_bits != of_b->memory_type_bits;
    }
}

}  // namespace

model::BufferObservation observe_buffer_table(const model::BufferSweep& sweep, std::uint32_t table_index) {
    const model::SweepTable& table = sweep.tables[table_index];
    model::BufferObservation observation{.table = table_index};
    const std::vector<SizedRequest> requests = answers(sweep, table);
    for (std::size_t index = 0; index < sweep.sizes.size(); ++index) {
        const auto answer = answer_at(sweep.requirements, table, index);
        if (answer) observation.alignments.push_back(answer->alignment_bytes);
    }
    std::sort(observation.alignments.begin(), observation.alignments.end());
    observation.alignments.erase(std::unique(observation.alignments.begin(), observation.alignments.end()),
                                 observation.alignments.end());
    if (!requests.empty()) {
        observation.minimum_size_bytes =
            std::min_element(requests.begin(), requests.end(), [](const SizedRequest& a, const SizedRequest& b) {
                return a.given < b.given;
            })->given;
    }
    observation.rounding_bytes = rounding(requests, 0);
    observation.exact_from_bytes = exact_from(requests);

    const auto above_minimum = std::find_if(requests.begin(), requests.end(), [&](const SizedRequest& one) {
        return one.asked > observation.minimum_size_bytes;
    });
    const auto rounding_above_minimum = rounding(requests, static_cast<std::size_t>(above_minimum - requests.begin()));
    observation.statement = buffer_statement(observation, rounding_above_minimum, requests.size());
    return observation;
}

BufferUsageEffect buffer_usage_effect(const model::BufferSweep& sweep) {
    BufferUsageEffect effect;
    for (std::size_t index = 1; index < sweep.tables.size(); ++index) {
        compare(sweep, sweep.tables[0], sweep.tables[index], effect);
    }
    return effect;
}

}  // namespace heapwright::probe
