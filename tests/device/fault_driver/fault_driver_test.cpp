// What a probe keeps of a driver that crashes, hangs, ends the process, starts helpers, fails or lies at one of its
// calls. This program is its own worker.
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_macros.hpp>

#include "isolate/driver_stages.hpp"
#include "isolate/worker.hpp"
#include "test_paths.hpp"
#include "vulkan/requirement_query.hpp"
#include "vulkan/sweeps.hpp"

using namespace heapwright;

namespace {

std::string good_driver() {
    const char* icd = std::getenv("HEAPWRIGHT_ICD_LAVAPIPE");
    if (icd == nullptr || *icd == '\0') SKIP("HEAPWRIGHT_ICD_LAVAPIPE is not set");
    return icd;
}

// The fault driver around lavapipe, beside lavapipe itself; alone where it is measured, which takes seconds a device.
isolate::Probed probe_with(const std::string& faults, bool timing = false,
                           std::uint64_t time_limit_ns = 100'000'000'000) {
    const std::string good = good_driver();
    setenv("HEAPWRIGHT_FAULT_DRIVER", good.c_str(), 1);
    setenv("HEAPWRIGHT_FAULT", faults.c_str(), 1);
    isolate::DeviceChoice choice;
    choice.apis = isolate::ApiChoice::kVulkan;
    choice.icd_files = {test::build_path("fault_driver/heapwright_fault_driver.json")};
    if (!timing) choice.icd_files.push_back(good);
    choice.limits.time_limit_ns = time_limit_ns;
    choice.limits.memory_limit_bytes = 256ull << 20;
    auto probed = isolate::probe_devices(choice, {.timing = timing}, nullptr);
    if (!probed) FAIL(to_string(probed.error()));
    return std::move(*probed);
}

template <class Sweep>
std::size_t answered(const Sweep& sweep) {
    return static_cast<std::size_t>(
        std::ranges::count_if(sweep.cases, [](const auto& entry) { return entry.table.has_value(); }));
}

const model::Finding* finding_of(const model::DeviceReport& device, std::string_view id) {
    const auto found = std::ranges::find(device.findings, id, &model::Finding::id);
    return found == device.findings.end() ? nullptr : &*found;
}

std::map<std::string, std::uint64_t> counted_calls(bool timing = false) {
    const auto file = std::filesystem::temp_directory_path() / ("heapwright-calls-" + std::to_string(getpid()));
    setenv("HEAPWRIGHT_FAULT_COUNTS", file.c_str(), 1);
    (void)probe_with("", timing);
    unsetenv("HEAPWRIGHT_FAULT_COUNTS");
    std::map<std::string, std::uint64_t> calls;
    std::ifstream in(file);
    std::string name;
    for (std::uint64_t count = 0; in >> name >> count;) calls[name] += count;
    std::filesystem::remove(file);
    return calls;
}

constexpr const char* kQuestion = "vkGetDeviceImageMemoryRequirements";

std::string question() {
    return counted_calls().contains(kQuestion) ? kQuestion : "vkGetDeviceImageMemoryRequirementsKHR";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "worker") == 0) return isolate::run_worker() ? 0 : 1;
    return Catch::Session().run(argc, argv);
}

TEST_CASE("a fault driver without a fault is the driver that it stands around") {
    const isolate::Probed probed = probe_with("");
    CHECK_FALSE(probed.faults);
    REQUIRE(probed.report.devices.size() == 2);
    CHECK(answered(probed.report.devices[0].image_sweep) == answered(probed.report.devices[1].image_sweep));
    CHECK(probed.report.devices[0].limits == probed.report.devices[1].limits);
    CHECK(counted_calls().at("vkEnumeratePhysicalDevices") > 0);
}

TEST_CASE("a probe goes on after a crash without the case that the driver was in") {
    const std::string asked = question();
    const isolate::Probed whole = probe_with("");
    // In the middle of the sweep, once: a process that asks less never reaches that call again.
    const auto calls = counted_calls().at(asked) / 2;
    const isolate::Probed probed = probe_with(asked + "@" + std::to_string(calls) + "=crash");
    CHECK(probed.faults);
    REQUIRE(probed.report.devices.size() == 2);
    const model::DeviceReport& crashed = probed.report.devices[0];
    const model::DeviceReport& good = whole.report.devices[0];
    const auto lost = answered(good.image_sweep) - answered(crashed.image_sweep);
    INFO(answered(crashed.image_sweep) << " of " << answered(good.image_sweep));
    CHECK(lost >= 1);
    // The same call crashes again in later cases, until the stage is given up there; what came before is kept.
    CHECK(answered(crashed.image_sweep) * 3 >= answered(good.image_sweep));
    CHECK(answered(crashed.buffer_sweep) == answered(good.buffer_sweep));
    const auto skipped = std::ranges::find_if(crashed.image_sweep.cases, [](const model::ImageCase& entry) {
        return entry.not_supported.starts_with("not asked");
    });
    REQUIRE(skipped != crashed.image_sweep.cases.end());
    CHECK(skipped->not_supported.find("SIGSEGV") != std::string::npos);
    REQUIRE(!probed.report.failures.empty());
    for (const model::ProbeFailure& failure : probed.report.failures) {
        CHECK(failure.code == SIGSEGV);
        CHECK(failure.last_call.find("ImageMemoryRequirements") != std::string::npos);
    }
    REQUIRE(finding_of(crashed, "driver-crash") != nullptr);
    CHECK(answered(probed.report.devices[1].image_sweep) == answered(good.image_sweep));
    CHECK(probed.report.devices[1].findings.size() == whole.report.devices[1].findings.size());
}

