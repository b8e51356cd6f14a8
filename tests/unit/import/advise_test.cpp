// Policies from imported reports: within every limit that the file states, and honest about what it lacks.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>

#include "core/checked.hpp"
#include "heapwright/model/json.hpp"
#include "inputs.hpp"
#include "policy/advise.hpp"
#include "says.hpp"
#include "workload/read.hpp"

using namespace heapwright;

namespace {

// What is checked here does not depend on how much of the workload is simulated.
const policy::AdviseOptions kQuick{.sample = {.most_resources = 300, .churn_steps = 100}};

namespace property = model::memory_property;

bool warns(const model::DevicePolicy& policy, std::string_view text) {
    return test::says(policy.warnings, text);
}

void check_heaps(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    for (const model::HeapPolicy& heap : policy.heaps) {
        CHECK(heap.usable_bytes.value <= device.heaps.at(heap.heap).size_bytes);
        CHECK_FALSE(heap.usable_bytes.why.reason.empty());
        CHECK_FALSE(heap.parts.why.reason.empty());
        if (!device.run.heap_budgets.empty()) {
            CHECK(heap.usable_bytes.value <= device.run.heap_budgets.at(heap.heap).budget_bytes);
        }
    }
}

void check_buckets(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    const std::uint64_t largest = device.limit("maxMemoryAllocationSize").value_or(~0ull);
    CHECK_FALSE(policy.buckets.empty());
    for (const model::BucketPolicy& bucket : policy.buckets) {
        INFO("bucket " << bucket.id);
        const model::MemoryType& type = device.memory_types.at(bucket.memory_type);
        const std::uint64_t chunk = bucket.chunk_size_bytes.value;
        CHECK(device.heaps.at(type.heap_index).size_bytes != 0);
        CHECK(chunk > 0);
        CHECK(chunk <= device.heaps[type.heap_index].size_bytes);
        CHECK(chunk <= policy.heaps.at(type.heap_index).usable_bytes.value);
        CHECK(chunk <= largest);
        CHECK(chunk % bucket.granule_bytes.value == 0);
        CHECK_FALSE(bucket.chunk_size_bytes.why.reason.empty());
        CHECK_FALSE(bucket.granule_bytes.why.reason.empty());
        CHECK_FALSE(bucket.suballocator.why.reason.empty());
        CHECK((type.property_flags &
               (property::kDeviceCoherentAmd | property::kDeviceUncachedAmd | property::kProtected)) == 0);
    }
}

void check_memory_uses(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        CHECK_FALSE(use.memory_types.why.reason.empty());
        CHECK(use.memory_types.value.size() + use.excluded.size() == device.memory_types.size());
        for (const std::uint32_t index : use.memory_types.value) {
            const model::MemoryType& type = device.memory_types.at(index);
            CHECK(device.heaps.at(type.heap_index).size_bytes != 0);
            // Lazily allocated memory has buckets, but only transient attachments are sent there.
            CHECK((type.property_flags &
                   (property::kDeviceCoherentAmd | property::kDeviceUncachedAmd | property::kLazilyAllocated)) == 0);
        }
        for (const auto& excluded : use.excluded) CHECK_FALSE(excluded.reason.empty());
    }
}

void check_policy(const model::DeviceReport& device, const model::DevicePolicy& policy,
                  const std::string& workload_name) {
    check_heaps(device, policy);
    check_buckets(device, policy);
    check_memory_uses(device, policy);
    for (const auto* why : {&policy.largest_ordinary_bytes.why, &policy.humongous_threshold_bytes.why,
                            &policy.dedicated.why, &policy.separate_linear_and_optimal.why, &policy.max_chunks.why}) {
        CHECK_FALSE(why->reason.empty());
    }
    CHECK(warns(policy, "the report is an import"));
    CHECK(warns(policy, "/image_sweep"));
    // One line for all hints, and one that asks for a probe.
    CHECK(test::times(policy.assumed, model::ClaimId::kSizesAssumed) == 1);
    CHECK(test::makes(policy.assumed, model::ClaimId::kCostAssumed));
    CHECK(test::times(policy.warnings, model::ClaimId::kPointsMissing) == 1);
    CHECK(test::times(policy.warnings, "heapwright probe --workload " + workload_name) == 1);
    CHECK(warns(policy, "reports no budget") == device.run.heap_budgets.empty());
}

}  // namespace

TEST_CASE("a policy from any import keeps its promises and says what it lacks") {
    for (const std::string& name : test::input_names()) {
        if (name.find("profiles") != std::string::npos) continue;
        const model::Report report = test::imported(name);
        for (const std::string_view preset : workload::preset_names()) {
            INFO(name << " with " << preset);
            const auto workload = workload::preset(preset);
            REQUIRE(workload);
            model::Policy policy;
            policy.header.tool_version = "test";
            policy.workload_name = workload->name;
            for (std::size_t i = 0; i < report.devices.size(); ++i) {
                INFO(report.devices[i].identity.name);
                auto device = policy::advise(report.devices[i], *workload, i, kQuick);
                if (!device) FAIL(to_string(device.error()));
                check_policy(report.devices[i], *device, workload->name);
                policy.devices.push_back(std::move(*device));
            }
            const std::string text = model::write(policy);
            const auto again = model::read_policy(text, name);
            if (!again) FAIL(to_string(again.error()));
        }
    }
}

TEST_CASE("a profile gives no policy, and the error says why") {
    const model::Report report = test::imported("nvidia-h100-580.159.04.profiles.json");
    const auto workload = workload::preset("general-engine");
    REQUIRE(workload);
    const auto policy = policy::advise(report, *workload);
    REQUIRE_FALSE(policy);
    CHECK(policy.error().code == ErrorCode::kNoDevice);
    CHECK(policy.error().where == "/devices/0/memory_types");
    CHECK(policy.error().message.find("the file that it was imported from has none") != std::string::npos);
}

TEST_CASE("no type of a heap of no size is used") {
    model::Report report = test::imported("amd-rx7900xtx-radv.38813.json");
    model::DeviceReport& device = report.devices.at(0);
    device.heaps.at(2).size_bytes = 0;
    const auto workload = workload::preset("general-engine");
    REQUIRE(workload);
    const auto policy = policy::advise(device, *workload, 0, kQuick);
    if (!policy) FAIL(to_string(policy.error()));
    check_policy(device, *policy, workload->name);
}
