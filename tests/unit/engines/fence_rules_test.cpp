#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "engines/progress.hpp"
#include "engines/rules.hpp"
#include "rules_of.hpp"
#include "seed_schedules.hpp"

namespace heapwright::engines::test {

namespace {

// A higher and a lower value on one fence from two queues in no order, and a wait for the higher.
struct Race {
    Engines e;
    FenceIndex fence;
    std::size_t high = 0;
    std::size_t low = 0;

    explicit Race(std::uint64_t initial_value = 0) : fence(e.builder.fence("fence", initial_value)) {}

    void signal() {
        high = e.builder.signal(e.graphics, fence, 5);
        low = e.builder.signal(e.copy, fence, 3);
    }

    [[nodiscard]] std::vector<WaitAtStake> stakes() const {
        const Schedule& schedule = e.builder.schedule();
        return waits_at_stake(schedule, HappensBefore(schedule), high, low);
    }

    // Whether every wait was met when the actors had these turns.
    [[nodiscard]] bool ends(const std::vector<ActorIndex>& turns) const {
        return play_turns(e.builder.schedule(), turns).blocked.empty();
    }
};

}  // namespace

TEST_CASE("A wait outstanding in a race is met whichever value remains, a later one only by the higher") {
    Race race;
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const std::size_t wait = race.e.builder.wait(compute, race.fence, 5);
    race.signal();
    const std::vector<WaitAtStake> stakes = race.stakes();
    REQUIRE(stakes.size() == 1);
    CHECK(stakes[0].wait == wait);
    CHECK(stakes[0].outcome == StakeOutcome::kDependsOnArrival);
    // Outstanding when both come: met, although 3 remains.
    CHECK(race.ends({host, compute, graphics, copy}));
    CHECK(race.ends({host, compute, graphics, copy, compute}));
    CHECK(race.ends({host, compute, copy, graphics}));
    // Reached between the two.
    CHECK(race.ends({host, graphics, compute, copy}));
    CHECK(race.ends({host, copy, compute, graphics}));
    // Reached after both: compared with the value that remains.
    CHECK(race.ends({host, copy, graphics, compute}));
    CHECK_FALSE(race.ends({host, graphics, copy, compute}));

    const std::vector<Violation> violations =
        check_fences(builder.schedule(), HappensBefore(builder.schedule()), Rules::kDirect3D12);
    REQUIRE(rules_of(violations) == std::vector{Rule::kSignalRace});
    CHECK(violations[0].statement.find(
              "compute: wait for fence >= 5 (operation 0) is met whichever value remains if") != std::string::npos);
}

TEST_CASE("A wait outstanding when the higher value comes has been met once its actor goes on") {
    Race race;
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const std::size_t wait = race.e.builder.wait(compute, race.fence, 5);
    race.signal();
    const Progress progress = play_turns(builder.schedule(), {host, compute, graphics, copy, compute});
    CHECK(progress.order == std::vector{race.high, race.low, wait});
    REQUIRE(progress.waits.size() == 1);
    CHECK(progress.waits[0].fence_value == 0);
    CHECK_FALSE(progress.waits[0].passed);
}

TEST_CASE("A wait certain to come after both signals is met only if the higher value remains") {
    Race race;
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const FenceIndex drawn = race.e.builder.fence("drawn");
    const FenceIndex copied = race.e.builder.fence("copied");
    race.signal();
    race.e.builder.signal(graphics, drawn, 1);
    race.e.builder.signal(copy, copied, 1);
    race.e.builder.wait(compute, drawn, 1);
    race.e.builder.wait(compute, copied, 1);
    const std::size_t wait = race.e.builder.wait(compute, race.fence, 5);
    const std::vector<WaitAtStake> stakes = race.stakes();
    REQUIRE(stakes.size() == 1);
    CHECK(stakes[0].wait == wait);
    CHECK(stakes[0].outcome == StakeOutcome::kOnlyHigherHelps);
    // However early compute comes, it reaches the wait after both.
    CHECK(race.ends({host, compute, copy, graphics, compute}));
    CHECK_FALSE(race.ends({host, compute, graphics, copy, compute}));
}

TEST_CASE("A wait that the higher value alone can meet is not certain to be reached after it") {
    Race race;
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const FenceIndex copied = race.e.builder.fence("copied");
    race.signal();
    race.e.builder.signal(copy, copied, 1);
    race.e.builder.wait(compute, copied, 1);
    race.e.builder.wait(compute, race.fence, 5);
    const std::vector<WaitAtStake> stakes = race.stakes();
    REQUIRE(stakes.size() == 1);
    CHECK(stakes[0].outcome == StakeOutcome::kDependsOnArrival);
    CHECK(race.ends({host, copy, compute, graphics}));
    CHECK_FALSE(race.ends({host, graphics, copy, compute}));
}

TEST_CASE("A wait that is over before a signal of the race is not at stake") {
    Race race(4);
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const FenceIndex started = race.e.builder.fence("started");
    race.e.builder.wait(compute, race.fence, 4);
    race.e.builder.signal(compute, started, 1);
    SECTION("before both") {
        race.e.builder.wait(graphics, started, 1);
    }
    SECTION("before the lower one, which could have undone it") {}
    race.e.builder.wait(copy, started, 1);
    race.signal();
    CHECK(race.stakes().empty());
    CHECK(race.ends({host, compute, graphics, copy}));
    CHECK(race.ends({host, compute, copy, graphics}));
}

TEST_CASE("A wait that comes after a later signal is not at stake in the race before it") {
    Race race;
    const auto& [builder, host, copy, graphics, compute] = race.e;
    const FenceIndex copied = race.e.builder.fence("copied");
    race.signal();
    race.e.builder.signal(copy, copied, 1);
    race.e.builder.wait(graphics, copied, 1);
    race.e.builder.signal(graphics, race.fence, 7);
    const std::size_t before = race.e.builder.wait(compute, race.fence, 5);
    race.e.builder.wait(graphics, race.fence, 5);
    const std::vector<WaitAtStake> stakes = race.stakes();
    REQUIRE(stakes.size() == 1);
    CHECK(stakes[0].wait == before);
}

TEST_CASE("Values that neither or both signals reach are not at stake") {
    Race race;
    race.e.builder.wait(race.e.compute, race.fence, 3);
    race.e.builder.wait(race.e.compute, race.fence, 6);
    race.signal();
    CHECK(race.stakes().empty());
}

TEST_CASE("A rewound fence holds back later waits") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    const std::size_t first = e.builder.signal(e.host, fence, 5);
    const std::size_t second = e.builder.signal(e.host, fence, 3);
    e.builder.wait(e.host, fence, 4);
    const Schedule& schedule = e.builder.schedule();
    const std::vector<Violation> violations = check(schedule, Rules::kDirect3D12);
    REQUIRE(rules_of(violations) == std::vector{Rule::kFenceRewind, Rule::kDeadlock});
    CHECK(violations[0].operations == std::vector{first, second});
}

