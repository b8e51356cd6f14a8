#include "contract/swept_requirements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "contract/bucket_choice.hpp"
#include "core/checked.hpp"
#include "heapwright/model/format.hpp"

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
                               contract::between_swept_sizes(*answer, *size, buffer.size_bytes)};
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
        consider(description, contract::between_swept_sizes(*requirements, description.size_bytes, buffer.size_bytes));
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
    MemoryRequirements between =
        contract::between_swept_images(best->requirements, best->point, image, tiles, dedicated);
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
        known->second.tiles = image_case ? contract::fit_tiles(images_, images_.cases[*image_case])
                                         : contract::fit_tiles(images_, answered);
        known->second.dedicated = contract::fit_dedicated(images_, answered);
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

std::uint64_t assumed_buffer_alignment(const model::DeviceReport& device) {
    return device.identity.api == model::Api::kD3d12 ? 65536 : 256;
}

model::MemoryRequirements assumed_requirements(const model::DeviceReport& device,
                                               const model::ResourceDescription& resource) {
    const model::ResourceClass resource_class = model::resource_class(resource, true);
    std::uint32_t type_bits = 0;
    for (std::size_t i = 0; i < device.memory_types.size() && i < 32; ++i) {
        if (holds_class(device.memory_types[i], resource_class)) type_bits |= 1u << i;
    }
    const auto* image = std::get_if<model::ImageDescription>(&resource);
    const std::uint64_t alignment = image != nullptr ? kAssumedImageAlignment : assumed_buffer_alignment(device);
    const std::uint64_t packed =
        image != nullptr ? model::packed_size_bytes(*image) : std::get<model::BufferDescription>(resource).size_bytes;
    return {.size_bytes = align_up_or_largest(packed, alignment),
            .alignment_bytes = alignment,
            .memory_type_bits = type_bits};
}

namespace {

constexpr std::uint32_t kLargestTile = 256;
// More points would tell the same: the sides of a grid double.
constexpr std::size_t kMostPoints = 64;

struct Answer {
    model::ImageDescription image;
    double size_bytes = 0;
    std::uint64_t alignment_bytes = 1;
};

Answer answer_of(const model::ImageDescription& image, const model::MemoryRequirements& requirements) {
    return {.image = image,
            .size_bytes = static_cast<double>(requirements.size_bytes),
            .alignment_bytes = std::max<std::uint64_t>(1, requirements.alignment_bytes)};
}

std::vector<Answer> answers_of(const model::ImageSweep& sweep, const model::ImageCase& entry) {
    std::vector<Answer> answers;
    const model::SweepTable& table = sweep.tables[*entry.table];
    const std::size_t points = sweep.grid.widths.size() * sweep.grid.heights.size();
    // An odd step meets every column and every row.
    const std::size_t step = points <= kMostPoints ? 1 : points / kMostPoints | 1;
    for (std::size_t point = 0; point < points; point += step) {
        const auto answer = model::answer_at(sweep.requirements, table, point);
        if (!answer) continue;
        const auto [width, height] = sweep.grid.point(point);
        answers.push_back(answer_of(entry.description(width, height), *answer));
    }
    return answers;
}

bool is_alike(const model::ImageDescription& one, const model::ImageDescription& other) {
    return one.format == other.format && one.tiling == other.tiling && one.dimension == other.dimension &&
           one.usage == other.usage && one.samples == other.samples && one.flags == other.flags;
}

// size * numerator / denominator, rounded up to the alignment; saturates.
std::uint64_t scaled_size(std::uint64_t size, std::uint64_t numerator, std::uint64_t denominator,
                          std::uint64_t alignment) {
    const std::uint64_t scaled = numerator == denominator
                                     ? size
                                     : saturating_bytes(static_cast<double>(size) * static_cast<double>(numerator) /
                                                        static_cast<double>(std::max<std::uint64_t>(1, denominator)));
    return align_up_or_largest(scaled, alignment);
}

double distance(const TileRule& rule, const std::vector<Answer>& answers) {
    double sum = 0;
    for (const Answer& answer : answers) {
        const std::uint64_t bytes = rule.bytes(answer.image);
        const auto told = static_cast<double>(checked_align_up(bytes, answer.alignment_bytes).value_or(bytes));
        sum += std::abs(std::log2(answer.size_bytes / std::max(1.0, told)));
    }
    return sum;
}

TileRule nearest_rule(const std::vector<Answer>& answers) {
    TileRule best;
    double nearest = std::numeric_limits<double>::infinity();
    for (TileRule rule; rule.width <= kLargestTile; rule.width *= 2) {
        for (rule.height = 1; rule.height <= kLargestTile; rule.height *= 2) {
            const double far = distance(rule, answers);
            if (far < nearest) {
                nearest = far;
                best = rule;
            }
        }
    }
    return best;
}

}  // namespace

