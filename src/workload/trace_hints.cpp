#include "workload/trace_hints.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/checked.hpp"

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

constexpr std::uint32_t kFullChain = ~0u;

// The full chain is one kind, however many levels it has. A chain cut short differs from it by its number of levels.
std::uint32_t mip_kind(const model::ImageDescription& image) {
    const bool full = image.mip_levels == model::full_mip_chain(image.width, image.height, image.depth);
    return image.mip_levels > 1 && full ? kFullChain : image.mip_levels;
}

Kind kind_of(const TraceReader::Description& created) {
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

std::uint32_t octave_of(const TraceReader::Description& created) {
    const auto* buffer = std::get_if<model::BufferDescription>(&created.resource);
    return buffer == nullptr ? 0 : static_cast<std::uint32_t>(std::bit_width(buffer->size_bytes));
}

// Of every creation of a trace, in two bits each.
class Lifetimes {
public:
    void add() {
        if (count_++ % kPerWord == 0) words_.push_back(0);
    }
    void set(std::uint64_t creation, Lifetime lifetime) {
        const auto shift = creation % kPerWord * 2;
        std::uint64_t& word = words_[static_cast<std::size_t>(creation / kPerWord)];
        word = (word & ~(3ull << shift)) | static_cast<std::uint64_t>(lifetime) << shift;
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] Lifetime of(std::uint64_t creation) const {
        return static_cast<Lifetime>(words_[static_cast<std::size_t>(creation / kPerWord)] >> creation % kPerWord * 2 &
                                     3);
    }

private:
    static constexpr std::uint64_t kPerWord = 32;
    static_assert(Lifetime::kPersistent == Lifetime{} && Lifetime::kFrame == Lifetime{3});

    std::vector<std::uint64_t> words_;
    std::uint64_t count_ = 0;
};

template <class T>
T& at_slot(std::vector<T>& values, std::uint32_t slot) {
    if (values.size() <= slot) values.resize(slot + std::size_t{1});
    return values[slot];
}

// The first pass: a frame at a time, who lived how long.
class LifetimePass {
public:
    Status read(TraceReader reader) {
        while (true) {
            HEAPWRIGHT_ASSIGN(const auto event, reader.next());
            if (!event) break;
            if (event->kind == TraceReader::Event::Kind::kCreate)
                create(reader, *event);
            else if (event->kind == TraceReader::Event::Kind::kDestroy)
                destroy(event->slot);
            else
                end_frame();
        }
        judge_frame();
        return {};
    }

    Lifetimes lifetimes;
    std::uint64_t frames = 0;
    std::uint64_t churned = 0;  // destroyed, and did not live for one frame alone

private:
    struct OfKind {
        std::size_t live = 0;
        std::size_t most_live = 0;             // in this frame
        std::vector<std::uint64_t> gone = {};  // creations of earlier frames that this one destroyed
    };
    struct Live {
        std::uint32_t kind = 0;
        std::uint64_t creation = 0;
        std::uint64_t frame = 0;
    };

    void create(const TraceReader& reader, const TraceReader::Event& event) {
        const std::uint32_t kind =
            kinds_of_.of(reader, event.description, [&](const TraceReader::Description& created) {
                return positions_.emplace(kind_of(created), static_cast<std::uint32_t>(positions_.size()))
                    .first->second;
            });
        at_slot(live_, event.slot) = {.kind = kind, .creation = creations_++, .frame = frames};
        lifetimes.add();
        OfKind& of_kind = touched(kind);
        of_kind.most_live = std::max(of_kind.most_live, ++of_kind.live);
    }
    void destroy(std::uint32_t slot) {
        const Live& gone = live_[slot];
        OfKind& of_kind = touched(gone.kind);
        of_kind.most_live = std::max(of_kind.most_live, of_kind.live--);
        if (gone.frame == frames)
            lifetimes.set(gone.creation, Lifetime::kFrame);
        else
            of_kind.gone.push_back(gone.creation);
    }
    void end_frame() {
        judge_frame();
        ++frames;
    }

    OfKind& touched(std::uint32_t kind) {
        OfKind& of_kind = at_slot(kinds_, kind);
        if (of_kind.most_live == 0 && of_kind.gone.empty()) touched_.push_back(kind);
        return of_kind;
    }
    void judge_frame() {
        for (const std::uint32_t kind : touched_) {
            OfKind& of_kind = kinds_[kind];
            const std::size_t together = of_kind.gone.size();
            const bool level = together >= kLevelGroup && together * 4 >= of_kind.most_live;
            for (const std::uint64_t creation : of_kind.gone)
                lifetimes.set(creation, level ? Lifetime::kLevel : Lifetime::kStreaming);
            churned += together;
            of_kind.gone.clear();
            of_kind.most_live = 0;
        }
        touched_.clear();
    }

    std::map<Kind, std::uint32_t> positions_;
    ByDescription<std::uint32_t> kinds_of_;
    std::vector<OfKind> kinds_;
    std::vector<std::uint32_t> touched_;  // kinds, in this frame
    std::vector<Live> live_;              // by slot
    std::uint64_t creations_ = 0;
};

// What becomes a hint.
struct Group {
    TraceReader::Description first;
    std::uint64_t members = 0;
    std::uint32_t live = 0;
    std::uint32_t most_live = 0;
    // Of images: each extent as often as it occurs, while there are few; the bounds of their sides.
    std::map<std::array<std::uint32_t, 2>, std::size_t> extents;
    bool has_many_extents = false;
    std::uint32_t smallest_side = ~0u;
    std::uint32_t largest_side = 0;
    bool is_powers = true;
    std::uint64_t smallest_bytes = ~0ull;
    std::uint64_t largest_bytes = 0;

    void add(const TraceReader::Description& created) {
        if (members++ == 0) first = created;
        most_live = std::max(most_live, ++live);
        if (const auto* buffer = std::get_if<model::BufferDescription>(&created.resource)) {
            smallest_bytes = std::min(smallest_bytes, buffer->size_bytes);
            largest_bytes = std::max(largest_bytes, buffer->size_bytes);
            return;
        }
        const auto& image = std::get<model::ImageDescription>(created.resource);
        smallest_side = std::min({smallest_side, image.width, image.height});
        largest_side = std::max({largest_side, image.width, image.height});
        is_powers = is_powers && std::has_single_bit(image.width) && std::has_single_bit(image.height);
        if (has_many_extents) return;
        ++extents[{image.width, image.height}];
        if (extents.size() <= kMostExtents) return;
        has_many_extents = true;
        extents.clear();
    }
};

// The second pass, which knows the lifetimes.
class HintPass {
public:
    explicit HintPass(const Lifetimes& lifetimes) : lifetimes_(lifetimes) {}

    Status read(TraceReader reader) {
        while (true) {
            HEAPWRIGHT_ASSIGN(const auto event, reader.next());
            const bool is_creation = event && event->kind == TraceReader::Event::Kind::kCreate;
            if (event ? is_creation && creations_ == lifetimes_.count() : creations_ != lifetimes_.count())
                return fail(ErrorCode::kIoError, "the trace changed while it was read");
            if (!event) return {};
            if (is_creation) {
                Group& group = group_of(reader, event->description, lifetimes_.of(creations_++));
                group.add(reader.description(event->description));
                at_slot(live_, event->slot) = &group;
            } else if (event->kind == TraceReader::Event::Kind::kDestroy) {
                --live_[event->slot]->live;
            }
        }
    }

    void write(model::Workload& workload) const {
        for (const auto& [key, group] : groups_) {
            if (group.members == 0) continue;
            if (std::holds_alternative<model::ImageDescription>(group.first.resource))
                workload.images.push_back(image_hint(group, std::get<Lifetime>(key)));
            else
                workload.buffers.push_back(buffer_hint(group, std::get<Lifetime>(key)));
        }
    }

private:
    using ByLifetime = std::array<Group*, 4>;

    Group& group_of(const TraceReader& reader, std::uint32_t description, Lifetime lifetime) {
        const ByLifetime& known = known_.of(reader, description, [&](const TraceReader::Description& created) {
            ByLifetime groups{};
            for (std::size_t i = 0; i < groups.size(); ++i)
                groups[i] = &groups_[{kind_of(created), static_cast<Lifetime>(i), octave_of(created)}];
            return groups;
        });
        return *known[static_cast<std::size_t>(lifetime)];
    }

    static model::ImageHint image_hint(const Group& group, Lifetime lifetime) {
        const auto& image = std::get<model::ImageDescription>(group.first.resource);
        model::ImageHint hint{.format = image.format,
                              .tiling = image.tiling,
                              .usage = image.usage,
                              .smallest_side = group.smallest_side,
                              .largest_side = group.largest_side,
                              .distribution = group.is_powers ? model::SizeDistribution::kPowersOfTwo
                                                              : model::SizeDistribution::kLogUniform,
                              .full_mips = mip_kind(image) == kFullChain,
                              .array_layers = image.array_layers,
                              .samples = image.samples,
                              .count = group.most_live,
                              .lifetime = lifetime,
                              .memory_use = group.first.memory_use};
        if (image.dimension == model::ImageDimension::k3d) hint.depth = image.depth;
        if (image.mip_levels > 1 && !hint.full_mips) hint.mip_levels = image.mip_levels;
        // Each extent once, and the places that are left shared by frequency.
        const std::size_t spare = kMostExtents - group.extents.size();
        for (const auto& [extent, count] : group.extents) {
            const std::size_t more = group.extents.size() == 1 ? 0 : spare * count / group.members;
            hint.extents.insert(hint.extents.end(), 1 + std::min(more, count - 1), extent);
        }
        return hint;
    }

    static model::BufferHint buffer_hint(const Group& group, Lifetime lifetime) {
        return {.usage = std::get<model::BufferDescription>(group.first.resource).usage,
                .smallest_bytes = group.smallest_bytes,
                .largest_bytes = group.largest_bytes,
                .distribution = model::SizeDistribution::kUniform,
                .count = group.most_live,
                .lifetime = lifetime,
                .memory_use = group.first.memory_use};
    }

    const Lifetimes& lifetimes_;
    std::map<HintKey, Group> groups_;
    ByDescription<ByLifetime> known_;
    std::vector<Group*> live_;  // by slot
    std::uint64_t creations_ = 0;
};

}  // namespace

Result<model::Workload> workload_from_trace(const OpenTrace& open, std::string_view name) {
    LifetimePass first;
    HEAPWRIGHT_ASSIGN(TraceReader reader, open());
    HEAPWRIGHT_TRY(first.read(std::move(reader)));
    HintPass second(first.lifetimes);
    HEAPWRIGHT_ASSIGN(TraceReader again, open());
    HEAPWRIGHT_TRY(second.read(std::move(again)));

    model::Workload workload;
    workload.name = name;
    workload.description = fmt::format("Derived from the trace {}", name);
    second.write(workload);
    constexpr std::uint64_t kMost = ~0u;
    workload.churn_steps = static_cast<std::uint32_t>(std::min(first.churned, kMost));
    workload.steps_per_frame = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(div_ceil(first.churned, std::max<std::uint64_t>(1, first.frames)), 1, kMost));
    return workload;
}

}  // namespace heapwright::workload
