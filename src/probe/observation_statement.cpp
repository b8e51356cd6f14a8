#include "probe/observe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "core/text.hpp"

namespace heapwright::probe {
namespace {

std::string condition_text(model::AlignmentCondition condition, std::uint64_t threshold) {
    using model::AlignmentCondition;
    switch (condition) {
        case AlignmentCondition::kAlways: return "always";
        case AlignmentCondition::kBothSidesAtLeast: return fmt::format("both sides are at least {}", threshold);
        case AlignmentCondition::kAnySideAtLeast: return fmt::format("a side is at least {}", threshold);
        case AlignmentCondition::kWidthAtLeast: return fmt::format("the width is at least {}", threshold);
        case AlignmentCondition::kHeightAtLeast: return fmt::format("the height is at least {}", threshold);
        case AlignmentCondition::kAreaAtLeast: return fmt::format("width x height is at least {}", threshold);
        case AlignmentCondition::kSizeBytesAtLeast: return fmt::format("the size is at least {}", byte_text(threshold));
    }
    return {};
}

std::string case_text(const model::ImageCase& entry) {
    std::string text = fmt::format("{}, {}{}, {}", model::info(entry.format).name,
                                   entry.tiling == model::ImageTiling::kOptimal ? "optimal" : "linear",
                                   entry.dimension == model::ImageDimension::k3d ? ", 3D" : "",
                                   model::flags_text(entry.usage, model::image_usage_names(), "no usage"));
    if (entry.full_mips) text += ", full mip chain";
    if (entry.array_layers > 1) text += fmt::format(", {} layers", entry.array_layers);
    if (entry.samples > 1) text += fmt::format(", {} samples", entry.samples);
    return text;
}

std::string alignments_text(const std::vector<std::uint64_t>& alignments) {
    if (alignments.size() == 1) return fmt::format("{}", alignments.front());
    const std::span most(alignments.begin(), alignments.size() - 1);
    return fmt::format("{} or {}", fmt::join(most, ", "), alignments.back());
}

std::string equal_cost_text(const std::vector<model::EqualCost>& runs) {
    std::string text;
    for (const model::EqualCost& run : runs) {
        text +=
            fmt::format(" {} from {} to {} cost the same.", run.along_width ? "Widths" : "Heights", run.from, run.to);
    }
    return text;
}

}  // namespace

std::string rule_sentence(const model::AlignmentRule& rule) {
    const std::string proof =
        fmt::format("({}, {} held out, all predicted)", counted(rule.found_on_points + rule.held_out_points, "point"),
                    rule.held_out_points);
    if (rule.steps.empty()) return fmt::format("Alignment is always {} {}.", rule.below_alignment_bytes, proof);
    std::string text = "Alignment is ";
    for (auto step = rule.steps.rbegin(); step != rule.steps.rend(); ++step) {
        text += fmt::format("{} when {}, ", step->alignment_bytes, condition_text(rule.condition, step->threshold));
    }
    return text + fmt::format("else {} {}.", rule.below_alignment_bytes, proof);
}

std::string image_statement(const model::ImageObservation& observation, const model::ImageCase* entry,
                            std::uint32_t answered) {
    std::string text = entry == nullptr ? "" : case_text(*entry) + ": ";
    if (answered == 0) return text + "the driver answers no point of this table.";
    if (observation.alignment_rule) {
        text += rule_sentence(*observation.alignment_rule);
    } else {
        text += fmt::format("Alignment is {}; no simple rule explains all {} points.",
                            alignments_text(observation.alignments), answered);
    }
    text += fmt::format(" The smallest size is {}; sizes of power-of-two extents are {}powers of two.",
                        counted(observation.smallest_size_bytes, "byte"),
                        observation.sizes_are_powers_of_two ? "all " : "not all ");
    text += equal_cost_text(observation.equal_cost);
    if (observation.overhead.largest > 0) {
        text += fmt::format(" An image takes {:.2f} to {:.2f} times its texels, {:.2f} in the median, most at {}x{}.",
                            observation.overhead.smallest, observation.overhead.largest, observation.overhead.median,
                            observation.overhead.largest_at[0], observation.overhead.largest_at[1]);
    }
    return text;
}

std::string buffer_statement(const model::BufferObservation& observation,
                             std::optional<std::uint64_t> rounding_above_minimum, std::size_t answered) {
    if (answered == 0) return "The driver answers no size of this table.";
    std::string text =
        fmt::format("Buffer alignment is {}; no buffer takes less than {}.", alignments_text(observation.alignments),
                    counted(observation.minimum_size_bytes, "byte"));
    if (observation.rounding_bytes == 1) {
        text += " Every size equals the request";
    } else if (observation.rounding_bytes) {
        text += fmt::format(" Every size is the request rounded up to a multiple of {}", *observation.rounding_bytes);
    } else if (rounding_above_minimum == 1) {
        text += " Above that every size equals the request";
    } else if (rounding_above_minimum) {
        text += fmt::format(" Above that every size is the request rounded up to a multiple of {}",
                            *rounding_above_minimum);
    } else if (observation.exact_from_bytes) {
        text += fmt::format(" From {} on every size equals the request", byte_text(*observation.exact_from_bytes));
    } else {
        text += " No power of two explains how requests are rounded";
    }
    return text + " (" + counted(answered, "size") + ").";
}

std::vector<std::string> device_statements(const model::DeviceReport& device, const model::Observations& observations) {
    std::vector<std::string> statements;
    std::set<std::uint64_t> alignments;
    std::uint64_t smallest = 0;
    std::size_t ruled = 0;
    for (const model::ImageObservation& image : observations.images) {
        alignments.insert(image.alignments.begin(), image.alignments.end());
        if (image.alignment_rule) ++ruled;
        if (image.smallest_size_bytes != 0 && (smallest == 0 || image.smallest_size_bytes < smallest)) {
            smallest = image.smallest_size_bytes;
        }
    }
    if (!alignments.empty()) {
        statements.push_back(fmt::format("Images are aligned to {}; none takes less than {}.",
                                         alignments_text({alignments.begin(), alignments.end()}),
                                         counted(smallest, "byte")));
        statements.push_back(fmt::format("A simple rule tells the alignment of every point in {} of {}.", ruled,
                                         counted(observations.images.size(), "image table")));
    }
    const auto answered_cases = std::count_if(device.buffer_sweep.cases.begin(), device.buffer_sweep.cases.end(),
                                              [](const model::BufferCase& entry) { return entry.table.has_value(); });
    if (answered_cases > 1) {
        const auto changes = [](bool does) { return does ? "changes" : "does not change"; };
        statements.push_back(fmt::format(
            "Over {} buffer usages, usage {} the size, {} the alignment and {} the memory types.", answered_cases,
            changes(observations.buffer_usage_changes_size), changes(observations.buffer_usage_changes_alignment),
            changes(observations.buffer_usage_changes_memory_types)));
    }
    return statements;
}

}  // namespace heapwright::probe
