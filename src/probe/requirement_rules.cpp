#include <cstdint>
#include <functional>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

namespace property = model::memory_property;

bool any_type(const model::DeviceReport& device, std::uint32_t bits, model::Flags flags) {
    for (std::size_t type = 0; type < device.memory_types.size(); ++type) {
        if ((bits >> type & 1u) == 0) continue;
        if ((device.memory_types[type].property_flags & flags) == flags) return true;
    }
    return false;
}

struct Rule {
    std::string id;
    std::string statement;
    std::string clause;
    std::string violated;
    std::function<bool(const Answer&)> breaks;
};

void apply(const Rule& rule, const std::vector<Answer>& answers, std::vector<DetailedFinding>& findings) {
    const Answer* shown = nullptr;
    std::uint64_t count = 0;
    std::uint64_t total = 0;
    for (const Answer& answer : answers) {
        total += answer.count;
        if (!rule.breaks(answer)) continue;
        if (shown == nullptr) shown = &answer;
        count += answer.count;
    }
    if (shown == nullptr) return;
    findings.push_back(
        {.finding = {.id = rule.id,
                     .severity = model::FindingSeverity::kViolation,
                     .statement = fmt::format("{}: {} of {} answers", rule.statement, count, total),
                     .clause = rule.clause,
                     .evidence = {evidence(*shown)}},
         .reproduction = {.queries = {shown->query}, .structure = {}, .allocations = {}, .violated = rule.violated}});
}

}  // namespace

void check_requirements(const model::DeviceReport& device, std::string_view kind, const std::vector<Answer>& answers,
                        std::vector<DetailedFinding>& findings) {
    const std::size_t types = device.memory_types.size();
    const std::string resource = fmt::format("{} {}", kind == "image" ? "an" : "a", kind);
    apply({.id = fmt::format("{}-size-zero", kind),
           .statement = fmt::format("{} that takes no bytes", resource),
           .clause = "VkMemoryRequirements: size is the size, in bytes, of the memory allocation required for the "
                     "resource; VkMemoryAllocateInfo: allocationSize must be greater than 0",
           .violated = "first.size == 0",
           .breaks = [](const Answer& answer) { return answer.query.answer.size_bytes == 0; }},
          answers, findings);
    apply({.id = fmt::format("{}-memory-types-empty", kind),
           .statement = fmt::format("{} that no memory type can hold", resource),
           .clause = "VkMemoryRequirements: the memoryTypeBits member always contains at least one bit set",
           .violated = "first.memoryTypeBits == 0",
           .breaks = [](const Answer& answer) { return answer.query.answer.memory_type_bits == 0; }},
          answers, findings);
    apply({.id = fmt::format("{}-alignment-not-power-of-two", kind),
           .statement = fmt::format("the alignment of {} is not a power of two", resource),
           .clause = "VkMemoryRequirements: the alignment member is a power of two",
           .violated = "first.alignment == 0 || (first.alignment & (first.alignment - 1)) != 0",
           .breaks = [](const Answer& answer) { return !is_power_of_two(answer.query.answer.alignment_bytes); }},
          answers, findings);
    if (types == 0) return;
    // An answer without any memory type breaks the first rule alone.
    const auto lacks_type = [&](const Answer& answer, model::Flags flags) {
        const std::uint32_t bits = answer.query.answer.memory_type_bits;
        return bits != 0 && !any_type(device, bits, flags);
    };
    apply({.id = fmt::format("{}-memory-types-unknown", kind),
           .statement = fmt::format("{} in memory types beyond the {} that exist", resource, types),
           .clause = "VkMemoryRequirements: bit i is set if and only if the memory type i in the "
                     "VkPhysicalDeviceMemoryProperties structure is supported for the resource",
           .violated = "(static_cast<std::uint64_t>(first.memoryTypeBits) >> memory.memoryTypeCount) != 0",
           .breaks =
               [&](const Answer& answer) { return std::uint64_t{answer.query.answer.memory_type_bits} >> types != 0; }},
          answers, findings);
    apply(
        {.id = fmt::format("{}-without-device-local-type", kind),
         .statement = fmt::format("{} that no device-local memory type can hold", resource),
         .clause = "VkMemoryRequirements: the memoryTypeBits member always contains at least one bit set corresponding "
                   "to a VkMemoryType with the VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT bit set",
         .violated = "!any_type(memory, first.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)",
         .breaks = [&](const Answer& answer) { return lacks_type(answer, property::kDeviceLocal); }},
        answers, findings);
    apply({.id = fmt::format("{}-without-host-coherent-type", kind),
           .statement =
               fmt::format("{} of linear layout that no host-visible and host-coherent memory type can hold", resource),
           .clause = "VkMemoryRequirements: mappable coherent memory can always be attached to buffers without the "
                     "sparse binding and protected flags and to linear images without the protected flag",
           .violated = "!any_type(memory, first.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | "
                       "VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)",
           .breaks =
               [&](const Answer& answer) {
                   return model::resource_class(answer.query.resource, false) == model::ResourceClass::kLinear &&
                          lacks_type(answer, property::kHostVisible | property::kHostCoherent);
               }},
          answers, findings);
    apply({.id = fmt::format("{}-in-lazily-allocated-type", kind),
           .statement = fmt::format("{} without transient usage in a lazily allocated memory type", resource),
           .clause = "VkMemoryRequirements: memoryTypeBits must not refer to a VkMemoryType with "
                     "VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT for a buffer, nor for an image without "
                     "VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT",
           .violated = "any_type(memory, first.memoryTypeBits, VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)",
           .breaks =
               [&](const Answer& answer) {
                   return !model::is_transient_attachment(answer.query.resource) &&
                          any_type(device, answer.query.answer.memory_type_bits, property::kLazilyAllocated);
               }},
          answers, findings);
}

}  // namespace heapwright::probe
