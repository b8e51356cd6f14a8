#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

namespace buffer_usage = model::buffer_usage;

model::Flags usage_of(const Answer& answer) {
    return std::get<model::BufferDescription>(answer.query.resource).usage;
}

// The first pair of answers that breaks a rule between two; the rule is asked in both orders.
template <class Breaks>
void check_pairs(const PairRule& rule, const std::vector<Answer>& answers, std::vector<DetailedFinding>& findings,
                 Breaks breaks) {
    for (const Answer& first : answers) {
        for (const Answer& second : answers) {
            if (&first == &second || !breaks(first, second)) continue;
            findings.push_back(pair_finding(rule, first, second));
            return;
        }
    }
}

void check_same_usage(const std::vector<Answer>& answers, std::vector<DetailedFinding>& findings) {
    check_pairs(
        {.id = "buffer-memory-type-bits-differ",
         .statement = "buffers of one usage have several sets of memory types",
         .clause = "VkMemoryRequirements: memoryTypeBits is identical for all VkBuffer objects created with the "
                   "same flags and usage",
         .violated = "first.memoryTypeBits != second.memoryTypeBits"},
        answers, findings, [](const Answer& first, const Answer& second) {
            return usage_of(first) == usage_of(second) &&
                   first.query.answer.memory_type_bits != second.query.answer.memory_type_bits;
        });
    check_pairs(
        {.id = "buffer-alignment-differs",
         .statement = "buffers of one usage have several alignments",
         .clause = "VkMemoryRequirements: the alignment member is identical for all VkBuffer objects created with "
                   "the same combination of values for usage and flags",
         .violated = "first.alignment != second.alignment"},
        answers, findings, [](const Answer& first, const Answer& second) {
            return usage_of(first) == usage_of(second) &&
                   first.query.answer.alignment_bytes != second.query.answer.alignment_bytes;
        });
    check_pairs(
        {.id = "buffer-usage-adds-memory-types",
         .statement = "a buffer with more usages has memory types that one with fewer lacks",
         .clause = "VkMemoryRequirements: if the bits set in usage2 are a subset of the bits set in usage1, the "
                   "bits set in memoryTypeBits returned for usage1 must be a subset of those returned for usage2",
         .violated = "(first.memoryTypeBits & ~second.memoryTypeBits) != 0"},
        answers, findings, [](const Answer& first, const Answer& second) {
            const bool fewer = usage_of(first) != usage_of(second) && (usage_of(second) & ~usage_of(first)) == 0;
            return fewer && (first.query.answer.memory_type_bits & ~second.query.answer.memory_type_bits) != 0;
        });
}

struct OffsetLimit {
    model::Flags usage;
    model::FactName limit;
    std::string_view clause;
};

constexpr OffsetLimit kOffsetLimits[] = {
    {buffer_usage::kUniformTexel | buffer_usage::kStorageTexel, "minTexelBufferOffsetAlignment",
     "VkMemoryRequirements: if usage included VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT or "
     "VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT, alignment must be an integer multiple of "
     "VkPhysicalDeviceLimits::minTexelBufferOffsetAlignment"},
    {buffer_usage::kUniform, "minUniformBufferOffsetAlignment",
     "VkMemoryRequirements: if usage included VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, alignment must be an integer "
     "multiple "
     "of VkPhysicalDeviceLimits::minUniformBufferOffsetAlignment"},
    {buffer_usage::kStorage, "minStorageBufferOffsetAlignment",
     "VkMemoryRequirements: if usage included VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, alignment must be an integer "
     "multiple "
     "of VkPhysicalDeviceLimits::minStorageBufferOffsetAlignment"},
};

