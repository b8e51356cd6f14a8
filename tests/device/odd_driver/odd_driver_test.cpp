// What the probe makes of a driver that answers what no driver may answer: the device stays complete, the report
// valid, the odd answer is left out and kept apart, and a finding names it, with a program that shows it again.
// On lavapipe (HEAPWRIGHT_ICD_LAVAPIPE) below the layer of odd_layer.cpp.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "probe/examine.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using heapwright::test::Output;

namespace {

std::vector<std::string> layer_environment(const std::string& mode) {
    std::vector<std::string> environment{"HEAPWRIGHT_ODD_DRIVER=" + mode};
    if (mode.empty()) return environment;
    environment.push_back("VK_LAYER_PATH=" + test::build_path("tests/device/odd_driver/layers"));
    environment.push_back("VK_INSTANCE_LAYERS=VK_LAYER_HEAPWRIGHT_odd_driver");
    // A layer that the leak checker cannot unwind is unloaded with its instance.
    environment.push_back("ASAN_OPTIONS=detect_leaks=0");
    return environment;
}

model::DeviceReport probed(const std::string& icd, const std::string& mode, const std::filesystem::path& file,
                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"probe", "--api", "vulkan", "--icd", icd, "--no-timing", "-q", "-o", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = test::run_program(arguments, layer_environment(mode));
    INFO(mode << ": " << output.err);
    REQUIRE(output.exit_code == 0);
    const auto report = model::read_report(read_file(file).value(), file.string());
    if (!report) FAIL(to_string(report.error()));
    CHECK(report->failures.empty());
    REQUIRE(report->devices.size() == 1);
    return report->devices[0];
}

std::set<std::string> ids(const model::DeviceReport& device) {
    std::set<std::string> result;
    for (const model::Finding& finding : device.findings) result.insert(finding.id);
    return result;
}

std::size_t answered(const model::DeviceReport& device) {
    return static_cast<std::size_t>(std::count_if(device.image_sweep.cases.begin(), device.image_sweep.cases.end(),
                                                  [](const auto& entry) { return entry.table.has_value(); }));
}

// Every point but the odd one stands in the sweep as the good driver answers it.
void check_same_elsewhere(const model::DeviceReport& odd, const model::DeviceReport& good, bool odd_point_kept) {
    REQUIRE(odd.image_sweep.cases.size() == good.image_sweep.cases.size());
    CHECK(answered(odd) == answered(good));
    const auto spoiled = good.image_sweep.grid.find(64, 64).value();
    std::size_t differing = 0;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < good.image_sweep.cases.size(); ++i) {
        const model::ImageCase& entry = good.image_sweep.cases[i];
        if (!entry.table || entry.dimension == model::ImageDimension::k3d) continue;
        REQUIRE(odd.image_sweep.cases[i].table);
        const auto& sizes = odd.image_sweep.tables[*odd.image_sweep.cases[i].table].size_bytes;
        const auto& expected = good.image_sweep.tables[*entry.table].size_bytes;
        for (std::size_t point = 0; point < expected.size(); ++point) {
            if (point == spoiled && !odd_point_kept) {
                left_out += sizes[point] == 0 ? 1u : 0u;
            } else {
                differing += sizes[point] == expected[point] ? 0u : 1u;
            }
        }
    }
    CHECK(differing == 0);
    CHECK((odd_point_kept ? left_out == 0 : left_out > 100));
    CHECK(odd.buffer_sweep.tables.size() >= good.buffer_sweep.tables.size());
}

