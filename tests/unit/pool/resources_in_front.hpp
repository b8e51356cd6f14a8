// A resource binder in front of another one: a test overrides what it watches, the rest goes through.
#pragma once

#include "device/resource_binder.hpp"

namespace heapwright::test {

class ResourcesInFront : public device::ResourceBinder {
public:
    explicit ResourcesInFront(device::ResourceBinder& inner) : inner_(inner) {}

    Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override {
        return inner_.requirements(resource);
    }
    Result<device::ResourceId> create_placed(const model::ResourceDescription& resource, device::AllocationId memory,
                                             std::uint64_t offset_bytes) override {
        return inner_.create_placed(resource, memory, offset_bytes);
    }
    Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource, MemoryTypeIndex memory_type,
                                                float priority) override {
        return inner_.create_dedicated(resource, memory_type, priority);
    }
    void destroy(device::ResourceId resource) override { inner_.destroy(resource); }
    Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override {
        return inner_.map_dedicated(resource);
    }

private:
    device::ResourceBinder& inner_;
};

}  // namespace heapwright::test
