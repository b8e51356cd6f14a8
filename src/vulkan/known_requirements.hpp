// What the driver asked for a resource, kept by its creation parameters, so that the next of the same costs no call.
// Only for resources without a pNext chain, shared by the same queue families: what the model's descriptions say.
// Images: by all parameters; resources created with identical ones have identical requirements.
// Buffers: by usage and size. On a device with maintenance4 the usage alone decides alignment and memory types, and the
// size asked for is at most the buffer's own, aligned: where a driver was seen to ask for that, it is known of all
// sizes of that usage below the same power of two. The power of two is for what is a driver's wish, a dedicated
// allocation. Sizes in bytes. Thread-safe, readers wait for nobody; bounded: the least lucky entries give way. No
// errors. Source: Vulkan 1.3, "Resource Memory Association".
#pragma once

#include <optional>

#include "core/read_mostly_cache.hpp"
#include "heapwright/model/resource.hpp"

namespace heapwright::vulkan {

class KnownRequirements {
public:
    explicit KnownRequirements(bool has_maintenance4) : has_maintenance4_(has_maintenance4) {}

    [[nodiscard]] std::optional<model::MemoryRequirements> find(const model::ResourceDescription& resource) const;
    void insert(const model::ResourceDescription& resource, const model::MemoryRequirements& requirements);

private:
    using Cache = ReadMostlyCache<5, 2, 256>;

    bool has_maintenance4_;
    Cache cache_;
};

}  // namespace heapwright::vulkan
