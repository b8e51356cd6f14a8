// Imported reports act as devices: what they lack is assumed, and listed.
#include <catch2/catch_test_macros.hpp>

#include "contract/swept_requirements.hpp"
#include "inputs.hpp"
#include "policy/advise.hpp"
#include "replay/device.hpp"
#include "validate/validate.hpp"

namespace replayed_test {

using namespace heapwright;

namespace {

constexpr std::uint64_t kMib = 1ull << 20;

model::Workload small_workload() {
    model::Workload workload;
    workload.name = "small";
    workload.images = {{.largest_side = 256, .full_mips = true, .count = 30}};
    workload.buffers = {{.largest_bytes = 65536, .count = 40},
                        {.usage = model::buffer_usage::kTransferSrc,
                         .largest_bytes = 16384,
                         .count = 10,
                         .memory_use = model::MemoryUse::kUpload}};
    workload.uploads = {.bytes_per_frame = kMib, .largest_bytes = kMib};
    workload.steps_per_frame = 10;
    workload.churn_steps = 100;
    return workload;
}

}  // namespace

TEST_CASE("a policy from any import is validated on that import, replayed with assumed sizes") {
    const model::Workload workload = small_workload();
    for (const std::string& name : test::input_names()) {
        if (name.find("profiles") != std::string::npos) continue;  // they hold no memory
        const model::Report report = test::imported(name);
        for (const model::DeviceReport& device : report.devices) {
            INFO(name << ": " << device.identity.name);
            const auto policy = policy::advise(device, workload);
            if (!policy) FAIL(to_string(policy.error()));
            const auto replayed = replay::open_replay(device, {.interpolate = true, .shadow_limit_bytes = 512 * kMib});
            if (!replayed) FAIL(to_string(replayed.error()));
            validate::ValidateOptions options;
            options.scenarios = {"mixed-workload"};
            options.memory_limit_bytes = 512 * kMib;
            options.simulated_clock = &(*replayed)->clock();
            const auto result = validate::validate(**replayed, *policy, workload, options);
            if (!result) FAIL(to_string(result.error()));
            INFO(result->reason);
            CHECK(result->verdict == model::Verdict::kReplayed);
            const auto answers = (*replayed)->interpolated();
            CHECK(answers.size() > 30);
            for (const replay::InterpolatedRequirement& answer : answers) {
                CHECK(answer.taken_from.empty());
                CHECK(answer.requirements == contract::assumed_requirements(device, answer.resource));
            }
        }
    }
}

}  // namespace replayed_test
