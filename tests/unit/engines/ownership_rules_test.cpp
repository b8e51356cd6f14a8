#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "engines/rules.hpp"
#include "rules_of.hpp"
#include "seed_schedules.hpp"

namespace heapwright::engines::test {
namespace {

// A copy queue of family 1 writes first.
struct Owned : Engines {
    ScheduledResourceIndex data = builder.resource({"data", true, true});
    FenceIndex fence = builder.fence("fence");
    std::size_t upload = builder.execute(copy, "upload", {write_of(data)});

    void hand_on(ActorIndex from, ActorIndex to, std::uint64_t value) {
        builder.signal(from, fence, value);
        builder.wait(to, fence, value);
    }
    [[nodiscard]] std::vector<Violation> found() const { return check(builder.schedule(), Rules::kVulkan); }
};

// The rule alone, with the owner's access and the one at fault.
void check_only(const std::vector<Violation>& found, Rule rule, const std::vector<std::size_t>& operations) {
    REQUIRE(found.size() == 1);
    INFO(found.front().statement);
    CHECK(found.front().rule == rule);
    CHECK(found.front().operations == operations);
}

}  // namespace

TEST_CASE("An exclusive resource changes its queue family by release, fence and acquire") {
    Owned o;
    Builder& b = o.builder;
    SECTION("in full") {
        b.release(o.copy, o.data, 0);
        o.hand_on(o.copy, o.graphics, 1);
        b.acquire(o.graphics, o.data, 1);
        b.execute(o.graphics, "read", {read_of(o.data)});
        CHECK(o.found().empty());
    }
    SECTION("not at all") {
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t read = b.execute(o.graphics, "read", {read_of(o.data)});
        check_only(o.found(), Rule::kNotOwned, {o.upload, read});
    }
    SECTION("without an acquire") {
        const std::size_t release = b.release(o.copy, o.data, 0);
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t read = b.execute(o.graphics, "read", {read_of(o.data)});
        check_only(o.found(), Rule::kNotOwned, {release, read});
    }
    SECTION("without a release") {
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t acquire = b.acquire(o.graphics, o.data, 1);
        b.execute(o.graphics, "read", {read_of(o.data)});
        check_only(o.found(), Rule::kUnpairedTransfer, {acquire});
    }
    SECTION("without a fence") {
        b.release(o.copy, o.data, 0);
        b.acquire(o.graphics, o.data, 1);
        // The acquire has no order with the upload, nor with the release; and the pair is none.
        CHECK(rules_of(o.found()) ==
              std::vector{Rule::kUnorderedWrites, Rule::kUnorderedWrites, Rule::kUnpairedTransfer});
    }
    SECTION("not once more by who gave it away") {
        const std::size_t release = b.release(o.copy, o.data, 0);
        const std::size_t again = b.execute(o.copy, "upload", {write_of(o.data)});
        check_only(o.found(), Rule::kNotOwned, {release, again});
    }
    SECTION("not by a family that does not own it") {
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t release = b.release(o.graphics, o.data, 2);
        check_only(o.found(), Rule::kNotOwned, {o.upload, release});
    }
    SECTION("to the family that it was released to") {
        const std::size_t release = b.release(o.copy, o.data, 2);
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t acquire = b.acquire(o.graphics, o.data, 1);
        check_only(o.found(), Rule::kUnpairedTransfer, {release, acquire});
    }
    SECTION("from the family that released it") {
        const std::size_t release = b.release(o.copy, o.data, 0);
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t acquire = b.acquire(o.graphics, o.data, 2);
        check_only(o.found(), Rule::kUnpairedTransfer, {release, acquire});
    }
    SECTION("of the same bytes") {
        const std::size_t release = b.release(o.copy, o.data, 0, 0, 512);
        o.hand_on(o.copy, o.graphics, 1);
        const std::size_t acquire = b.acquire(o.graphics, o.data, 1, 0, 256);
        check_only(o.found(), Rule::kUnpairedTransfer, {release, acquire});
    }
}

TEST_CASE("A transition is a use by its queue's family") {
    Owned o;
    Builder& b = o.builder;
    const ScheduledResourceIndex image = b.resource({"image", false, true});
    const std::size_t drawn = b.execute(o.graphics, "draw", {write_of(image, 0, ~0ull, ResourceState::kRenderTarget)});
    const auto to_shader = [&](ActorIndex queue) {
        return b.transition(queue, image, ResourceState::kRenderTarget, ResourceState::kShaderResource);
    };
    SECTION("of the owner") {
        to_shader(o.graphics);
        CHECK(o.found().empty());
    }
    SECTION("of another family") {
        o.hand_on(o.graphics, o.compute, 1);
        const std::size_t transition = to_shader(o.compute);
        check_only(o.found(), Rule::kNotOwned, {drawn, transition});
    }
    SECTION("of another family that acquired it") {
        b.release(o.graphics, image, 2);
        o.hand_on(o.graphics, o.compute, 1);
        b.acquire(o.compute, image, 0);
        to_shader(o.compute);
        CHECK(o.found().empty());
    }
    SECTION("between release and acquire, of nobody") {
        const std::size_t release = b.release(o.graphics, image, 2);
        const std::size_t transition = to_shader(o.graphics);
        check_only(o.found(), Rule::kNotOwned, {release, transition});
    }
    SECTION("of nobody's image it takes it") {
        const ScheduledResourceIndex fresh = b.resource({"fresh", false, true});
        const std::size_t transition =
            b.transition(o.compute, fresh, ResourceState::kCommon, ResourceState::kShaderResource);
        o.hand_on(o.compute, o.graphics, 1);
        const std::size_t read = b.execute(o.graphics, "read", {read_of(fresh)});
        check_only(o.found(), Rule::kNotOwned, {transition, read});
    }
    SECTION("of a shared image, of any family") {
        const ScheduledResourceIndex shared = b.resource({"shared", false, false});
        b.execute(o.graphics, "draw", {write_of(shared)});
        o.hand_on(o.graphics, o.compute, 1);
        b.transition(o.compute, shared, ResourceState::kRenderTarget, ResourceState::kShaderResource);
        CHECK(o.found().empty());
    }
}

TEST_CASE("A back buffer is presented by the family that owns it") {
    Owned o;
    Builder& b = o.builder;
    const ScheduledResourceIndex back = b.resource({"back buffer", false, true});
    const std::size_t drawn = b.execute(o.graphics, "draw", {write_of(back)});
    SECTION("it does") {
        b.present(o.graphics, back);
        CHECK(o.found().empty());
    }
    SECTION("another one does") {
        o.hand_on(o.graphics, o.compute, 1);
        const std::size_t present = b.present(o.compute, back);
        check_only(o.found(), Rule::kNotOwned, {drawn, present});
    }
    SECTION("another one does, to which it was handed over") {
        b.release(o.graphics, back, 2);
        o.hand_on(o.graphics, o.compute, 1);
        b.acquire(o.compute, back, 0);
        b.present(o.compute, back);
        CHECK(o.found().empty());
    }
}

TEST_CASE("Bytes of one buffer belong to different families") {
    Owned o;
    Builder& b = o.builder;
    // The first half moves on, the second stays.
    b.release(o.copy, o.data, 0, 0, 512);
    o.hand_on(o.copy, o.graphics, 1);
    b.acquire(o.graphics, o.data, 1, 0, 512);
    SECTION("each uses its own") {
        b.execute(o.graphics, "read", {read_of(o.data, 0, 512)});
        b.execute(o.copy, "upload", {write_of(o.data, 512, 1024)});
        CHECK(o.found().empty());
    }
    SECTION("one byte of the other's is too much") {
        const std::size_t read = b.execute(o.graphics, "read", {read_of(o.data, 500, 513)});
        check_only(o.found(), Rule::kNotOwned, {o.upload, read});
    }
    SECTION("a part is handed back") {
        b.release(o.graphics, o.data, 1, 256, 512);
        o.hand_on(o.graphics, o.copy, 2);
        b.acquire(o.copy, o.data, 0, 256, 512);
        b.execute(o.copy, "upload", {write_of(o.data, 256, 1024)});
        b.execute(o.graphics, "read", {read_of(o.data, 0, 256)});
        CHECK(o.found().empty());
    }
}

TEST_CASE("The host owns nothing") {
    Owned o;
    Builder& b = o.builder;
    b.signal(o.copy, o.fence, 1);
    b.wait(o.host, o.fence, 1);
    b.execute(o.host, "look", {read_of(o.data)});
    CHECK(o.found().empty());
}

}  // namespace heapwright::engines::test
