#include "heapwright/vulkan/work_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "heapwright/vulkan/format_map.hpp"
#include "heapwright/vulkan/work_check.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint64_t kWholeResource = std::numeric_limits<std::uint64_t>::max();

// What an item does to one resource: bytes of a buffer, numbered subresources of an image.
struct Access {
    Resource* resource = nullptr;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool writes = false;
};

// At most two; an item of one resource has a null second.
using Accesses = std::array<Access, 2>;

Access buffer_access(Resource* buffer, std::uint64_t offset_bytes, std::uint64_t size_bytes, bool writes) {
    return {.resource = buffer, .begin = offset_bytes, .end = offset_bytes + size_bytes, .writes = writes};
}

Access whole_image(Resource* image, bool writes) {
    return {.resource = image, .begin = 0, .end = kWholeResource, .writes = writes};
}

// The aspects of one subresource count as one: drivers keep depth and stencil in the same words.
Access image_part(Resource* image, const device::ImageSubresource& part, bool writes) {
    const auto& description = std::get<model::ImageDescription>(image->description);
    const std::uint64_t number = static_cast<std::uint64_t>(part.array_layer) * description.mip_levels + part.mip_level;
    return {.resource = image, .begin = number, .end = number + 1, .writes = writes};
}

std::uint64_t part_bytes(const Resource& image, const device::ImageSubresource& part) {
    return packed_subresource_bytes(std::get<model::ImageDescription>(image.description), part.mip_level,
                                    part.stencil_aspect);
}

struct AccessesOf {
    const PlannedWork& item;

    Accesses operator()(const device::FillBuffer& fill) const {
        return {buffer_access(item.first, fill.offset_bytes, fill.size_bytes, true)};
    }
    Accesses operator()(const device::CopyBuffer& copy) const {
        return {buffer_access(item.first, copy.source_offset_bytes, copy.size_bytes, false),
                buffer_access(item.second, copy.destination_offset_bytes, copy.size_bytes, true)};
    }
    Accesses operator()(const device::ClearImage&) const { return {whole_image(item.first, true)}; }
    Accesses operator()(const device::CopyBufferToImage& copy) const {
        const std::uint64_t bytes = part_bytes(*item.second, copy.subresource);
        return {buffer_access(item.first, copy.buffer_offset_bytes, bytes, false),
                image_part(item.second, copy.subresource, true)};
    }
    Accesses operator()(const device::CopyImageToBuffer& copy) const {
        const std::uint64_t bytes = part_bytes(*item.first, copy.subresource);
        return {image_part(item.first, copy.subresource, false),
                buffer_access(item.second, copy.buffer_offset_bytes, bytes, true)};
    }
    Accesses operator()(const device::CopyImage&) const {
        return {whole_image(item.first, false), whole_image(item.second, true)};
    }
    Accesses operator()(const device::ClearRenderTarget&) const { return {}; }
    Accesses operator()(const device::ClearDepthStencil&) const { return {}; }
    Accesses operator()(const device::DispatchTables&) const { return {}; }
};

// What the batch under construction does to one resource.
class ResourceUse {
public:
    [[nodiscard]] bool conflicts(const Access& access) const {
        // Reads and writes of one image want two layouts, whatever the subresource.
        if (access.resource->image != VK_NULL_HANDLE && !ranges_.empty() && ranges_.front().writes != access.writes) {
            return true;
        }
        return std::any_of(ranges_.begin(), ranges_.end(), [&access](const Access& range) {
            return (range.writes || access.writes) && range.begin < access.end && access.begin < range.end;
        });
    }

    void add(const Access& access) {
        // Neighbours become one range, so that a buffer filled piece by piece stays one comparison.
        if (!ranges_.empty() && ranges_.back().writes == access.writes && ranges_.back().end == access.begin) {
            ranges_.back().end = access.end;
        } else {
            ranges_.push_back(access);
        }
    }

private:
    std::vector<Access> ranges_;
};

VkImageLayout layout_for(bool writes) {
    return writes ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
}

class Planner {
public:
    void add(const PlannedWork& item) {
        const Accesses accesses = std::visit(AccessesOf{item}, *item.work);
        if (plan_.batches.empty() || conflicts(accesses)) {
            plan_.batches.push_back({.begin = plan_.items.size(), .end = plan_.items.size()});
            uses_.clear();
        }
        for (const Access& access : accesses) {
            if (access.resource != nullptr) use(access);
        }
        plan_.items.push_back(item);
        plan_.batches.back().end = plan_.items.size();
    }

    WorkPlan finish() && { return std::move(plan_); }

private:
    [[nodiscard]] bool conflicts(const Accesses& accesses) const {
        return std::any_of(accesses.begin(), accesses.end(), [this](const Access& access) {
            if (access.resource == nullptr) return false;
            const auto use = uses_.find(access.resource);
            return use != uses_.end() && use->second.conflicts(access);
        });
    }

    void use(const Access& access) {
        uses_[access.resource].add(access);
        const auto [layout, first_of_plan] = layouts_.try_emplace(access.resource, access.resource->layout);
        if (first_of_plan) plan_.resources.push_back(access.resource);
        if (access.resource->image == VK_NULL_HANDLE) return;
        const VkImageLayout needed = layout_for(access.writes);
        if (layout->second == needed) return;
        plan_.batches.back().layout_changes.push_back({.image = access.resource, .from = layout->second, .to = needed});
        layout->second = needed;
    }

    WorkPlan plan_;
    std::unordered_map<const Resource*, ResourceUse> uses_;       // of the last batch
    std::unordered_map<const Resource*, VkImageLayout> layouts_;  // as the plan so far leaves them
};

}  // namespace

Result<WorkPlan> plan_work(std::span<const device::Work> work, VkQueueFlags queue_flags, ResourceBinder& resources) {
    Planner planner;
    for (std::size_t i = 0; i < work.size(); ++i) {
        auto item = check_work(work[i], queue_flags, resources);
        if (!item) {
            Error error = std::move(item.error());
            error.where = fmt::format("work item {}", i);
            return fail(std::move(error));
        }
        planner.add(*item);
    }
    return std::move(planner).finish();
}

void commit_layouts(const WorkPlan& plan) {
    for (const Batch& batch : plan.batches) {
        for (const LayoutChange& change : batch.layout_changes) change.image->layout = change.to;
    }
}

}  // namespace heapwright::vulkan
