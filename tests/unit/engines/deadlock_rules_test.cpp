#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "engines/progress.hpp"
#include "engines/rules.hpp"
#include "rules_of.hpp"
#include "seed_schedules.hpp"

namespace heapwright::engines::test {

TEST_CASE("Waits in a circle are found before anything is submitted") {
    Engines e;
    const FenceIndex a = e.builder.fence("a");
    const FenceIndex b = e.builder.fence("b");
    e.builder.wait(e.graphics, a, 1);
    e.builder.signal(e.graphics, b, 1);
    e.builder.wait(e.compute, b, 1);
    e.builder.signal(e.compute, a, 1);
    const std::vector<Violation> violations = check(e.builder.schedule(), Rules::kVulkan);
    REQUIRE(rules_of(violations) == std::vector{Rule::kDeadlock});
    CHECK(violations[0].operations == std::vector<std::size_t>{0, 3, 2, 1});
    CHECK(signals_first(e.builder.schedule()).empty());
}

TEST_CASE("A wait that stands before its signal in one queue blocks it for ever") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    e.builder.wait(e.graphics, fence, 1);
    e.builder.signal(e.compute, fence, 1);
    const Schedule& two = e.builder.schedule();
    CHECK(play(two).blocked.empty());
    const Schedule one = merge_queues(two, {e.compute}, e.graphics);
    const std::vector<Violation> violations = check_deadlocks(one, play(one));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].operations == std::vector<std::size_t>{0, 1});
    CHECK(play(merge_queues(reorder(two, signals_first(two)), {e.compute}, e.graphics)).blocked.empty());
}

TEST_CASE("A circle of waits names every wait and signal of it") {
    Engines e;
    const FenceIndex a = e.builder.fence("a");
    const FenceIndex b = e.builder.fence("b");
    const FenceIndex c = e.builder.fence("c");
    const std::size_t copy_waits = e.builder.wait(e.copy, a, 1);
    const std::size_t copy_signals = e.builder.signal(e.copy, b, 1);
    const std::size_t graphics_waits = e.builder.wait(e.graphics, b, 1);
    const std::size_t graphics_signals = e.builder.signal(e.graphics, c, 1);
    const std::size_t compute_waits = e.builder.wait(e.compute, c, 1);
    const std::size_t compute_signals = e.builder.signal(e.compute, a, 1);
    // Stands behind the circle, not in it.
    const std::size_t host_waits = e.builder.wait(e.host, c, 1);
    const Schedule& schedule = e.builder.schedule();
    const std::vector<Violation> violations = check_deadlocks(schedule, play(schedule));
    REQUIRE(violations.size() == 2);
    CHECK(violations[0].operations == std::vector{host_waits, graphics_signals, graphics_waits});
    CHECK(violations[0].statement ==
          "host: wait for c >= 1 (operation 6) waits for ever: it needs graphics: signal c = 1 (operation 3), which "
          "stands behind graphics: wait for b >= 1 (operation 2); that waits in a circle");
    CHECK(violations[1].operations ==
          std::vector{copy_waits, compute_signals, compute_waits, graphics_signals, graphics_waits, copy_signals});
    CHECK(violations[1].statement ==
          "copy: wait for a >= 1 (operation 0) waits for ever: it needs compute: signal a = 1 (operation 5), which "
          "stands behind compute: wait for c >= 1 (operation 4); that needs graphics: signal c = 1 (operation 3), "
          "which stands behind graphics: wait for b >= 1 (operation 2); that needs copy: signal b = 1 (operation 1), "
          "which stands behind copy: wait for a >= 1 (operation 0)");
}

TEST_CASE("A signal that is never submitted stands behind its host's wait") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    SECTION("that needs it") {
        const std::size_t wait = e.builder.wait(e.host, fence, 1);
        const std::size_t signal = e.builder.signal(e.graphics, fence, 1);
        const std::vector<Violation> violations = check(e.builder.schedule(), Rules::kDirect3D12);
        REQUIRE(rules_of(violations) == std::vector{Rule::kDeadlock});
        CHECK(violations[0].operations == std::vector{wait, signal});
        CHECK(violations[0].statement ==
              "host: wait for fence >= 1 (operation 0) waits for ever: it needs graphics: signal fence = 1 "
              "(operation 1), which is submitted only after host: wait for fence >= 1 (operation 0)");
    }
    SECTION("behind another queue's wait") {
        const FenceIndex other = e.builder.fence("other");
        const std::size_t queue_wait = e.builder.wait(e.compute, fence, 1);
        const std::size_t host_wait = e.builder.wait(e.host, other, 1);
        const std::size_t signal = e.builder.signal(e.graphics, fence, 1);
        const std::vector<Violation> violations = check(e.builder.schedule(), Rules::kDirect3D12);
        REQUIRE(rules_of(violations) == std::vector{Rule::kDeadlock, Rule::kDeadlock});
        CHECK(violations[0].operations == std::vector{host_wait});
        CHECK(violations[0].statement ==
              "host: wait for other >= 1 (operation 1) waits for ever: it finds the fence at 0, and no signal of the "
              "value that it needs comes later");
        CHECK(violations[1].operations == std::vector{queue_wait, signal, host_wait});
    }
    SECTION("behind work of another host on the same queue") {
        const FenceIndex other = e.builder.fence("other");
        const ActorIndex second = e.builder.host("second host");
        const std::size_t host_wait = e.builder.wait(e.host, other, 1);
        e.builder.execute(e.graphics, "draw", {});
        e.builder.submitted_by(second);
        const std::size_t signal = e.builder.signal(e.graphics, fence, 1);
        const std::size_t queue_wait = e.builder.wait(e.compute, fence, 1);
        const std::vector<Violation> violations = check(e.builder.schedule(), Rules::kDirect3D12);
        REQUIRE(rules_of(violations) == std::vector{Rule::kDeadlock, Rule::kDeadlock});
        CHECK(violations[0].operations == std::vector{host_wait});
        CHECK(violations[1].operations == std::vector{queue_wait, signal, host_wait});
    }
}

TEST_CASE("A wait that comes after a rewind is not said to have no signal at all") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    e.builder.signal(e.host, fence, 5);
    e.builder.signal(e.host, fence, 3);
    e.builder.wait(e.host, fence, 4);
    const Schedule& schedule = e.builder.schedule();
    const std::vector<Violation> violations = check_deadlocks(schedule, play(schedule));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].operations == std::vector<std::size_t>{2});
    CHECK(violations[0].statement ==
          "host: wait for fence >= 4 (operation 2) waits for ever: it finds the fence at 3, and no signal of the value "
          "that it needs comes later");
}

TEST_CASE("Of several signals that could meet a wait the first is followed") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    const FenceIndex other = e.builder.fence("other");
    e.builder.wait(e.graphics, fence, 1);
    e.builder.signal(e.graphics, other, 1);
    e.builder.wait(e.compute, other, 1);
    e.builder.signal(e.compute, fence, 1);
    e.builder.signal(e.compute, fence, 2);
    const Schedule& schedule = e.builder.schedule();
    const std::vector<Violation> violations = check_deadlocks(schedule, play(schedule));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].operations == std::vector<std::size_t>{0, 3, 2, 1});
    CHECK(violations[0].statement.find("compute: signal fence = 1 (operation 3) or compute: signal fence = 2 "
                                       "(operation 4), the first of which stands behind compute: wait for other") !=
          std::string::npos);
}

}  // namespace heapwright::engines::test
