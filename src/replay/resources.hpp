// The resources of a replay device, and their bytes.
// Beside it: the memory that a replayed device asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "contract/swept_requirements.hpp"
#include "device/resource_binder.hpp"
#include "heapwright/core/result.hpp"
#include "replay/device.hpp"
#include "replay/memory_source.hpp"
#include "replay/ownership.hpp"

namespace heapwright::replay {

// The memory that a replayed device asks for: the sweep's own answers and, where asked, what they tell of other
// resources (contract/swept_requirements.hpp). Each answer is kept. Thread-safe. Errors: kNotSupported with the
// driver's reason when the report says that the device refuses such a resource; kOutOfRange when the report does not
// know.

class ReplayRequirements {
public:
    // The facts, which need no sweep, outlive this.
    ReplayRequirements(const model::DeviceReport& facts, model::ImageSweep images, model::BufferSweep buffers,
                       bool interpolate);

    [[nodiscard]] Result<model::MemoryRequirements> query(const model::ResourceDescription& resource);

    // The same answer without counting the query as one of the caller's.
    [[nodiscard]] Result<model::MemoryRequirements> lookup(const model::ResourceDescription& resource);

    [[nodiscard]] std::vector<InterpolatedRequirement> interpolated() const;

private:
    struct Answer {
        Result<model::MemoryRequirements> requirements;
        std::optional<std::size_t> interpolated_index = {};
    };
    struct Hash {
        std::size_t operator()(const model::ResourceDescription& resource) const noexcept;
    };

    Answer& answer_locked(const model::ResourceDescription& resource);
    [[nodiscard]] Answer find_locked(const model::ResourceDescription& resource);

    const model::ImageSweep images_;
    const model::BufferSweep buffers_;
    const contract::SweptRequirements swept_;
    const bool interpolate_;
    mutable std::mutex mutex_;
    std::unordered_map<model::ResourceDescription, Answer, Hash> answers_;
    std::vector<InterpolatedRequirement> interpolated_;
};

// Pending work keeps it alive, so that work which runs after destroy() writes where the resource was: on top of
// whatever lives there by then, as on a device.
class ReplayResource {
public:
    ReplayResource(const model::ResourceDescription& description, std::shared_ptr<ShadowMemory> memory,
                   std::uint64_t offset_bytes, std::uint64_t bound_bytes);

    [[nodiscard]] const model::ResourceDescription& description() const { return description_; }
    [[nodiscard]] std::uint64_t byte_count() const { return byte_count_; }  // of its own content, packed

    // [first, first + size) is inside byte_count().
    void read(std::uint64_t first, std::span<std::byte> destination) const;
    void write(std::uint64_t first, std::span<const std::byte> source);
    void copy_from(const ReplayResource& source, std::uint64_t source_first, std::uint64_t first, std::uint64_t size);

    // The part of a range that lies in the allocation, as (offset in the shadow memory, size).
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> shadow_range(std::uint64_t first, std::uint64_t size) const;
    [[nodiscard]] ShadowMemory& memory() const { return *memory_; }

    std::uint64_t pending_uses = 0;
    bool is_destroyed = false;
    std::optional<ReplayOwnership> ownership;  // of an exclusive one

private:
    // What lies in one piece from `first` on: at most `size` bytes, at least one.
    [[nodiscard]] std::span<std::byte> part(std::uint64_t first, std::uint64_t size);
    [[nodiscard]] std::span<const std::byte> part(std::uint64_t first, std::uint64_t size) const;

    model::ResourceDescription description_;
    std::shared_ptr<ShadowMemory> memory_;
    std::uint64_t offset_bytes_;
    std::uint64_t bound_bytes_;
    std::uint64_t byte_count_;
    std::vector<std::byte> beyond_;  // content beyond what the driver's size holds
};

class ReplayResources final : public device::ResourceBinder {
public:
    ReplayResources(ReplayContext& context, ReplayMemory& memory, ReplayRequirements& requirements);

    [[nodiscard]] Result<model::MemoryRequirements> requirements(const model::ResourceDescription& resource) override;
    [[nodiscard]] Result<device::ResourceId> create_placed(const model::ResourceDescription& resource,
                                                           device::AllocationId memory,
                                                           std::uint64_t offset_bytes) override;
    [[nodiscard]] Result<device::ResourceId> create_dedicated(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override;
    [[nodiscard]] Result<device::ResourceId> create_exclusive(const model::ResourceDescription& resource,
                                                              MemoryTypeIndex memory_type, float priority) override;
    void destroy(device::ResourceId resource) override;
    [[nodiscard]] Result<std::span<std::byte>> map_dedicated(device::ResourceId resource) override;

    [[nodiscard]] std::shared_ptr<ReplayResource> find_locked(device::ResourceId resource) const;
    [[nodiscard]] std::uint64_t count_locked() const { return resources_.size(); }
    [[nodiscard]] std::uint64_t dedicated_count_locked() const { return dedicated_; }

private:
    struct Entry {
        std::shared_ptr<ReplayResource> resource;
        device::AllocationId memory;                // of a placed one
        std::optional<ReplayAllocation> dedicated;  // of a dedicated one
    };

    ReplayContext& context_;
    ReplayMemory& memory_;
    ReplayRequirements& requirements_;
    std::unordered_map<std::uint64_t, Entry> resources_;
    std::uint64_t dedicated_ = 0;
    std::uint64_t next_id_ = 1;
};

}  // namespace heapwright::replay
