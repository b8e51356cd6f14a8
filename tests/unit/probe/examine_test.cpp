#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "planted_findings.hpp"
#include "probe/examine.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

std::vector<std::string> ids(const std::vector<model::Finding>& findings) {
    std::vector<std::string> result;
    for (const model::Finding& finding : findings) result.push_back(finding.id);
    return result;
}

}  // namespace

TEST_CASE("A sound device has no findings") {
    CHECK(ids(probe::examine(sound_device())).empty());
    CHECK(probe::examine({}).empty());
}

TEST_CASE("Each planted violation is found, and nothing else") {
    for (const PlantedFinding& planted : planted_findings()) {
        model::DeviceReport device = sound_device();
        planted.plant(device);
        const auto found = probe::examine(device);
        INFO(planted.id);
        CHECK(ids(found) == std::vector{planted.id});
        if (found.empty()) continue;
        CHECK(!found[0].statement.empty());
        CHECK(found[0].evidence.size() == planted.evidence);
        for (const std::string& entry : found[0].evidence) CHECK(entry.starts_with("/"));
        const bool allowed = found[0].id == "buffer-image-granularity-not-power-of-two";
        CHECK(found[0].clause.empty() == allowed);
    }
}

TEST_CASE("A budget above its heap breaks Vulkan's rules and none of DXGI's; usage breaks none, and each is told") {
    model::DeviceReport device = sound_device();
    device.run.heap_budgets = {{.budget_bytes = ~0ull, .usage_bytes = ~0ull},
                               {.budget_bytes = 4096, .usage_bytes = 4097}};
    const auto severities = [](const std::vector<model::Finding>& findings) {
        std::vector<model::FindingSeverity> result;
        for (const model::Finding& finding : findings) result.push_back(finding.severity);
        return result;
    };
    using enum model::FindingSeverity;
    const std::vector<std::string> all{"budget-above-heap:0", "usage-above-heap:0", "usage-above-budget:1"};
    const auto of_vulkan = probe::examine(device);
    CHECK(ids(of_vulkan) == all);
    CHECK(severities(of_vulkan) == std::vector{kViolation, kWarning, kWarning});
    CHECK(of_vulkan[0].statement ==
          "heap 0 reports a budget of 18446744073709551615 bytes, more than its 8589934592 bytes");
    CHECK(of_vulkan[2].statement == "heap 1 reports 4097 bytes in use, more than its budget of 4096 bytes");
    device.identity.api = model::Api::kD3d12;
    const auto of_d3d12 = probe::examine(device);
    CHECK(ids(of_d3d12) == all);
    CHECK(severities(of_d3d12) == std::vector{kWarning, kWarning, kWarning});
    // Nothing is known of a budget of 0, nor of what lies in a heap of no size.
    device.run.heap_budgets = {{.budget_bytes = 0, .usage_bytes = 8ull << 30}, {.budget_bytes = 1, .usage_bytes = 1}};
    CHECK(ids(probe::examine(device)).empty());
    device.heaps[0].size_bytes = 0;
    device.run.heap_budgets[0] = {.budget_bytes = 5, .usage_bytes = 9};
    CHECK(ids(probe::examine(device)).empty());
}

TEST_CASE("Answers that the sweep left out are judged alone, and counted") {
    const auto image = [](model::MemoryRequirements answer) {
        model::DeviceReport device = sound_device();
        device.image_sweep.odd_answers = {
            {.description = {.usage = model::image_usage::kSampled, .width = 64, .height = 64},
             .answer = {answer},
             .count = 17}};
        return probe::examine(device);
    };
    const auto three = image({.size_bytes = 16384, .alignment_bytes = 3, .memory_type_bits = 7});
    REQUIRE(ids(three) == std::vector<std::string>{"image-alignment-not-power-of-two"});
    CHECK(three[0].statement.find(": 17 of ") != std::string::npos);
    CHECK(three[0].evidence[0].starts_with("/image_sweep/odd_answers/0 (image 64x64 R8G8B8A8_UNORM, usage SAMPLED"));
    CHECK(three[0].evidence[0].find("alignment_bytes 3") != std::string::npos);
    CHECK(ids(image({.size_bytes = 16384, .alignment_bytes = 0, .memory_type_bits = 7})) ==
          std::vector<std::string>{"image-alignment-not-power-of-two"});
    CHECK(ids(image({.size_bytes = 16384, .alignment_bytes = 64, .memory_type_bits = 0})) ==
          std::vector<std::string>{"image-memory-types-empty"});
    CHECK(ids(image({.size_bytes = 16384, .alignment_bytes = 64, .memory_type_bits = 0x80000007u})) ==
          std::vector<std::string>{"image-memory-types-unknown"});
    CHECK(ids(image({.size_bytes = 0, .alignment_bytes = 3, .memory_type_bits = 7})) ==
          std::vector<std::string>{"image-size-zero", "image-alignment-not-power-of-two"});
}

