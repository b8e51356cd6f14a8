// The one request for a probe: it names the points that the workload needs and the report lacks, and the command.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "policy/advise.hpp"
#include "policy/demand.hpp"
#include "says.hpp"
#include "synthetic_device.hpp"

namespace missing_points_test {

using namespace heapwright;
using model::ClaimId;

namespace {

constexpr model::Flags kTexture = model::image_usage::kSampled | model::image_usage::kTransferDst;

model::Workload odd_workload(std::uint32_t extents) {
    model::Workload workload;
    workload.name = "odd-sizes";
    model::ImageHint hint{.usage = kTexture, .count = extents};
    for (std::uint32_t i = 0; i < extents; ++i) hint.extents.push_back({333 + i, 77});
    workload.images = {hint};
    return workload;
}

// What it warns of missing points: how many and the command, and then the first two.
std::vector<std::string> requests(const model::DeviceReport& device, const model::Workload& workload) {
    const auto policy = policy::advise(device, workload, 0, {.sample = {.most_resources = 200, .churn_steps = 50}});
    if (!policy) FAIL(to_string(policy.error()));
    std::vector<std::string> found;
    for (const model::Claim& warning : policy->warnings.claims()) {
        const std::string_view name = model::name_of_claim(warning);
        if (name.starts_with("point")) found.push_back(model::text_of(warning));
    }
    return found;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A report that holds every point of the workload is not asked for more") {
    model::Workload workload = odd_workload(1);
    workload.images[0].extents = {{1920, 1080}, {256, 256}};
    CHECK(requests(test::radv_like_device(), workload).empty());
}

TEST_CASE("A report whose probe was cut short says why it lacks them") {
    model::DeviceReport device = test::radv_like_device();
    const std::string reason = "vkCreateDevice: VK_ERROR_INITIALIZATION_FAILED; what follows is missing";
    device.findings.push_back({.id = "probe-cut-short", .statement = reason});
    const auto says_why = [&] {
        const auto policy =
            policy::advise(device, odd_workload(1), 0, {.sample = {.most_resources = 200, .churn_steps = 50}});
        if (!policy) FAIL(to_string(policy.error()));
        return test::says(policy->warnings, reason);
    };
    CHECK_FALSE(says_why());  // the sweeps came before
    device.image_sweep = {};
    device.buffer_sweep = {};
    CHECK(says_why());
}

TEST_CASE("The missing points are listed with the command that adds them") {
    const auto one = requests(test::radv_like_device(), odd_workload(1));
    REQUIRE(one.size() == 2);
    CHECK(contains(one[0], "lacks 1 point that the workload needs"));
    CHECK(contains(one[1], "R8G8B8A8_UNORM optimal TRANSFER_DST|SAMPLED 333x77 (images/0)"));
    CHECK(one[0].ends_with("heapwright probe --workload odd-sizes --output report.json"));

    const auto many = requests(test::radv_like_device(), odd_workload(20));
    REQUIRE(many.size() == 3);
    CHECK(contains(many[0], "lacks 20 points"));
    CHECK(contains(many[1], "333x77 (images/0)"));
    CHECK(contains(many[2], "334x77 (images/0)"));

    model::Workload buffers;
    buffers.name = "my buffers";
    buffers.buffers = {{.usage = model::buffer_usage::kVertex | model::buffer_usage::kTransferDst,
                        .smallest_bytes = 1000,
                        .largest_bytes = 1000,
                        .count = 3}};
    const auto sized = requests(test::radv_like_device(), buffers);
    REQUIRE(sized.size() == 2);
    CHECK(contains(sized[1], "TRANSFER_DST|VERTEX_BUFFER size_bytes 1000 (buffers/0)"));
    CHECK(sized[0].ends_with("heapwright probe --workload \"my buffers\" --output report.json"));
}

TEST_CASE("Points that were probed are not asked for again") {
    model::DeviceReport device = test::radv_like_device();
    const model::Workload workload = odd_workload(2);
    for (const auto& [width, height] : workload.images[0].extents) {
        device.image_sweep.points.push_back(
            {.description = {.usage = kTexture, .width = width, .height = height},
             .requirements =
                 model::MemoryRequirements{.size_bytes = 131072, .alignment_bytes = 4096, .memory_type_bits = 0x7f}});
    }
    CHECK(requests(device, workload).empty());
    device.image_sweep.points.pop_back();
    CHECK(requests(device, workload).size() == 2);
}

TEST_CASE("A report without a sweep says so once, for all hints") {
    model::DeviceReport device = test::radv_like_device();
    device.image_sweep = {};
    device.buffer_sweep = {};
    const auto policy =
        policy::advise(device, test::small_workload(), 0, {.sample = {.most_resources = 200, .churn_steps = 50}});
    REQUIRE(policy);
    CHECK(test::times(policy->assumed, ClaimId::kSizesAssumed) == 1);
    CHECK(test::times(policy->warnings, "heapwright probe --workload small") == 1);
}

TEST_CASE("A report without times says that costs are assumed, and one with them does not") {
    model::DeviceReport device = test::radv_like_device();
    const policy::AdviseOptions quick{.sample = {.most_resources = 200, .churn_steps = 50}};
    device.run.memory_cost.clear();
    const auto untimed = policy::advise(device, test::small_workload(), 0, quick);
    REQUIRE(untimed);
    // Each memory type has the figure of its own class.
    CHECK(test::says(untimed->assumed, "400 us a call and 25 us a MiB"));
    CHECK(test::says(untimed->assumed, "400 us a call and 300 us a MiB"));
    for (std::uint32_t type = 0; type < device.memory_types.size(); ++type) {
        device.run.memory_cost.push_back(
            {.memory_type = type, .points = {{.size_bytes = 1 << 20, .samples = 9, .allocate_ns = 50'000}}});
    }
    const auto timed = policy::advise(device, test::small_workload(), 0, quick);
    REQUIRE(timed);
    CHECK(timed->assumed.empty());
}

}  // namespace missing_points_test
