#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "heapwright/core/checked.hpp"
#include "heapwright/policy/resource_sizing.hpp"

namespace heapwright::policy {

BufferSizer::BufferSizer(const Context& context, const model::BufferHint& hint) : context_(context), hint_(hint) {
    const auto& cases = context.device.buffer_sweep.cases;
    std::optional<int> best;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        if (cases[index].usage == hint.usage) {
            own_case_ = true;
            case_ = index;
            if (!cases[index].table) {
                why_not_ =
                    cases[index].not_supported.empty() ? "the device does not support it" : cases[index].not_supported;
            }
            return;
        }
        const int far = std::popcount(cases[index].usage ^ hint.usage);
        if (cases[index].table && (!best || far < *best)) {
            best = far;
            case_ = index;
        }
    }
}

std::optional<SizedResource> BufferSizer::size(std::uint64_t size_bytes) const {
    const model::BufferSweep& sweep = context_.device.buffer_sweep;
    if (!why_not_.empty() || size_bytes == 0) return std::nullopt;
    for (std::size_t index = 0; index < sweep.points.size(); ++index) {
        const model::BufferPoint& point = sweep.points[index];
        if (point.description != model::BufferDescription{.size_bytes = size_bytes, .usage = hint_.usage}) continue;
        if (!point.requirements) return std::nullopt;
        return SizedResource{.requirements = *point.requirements,
                             .evidence = context_.cite_device(
                                 fmt::format("/buffer_sweep/points/{}", index),
                                 requirements_text(*point.requirements, fmt::format("{} bytes", size_bytes)))};
    }
    if (!case_) {
        return SizedResource{
            .requirements = {.size_bytes = scaled_size(size_bytes, 1, 1, kAssumedBufferAlignment),
                             .alignment_bytes = kAssumedBufferAlignment,
                             .memory_type_bits = all_memory_types(context_.device)},
            .source = SizeSource::kAssumed,
            .evidence = context_.cite_device("/buffer_sweep/cases", "no case that could stand for it")};
    }

    const model::SweepTable& table = sweep.tables[*sweep.cases[*case_].table];
    // The first size that holds the buffer, else the largest one answered.
    std::uint64_t grid_size = 0;
    std::optional<model::MemoryRequirements> chosen;
    for (std::size_t index = 0; index < sweep.sizes.size() && grid_size < size_bytes; ++index) {
        const auto answer = answer_at(sweep.requirements, table, index);
        if (!answer) continue;
        chosen = answer;
        grid_size = sweep.sizes[index];
    }
    if (!chosen) return std::nullopt;

    SizedResource sized{.requirements = *chosen};
    sized.evidence = context_.cite_device(fmt::format("/buffer_sweep/cases/{}", *case_),
                                          requirements_text(sized.requirements, fmt::format("{} bytes", grid_size)));
    if (grid_size != size_bytes) {
        // Drivers round a buffer up by a few bytes: the same padding is added to the size asked for.
        const std::uint64_t padding =
            sized.requirements.size_bytes > grid_size ? sized.requirements.size_bytes - grid_size : 0;
        const std::uint64_t padded = checked_add(size_bytes, padding).value_or(size_bytes);
        sized.requirements.size_bytes = scaled_size(padded, 1, 1, sized.requirements.alignment_bytes);
    }
    sized.source = !own_case_                ? SizeSource::kScaled
                   : grid_size == size_bytes ? SizeSource::kExact
                   : grid_size > size_bytes  ? SizeSource::kNextLarger
                                             : SizeSource::kScaled;
    return sized;
}

}  // namespace heapwright::policy
