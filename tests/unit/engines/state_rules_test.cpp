#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <vector>

#include "engines/progress.hpp"
#include "engines/rules.hpp"
#include "rules_of.hpp"
#include "seed_schedules.hpp"

namespace heapwright::engines::test {

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

TEST_CASE("A buffer decays at the end of the submission from any state") {
    Engines e;
    Builder& b = e.builder;
    const ScheduledResourceIndex data = b.resource({"data", true, false});
    const ScheduledResourceIndex texture = b.resource({"texture", false, false});
    const FenceIndex fence = b.fence("fence");
    const auto rules = [&] { return rules_of(check(b.schedule(), Rules::kDirect3D12)); };
    SECTION("a copy queue takes it after a 3D queue's transition") {
        const ResourceState state = GENERATE(ResourceState::kUnorderedAccess, ResourceState::kCopyDest);
        b.transition(e.graphics, data, ResourceState::kCommon, state);
        b.execute(e.graphics, "work", {write_of(data, 0, ~0ull, state)});
        b.signal(e.graphics, fence, 1);
        b.wait(e.copy, fence, 1);
        b.execute(e.copy, "download", {read_of(data)});
        CHECK(rules().empty());
    }
    SECTION("a 3D queue takes it after a copy queue's transition") {
        b.transition(e.copy, data, ResourceState::kCommon, ResourceState::kCopyDest);
        b.execute(e.copy, "upload", {write_of(data)});
        b.signal(e.copy, fence, 1);
        b.wait(e.graphics, fence, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules().empty());
    }
    SECTION("the same queue takes it in another state after a signal") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.signal(e.graphics, fence, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules().empty());
    }
    SECTION("and after a wait") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.wait(e.graphics, fence, 0);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules().empty());
    }
    SECTION("not before") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(rules() == std::vector{Rule::kWrongState});
    }
    SECTION("another queue's signal does not end the submission") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.signal(e.compute, fence, 1);
        b.wait(e.host, fence, 1);
        b.execute(e.graphics, "read", {read_of(data)});
        CHECK(play(b.schedule()).order == std::vector<std::size_t>{0, 1, 2, 3});
        CHECK(rules() == std::vector{Rule::kWrongState});
    }
    SECTION("beside another queue's unfenced use the access is at fault, not the state") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kCopyDest);
        b.execute(e.compute, "read", {read_of(data)});
        CHECK(rules() == std::vector{Rule::kUnorderedRead});
    }
    SECTION("a later transition starts from COMMON") {
        b.transition(e.graphics, data, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.signal(e.graphics, fence, 1);
        b.transition(e.graphics, data, ResourceState::kUnorderedAccess, ResourceState::kCommon);
        CHECK(rules() == std::vector{Rule::kWrongState});
    }
    SECTION("a texture keeps the state of a transition") {
        b.transition(e.graphics, texture, ResourceState::kCommon, ResourceState::kUnorderedAccess);
        b.signal(e.graphics, fence, 1);
        b.wait(e.copy, fence, 1);
        b.execute(e.copy, "download", {read_of(texture)});
        CHECK(rules() == std::vector{Rule::kNotCommon});
    }
}

}  // namespace heapwright::engines::test
