#include "engines/engine_map.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engines/rules.hpp"

namespace heapwright::engines {
namespace {

using device::EngineInfo;
using device::EngineKind;
using device::EnginePriority;

EngineKind engine_kind(ActorKind kind) {
    switch (kind) {
        case ActorKind::kCompute: return EngineKind::kCompute;
        case ActorKind::kCopy: return EngineKind::kCopy;
        case ActorKind::kHost:
        case ActorKind::kGraphics: break;
    }
    return EngineKind::kGraphics;
}

std::string_view name(EngineKind kind) {
    switch (kind) {
        case EngineKind::kCompute: return "compute";
        case EngineKind::kCopy: return "copy";
        case EngineKind::kGraphics: break;
    }
    return "graphics";
}

std::string_view name(EnginePriority priority) {
    switch (priority) {
        case EnginePriority::kLow: return "low";
        case EnginePriority::kHigh: return "high";
        case EnginePriority::kNormal: break;
    }
    return "normal";
}

std::optional<std::uint32_t> find(std::span<const EngineInfo> engines, EngineKind kind, EnginePriority priority) {
    const auto found = std::ranges::find_if(
        engines, [&](const EngineInfo& engine) { return engine.kind == kind && engine.priority == priority; });
    if (found == engines.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - engines.begin());
}

class Mapper {
public:
    Mapper(std::span<const EngineInfo> engines, EngineMap& map) : engines_(engines), map_(map) {}

    device::EngineId choose(const std::string& queue, const EngineWish& wish) {
        const EngineKind kind = engine_kind(wish.kind);
        if (const auto exact = find(engines_, kind, wish.priority)) {
            const EngineInfo& engine = engines_[*exact];
            if (wish.priority != EnginePriority::kNormal && !engine.priority_note.empty())
                note(fmt::format("{}: {}", engine.name, engine.priority_note));
            return {*exact};
        }
        // Engine 0 can do every kind of work.
        const std::uint32_t instead = find(engines_, kind, EnginePriority::kNormal).value_or(0);
        const std::string priority =
            wish.priority == EnginePriority::kNormal ? "" : fmt::format(" of {} priority", name(wish.priority));
        note(fmt::format("no {} engine{}: {} runs on {}", name(kind), priority, queue, engines_[instead].name));
        return {instead};
    }

    std::uint32_t queue_number(device::EngineId engine) {
        const EngineInfo& info = engines_[engine.value];
        const std::pair key(info.queue_family.value, info.queue);
        const auto known = std::ranges::find(queues_, key);
        const auto number = static_cast<std::uint32_t>(known - queues_.begin());
        if (known == queues_.end()) queues_.push_back(key);
        return number;
    }

    [[nodiscard]] std::uint32_t queues() const { return static_cast<std::uint32_t>(queues_.size()); }

private:
    void note(std::string text) {
        if (std::ranges::find(map_.notes, text) == map_.notes.end()) map_.notes.push_back(std::move(text));
    }

    std::span<const EngineInfo> engines_;
    EngineMap& map_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> queues_;
};

}  // namespace

EngineMap map_engines(std::span<const EngineInfo> engines, const std::vector<engines::Actor>& actors,
                      const std::vector<EngineWish>& wishes, bool one_queue) {
    EngineMap map;
    Mapper mapper(engines, map);
    std::set<std::uint32_t> families;
    for (std::size_t actor = 0; actor < wishes.size(); ++actor) {
        if (wishes[actor].kind == ActorKind::kHost) {
            map.engine_of.push_back({0});
            map.queue_of.push_back(0);
            map.family_of.push_back(0);
            continue;
        }
        const device::EngineId engine =
            one_queue ? device::EngineId{0} : mapper.choose(actors[actor].name, wishes[actor]);
        const std::uint32_t queue = mapper.queue_number(engine);
        for (std::size_t other = 0; other < actor; ++other)
            map.shares_queues |= wishes[other].kind != ActorKind::kHost && map.queue_of[other] == queue;
        map.engine_of.push_back(engine);
        map.queue_of.push_back(queue);
        map.family_of.push_back(engines[engine.value].queue_family.value);
        families.insert(map.family_of.back());
        map.names.push_back(engines[engine.value].name);
    }
    map.queues = mapper.queues();
    if (map.queues == 1)
        map.notes.emplace_back("one queue for all: submitted so that nothing waits for work behind it");
    map.families = static_cast<std::uint32_t>(families.size());
    return map;
}

engines::Schedule as_mapped(const engines::Schedule& schedule, const EngineMap& map) {
    engines::Schedule mapped =
        map.shares_queues ? engines::reorder(schedule, engines::signals_first(schedule)) : schedule;
    for (std::size_t actor = 0; actor < map.family_of.size(); ++actor)
        mapped.actors[actor].queue_family = map.family_of[actor];
    if (!map.shares_queues) return mapped;
    for (std::uint32_t actor = 0; actor < map.queue_of.size(); ++actor) {
        if (schedule.actors[actor].kind == ActorKind::kHost) continue;
        for (std::uint32_t other = 0; other < actor; ++other) {
            if (schedule.actors[other].kind == ActorKind::kHost || map.queue_of[other] != map.queue_of[actor]) continue;
            mapped = engines::merge_queues(std::move(mapped), {{actor}}, {other});
            // A queue that takes every kind of work.
            if (schedule.actors[actor].kind != schedule.actors[other].kind)
                mapped.actors[other].kind = ActorKind::kGraphics;
            break;
        }
    }
    return mapped;
}

}  // namespace heapwright::engines
