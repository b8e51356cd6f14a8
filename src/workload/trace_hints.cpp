#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "heapwright/core/checked.hpp"
#include "heapwright/workload/trace.hpp"

namespace heapwright::workload {
namespace {

using model::Lifetime;

constexpr std::size_t kLevelGroup = 16;
constexpr std::size_t kMostExtents = 64;

// Resources of one kind share everything but size and lifetime.
using Kind = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t,
                        std::uint32_t>;
// Buffers are told apart by the doubling of their size too; 0 for images.
using HintKey = std::tuple<Kind, Lifetime, std::uint32_t>;

struct Record {
    TraceCreate created;
    std::uint64_t born_frame = 0;
    std::optional<std::uint64_t> dead_frame = {};
    Kind kind;
    Lifetime lifetime = Lifetime::kPersistent;
    std::uint32_t hint = 0;
};

constexpr std::uint32_t kFullChain = ~0u;

// The full chain is one kind, however many levels it has. A chain cut short differs from it by its number of levels.
std::uint32_t mip_kind(const model::ImageDescription& image) {
    const bool full = image.mip_levels == model::full_mip_chain(image.width, image.height, image.depth);
    return image.mip_levels > 1 && full ? kFullChain : image.mip_levels;
}

Kind kind_of(const TraceCreate& created) {
    const auto use = static_cast<std::uint32_t>(created.memory_use);
    if (const auto* image = std::get_if<model::ImageDescription>(&created.resource)) {
        return {true,
                static_cast<std::uint32_t>(image->format),
                static_cast<std::uint32_t>(image->tiling),
                image->usage,
                mip_kind(*image),
                std::uint64_t{image->array_layers} * 64 + image->samples - 1,
                image->dimension == model::ImageDimension::k3d ? image->depth : 0,
                use};
    }
    return {false, 0, 0, std::get<model::BufferDescription>(created.resource).usage, 0, 0, 0, use};
}

std::uint32_t octave_of(const TraceCreate& created) {
    const auto* buffer = std::get_if<model::BufferDescription>(&created.resource);
    return buffer == nullptr ? 0 : static_cast<std::uint32_t>(std::bit_width(buffer->size_bytes));
}

class Analysis {
public:
    Analysis(const Trace& trace, std::string_view name) {
        hints_.workload.name = name;
        hints_.workload.description = fmt::format("Derived from the trace {}", name);
        collect(trace);
        find_lifetimes();
        find_hints();
        find_rates();
        rewrite(trace);
    }

    [[nodiscard]] TraceHints take() { return std::move(hints_); }

private:
    void collect(const Trace& trace) {
        std::unordered_map<std::uint64_t, std::size_t> alive;
        std::map<Kind, std::size_t> live_of_kind;
        for (const TraceOperation& operation : trace.operations) {
            if (const auto* created = std::get_if<TraceCreate>(&operation)) {
                alive[created->id] = records_.size();
                records_.push_back({.created = *created, .born_frame = frames_, .kind = kind_of(*created)});
                const std::size_t live = ++live_of_kind[records_.back().kind];
                auto& peak = peak_of_kind_frame_[{records_.back().kind, frames_}];
                peak = std::max(peak, live);
            } else if (const auto* destroyed = std::get_if<Destroy>(&operation)) {
                const auto entry = alive.find(destroyed->id);
                if (entry == alive.end()) continue;
                Record& record = records_[entry->second];
                record.dead_frame = frames_;
                auto& peak = peak_of_kind_frame_[{record.kind, frames_}];
                peak = std::max(peak, live_of_kind[record.kind]);
                --live_of_kind[record.kind];
                alive.erase(entry);
            } else {
                ++frames_;
            }
        }
    }

    void find_lifetimes() {
        std::map<std::pair<Kind, std::uint64_t>, std::size_t> deaths;
        for (const Record& record : records_) {
            if (record.dead_frame && *record.dead_frame != record.born_frame)
                ++deaths[{record.kind, *record.dead_frame}];
        }
        for (Record& record : records_) {
            if (!record.dead_frame) continue;
            if (*record.dead_frame == record.born_frame) {
                record.lifetime = Lifetime::kFrame;
                continue;
            }
            const std::size_t together = deaths[{record.kind, *record.dead_frame}];
            const std::size_t alive = peak_of_kind_frame_[{record.kind, *record.dead_frame}];
            const bool level = together >= kLevelGroup && together * 4 >= alive;
            record.lifetime = level ? Lifetime::kLevel : Lifetime::kStreaming;
        }
    }

    void find_hints() {
        std::map<HintKey, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < records_.size(); ++i) {
            groups[{records_[i].kind, records_[i].lifetime, octave_of(records_[i].created)}].push_back(i);
        }
        for (const bool images : {true, false}) {
            for (const auto& [key, members] : groups) {
                if (std::get<0>(std::get<0>(key)) != images) continue;
                for (const std::size_t member : members) records_[member].hint = hint_count();
                if (images) {
                    add_image_hint(members);
                } else {
                    add_buffer_hint(members);
                }
            }
        }
    }

    [[nodiscard]] std::uint32_t hint_count() const {
        return static_cast<std::uint32_t>(hints_.workload.images.size() + hints_.workload.buffers.size());
    }

