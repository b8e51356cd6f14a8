// One buffer that a device does not take in whole: the first line names the limit with both figures, and where the
// hint is splittable, advice, replay and export are of its parts. On reports.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;
using Catch::Matchers::ContainsSubstring;

namespace split_test {
namespace {

using Json = nlohmann::ordered_json;

const std::string kH100 = test::source_path("reports/nvidia-h100-580.159.04-vulkan.json");
const std::string kRadv = test::source_path("reports/radv-navi10-mesa-25.0.7.json");
const std::string kAnv = test::source_path("reports/anv-kbl-mesa-25.0.7.json");
const std::string kOlderAnv = test::source_path("reports/anv-kbl-mesa-22.3.6.json");

struct Sized {
    std::uint64_t bytes;
    std::uint32_t count;
    bool splittable;
};

Json of_storage_buffers(const std::vector<Sized>& sizes) {
    Json buffers = Json::array();
    for (const Sized& one : sizes) {
        buffers.push_back({{"usage", {"TRANSFER_SRC", "TRANSFER_DST", "STORAGE_BUFFER"}},
                           {"smallest_bytes", one.bytes},
                           {"largest_bytes", one.bytes},
                           {"count", one.count},
                           {"lifetime", "persistent"}});
        if (one.splittable) buffers.back()["splittable"] = true;
    }
    return {{"$schema", "urn:heapwright:schema:workload:1"},
            {"schema_version", 1},
            {"name", "large"},
            {"churn_steps", 0},
            {"images", Json::array()},
            {"buffers", buffers}};
}

std::string saved(const std::filesystem::path& folder, const std::string& name, const Json& document) {
    REQUIRE(write_file_atomically(folder / name, document.dump(2)));
    return (folder / name).string();
}

// The part of it that stands before the first line's end.
std::string verdict_line(const std::string& screen) {
    const std::size_t at = screen.find("the workload ");
    return at == std::string::npos ? screen : screen.substr(at, screen.find('\n', at) - at);
}

}  // namespace

TEST_CASE("the verdict on a buffer above a limit names the limit with both figures") {
    const struct {
        std::string report;
        std::vector<Sized> sizes;
        std::string says;
    } cases[] = {
        {kH100,
         {{8753520640, 1, false}, {2819260416, 1, false}},
         "8.152 GiB are more than maxMemoryAllocationSize (3.998 GiB)"},
        {kRadv, {{6ull << 30, 1, false}, {1 << 20, 64, false}}, "6 GiB are more than maxBufferSize (4 GiB)"},
        {kAnv, {{3ull << 30, 1, false}, {1 << 20, 64, false}}, "3 GiB are more than maxMemoryAllocationSize (2 GiB)"},
        {kAnv, {{3ull << 30, 1, false}, {5ull << 29, 1, false}}, "3 GiB are more than maxMemoryAllocationSize (2 GiB)"},
    };
    const auto folder = fresh_folder("split-named");
    for (const auto& one : cases) {
        INFO(one.report);
        const std::string workload = saved(folder, "w.json", of_storage_buffers(one.sizes));
        const Output output = run_program({"advise", one.report, "-w", workload, "--strict", "--text"});
        CHECK(output.exit_code == 1);
        CHECK_THAT(output.err, ContainsSubstring("does not fit: buffers/0: " + one.says));
        const std::string verdict = "\nFAILED: does not fit: buffers/0: " + one.says;
        CHECK_THAT(output.out, ContainsSubstring(verdict));
        CHECK(output.out.find("does not fit") == output.out.rfind("does not fit"));
        CHECK_THAT(output.out + output.err, !ContainsSubstring("of 0 bytes"));
        const bool are_two_too_large = one.sizes[1].bytes > 1 << 20 && one.report == kAnv;
        CHECK(are_two_too_large == (output.err.find("; too large as well: buffers/1") != std::string::npos));
    }
}

TEST_CASE("what is splittable fits where its bytes do, and policy, screen and export tell the parts") {
    const auto folder = fresh_folder("split-told");
    const struct {
        std::string report;
        std::string workload;
        std::string says;
        std::uint64_t parts;
    } cases[] = {
        {kH100, "large-inference", "5 GiB each in 2 parts of 2.5 GiB: maxMemoryAllocationSize 3.998 GiB, soft", 2},
        {kRadv, "large-inference", "5 GiB each in 2 parts of 2.5 GiB: maxBufferSize 4 GiB", 2},
        {kH100, saved(folder, "w.json", of_storage_buffers({{9ull << 30, 1, true}, {1 << 20, 3, false}})),
         "9 GiB each in 3 parts of 3 GiB: maxMemoryAllocationSize 3.998 GiB, soft", 3},
    };
    for (const auto& one : cases) {
        INFO(one.report << " with " << one.workload);
        const std::string policy = (folder / "p.json").string();
        CHECK(run_program({"advise", one.report, "-w", one.workload, "--strict", "-q", "-o", policy}).exit_code == 0);
        const Output screen = run_program({"advise", one.report, "-w", one.workload, "--text"});
        CHECK_THAT(verdict_line(screen.out), ContainsSubstring("the workload fits"));
        CHECK_THAT(screen.out, ContainsSubstring("buffers/0: " + one.says));
        const Json document = Json::parse(read_file(policy).value());
        const Json& split = document["devices"][0]["split"];
        REQUIRE(split.size() == 1);
        CHECK(split[0]["parts"] == one.parts);
        CHECK_THAT(run_program({"export", policy, "-t", "cpp"}).out,
                   ContainsSubstring(std::to_string(split[0]["part_bytes"]["value"].get<std::uint64_t>()) + "ull},"));
    }
}

TEST_CASE("a replay plays the parts, all of them, and keeps what the policy promises of them") {
    const auto folder = fresh_folder("split-played");
    for (const std::uint64_t mib : {1100u, 1280u}) {
        INFO(mib << " MiB");
        const std::string policy = (folder / "p.json").string();
        const std::string workload =
            saved(folder, "w.json", of_storage_buffers({{mib << 20, 1, true}, {1 << 20, 3, false}}));
        CHECK(run_program({"advise", kOlderAnv, "-w", workload, "--strict", "-q", "-o", policy}).exit_code == 0);
        const Output played =
            run_program({"validate", policy, "--replay", kOlderAnv, "--scenario", "mixed-workload", "-q"});
        INFO(played.err);
        CHECK(played.exit_code == 0);
        const Json scenario = Json::parse(played.out)["devices"][0]["scenarios"][0];
        CHECK(scenario["verdict"] == "replayed");
        CHECK_FALSE(scenario.contains("stand_in"));
        CHECK(scenario["counts"]["peak_buffers"] == 5);
    }
}

}  // namespace split_test
