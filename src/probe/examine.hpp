// Compares a report with what the specification guarantees. A violation becomes a finding with the clause and the
// entries that show it. Of a Direct3D 12 device only its budgets are looked at. Pure and thread-safe.
// Beside it: the answers as the rules read them, and the rules, one function each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heapwright/model/report.hpp"

namespace heapwright::probe {

// A finding together with what shows it again on the driver itself. Plain values.

struct Query {
    model::ResourceDescription resource;
    model::MemoryRequirements answer;  // what the report holds
};

// How many allocations of one memory type can be made; all are freed.
struct CountedAllocations {
    std::uint32_t memory_type = 0;
    std::uint64_t bytes_each = 0;
    std::uint64_t at_most = 0;
};

// `violated` is a C++ expression over the API's own structures that is true where the violation shows:
//   first, second   VkMemoryRequirements of queries[0] and queries[1]
//   memory          VkPhysicalDeviceMemoryProperties
//   limits          VkPhysicalDeviceLimits
//   fact            the structure named by `structure`, from VkPhysicalDeviceProperties2 or its sibling for memory
//   allocated       how many of `allocations` succeeded
//   any_type(memory, bits, flags): whether one of the types in `bits` has all of `flags`
struct Reproduction {
    std::vector<Query> queries;  // at most two
    std::string structure;
    std::optional<CountedAllocations> allocations;
    std::string violated;
};

struct DetailedFinding {
    model::Finding finding;
    Reproduction reproduction;
};

// In a fixed order; no id stands twice.
[[nodiscard]] std::vector<DetailedFinding> examine_in_detail(const model::DeviceReport& device);

// The same without those whose id the report's findings hold already.
[[nodiscard]] std::vector<model::Finding> examine(const model::DeviceReport& device);

// The driver's answers in a report as the rules read them: one for each case and requirement class, with the words and
// pointers that a finding cites. Pure and thread-safe.

struct Answer {
    std::string pointer;  // relative to the device
    Query query;
    std::uint64_t count = 1;  // of an odd answer: how many of its kind the driver gave
};

// For every case the first grid point of each requirement class, then the workload's points.
[[nodiscard]] std::vector<Answer> image_answers(const model::ImageSweep& sweep);
[[nodiscard]] std::vector<Answer> buffer_answers(const model::BufferSweep& sweep);

// The answers that the sweep's tables and points do not hold because they break what every answer keeps. One for each
// kind; only rules about single answers may judge them.
[[nodiscard]] std::vector<Answer> odd_image_answers(const model::ImageSweep& sweep);
[[nodiscard]] std::vector<Answer> odd_buffer_answers(const model::BufferSweep& sweep);

// The answer of one case at one grid point, which the driver did answer.
[[nodiscard]] Answer image_answer(const model::ImageSweep& sweep, std::size_t image_case, std::size_t point);
[[nodiscard]] Answer buffer_answer(const model::BufferSweep& sweep, std::size_t buffer_case, std::size_t point);

// "/image_sweep/cases/3 (...): size_bytes 8192, alignment_bytes 64, memory_type_bits 0x3".
[[nodiscard]] std::string evidence(const Answer& answer);

// What the Vulkan specification guarantees of the facts and answers in a report, and figures that no plan should rest
// on unseen. Each function appends a finding for each that the report shows, at most one for each id. Parts that a
// report lacks are not judged. Source: Vulkan specification 1.4, chapters "Device Memory"
// (VkPhysicalDeviceMemoryProperties), "Resource Memory Association" (VkMemoryRequirements), "Required Limits" and
// VK_EXT_memory_budget. Pure and thread-safe.

// Of both APIs: budgets and usage beside the sizes of the heaps.
void check_budgets(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);

void check_memory(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);
void check_limits(const model::DeviceReport& device, std::vector<DetailedFinding>& findings);

// What holds for every single answer. `kind` begins the ids: "image", "buffer".
void check_requirements(const model::DeviceReport& device, std::string_view kind, const std::vector<Answer>& answers,
                        std::vector<DetailedFinding>& findings);

// What holds between two images, or two buffers.
void check_images(const model::DeviceReport& device, const std::vector<Answer>& answers,
                  std::vector<DetailedFinding>& findings);
void check_buffers(const model::DeviceReport& device, const std::vector<Answer>& answers,
                   std::vector<DetailedFinding>& findings);

// Helpers of the rules between two answers. Pure.

struct PairRule {
    std::string id;
    std::string statement;
    std::string clause;
    std::string violated;
};

[[nodiscard]] inline DetailedFinding pair_finding(const PairRule& rule, const Answer& first, const Answer& second) {
    return {.finding = {.id = rule.id,
                        .severity = model::FindingSeverity::kViolation,
                        .statement = rule.statement,
                        .clause = rule.clause,
                        .evidence = {evidence(first), evidence(second)}},
            .reproduction = {
                .queries = {first.query, second.query}, .structure = {}, .allocations = {}, .violated = rule.violated}};
}

}  // namespace heapwright::probe
