#include "validate/shadow_checker.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/checked.hpp"
#include "validate/scenario_verdict.hpp"

namespace heapwright::validate {
namespace {

bool is_linear(const model::ResourceDescription& description) {
    return model::resource_class(description, false) == model::ResourceClass::kLinear;
}

// Why memory with these properties cannot serve the use; empty when it can.
std::string_view objection(model::Flags properties, const model::ResourceDescription& description,
                           std::optional<model::MemoryUse> use) {
    namespace property = model::memory_property;
    if ((properties & property::kProtected) != 0) return "it is protected memory, a feature that is not enabled";
    if ((properties & (property::kDeviceCoherentAmd | property::kDeviceUncachedAmd)) != 0)
        return "it is AMD device-coherent memory, a feature that is not enabled";
    if ((properties & property::kLazilyAllocated) != 0 && !model::is_transient_attachment(description))
        return "it is lazily allocated, for transient attachments alone";
    if (use && *use != model::MemoryUse::kDeviceOnly && (properties & property::kHostVisible) == 0)
        return "the host must reach it and it is not host visible";
    return {};
}

enum class Over { kYes, kNo, kUnknown };

Over state_of(const std::optional<device::TimelinePoint>& point) {
    if (!point || point->timeline == nullptr) return Over::kYes;
    const auto completed = point->timeline->completed();
    if (completed) return *completed >= point->value ? Over::kYes : Over::kNo;
    // A lost device executes nothing any more: what it used may go (Vulkan specification, "Lost Device").
    if (completed.error().code == ErrorCode::kDeviceLost) return Over::kYes;
    return is_lack_of_memory(completed.error()) ? Over::kUnknown : Over::kNo;
}

bool point_is_over(const std::optional<device::TimelinePoint>& point) {
    return state_of(point) == Over::kYes;
}

}  // namespace

std::string ShadowChecker::Tracked::label() const {
    return fmt::format("resource {} ({})", id, model::resource_text(description));
}

ShadowChecker::ShadowChecker(const model::DeviceReport& facts, FindingLog& log)
    : facts_(facts),
      granularity_bytes_(std::max<std::uint64_t>(facts.limit("bufferImageGranularity").value_or(1), 1)),
      log_(log),
      reserved_by_heap_(facts.heaps.size()),
      peak_by_heap_(facts.heaps.size()) {}

void ShadowChecker::declare_use(model::MemoryUse use) {
    const std::lock_guard lock(mutex_);
    use_ = use;
}

void ShadowChecker::declare_released(device::ResourceId resource, device::TimelinePoint last_use) {
    const std::lock_guard lock(mutex_);
    if (const auto found = resources_.find(resource.value); found != resources_.end())
        found->second.released = last_use;
}

std::optional<std::size_t> ShadowChecker::heap_of(MemoryTypeIndex memory_type) const {
    if (memory_type.value >= facts_.memory_types.size()) return std::nullopt;
    const std::size_t heap = facts_.memory_types[memory_type.value].heap_index;
    return heap < peak_by_heap_.size() ? std::optional(heap) : std::nullopt;
}

void ShadowChecker::discharge(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    totals_.reserved_bytes -= size_bytes;
    if (const auto heap = heap_of(memory_type)) reserved_by_heap_[*heap] -= size_bytes;
}

void ShadowChecker::charge(MemoryTypeIndex memory_type, std::uint64_t size_bytes) {
    if (const auto heap = heap_of(memory_type)) {
        reserved_by_heap_[*heap] += size_bytes;
        peak_by_heap_[*heap] = std::max(peak_by_heap_[*heap], reserved_by_heap_[*heap]);
    }
    totals_.reserved_bytes += size_bytes;
    ++totals_.device_allocations;
    ++totals_.device_allocation_calls;
    totals_.peak_reserved_bytes = std::max(totals_.peak_reserved_bytes, totals_.reserved_bytes);
    totals_.peak_device_allocations = std::max(totals_.peak_device_allocations, totals_.device_allocations);
}

void ShadowChecker::memory_allocated(device::AllocationId memory, const device::AllocationRequest& request) {
    const std::lock_guard lock(mutex_);
    allocations_[memory.value] =
        Allocation{.memory_type = request.memory_type, .size_bytes = request.size_bytes, .ranges = {}};
    charge(request.memory_type, request.size_bytes);
}

void ShadowChecker::memory_freed(device::AllocationId memory) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(memory.value);
    if (found == allocations_.end()) {
        log_.add(model::Fault::kApiError, fmt::format("device allocation {}", memory.value),
                 "freed, but it is not allocated");
        return;
    }
    for (const auto& [offset, id] : found->second.ranges) {
        Tracked& resource = resources_.at(id);
        resource.memory.reset();
        // Given up by its owner and out of use, it was only never destroyed: check_leaks() says so.
        if (!is_in_use(resource)) continue;
        log_.add(model::Fault::kEarlyReuse, resource.label(),
                 fmt::format("device allocation {} was freed while the resource at offset {} still lies in it",
                             memory.value, offset));
    }
    discharge(found->second.memory_type, found->second.size_bytes);
    note_device_free();
    allocations_.erase(found);
}

