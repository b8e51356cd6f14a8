#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <vector>

#include "engines/rules.hpp"
#include "engines/run_spans.hpp"
#include "rules_of.hpp"
#include "seed_schedules.hpp"

namespace heapwright::engines::test {

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

namespace {

// Two queues that the players take in either order.
struct TwoQueues {
    Builder builder;
    ActorIndex host = builder.host("host");
    ActorIndex graphics;
    ActorIndex copy;
    ScheduledResourceIndex image;
    FenceIndex fence;

    explicit TwoQueues(bool copy_first) {
        if (copy_first) copy = builder.queue("copy", ActorKind::kCopy, 1);
        graphics = builder.queue("graphics", ActorKind::kGraphics, 0);
        if (!copy_first) copy = builder.queue("copy", ActorKind::kCopy, 1);
        image = builder.resource({"image", false, false});
        fence = builder.fence("fence");
    }

    void order(ActorIndex from, ActorIndex to) {
        builder.signal(from, fence, 1);
        builder.wait(to, fence, 1);
    }

    [[nodiscard]] std::vector<Violation> accesses(Rules rules) const {
        return check_accesses(builder.schedule(), HappensBefore(builder.schedule()), rules);
    }
};

}  // namespace

TEST_CASE("A transition writes the whole resource") {
    const bool copy_first = GENERATE(false, true);
    const Rules rules = GENERATE(Rules::kDirect3D12, Rules::kVulkan);
    const bool fenced = GENERATE(false, true);
    CAPTURE(copy_first, fenced);
    TwoQueues q(copy_first);
    q.builder.transition(q.graphics, q.image, ResourceState::kRenderTarget, ResourceState::kCommon);
    if (fenced) q.order(q.graphics, q.copy);
    SECTION("beside a write of some bytes") {
        q.builder.execute(q.copy, "upload", {write_of(q.image, 64, 128)});
        CHECK(rules_of(q.accesses(rules)) ==
              (fenced ? std::vector<Rule>{} : std::vector<Rule>{Rule::kUnorderedWrites}));
    }
    SECTION("beside a read of some bytes") {
        q.builder.execute(q.copy, "download", {read_of(q.image, 64, 128)});
        CHECK(rules_of(q.accesses(rules)) == (fenced ? std::vector<Rule>{} : std::vector<Rule>{Rule::kUnorderedRead}));
    }
    SECTION("beside a transition") {
        q.builder.transition(q.copy, q.image, ResourceState::kCommon, ResourceState::kCopyDest);
        CHECK(rules_of(q.accesses(rules)) ==
              (fenced ? std::vector<Rule>{} : std::vector<Rule>{Rule::kUnorderedWrites}));
    }
}

TEST_CASE("A barrier beside an unfenced use is found whichever queue comes first") {
    const bool copy_first = GENERATE(false, true);
    CAPTURE(copy_first);
    TwoQueues q(copy_first);
    const std::size_t barrier =
        q.builder.transition(q.graphics, q.image, ResourceState::kCommon, ResourceState::kShaderResource);
    const std::size_t upload = q.builder.execute(q.copy, "upload", {write_of(q.image)});
    const std::vector<Violation> violations = check(q.builder.schedule(), Rules::kDirect3D12);
    REQUIRE_FALSE(violations.empty());
    CHECK(violations[0].rule == Rule::kUnorderedWrites);
    CHECK(violations[0].operations == std::vector{barrier, upload});
}

TEST_CASE("A present reads the whole resource") {
    const bool copy_first = GENERATE(false, true);
    const Rules rules = GENERATE(Rules::kDirect3D12, Rules::kVulkan);
    CAPTURE(copy_first);
    TwoQueues q(copy_first);
    SECTION("beside an unfenced write") {
        q.builder.execute(q.copy, "upload", {write_of(q.image, 64, 128)});
        q.builder.present(q.graphics, q.image);
        CHECK(rules_of(q.accesses(rules)) == std::vector{Rule::kUnorderedRead});
    }
    SECTION("after a fence") {
        q.builder.execute(q.copy, "upload", {write_of(q.image, 64, 128)});
        q.order(q.copy, q.graphics);
        q.builder.present(q.graphics, q.image);
        CHECK(q.accesses(rules).empty());
    }
    SECTION("beside a read") {
        q.builder.execute(q.copy, "download", {read_of(q.image)});
        q.builder.present(q.graphics, q.image);
        CHECK(q.accesses(rules).empty());
    }
}

TEST_CASE("A release and an acquire write the whole resource") {
    const bool copy_first = GENERATE(false, true);
    CAPTURE(copy_first);
    TwoQueues q(copy_first);
    const std::size_t release = q.builder.release(q.copy, q.image, 0);
    SECTION("in no order with each other") {
        const std::size_t acquire = q.builder.acquire(q.graphics, q.image, 1);
        const std::vector<Violation> violations = q.accesses(Rules::kVulkan);
        REQUIRE(rules_of(violations) == std::vector{Rule::kUnorderedWrites});
        CHECK(violations[0].operations == std::vector{release, acquire});
    }
    SECTION("with a fence between") {
        q.order(q.copy, q.graphics);
        q.builder.acquire(q.graphics, q.image, 1);
        CHECK(q.accesses(Rules::kVulkan).empty());
    }
    SECTION("beside another queue's read") {
        q.builder.execute(q.graphics, "sample", {read_of(q.image, 0, 64)});
        CHECK(rules_of(q.accesses(Rules::kVulkan)) == std::vector{Rule::kUnorderedRead});
    }
}

TEST_CASE("A wait between a barrier and another queue's use is necessary, shown by the work where there is some") {
    TwoQueues q(false);
    q.builder.transition(q.graphics, q.image, ResourceState::kCommon, ResourceState::kRenderTarget);
    const bool draws = GENERATE(false, true);
    if (draws) q.builder.execute(q.graphics, "draw", {write_of(q.image, 0, ~0ull, ResourceState::kRenderTarget)});
    q.builder.transition(q.graphics, q.image, ResourceState::kRenderTarget, ResourceState::kCommon);
    q.order(q.graphics, q.copy);
    const std::size_t download = q.builder.execute(q.copy, "download", {read_of(q.image)});
    const std::vector<WaitFinding> waits = find_wait_roles(q.builder.schedule(), Rules::kDirect3D12);
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].role == WaitRole::kNecessary);
    REQUIRE(waits[0].shown_by);
    CHECK(waits[0].shown_by->operations == std::vector<std::size_t>{draws ? 1u : 0u, download});
}

}  // namespace heapwright::engines::test
