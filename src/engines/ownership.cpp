#include "engines/ownership.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/happens_before.hpp"
#include "engines/progress.hpp"

namespace heapwright::engines {
namespace {

// Positions [first, last] of a call: transfers go before and behind it.
struct Block {
    std::size_t first = 0;
    std::size_t last = 0;
    friend bool operator==(const Block&, const Block&) = default;
};

struct OwnedUse {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Block block;
    std::uint32_t family = 0;
};

// Of bytes [begin, end), behind one block and before another.
struct Move {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Block from;
    Block to;
    std::uint32_t from_family = 0;
    std::uint32_t to_family = 0;
};

// What happens to one resource.
struct Course {
    std::vector<Move> moves;
    std::vector<OwnedRange> first;
    std::vector<OwnedRange> last;
    std::optional<std::pair<std::size_t, std::size_t>> unordered;  // two positions that stand in the way
};

class Planner {
public:
    explicit Planner(const EngineProgram& program) : program_(program), schedule_(program.schedule), order_(schedule_) {
        find_uses();
    }

    [[nodiscard]] Course course_of(ResourceIndex resource) const {
        Course course;
        const std::vector<OwnedUse>& uses = uses_[resource.value];
        std::set<std::uint64_t> cuts;
        for (const OwnedUse& use : uses) cuts.insert({use.begin, use.end});
        for (auto cut = cuts.begin(); cut != cuts.end() && std::next(cut) != cuts.end(); ++cut)
            follow(resource, *cut, *std::next(cut), course);
        return course;
    }

private:
    // In the order in which the schedule plays.
    void find_uses() {
        uses_.resize(schedule_.resources.size());
        for (const std::size_t position : engines::play(schedule_).order) {
            const engines::Operation& operation = schedule_.operations[position];
            const engines::Actor& actor = schedule_.actors[operation.actor.value];
            if (actor.kind == ActorKind::kHost) continue;
            const auto use = [&](ResourceIndex resource, std::uint64_t begin, std::uint64_t end) {
                const bool is_image = program_.resources[resource.value].side != 0;
                uses_[resource.value].push_back(
                    {is_image ? 0 : begin, is_image ? kToTheEnd : end, block_of(position), actor.queue_family});
            };
            if (const auto* execution = std::get_if<engines::Execute>(&operation.what)) {
                for (const engines::Access& access : execution->accesses)
                    use(access.resource, access.begin, access.end);
            } else if (const auto* transition = std::get_if<engines::Transition>(&operation.what)) {
                use(transition->resource, 0, kToTheEnd);
            }
        }
    }

    [[nodiscard]] Block block_of(std::size_t position) const {
        const std::uint32_t call = program_.calls[position].number;
        Block block{position, position};
        while (block.first > 0 && program_.calls[block.first - 1].number == call) --block.first;
        while (block.last + 1 < program_.calls.size() && program_.calls[block.last + 1].number == call) ++block.last;
        return block;
    }

    [[nodiscard]] bool ordered(const Block& before, const Block& after) const {
        return before == after || order_.ordered(before.last, after.first);
    }

    // The bytes' way from family to family. Neighbours that go the same way go together.
    void follow(ResourceIndex resource, std::uint64_t begin, std::uint64_t end, Course& course) const {
        std::vector<const OwnedUse*> uses;
        for (const OwnedUse& use : uses_[resource.value]) {
            if (use.begin < end && use.end > begin) uses.push_back(&use);
        }
        if (uses.empty()) return;
        add(course.first, {resource, begin, end, uses.front()->family});
        add(course.last, {resource, begin, end, uses.back()->family});
        std::size_t of_family = 0;  // where the present family's uses begin
        for (std::size_t next = 1; next < uses.size(); ++next) {
            if (uses[next]->family == uses[of_family]->family) continue;
            hand_over(begin, end, uses, of_family, next, course);
            of_family = next;
        }
    }

    // From the family that uses it from `of_family` up to `next`, where the next one's begin.
    void hand_over(std::uint64_t begin, std::uint64_t end, const std::vector<const OwnedUse*>& uses,
                   std::size_t of_family, std::size_t next, Course& course) const {
        const OwnedUse& giver = *uses[next - 1];
        const OwnedUse& taker = *uses[next];
        for (std::size_t i = of_family; i < next; ++i) demand(uses[i]->block, giver.block, course);
        for (std::size_t i = next; i < uses.size() && uses[i]->family == taker.family; ++i)
            demand(taker.block, uses[i]->block, course);
        demand(giver.block, taker.block, course);
        const auto same_way = [&](const Move& move) {
            return move.end == begin && move.from == giver.block && move.to == taker.block;
        };
        const auto neighbour = std::ranges::find_if(course.moves, same_way);
        if (neighbour != course.moves.end()) {
            neighbour->end = end;
        } else {
            course.moves.push_back({begin, end, giver.block, taker.block, giver.family, taker.family});
        }
    }

