#include "pool/resource_table.hpp"

namespace heapwright::pool {

ResourceHandle ResourceTable::insert(Resource resource, const model::ResourceDescription& description, bool is_pinned) {
    if (vacant_.empty()) {
        vacant_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t index = vacant_.back();
    vacant_.pop_back();
    Slot& slot = slots_[index];
    slot.entry.emplace(
        Entry{.resource = std::move(resource), .description = description, .is_pinned = is_pinned, .writes = 0});
    return {.index = index, .generation = ++slot.generation};
}

ResourceTable::Entry* ResourceTable::find(ResourceHandle handle) {
    if (handle.index >= slots_.size() || slots_[handle.index].generation != handle.generation) return nullptr;
    return slots_[handle.index].entry ? &*slots_[handle.index].entry : nullptr;
}

Status ResourceTable::erase(ResourceHandle handle) {
    if (find(handle) == nullptr) {
        return fail(Error{.code = ErrorCode::kInvalidArgument,
                          .message = "the handle names no resource that is alive",
                          .where = "ResourceTable::erase",
                          .value = handle.index});
    }
    slots_[handle.index].entry.reset();
    vacant_.push_back(handle.index);
    return {};
}

}  // namespace heapwright::pool