TEST_CASE("A rewind is told by the latest signal before it") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence", 2);
    const auto rewinds = [&](Rules rules) {
        std::vector<std::vector<std::size_t>> operations;
        for (const Violation& violation :
             check_fences(e.builder.schedule(), HappensBefore(e.builder.schedule()), rules)) {
            CHECK(violation.rule == Rule::kFenceRewind);
            operations.push_back(violation.operations);
        }
        return operations;
    };
    using Pairs = std::vector<std::vector<std::size_t>>;
    SECTION("a fence that rises again after a rewind is rewound once") {
        for (const std::uint64_t value : {5u, 3u, 4u}) e.builder.signal(e.host, fence, value);
        CHECK(rewinds(Rules::kDirect3D12) == Pairs{{0, 1}});
        CHECK(rewinds(Rules::kVulkan) == Pairs{{0, 1}});
    }
    SECTION("also when each value comes from another queue") {
        const FenceIndex high_came = e.builder.fence("high came");
        const FenceIndex low_came = e.builder.fence("low came");
        const std::size_t high = e.builder.signal(e.graphics, fence, 5);
        e.builder.signal(e.graphics, high_came, 1);
        e.builder.wait(e.copy, high_came, 1);
        const std::size_t low = e.builder.signal(e.copy, fence, 3);
        e.builder.signal(e.copy, low_came, 1);
        e.builder.wait(e.compute, low_came, 1);
        e.builder.signal(e.compute, fence, 4);
        CHECK(rewinds(Rules::kDirect3D12) == Pairs{{high, low}});
        CHECK(rewinds(Rules::kVulkan) == Pairs{{high, low}});
    }
    SECTION("an equal value keeps a fence of Direct3D 12 and breaks a timeline semaphore's rule") {
        e.builder.signal(e.graphics, fence, 5);
        e.builder.wait(e.compute, fence, 5);
        e.builder.signal(e.compute, fence, 5);
        CHECK(rewinds(Rules::kDirect3D12).empty());
        CHECK(rewinds(Rules::kVulkan) == Pairs{{0, 2}});
    }
    SECTION("the first signal is compared with the initial value") {
        SECTION("equal") {
            e.builder.signal(e.host, fence, 2);
            CHECK(rewinds(Rules::kDirect3D12).empty());
            CHECK(rewinds(Rules::kVulkan) == Pairs{{0}});
        }
        SECTION("lower") {
            e.builder.signal(e.host, fence, 1);
            CHECK(rewinds(Rules::kDirect3D12) == Pairs{{0}});
            CHECK(rewinds(Rules::kVulkan) == Pairs{{0}});
        }
        SECTION("higher") {
            e.builder.signal(e.host, fence, 3);
            CHECK(rewinds(Rules::kDirect3D12).empty());
            CHECK(rewinds(Rules::kVulkan).empty());
        }
    }
}

