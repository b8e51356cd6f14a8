// Resources behind handles, so that a resource can be made again elsewhere while everybody who names it keeps a valid
// name. The table owns the resources; a handle stays good until erase(), the device's id behind it may change at
// Defragmenter::finish(), so it is looked up again for every frame's work.
// Not thread-safe: used by the thread that records. The pool outlives the table. Errors: kInvalidArgument for a handle
// that is not live.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "heapwright/core/result.hpp"
#include "pool/resource.hpp"

namespace heapwright::pool {

struct ResourceHandle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    friend constexpr auto operator<=>(ResourceHandle, ResourceHandle) = default;
};

class ResourceTable {
public:
    struct Entry {
        Resource resource;
        model::ResourceDescription description;
        bool is_pinned = false;    // never moved: mapped, shared with another API, ...
        std::uint64_t writes = 0;  // recorded so far, by note_write()
    };

    [[nodiscard]] ResourceHandle insert(Resource resource, const model::ResourceDescription& description,
                                        bool is_pinned = false);
    // Releases the resource to its pool.
    [[nodiscard]] Status erase(ResourceHandle handle);

    // Null for a handle that is not live; the pointer is good until the next insert().
    [[nodiscard]] Entry* find(ResourceHandle handle);

    // Work recorded from now on writes to the resource: a copy of it that is under way is void.
    void note_write(ResourceHandle handle) {
        if (Entry* entry = find(handle)) ++entry->writes;
    }

    [[nodiscard]] std::size_t size() const { return slots_.size() - vacant_.size(); }

    // visit(ResourceHandle, Entry&) over what is live.
    template <class Visit>
    void for_each(Visit&& visit) {
        for (std::uint32_t index = 0; index < slots_.size(); ++index) {
            if (slots_[index].entry) visit(ResourceHandle{index, slots_[index].generation}, *slots_[index].entry);
        }
    }

private:
    struct Slot {
        std::uint32_t generation = 0;
        std::optional<Entry> entry;
    };

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> vacant_;
};

}  // namespace heapwright::pool
