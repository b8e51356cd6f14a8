#include "frame/descriptor_heap_allocation_manager.hpp"

#include <algorithm>

#include "heapwright/suballoc/occupancy_map.hpp"

namespace heapwright::frame {
namespace {

// The rest serves larger requests.
constexpr std::uint64_t kChunkQuarters = 3;

}  // namespace

DescriptorHeapAllocationManager::DescriptorHeapAllocationManager(device::DescriptorHeapSource& source,
                                                                 device::DescriptorHeapId heap, bool owns_heap,
                                                                 std::uint32_t first, std::uint32_t capacity,
                                                                 const Options& options)
    : source_(source),
      facts_{.heap = heap, .addresses = source.addresses(heap)},
      owns_heap_(owns_heap),
      first_(first),
      capacity_(capacity),
      manager_id_(options.manager_id),
      kind_(options.ranges),
      granule_(options.granule) {}

DescriptorHeapAllocationManager::~DescriptorHeapAllocationManager() {
    if (owns_heap_) source_.destroy(facts_.heap);
}

Status DescriptorHeapAllocationManager::divide(const Options& options) {
    const std::uint32_t chunk = options.chunk;
    if (chunk != 0) {
        const std::uint64_t count = std::max<std::uint64_t>(capacity_ * kChunkQuarters / 4, chunk) / chunk;
        chunks_end_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(count * chunk, capacity_ / chunk * chunk));
        if (chunks_end_ != 0) {
            HEAPWRIGHT_ASSIGN(chunks_, suballoc::SlotAllocator::create({.capacity = chunks_end_, .slot_size = chunk}));
            chunk_ = chunk;
        }
    }
    if (chunks_end_ < capacity_) {
        HEAPWRIGHT_ASSIGN(ranges_, pool::ChunkSpace::create({.kind = options.ranges,
                                                             .capacity_bytes = capacity_ - chunks_end_,
                                                             .granule_bytes = options.granule}));
    }
    return {};
}

Result<std::unique_ptr<DescriptorHeapAllocationManager>> DescriptorHeapAllocationManager::create(
    device::DescriptorHeapSource& source, const device::DescriptorHeapRequest& request, const Options& options) {
    HEAPWRIGHT_ASSIGN(const device::DescriptorHeapId heap, source.create(request));
    std::unique_ptr<DescriptorHeapAllocationManager> manager(
        new DescriptorHeapAllocationManager(source, heap, true, 0, request.capacity, options));
    HEAPWRIGHT_TRY(manager->divide(options));
    return manager;
}

Result<std::unique_ptr<DescriptorHeapAllocationManager>> DescriptorHeapAllocationManager::create_in(
    device::DescriptorHeapSource& source, device::DescriptorHeapId heap, std::uint32_t first, std::uint32_t capacity,
    const Options& options) {
    if (capacity == 0) {
        return fail(ErrorCode::kInvalidArgument, "a part of a descriptor heap holds at least one descriptor");
    }
    std::unique_ptr<DescriptorHeapAllocationManager> manager(
        new DescriptorHeapAllocationManager(source, heap, false, first, capacity, options));
    HEAPWRIGHT_TRY(manager->divide(options));
    return manager;
}

std::optional<DescriptorRange> DescriptorHeapAllocationManager::allocate(std::uint32_t count) {
    // Here, so that no destructor of an allocation needs host memory.
    stale_.reserve_for_frames(ranges_out_ + 1);
    if (count - 1 < kLargestKept && !kept_[count - 1].empty()) [[likely]] {
        ++ranges_out_;
        const DescriptorRange range = kept_[count - 1].back();
        kept_[count - 1].pop_back();
        kept_count_ -= count;
        used_ += count;
        peak_ = std::max(peak_, used_);
        return range;
    }
    suballoc::AllocateResult made = tl::unexpected(suballoc::AllocateFailure::kExhausted);
    std::uint32_t begin = first_;
    if (count == chunk_ && chunks_) made = chunks_->allocate(count);
    if (!made && ranges_) {
        begin = first_ + chunks_end_;
        made = ranges_->allocate(count, 1);
        if (!made && kept_count_ != 0) {
            give_back_kept();
            made = ranges_->allocate(count, 1);
        }
    }
    if (!made) return std::nullopt;
    ++ranges_out_;
    used_ += count;
    peak_ = std::max(peak_, used_);
    return DescriptorRange{.first = begin + static_cast<std::uint32_t>(made->offset),
                           .count = count,
                           .manager_id = manager_id_,
                           .handle = made->handle};
}