TEST_CASE("a stage in which every call crashes is given up, and the others are complete") {
    const std::string asked = question();
    const isolate::Probed whole = probe_with("");
    const isolate::Probed probed = probe_with(asked + "@1+=abort");
    const model::DeviceReport& crashed = probed.report.devices.at(0);
    CHECK(answered(crashed.image_sweep) == 0);
    CHECK(answered(crashed.buffer_sweep) == answered(whole.report.devices[0].buffer_sweep));
    CHECK_FALSE(crashed.limits.empty());
    CHECK(probed.report.failures.size() == 3);
    CHECK(probed.report.failures.front().code == SIGABRT);
}

TEST_CASE("a driver that hangs in a case loses that stage alone, within the time limit") {
    const std::string asked = question();
    const auto calls = counted_calls().at(asked) / 2;
    constexpr std::uint64_t kLimitNs = 2'000'000'000;
    const isolate::Probed probed = probe_with(asked + "@" + std::to_string(calls) + "=hang", false, kLimitNs);
    const model::DeviceReport& hung = probed.report.devices.at(0);
    CHECK(answered(hung.image_sweep) > 10);
    CHECK(answered(hung.buffer_sweep) > 0);
    // The next process counts anew: it asks what came before the hang, and meets the fault where it asks again.
    REQUIRE(!probed.report.failures.empty());
    CHECK(probed.report.failures.size() <= 2);
    for (const model::ProbeFailure& failure : probed.report.failures) {
        CHECK(failure.reason.find("no answer") != std::string::npos);
        CHECK((failure.step == "image sweep" || failure.step == "images again"));
    }
}

TEST_CASE("a driver that ends the process, or starts a helper, takes nothing with it") {
    const std::string asked = question();
    const isolate::Probed ended = probe_with(asked + "@100=exit");
    CHECK(ended.faults);
    CHECK(ended.report.failures.front().reason.find("exit code 3") != std::string::npos);
    CHECK(answered(ended.report.devices.at(0).buffer_sweep) > 0);
    const isolate::Probed helped = probe_with("vkCreateInstance@1=fork");
    CHECK_FALSE(helped.faults);
    CHECK(helped.report.failures.empty());
    CHECK(helped.report.devices.size() == 2);
}

TEST_CASE("a device that cannot be measured is a fault, and keeps its facts") {
    constexpr int kDeviceLost = -4;
    for (const char* function : {"vkQueueSubmit", "vkQueueSubmit2", "vkQueueSubmit2KHR"}) {
        if (!counted_calls().contains("vkCreateDevice")) break;
        const isolate::Probed probed = probe_with(std::string(function) + "@1+=" + std::to_string(kDeviceLost), true);
        const model::DeviceReport& lost = probed.report.devices.at(0);
        CHECK(answered(lost.image_sweep) > 10);
        if (lost.run.engines) continue;  // the driver's submissions go through another of these
        INFO(function);
        CHECK(probed.faults);
        const model::Finding* finding = finding_of(lost, "engines-not-measured");
        REQUIRE(finding != nullptr);
        CHECK(finding->severity == model::FindingSeverity::kWarning);
    }
}

TEST_CASE("a call that fails in the midst of a probe leaves what came before it") {
    const isolate::Probed probed = probe_with("vkCreateDevice@1=-3");
    CHECK(probed.faults);
    REQUIRE(probed.report.devices.size() == 2);
    const model::DeviceReport& device = probed.report.devices[0];
    CHECK_FALSE(device.limits.empty());
    CHECK(device.image_sweep.cases.empty());
    const model::Finding* finding = finding_of(device, "probe-cut-short");
    REQUIRE(finding != nullptr);
    CHECK(finding->statement.find("vkCreateDevice") != std::string::npos);
    CHECK(probed.report.failures.size() == 1);
    CHECK(answered(probed.report.devices[1].image_sweep) > 100);
}

