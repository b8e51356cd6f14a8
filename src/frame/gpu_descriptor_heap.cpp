#include "frame/gpu_descriptor_heap.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "device/submitter.hpp"

namespace heapwright::frame {
namespace {

constexpr std::uint64_t kWaitTurnNs = 200'000;  // chosen, nothing measured it

const char* name_of(device::DescriptorHeapKind kind) {
    return kind == device::DescriptorHeapKind::kSampler ? "sampler" : "CBV_SRV_UAV";
}

// By short turns: an API waits for one queue's fence at a time, and another queue may bring something meanwhile. How
// long, in nanoseconds.
Result<std::uint64_t> wait_a_turn(std::span<const device::TimelinePoint> points) {
    for (const device::TimelinePoint& point : points) {
        const Status waited = point.timeline->wait(point.value, kWaitTurnNs);
        if (waited) break;
        if (waited.error().code != ErrorCode::kTimeLimit) return tl::unexpected(waited.error());
    }
    return kWaitTurnNs * points.size();
}

DescriptorHeapAllocationManager::Options dynamic_options(const VisibleHeapLayout& layout) {
    DescriptorHeapAllocationManager::Options options{.manager_id = GPUDescriptorHeap::kDynamicManager};
    if (layout.dynamic_chunks == model::SuballocatorKind::kSlots) {
        options.chunk = layout.dynamic_chunk;
        return options;
    }
    options.ranges = layout.dynamic_chunks;
    // The blocks of a best fit are the chunks, as far as they are a power of two.
    if (options.ranges == model::SuballocatorKind::kFixedBlocks)
        options.granule = std::bit_floor(std::max(layout.dynamic_chunk, 1u));
    return options;
}

}  // namespace

Status GPUDescriptorHeap::make_parts() {
    const std::uint32_t static_capacity = layout_.capacity - layout_.dynamic_capacity;
    HEAPWRIGHT_ASSIGN(
        parts_[kStaticManager].manager,
        DescriptorHeapAllocationManager::create_in(source_, heap_, 0, static_capacity,
                                                   {.manager_id = kStaticManager, .ranges = layout_.static_ranges}));
    HEAPWRIGHT_ASSIGN(parts_[kDynamicManager].manager,
                      DescriptorHeapAllocationManager::create_in(source_, heap_, static_capacity,
                                                                 layout_.dynamic_capacity, dynamic_options(layout_)));
    for (Part& part : parts_) part.may_release.store(part.manager->may_release(), std::memory_order_relaxed);
    return {};
}

Result<std::unique_ptr<GPUDescriptorHeap>> GPUDescriptorHeap::create(device::DescriptorHeapSource& source,
                                                                     const FrameClock& clock,
                                                                     const VisibleHeapLayout& layout) {
    if (layout.dynamic_capacity == 0 || layout.dynamic_capacity >= layout.capacity) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "a shader-visible heap has a static and a dynamic part",
                          .where = name_of(layout.kind),
                          .value = layout.dynamic_capacity,
                          .limit = layout.capacity});
    }
    if (layout.static_ranges == model::SuballocatorKind::kSlots) {
        return fail(ErrorCode::kInvalidArgument,
                    "slots of one descriptor hold no table: the static part of a shader-visible heap takes a "
                    "suballocator of ranges",
                    fmt::format("static_suballocator ({})", name_of(layout.kind)));
    }
    HEAPWRIGHT_ASSIGN(const device::DescriptorHeapId heap,
                      source.create({.kind = layout.kind, .capacity = layout.capacity, .shader_visible = true}));
    std::unique_ptr<GPUDescriptorHeap> made(new GPUDescriptorHeap(source, clock, layout, heap));
    HEAPWRIGHT_TRY(made->make_parts());
    return made;
}

GPUDescriptorHeap::~GPUDescriptorHeap() {
    for (Part& part : parts_) part.manager.reset();
    source_.destroy(heap_);
}

Result<DescriptorHeapAllocation> GPUDescriptorHeap::allocate_from(std::uint32_t part, std::uint32_t count,
                                                                  OldestPoints* oldest_stale) {
    if (count == 0) return fail(ErrorCode::kInvalidArgument, "an allocation holds at least one descriptor");
    Part& from = parts_[part];
    const std::lock_guard lock(from.mutex);
    if (const auto range = from.manager->allocate(count)) [[likely]] {
        if (watcher_ != nullptr && part == kStaticManager) watcher_->allocated(heap_, range->first, count);
        return from.manager->as_allocation(this, *range);
    }
    if (oldest_stale != nullptr) *oldest_stale = from.manager->oldest_stale();
    const DescriptorManagerFigures figures = from.manager->figures();
    const std::uint64_t largest = from.manager->largest_free_range();
    return fail(
        Error{.code = ErrorCode::kExhausted,
              .message = fmt::format("the {} part of the shader-visible {} heap has no {} descriptors in a row: "
                                     "{} of {} are live, {} wait for the device, the largest free range has {}",
                                     part == kStaticManager ? "static" : "dynamic", name_of(layout_.kind), count,
                                     figures.live, figures.capacity, figures.stale, largest),
              .where = {},
              .value = count,
              .limit = largest});
}

