#include <catch2/catch_test_macros.hpp>

#include "heapwright/schedule/access_rules.hpp"
#include "heapwright/schedule/check.hpp"
#include "heapwright/schedule/fence_rules.hpp"
#include "heapwright/schedule/progress.hpp"
#include "seed_schedules.hpp"

namespace heapwright::schedule::test {
namespace {

std::vector<Rule> rules_of(const std::vector<Violation>& violations) {
    std::vector<Rule> rules;
    for (const Violation& violation : violations) rules.push_back(violation.rule);
    return rules;
}

}  // namespace

TEST_CASE("Two queues write one resource at a time; Vulkan looks at the bytes") {
    Engines e;
    const ScheduledResourceIndex data = e.builder.resource({"data", true, false});
    e.builder.execute(e.graphics, "left", {write_of(data, 0, 64)});
    e.builder.execute(e.compute, "right", {write_of(data, 64, 128)});
    const HappensBefore order(e.builder.schedule());
    CHECK(rules_of(check_accesses(e.builder.schedule(), order, Rules::kDirect3D12)) ==
          std::vector{Rule::kUnorderedWrites});
    CHECK(check_accesses(e.builder.schedule(), order, Rules::kVulkan).empty());
}

TEST_CASE("Readers beside a writer touch other bytes") {
    Engines e;
    const ScheduledResourceIndex data = e.builder.resource({"data", true, false});
    e.builder.execute(e.graphics, "write", {write_of(data, 0, 64)});
    e.builder.execute(e.compute, "read beside", {read_of(data, 64, 128)});
    e.builder.execute(e.compute, "read across", {read_of(data, 32, 96)});
    const HappensBefore order(e.builder.schedule());
    const std::vector<Violation> violations = check_accesses(e.builder.schedule(), order, Rules::kDirect3D12);
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].rule == Rule::kUnorderedRead);
    CHECK(violations[0].operations == std::vector<std::size_t>{0, 2});
}

TEST_CASE("A host wait orders what the host submits afterwards") {
    Engines e;
    const ScheduledResourceIndex data = e.builder.resource({"data", true, false});
    const FenceIndex fence = e.builder.fence("fence");
    e.builder.execute(e.graphics, "write", {write_of(data)});
    e.builder.signal(e.graphics, fence, 1);
    e.builder.wait(e.host, fence, 1);
    e.builder.execute(e.compute, "read", {read_of(data)});
    CHECK(check(e.builder.schedule(), Rules::kVulkan).empty());
}

TEST_CASE("A wait that several signals may meet proves only what all of them follow") {
    Engines e;
    const ScheduledResourceIndex data = e.builder.resource({"data", true, false});
    const FenceIndex fence = e.builder.fence("fence");
    e.builder.execute(e.graphics, "write", {write_of(data)});
    e.builder.signal(e.graphics, fence, 1);
    e.builder.signal(e.compute, fence, 1);
    e.builder.wait(e.copy, fence, 1);
    e.builder.execute(e.copy, "read", {read_of(data)});
    const std::vector<Rule> rules = rules_of(check(e.builder.schedule(), Rules::kVulkan));
    CHECK(rules == std::vector{Rule::kUnorderedRead, Rule::kSignalRace});
}

