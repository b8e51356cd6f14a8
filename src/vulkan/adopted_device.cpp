#include "vulkan/adopted_device.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heapwright/model/json.hpp"
#include "loader/match.hpp"
#include "policy/advise.hpp"
#include "vulkan/chain.hpp"
#include "vulkan/facts.hpp"
#include "vulkan/physical_device.hpp"
#include "workload/read.hpp"

namespace heapwright::vulkan {

namespace {

bool enables(const VkDeviceCreateInfo& info, const char* extension) {
    for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
        if (std::strcmp(info.ppEnabledExtensionNames[i], extension) == 0) return true;
    }
    return false;
}

// What a policy is made from and chosen by. Nothing else is asked: structures that the program's validation layer does
// not know would make it complain.
model::DeviceReport read_own_facts(const vulkan::Instance& instance, const vulkan::PhysicalDevice& physical,
                                   const vulkan::OpenDevice& open) {
    model::DeviceReport facts;
    facts.origin = model::ReportOrigin::kImport;
    facts.absent = {"/image_sweep", "/buffer_sweep", "/volatile/memory_cost"};
    facts.identity = vulkan::read_identity(instance, physical);
    vulkan::read_memory(instance, physical, facts);
    const auto limit = [&facts](const char* group, const char* name, std::uint64_t value) {
        facts.limits.push_back({.group = group, .name = name, .value = value});
    };
    limit("VkPhysicalDeviceLimits", "maxMemoryAllocationCount", open.limits.maxMemoryAllocationCount);
    limit("VkPhysicalDeviceLimits", "bufferImageGranularity", open.limits.bufferImageGranularity);
    limit("VkPhysicalDeviceLimits", "nonCoherentAtomSize", open.limits.nonCoherentAtomSize);
    limit("VkPhysicalDeviceMaintenance3Properties", "maxMemoryAllocationSize", open.max_allocation_bytes);
    facts.features.push_back({.group = "VkPhysicalDeviceBufferDeviceAddressFeatures",
                              .name = "bufferDeviceAddress",
                              .value = open.enabled.buffer_device_address ? 1u : 0u});
    facts.features.push_back({.group = "VkPhysicalDeviceMemoryPriorityFeaturesEXT",
                              .name = "memoryPriority",
                              .value = open.enabled.memory_priority ? 1u : 0u});
    return facts;
}

}  // namespace

vulkan::EnabledFeatures enabled_by(const VkDeviceCreateInfo* created_with, std::uint32_t api_version) {
    vulkan::EnabledFeatures enabled;
    if (created_with == nullptr) return enabled;
    const VkDeviceCreateInfo& info = *created_with;
    enabled.memory_budget = enables(info, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    const auto* priority = in_chain<VkPhysicalDeviceMemoryPriorityFeaturesEXT>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PRIORITY_FEATURES_EXT);
    enabled.memory_priority = enables(info, VK_EXT_MEMORY_PRIORITY_EXTENSION_NAME) && priority != nullptr &&
                              priority->memoryPriority != VK_FALSE;

    const auto* vulkan12 =
        in_chain<VkPhysicalDeviceVulkan12Features>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const auto* address = in_chain<VkPhysicalDeviceBufferDeviceAddressFeatures>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    enabled.buffer_device_address = (vulkan12 != nullptr && vulkan12->bufferDeviceAddress != VK_FALSE) ||
                                    (address != nullptr && address->bufferDeviceAddress != VK_FALSE);

    const auto* vulkan11 =
        in_chain<VkPhysicalDeviceVulkan11Features>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    const auto* protects = in_chain<VkPhysicalDeviceProtectedMemoryFeatures>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES);
    enabled.protected_memory = (vulkan11 != nullptr && vulkan11->protectedMemory != VK_FALSE) ||
                               (protects != nullptr && protects->protectedMemory != VK_FALSE);
    const auto* coherent = in_chain<VkPhysicalDeviceCoherentMemoryFeaturesAMD>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COHERENT_MEMORY_FEATURES_AMD);
    enabled.device_coherent_memory = coherent != nullptr && coherent->deviceCoherentMemory != VK_FALSE;

    const auto* vulkan13 =
        in_chain<VkPhysicalDeviceVulkan13Features>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    const auto* maintenance4 = in_chain<VkPhysicalDeviceMaintenance4Features>(
        info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES);
    const bool has_names = api_version >= VK_API_VERSION_1_3 || enables(info, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    enabled.maintenance4 = has_names && ((vulkan13 != nullptr && vulkan13->maintenance4 != VK_FALSE) ||
                                         (maintenance4 != nullptr && maintenance4->maintenance4 != VK_FALSE));
    return enabled;
}

