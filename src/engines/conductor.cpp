#include "engines/conductor.hpp"

#include <algorithm>
#include <utility>

#include "engines/work_access.hpp"

namespace heapwright::engines {

using engines::ResourceState;

Conductor::Conductor(std::uint64_t seed) {
    program_.seed = seed;
    program_.schedule.actors.push_back({"host", ActorKind::kHost, 0});
    program_.wishes.push_back({});
}

ActorIndex Conductor::queue(std::string name, ActorKind kind, device::EnginePriority priority) {
    const auto actor = static_cast<std::uint32_t>(program_.schedule.actors.size());
    program_.schedule.actors.push_back({std::move(name), kind, 0});
    program_.wishes.push_back({kind, priority});
    return {actor};
}

FenceIndex Conductor::fence(std::string name) {
    program_.schedule.fences.push_back({std::move(name), 0});
    signalled_.push_back(0);
    observed_.push_back(0);
    return {static_cast<std::uint32_t>(signalled_.size() - 1)};
}

ResourceIndex Conductor::buffer(std::string name, std::uint64_t size_bytes, Place place) {
    program_.schedule.resources.push_back({name, true, false});
    program_.resources.push_back({std::move(name), place, size_bytes, 0});
    states_.push_back(ResourceState::kCommon);
    return {static_cast<std::uint32_t>(states_.size() - 1)};
}

ResourceIndex Conductor::image(std::string name, std::uint32_t side) {
    program_.schedule.resources.push_back({name, false, false});
    program_.resources.push_back({std::move(name), Place::kDevice, std::uint64_t{side} * side * 4, side});
    states_.push_back(ResourceState::kCommon);
    return {static_cast<std::uint32_t>(states_.size() - 1)};
}

void Conductor::begin() {
    if (ok()) take(on_begin());
}

void Conductor::set_queue_families(const std::vector<std::uint32_t>& by_actor) {
    for (std::size_t actor = 0; actor < by_actor.size(); ++actor)
        program_.schedule.actors[actor].queue_family = by_actor[actor];
}

std::size_t Conductor::append(ActorIndex actor, decltype(engines::Operation::what) what, std::vector<Step> steps) {
    program_.schedule.operations.push_back({actor, std::move(what), kHost});
    program_.steps.push_back(std::move(steps));
    program_.calls.emplace_back();
    return program_.steps.size() - 1;
}

void Conductor::bring(ActorIndex actor, ResourceIndex resource, ResourceState state) {
    ResourceState& held = states_[resource.value];
    if (program_.resources[resource.value].side == 0 || held == state) return;
    append(actor, engines::Transition{resource, held, state});
    held = state;
}

// One execution for each run of steps between which no image changes its state.
void Conductor::execute_steps(ActorIndex actor, const std::string& name, std::vector<Step> steps,
                              std::uint64_t duration_ns, std::optional<ListIndex> list) {
    if (!ok()) return;
    ++calls_;
    const std::size_t first = program_.steps.size();
    engines::Execute execution{.name = name, .accesses = {}, .bundle = false, .duration_ns = duration_ns};
    std::vector<Step> held;
    std::vector<std::size_t> positions;
    const auto close = [&] {
        if (held.empty()) return;
        positions.push_back(
            append(actor, std::exchange(execution, {.name = name, .accesses = {}}), std::exchange(held, {})));
        program_.calls.back() = {calls_, positions.size() == 1, list};
    };
    std::vector<ResourceIndex> images;
    for (Step& step : steps) {
        auto accesses = accesses_of(step, program_.resources);
        if (!accesses) return take(fail(accesses.error()));
        for (const engines::Access& access : *accesses) {
            if (program_.resources[access.resource.value].side == 0) continue;
            if (states_[access.resource.value] != access.state) close();
            bring(actor, access.resource, access.state);
            images.push_back(access.resource);
        }
        execution.accesses.insert(execution.accesses.end(), accesses->begin(), accesses->end());
        held.push_back(std::move(step));
    }
    close();
    for (const ResourceIndex image : images) bring(actor, image, ResourceState::kCommon);
    for (std::size_t part = first; part < program_.calls.size(); ++part) program_.calls[part].number = calls_;
    for (const std::size_t position : positions) {
        if (ok()) take(on_operation(position));
    }
}

void Conductor::execute(ActorIndex queue, const std::string& name, const std::vector<device::Work>& work,
                        std::uint64_t duration_ns) {
    execute_steps(queue, name, std::vector<Step>(work.begin(), work.end()), duration_ns, std::nullopt);
}

ListIndex Conductor::record(ActorIndex queue, std::string name, std::vector<device::Work> work,
                            std::uint64_t duration_ns) {
    program_.lists.push_back({queue, std::move(name), std::move(work), duration_ns});
    const ListIndex list{static_cast<std::uint32_t>(program_.lists.size() - 1)};
    if (ok()) take(on_record(list));
    return list;
}

void Conductor::execute(ListIndex list) {
    const RecordedWork recorded = program_.lists[list.value];
    execute_steps(recorded.actor, recorded.name, std::vector<Step>(recorded.work.begin(), recorded.work.end()),
                  recorded.duration_ns, list);
}

bool Conductor::rises(FenceIndex fence, std::uint64_t value) {
    if (value <= signalled_[fence.value]) return false;
    signalled_[fence.value] = value;
    return true;
}

void Conductor::signal(ActorIndex queue, FenceIndex fence, std::uint64_t value) {
    if (ok() && rises(fence, value)) take(on_operation(append(queue, engines::Signal{fence, value})));
}

void Conductor::wait(ActorIndex queue, FenceIndex fence, std::uint64_t value) {
    if (ok()) take(on_operation(append(queue, engines::Wait{fence, value})));
}

void Conductor::release(ActorIndex queue, const engines::ReleaseOwnership& release) {
    if (ok()) take(on_operation(append(queue, release)));
}

void Conductor::acquire(ActorIndex queue, const engines::AcquireOwnership& acquire) {
    if (ok()) take(on_operation(append(queue, acquire)));
}

void Conductor::host_signal(FenceIndex fence, std::uint64_t value) {
    signal(kHost, fence, value);
}

void Conductor::host_wait(FenceIndex fence, std::uint64_t value) {
    if (!ok()) return;
    take(on_host_wait({fence, value}));
    if (!ok()) return;
    append(kHost, engines::Wait{fence, value});
    observed_[fence.value] = std::max(observed_[fence.value], value);
}

std::size_t Conductor::host_wait_any(std::span<const FencePoint> points) {
    if (!ok()) return 0;
    const auto reached = on_host_wait_any(points);
    if (!reached) {
        take(fail(reached.error()));
        return 0;
    }
    const FencePoint& point = points[*reached];
    if (point.value > observed_[point.fence.value]) {
        append(kHost, engines::Wait{point.fence, point.value});
        observed_[point.fence.value] = point.value;
    }
    return *reached;
}

std::uint64_t Conductor::completed(FenceIndex fence) {
    if (!ok()) return observed_[fence.value];
    const auto value = on_completed(fence);
    if (!value) {
        take(fail(value.error()));
        return observed_[fence.value];
    }
    if (*value > observed_[fence.value]) {
        append(kHost, engines::Wait{fence, *value});
        observed_[fence.value] = *value;
    }
    return *value;
}

void Conductor::host_write(std::string name, ResourceIndex resource, std::uint64_t offset_bytes,
                           std::vector<std::byte> bytes) {
    if (!ok()) return;
    const HostWrite write{resource, offset_bytes, std::move(bytes)};
    take(on_host_write(write));
    const engines::Access access{resource, offset_bytes, offset_bytes + write.bytes.size(), true};
    append(kHost, engines::Execute{.name = std::move(name), .accesses = {access}}, {write});
}

std::vector<std::byte> Conductor::host_read(std::string name, ResourceIndex resource, std::uint64_t offset_bytes,
                                            std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    if (!ok()) return bytes;
    const HostRead read{resource, offset_bytes, size_bytes};
    auto seen = on_host_read(read);
    if (!seen) {
        take(fail(seen.error()));
        return bytes;
    }
    const engines::Access access{resource, offset_bytes, offset_bytes + size_bytes, false};
    append(kHost, engines::Execute{.name = std::move(name), .accesses = {access}}, {read});
    return std::move(*seen);
}

}  // namespace heapwright::engines