TEST_CASE("A race of signals says which waits it decides") {
    Engines e;
    const FenceIndex fence = e.builder.fence("fence");
    const std::size_t wait = e.builder.wait(e.compute, fence, 5);
    const std::size_t high = e.builder.signal(e.graphics, fence, 5);
    const std::size_t low = e.builder.signal(e.copy, fence, 3);
    const Schedule& schedule = e.builder.schedule();
    const HappensBefore order(schedule);
    const std::vector<Violation> violations = check_fences(schedule, order);
    REQUIRE(rules_of(violations) == std::vector{Rule::kSignalRace});
    const std::vector<WaitAtStake> stakes = waits_at_stake(schedule, order, high, low);
    REQUIRE(stakes.size() == 1);
    CHECK(stakes[0].wait == wait);
    CHECK(stakes[0].met_while_outstanding);
    // The wait stands before either signal: met although the lower value comes last.
    CHECK(play(schedule).blocked.empty());
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

TEST_CASE("Waits in a circle are found before anything is submitted") {
    Engines e;
    const FenceIndex a = e.builder.fence("a");
    const FenceIndex b = e.builder.fence("b");
    e.builder.wait(e.graphics, a, 1);
    e.builder.signal(e.graphics, b, 1);
    e.builder.wait(e.compute, b, 1);
    e.builder.signal(e.compute, a, 1);
    const std::vector<Violation> violations = check(e.builder.schedule(), Rules::kVulkan);
    CHECK(rules_of(violations) == std::vector{Rule::kDeadlock, Rule::kDeadlock});
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
    CHECK(play(one).blocked.size() == 1);
    CHECK(play(merge_queues(reorder(two, signals_first(two)), {e.compute}, e.graphics)).blocked.empty());
}

TEST_CASE("Copy states belong to their queue type class") {
    Engines e;
    Builder& b = e.builder;
    const ScheduledResourceIndex texture = b.resource({"texture", false, false});
    const FenceIndex fence = b.fence("fence");
    SECTION("a copy queue takes COMMON and gives COMMON back") {
        b.execute(e.copy, "upload", {write_of(texture)});
        b.signal(e.copy, fence, 1);
        b.wait(e.graphics, fence, 1);
        b.execute(e.graphics, "sample", {read_of(texture)});
        CHECK(check(b.schedule(), Rules::kDirect3D12).empty());
    }
    SECTION("COPY_DEST of the 3D class is not the copy queue's") {
        b.transition(e.graphics, texture, ResourceState::kCommon, ResourceState::kCopyDest);
        b.signal(e.graphics, fence, 1);
        b.wait(e.copy, fence, 1);
        b.execute(e.copy, "upload", {write_of(texture)});
        CHECK(rules_of(check(b.schedule(), Rules::kDirect3D12)) == std::vector{Rule::kForeignClassState});
    }
    SECTION("a copy queue needs COMMON") {
        b.transition(e.graphics, texture, ResourceState::kCommon, ResourceState::kRenderTarget);
        b.signal(e.graphics, fence, 1);
        b.wait(e.copy, fence, 1);
        b.execute(e.copy, "upload", {write_of(texture)});
        CHECK(rules_of(check(b.schedule(), Rules::kDirect3D12)) == std::vector{Rule::kNotCommon});
    }
    SECTION("a compute queue reads what a 3D queue brought to a shader state") {
        b.transition(e.graphics, texture, ResourceState::kCommon, ResourceState::kShaderResource);
        b.signal(e.graphics, fence, 1);
        b.wait(e.compute, fence, 1);
        b.execute(e.compute, "sample", {read_of(texture)});
        CHECK(check(b.schedule(), Rules::kDirect3D12).empty());
    }
    SECTION("a texture in COMMON is not promoted to a render target") {
        b.execute(e.graphics, "draw", {write_of(texture, 0, ~0ull, ResourceState::kRenderTarget)});
        CHECK(rules_of(check(b.schedule(), Rules::kDirect3D12)) == std::vector{Rule::kWrongState});
    }
    SECTION("a presented back buffer is in COMMON") {
        b.transition(e.graphics, texture, ResourceState::kCommon, ResourceState::kRenderTarget);
        b.execute(e.graphics, "draw", {write_of(texture, 0, ~0ull, ResourceState::kRenderTarget)});
        b.present(e.graphics, texture);
        CHECK(rules_of(check(b.schedule(), Rules::kDirect3D12)) == std::vector{Rule::kPresentNotCommon});
    }
    SECTION("bundles run on 3D queues alone") {
        b.execute_bundle(e.graphics, "bundle", {});
        b.execute_bundle(e.compute, "bundle", {});
        b.execute_bundle(e.copy, "bundle", {});
        CHECK(rules_of(check(b.schedule(), Rules::kDirect3D12)) == std::vector{Rule::kBundle, Rule::kBundle});
    }
}

TEST_CASE("An exclusive resource changes its queue family by release, fence and acquire") {
    Engines e;
    Builder& b = e.builder;
    const ScheduledResourceIndex data = b.resource({"data", true, true});
    const FenceIndex fence = b.fence("fence");
    b.execute(e.copy, "upload", {write_of(data)});
    SECTION("in full") {
        b.release(e.copy, data, 0);
        b.signal(e.copy, fence, 1);
        b.wait(e.graphics, fence, 1);
        b.acquire(e.graphics, data, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(check(b.schedule(), Rules::kVulkan).empty());
    }
    SECTION("not at all") {
        b.signal(e.copy, fence, 1);
        b.wait(e.graphics, fence, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules_of(check(b.schedule(), Rules::kVulkan)) == std::vector{Rule::kNotOwned});
    }
    SECTION("without an acquire") {
        b.release(e.copy, data, 0);
        b.signal(e.copy, fence, 1);
        b.wait(e.graphics, fence, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules_of(check(b.schedule(), Rules::kVulkan)) == std::vector{Rule::kNotOwned});
    }
    SECTION("without a fence") {
        b.release(e.copy, data, 0);
        b.acquire(e.graphics, data, 1);
        CHECK(rules_of(check(b.schedule(), Rules::kVulkan)) == std::vector{Rule::kUnpairedTransfer});
    }
}

}  // namespace heapwright::schedule::test