int exit_code_of(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The program that `reproduce` writes shows the violation on the odd driver and not on the good one.
void check_reproducer(const std::string& icd, const std::string& mode, const std::string& finding,
                      const std::filesystem::path& folder) {
    const auto report = folder / (mode + ".json");
    const auto source = folder / (finding + ".cpp");
    const auto program = folder / finding;
    const Output written = test::run_program({"reproduce", finding, report, "-o", source});
    INFO(finding << ": " << written.err);
    REQUIRE(written.exit_code == 0);
    REQUIRE(exit_code_of(std::string(HEAPWRIGHT_CXX) + " -std=c++17 -Wall -Wextra -Werror -o " + program.string() +
                         " " + source.string() + " -lvulkan") == 0);
    const std::string run =
        "VK_DRIVER_FILES=" + icd + " VK_ICD_FILENAMES=" + icd + " " + program.string() + " >/dev/null";
    std::string layered;
    for (const std::string& entry : layer_environment(mode)) layered += entry + " ";
    CHECK(exit_code_of(layered + run) == 1);
    CHECK(exit_code_of(run) == 0);
}

struct OddCase {
    const char* mode;
    const char* image_finding;
    const char* buffer_finding;
    bool keeps_the_real_part = false;
};

constexpr OddCase kOddCases[] = {
    {"alignment-3", "image-alignment-not-power-of-two", "buffer-alignment-not-power-of-two"},
    {"alignment-0", "image-alignment-not-power-of-two", "buffer-alignment-not-power-of-two"},
    {"size-0", "image-size-zero", "buffer-size-zero"},
    {"no-types", "image-memory-types-empty", "buffer-memory-types-empty"},
    {"unknown-type", "image-memory-types-unknown", "buffer-memory-types-unknown", true},
    {"only-unknown-type", "image-memory-types-unknown", "buffer-memory-types-unknown"},
};

}  // namespace

TEST_CASE("an answer that no driver may give is a finding, and the device is complete") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-driver");
    const model::DeviceReport good = probed(icd, "", folder / "good.json");
    CHECK(good.image_sweep.odd_answers.empty());
    CHECK(good.buffer_sweep.odd_answers.empty());
    for (const OddCase& entry : kOddCases) {
        INFO(entry.mode);
        const model::DeviceReport odd = probed(icd, entry.mode, folder / (std::string(entry.mode) + ".json"));
        check_same_elsewhere(odd, good, entry.keeps_the_real_part);
        CHECK(odd.limits == good.limits);
        CHECK(odd.features == good.features);
        REQUIRE(odd.image_sweep.odd_answers.size() == 1);
        const model::OddImage& image = odd.image_sweep.odd_answers[0];
        CHECK(image.description.width == 64);
        CHECK(image.description.height == 64);
        CHECK(image.count > 100);
        REQUIRE(odd.buffer_sweep.odd_answers.size() == 1);
        CHECK(odd.buffer_sweep.odd_answers[0].description.size_bytes == 4096);
        // What else is wrong of lavapipe itself stays, and the two that the layer planted are added.
        std::set<std::string> expected = ids(good);
        expected.insert(entry.image_finding);
        expected.insert(entry.buffer_finding);
        if (std::string(entry.mode) == "only-unknown-type") {
            // None of the types it names exists, so none is device local or mappable either.
            for (const char* id : {"image-without-device-local-type", "buffer-without-device-local-type",
                                   "buffer-without-host-coherent-type"}) {
                expected.insert(id);
            }
        }
        CHECK(ids(odd) == expected);
        for (const model::Finding& finding : odd.findings) {
            if (finding.id != entry.image_finding) continue;
            CHECK(finding.severity == model::FindingSeverity::kViolation);
            REQUIRE(finding.evidence.size() == 1);
            CHECK(finding.evidence[0].starts_with("/image_sweep/odd_answers/0"));
            CHECK(finding.clause.starts_with("VkMemoryRequirements"));
        }
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("what a driver answered oddly is shown again by the program that reproduce writes") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-reproduce");
    for (const char* mode : {"alignment-3", "size-0", "unknown-type"}) {
        (void)probed(icd, mode, folder / (std::string(mode) + ".json"));
        for (const OddCase& entry : kOddCases) {
            if (std::string(entry.mode) != mode) continue;
            check_reproducer(icd, mode, entry.image_finding, folder);
            check_reproducer(icd, mode, entry.buffer_finding, folder);
        }
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("points of a workload that are answered oddly say so") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-points");
    model::Workload workload;
    workload.name = "odd";
    // A combination of usages that the standard sweep does not have.
    workload.images = {{.format = model::Format::kR8Unorm,
                        .usage = model::image_usage::kSampled | model::image_usage::kStorage |
                                 model::image_usage::kInputAttachment | model::image_usage::kTransferSrc,
                        .extents = {{64, 64}, {65, 64}},
                        .count = 2}};
    REQUIRE(write_file_atomically(folder / "workload.json", model::write(workload)));
    const model::DeviceReport odd =
        probed(icd, "alignment-3", folder / "report.json", {"--workload", folder / "workload.json"});
    REQUIRE(odd.image_sweep.points.size() == 2);
    CHECK_FALSE(odd.image_sweep.points[0].requirements);
    CHECK(odd.image_sweep.points[0].not_supported.find("odd_answers") != std::string::npos);
    CHECK(odd.image_sweep.points[1].requirements);
    std::filesystem::remove_all(folder);
}

TEST_CASE("features that are true in another way, and a memory type without a heap, leave a valid report") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-facts");
    const model::DeviceReport good = probed(icd, "", folder / "good.json");
    const model::DeviceReport ones = probed(icd, "true-is-all-ones", folder / "ones.json");
    CHECK(ones.features == good.features);
    const model::DeviceReport dangling = probed(icd, "type-without-heap", folder / "dangling.json");
    CHECK(dangling.memory_types.size() == good.memory_types.size());
    CHECK(ids(dangling).contains("memory-type-without-heap"));
    CHECK(answered(dangling) == answered(good));
    std::filesystem::remove_all(folder);
}