void ShadowChecker::check_memory_type(const model::ResourceDescription& description,
                                      const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type,
                                      bool& admitted) {
    const std::uint32_t type = memory_type.value;
    if (type >= facts_.memory_types.size() || type >= 32 || (requirements.memory_type_bits >> type & 1u) == 0) {
        log_.add(model::Fault::kWrongMemoryType, model::resource_text(description),
                 fmt::format("memory type {} is not among the memory_type_bits {:#x} that the device admits", type,
                             requirements.memory_type_bits));
        admitted = false;
        return;
    }
    const std::string_view reason = objection(facts_.memory_types[type].property_flags, description, use_);
    if (!reason.empty()) {
        log_.add(model::Fault::kWrongMemoryType, model::resource_text(description),
                 fmt::format("memory type {} (property flags {:#x}): {}", type,
                             facts_.memory_types[type].property_flags, reason));
    }
}

bool ShadowChecker::is_in_use(const Tracked& resource) {
    if (!resource.released) return true;
    const Over released = state_of(resource.released);
    const Over used = state_of(resource.last_use);
    if (released == Over::kNo || used == Over::kNo) return true;
    if (released == Over::kUnknown || used == Over::kUnknown) ++totals_.unanswered;
    return false;
}

void ShadowChecker::report_overlap(const model::ResourceDescription& description, std::uint64_t offset_bytes,
                                   std::uint64_t end_bytes, const Tracked& other) {
    const std::string ranges =
        fmt::format("[{}, {}) of device allocation {} overlaps [{}, {}) of {}", offset_bytes, end_bytes,
                    other.memory->value, other.offset_bytes, other.end_bytes, other.label());
    const bool was_given_up = other.is_ended || other.released.has_value();
    if (was_given_up && is_in_use(other)) {
        const std::uint64_t value = other.released   ? other.released->value.value
                                    : other.last_use ? other.last_use->value.value
                                                     : 0;
        log_.add(model::Fault::kEarlyReuse, model::resource_text(description),
                 fmt::format("{}, which the device uses until timeline value {}", ranges, value));
        return;
    }
    log_.add(model::Fault::kOverlap, model::resource_text(description), fmt::format("{}, which is alive", ranges));
}

void ShadowChecker::check_neighbours(const model::ResourceDescription& description, const Allocation& allocation,
                                     std::uint64_t offset_bytes, std::uint64_t end_bytes) {
    const std::uint64_t page = std::max<std::uint64_t>(granularity_bytes_, 1);
    const std::uint64_t first_page = offset_bytes / page;
    const std::uint64_t last_page = (end_bytes - 1) / page;
    // A range that reaches into the pages of this one begins at most the longest range before them.
    const std::uint64_t reach = longest_range_bytes_ + page;
    const std::uint64_t from = first_page * page > reach ? first_page * page - reach : 0;
    const bool linear = is_linear(description);
    for (auto it = allocation.ranges.lower_bound(from); it != allocation.ranges.end() && it->first / page <= last_page;
         ++it) {
        const Tracked& other = resources_.at(it->second);
        if (other.is_ended && !is_in_use(other)) continue;
        if (other.offset_bytes < end_bytes && offset_bytes < other.end_bytes) {
            report_overlap(description, offset_bytes, end_bytes, other);
        } else if (other.is_linear != linear && (other.end_bytes - 1) / page >= first_page) {
            log_.add(
                model::Fault::kGranularityConflict, model::resource_text(description),
                fmt::format(
                    "[{}, {}) of device allocation {} shares a page of {} bytes (bufferImageGranularity) with [{}, {}) "
                    "of {}, one linear and one optimal",
                    offset_bytes, end_bytes, other.memory->value, page, other.offset_bytes, other.end_bytes,
                    other.label()));
        }
    }
}