TEST_CASE("No id is planted twice") {
    std::vector<std::string> planted;
    for (const PlantedFinding& entry : planted_findings()) planted.push_back(entry.id);
    std::sort(planted.begin(), planted.end());
    CHECK(std::adjacent_find(planted.begin(), planted.end()) == planted.end());
}

TEST_CASE("A device without a device-local heap, or without the types that every device has, is found out") {
    model::DeviceReport device = sound_device();
    device.image_sweep = {};
    device.buffer_sweep = {};
    device.heaps = {device.heaps[1]};
    device.memory_types = {device.memory_types[1]};
    device.memory_types[0].heap_index = 0;
    CHECK(ids(probe::examine(device)) ==
          std::vector<std::string>{"no-device-local-heap", "no-device-local-memory-type"});
    device = sound_device();
    device.image_sweep = {};
    device.buffer_sweep = {};
    device.memory_types = {device.memory_types[0]};
    CHECK(ids(probe::examine(device)) == std::vector<std::string>{"no-host-coherent-memory-type"});
}

TEST_CASE("Every listed combination of memory properties is accepted, in the listed order") {
    // The list of the specification, "Device Memory Properties".
    constexpr model::Flags kListed[] = {0x0,  0x6,  0xa,  0xe,  0x1,  0x7,  0xb,  0xf,  0x11, 0x20, 0x21,
                                        0x46, 0x4e, 0x41, 0x47, 0x4f, 0xc6, 0xce, 0xc1, 0xc7, 0xcf};
    model::DeviceReport device = sound_device();
    device.image_sweep = {};
    device.buffer_sweep = {};
    device.memory_types.clear();
    for (const model::Flags flags : kListed) {
        device.memory_types.push_back({.heap_index = (flags & 1u) != 0 ? 0u : 1u, .property_flags = flags});
    }
    CHECK(ids(probe::examine(device)).empty());
    // Later extensions' bits are not judged.
    device.memory_types = {sound_device().memory_types};
    device.memory_types.push_back({.heap_index = 0, .property_flags = 0x1001});
    CHECK(ids(probe::examine(device)).empty());
    for (const model::Flags flags :
         {0x2u, 0x4u, 0x8u, 0xcu, 0x10u, 0x13u, 0x22u, 0x31u, 0x40u, 0x80u, 0x81u, 0x4au, 0x100u}) {
        device.memory_types.back() = {.heap_index = (flags & 1u) != 0 ? 0u : 1u, .property_flags = flags};
        const auto found = ids(probe::examine(device));
        INFO(flags);
        CHECK(std::count(found.begin(), found.end(), "memory-type-flags-not-listed:4") == 1);
    }
}

TEST_CASE("The guarantees of maintenance4 bind no device without it") {
    for (const PlantedFinding& planted : planted_findings()) {
        if (planted.id.find("-size-") == std::string::npos || planted.id == "zero-size-heap") continue;
        if (planted.id.ends_with("-size-zero")) continue;
        model::DeviceReport device = sound_device();
        planted.plant(device);
        device.features.clear();
        INFO(planted.id);
        CHECK(probe::examine(device).empty());
    }
}

TEST_CASE("Direct3D 12 devices, but for their budgets, and known findings are left alone") {
    for (const PlantedFinding& planted : planted_findings()) {
        model::DeviceReport device = sound_device();
        planted.plant(device);
        device.findings = probe::examine(device);
        INFO(planted.id);
        CHECK(probe::examine(device).empty());
        device.findings.clear();
        device.identity.api = model::Api::kD3d12;
        device.run.heap_budgets.clear();
        CHECK(probe::examine(device).empty());
    }
}

TEST_CASE("Odd extents are compared with the grid") {
    model::DeviceReport device = sound_device();
    device.image_sweep.tables[0].size_bytes.back() = 64;  // 100x20, smaller than 64x16
    CHECK(ids(probe::examine(device)) == std::vector<std::string>{"image-size-falls-with-extent"});
}
