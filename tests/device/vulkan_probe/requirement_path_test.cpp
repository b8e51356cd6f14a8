// Every way of asking for memory requirements gives the same sweep, and so does an instance of every version.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "drivers.hpp"
#include "probe/run_sweep.hpp"
#include "vulkan/device_report.hpp"
#include "vulkan/requirement_query.hpp"
#include "vulkan/sweeps.hpp"

using namespace heapwright;
using vulkan::RequirementPath;

namespace {

struct Sweeps {
    model::ImageSweep images;
    model::BufferSweep buffers;
};

constexpr std::size_t kTypes = 32;
constexpr std::uint64_t kLargestBuffer = 1ull << 27;

vulkan::Instance open_instance(const std::string& icd, std::uint32_t newest_minor = 3, bool extensions = true) {
    auto instance =
        vulkan::Instance::create({.icd_files = {icd}, .newest_minor = newest_minor, .instance_extensions = extensions});
    if (!instance) FAIL(to_string(instance.error()));
    return std::move(*instance);
}

vulkan::PhysicalDevice first_device(const vulkan::Instance& instance) {
    const auto handles = instance.physical_devices();
    REQUIRE(handles);
    REQUIRE(!handles->empty());
    auto device = vulkan::PhysicalDevice::describe(instance, (*handles)[0]);
    REQUIRE(device);
    return std::move(*device);
}

Sweeps sweep(const vulkan::Instance& instance, const vulkan::PhysicalDevice& device, vulkan::RequirementQuery& query) {
    const device::ReadOptions options;
    probe::SweepPace pace(options);
    std::vector<model::Finding> findings;
    auto images = vulkan::sweep_images(instance, device, query, kTypes, nullptr, pace, findings);
    REQUIRE(images);
    auto buffers = vulkan::sweep_buffers(query, kLargestBuffer, kTypes, nullptr, pace, findings);
    REQUIRE(buffers);
    CHECK(findings.empty());
    return {std::move(*images), std::move(*buffers)};
}

model::Dedicated without(model::Dedicated dedicated, bool tells) {
    return tells ? dedicated : model::Dedicated::kNone;
}

// How many answers were compared.
template <class Sweep>
std::size_t compare(const Sweep& got, const Sweep& expected, bool tells_dedicated) {
    REQUIRE(got.cases.size() == expected.cases.size());
    std::size_t compared = 0;
    std::size_t differing = 0;
    for (std::size_t i = 0; i < got.cases.size(); ++i) {
        INFO("case " << i << ": " << got.cases[i].not_supported);
        REQUIRE(got.cases[i].table.has_value() == expected.cases[i].table.has_value());
        if (!got.cases[i].table) continue;
        const model::SweepTable& a = got.tables[*got.cases[i].table];
        const model::SweepTable& b = expected.tables[*expected.cases[i].table];
        REQUIRE(a.size_bytes == b.size_bytes);
        for (std::size_t point = 0; point < a.size_bytes.size(); ++point) {
            if (a.size_bytes[point] == 0) continue;
            const model::RequirementClass& x = got.requirements[a.requirement[point]];
            const model::RequirementClass& y = expected.requirements[b.requirement[point]];
            const bool same = x.alignment_bytes == y.alignment_bytes && x.memory_type_bits == y.memory_type_bits &&
                              x.dedicated == without(y.dedicated, tells_dedicated);
            differing += same ? 0u : 1u;
            ++compared;
        }
    }
    CHECK(differing == 0);
    return compared;
}

void check_paths(const probe_test::Driver& driver) {
    const std::string icd = probe_test::icd_or_skip(driver);
    const vulkan::Instance instance = open_instance(icd);
    const vulkan::PhysicalDevice device = first_device(instance);
    auto newest = vulkan::RequirementQuery::create(instance, device);
    REQUIRE(newest);
    REQUIRE((*newest)->asks_without_objects());
    const Sweeps expected = sweep(instance, device, **newest);
    for (const RequirementPath path : {RequirementPath::kObject2, RequirementPath::kObject}) {
        INFO("path " << static_cast<int>(path));
        auto query = vulkan::RequirementQuery::create(instance, device, path);
        REQUIRE(query);
        CHECK_FALSE((*query)->asks_without_objects());
        CHECK((*query)->tells_dedicated() == (path == RequirementPath::kObject2));
        const Sweeps got = sweep(instance, device, **query);
        CHECK(compare(got.images, expected.images, (*query)->tells_dedicated()) > 10'000);
        CHECK(compare(got.buffers, expected.buffers, (*query)->tells_dedicated()) > 500);
    }
}

void check_versions(const probe_test::Driver& driver) {
    const std::string icd = probe_test::icd_or_skip(driver);
    const vulkan::Instance newest = open_instance(icd);
    const auto expected = vulkan::read_report(newest, first_device(newest), 0, {});
    REQUIRE(expected);
    struct Old {
        std::uint32_t minor;
        bool extensions;
    };
    for (const Old old : {Old{2, true}, Old{1, true}, Old{0, true}, Old{0, false}}) {
        INFO("Vulkan 1." << old.minor << (old.extensions ? "" : " without extensions"));
        const vulkan::Instance instance = open_instance(icd, old.minor, old.extensions);
        CHECK(instance.api_version() == VK_MAKE_API_VERSION(0, 1, old.minor, 0));
        const bool has_properties2 = instance.functions().get_properties2 != nullptr;
        CHECK(has_properties2 == (old.minor > 0 || old.extensions));
        const auto report = vulkan::read_report(instance, first_device(instance), 0, {});
        if (!report) FAIL(to_string(report.error()));
        CHECK(report->identity.name == expected->identity.name);
        CHECK(report->heaps.size() == expected->heaps.size());
        CHECK(report->memory_types.size() == expected->memory_types.size());
        CHECK(report->queue_families.size() == expected->queue_families.size());
        const bool tells = std::none_of(
            report->unreported.begin(), report->unreported.end(),
            [](const model::UnreportedFact& entry) { return entry.name == "VkMemoryDedicatedRequirements"; });
        CHECK(compare(report->image_sweep, expected->image_sweep, tells) > 10'000);
        CHECK(report->unreported.size() >= expected->unreported.size());
        if (!has_properties2) {
            CHECK(std::all_of(report->limits.begin(), report->limits.end(), [](const model::Fact& fact) {
                return fact.group == "VkPhysicalDeviceLimits" || fact.group == "VkPhysicalDeviceSparseProperties";
            }));
        }
    }
}

}  // namespace

TEST_CASE("requirements by object equal those without on lavapipe", "[lavapipe]") {
    check_paths(probe_test::kLavapipe);
}

TEST_CASE("requirements by object equal those without on the lavapipe of backports", "[lavapipe-backports]") {
    check_paths(probe_test::kLavapipeBackports);
}

TEST_CASE("requirements by object equal those without on SwiftShader", "[swiftshader]") {
    check_paths(probe_test::kSwiftShader);
}

TEST_CASE("an instance of every Vulkan version reads lavapipe", "[lavapipe]") {
    check_versions(probe_test::kLavapipe);
}

TEST_CASE("an instance of every Vulkan version reads SwiftShader", "[swiftshader]") {
    check_versions(probe_test::kSwiftShader);
}
