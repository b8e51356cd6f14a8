// Policies of every preset for every captured report.
#include <algorithm>
#include <ctime>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "policy/advise.hpp"
#include "render/explain.hpp"
#include "render/overview.hpp"
#include "says.hpp"
#include "test_paths.hpp"
#include "workload/read.hpp"

using namespace heapwright;

namespace {

// Small samples: what is asked is that the limits hold, not how good the choice is.
constexpr policy::AdviseOptions kQuick{.sample = {.most_resources = 500, .churn_steps = 100}};

std::vector<std::filesystem::path> report_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path("reports"))) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() == ".json" && name.find("validation") == std::string::npos)
            files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

void check(const model::DeviceReport& device, const model::DevicePolicy& policy) {
    namespace property = model::memory_property;
    const std::uint64_t largest = device.limit("maxMemoryAllocationSize").value_or(~0ull);
    REQUIRE_FALSE(policy.buckets.empty());
    for (const model::BucketPolicy& bucket : policy.buckets) {
        INFO("bucket " << bucket.id);
        const model::MemoryType& type = device.memory_types.at(bucket.memory_type);
        const std::uint64_t chunk = bucket.chunk_size_bytes.value;
        CHECK(chunk != 0);
        CHECK(chunk <= device.heaps.at(type.heap_index).size_bytes);
        CHECK(chunk <= policy.heaps.at(type.heap_index).usable_bytes.value);
        CHECK(chunk <= largest);
    }
    for (const model::MemoryUsePolicy& use : policy.memory_uses) {
        for (const std::uint32_t index : use.memory_types.value) {
            const model::MemoryType& type = device.memory_types.at(index);
            CHECK(device.heaps.at(type.heap_index).size_bytes != 0);
            CHECK((type.property_flags & (property::kDeviceCoherentAmd | property::kDeviceUncachedAmd)) == 0);
        }
    }
    const model::Policy whole{.workload_name = "any", .devices = {policy}};
    for (const model::ListedDecision& decision : model::list_decisions(policy)) {
        INFO(decision.path);
        CHECK_FALSE(decision.why->reason.empty());
        const std::string told = render::explain(whole, {.why = decision.path}).text;
        CHECK(std::ranges::count(told, '\n') < static_cast<std::ptrdiff_t>(render::kScreenLines));
    }
    for (const std::string& claim : test::all_claims(policy)) {
        INFO(claim);
        CHECK(claim.size() <= model::kLongestClaim);
        CHECK(claim.find_first_of("{}") == std::string::npos);
    }
    for (const model::BucketPolicy& bucket : policy.buckets) {
        INFO("bucket " << bucket.id);
        CHECK_FALSE(bucket.chunk_size_bytes.why.inputs.empty());
        CHECK(bucket.chunk_size_bytes.why.alternatives.size() >= (model::is_in_use(bucket) ? 4u : 1u));
    }
}

}  // namespace

TEST_CASE("every preset gives every captured report a policy within the device's limits, each number explained") {
    std::size_t advised = 0;
    std::size_t devices = 0;
    bool amd_types_seen = false;
    for (const auto& file : report_files()) {
        INFO(file.filename().string());
        const auto report = model::read_report(read_file(file.string()).value(), file.string());
        REQUIRE(report);
        for (const model::DeviceReport& device : report->devices) {
            INFO(device.identity.name);
            ++devices;
            amd_types_seen |= std::ranges::any_of(device.memory_types, [](const model::MemoryType& type) {
                return (type.property_flags & model::memory_property::kDeviceCoherentAmd) != 0;
            });
            for (const std::string_view preset : workload::preset_names()) {
                INFO(preset);
                const auto hints = workload::preset(preset);
                REQUIRE(hints);
                const auto policy = policy::advise(device, *hints, 0, kQuick);
                if (std::ranges::all_of(device.run.heap_budgets, [](auto one) { return one.budget_bytes == 0; }) &&
                    !device.run.heap_budgets.empty()) {
                    // A driver without a kernel behind it names no budget.
                    REQUIRE(policy);
                    for (const model::HeapPolicy& heap : policy->heaps) CHECK(heap.base_bytes == heap.size_bytes);
                }
                if (!policy) FAIL(to_string(policy.error()));
                check(device, *policy);
                ++advised;
            }
        }
    }
    CHECK(devices >= 6);
    CHECK(advised >= 5 * 5);
    CHECK(amd_types_seen);
}

TEST_CASE("the search ends within seconds for every preset on the largest captured report") {
    const auto files = report_files();
    const auto largest = std::ranges::max_element(files, {}, [](const auto& file) { return file_size(file); });
    REQUIRE(largest != files.end());
    const auto report = model::read_report(read_file(largest->string()).value(), largest->string());
    REQUIRE(report);
    for (const std::string_view preset : workload::preset_names()) {
        const std::clock_t before = std::clock();
        const auto policy = policy::advise(report->devices.front(), workload::preset(preset).value());
        const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        REQUIRE(policy);
        INFO(preset << " on " << largest->filename().string());
        CHECK(seconds < 5);
    }
}
