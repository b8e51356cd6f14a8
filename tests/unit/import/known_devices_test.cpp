// The devices that come with the program: every one of the list can be read, found by its names and advised for.
#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "import/known_devices.hpp"
#include "policy/advise.hpp"
#include "workload/read.hpp"

using namespace heapwright;

TEST_CASE("every known device says where it is from, and its report holds that one device") {
    std::set<std::string> files;
    for (const import::KnownDevice& device : import::known_devices()) {
        INFO(import::title_of(device));
        CHECK(files.insert(device.file).second);
        CHECK(!device.source.empty());
        CHECK(!device.driver_version.empty());
        CHECK((device.date.size() == 10 || device.date.starts_with("by 20")));
        CHECK(!device.licence.empty());
        const auto report = import::report_of(device);
        if (!report) FAIL(to_string(report.error()));
        REQUIRE(report->devices.size() == 1);
        const model::DeviceReport& only = report->devices.front();
        CHECK(only.identity.api == device.api);
        CHECK(only.identity.name == device.device_name);
        CHECK(!only.heaps.empty());
        CHECK((only.origin == model::ReportOrigin::kImport) == (device.basis == import::Basis::kReported));
        CHECK(only.run.memory_cost.empty() == (device.basis != import::Basis::kProbed));
        // CC BY 4.0 asks for it.
        const bool named = std::ranges::any_of(only.findings, [](const model::Finding& finding) {
            return finding.statement.find("vulkan.gpuinfo.org under CC BY 4.0") != std::string::npos;
        });
        CHECK(named == (device.source.find("vulkan.gpuinfo.org") != std::string::npos));
        CHECK(named == (device.licence.find("CC BY 4.0") != std::string::npos));
        CHECK((device.source == "D3d12info") == (device.licence.find("Copyright (c)") != std::string::npos));
    }
    CHECK(files.size() == import::embedded_reports().size());
}

TEST_CASE("a policy can be computed for every known device") {
    const auto workload = workload::preset("desktop-app");
    REQUIRE(workload);
    for (const import::KnownDevice& device : import::known_devices()) {
        INFO(import::title_of(device));
        const auto report = import::report_of(device);
        REQUIRE(report);
        const auto policy =
            policy::advise(report->devices.front(), *workload, 0, {.capacity_alone = true, .with_expectations = false});
        if (!policy) FAIL(to_string(policy.error()));
        CHECK(!policy->heaps.empty());
    }
}

TEST_CASE("every known device is found by its own names, in any case, with and without spaces") {
    for (const import::KnownDevice& device : import::known_devices()) {
        const auto means_it = [&](std::string name) {
            INFO(name);
            const auto found = import::find_known(name);
            if (!found) FAIL(to_string(found.error()));
            CHECK(found->device->gpu == device.gpu);
            std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
            const auto loud = import::find_known(name);
            REQUIRE(loud);
            CHECK(loud->device == found->device);
            std::erase(name, ' ');
            const auto close = import::find_known(name);
            REQUIRE(close);
            CHECK(close->device->gpu == device.gpu);
        };
        means_it(device.gpu);
        for (const std::string& also : device.also) {
            const auto found = import::find_known(also);
            INFO(also);
            REQUIRE(found);
            CHECK(found->device->gpu == device.gpu);
        }
        const auto whole = import::find_known(import::title_of(device));
        INFO(import::title_of(device));
        REQUIRE(whole);
        CHECK(whole->device == &device);
        CHECK(whole->is_whole);
        CHECK(whole->others.empty());
        const auto own = import::find_known(device.device_name);  // as the driver writes it
        INFO(device.device_name);
        REQUIRE(own);
        CHECK(own->device->gpu == device.gpu);
    }
}

TEST_CASE("a driver beside the GPU chooses among its reports, and the GPU alone names the others") {
    const auto alone = import::find_known("rx 7900 xtx");
    REQUIRE(alone);
    CHECK(alone->is_whole);
    CHECK(alone->device->driver == "Windows");
    REQUIRE(alone->others.size() == 1);
    CHECK(alone->others.front()->driver == "RADV, Linux");
    const auto radv = import::find_known("7900xtx radv");
    REQUIRE(radv);
    CHECK(radv->device->driver == "RADV, Linux");
    CHECK(radv->others.empty());
    const auto d3d12 = import::find_known("RTX4090 d3d12");
    REQUIRE(d3d12);
    CHECK(d3d12->device->api == model::Api::kD3d12);
}

TEST_CASE("a part of another GPU's name means nothing, and what may mean several says which") {
    for (const char* name : {"7900 XT", "RTX 409", "H10", "", "  ", "RTX 9999"}) {
        INFO(name);
        CHECK(!import::find_known(name));
    }
    const auto part = import::find_known("mali");
    REQUIRE(part);
    CHECK_FALSE(part->is_whole);
    CHECK(!import::find_known("AMD Radeon Graphics"));
    const auto several = import::find_known("radeon rx");
    REQUIRE(!several);
    CHECK(several.error().message.find("AMD Radeon RX 7900 XTX") != std::string::npos);
    const auto near = import::find_known("GeForce RTX 4091");
    REQUIRE(!near);
    CHECK(near.error().message.find("GeForce RTX 4090") != std::string::npos);
}