TEST_CASE("A signal after a race is compared with both of its signals") {
    Race race;
    race.signal();
    const FenceIndex copied = race.e.builder.fence("copied");
    race.e.builder.signal(race.e.copy, copied, 1);
    race.e.builder.wait(race.e.graphics, copied, 1);
    const std::size_t last = race.e.builder.signal(race.e.graphics, race.fence, 4);
    const Schedule& schedule = race.e.builder.schedule();
    const std::vector<Violation> violations = check_fences(schedule, HappensBefore(schedule), Rules::kDirect3D12);
    REQUIRE(rules_of(violations) == std::vector{Rule::kSignalRace, Rule::kFenceRewind});
    CHECK(violations[1].operations == std::vector{race.high, last});
}

TEST_CASE("A rewind says what becomes of the waits beside and after it") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    e.builder.wait(e.compute, fence, 4);
    const std::size_t high = e.builder.signal(e.host, fence, 5);
    const std::size_t low = e.builder.signal(e.host, fence, 3);
    e.builder.wait(e.graphics, fence, 4);
    const Schedule& schedule = e.builder.schedule();
    const HappensBefore order(schedule);
    const std::vector<WaitAtStake> stakes = waits_at_stake(schedule, order, high, low);
    REQUIRE(stakes.size() == 2);
    CHECK(stakes[0].outcome == StakeOutcome::kDependsOnArrival);
    CHECK(stakes[1].outcome == StakeOutcome::kOnlyHigherHelps);
    const Violation violation = check_fences(schedule, order, Rules::kDirect3D12).at(0);
    CHECK(violation.statement.find("(operation 0) is met if it is reached before the lower value comes") !=
          std::string::npos);
    CHECK(violation.statement.find("(operation 3) comes later and is compared with the lower value") !=
          std::string::npos);
}

}  // namespace heapwright::engines::test
