#include "replay/resources.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "device/image_planes.hpp"

namespace heapwright::replay {

namespace {

std::uint64_t content_bytes(const model::ResourceDescription& description) {
    if (const auto* buffer = std::get_if<model::BufferDescription>(&description)) return buffer->size_bytes;
    return device::stored_size_bytes(std::get<model::ImageDescription>(description));
}

}  // namespace

ReplayResource::ReplayResource(const model::ResourceDescription& description, std::shared_ptr<ShadowMemory> memory,
                               std::uint64_t offset_bytes, std::uint64_t bound_bytes)
    : description_(description),
      memory_(std::move(memory)),
      offset_bytes_(offset_bytes),
      bound_bytes_(bound_bytes),
      byte_count_(content_bytes(description)),
      beyond_(static_cast<std::size_t>(byte_count_ > bound_bytes ? byte_count_ - bound_bytes : 0)) {}

std::pair<std::uint64_t, std::uint64_t> ReplayResource::shadow_range(std::uint64_t first, std::uint64_t size) const {
    if (first >= bound_bytes_) return {offset_bytes_, 0};
    return {offset_bytes_ + first, std::min(size, bound_bytes_ - first)};
}

std::span<std::byte> ReplayResource::part(std::uint64_t first, std::uint64_t size) {
    const auto [offset, inside] = shadow_range(first, size);
    if (inside != 0)
        return memory_->bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(inside));
    return std::span(beyond_).subspan(static_cast<std::size_t>(first - bound_bytes_), static_cast<std::size_t>(size));
}

std::span<const std::byte> ReplayResource::part(std::uint64_t first, std::uint64_t size) const {
    return const_cast<ReplayResource*>(this)->part(first, size);
}

void ReplayResource::read(std::uint64_t first, std::span<std::byte> destination) const {
    if (!memory_->is_reserved()) {
        std::ranges::fill(destination, std::byte{});  // read through a stale view, and new
        return;
    }
    while (!destination.empty()) {
        const std::span<const std::byte> from = part(first, destination.size());
        std::memcpy(destination.data(), from.data(), from.size());
        destination = destination.subspan(from.size());
        first += from.size();
    }
}

void ReplayResource::write(std::uint64_t first, std::span<const std::byte> source) {
    while (!source.empty()) {
        const std::span<std::byte> to = part(first, source.size());
        std::memcpy(to.data(), source.data(), to.size());
        source = source.subspan(to.size());
        first += to.size();
    }
}

void ReplayResource::copy_from(const ReplayResource& source, std::uint64_t source_first, std::uint64_t first,
                               std::uint64_t size) {
    while (size > 0) {
        const std::span<const std::byte> from = source.part(source_first, size);
        const std::span<std::byte> to = part(first, from.size());
        std::memmove(to.data(), from.data(), to.size());
        source_first += to.size();
        first += to.size();
        size -= to.size();
    }
}

ReplayResources::ReplayResources(ReplayContext& context, ReplayMemory& memory, ReplayRequirements& requirements)
    : context_(context), memory_(memory), requirements_(requirements) {}

Result<model::MemoryRequirements> ReplayResources::requirements(const model::ResourceDescription& resource) {
    return requirements_.query(resource);
}

