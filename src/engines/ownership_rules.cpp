#include "engines/rules.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace heapwright::engines {
namespace {

struct Release {
    std::size_t operation = 0;
    std::uint32_t to_family = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// Bytes [begin, where the next one begins) of a resource.
struct Part {
    std::uint64_t begin = 0;
    std::optional<std::uint32_t> family;  // empty: of nobody yet
    std::size_t last_use = 0;             // by that family
    std::optional<Release> release;       // that no acquire has followed yet
};

class OwnershipRules {
public:
    OwnershipRules(const Schedule& schedule, const HappensBefore& order)
        : schedule_(schedule), order_(order), parts_(schedule.resources.size(), std::vector<Part>(1)) {}

    void visit(std::size_t position) {
        const Operation& operation = schedule_.operations[position];
        const Actor& actor = schedule_.actors[operation.actor.value];
        if (actor.kind == ActorKind::kHost) return;
        position_ = position;
        family_ = actor.queue_family;
        std::visit(*this, operation.what);
    }

    std::vector<Violation> finish() { return std::move(violations_); }

    void operator()(const Execute& execute) {
        for (const Access& access : execute.accesses) use(access.resource, access.begin, access.end);
    }
    void operator()(const Transition& transition) { use(transition.resource, 0, kToTheEnd); }
    void operator()(const Present& present) { use(present.resource, 0, kToTheEnd); }
    void operator()(const Signal&) const {}
    void operator()(const Wait&) const {}

    void operator()(const ReleaseOwnership& release) {
        if (!use(release.resource, release.begin, release.end)) return;
        for_each(release.resource, release.begin, release.end, [&](Part& part) {
            part.release = Release{position_, release.to_family, release.begin, release.end};
            return true;
        });
    }

    void operator()(const AcquireOwnership& acquire) {
        if (!schedule_.resources[acquire.resource.value].exclusive) return;
        bool ordered = true;
        for_each(acquire.resource, acquire.begin, acquire.end, [&](Part& part) {
            if (ordered) ordered = follows_release(acquire, part);
            part.family = family_;
            part.last_use = position_;
            part.release.reset();
            return true;
        });
    }

private:
    // Whether all of it was this family's to touch. One violation speaks for an access.
    bool use(ScheduledResourceIndex index, std::uint64_t begin, std::uint64_t end) {
        const ScheduledResource& resource = schedule_.resources[index.value];
        if (!resource.exclusive) return true;
        bool owned = true;
        for_each(index, begin, end, [&](Part& part) {
            if (part.release) {
                report(Rule::kNotOwned, {part.release->operation},
                       fmt::format("{} was released to family {} and not acquired", resource.name,
                                   part.release->to_family));
                owned = false;
            } else if (part.family && *part.family != family_) {
                report(Rule::kNotOwned, {part.last_use},
                       fmt::format("{} belongs to family {} since {}, the queue is of family {}", resource.name,
                                   *part.family, describe(schedule_, part.last_use), family_));
                owned = false;
            } else {
                part.family = family_;
                part.last_use = position_;
            }
            return owned;
        });
        return owned;
    }

    bool follows_release(const AcquireOwnership& acquire, const Part& part) {
        const std::string& name = schedule_.resources[acquire.resource.value].name;
        if (!part.release) {
            report(Rule::kUnpairedTransfer, {},
                   fmt::format("no release of {} from family {} to family {} goes before", name, acquire.from_family,
                               family_));
            return false;
        }
        const Release& release = *part.release;
        if (release.to_family != family_ || part.family != acquire.from_family || release.begin != acquire.begin ||
            release.end != acquire.end) {
            report(Rule::kUnpairedTransfer, {release.operation},
                   fmt::format("what went before is {}, from family {}", describe(schedule_, release.operation),
                               *part.family));
            return false;
        }
        if (order_.ordered(release.operation, position_)) return true;
        report(Rule::kUnpairedTransfer, {release.operation},
               fmt::format("no fence between the release of {} and its acquire", name));
        return false;
    }

    void report(Rule rule, std::vector<std::size_t> operations, const std::string& statement) {
        operations.push_back(position_);
        violations_.push_back(
            {rule, std::move(operations), fmt::format("{}: {}", describe(schedule_, position_), statement)});
    }

    // Of the resource's parts, those of [begin, end) exactly, until `touch` gives false.
    template <class Touch>
    void for_each(ScheduledResourceIndex resource, std::uint64_t begin, std::uint64_t end, Touch&& touch) {
        std::vector<Part>& parts = parts_[resource.value];
        cut(parts, begin);
        if (end != kToTheEnd) cut(parts, end);
        for (Part& part : parts) {
            if (part.begin >= begin && part.begin < end && !touch(part)) return;
        }
    }

    static void cut(std::vector<Part>& parts, std::uint64_t at) {
        const auto next = std::ranges::upper_bound(parts, at, {}, &Part::begin);
        Part part = *std::prev(next);
        if (part.begin == at) return;
        part.begin = at;
        parts.insert(next, part);
    }

    const Schedule& schedule_;
    const HappensBefore& order_;
    std::vector<std::vector<Part>> parts_;  // by resource, ascending
    std::vector<Violation> violations_;
    std::size_t position_ = 0;  // of the operation at hand
    std::uint32_t family_ = 0;  // its queue's
};

}  // namespace

std::vector<Violation> check_ownership(const Schedule& schedule, const Progress& progress, const HappensBefore& order) {
    OwnershipRules rules(schedule, order);
    for (const std::size_t position : progress.order) rules.visit(position);
    return rules.finish();
}

}  // namespace heapwright::engines