    void demand(const Block& before, const Block& after, Course& course) const {
        if (!course.unordered && !ordered(before, after)) course.unordered = {before.last, after.first};
    }

    static void add(std::vector<OwnedRange>& ranges, const OwnedRange& range) {
        if (!ranges.empty() && ranges.back().end == range.begin && ranges.back().family == range.family) {
            ranges.back().end = range.end;
        } else {
            ranges.push_back(range);
        }
    }

    const EngineProgram& program_;
    const engines::Schedule& schedule_;
    engines::HappensBefore order_;
    std::vector<std::vector<OwnedUse>> uses_;  // by resource
};

// Copies a program with operations put in between.
class Weaver {
public:
    explicit Weaver(const EngineProgram& program)
        : from_(program), before_(program.steps.size()), behind_(program.steps.size()) {}

    void add(ResourceIndex resource, const Move& move) {
        const auto& operations = from_.schedule.operations;
        behind_[move.from.last].push_back({operations[move.from.last].actor,
                                           engines::ReleaseOwnership{resource, move.to_family, move.begin, move.end},
                                           operations[move.from.last].submitter});
        before_[move.to.first].push_back({operations[move.to.first].actor,
                                          engines::AcquireOwnership{resource, move.from_family, move.begin, move.end},
                                          operations[move.to.first].submitter});
    }

    [[nodiscard]] EngineProgram finish() const {
        EngineProgram woven = from_;
        woven.schedule.operations.clear();
        woven.steps.clear();
        woven.calls.clear();
        const auto put = [&woven](const engines::Operation& operation, std::vector<Step> steps, const Call& call) {
            woven.schedule.operations.push_back(operation);
            woven.steps.push_back(std::move(steps));
            woven.calls.push_back(call);
        };
        for (std::size_t position = 0; position < from_.steps.size(); ++position) {
            for (const engines::Operation& acquire : before_[position]) put(acquire, {}, {});
            put(from_.schedule.operations[position], from_.steps[position], from_.calls[position]);
            for (const engines::Operation& release : behind_[position]) put(release, {}, {});
        }
        return woven;
    }

private:
    const EngineProgram& from_;
    std::vector<std::vector<engines::Operation>> before_;  // by position
    std::vector<std::vector<engines::Operation>> behind_;
};

}  // namespace

Result<OwnershipPlan> with_owners(const EngineProgram& program, const EngineMap& map) {
    if (map.families < 2) {
        return fail({.code = ErrorCode::kNotSupported,
                     .message = "one queue family: nothing changes its owner",
                     .where = "with_owners",
                     .value = map.families,
                     .limit = 2});
    }
    EngineProgram owned = program;
    for (std::size_t actor = 0; actor < map.family_of.size(); ++actor)
        owned.schedule.actors[actor].queue_family = map.family_of[actor];
    const Planner planner(owned);
    OwnershipPlan plan;
    std::vector<std::pair<ResourceIndex, Move>> moves;
    for (std::uint32_t index = 0; index < owned.resources.size(); ++index) {
        const Course course = planner.course_of({index});
        if (course.unordered) {
            plan.shared.push_back(fmt::format("{} ({} and {} have no order)", owned.resources[index].name,
                                              describe(owned.schedule, course.unordered->first),
                                              describe(owned.schedule, course.unordered->second)));
            continue;
        }
        owned.schedule.resources[index].exclusive = true;
        for (const Move& move : course.moves) moves.emplace_back(ResourceIndex{index}, move);
        if (owned.resources[index].place != Place::kDevice) continue;
        plan.first.insert(plan.first.end(), course.first.begin(), course.first.end());
        plan.last.insert(plan.last.end(), course.last.begin(), course.last.end());
    }
    plan.transfers = moves.size();
    Weaver weaver(owned);
    for (const auto& [resource, move] : moves) weaver.add(resource, move);
    plan.program = weaver.finish();
    return plan;
}

std::string describe(const OwnershipPlan& plan, const EngineMap& map) {
    std::string text = fmt::format("exclusive sharing: {} ownership transfers between {} queue families",
                                   plan.transfers, map.families);
    if (!plan.shared.empty()) text += fmt::format("; shared by all families: {}", fmt::join(plan.shared, ", "));
    return text;
}

}  // namespace heapwright::engines
