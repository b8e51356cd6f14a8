#include "engines/rules.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace heapwright::engines {
namespace {

std::string_view name(ResourceState state) {
    static constexpr std::array<std::string_view, 8> kNames = {
        "COMMON",          "COPY_DEST",        "COPY_SOURCE",   "NON_PIXEL_SHADER_RESOURCE",
        "CONSTANT_BUFFER", "UNORDERED_ACCESS", "RENDER_TARGET", "DEPTH_WRITE"};
    return kNames[static_cast<std::size_t>(state)];
}

bool is_copy_state(ResourceState state) {
    return state == ResourceState::kCopyDest || state == ResourceState::kCopySource;
}

bool is_read_state(ResourceState state) {
    return state == ResourceState::kCopySource || state == ResourceState::kShaderResource ||
           state == ResourceState::kConstantBuffer;
}

bool promotes(bool is_buffer, ResourceState state) {
    return is_buffer || is_copy_state(state) || state == ResourceState::kShaderResource;
}

struct Held {
    ResourceState state = ResourceState::kCommon;
    bool copy_class = false;                  // brought there by a copy queue
    std::optional<ActorIndex> submission_of;  // of a buffer: until the end of this queue's submission
};

class StateRules {
public:
    explicit StateRules(const Schedule& schedule) : schedule_(schedule), held_(schedule.resources.size()) {}

    void visit(std::size_t position) {
        const Operation& operation = schedule_.operations[position];
        const ActorKind kind = schedule_.actors[operation.actor.value].kind;
        if (kind == ActorKind::kHost) return;
        if (const auto* execute = std::get_if<Execute>(&operation.what)) {
            if (execute->bundle && kind != ActorKind::kGraphics)
                report(Rule::kBundle, position, "bundles run on 3D queues alone");
            for (const Access& access : execute->accesses) {
                decay_before(access.resource, operation.actor);
                use(position, kind, access);
            }
        } else if (const auto* transition = std::get_if<Transition>(&operation.what)) {
            decay_before(transition->resource, operation.actor);
            change(position, kind, *transition);
            if (schedule_.resources[transition->resource.value].is_buffer)
                held_[transition->resource.value].submission_of = operation.actor;
        } else if (std::holds_alternative<Signal>(operation.what) || std::holds_alternative<Wait>(operation.what)) {
            end_submission(operation.actor);
        } else if (const auto* present = std::get_if<Present>(&operation.what)) {
            end_submission(operation.actor);
            const Held& held = held_[present->resource.value];
            if (held.state != ResourceState::kCommon)
                report(Rule::kPresentNotCommon, position,
                       fmt::format("{} is in {}, a presented back buffer must be in COMMON",
                                   resource_name(present->resource), name(held.state)));
        }
    }

    std::vector<Violation> finish() { return std::move(violations_); }

private:
    const std::string& resource_name(ScheduledResourceIndex resource) const {
        return schedule_.resources[resource.value].name;
    }

    void report(Rule rule, std::size_t position, const std::string& statement) {
        violations_.push_back({rule, {position}, fmt::format("{}: {}", describe(schedule_, position), statement)});
    }

    void end_submission(ActorIndex actor) {
        for (Held& held : held_) {
            if (held.submission_of == actor) held = {};
        }
    }

    // Another queue sees a buffer after the end of the submission that brought it to its state; where nothing orders
    // the two, the access rules say so.
    void decay_before(ScheduledResourceIndex resource, ActorIndex actor) {
        Held& held = held_[resource.value];
        if (held.submission_of && held.submission_of != actor) held = {};
    }

    void use(std::size_t position, ActorKind kind, const Access& access) {
        Held& held = held_[access.resource.value];
        const bool copy_queue = kind == ActorKind::kCopy;
        if (held.state == ResourceState::kCommon) {
            if (copy_queue) return;
            const bool is_buffer = schedule_.resources[access.resource.value].is_buffer;
            if (access.state == ResourceState::kCommon || promotes(is_buffer, access.state)) {
                if (!is_buffer && !is_read_state(access.state)) held = {access.state, false, std::nullopt};
                return;
            }
        }
        if (is_copy_state(held.state) && held.copy_class != copy_queue) {
            report(Rule::kForeignClassState, position,
                   fmt::format("{} is in {} of the {} class, which the {} class cannot use",
                               resource_name(access.resource), name(held.state),
                               held.copy_class ? "copy" : "3D/compute", copy_queue ? "copy" : "3D/compute"));
        } else if (copy_queue && !held.copy_class) {
            report(Rule::kNotCommon, position,
                   fmt::format("{} is in {}, a copy queue needs COMMON", resource_name(access.resource),
                               name(held.state)));
        } else if (held.state != access.state) {
            report(Rule::kWrongState, position,
                   fmt::format("{} is in {}, the work needs {}", resource_name(access.resource), name(held.state),
                               name(access.state)));
        }
    }

    void change(std::size_t position, ActorKind kind, const Transition& transition) {
        Held& held = held_[transition.resource.value];
        const bool copy_queue = kind == ActorKind::kCopy;
        if (copy_queue && transition.after != ResourceState::kCommon && !is_copy_state(transition.after)) {
            report(Rule::kWrongState, position,
                   fmt::format("a copy queue cannot bring {} to {}", resource_name(transition.resource),
                               name(transition.after)));
        }
        if (is_copy_state(held.state) && held.copy_class != copy_queue) {
            report(Rule::kForeignClassState, position,
                   fmt::format("{} is in {} of the other queue class", resource_name(transition.resource),
                               name(held.state)));
        } else if (held.state != transition.before) {
            report(Rule::kWrongState, position,
                   fmt::format("{} is in {}, the transition says {}", resource_name(transition.resource),
                               name(held.state), name(transition.before)));
        }
        held = {transition.after, copy_queue, std::nullopt};
    }

    const Schedule& schedule_;
    std::vector<Held> held_;
    std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> check_states(const Schedule& schedule, const Progress& progress) {
    StateRules rules(schedule);
    for (const std::size_t position : progress.order) rules.visit(position);
    return rules.finish();
}

}  // namespace heapwright::engines