    void add_image_hint(const std::vector<std::size_t>& members) {
        const Record& first = records_[members.front()];
        const auto& image = std::get<model::ImageDescription>(first.created.resource);
        model::ImageHint hint{.format = image.format,
                              .tiling = image.tiling,
                              .usage = image.usage,
                              .full_mips = mip_kind(image) == kFullChain,
                              .array_layers = image.array_layers,
                              .samples = image.samples,
                              .lifetime = first.lifetime,
                              .memory_use = first.created.memory_use};
        if (image.dimension == model::ImageDimension::k3d) hint.depth = image.depth;
        if (image.mip_levels > 1 && !hint.full_mips) hint.mip_levels = image.mip_levels;
        std::map<std::array<std::uint32_t, 2>, std::size_t> histogram;
        for (const std::size_t member : members) {
            const auto& other = std::get<model::ImageDescription>(records_[member].created.resource);
            ++histogram[{other.width, other.height}];
        }
        hint.smallest_side = ~0u;
        hint.largest_side = 0;
        bool powers = true;
        for (const auto& [extent, count] : histogram) {
            hint.smallest_side = std::min({hint.smallest_side, extent[0], extent[1]});
            hint.largest_side = std::max({hint.largest_side, extent[0], extent[1]});
            powers = powers && std::has_single_bit(extent[0]) && std::has_single_bit(extent[1]);
        }
        hint.distribution = powers ? model::SizeDistribution::kPowersOfTwo : model::SizeDistribution::kLogUniform;
        if (histogram.size() <= kMostExtents) {
            // Each extent once, and the places that are left shared by frequency.
            const std::size_t spare = kMostExtents - histogram.size();
            for (const auto& [extent, count] : histogram) {
                const std::size_t more = histogram.size() == 1 ? 0 : spare * count / members.size();
                hint.extents.insert(hint.extents.end(), 1 + std::min(more, count - 1), extent);
            }
        }
        hints_.workload.images.push_back(std::move(hint));
    }

    void add_buffer_hint(const std::vector<std::size_t>& members) {
        const Record& first = records_[members.front()];
        model::BufferHint hint{.usage = std::get<model::BufferDescription>(first.created.resource).usage,
                               .smallest_bytes = ~0ull,
                               .largest_bytes = 0,
                               .distribution = model::SizeDistribution::kUniform,
                               .lifetime = first.lifetime,
                               .memory_use = first.created.memory_use};
        for (const std::size_t member : members) {
            const std::uint64_t size = std::get<model::BufferDescription>(records_[member].created.resource).size_bytes;
            hint.smallest_bytes = std::min(hint.smallest_bytes, size);
            hint.largest_bytes = std::max(hint.largest_bytes, size);
        }
        hints_.workload.buffers.push_back(std::move(hint));
    }

    // Churn is what was destroyed and did not live for one frame alone.
    void find_rates() {
        std::uint64_t churned = 0;
        for (const Record& record : records_) {
            if (record.lifetime == Lifetime::kLevel || record.lifetime == Lifetime::kStreaming) ++churned;
        }
        constexpr std::uint64_t kMost = ~0u;
        hints_.workload.churn_steps = static_cast<std::uint32_t>(std::min(churned, kMost));
        hints_.workload.steps_per_frame = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(div_ceil(churned, std::max<std::uint64_t>(1, frames_)), 1, kMost));
    }

    void set_count(std::uint32_t hint, std::uint32_t live) {
        const std::size_t images = hints_.workload.images.size();
        std::uint32_t& count =
            hint < images ? hints_.workload.images[hint].count : hints_.workload.buffers[hint - images].count;
        count = std::max(count, live);
    }

    void rewrite(const Trace& trace) {
        std::unordered_map<std::uint64_t, std::uint32_t> hint_of;
        std::vector<std::uint32_t> live(hint_count());
        std::size_t next = 0;
        for (const TraceOperation& operation : trace.operations) {
            if (std::holds_alternative<TraceCreate>(operation)) {
                const Record& record = records_[next++];
                hint_of[record.created.id] = record.hint;
                set_count(record.hint, ++live[record.hint]);
                hints_.operations.emplace_back(Create{.id = record.created.id,
                                                      .resource = record.created.resource,
                                                      .memory_use = record.created.memory_use,
                                                      .lifetime = record.lifetime,
                                                      .hint = record.hint});
            } else if (const auto* destroyed = std::get_if<Destroy>(&operation)) {
                const auto entry = hint_of.find(destroyed->id);
                if (entry == hint_of.end()) continue;
                --live[entry->second];
                hint_of.erase(entry);
                hints_.operations.emplace_back(*destroyed);
            } else {
                hints_.operations.emplace_back(EndFrame{});
            }
        }
    }

    TraceHints hints_;
    std::vector<Record> records_;
    std::map<std::pair<Kind, std::uint64_t>, std::size_t> peak_of_kind_frame_;
    std::uint64_t frames_ = 0;
};

}  // namespace

TraceHints analyse_trace(const Trace& trace, std::string_view name) {
    return Analysis(trace, name).take();
}

model::Workload workload_from_trace(const Trace& trace, std::string_view name) {
    return analyse_trace(trace, name).workload;
}

}  // namespace heapwright::workload
