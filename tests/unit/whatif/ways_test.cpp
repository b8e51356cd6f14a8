#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "whatif_scene.hpp"

namespace heapwright::whatif {
namespace {

struct Scene {
    model::DeviceReport facts = report_of(kSceneReports[0]);
    model::Workload workload = small_preset(workload::preset_names().front(), 100);
    Way base = advised_for(facts, workload);
};

std::string message_of(const auto& result) {
    REQUIRE_FALSE(result);
    return result.error().message;
}

}  // namespace

TEST_CASE("every rule is a way, and a misspelt one is answered with the nearest") {
    const Scene scene;
    for (const std::string_view rule : rule_names()) {
        std::string name(rule);
        if (const std::size_t at = name.find("SIZE"); at != std::string::npos) name.replace(at, 4, "32MiB");
        CAPTURE(name);
        const auto way = way_of_rule(name, scene.facts, scene.workload, scene.base);
        REQUIRE(way);
        CHECK(way->name == name);
        CHECK(way->how.ends_with('.'));
        CHECK(way->policy != nullptr);
    }
    CHECK(message_of(way_of_rule("vma-defualt", scene.facts, scene.workload, scene.base)).find("vma-default") !=
          std::string::npos);
    for (const char* wrong :
         {"", "fixed", "fixed:", "fixed:0", "fixed:-1", "fixed:99999999999GiB", "vma:lots", "vma"}) {
        CAPTURE(wrong);
        CHECK_FALSE(way_of_rule(wrong, scene.facts, scene.workload, scene.base));
    }
}

TEST_CASE("fixed chunks are all of one size, and none is taken ahead") {
    const Scene scene;
    const auto way = way_of_rule("fixed:8MiB", scene.facts, scene.workload, scene.base);
    REQUIRE(way);
    CHECK(way->policy->humongous_threshold_bytes.value == 4u << 20);
    for (const model::BucketPolicy& bucket : way->policy->buckets) {
        CHECK(bucket.chunk_size_bytes.value == 8u << 20);
        CHECK_FALSE(bucket.growth);
        CHECK_FALSE(bucket.chunks_ahead);
        CHECK_FALSE(bucket.dedicated_threshold_bytes);
    }
}

TEST_CASE("a change touches what it names and nothing else") {
    const Scene scene;
    const auto changed = [&](const char* changes) {
        const auto way = way_of_change(changes, scene.base);
        REQUIRE(way);
        CHECK(way->name == "advised with " + std::string(changes));
        return *way->policy;
    };
    const model::DevicePolicy policy = changed("chunk=4MiB,dedicated=1MiB,ahead=3,humongous=2MiB,first-chunk=1MiB");
    CHECK(policy.humongous_threshold_bytes.value == 2u << 20);
    for (const model::BucketPolicy& bucket : policy.buckets) {
        CHECK(bucket.chunk_size_bytes.value == 4u << 20);
        REQUIRE(bucket.dedicated_threshold_bytes);
        CHECK(bucket.dedicated_threshold_bytes->value == 1u << 20);
        REQUIRE(bucket.chunks_ahead);
        CHECK(bucket.chunks_ahead->value == 3);
        REQUIRE(bucket.growth);
        CHECK(bucket.growth->first_chunk_bytes.value == 1u << 20);
    }
    for (const model::BucketPolicy& bucket : changed("first-chunk=off,dedicated=off,ahead=0").buckets) {
        CHECK_FALSE(bucket.growth);
        CHECK_FALSE(bucket.dedicated_threshold_bytes);
        CHECK_FALSE(bucket.chunks_ahead);
    }
    const model::DevicePolicy humongous = changed("humongous=1MiB");
    for (std::size_t i = 0; i < humongous.buckets.size(); ++i) {
        CHECK(humongous.buckets[i].chunk_size_bytes.value == scene.base.policy->buckets[i].chunk_size_bytes.value);
        CHECK(humongous.buckets[i].growth.has_value() == scene.base.policy->buckets[i].growth.has_value());
    }
    CHECK(message_of(way_of_change("chunks=4MiB", scene.base)).find("chunk") != std::string::npos);
    for (const char* wrong : {"", "chunk", "chunk=", "chunk=0", "chunk=off", "ahead=off", "ahead=-1", "ahead=2000",
                              "chunk=4MiB,", "chunk=4MiB,what=1", "humongous=off"}) {
        CAPTURE(wrong);
        CHECK_FALSE(way_of_change(wrong, scene.base));
    }
}

TEST_CASE("a sweep doubles from its first size to its last") {
    const Scene scene;
    const auto swept = ways_of_sweep("chunk=1MiB..9MiB", scene.base);
    REQUIRE(swept);
    CHECK(swept->setting == "chunk");
    CHECK(swept->sizes == std::vector<std::uint64_t>{1u << 20, 2u << 20, 4u << 20, 8u << 20});
    REQUIRE(swept->ways.size() == swept->sizes.size());
    CHECK(swept->ways.back().policy->buckets.front().chunk_size_bytes.value == 8u << 20);
    REQUIRE(ways_of_sweep("dedicated=1B..16EiB", scene.base).error().code == ErrorCode::kOutOfRange);
    const auto widest = ways_of_sweep("dedicated=1..15EiB", scene.base);
    REQUIRE(widest);
    CHECK(widest->sizes.size() == 64);
    for (const char* wrong : {"", "chunk=1MiB", "chunk=2MiB..1MiB", "chunk=0..1MiB", "ahead=1..4", "chunk=1MiB..",
                              "chunk=..1MiB", "size=1MiB..2MiB"}) {
        CAPTURE(wrong);
        CHECK_FALSE(ways_of_sweep(wrong, scene.base));
    }
}

}  // namespace heapwright::whatif
