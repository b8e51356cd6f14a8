#include "replay/requirements.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace heapwright::replay {

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