void check_offset_alignments(const model::DeviceReport& device, const std::vector<Answer>& answers,
                             std::vector<DetailedFinding>& findings) {
    for (const OffsetLimit& entry : kOffsetLimits) {
        const std::uint64_t limit = device.limit(entry.limit).value_or(0);
        if (limit == 0) continue;
        const auto shown = std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) {
            return (usage_of(answer) & entry.usage) != 0 && answer.query.answer.alignment_bytes % limit != 0;
        });
        if (shown == answers.end()) continue;
        findings.push_back(
            {.finding = {.id = fmt::format("buffer-alignment-below-offset-alignment:{}", entry.limit.text()),
                         .severity = model::FindingSeverity::kViolation,
                         .statement = fmt::format("a buffer's alignment of {} is no multiple of {}, which is {}",
                                                  shown->query.answer.alignment_bytes, entry.limit.text(), limit),
                         .clause = std::string(entry.clause),
                         .evidence = {evidence(*shown),
                                      fmt::format("/limits/VkPhysicalDeviceLimits/{}: {}", entry.limit.text(), limit)}},
             .reproduction = {
                 .queries = {shown->query},
                 .structure = {},
                 .allocations = {},
                 .violated = fmt::format("limits.{0} != 0 && first.alignment % limits.{0} != 0", entry.limit.text())}});
    }
}

void check_sizes(const model::BufferSweep& sweep, std::vector<DetailedFinding>& findings) {
    bool fell = false;
    bool exceeded = false;
    for (std::size_t i = 0; i < sweep.cases.size(); ++i) {
        if (!sweep.cases[i].table) continue;
        const model::SweepTable& table = sweep.tables[*sweep.cases[i].table];
        std::optional<std::size_t> last;
        for (std::size_t point = 0; point < table.size_bytes.size(); ++point) {
            const auto answer = answer_at(sweep.requirements, table, point);
            if (!answer) continue;
            const std::uint64_t size = answer->size_bytes;
            if (!fell && last && table.size_bytes[*last] > size) {
                fell = true;
                findings.push_back(pair_finding(
                    {.id = "buffer-size-falls-with-request",
                     .statement = "a buffer takes more bytes than a larger one",
                     .clause =
                         "VkMemoryRequirements, maintenance4: for a VkBuffer, the size memory requirement is never "
                         "greater than that of another VkBuffer created with a greater or equal size, all other "
                         "creation parameters being identical",
                     .violated = "first.size > second.size"},
                    buffer_answer(sweep, i, *last), buffer_answer(sweep, i, point)));
            }
            last = point;
            const std::uint64_t alignment = answer->alignment_bytes;
            const auto aligned =
                is_power_of_two(alignment) ? checked_align_up(sweep.sizes[point], alignment) : std::nullopt;
            if (exceeded || !aligned || size <= *aligned) continue;
            exceeded = true;
            const Answer shown = buffer_answer(sweep, i, point);
            findings.push_back(
                {.finding = {.id = "buffer-size-above-aligned-request",
                             .severity = model::FindingSeverity::kViolation,
                             .statement =
                                 fmt::format("a buffer of {} bytes takes {}, more than the request aligned to {}",
                                             sweep.sizes[point], size, alignment),
                             .clause =
                                 "VkMemoryRequirements, maintenance4: for a VkBuffer, the size memory requirement "
                                 "is never greater than the result of aligning VkBufferCreateInfo::size with the "
                                 "alignment memory requirement",
                             .evidence = {evidence(shown)}},
                 .reproduction = {
                     .queries = {shown.query},
                     .structure = {},
                     .allocations = {},
                     .violated = fmt::format("first.size > ({}ull + first.alignment - 1) / first.alignment "
                                             "* first.alignment",
                                             sweep.sizes[point])}});
        }
    }
}

}  // namespace

void check_buffers(const model::DeviceReport& device, const std::vector<Answer>& answers,
                   std::vector<DetailedFinding>& findings) {
    check_same_usage(answers, findings);
    check_offset_alignments(device, answers, findings);
    if (device.feature("maintenance4")) check_sizes(device.buffer_sweep, findings);
}

}  // namespace heapwright::probe