std::uint64_t TileRule::bytes(const model::ImageDescription& image) const {
    const model::FormatInfo& format = model::info(image.format);
    std::uint64_t blocks = 0;
    for (std::uint32_t level = 0; level < image.mip_levels; ++level) {
        const std::uint64_t level_width = std::max(1u, image.width >> level);
        const std::uint64_t level_height = std::max(1u, image.height >> level);
        blocks += align_up(div_ceil(level_width, format.block_width), width) *
                  align_up(div_ceil(level_height, format.block_height), height) * std::max(1u, image.depth >> level);
    }
    return blocks * format.block_bytes * image.array_layers * image.samples;
}

TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageCase& entry) {
    return entry.table ? nearest_rule(answers_of(sweep, entry)) : TileRule{};
}

TileRule fit_tiles(const model::ImageSweep& sweep, const model::ImageDescription& like) {
    std::vector<Answer> answers;
    for (const model::ImagePoint& point : sweep.points) {
        if (point.requirements && is_alike(point.description, like))
            answers.push_back(answer_of(point.description, *point.requirements));
    }
    return nearest_rule(answers);
}

std::optional<model::Dedicated> DedicatedSizes::at(std::uint64_t size_bytes) const {
    if (wanted == model::Dedicated::kNone || largest_without >= smallest_with) return std::nullopt;
    const std::uint64_t power = std::bit_floor(smallest_with);
    return size_bytes >= (power > largest_without ? power : smallest_with) ? wanted : model::Dedicated::kNone;
}

DedicatedSizes fit_dedicated(const model::ImageSweep& sweep, const model::ImageDescription& like) {
    DedicatedSizes sizes;
    const auto add = [&sizes](const model::MemoryRequirements& answer) {
        if (answer.dedicated == model::Dedicated::kNone) {
            sizes.largest_without = std::max(sizes.largest_without, answer.size_bytes);
        } else {
            sizes.smallest_with = std::min(sizes.smallest_with, answer.size_bytes);
            sizes.wanted = std::max(sizes.wanted, answer.dedicated);
        }
    };
    for (const model::ImageCase& entry : sweep.cases) {
        if (!entry.table || !is_alike(entry.description(1, 1), like)) continue;
        for (std::size_t point = 0; point < sweep.grid.point_count(); ++point) {
            if (const auto answer = model::answer_at(sweep.requirements, sweep.tables[*entry.table], point))
                add(*answer);
        }
    }
    for (const model::ImagePoint& point : sweep.points)
        if (point.requirements && is_alike(point.description, like)) add(*point.requirements);
    return sizes;
}

model::MemoryRequirements between_swept_images(model::MemoryRequirements answer,
                                               const model::ImageDescription& answered,
                                               const model::ImageDescription& image, const TileRule& tiles,
                                               const DedicatedSizes& dedicated) {
    if (image == answered) return answer;
    answer.size_bytes =
        std::max(scaled_size(answer.size_bytes, tiles.bytes(image), tiles.bytes(answered), answer.alignment_bytes),
                 align_up_or_largest(model::packed_size_bytes(image), answer.alignment_bytes));
    answer.dedicated = dedicated.at(answer.size_bytes).value_or(answer.dedicated);
    return answer;
}

}  // namespace heapwright::contract
