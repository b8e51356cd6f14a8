#include "heapwright/replay/requirements.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "heapwright/contract/assumed_requirements.hpp"
#include "heapwright/core/checked.hpp"
#include "heapwright/model/swept_buffer.hpp"

namespace heapwright::replay {
namespace {

using model::BufferDescription;
using model::Flags;
using model::ImageCase;
using model::ImageDescription;
using model::MemoryRequirements;

tl::unexpected<Error> refused(const std::string& what, const std::string& reason) {
    return fail(
        ErrorCode::kNotSupported,
        fmt::format("the device does not support this {}: {}", what, reason.empty() ? "no reason given" : reason),
        "replay");
}

tl::unexpected<Error> unknown(const std::string& what) {
    return fail(ErrorCode::kOutOfRange, fmt::format("the replayed report holds no answer for this {}", what), "replay");
}

bool same_kind(const ImageCase& entry, const ImageDescription& image) {
    return entry.format == image.format && entry.tiling == image.tiling && entry.dimension == image.dimension &&
           entry.samples == image.samples;
}

// The same case, whatever the extent: a mip count other than the full chain belongs to no case.
bool is_case_of(const ImageCase& entry, const ImageDescription& image) {
    return same_kind(entry, image) && entry.usage == image.usage && entry.array_layers == image.array_layers &&
           entry.description(image.width, image.height).mip_levels == image.mip_levels;
}

// A swept image of this case holds everything that the wanted one holds.
bool covers(const ImageCase& entry, const ImageDescription& image) {
    return entry.table && same_kind(entry, image) && (entry.usage & image.usage) == image.usage &&
           entry.array_layers >= image.array_layers && (entry.full_mips || image.mip_levels == 1);
}

// So does a single image that the sweep asked for.
bool covers(const ImageDescription& point, const ImageDescription& image) {
    return point.format == image.format && point.tiling == image.tiling && point.dimension == image.dimension &&
           point.samples == image.samples && point.flags == image.flags && (point.usage & image.usage) == image.usage &&
           point.array_layers >= image.array_layers && point.mip_levels >= image.mip_levels;
}

struct Candidate {
    MemoryRequirements requirements;
    ImageDescription point;
    std::optional<std::size_t> image_case;  // empty: a single image
    // Smaller is nearer: another usage, more layers or more mips are taken only where the case itself has no answer.
    std::tuple<bool, std::uint32_t, bool, std::uint64_t> distance;
};

struct BufferStandIn {
    bool found = false;
    Flags usage = 0;
    MemoryRequirements requirements;
    std::string taken_from;
};

struct SweptBuffer {
    BufferDescription description;
    MemoryRequirements requirements;
};

// The first swept size from the buffer's on, of which the case has an answer.
std::optional<SweptBuffer> swept_from(const model::BufferSweep& sweep, const model::BufferCase& entry,
                                      const BufferDescription& buffer) {
    if (!entry.table) return std::nullopt;
    const auto first = std::lower_bound(sweep.sizes.begin(), sweep.sizes.end(), buffer.size_bytes);
    for (auto size = first; size != sweep.sizes.end(); ++size) {
        const auto point = static_cast<std::size_t>(size - sweep.sizes.begin());
        if (const auto answer = answer_at(sweep.requirements, sweep.tables[*entry.table], point)) {
            return SweptBuffer{{.size_bytes = *size, .usage = entry.usage},
                               model::between_swept_sizes(*answer, *size, buffer.size_bytes)};
        }
    }
    return std::nullopt;
}

// The usage itself at the next larger size, else the usage that holds it and least besides; of the sweep's cases and of
// the single buffers that it asked for.
BufferStandIn nearest_buffer(const model::BufferSweep& sweep, const BufferDescription& buffer) {
    BufferStandIn best;
    std::uint64_t best_size = 0;
    const auto consider = [&](const BufferDescription& answered, const MemoryRequirements& requirements) {
        if (best.found && std::pair(std::popcount(answered.usage), answered.size_bytes) >=
                              std::pair(std::popcount(best.usage), best_size))
            return;
        best = {.found = true,
                .usage = answered.usage,
                .requirements = requirements,
                .taken_from = model::resource_text(answered)};
        best_size = answered.size_bytes;
    };
    for (const model::BufferCase& entry : sweep.cases) {
        if ((entry.usage & buffer.usage) != buffer.usage) continue;
        if (const auto swept = swept_from(sweep, entry, buffer)) consider(swept->description, swept->requirements);
    }
    for (const auto& [description, requirements, not_supported] : sweep.points) {
        if (!requirements || description.size_bytes < buffer.size_bytes) continue;
        if ((description.usage & buffer.usage) != buffer.usage) continue;
        consider(description, model::between_swept_sizes(*requirements, description.size_bytes, buffer.size_bytes));
    }
    return best;
}

// The swept usages that together are the wanted one: what each of them asks for. A usage that holds more may be kept
// out of memory that the wanted one is allowed in, as buffers with unordered access are of Direct3D 12's upload heaps.
BufferStandIn parts_together(const model::BufferSweep& sweep, const BufferDescription& buffer) {
    BufferStandIn result{.requirements = {.alignment_bytes = 1, .memory_type_bits = ~0u}, .taken_from = "together: "};
    std::size_t parts = 0;
    for (const model::BufferCase& entry : sweep.cases) {
        if ((entry.usage & ~buffer.usage) != 0) continue;
        const auto swept = swept_from(sweep, entry, buffer);
        if (!swept) return {};  // a part that the device refuses at this size
        const MemoryRequirements& part = swept->requirements;
        MemoryRequirements& whole = result.requirements;
        whole.size_bytes = std::max(whole.size_bytes, part.size_bytes);
        whole.alignment_bytes = std::max(whole.alignment_bytes, part.alignment_bytes);
        whole.memory_type_bits &= part.memory_type_bits;
        whole.dedicated = std::max(whole.dedicated, part.dedicated);
        result.usage |= entry.usage;
        result.taken_from += (parts++ == 0 ? "" : ", ") + model::resource_text(swept->description);
    }
    MemoryRequirements& whole = result.requirements;
    whole.size_bytes = checked_align_up(whole.size_bytes, whole.alignment_bytes).value_or(whole.size_bytes);
    result.found = result.usage == buffer.usage && whole.memory_type_bits != 0;
    return result;
}

}  // namespace

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
    : facts_(facts), images_(std::move(images)), buffers_(std::move(buffers)), interpolate_(interpolate) {}

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
    Answer answer = std::visit([this](const auto& description) { return find_locked(description); }, resource);
    return answers_.emplace(resource, std::move(answer)).first->second;
}

