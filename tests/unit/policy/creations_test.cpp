// By how many threads resources are created, from made-up rates whose best number is known.
#include <catch2/catch_test_macros.hpp>

#include "policy/creation_rules.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace creations_test {

using namespace heapwright;
using model::CreatedObject;

namespace {

// Rates by 1, 2, 4 threads and so on.
model::CreationCurve curve(CreatedObject object, std::vector<std::uint64_t> pairs_per_s, bool memory_priority = false) {
    model::CreationCurve made{
        .object = object, .description = "as the test says", .memory_priority = memory_priority, .points = {}};
    std::uint32_t threads = 1;
    for (const std::uint64_t rate : pairs_per_s) {
        made.points.push_back({.threads = threads,
                               .samples = 5,
                               .pairs_per_s = rate,
                               .least_pairs_per_s = rate,
                               .most_pairs_per_s = rate});
        threads *= 2;
    }
    return made;
}

std::optional<model::CreationPolicy> decide(std::vector<model::CreationCurve> curves) {
    model::DeviceReport device = test::radv_like_device();
    device.run.creations = model::CreationMeasurements{.processors = 16, .curves = std::move(curves)};
    const model::Workload workload = test::small_workload();
    return policy::decide_creations({.device = device, .workload = workload, .device_index = 0});
}

std::uint64_t image_threads(std::vector<std::uint64_t> pairs_per_s) {
    const auto policy = decide({curve(CreatedObject::kImage, std::move(pairs_per_s))});
    REQUIRE(policy);
    REQUIRE(policy->image_threads);
    CHECK(!policy->buffer_threads);
    CHECK(!policy->memory_priority);
    return policy->image_threads->value;
}

}  // namespace

TEST_CASE("a report without rates of creations gives no advice on them") {
    const model::DeviceReport device = test::radv_like_device();
    const model::Workload workload = test::small_workload();
    CHECK(!policy::decide_creations({.device = device, .workload = workload, .device_index = 0}));
    CHECK(!decide({}));
    CHECK(!decide({curve(CreatedObject::kImage, {})}));
}

TEST_CASE("the fewest threads serve whose rate comes within a tenth of the highest") {
    CHECK(image_threads({1'329'000, 643'000, 137'000, 136'000, 107'000}) == 1);
    CHECK(image_threads({1'000'000, 2'000'000, 4'000'000, 8'000'000}) == 8);
    CHECK(image_threads({1'000'000, 1'050'000, 1'100'000}) == 1);  // 0.91 of the highest
    CHECK(image_threads({1'000'000, 2'900'000, 3'000'000, 1'000'000}) == 2);
    CHECK(image_threads({7}) == 1);
}

TEST_CASE("each number of threads has its rates as the reason, and what others lose") {
    const auto policy = decide({curve(CreatedObject::kBuffer, {1'000'000, 3'000'000, 2'500'000, 200'000}),
                                curve(CreatedObject::kDescriptors, {400, 900})});
    REQUIRE(policy);
    REQUIRE(policy->buffer_threads);
    const auto& buffers = *policy->buffer_threads;
    CHECK(buffers.value == 2);
    CHECK(buffers.why.inputs.size() == 3);
    CHECK(buffers.why.alternatives.size() == 2);
    CHECK(test::makes(buffers.why.reason, model::ClaimId::kThreadsTakeTurns));
    REQUIRE(policy->descriptor_threads);
    CHECK(policy->descriptor_threads->value == 2);
    CHECK(test::makes(policy->descriptor_threads->why.reason, model::ClaimId::kNoMoreThreadsMeasured));
    CHECK(test::times(policy->descriptor_threads->why.reason, "by 2 threads 0.9 are created and destroyed") == 1);
}

TEST_CASE("a rate that did not settle says so") {
    model::CreationCurve buffers = curve(CreatedObject::kBuffer, {1'000'000, 3'000'000});
    model::CreationCurve with = curve(CreatedObject::kBuffer, {1'000'000, 3'000'000}, true);
    const auto policy = decide({buffers, with});
    CHECK(!test::makes(policy->buffer_threads->why.reason, model::ClaimId::kRateUnsettled));
    CHECK(!test::makes(policy->memory_priority->why.reason, model::ClaimId::kUnsettled));
    for (model::CreationPoint& point : buffers.points) point.least_pairs_per_s /= 2;
    const auto unsettled = decide({buffers, with});
    CHECK(test::makes(unsettled->buffer_threads->why.reason, model::ClaimId::kRateUnsettled));
    CHECK(test::makes(unsettled->memory_priority->why.reason, model::ClaimId::kUnsettled));
}

TEST_CASE("memoryPriority stays off where it costs more than half of the rate by any number of threads") {
    const auto priority = [](std::vector<std::uint64_t> without, std::vector<std::uint64_t> with) {
        const auto policy = decide(
            {curve(CreatedObject::kBuffer, std::move(without)), curve(CreatedObject::kBuffer, std::move(with), true)});
        REQUIRE(policy);
        REQUIRE(policy->memory_priority);
        CHECK(policy->memory_priority->why.inputs.size() == 2);
        CHECK(policy->memory_priority->why.alternatives.size() == 1);
        return policy->memory_priority->value;
    };
    CHECK(!priority({9'419'000, 105'733'000}, {4'522'000 * 2, 116'000}));
    CHECK(priority({9'419'000, 105'733'000}, {9'000'000, 60'000'000}));
    CHECK(!priority({1'000'000}, {499'000}));
    CHECK(priority({1'000'000}, {500'000}));
}

}  // namespace creations_test