Result<std::unique_ptr<AdoptedDevice>> AdoptedDevice::adopt(const PoolDevice& device) {
    HEAPWRIGHT_ASSIGN(vulkan::Instance instance,
                      vulkan::Instance::adopt(device.instance, device.get_instance_proc_addr, device.api_version));
    std::unique_ptr<AdoptedDevice> adopted(new AdoptedDevice(std::move(instance)));
    if (device.physical_device == VK_NULL_HANDLE) {
        return fail(ErrorCode::kInvalidArgument, "a physical device is needed");
    }
    HEAPWRIGHT_ASSIGN(const vulkan::PhysicalDevice physical,
                      vulkan::PhysicalDevice::describe(adopted->instance_, device.physical_device));
    const vulkan::EnabledFeatures enabled = enabled_by(device.created_with, physical.api_version());
    HEAPWRIGHT_ASSIGN(adopted->open_, vulkan::OpenDevice::adopt(adopted->instance_, device.physical_device,
                                                                device.device, device.get_device_proc_addr, enabled));
    adopted->facts_ = read_own_facts(adopted->instance_, physical, *adopted->open_);
    return adopted;
}

Result<model::DeviceReport> device_facts(const PoolDevice& device) {
    HEAPWRIGHT_ASSIGN(const std::unique_ptr<AdoptedDevice> adopted, AdoptedDevice::adopt(device));
    return adopted->facts();
}

namespace {

loader::RunningDevice running_device(const model::DeviceReport& facts) {
    loader::RunningDevice running;
    running.identity = facts.identity;
    running.heaps = facts.heaps;
    running.memory_types = facts.memory_types;
    running.limits = facts.limits;
    for (const model::HeapBudget& budget : facts.run.heap_budgets) running.budget_bytes.push_back(budget.budget_bytes);
    running.budget_bytes.resize(facts.heaps.size());
    return running;
}

}  // namespace

Result<FittingPolicy> fitting_policy(const model::DeviceReport& facts, std::string_view document,
                                     std::string_view source) {
    HEAPWRIGHT_ASSIGN(model::Policy read, model::read_policy(document, source));
    std::vector<loader::StoredPolicy> stored;
    for (model::DevicePolicy& device : read.devices) {
        stored.push_back({.file = std::string(source),
                          .header = read.header,
                          .workload_name = read.workload_name,
                          .device = std::move(device)});
    }
    const loader::RunningDevice running = running_device(facts);
    const loader::MatchResult found = loader::find_match(stored, running, {});
    if (!found.best) {
        std::string why = "no policy of the document fits the device";
        for (const std::string& line : found.passed_over) why += "; " + line;
        return fail(ErrorCode::kDeviceMismatch, std::move(why), std::string(source));
    }
    FittingPolicy fitting{.policy = std::move(stored[found.best->policy].device),
                          .workload_name = read.workload_name,
                          .explanation = fmt::format("{}: {}\n", source, found.best->reason)};
    for (const std::string& change : loader::scale(fitting.policy, running)) {
        fitting.explanation += fmt::format("scaled: {}\n", change);
    }
    return fitting;
}

Result<FittingPolicy> made_policy(const model::DeviceReport& facts, const std::string& workload_name) {
    HEAPWRIGHT_ASSIGN(const model::Workload workload, workload::preset(workload_name));
    policy::AdviseOptions options;
    options.sample = {.most_resources = 2048, .churn_steps = 512, .most_played = 2048};  // a start-up is to be short
    options.with_expectations = false;
    HEAPWRIGHT_ASSIGN(model::DevicePolicy policy, policy::advise(facts, workload, 0, options));
    return FittingPolicy{
        .policy = std::move(policy),
        .workload_name = workload.name,
        .explanation = fmt::format("made at start for the workload {} from heaps, memory types and limits; sizes and "
                                   "alignments are assumed\n",
                                   workload.name)};
}

}  // namespace heapwright::vulkan
