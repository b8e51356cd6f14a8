// A list of work turned into batches: within one no item depends on another, between two stands one barrier, so that
// a hundred fills and then a hundred copies of them need a single one. Depends on ids and descriptions only, records
// nothing.
//
// Two items conflict when they touch overlapping bytes of a buffer, or the same subresource of an image, and one of
// them writes; or when they need an image in two layouts. Work that names two resources which alias the same memory
// belongs in two submissions.
// Images rest in the layout GENERAL between submissions and lists, so that lists can be recorded by several threads.
// Thread-safe but for plans of submissions, which read the layouts that the Submitter's lock guards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heapwright_generated/volk.hpp"

#include "device/submitter.hpp"
#include "heapwright/core/result.hpp"
#include "vulkan/resource_binder.hpp"

namespace heapwright::vulkan {

struct WorkObjects;

inline constexpr VkImageLayout kRestingLayout = VK_IMAGE_LAYOUT_GENERAL;

// A work item with its resources looked up; an item of one resource leaves `second` null, a dispatch both.
// FillBuffer, clears: the target. Copies, transforms, draws: source, then destination.
struct PlannedWork {
    const device::Work* work = nullptr;
    Resource* first = nullptr;
    Resource* second = nullptr;
};

struct LayoutChange {
    Resource* image = nullptr;
    VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED;
    VkImageLayout to = VK_IMAGE_LAYOUT_UNDEFINED;
};

// Stages of the pipeline, and what they do to memory.
struct Scope {
    VkPipelineStageFlags stages = 0;
    VkAccessFlags accesses = 0;
    VkAccessFlags writes = 0;  // those of `accesses` that write

    void add(const Scope& other) {
        stages |= other.stages;
        accesses |= other.accesses;
        writes |= other.writes;
    }
};

struct Batch {
    std::size_t begin = 0;  // items [begin, end)
    std::size_t end = 0;
    Scope scope;
    std::vector<LayoutChange> layout_changes;  // before its first item
};

struct WorkPlan {
    std::vector<PlannedWork> items;
    std::vector<Batch> batches;
    std::vector<LayoutChange> last_changes;        // after the last batch: to the resting layout
    std::vector<Resource*> resources;              // each that is named, once
    std::vector<device::ResourceId> resource_ids;  // theirs
};

// kTracked: a submission's own work, whose images may be fresh. kResting: a list, recorded for later.
enum class FirstLayouts : std::uint8_t { kTracked, kResting };

// Errors: kInvalidArgument (an id that is not live, a buffer for an image, a missing usage, a size or offset that is no
// multiple of what the item asks, a descriptor that is not what the item reads), kOutOfRange (beyond a buffer or an
// image), kNotSupported (the queue cannot do the work, or the API cannot for this format); `where` is the item's
// position in the list.
[[nodiscard]] Result<WorkPlan> plan_work(const OpenDevice& context, std::span<const device::Work> work,
                                         VkQueueFlags queue_flags, const WorkObjects& objects, FirstLayouts layouts);

// The layouts that the plan leaves behind, to call once the plan was queued.
void commit_layouts(const WorkPlan& plan);

}  // namespace heapwright::vulkan
