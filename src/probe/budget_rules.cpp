// A budget above its heap breaks the Vulkan specification. Usage above the budget or the heap breaks nothing, and DXGI
// binds a budget to nothing; who plans with these figures should know of them all the same.
#include <algorithm>

#include <fmt/format.h>

#include "contract/feasibility.hpp"
#include "probe/examine.hpp"

namespace heapwright::probe {
namespace {

using model::FindingSeverity;

struct HeapFigures {
    std::size_t heap = 0;
    std::uint64_t size_bytes = 0;
    model::HeapBudget reported;
    bool is_vulkan = true;
};

DetailedFinding budget_finding(const HeapFigures& figures, std::string_view id, FindingSeverity severity,
                               std::string statement, std::string clause, std::string_view violated) {
    return {.finding = {.id = fmt::format("{}:{}", id, figures.heap),
                        .severity = severity,
                        .statement = std::move(statement),
                        .clause = std::move(clause),
                        .evidence = {fmt::format("/volatile/heap_budgets/{0}: budget_bytes {1}, usage_bytes {2}; "
                                                 "/heaps/{0}: size_bytes {3}",
                                                 figures.heap, figures.reported.budget_bytes,
                                                 figures.reported.usage_bytes, figures.size_bytes)}},
            .reproduction = {.queries = {},
                             .structure = "VkPhysicalDeviceMemoryBudgetPropertiesEXT",
                             .allocations = {},
                             .violated = fmt::format(fmt::runtime(violated), figures.heap)}};
}

void check_budget(const HeapFigures& figures, std::vector<DetailedFinding>& findings) {
    const std::uint64_t budget = figures.reported.budget_bytes;
    if (budget <= figures.size_bytes) return;
    findings.push_back(budget_finding(
        figures, "budget-above-heap", figures.is_vulkan ? FindingSeverity::kViolation : FindingSeverity::kWarning,
        fmt::format("heap {} reports a budget of {} bytes, more than its {} bytes", figures.heap, budget,
                    figures.size_bytes),
        figures.is_vulkan ? "VkPhysicalDeviceMemoryBudgetPropertiesEXT: heapBudget must be less than or equal to "
                            "VkMemoryHeap::size"
                          : "",
        "memory.memoryHeapCount > {0} && fact.heapBudget[{0}] > memory.memoryHeaps[{0}].size"));
}

void check_usage(const HeapFigures& figures, std::vector<DetailedFinding>& findings) {
    const std::uint64_t usage = figures.reported.usage_bytes;
    const auto budget = contract::known_budget(figures.reported.budget_bytes);
    if (usage > figures.size_bytes) {
        findings.push_back(budget_finding(
            figures, "usage-above-heap", FindingSeverity::kWarning,
            fmt::format("heap {} reports {} bytes in use, more than its {} bytes{}", figures.heap, usage,
                        figures.size_bytes,
                        budget && usage > *budget ? fmt::format(" and than its budget of {} bytes", *budget) : ""),
            figures.is_vulkan
                ? "VkPhysicalDeviceMemoryBudgetPropertiesEXT: heapUsage is an estimate of how much memory "
                  "the process is currently using in that heap"
                : "DXGI_QUERY_VIDEO_MEMORY_INFO: CurrentUsage is the application's current usage",
            "memory.memoryHeapCount > {0} && fact.heapUsage[{0}] > memory.memoryHeaps[{0}].size"));
    } else if (budget && usage > *budget) {
        findings.push_back(budget_finding(
            figures, "usage-above-budget", FindingSeverity::kWarning,
            fmt::format("heap {} reports {} bytes in use, more than its budget of {} bytes", figures.heap, usage,
                        *budget),
            figures.is_vulkan ? "VkPhysicalDeviceMemoryBudgetPropertiesEXT: beyond heapBudget allocations may fail or "
                                "cause performance degradation"
                              : "DXGI_QUERY_VIDEO_MEMORY_INFO: where CurrentUsage is greater than Budget, the "
                                "application may incur stuttering or performance penalties",
            "memory.memoryHeapCount > {0} && fact.heapUsage[{0}] > fact.heapBudget[{0}]"));
    }
}

}  // namespace

void check_budgets(const model::DeviceReport& device, std::vector<DetailedFinding>& findings) {
    const auto& budgets = device.run.heap_budgets;
    for (std::size_t heap = 0; heap < std::min(budgets.size(), device.heaps.size()); ++heap) {
        // A heap without a size has a finding of its own.
        if (device.heaps[heap].size_bytes == 0) continue;
        const HeapFigures figures{.heap = heap,
                                  .size_bytes = device.heaps[heap].size_bytes,
                                  .reported = budgets[heap],
                                  .is_vulkan = device.identity.api == model::Api::kVulkan};
        check_budget(figures, findings);
        check_usage(figures, findings);
    }
}

}  // namespace heapwright::probe
