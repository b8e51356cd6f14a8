// usage: pool_example POLICY_FOLDER
// A C++ engine with its own Vulkan device: the loader picks a policy for it, and an DevicePool executes the policy.
// Upload buffers are filled and read back through their mapping. The program links libvulkan for itself, and has a name
// of volk's, which heapwright uses inside.
#include <heapwright/policy_loader.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>
#include <heapwright/model/json.hpp>
#include <heapwright/vulkan/device_pool.hpp>

extern "C" int volkInitialize = 7;

namespace {

using namespace heapwright;

struct PolicyDelete {
    void operator()(heapwright_policy* policy) const { heapwright_policy_free(policy); }
};
using PolicyHandle = std::unique_ptr<heapwright_policy, PolicyDelete>;

Result<PolicyHandle> pick(const std::string& folder, const model::DeviceReport& facts) {
    std::vector<heapwright_heap> heaps;
    std::vector<heapwright_memory_type> types;
    for (const model::MemoryHeap& heap : facts.heaps) heaps.push_back({heap.size_bytes, 0, heap.flags, 0});
    for (const model::MemoryType& type : facts.memory_types) types.push_back({type.heap_index, type.property_flags});
    heapwright_device device{};
    device.struct_size = sizeof(device);
    device.api = HEAPWRIGHT_API_VULKAN;
    device.vendor_id = facts.identity.vendor_id;
    device.device_id = facts.identity.device_id;
    device.driver_version = facts.identity.driver_version;
    device.device_type = static_cast<std::uint32_t>(facts.identity.type);
    device.name = facts.identity.name.c_str();
    device.driver_id = facts.identity.driver_id.c_str();
    device.heaps = heaps.data();
    device.heap_count = static_cast<std::uint32_t>(heaps.size());
    device.memory_types = types.data();
    device.memory_type_count = static_cast<std::uint32_t>(types.size());
    device.max_memory_allocation_bytes = facts.limit("maxMemoryAllocationSize").value_or(0);
    device.max_memory_allocation_count = facts.limit("maxMemoryAllocationCount").value_or(0);
    device.buffer_image_granularity = facts.limit("bufferImageGranularity").value_or(0);
    device.non_coherent_atom_bytes = facts.limit("nonCoherentAtomSize").value_or(0);

    heapwright_message message{};
    heapwright_policies* set = nullptr;
    if (heapwright_policies_open(folder.c_str(), &set, &message) != HEAPWRIGHT_OK) {
        return fail(ErrorCode::kIoError, message.text);
    }
    heapwright_fallback fallback{};
    fallback.struct_size = sizeof(fallback);
    fallback.workload = "2d-ui";
    heapwright_policy* policy = nullptr;
    const heapwright_status status = heapwright_policy_select(set, &device, &fallback, &policy, &message);
    heapwright_policies_close(set);
    if (status != HEAPWRIGHT_OK) return fail(ErrorCode::kNotSupported, message.text);
    return PolicyHandle(policy);
}

Status use(vulkan::DevicePool& pool) {
    const vulkan::AllocationOptions upload{.use = model::MemoryUse::kUpload};
    std::vector<vulkan::PoolAllocation> allocations;
    for (std::uint32_t side = 16; side <= 1024; side *= 2) {
        const VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .extent = {side, side, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .tiling = VK_IMAGE_TILING_OPTIMAL,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
        HEAPWRIGHT_ASSIGN(const vulkan::CreatedImage created, pool.create_image(info));
        allocations.push_back(created.allocation);
    }
    const std::size_t images = allocations.size();
    for (std::size_t i = 0; i < 200; ++i) {
        const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 256 + i * 77,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
        HEAPWRIGHT_ASSIGN(const vulkan::CreatedBuffer created, pool.create_buffer(info, upload));
        HEAPWRIGHT_ASSIGN(const auto bytes, pool.map(created.allocation));
        std::fill(bytes.begin(), bytes.end(), static_cast<std::byte>(i & 0xff));
        allocations.push_back(created.allocation);
    }
    std::size_t verified = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        HEAPWRIGHT_ASSIGN(const auto bytes, pool.map(allocations[images + i]));
        const bool intact =
            std::all_of(bytes.begin(), bytes.end(), [i](std::byte b) { return b == static_cast<std::byte>(i & 0xff); });
        if (!intact) return fail(ErrorCode::kInvariantBroken, "an upload buffer lost its pattern");
        verified += bytes.size();
    }
    std::printf("  %zu images, 200 upload buffers, %zu bytes verified\n", images, verified);
    // A frame's number would be the value; the device never used them.
    for (const vulkan::PoolAllocation allocation : allocations) {
        HEAPWRIGHT_TRY(pool.free_after(allocation, TimelineValue{1}));
    }
    HEAPWRIGHT_TRY(pool.collect(TimelineValue{1}));
    if (pool.live_allocations() != 0) return fail(ErrorCode::kInvariantBroken, "something is still live");
    return pool.validate_invariants();
}

Status run(const std::string& folder, const vulkan::PoolDevice& device) {
    HEAPWRIGHT_ASSIGN(const model::DeviceReport facts, vulkan::device_facts(device));
    HEAPWRIGHT_ASSIGN(const PolicyHandle policy, pick(folder, facts));
    heapwright_policy_info info{};
    info.struct_size = sizeof(info);
    if (heapwright_policy_get_info(policy.get(), &info) != HEAPWRIGHT_OK) {
        return fail(ErrorCode::kInvalidArgument, "heapwright_policy_get_info");
    }
    std::printf("%s\n%s", facts.identity.name.c_str(), info.explanation);
    const char* const text = heapwright_policy_document(policy.get());
    HEAPWRIGHT_ASSIGN(const model::Policy document, model::read_policy(text, "the loader"));
    std::printf("  %zu buckets\n", document.devices.at(0).buckets.size());
    HEAPWRIGHT_ASSIGN(const auto pool, vulkan::DevicePool::create_from_document(device, text, "the loader"));
    HEAPWRIGHT_TRY(use(*pool));
    std::printf("match %u\n", info.match);
    return volkInitialize == 7 ? Status{} : fail(ErrorCode::kInvariantBroken, "the program's own name is not its own");
}

int run_on_first_device(const std::string& folder) {
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance_info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                             .pApplicationInfo = &application};
    vulkan::PoolDevice own{.get_instance_proc_addr = vkGetInstanceProcAddr,
                           .get_device_proc_addr = vkGetDeviceProcAddr,
                           .api_version = VK_API_VERSION_1_1};
    if (vkCreateInstance(&instance_info, nullptr, &own.instance) != VK_SUCCESS) return 1;
    std::uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(own.instance, &count, &own.physical_device) < VK_SUCCESS || count == 0) return 1;
    const float priority = 0.5f;
    const VkDeviceQueueCreateInfo queue{
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info{
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    if (vkCreateDevice(own.physical_device, &device_info, nullptr, &own.device) != VK_SUCCESS) return 1;
    own.created_with = &device_info;
    const Status status = run(folder, own);
    if (!status) std::fprintf(stderr, "pool_example: %s\n", to_string(status.error()).c_str());
    vkDestroyDevice(own.device, nullptr);
    vkDestroyInstance(own.instance, nullptr);
    return status ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: pool_example POLICY_FOLDER\n");
        return 2;
    }
    return run_on_first_device(argv[1]);
}
