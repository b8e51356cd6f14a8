// A range of descriptors in a heap: move-only, and given back to the heap class that made it when it is destroyed. It
// only refers to the range; what the descriptors point to is not its business.
// Not thread-safe itself; it may be destroyed by any thread. Its end takes host memory only where lifetimes are
// reported. Source: "Managing Descriptor Heaps" (Diligent Engine).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "device/descriptor_heap_source.hpp"
#include "frame/release_point.hpp"
#include "heapwright/core/index.hpp"
#include "heapwright/suballoc/suballocation.hpp"

namespace heapwright::frame {

// What a manager knows of a range. Indices count descriptors of the device's heap.
struct DescriptorRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t manager_id = 0;
    suballoc::SuballocationHandle handle = {};
};

class DescriptorOwner {
public:
    // The range becomes stale: it is free once the device has passed the work that may still read it, which is
    // everything of the frame, or up to `last_use` where the caller knows better.
    virtual void free(const DescriptorRange& range) = 0;
    virtual void free(const DescriptorRange& range, ReleasePoint last_use) = 0;
    // All of them under one lock.
    virtual void free_all(std::span<const DescriptorRange> ranges, ReleasePoint last_use) = 0;

protected:
    ~DescriptorOwner() = default;
};

// Is told of what a heap class gives out and takes back, under its lock: calls nothing of it.
class DescriptorWatcher {
public:
    virtual void allocated(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count) = 0;
    virtual void released(device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t count,
                          ReleasePoint last_use) = 0;
    virtual void gone(device::DescriptorHeapId heap) = 0;

protected:
    ~DescriptorWatcher() = default;
};

// The device's heap that a manager divides; lives as long as the manager.
struct DescriptorHeapFacts {
    device::DescriptorHeapId heap;
    device::DescriptorHeapAddresses addresses;
};

class DescriptorHeapAllocation {
public:
    DescriptorHeapAllocation() = default;

    // `owner` and `facts` outlive the allocation.
    DescriptorHeapAllocation(DescriptorOwner* owner, const DescriptorHeapFacts& facts, const DescriptorRange& range)
        : owner_(owner), facts_(&facts), range_(range) {}

    DescriptorHeapAllocation(DescriptorHeapAllocation&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), facts_(other.facts_), range_(std::exchange(other.range_, {})) {}
    DescriptorHeapAllocation& operator=(DescriptorHeapAllocation&& other) noexcept {
        if (this == &other) return *this;
        reset();
        owner_ = std::exchange(other.owner_, nullptr);
        facts_ = other.facts_;
        range_ = std::exchange(other.range_, {});
        return *this;
    }
    DescriptorHeapAllocation(const DescriptorHeapAllocation&) = delete;
    DescriptorHeapAllocation& operator=(const DescriptorHeapAllocation&) = delete;
    ~DescriptorHeapAllocation() { reset(); }

    void reset() {
        if (DescriptorOwner* owner = std::exchange(owner_, nullptr)) owner->free(range_);
        range_ = {};
    }
    void release_after(ReleasePoint last_use) {
        if (DescriptorOwner* owner = std::exchange(owner_, nullptr)) owner->free(range_, last_use);
        range_ = {};
    }

    // Without giving it back: who calls this does that.
    [[nodiscard]] DescriptorRange take_range() {
        owner_ = nullptr;
        return std::exchange(range_, {});
    }
    [[nodiscard]] bool has_owner() const { return owner_ != nullptr; }

    [[nodiscard]] bool is_null() const { return range_.count == 0; }
    // These four of an allocation that is not null.
    [[nodiscard]] device::DescriptorHeapId heap() const { return facts_->heap; }
    [[nodiscard]] std::uint32_t first_index() const { return range_.first; }
    [[nodiscard]] std::uint32_t count() const { return range_.count; }
    // Which allocation manager of the heap class made it.
    [[nodiscard]] std::uint32_t manager_id() const { return range_.manager_id; }
    [[nodiscard]] bool is_shader_visible() const { return facts_->addresses.gpu_start.has_value(); }
    // Of descriptor `offset` of the range; see DescriptorHeapAddresses where the API has none.
    [[nodiscard]] std::uint64_t cpu_address(std::uint32_t offset = 0) const {
        return facts_->addresses.cpu_start + (range_.first + std::uint64_t{offset}) * facts_->addresses.increment_bytes;
    }
    [[nodiscard]] std::optional<std::uint64_t> gpu_address(std::uint32_t offset = 0) const {
        if (!facts_->addresses.gpu_start) return std::nullopt;
        return *facts_->addresses.gpu_start +
               (range_.first + std::uint64_t{offset}) * facts_->addresses.increment_bytes;
    }

private:
    DescriptorOwner* owner_ = nullptr;
    const DescriptorHeapFacts* facts_ = nullptr;
    DescriptorRange range_;
};

}  // namespace heapwright::frame