Result<device::ResourceId> ReplayResources::create_placed(const model::ResourceDescription& resource,
                                                          device::AllocationId memory, std::uint64_t offset_bytes) {
    HEAPWRIGHT_ASSIGN(const auto required, requirements_.lookup(resource));
    const std::scoped_lock lock(context_.mutex);
    ReplayAllocation* owner = memory_.find_locked(memory);
    if (owner == nullptr)
        return fail(ErrorCode::kInvalidArgument, fmt::format("no device allocation {}", memory.value), "replay");
    if (offset_bytes > owner->size_bytes || required.size_bytes > owner->size_bytes - offset_bytes) {
        return fail({.code = ErrorCode::kInvalidArgument,
                     .message = fmt::format("a resource of {} bytes at {} leaves its device allocation",
                                            required.size_bytes, offset_bytes),
                     .where = "replay",
                     .value = offset_bytes,
                     .limit = owner->size_bytes});
    }
    if (required.alignment_bytes != 0 && offset_bytes % required.alignment_bytes != 0) {
        context_.message_locked(fmt::format("create_placed: offset {} is not a multiple of the alignment {}",
                                            offset_bytes, required.alignment_bytes));
    }
    if ((required.memory_type_bits >> owner->memory_type.value & 1u) == 0) {
        context_.message_locked(fmt::format("create_placed: memory type {} is not among the resource's (0x{:x})",
                                            owner->memory_type.value, required.memory_type_bits));
    }
    if (required.dedicated == model::Dedicated::kRequired) {
        context_.message_locked("create_placed: the resource requires a dedicated allocation");
    }
    if (memory_.is_host_visible(owner->memory_type)) {
        HEAPWRIGHT_TRY(memory_.charge_locked(*owner->memory, offset_bytes, required.size_bytes));
    }
    ++owner->placed_resources;
    resources_.emplace(next_id_, Entry{.resource = std::make_shared<ReplayResource>(resource, owner->memory,
                                                                                    offset_bytes, required.size_bytes),
                                       .memory = memory});
    return device::ResourceId{next_id_++};
}

Result<device::ResourceId> ReplayResources::create_dedicated(const model::ResourceDescription& resource,
                                                             MemoryTypeIndex memory_type, float priority) {
    HEAPWRIGHT_ASSIGN(const auto required, requirements_.lookup(resource));
    const std::scoped_lock lock(context_.mutex);
    HEAPWRIGHT_ASSIGN(
        auto own,
        memory_.take_locked({.memory_type = memory_type, .size_bytes = required.size_bytes, .priority = priority},
                            model::resource_class(resource, false) != model::ResourceClass::kLinear));
    if (memory_.is_host_visible(memory_type)) {
        if (auto charged = memory_.charge_locked(*own.memory, 0, required.size_bytes); !charged) {
            memory_.give_back_locked(own);
            return fail(std::move(charged.error()));
        }
    }
    if ((required.memory_type_bits >> memory_type.value & 1u) == 0) {
        context_.message_locked(fmt::format("create_dedicated: memory type {} is not among the resource's (0x{:x})",
                                            memory_type.value, required.memory_type_bits));
    }
    auto made = std::make_shared<ReplayResource>(resource, own.memory, 0, required.size_bytes);
    resources_.emplace(next_id_, Entry{.resource = std::move(made), .memory = {}, .dedicated = std::move(own)});
    ++dedicated_;
    return device::ResourceId{next_id_++};
}

Result<device::ResourceId> ReplayResources::create_exclusive(const model::ResourceDescription& resource,
                                                             MemoryTypeIndex memory_type, float priority) {
    if (context_.facts.identity.api == model::Api::kD3d12)
        return device::ResourceBinder::create_exclusive(resource, memory_type, priority);
    HEAPWRIGHT_ASSIGN(const device::ResourceId id, create_dedicated(resource, memory_type, priority));
    const std::scoped_lock lock(context_.mutex);
    find_locked(id)->ownership.emplace();
    return id;
}

void ReplayResources::destroy(device::ResourceId resource) {
    const std::scoped_lock lock(context_.mutex);
    const auto entry = resources_.find(resource.value);
    if (entry == resources_.end()) {
        context_.message_locked(fmt::format("destroy: no resource {}", resource.value));
        return;
    }
    if (entry->second.resource->pending_uses != 0) {
        context_.message_locked(fmt::format("destroy: {} pending submissions still use resource {}",
                                            entry->second.resource->pending_uses, resource.value));
    }
    const auto& ownership = entry->second.resource->ownership;
    if (ownership && ownership->is_under_way()) {
        context_.message_locked(
            fmt::format("destroy: bytes of resource {} were released and never acquired", resource.value));
    }
    if (entry->second.dedicated) {
        memory_.give_back_locked(*entry->second.dedicated);
        --dedicated_;
    } else if (ReplayAllocation* owner = memory_.find_locked(entry->second.memory)) {
        --owner->placed_resources;
    }
    entry->second.resource->is_destroyed = true;
    resources_.erase(entry);
}

