// A resource and its memory, owned: move-only; destruction releases both to the pool that made them, after the work
// that uses them.
// The release waits for the later of mark_used() and the pool's recording point (MemoryPool::begin_recording), so that
// a resource dropped while commands that name it are being recorded is safe without a word from the caller.
// One Resource is used from one thread at a time; different ones from any. The pool outlives it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "device/resource_binder.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/model/resource.hpp"
#include "pool/alias_group.hpp"
#include "pool/chunk_set.hpp"
#include "pool/release_lane.hpp"

namespace heapwright::pool {

class MemoryPool;

class Resource {
public:
    Resource() = default;
    Resource(Resource&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)),
          id_(other.id_),
          requirements_(other.requirements_),
          placement_(other.placement_),
          dedicated_(other.dedicated_),
          alias_(std::move(other.alias_)),
          last_use_(other.last_use_) {}
    Resource& operator=(Resource&& other) noexcept {
        Resource taken(std::move(other));
        swap(taken);
        return *this;
    }
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;
    ~Resource() { reset(); }

    [[nodiscard]] explicit operator bool() const { return pool_ != nullptr; }
    [[nodiscard]] device::ResourceId id() const { return id_; }
    [[nodiscard]] const model::MemoryRequirements& requirements() const { return requirements_; }
    [[nodiscard]] bool is_dedicated() const { return !placement_.has_value(); }
    [[nodiscard]] const std::optional<Placement>& placement() const { return placement_; }
    // Shares its placement with others on purpose (MemoryPool::allocate_aliasing).
    [[nodiscard]] bool is_aliasing() const { return alias_ != nullptr; }
    [[nodiscard]] MemoryTypeIndex memory_type() const {
        return placement_ ? placement_->memory_type : dedicated_.memory_type;
    }

    // Submitted work up to `value` names the resource.
    void mark_used(TimelineValue value) {
        if (value > last_use_) last_use_ = value;
    }

    // Releases now what destruction would release; empty afterwards.
    void reset() noexcept;

    void swap(Resource& other) noexcept;

private:
    friend class MemoryPool;

    MemoryPool* pool_ = nullptr;
    device::ResourceId id_;
    model::MemoryRequirements requirements_;
    std::optional<Placement> placement_;
    DedicatedAllocation dedicated_;
    std::shared_ptr<AliasGroup> alias_;
    TimelineValue last_use_;
};

}  // namespace heapwright::pool