Result<bool> GPUDescriptorHeap::take_stale(Part& part, const OldestPoints& oldest, std::uint64_t* waited_ns) {
    CompletedPoints completed;
    // Whether any queue is through with its oldest.
    const auto ask = [&]() -> Result<bool> {
        bool is_any_over = false;
        for (std::size_t queue = 0; queue < fences_.size(); ++queue) {
            if (fences_[queue] == nullptr) continue;
            HEAPWRIGHT_ASSIGN(completed.by_lane[1 + queue], fences_[queue]->completed());
            is_any_over = is_any_over || (oldest[1 + queue] && *oldest[1 + queue] <= completed.by_lane[1 + queue]);
        }
        return is_any_over;
    };
    HEAPWRIGHT_ASSIGN(bool is_any_over, ask());
    if (!is_any_over && waited_ns == nullptr) return false;
    if (!is_any_over) {
        std::vector<device::TimelinePoint> pending;
        for (std::size_t queue = 0; queue < fences_.size(); ++queue) {
            if (fences_[queue] != nullptr && oldest[1 + queue])
                pending.push_back({.timeline = fences_[queue], .value = *oldest[1 + queue]});
        }
        if (pending.empty()) return false;
        if (*waited_ns == 0) stalls_.fetch_add(1, std::memory_order_relaxed);
        if (*waited_ns >= kWaitTimeoutNs) {
            return fail(Error{.code = ErrorCode::kTimeLimit,
                              .message = "none of the queues whose lists use the stale descriptors is through with one",
                              .where = "queues",
                              .value = pending.size(),
                              .limit = kWaitTimeoutNs});
        }
        HEAPWRIGHT_ASSIGN(const std::uint64_t turn_ns, wait_a_turn(pending));
        *waited_ns += turn_ns;
        HEAPWRIGHT_TRY(ask());
    }
    const std::lock_guard lock(part.mutex);
    part.manager->release_completed(completed);
    return true;
}

Result<DescriptorHeapAllocation> GPUDescriptorHeap::allocate(std::uint32_t count) {
    OldestPoints oldest_stale;
    Result<DescriptorHeapAllocation> made = allocate_from(kStaticManager, count, &oldest_stale);
    if (made) return made;
    HEAPWRIGHT_ASSIGN(const bool has_taken, take_stale(parts_[kStaticManager], oldest_stale, nullptr));
    if (!has_taken) return made;
    return allocate_from(kStaticManager, count, nullptr);
}

Result<DescriptorHeapAllocation> GPUDescriptorHeap::allocate_dynamic(std::uint32_t count) {
    std::uint64_t waited_ns = 0;
    while (true) {
        // Read under the lock of the refusal: another thread may release and take everything right after it.
        OldestPoints oldest_stale;
        Result<DescriptorHeapAllocation> made = allocate_from(kDynamicManager, count, &oldest_stale);
        if (made) return made;
        HEAPWRIGHT_ASSIGN(const bool has_taken, take_stale(parts_[kDynamicManager], oldest_stale, &waited_ns));
        if (!has_taken) return made;
    }
}

std::uint64_t GPUDescriptorHeap::take_chunks_ahead(std::uint32_t most, std::vector<DescriptorHeapAllocation>& into) {
    Part& part = parts_[kDynamicManager];
    std::uint64_t taken = 0;
    const std::lock_guard lock(part.mutex);
    for (; most > 0 && part.manager->has_chunks_to_spare(); --most) {
        const auto range = part.manager->allocate(layout_.dynamic_chunk);
        if (!range) break;
        into.push_back(part.manager->as_allocation(this, *range));
        taken += range->count;
    }
    return taken;
}

void GPUDescriptorHeap::free(const DescriptorRange& range, ReleasePoint last_use) {
    Part& part = parts_[range.manager_id];
    const std::lock_guard lock(part.mutex);
    free_locked(part, range, last_use);
}

void GPUDescriptorHeap::free_locked(Part& part, const DescriptorRange& range, ReleasePoint last_use) {
    if (watcher_ != nullptr && range.manager_id == kStaticManager)
        watcher_->released(heap_, range.first, range.count, last_use);
    part.manager->free(range, last_use);
    part.may_release.store(true, std::memory_order_relaxed);
}

void GPUDescriptorHeap::free_all(std::span<const DescriptorRange> ranges, ReleasePoint last_use) {
    if (ranges.empty()) return;
    Part& part = parts_[ranges.front().manager_id];
    const std::lock_guard lock(part.mutex);
    for (const DescriptorRange& range : ranges) free_locked(part, range, last_use);
}

std::uint64_t GPUDescriptorHeap::release_completed(const CompletedPoints& completed) {
    std::uint64_t released = 0;
    for (Part& part : parts_) {
        if (!part.may_release.load(std::memory_order_relaxed)) continue;
        const std::lock_guard lock(part.mutex);
        released += part.manager->release_completed(completed);
        part.may_release.store(part.manager->may_release(), std::memory_order_relaxed);
    }
    return released;
}

DescriptorManagerFigures GPUDescriptorHeap::figures(std::uint32_t part) const {
    const std::lock_guard lock(parts_[part].mutex);
    return parts_[part].manager->figures();
}

Status GPUDescriptorHeap::validate_invariants() const {
    for (const Part& part : parts_) {
        const std::lock_guard lock(part.mutex);
        HEAPWRIGHT_TRY(part.manager->validate_invariants());
    }
    return {};
}

}  // namespace heapwright::frame
