#include "vulkan/device_report.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/breadcrumb.hpp"
#include "core/text.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/requirement_query.hpp"
#include "vulkan/sparse_requirements.hpp"
#include "vulkan/sweeps.hpp"

namespace heapwright::vulkan {

namespace {

void take_facts(Facts facts, std::vector<model::Fact>& values, std::vector<model::UnreportedFact>& unreported) {
    values = std::move(facts.values);
    for (model::UnreportedFact& entry : facts.unreported) unreported.push_back(std::move(entry));
}

}  // namespace

model::DeviceReport read_facts(const Instance& instance, const PhysicalDevice& device, std::uint32_t device_index) {
    model::DeviceReport report;
    report.identity = read_identity(instance, device);
    read_memory(instance, device, report);
    take_facts(read_limits(instance, device), report.limits, report.unreported);
    take_facts(read_features(instance, device), report.features, report.unreported);
    read_texts(instance, device, report);
    read_layered_apis(instance, device, report);
    report.queue_families = read_queue_families(instance, device);
    report.extensions = device.extensions();
    report.run.device_index = device_index;
    return report;
}

Result<model::DeviceReport> read_report(const Instance& instance, const PhysicalDevice& device,
                                        std::uint32_t device_index, const device::ReadOptions& options) {
    probe::SweepPace pace(options);
    model::DeviceReport report = read_facts(instance, device, device_index);
    if (options.on_facts) options.on_facts(report);
    HEAPWRIGHT_ASSIGN(auto query, RequirementQuery::create(instance, device));

    const std::uint64_t max_buffer_bytes = largest_buffer_bytes(report.limits);
    const std::size_t type_count = report.memory_types.size();
    const std::uint64_t sweep_start_ns = pace.elapsed_ns();
    HEAPWRIGHT_ASSIGN(report.image_sweep,
                      sweep_images(instance, device, *query, type_count, options.workload, pace, report.findings));
    HEAPWRIGHT_ASSIGN(report.buffer_sweep,
                      sweep_buffers(*query, max_buffer_bytes, type_count, options.workload, pace, report.findings));
    report.run.timing.sweep_ns = pace.elapsed_ns() - sweep_start_ns;
    report.run.timing.sweep_queries = query->queries();
    const auto ask = [&](std::string_view stage, const auto& question) {
        std::string why = pace.objection(stage, 0);
        if (why.empty()) {
            question();
        } else {
            report.unreported.push_back({.name = std::string(stage), .reason = std::move(why)});
        }
    };
    ask("sparse requirements", [&] { read_sparse_requirements(instance, device, *query, report); });
    ask("image compression", [&] { read_image_compression(instance, device, report); });
    query->failed().tell("requirements-not-measured",
                         fmt::format("what {} resources take is not known", query->failed().count()), "/image_sweep",
                         report.findings);
    report.run.timing.total_ns = pace.elapsed_ns();
    if (options.may_close && !options.may_close(report)) device::leave_open(std::move(query));
    return report;
}

namespace {

// `call`: the one that listed the heaps and types.
void add_findings(std::string_view call, model::DeviceReport& report) {
    if (report.heaps.empty() || report.memory_types.empty()) {
        report.findings.push_back(
            {.id = "memory-types-not-measured",
             .severity = model::FindingSeverity::kWarning,
             .statement = fmt::format("{} lists {} and {}; what memory the device has is not known", call,
                                      counted(report.heaps.size(), "memory heap"),
                                      counted(report.memory_types.size(), "memory type")),
             .clause =
                 "VkPhysicalDeviceMemoryProperties: at least one heap must include VK_MEMORY_HEAP_DEVICE_LOCAL_BIT",
             .evidence = {"/heaps", "/memory_types"}});
    }
    for (std::size_t heap = 0; heap < report.heaps.size(); ++heap) {
        if (report.heaps[heap].size_bytes != 0) continue;
        report.findings.push_back({.id = "zero-size-heap",
                                   .severity = model::FindingSeverity::kWarning,
                                   .statement = fmt::format("memory heap {} has a size of 0 bytes", heap),
                                   .clause = "VkMemoryHeap",
                                   .evidence = {fmt::format("/heaps/{}", heap)}});
    }
    for (std::size_t type = 0; type < report.memory_types.size(); ++type) {
        const std::uint32_t heap = report.memory_types[type].heap_index;
        if (heap < report.heaps.size()) continue;
        report.findings.push_back(
            {.id = "memory-type-without-heap",
             .severity = model::FindingSeverity::kViolation,
             .statement = fmt::format("memory type {} names heap {}; there are {}", type, heap, report.heaps.size()),
             .clause = "VkMemoryType: heapIndex must be less than memoryHeapCount",
             .evidence = {fmt::format("/memory_types/{}", type)}});
        report.findings.back().statement += "; this type and those after it are left out";
        report.memory_types.resize(type);
    }
    if (!report.run.heap_budgets.empty() || report.heaps.empty()) return;
    report.unreported.push_back(
        {.name = "VkPhysicalDeviceMemoryBudgetPropertiesEXT", .reason = "the device has no VK_EXT_memory_budget"});
}

}  // namespace

void read_memory(const Instance& instance, const PhysicalDevice& device, model::DeviceReport& report) {
    const InstanceFunctions& functions = instance.functions();
    const bool has_budget =
        functions.get_memory_properties2 != nullptr && device.provides(0, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    VkPhysicalDeviceMemoryProperties memory{};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
    const char* const call =
        has_budget ? "vkGetPhysicalDeviceMemoryProperties2" : "vkGetPhysicalDeviceMemoryProperties";
    leave_breadcrumb(call);
    if (has_budget) {
        budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
        VkPhysicalDeviceMemoryProperties2 chained{};
        chained.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
        chained.pNext = &budget;
        functions.get_memory_properties2(device.handle(), &chained);
        memory = chained.memoryProperties;
    } else {
        functions.get_memory_properties(device.handle(), &memory);
    }
    const std::uint32_t heap_count = std::min(memory.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
    const std::uint32_t type_count = std::min(memory.memoryTypeCount, VK_MAX_MEMORY_TYPES);
    for (std::uint32_t i = 0; i < heap_count; ++i) {
        report.heaps.push_back({.size_bytes = memory.memoryHeaps[i].size, .flags = memory.memoryHeaps[i].flags});
        if (has_budget) {
            report.run.heap_budgets.push_back(
                {.budget_bytes = budget.heapBudget[i], .usage_bytes = budget.heapUsage[i]});
        }
    }
    for (std::uint32_t i = 0; i < type_count; ++i) {
        report.memory_types.push_back(
            {.heap_index = memory.memoryTypes[i].heapIndex, .property_flags = memory.memoryTypes[i].propertyFlags});
    }
    add_findings(call, report);
}

std::vector<model::QueueFamily> read_queue_families(const Instance& instance, const PhysicalDevice& device) {
    const InstanceFunctions& functions = instance.functions();
    leave_breadcrumb("vkGetPhysicalDeviceQueueFamilyProperties");
    std::uint32_t count = 0;
    functions.get_queue_family_properties(device.handle(), &count, nullptr);
    std::vector<VkQueueFamilyProperties> listed(count);
    functions.get_queue_family_properties(device.handle(), &count, listed.data());
    listed.resize(count);
    std::vector<model::QueueFamily> families;
    for (const VkQueueFamilyProperties& family : listed) {
        const VkExtent3D& granularity = family.minImageTransferGranularity;
        families.push_back(
            {.flags = family.queueFlags,
             .queue_count = family.queueCount,
             .timestamp_valid_bits = std::min(family.timestampValidBits, 64u),  // the bits of a query
             .min_image_transfer_granularity = {granularity.width, granularity.height, granularity.depth}});
    }
    return families;
}

}  // namespace heapwright::vulkan
