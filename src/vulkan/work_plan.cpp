#include "vulkan/work_plan.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "device/image_planes.hpp"
#include "vulkan/dispatch_recorder.hpp"
#include "vulkan/format_map.hpp"
#include "vulkan/work_recorder.hpp"

namespace heapwright::vulkan {
namespace {

constexpr std::uint64_t kWholeResource = std::numeric_limits<std::uint64_t>::max();

// What kind of access an item makes, with the layout that an image must have for it.
struct Use {
    Scope scope;
    VkImageLayout layout;
    bool writes;
};

constexpr Use kCopyRead{
    {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, false};
constexpr Use kCopyWrite{{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         true};
constexpr Use kShaderRead{
    {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT, 0},
    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    false};
constexpr Use kShaderWrite{
    {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
     VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_WRITE_BIT},
    VK_IMAGE_LAYOUT_GENERAL,
    true};
constexpr Use kFragmentRead{{VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT, 0},
                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                            false};
constexpr Use kColorTarget{
    {VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
     VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT},
    VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
    true};
constexpr Use kDepthTarget{{VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
                            VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                            VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT},
                           VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                           true};

// What an item does to one resource: bytes of a buffer, numbered subresources of an image.
struct Access {
    Resource* resource = nullptr;
    device::ResourceId id;
    std::uint64_t begin = 0;
    std::uint64_t end = kWholeResource;
    const Use* use = nullptr;
};

// The aspects of one subresource count as one: drivers keep depth and stencil in the same words.
Access image_part(Resource* image, device::ResourceId id, const device::ImageSubresource& part, const Use& use) {
    const auto& description = std::get<model::ImageDescription>(image->description);
    const std::uint64_t number = static_cast<std::uint64_t>(part.array_layer) * description.mip_levels + part.mip_level;
    return {.resource = image, .id = id, .begin = number, .end = number + 1, .use = &use};
}

std::uint64_t part_bytes(const Resource& image, const device::ImageSubresource& part) {
    return device::copied_bytes(image_of(image), part);
}

struct AccessesOf {
    const PlannedWork& item;
    ResourceBinder& resources;
    std::vector<Access>& out;

    void buffer(Resource* resource, device::ResourceId id, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                const Use& use) const {
        out.push_back(
            {.resource = resource, .id = id, .begin = offset_bytes, .end = offset_bytes + size_bytes, .use = &use});
    }
    void whole(Resource* resource, device::ResourceId id, const Use& use) const {
        out.push_back({.resource = resource, .id = id, .use = &use});
    }

    void operator()(const device::FillBuffer& fill) const {
        buffer(item.first, fill.buffer, fill.offset_bytes, fill.size_bytes, kCopyWrite);
    }
    void operator()(const device::CopyBuffer& copy) const {
        buffer(item.first, copy.source, copy.source_offset_bytes, copy.size_bytes, kCopyRead);
        buffer(item.second, copy.destination, copy.destination_offset_bytes, copy.size_bytes, kCopyWrite);
    }
    void operator()(const device::ClearImage& clear) const { whole(item.first, clear.image, kCopyWrite); }
    void operator()(const device::CopyBufferToImage& copy) const {
        const std::uint64_t bytes = device::bytes_copied_by(image_of(*item.second), copy);
        buffer(item.first, copy.buffer, copy.buffer_offset_bytes, bytes, kCopyRead);
        out.push_back(image_part(item.second, copy.image, copy.subresource, kCopyWrite));
    }
    void operator()(const device::CopyImageToBuffer& copy) const {
        const std::uint64_t bytes = part_bytes(*item.first, copy.subresource);
        out.push_back(image_part(item.first, copy.image, copy.subresource, kCopyRead));
        buffer(item.second, copy.buffer, copy.buffer_offset_bytes, bytes, kCopyWrite);
    }
    void operator()(const device::CopyImage& copy) const {
        whole(item.first, copy.source, kCopyRead);
        whole(item.second, copy.destination, kCopyWrite);
    }
    void operator()(const device::ClearRenderTarget& clear) const { whole(item.first, clear.image, kColorTarget); }
    void operator()(const device::ClearDepthStencil& clear) const { whole(item.first, clear.image, kDepthTarget); }
    void operator()(const device::DispatchTables& dispatch) const {
        for (const device::ResourceId id : dispatch.reads) whole(resources.find(id), id, kShaderRead);
        for (const device::ResourceId id : dispatch.writes) whole(resources.find(id), id, kShaderWrite);
    }
    void operator()(const device::TransformBuffer& transform) const {
        // In place, one access does both.
        if (item.first != item.second) {
            buffer(item.first, transform.source, transform.source_offset_bytes, transform.size_bytes, kShaderRead);
        }
        buffer(item.second, transform.destination, transform.destination_offset_bytes, transform.size_bytes,
               kShaderWrite);
    }
    void operator()(const device::DrawBuffer& draw) const {
        buffer(item.first, draw.source, draw.source_offset_bytes, part_bytes(*item.second, {}), kFragmentRead);
        whole(item.second, draw.image, kColorTarget);
    }
};

// What the batch under construction does to one resource.
class ResourceUse {
public:
    [[nodiscard]] bool conflicts(const Access& access) const {
        // An image has one layout at a time, whatever the subresource.
        if (access.resource->image != VK_NULL_HANDLE && !ranges_.empty() && ranges_.front().use != access.use) {
            return true;
        }
        return std::any_of(ranges_.begin(), ranges_.end(), [&access](const Access& range) {
            return (range.use->writes || access.use->writes) && range.begin < access.end && access.begin < range.end;
        });
    }

    void add(const Access& access) {
        // Neighbours become one range, so that a buffer filled piece by piece stays one comparison; a buffer that many
        // dispatches read stays one range.
        if (!ranges_.empty() && ranges_.back().use == access.use) {
            Access& last = ranges_.back();
            if (last.end == access.begin) {
                last.end = access.end;
                return;
            }
            if (last.begin == access.begin && last.end == access.end) return;
        }
        ranges_.push_back(access);
    }

private:
    std::vector<Access> ranges_;
};

class Planner {
public:
    Planner(ResourceBinder& resources, FirstLayouts first) : resources_(resources), first_(first) {}

    void add(const PlannedWork& item) {
        accesses_.clear();
        std::visit(AccessesOf{item, resources_, accesses_}, *item.work);
        if (plan_.batches.empty() || conflicts()) {
            plan_.batches.push_back({.begin = plan_.items.size(), .end = plan_.items.size()});
            uses_.clear();
        }
        for (const Access& access : accesses_) use(access);
        plan_.items.push_back(item);
        plan_.batches.back().end = plan_.items.size();
    }

    WorkPlan finish() && {
        for (Resource* resource : plan_.resources) {
            if (resource->image == VK_NULL_HANDLE) continue;
            const VkImageLayout layout = layouts_.at(resource);
            if (layout != kRestingLayout) {
                plan_.last_changes.push_back({.image = resource, .from = layout, .to = kRestingLayout});
            }
        }
        return std::move(plan_);
    }

private:
    [[nodiscard]] bool conflicts() const {
        return std::any_of(accesses_.begin(), accesses_.end(), [this](const Access& access) {
            const auto use = uses_.find(access.resource);
            return use != uses_.end() && use->second.conflicts(access);
        });
    }

    [[nodiscard]] VkImageLayout first_layout(const Resource& resource) const {
        if (first_ == FirstLayouts::kResting || resource.image == VK_NULL_HANDLE) return kRestingLayout;
        return resource.layout;
    }

    void use(const Access& access) {
        uses_[access.resource].add(access);
        Batch& batch = plan_.batches.back();
        batch.scope.add(access.use->scope);
        const auto [layout, first_of_plan] = layouts_.try_emplace(access.resource, VK_IMAGE_LAYOUT_UNDEFINED);
        if (first_of_plan) {
            layout->second = first_layout(*access.resource);
            plan_.resources.push_back(access.resource);
            plan_.resource_ids.push_back(access.id);
        }
        if (access.resource->image == VK_NULL_HANDLE) return;
        const VkImageLayout needed = access.use->layout;
        if (layout->second == needed) return;
        batch.layout_changes.push_back({.image = access.resource, .from = layout->second, .to = needed});
        layout->second = needed;
    }

    ResourceBinder& resources_;
    FirstLayouts first_;
    WorkPlan plan_;
    std::vector<Access> accesses_;                                // of the item at hand
    std::unordered_map<const Resource*, ResourceUse> uses_;       // of the last batch
    std::unordered_map<const Resource*, VkImageLayout> layouts_;  // as the plan so far leaves them
};

}  // namespace

Result<WorkPlan> plan_work(const OpenDevice& context, std::span<const device::Work> work, VkQueueFlags queue_flags,
                           const WorkObjects& objects, FirstLayouts layouts) {
    Planner planner(objects.resources, layouts);
    for (std::size_t i = 0; i < work.size(); ++i) {
        auto item = check_work(context, work[i], queue_flags, objects);
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
    for (Resource* resource : plan.resources) {
        if (resource->image != VK_NULL_HANDLE) resource->layout = kRestingLayout;
    }
}

}  // namespace heapwright::vulkan
