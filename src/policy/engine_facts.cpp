#include "heapwright/policy/engine_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heapwright::policy {
namespace {

template <class Items, class Predicate>
std::optional<std::size_t> find_in(const Items& items, Predicate is_wanted) {
    const auto found = std::ranges::find_if(items, is_wanted);
    if (found == items.end()) return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

}  // namespace

std::vector<std::size_t> EngineFacts::engines(std::string_view kind, std::string_view priority) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < measured_.engines.size(); ++i) {
        if (engine(i).kind == kind && engine(i).priority == priority) found.push_back(i);
    }
    return found;
}

std::optional<std::size_t> EngineFacts::first(std::string_view kind) const {
    const auto found = engines(kind);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::optional<std::size_t> EngineFacts::overlap(std::size_t first, std::size_t second) const {
    return find_in(measured_.overlaps, [&](const model::EngineOverlap& overlap) {
        return overlap.first == engine(first).name && overlap.second == engine(second).name;
    });
}

std::optional<std::size_t> EngineFacts::copy(std::size_t index, model::CopyDirection direction) const {
    return find_in(measured_.copies, [&](const model::EngineCopy& copy) {
        return copy.engine == engine(index).name && copy.direction == direction;
    });
}

std::optional<std::size_t> EngineFacts::pipeline(std::string_view name) const {
    return find_in(measured_.pipelines, [&](const model::PipelineMeasurement& pipeline) {
        return pipeline.name == name && !pipeline.points.empty();
    });
}

model::DecisionInput EngineFacts::cite(std::string_view member, model::Figure value) const {
    return context_.cite_device(fmt::format("/volatile/engines/{}", member), std::move(value));
}

model::DecisionInput EngineFacts::cite_ns(std::string_view member, std::uint64_t ns) const {
    return cite(member, model::nanoseconds(static_cast<double>(ns)));
}

model::DecisionInput EngineFacts::cite_engine(std::size_t index, std::string_view member) const {
    const model::EngineDescription& described = engine(index);
    std::string value;
    if (member == "kind") value = described.kind;
    if (member == "name") value = described.name;
    if (member == "priority") value = described.priority;
    if (member == "priority_note") value = described.priority_note;
    if (member == "dedicated") value = described.dedicated ? "true" : "false";
    return cite(fmt::format("engines/{}/{}", index, member), std::move(value));
}

}  // namespace heapwright::policy