bool ShadowChecker::check_placed(const model::ResourceDescription& description,
                                 const model::MemoryRequirements& requirements, device::AllocationId memory,
                                 std::uint64_t offset_bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(memory.value);
    if (found == allocations_.end()) {
        log_.add(model::Fault::kOutsideChunk, model::resource_text(description),
                 fmt::format("placed in device allocation {}, which is not allocated", memory.value));
        return false;
    }
    bool admitted = true;
    if (offset_bytes % requirements.alignment_bytes != 0) {
        log_.add(
            model::Fault::kMisalignment, model::resource_text(description),
            fmt::format("offset {} is no multiple of the alignment {}", offset_bytes, requirements.alignment_bytes));
        admitted = false;
    }
    check_memory_type(description, requirements, found->second.memory_type, admitted);
    const auto end = checked_add(offset_bytes, requirements.size_bytes);
    if (!end || *end > found->second.size_bytes) {
        log_.add(model::Fault::kOutsideChunk, model::resource_text(description),
                 fmt::format("{} bytes at offset {} do not fit device allocation {} of {} bytes",
                             requirements.size_bytes, offset_bytes, memory.value, found->second.size_bytes));
        return false;
    }
    check_neighbours(description, found->second, offset_bytes, *end);
    return admitted;
}

void ShadowChecker::placed(device::ResourceId resource, const model::ResourceDescription& description,
                           const model::MemoryRequirements& requirements, device::AllocationId memory,
                           std::uint64_t offset_bytes) {
    const std::lock_guard lock(mutex_);
    resources_[resource.value] = Tracked{.description = description,
                                         .memory = memory,
                                         .offset_bytes = offset_bytes,
                                         .end_bytes = offset_bytes + requirements.size_bytes,
                                         .id = resource.value,
                                         .memory_type = allocations_.at(memory.value).memory_type,
                                         .is_linear = is_linear(description),
                                         .released = {},
                                         .last_use = {}};
    allocations_.at(memory.value).ranges.emplace(offset_bytes, resource.value);
    longest_range_bytes_ = std::max(longest_range_bytes_, requirements.size_bytes);
}

bool ShadowChecker::check_dedicated(const model::ResourceDescription& description,
                                    const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type) {
    const std::lock_guard lock(mutex_);
    bool admitted = true;
    check_memory_type(description, requirements, memory_type, admitted);
    return admitted;
}

void ShadowChecker::dedicated(device::ResourceId resource, const model::ResourceDescription& description,
                              const model::MemoryRequirements& requirements, MemoryTypeIndex memory_type) {
    const std::lock_guard lock(mutex_);
    resources_[resource.value] = Tracked{.description = description,
                                         .memory = {},
                                         .end_bytes = requirements.size_bytes,
                                         .id = resource.value,
                                         .memory_type = memory_type,
                                         .is_linear = is_linear(description),
                                         .is_dedicated = true,
                                         .released = {},
                                         .last_use = {}};
    charge(memory_type, requirements.size_bytes);
    ++totals_.dedicated_allocations;
    ++totals_.dedicated_allocation_calls;
}

void ShadowChecker::used(device::ResourceId resource, device::TimelinePoint point) {
    const std::lock_guard lock(mutex_);
    if (const auto found = resources_.find(resource.value); found != resources_.end()) found->second.last_use = point;
}

bool ShadowChecker::is_dedicated(device::ResourceId resource) const {
    const std::lock_guard lock(mutex_);
    const auto found = resources_.find(resource.value);
    return found != resources_.end() && found->second.is_dedicated;
}

void ShadowChecker::note_device_free() {
    --totals_.device_allocations;
    if (std::this_thread::get_id() == frames_thread_) ++totals_.device_free_calls;
}

void ShadowChecker::forget(std::uint64_t id) {
    const auto found = resources_.find(id);
    const Tracked& resource = found->second;
    if (resource.memory) {
        auto& ranges = allocations_.at(resource.memory->value).ranges;
        for (auto [it, last] = ranges.equal_range(resource.offset_bytes); it != last; ++it) {
            if (it->second != id) continue;
            ranges.erase(it);
            break;
        }
    } else if (resource.is_dedicated) {
        discharge(resource.memory_type, resource.end_bytes);
        note_device_free();
        --totals_.dedicated_allocations;
    }
    resources_.erase(found);
}