TEST_CASE("a call of the measurements that crashes or hangs is named") {
    for (const char* fault : {"crash", "hang"}) {
        // An early one: how often a measurement calls depends on its time, and so on what else the machine does.
        const isolate::Probed probed = probe_with("vkCmdCopyBuffer@2=" + std::string(fault), true, 3'000'000'000);
        REQUIRE_FALSE(probed.report.failures.empty());
        CHECK(probed.report.failures.front().last_call.starts_with("vkCmdCopyBuffer"));
        CHECK(answered(probed.report.devices.at(0).image_sweep) > 10);
    }
}

TEST_CASE("memory that may be in flight outlives a wait that failed") {
    constexpr int kTimeout = 2;
    constexpr int kDeviceLost = -4;
    const auto calls = counted_calls(true);
    for (const std::string function : {"vkWaitSemaphores", "vkWaitSemaphoresKHR"}) {
        if (!calls.contains(function)) continue;
        for (const int result : {kTimeout, kDeviceLost}) {
            for (const int call : {1, 5, 20}) {
                const std::string fault = function + "@" + std::to_string(call) + "+=" + std::to_string(result);
                INFO(fault);
                REQUIRE(calls.at(function) >= 20);
                const isolate::Probed probed = probe_with(fault, true);
                for (const model::ProbeFailure& failure : probed.report.failures) {
                    INFO(failure.reason << " in " << failure.last_call);
                    CHECK(false);  // a crash of ours, told as the driver's
                }
                CHECK(finding_of(probed.report.devices.at(0), "driver-crash") == nullptr);
            }
        }
    }
    CHECK((calls.contains("vkWaitSemaphores") || calls.contains("vkWaitSemaphoresKHR")));
}

TEST_CASE("answers that break the specification are set aside") {
    const std::string asked = question();
    for (const char* lie : {"zero-size", "odd-alignment", "no-types"}) {
        INFO(lie);
        const isolate::Probed probed = probe_with(asked + "@1000=" + lie);
        CHECK(probed.report.failures.empty());
        const model::DeviceReport& device = probed.report.devices.at(0);
        CHECK(device.image_sweep.odd_answers.size() == 1);
    }
}

TEST_CASE("a driver that copies twice, waits behind each copy or lets queues take turns is measured all the same") {
    for (const char* fault : {"vkCmdCopyBuffer@1+=twice", "vkCmdCopyBuffer@1+=barrier", "vkQueueSubmit@1+=in-turn"}) {
        CAPTURE(fault);
        const isolate::Probed probed = probe_with(fault, true);
        REQUIRE(probed.report.devices.size() == 1);
        REQUIRE(probed.report.devices[0].run.engines);
        const auto& curves = probed.report.devices[0].run.engines->copy_curves;
        CHECK(std::ranges::any_of(curves, [](const model::CopyCurve& curve) { return !curve.points.empty(); }));
        CHECK(probed.report.failures.empty());
    }
}

TEST_CASE("a driver that answers the same question otherwise the second time is found") {
    const isolate::Probed sound = probe_with("");
    CHECK(finding_of(sound.report.devices.at(0), "image-requirements-change") == nullptr);
    CHECK(finding_of(sound.report.devices.at(0), "buffer-requirements-change") == nullptr);
    const isolate::Probed probed = probe_with(question() + "@1000+=larger");
    CHECK(probed.report.failures.empty());
    const model::Finding* finding = finding_of(probed.report.devices.at(0), "image-requirements-change");
    REQUIRE(finding != nullptr);
    CHECK(finding->severity == model::FindingSeverity::kViolation);
    REQUIRE(finding->evidence.size() == 2);
    const auto answer = [](const std::string& evidence) { return evidence.substr(evidence.find("size_bytes")); };
    CHECK(answer(finding->evidence[0]) != answer(finding->evidence[1]));
}

// The one test that loads the driver into this process: the faults of its first instance are those of all.
TEST_CASE(
    "where memory requirements are asked of objects, one that cannot be created is told, but for lack of memory") {
    const std::string good = good_driver();
    setenv("HEAPWRIGHT_FAULT_DRIVER", good.c_str(), 1);
    setenv("HEAPWRIGHT_FAULT", "vkCreateImage@2+=-4;vkCreateBuffer@1+=-2", 1);
    const auto instance =
        vulkan::Instance::create({.icd_files = {test::build_path("fault_driver/heapwright_fault_driver.json")}});
    REQUIRE(instance);
    const auto handles = instance->physical_devices();
    REQUIRE(handles);
    const auto device = vulkan::PhysicalDevice::describe(*instance, handles->at(0));
    REQUIRE(device);
    const auto query = vulkan::RequirementQuery::create(*instance, *device, vulkan::RequirementPath::kObject);
    REQUIRE(query);
    VkImageCreateInfo image = vulkan::create_info(
        model::ImageCase{.format = model::Format::kR8G8B8A8Unorm, .usage = model::image_usage::kSampled});
    image.extent = {16, 16, 1};
    CHECK((*query)->image(image).size_bytes != 0);
    CHECK((*query)->buffer(vulkan::create_info(model::BufferDescription{.size_bytes = 64, .usage = 1})).size_bytes ==
          0);
    CHECK((*query)->failed().count() == 0);
    CHECK((*query)->image(image).size_bytes == 0);
    CHECK((*query)->failed().count() == 1);
    std::vector<model::Finding> findings;
    (*query)->failed().tell("requirements-not-measured", "one is lost", "/image_sweep", findings);
    CHECK(findings.at(0).statement == "vkCreateImage: VK_ERROR_DEVICE_LOST; one is lost");
}
