#include "frame/cpu_descriptor_heap.hpp"

#include <algorithm>

namespace heapwright::frame {

Result<std::uint32_t> CPUDescriptorHeap::add_manager(std::uint32_t capacity) {
    const auto place = static_cast<std::uint32_t>(
        std::ranges::find_if(pool_, [](const auto& manager) { return manager == nullptr; }) - pool_.begin());
    const DescriptorHeapAllocationManager::Options options{.manager_id = place, .ranges = ranges_};
    HEAPWRIGHT_ASSIGN(auto manager,
                      DescriptorHeapAllocationManager::create(
                          source_, {.kind = kind_, .capacity = capacity, .shader_visible = false}, options));
    if (place == pool_.size()) pool_.emplace_back();
    pool_[place] = std::move(manager);
    with_room_.insert(std::ranges::lower_bound(with_room_, place), place);
    capacity_ += capacity;
    peak_capacity_ = std::max(peak_capacity_, capacity_);
    return place;
}

Result<DescriptorHeapAllocation> CPUDescriptorHeap::allocate(std::uint32_t count) {
    if (count == 0) return fail(ErrorCode::kInvalidArgument, "an allocation holds at least one descriptor");
    if (count != 1 && ranges_ == model::SuballocatorKind::kSlots) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "a CPU descriptor heap of slots gives out one descriptor at a time",
                          .where = "/descriptors/cpu_suballocator",
                          .value = count,
                          .limit = 1});
    }
    const std::lock_guard lock(mutex_);
    const auto take = [&](std::uint32_t place) {
        DescriptorHeapAllocationManager& manager = *pool_[place];
        const auto range = manager.allocate(count);
        if (!range) return DescriptorHeapAllocation{};
        if (!manager.has_room()) std::erase(with_room_, place);
        used_ += count;
        peak_ = std::max(peak_, used_);
        if (watcher_ != nullptr) watcher_->allocated(manager.heap(), range->first, count);
        return manager.as_allocation(this, *range);
    };
    for (const std::uint32_t place : with_room_) {
        DescriptorHeapAllocation made = take(place);
        if (!made.is_null()) return made;
    }
    HEAPWRIGHT_ASSIGN(const std::uint32_t added, add_manager(std::max(page_capacity_, count)));
    return take(added);
}

void CPUDescriptorHeap::free_locked(const DescriptorRange& range, ReleasePoint last_use) {
    DescriptorHeapAllocationManager& manager = *pool_[range.manager_id];
    if (watcher_ != nullptr) watcher_->released(manager.heap(), range.first, range.count, last_use);
    manager.free(range, last_use);
}

void CPUDescriptorHeap::free(const DescriptorRange& range, ReleasePoint last_use) {
    const std::lock_guard lock(mutex_);
    free_locked(range, last_use);
}

void CPUDescriptorHeap::free_all(std::span<const DescriptorRange> ranges, ReleasePoint last_use) {
    const std::lock_guard lock(mutex_);
    for (const DescriptorRange& range : ranges) free_locked(range, last_use);
}

std::uint64_t CPUDescriptorHeap::release_completed(const CompletedPoints& completed) {
    const std::lock_guard lock(mutex_);
    std::uint64_t released = 0;
    for (std::uint32_t place = 0; place < pool_.size(); ++place) {
        if (!pool_[place]) continue;
        const bool had_room = pool_[place]->has_room();
        const std::uint64_t count = pool_[place]->release_completed(completed);
        released += count;
        if (count != 0 && !had_room) with_room_.insert(std::ranges::lower_bound(with_room_, place), place);
    }
    used_ -= released;
    return released;
}

std::uint64_t CPUDescriptorHeap::trim() {
    const std::lock_guard lock(mutex_);
    std::uint64_t given_back = 0;
    for (std::uint32_t place = 0; place < pool_.size(); ++place) {
        if (!pool_[place] || !pool_[place]->is_empty()) continue;
        if (watcher_ != nullptr) watcher_->gone(pool_[place]->heap());
        capacity_ -= pool_[place]->figures().capacity;
        pool_[place].reset();
        std::erase(with_room_, place);
        ++given_back;
    }
    return given_back;
}

DescriptorHeapFigures CPUDescriptorHeap::figures() const {
    const std::lock_guard lock(mutex_);
    DescriptorHeapFigures sum{.capacity = capacity_, .peak = peak_, .peak_capacity = peak_capacity_};
    for (const auto& manager : pool_) {
        if (!manager) continue;
        ++sum.managers;
        sum.live += manager->figures().live;
        sum.stale += manager->figures().stale;
    }
    return sum;
}

Status CPUDescriptorHeap::validate_invariants() const {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t place = 0; place < pool_.size(); ++place) {
        if (!pool_[place]) continue;
        HEAPWRIGHT_TRY(pool_[place]->validate_invariants());
        const bool is_listed = std::ranges::binary_search(with_room_, place);
        if (is_listed != pool_[place]->has_room()) {
            return fail(Error{.code = ErrorCode::kInvariantBroken,
                              .message = "the set of managers with room is wrong about one",
                              .where = {},
                              .value = place});
        }
    }
    return {};
}

}  // namespace heapwright::frame
