// usage: pool_example POLICY_FOLDER
// The same with heapwright's own pools: the loader picks a policy for the first Vulkan device, and a MemoryPool
// executes it. Upload buffers are filled and read back through their mapping.
#include <heapwright/policy_loader.h>
#include <heapwright/model/json.hpp>
#include <heapwright/pool/memory_pool.hpp>
#include <heapwright/vulkan/capability_source.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

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

Status use(pool::MemoryPool& pool) {
    std::vector<pool::Resource> resources;
    for (std::uint32_t side = 16; side <= 1024; side *= 2) {
        const model::ImageDescription image{
            .usage = model::image_usage::kSampled | model::image_usage::kTransferDst, .width = side, .height = side};
        HEAPWRIGHT_ASSIGN(auto resource, pool.create(image, model::MemoryUse::kDeviceOnly));
        resources.push_back(std::move(resource));
    }
    std::size_t verified = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        const model::BufferDescription buffer{.size_bytes = 256 + i * 77, .usage = model::buffer_usage::kTransferSrc};
        HEAPWRIGHT_ASSIGN(auto resource, pool.create(buffer, model::MemoryUse::kUpload));
        HEAPWRIGHT_ASSIGN(const auto bytes, pool.map(resource));
        std::fill(bytes.begin(), bytes.end(), static_cast<std::byte>(i & 0xff));
        resources.push_back(std::move(resource));
    }
    const std::size_t images = resources.size() - 200;
    for (std::size_t i = 0; i < 200; ++i) {
        HEAPWRIGHT_ASSIGN(const auto bytes, pool.map(resources[images + i]));
        const bool intact =
            std::all_of(bytes.begin(), bytes.end(), [i](std::byte b) { return b == static_cast<std::byte>(i & 0xff); });
        if (!intact) return fail(ErrorCode::kInvariantBroken, "an upload buffer lost its pattern");
        verified += bytes.size();
    }
    std::printf("  %zu images, 200 upload buffers, %zu bytes verified\n", images, verified);
    resources.clear();
    HEAPWRIGHT_TRY(pool.release_completed(TimelineValue{~0ull}));
    return pool.validate_invariants();
}

Status run(const std::string& folder) {
    HEAPWRIGHT_ASSIGN(auto source, vulkan::create_capability_source({}));
    if (source->adapters().empty()) return fail(ErrorCode::kNoDevice, "there is no Vulkan device");
    HEAPWRIGHT_ASSIGN(auto device, source->open(0, {}));
    HEAPWRIGHT_ASSIGN(const PolicyHandle policy, pick(folder, device->facts()));
    heapwright_policy_info info{};
    info.struct_size = sizeof(info);
    if (heapwright_policy_get_info(policy.get(), &info) != HEAPWRIGHT_OK) {
        return fail(ErrorCode::kInvalidArgument, "heapwright_policy_get_info");
    }
    std::printf("%s\n%s", device->facts().identity.name.c_str(), info.explanation);
    HEAPWRIGHT_ASSIGN(const model::Policy document,
                      model::read_policy(heapwright_policy_document(policy.get()), "the loader"));
    HEAPWRIGHT_ASSIGN(const auto pool, pool::MemoryPool::create(*device, document.devices.at(0), {}));
    HEAPWRIGHT_TRY(use(*pool));
    std::printf("match %u\n", info.match);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: pool_example POLICY_FOLDER\n");
        return 2;
    }
    if (const auto status = run(argv[1]); !status) {
        std::fprintf(stderr, "pool_example: %s\n", to_string(status.error()).c_str());
        return 1;
    }
    return 0;
}