Result<std::span<std::byte>> ReplayResources::map_dedicated(device::ResourceId resource) {
    const std::scoped_lock lock(context_.mutex);
    const auto entry = resources_.find(resource.value);
    if (entry == resources_.end() || !entry->second.dedicated) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("no dedicated resource {}", resource.value), "replay");
    }
    const ReplayAllocation& own = *entry->second.dedicated;
    if (!memory_.is_host_visible(own.memory_type)) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "the resource's memory type is not host visible",
                     .where = "replay",
                     .value = own.memory_type.value});
    }
    HEAPWRIGHT_TRY(own.memory->reserve());
    return own.memory->bytes();
}

std::shared_ptr<ReplayResource> ReplayResources::find_locked(device::ResourceId resource) const {
    const auto entry = resources_.find(resource.value);
    return entry == resources_.end() ? nullptr : entry->second.resource;
}

using model::BufferDescription;
using model::ImageDescription;
using model::MemoryRequirements;

std::size_t ReplayRequirements::Hash::operator()(const model::ResourceDescription& resource) const noexcept {
    std::uint64_t hash = resource.index() + 0x9E3779B97F4A7C15ull;
    const auto mix = [&hash](std::uint64_t value) {
        hash = (std::rotl(hash, 23) ^ value) * 0x2545F4914F6CDD1Dull;
        hash ^= hash >> 29;
    };
    if (const auto* buffer = std::get_if<BufferDescription>(&resource)) {
        mix(buffer->size_bytes);
        mix(buffer->usage);
    } else if (const auto* image = std::get_if<ImageDescription>(&resource)) {
        mix((static_cast<std::uint64_t>(image->format) << 32) | image->usage);
        mix((static_cast<std::uint64_t>(image->tiling) << 32) | static_cast<std::uint64_t>(image->dimension));
        mix((static_cast<std::uint64_t>(image->width) << 32) | image->height);
        mix((static_cast<std::uint64_t>(image->depth) << 32) | image->mip_levels);
        mix((static_cast<std::uint64_t>(image->array_layers) << 32) | image->samples);
        if (image->flags != 0) mix(image->flags);
    }
    return static_cast<std::size_t>(hash);
}

ReplayRequirements::ReplayRequirements(const model::DeviceReport& facts, model::ImageSweep images,
                                       model::BufferSweep buffers, bool interpolate)
    : images_(std::move(images)),
      buffers_(std::move(buffers)),
      swept_(facts, images_, buffers_),
      interpolate_(interpolate) {}

Result<MemoryRequirements> ReplayRequirements::query(const model::ResourceDescription& resource) {
    const std::scoped_lock lock(mutex_);
    const Answer& answer = answer_locked(resource);
    if (answer.interpolated_index) ++interpolated_[*answer.interpolated_index].queries;
    return answer.requirements;
}

Result<MemoryRequirements> ReplayRequirements::lookup(const model::ResourceDescription& resource) {
    const std::scoped_lock lock(mutex_);
    return answer_locked(resource).requirements;
}

std::vector<InterpolatedRequirement> ReplayRequirements::interpolated() const {
    const std::scoped_lock lock(mutex_);
    return interpolated_;
}

ReplayRequirements::Answer& ReplayRequirements::answer_locked(const model::ResourceDescription& resource) {
    const auto known = answers_.find(resource);
    if (known != answers_.end()) return known->second;
    return answers_.emplace(resource, find_locked(resource)).first->second;
}

ReplayRequirements::Answer ReplayRequirements::find_locked(const model::ResourceDescription& resource) {
    if (auto answered = swept_.answered(resource)) return {std::move(*answered)};
    auto told = interpolate_ ? swept_.told(resource) : std::nullopt;
    if (!told) {
        return {fail(ErrorCode::kOutOfRange,
                     fmt::format("the replayed report holds no answer for this {}", model::resource_text(resource)),
                     "replay")};
    }
    interpolated_.push_back(
        {.resource = resource, .requirements = told->requirements, .taken_from = std::move(told->taken_from)});
    return {told->requirements, interpolated_.size() - 1};
}

}  // namespace heapwright::replay