ReplayRequirements::Answer ReplayRequirements::interpolated_answer_locked(const model::ResourceDescription& resource,
                                                                          const MemoryRequirements& requirements,
                                                                          std::string taken_from) {
    interpolated_.push_back({.resource = resource, .requirements = requirements, .taken_from = std::move(taken_from)});
    return {requirements, interpolated_.size() - 1};
}

ReplayRequirements::Answer ReplayRequirements::assumed_answer_locked(const model::ResourceDescription& resource) {
    return interpolated_answer_locked(resource, contract::assumed_requirements(facts_, resource), {});
}

ReplayRequirements::Answer ReplayRequirements::find_locked(const ImageDescription& image) {
    if (const auto exact = model::find_requirements(images_, image)) return {*exact};
    const auto point = std::find_if(images_.points.begin(), images_.points.end(),
                                    [&](const model::ImagePoint& entry) { return entry.description == image; });
    if (point != images_.points.end()) return {refused(model::resource_text(image), point->not_supported)};
    for (const ImageCase& entry : images_.cases) {
        if (!is_case_of(entry, image)) continue;
        if (!entry.table) return {refused(model::resource_text(image), entry.not_supported)};
        const auto index = images_.grid.find(image.width, image.height);
        if (index && entry.description(image.width, image.height) == image) {
            return {refused(model::resource_text(image), "the swept extent is beyond the device's limit")};
        }
    }
    if (!interpolate_) return {unknown(model::resource_text(image))};
    if (images_.cases.empty() && images_.points.empty()) return assumed_answer_locked(image);

    std::optional<Candidate> best;
    const auto consider = [&](const ImageDescription& answered, const MemoryRequirements& answer,
                              std::optional<std::size_t> image_case) {
        if (answered.width < image.width || answered.height < image.height || answered.depth < image.depth) return;
        const std::tuple distance{answered.usage != image.usage, answered.array_layers - image.array_layers,
                                  (answered.mip_levels > 1) != (image.mip_levels > 1), answer.size_bytes};
        if (!best || distance < best->distance) best = Candidate{answer, answered, image_case, distance};
    };
    for (std::size_t index = 0; index < images_.cases.size(); ++index) {
        const ImageCase& entry = images_.cases[index];
        if (!covers(entry, image)) continue;
        const model::SweepTable& table = images_.tables[*entry.table];
        for (std::size_t i = 0; i < images_.grid.point_count(); ++i) {
            const auto answer = answer_at(images_.requirements, table, i);
            const auto [width, height] = images_.grid.point(i);
            if (answer) consider(entry.description(width, height), *answer, index);
        }
    }
    for (const model::ImagePoint& entry : images_.points) {
        if (entry.requirements && covers(entry.description, image))
            consider(entry.description, *entry.requirements, std::nullopt);
    }
    if (!best) return {unknown(model::resource_text(image))};
    const Fit& fit = fit_locked(best->point, best->image_case);
    MemoryRequirements answer =
        model::between_swept_images(best->requirements, best->point, image, fit.tiles, fit.dedicated);
    answer.size_bytes = std::min(answer.size_bytes, best->requirements.size_bytes);
    return interpolated_answer_locked(image, answer, model::resource_text(best->point));
}

