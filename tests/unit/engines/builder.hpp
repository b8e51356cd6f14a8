// Writes a schedule down call by call, in the words of the API. The first host actor submits unless told otherwise.
// Public: how an engine writes down a schedule of its own for check() to judge; heapwright's own come from
// engines/conductor.hpp. Not thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engines/schedule.hpp"

namespace heapwright::engines {

class Builder {
public:
    ActorIndex host(std::string name) { return add_actor({std::move(name), ActorKind::kHost, 0}); }
    ActorIndex queue(std::string name, ActorKind kind, std::uint32_t queue_family = 0) {
        return add_actor({std::move(name), kind, queue_family});
    }
    FenceIndex fence(std::string name, std::uint64_t initial_value = 0) {
        schedule_.fences.push_back({std::move(name), initial_value});
        return FenceIndex{static_cast<std::uint32_t>(schedule_.fences.size() - 1)};
    }
    ScheduledResourceIndex resource(ScheduledResource resource) {
        schedule_.resources.push_back(std::move(resource));
        return ScheduledResourceIndex{static_cast<std::uint32_t>(schedule_.resources.size() - 1)};
    }

    void submitted_by(ActorIndex host) { submitter_ = host; }

    std::size_t execute(ActorIndex actor, std::string name, std::vector<Access> accesses,
                        std::uint64_t duration_ns = 0) {
        return add(actor, Execute{std::move(name), std::move(accesses), false, duration_ns});
    }
    std::size_t execute_bundle(ActorIndex actor, std::string name, std::vector<Access> accesses) {
        return add(actor, Execute{std::move(name), std::move(accesses), true, 0});
    }
    std::size_t signal(ActorIndex actor, FenceIndex fence, std::uint64_t value) {
        return add(actor, Signal{fence, value});
    }
    std::size_t wait(ActorIndex actor, FenceIndex fence, std::uint64_t value) { return add(actor, Wait{fence, value}); }
    std::size_t transition(ActorIndex actor, ScheduledResourceIndex resource, ResourceState before,
                           ResourceState after) {
        return add(actor, Transition{resource, before, after});
    }
    std::size_t present(ActorIndex actor, ScheduledResourceIndex resource) { return add(actor, Present{resource}); }
    std::size_t release(ActorIndex actor, ScheduledResourceIndex resource, std::uint32_t to_family,
                        std::uint64_t begin = 0, std::uint64_t end = ~0ull) {
        return add(actor, ReleaseOwnership{resource, to_family, begin, end});
    }
    std::size_t acquire(ActorIndex actor, ScheduledResourceIndex resource, std::uint32_t from_family,
                        std::uint64_t begin = 0, std::uint64_t end = ~0ull) {
        return add(actor, AcquireOwnership{resource, from_family, begin, end});
    }

    [[nodiscard]] const Schedule& schedule() const { return schedule_; }

private:
    ActorIndex add_actor(Actor actor) {
        schedule_.actors.push_back(std::move(actor));
        return ActorIndex{static_cast<std::uint32_t>(schedule_.actors.size() - 1)};
    }

    template <class What>
    std::size_t add(ActorIndex actor, What what) {
        const bool by_host = schedule_.actors[actor.value].kind == ActorKind::kHost;
        schedule_.operations.push_back({actor, std::move(what), by_host ? actor : submitter_});
        return schedule_.operations.size() - 1;
    }

    Schedule schedule_;
    ActorIndex submitter_{0};
};

}  // namespace heapwright::engines