TEST_CASE("devices of Vulkan 1.1 and 1.0 are probed by creating objects, with the same answers") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-version");
    const model::DeviceReport good = probed(icd, "", folder / "good.json");
    for (const std::string mode : {"version-1.1", "version-1.0"}) {
        INFO(mode);
        const model::DeviceReport old = probed(icd, mode, folder / (mode + ".json"));
        CHECK(old.identity.api_version.starts_with(mode.substr(8)));
        CHECK(old.heaps.size() == good.heaps.size());
        CHECK(old.memory_types.size() == good.memory_types.size());
        CHECK(old.limits.size() < good.limits.size());
        CHECK(old.unreported.size() > good.unreported.size());
        for (const model::UnreportedFact& entry : old.unreported) CHECK_FALSE(entry.reason.empty());
        check_same_elsewhere(old, good, true);
    }
    std::filesystem::remove_all(folder);
}

// Draws have one form, dynamic rendering, which Vulkan 1.1 has not.
TEST_CASE("a device of Vulkan 1.1 does not support what draws, and each scenario says why") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-draws");
    const Output output =
        test::run_program({"run", "--api", "vulkan", "--icd", icd, "--memory-limit", "256MiB", "-q", "-o", folder,
                           "--scenario", "copy-ring", "--scenario", "pipelined-compute"},
                          layer_environment("version-1.1"));
    INFO(output.err);
    CHECK(output.exit_code == 4);  // nothing was validated
    const auto validation = model::read_validation(read_file(folder / "validation.json").value(), "validation.json");
    if (!validation) FAIL(to_string(validation.error()));
    REQUIRE(validation->devices.size() == 1);
    REQUIRE(validation->devices[0].scenarios.size() == 2);
    for (const model::ScenarioResult& scenario : validation->devices[0].scenarios) {
        INFO(scenario.name << ": " << scenario.reason);
        CHECK(scenario.verdict == model::Verdict::kNotSupported);
        CHECK(scenario.reason.find("no dynamic rendering") != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("layers below the device and the compression of its images are read") {
    const std::string icd = test::require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = test::fresh_folder("odd-layered");
    const model::DeviceReport layered = probed(icd, "layered", folder / "layered.json");
    CHECK(layered.layered_apis ==
          std::vector<model::LayeredApi>{
              {.api = "D3D12", .vendor_id = 0x10de, .device_id = 0x2330, .name = "Lower"},
              {.api = "LAYERED_API_77", .vendor_id = 0x10df, .device_id = 0x2330, .name = "Lowest"}});
    CHECK(layered.image_compression.size() > 50);
    for (const model::ImageCompression& entry : layered.image_compression) {
        CHECK(entry.default_flags == 0);
        CHECK(entry.fixed_rate_flags == (entry.format == model::Format::kR8G8B8A8Unorm ? 2u : 0u));
    }
    std::filesystem::remove_all(folder);
}