bool ShadowChecker::destroyed(device::ResourceId resource) {
    const std::lock_guard lock(mutex_);
    const auto found = resources_.find(resource.value);
    if (found == resources_.end()) {
        log_.add(model::Fault::kApiError, fmt::format("resource {}", resource.value), "destroyed, but it is not alive");
        return false;
    }
    Tracked& tracked = found->second;
    const std::uint64_t unanswered = totals_.unanswered;
    if (!is_in_use(tracked)) {
        if (totals_.unanswered == unanswered) {
            forget(resource.value);
            return true;
        }
    } else if (!tracked.released) {
        log_.add(model::Fault::kEarlyReuse, tracked.label(), "destroyed although its owner has not released it");
    } else {
        const auto completed = tracked.released->timeline->completed();
        log_.add(model::Fault::kEarlyReuse, tracked.label(),
                 fmt::format("destroyed at timeline value {}, but the device uses it until {}",
                             completed ? completed->value : 0, tracked.released->value.value));
    }
    tracked.is_ended = true;
    waiting_ends_.push_back(resource.value);
    return false;
}

std::vector<device::ResourceId> ShadowChecker::take_ended(bool all) {
    const std::lock_guard lock(mutex_);
    std::vector<device::ResourceId> over;
    std::erase_if(waiting_ends_, [&](std::uint64_t id) {
        const Tracked& tracked = resources_.at(id);
        if (!all && !(point_is_over(tracked.released) && point_is_over(tracked.last_use))) return false;
        over.push_back(device::ResourceId{id});
        forget(id);
        return true;
    });
    return over;
}

void ShadowChecker::check_leaks() {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, resource] : resources_) {
        if (resource.is_dedicated) {
            log_.add(model::Fault::kLeak, resource.label(),
                     fmt::format("its dedicated allocation of {} bytes is still there at the end", resource.end_bytes));
        } else {
            log_.add(
                model::Fault::kLeak, resource.label(),
                fmt::format("never destroyed; it was placed at [{}, {})", resource.offset_bytes, resource.end_bytes));
        }
    }
    for (const auto& [id, allocation] : allocations_) {
        log_.add(model::Fault::kLeak, fmt::format("device allocation {}", id),
                 fmt::format("{} bytes of memory type {} were never given back", allocation.size_bytes,
                             allocation.memory_type.value));
    }
}

ShadowChecker::Totals ShadowChecker::totals() const {
    const std::lock_guard lock(mutex_);
    return totals_;
}

ShadowChecker::FreeSpace ShadowChecker::free_space(const Allocation& allocation) const {
    FreeSpace space;
    std::uint64_t covered_to = 0;
    const auto add_gap = [&](std::uint64_t begin) {
        if (begin <= covered_to) return;
        space.bytes += begin - covered_to;
        space.largest_bytes = std::max(space.largest_bytes, begin - covered_to);
    };
    for (const auto& [offset, resource] : allocation.ranges) {
        add_gap(offset);
        covered_to = std::max(covered_to, resources_.at(resource).end_bytes);
    }
    add_gap(allocation.size_bytes);
    return space;
}

double ShadowChecker::mean_fragmentation() const {
    const std::lock_guard lock(mutex_);
    double sum = 0;
    std::uint64_t count = 0;
    for (const auto& [id, allocation] : allocations_) {
        const FreeSpace space = free_space(allocation);
        if (space.bytes == 0) continue;
        sum += space.fragmentation();
        ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

std::vector<std::uint64_t> ShadowChecker::peak_reserved_by_heap() const {
    const std::lock_guard lock(mutex_);
    return peak_by_heap_;
}

std::vector<OccupancyFigures> ShadowChecker::occupancy() const {
    const std::lock_guard lock(mutex_);
    std::vector<OccupancyFigures> figures(facts_.heaps.size());
    std::vector<std::uint64_t> with_free_bytes(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].name = fmt::format("heap {}", i);
    const auto index_of = [&](MemoryTypeIndex type) { return facts_.memory_types[type.value].heap_index; };
    for (const auto& [id, allocation] : allocations_) {
        const std::size_t index = index_of(allocation.memory_type);
        OccupancyFigures& one = figures[index];
        const FreeSpace space = free_space(allocation);
        ++one.chunks;
        one.reserved_bytes += allocation.size_bytes;
        one.used_bytes += allocation.size_bytes - space.bytes;
        one.largest_free_bytes = std::max(one.largest_free_bytes, space.largest_bytes);
        if (space.bytes == 0) continue;
        one.fragmentation += space.fragmentation();
        ++with_free_bytes[index];
    }
    for (const auto& [id, resource] : resources_) {
        if (!resource.is_dedicated) continue;
        OccupancyFigures& one = figures[index_of(resource.memory_type)];
        ++one.chunks;
        one.reserved_bytes += resource.end_bytes;
        one.used_bytes += resource.end_bytes;
    }
    for (std::size_t i = 0; i < figures.size(); ++i) {
        if (with_free_bytes[i] != 0) figures[i].fragmentation /= static_cast<double>(with_free_bytes[i]);
    }
    return figures;
}

}  // namespace heapwright::validate