void DescriptorHeapAllocationManager::free_range(const DescriptorRange& range) {
    if (range.first - first_ < chunks_end_) {
        chunks_->free(range.handle);
    } else {
        (void)ranges_->free(range.handle);  // live: it was given out here
    }
}

void DescriptorHeapAllocationManager::give_back_kept() {
    for (std::vector<DescriptorRange>& ranges : kept_) {
        for (const DescriptorRange& range : ranges) (void)ranges_->free(range.handle);
        ranges.clear();
    }
    kept_count_ = 0;
}

void DescriptorHeapAllocationManager::free(const DescriptorRange& range, ReleasePoint last_use) {
    stale_.push(last_use, range);
    stale_count_ += range.count;
}

std::uint64_t DescriptorHeapAllocationManager::release_completed(const CompletedPoints& completed) {
    std::uint64_t released = 0;
    if (ranges_) ranges_->end_frame();
    stale_.release_completed(completed, [&](DescriptorRange&& range) {
        const bool is_small = range.count <= kLargestKept && range.first - first_ >= chunks_end_;
        if (is_small && kept_[range.count - 1].size() < kMostKept) {
            kept_[range.count - 1].push_back(range);
            kept_count_ += range.count;
        } else {
            free_range(range);
        }
        source_.forget(facts_.heap, range.first, range.count);
        released += range.count;
        --ranges_out_;
    });
    used_ -= released;
    stale_count_ -= released;
    return released;
}

std::uint64_t DescriptorHeapAllocationManager::largest_free_range() const {
    // Called where a request was refused: nothing is kept then.
    const std::uint64_t chunk = chunks_ && chunks_->used() < chunks_->capacity() ? chunk_ : 0;
    return std::max(chunk, ranges_ ? ranges_->figures().largest_free_range : 0);
}

suballoc::Figures DescriptorHeapAllocationManager::occupancy() const {
    suballoc::Figures figures;
    if (chunks_) figures += chunks_->figures();
    if (ranges_) figures += ranges_->figures();
    return figures;
}

std::vector<double> DescriptorHeapAllocationManager::occupancy_map(std::size_t cell_count) const {
    suballoc::OccupancyMap map(capacity_, cell_count);
    const auto add_from = [&](std::uint64_t begin) {
        return [&map, begin](std::uint64_t offset, std::uint64_t size, bool is_used) {
            if (is_used) map.add_used(begin + offset, size);
        };
    };
    if (chunks_) chunks_->for_each_range(add_from(0));
    if (ranges_) ranges_->for_each_range(add_from(chunks_end_));
    return map.shares();
}

Status DescriptorHeapAllocationManager::validate_invariants() const {
    if (chunks_) HEAPWRIGHT_TRY(chunks_->validate_invariants());
    if (ranges_) HEAPWRIGHT_TRY(ranges_->validate_invariants());
    const std::uint64_t counted = (chunks_ ? chunks_->used() : 0) + (ranges_ ? ranges_->used_bytes() : 0);
    // Granules, slots and what a ring or a stack gives back later make it more.
    const bool is_exact = !ranges_ || (kind_ == model::SuballocatorKind::kTlsf && granule_ == 1);
    const std::uint64_t expected = used_ + kept_count_;
    if ((is_exact ? counted == expected : counted >= expected) && stale_count_ <= used_) return {};
    return fail(Error{.code = ErrorCode::kInvariantBroken,
                      .message = "the descriptors in use are not those that the suballocators hold",
                      .where = {},
                      .value = used_,
                      .limit = counted});
}

}  // namespace heapwright::frame
