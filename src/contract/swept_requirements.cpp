#include "contract/swept_requirements.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "contract/assumed_requirements.hpp"
#include "core/checked.hpp"
#include "model/swept_buffer.hpp"

namespace heapwright::contract {
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
        "report");
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
    BufferDescription point;  // where it is a single one
    std::string parts;
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
        best = {.found = true, .usage = answered.usage, .requirements = requirements, .point = answered, .parts = {}};
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
BufferStandIn parts_together(const model::BufferSweep& sweep, const BufferDescription& buffer, bool names_parts) {
    BufferStandIn result{
        .requirements = {.alignment_bytes = 1, .memory_type_bits = ~0u}, .point = {}, .parts = "together: "};
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
        if (names_parts) result.parts += (parts++ == 0 ? "" : ", ") + model::resource_text(swept->description);
    }
    MemoryRequirements& whole = result.requirements;
    whole.size_bytes = checked_align_up(whole.size_bytes, whole.alignment_bytes).value_or(whole.size_bytes);
    result.found = result.usage == buffer.usage && whole.memory_type_bits != 0;
    return result;
}

}  // namespace

std::optional<Result<MemoryRequirements>> SweptRequirements::answered(
    const model::ResourceDescription& resource) const {
    return std::visit([this](const auto& description) { return answer(description); }, resource);
}

std::optional<SweptRequirements::Told> SweptRequirements::told(const model::ResourceDescription& resource,
                                                               bool names_point) const {
    return std::visit([&](const auto& description) { return tell(description, names_point); }, resource);
}

SweptRequirements::Answer SweptRequirements::answer(const ImageDescription& image) const {
    if (const auto exact = model::find_requirements(images_, image)) return *exact;
    const auto point = std::find_if(images_.points.begin(), images_.points.end(),
                                    [&](const model::ImagePoint& entry) { return entry.description == image; });
    if (point != images_.points.end()) return refused(model::resource_text(image), point->not_supported);
    for (const ImageCase& entry : images_.cases) {
        if (!is_case_of(entry, image)) continue;
        if (!entry.table) return refused(model::resource_text(image), entry.not_supported);
        const auto index = images_.grid.find(image.width, image.height);
        if (index && entry.description(image.width, image.height) == image) {
            return refused(model::resource_text(image), "the swept extent is beyond the device's limit");
        }
    }
    return std::nullopt;
}

std::optional<SweptRequirements::Told> SweptRequirements::tell(const ImageDescription& image, bool names_point) const {
    if (!has_sweep(image)) return Told{assumed_requirements(facts_, image), {}};

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
    if (!best) return std::nullopt;
    const auto& [tiles, dedicated] = fit(best->point, best->image_case);
    MemoryRequirements between = model::between_swept_images(best->requirements, best->point, image, tiles, dedicated);
    between.size_bytes = std::min(between.size_bytes, best->requirements.size_bytes);
    return Told{between, names_point ? model::resource_text(best->point) : ""};
}

const SweptRequirements::Fit& SweptRequirements::fit(const ImageDescription& answered,
                                                     std::optional<std::size_t> image_case) const {
    const std::lock_guard lock(mutex_);
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

SweptRequirements::Answer SweptRequirements::answer(const BufferDescription& buffer) const {
    if (const auto exact = model::find_requirements(buffers_, buffer)) return *exact;
    const auto point = std::find_if(buffers_.points.begin(), buffers_.points.end(),
                                    [&](const model::BufferPoint& entry) { return entry.description == buffer; });
    if (point != buffers_.points.end()) return refused(model::resource_text(buffer), point->not_supported);
    for (const model::BufferCase& entry : buffers_.cases) {
        if (entry.usage != buffer.usage) continue;
        if (!entry.table) return refused(model::resource_text(buffer), entry.not_supported);
        if (std::binary_search(buffers_.sizes.begin(), buffers_.sizes.end(), buffer.size_bytes)) {
            return refused(model::resource_text(buffer), "the swept size is beyond the device's limit");
        }
    }
    return std::nullopt;
}

std::optional<SweptRequirements::Told> SweptRequirements::tell(const BufferDescription& buffer,
                                                               bool names_point) const {
    if (!has_sweep(buffer)) return Told{assumed_requirements(facts_, buffer), {}};

    const BufferStandIn nearest = nearest_buffer(buffers_, buffer);
    if (!nearest.found || nearest.usage != buffer.usage) {
        BufferStandIn together = parts_together(buffers_, buffer, names_point);
        if (together.found) return Told{together.requirements, std::move(together.parts)};
    }
    if (!nearest.found) return std::nullopt;
    return Told{nearest.requirements, names_point ? model::resource_text(nearest.point) : ""};
}

}  // namespace heapwright::contract