const ReplayRequirements::Fit& ReplayRequirements::fit_locked(const ImageDescription& answered,
                                                              std::optional<std::size_t> image_case) {
    const auto [known, is_new] =
        fits_.try_emplace(FitKey{image_case, answered.format, answered.tiling, answered.dimension, answered.usage,
                                 answered.samples, answered.flags});
    if (is_new) {
        known->second.tiles =
            image_case ? model::fit_tiles(images_, images_.cases[*image_case]) : model::fit_tiles(images_, answered);
        known->second.dedicated = model::fit_dedicated(images_, answered);
    }
    return known->second;
}

ReplayRequirements::Answer ReplayRequirements::find_locked(const BufferDescription& buffer) {
    if (const auto exact = model::find_requirements(buffers_, buffer)) return {*exact};
    const auto point = std::find_if(buffers_.points.begin(), buffers_.points.end(),
                                    [&](const model::BufferPoint& entry) { return entry.description == buffer; });
    if (point != buffers_.points.end()) return {refused(model::resource_text(buffer), point->not_supported)};
    for (const model::BufferCase& entry : buffers_.cases) {
        if (entry.usage != buffer.usage) continue;
        if (!entry.table) return {refused(model::resource_text(buffer), entry.not_supported)};
        if (std::binary_search(buffers_.sizes.begin(), buffers_.sizes.end(), buffer.size_bytes)) {
            return {refused(model::resource_text(buffer), "the swept size is beyond the device's limit")};
        }
    }
    if (!interpolate_) return {unknown(model::resource_text(buffer))};
    if (buffers_.cases.empty() && buffers_.points.empty()) return assumed_answer_locked(buffer);

    const BufferStandIn nearest = nearest_buffer(buffers_, buffer);
    if (nearest.found && nearest.usage == buffer.usage)
        return interpolated_answer_locked(buffer, nearest.requirements, nearest.taken_from);
    const BufferStandIn together = parts_together(buffers_, buffer);
    if (together.found) return interpolated_answer_locked(buffer, together.requirements, together.taken_from);
    if (nearest.found) return interpolated_answer_locked(buffer, nearest.requirements, nearest.taken_from);
    return {unknown(model::resource_text(buffer))};
}

}  // namespace heapwright::replay
