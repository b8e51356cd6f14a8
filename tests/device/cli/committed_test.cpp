// The documents in reports/ and policies/ belong together: each policy holds on the replayed report that it came from.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

TEST_CASE("a replay takes no size of its own for a lack of the device") {
    const std::string report =
        test::source_path("reports/") + GENERATE("radv-navi10-mesa-25.0.7", "nvidia-h100-580.159.04-vulkan") + ".json";
    const std::string workload = GENERATE("compute-inference", "general-engine");
    const auto folder = fresh_folder("replayed-sizes");
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(run_program({"advise", report, "-w", workload, "-q", "-o", policy}).exit_code == 0);
    const Output output =
        run_program({"validate", policy, "--replay", report, "--scenario", "binding-model", "--scenario", "upload",
                     "--scenario", "descriptor-views", "--scenario", "early-release", "--scenario", "dynamic-buffers",
                     "--scenario", "content-uploads", "-q"});
    INFO(report << ", " << workload << ": " << output.out << output.err);
    CHECK(output.exit_code == 0);
    std::filesystem::remove_all(folder);
}

TEST_CASE("a committed policy validates on its replayed report") {
    const std::string name = GENERATE("nvidia-h100-580.159.04-vulkan", "nvidia-h100-580.159.04-vkd3d-1.2");
    const auto folder = fresh_folder("committed");
    const std::string file = (folder / "validation.json").string();
    const Output output = run_program({"validate", "--replay", test::source_path("reports/") + name + ".json",
                                       test::source_path("policies/") + name + "-general-engine.json", "--scenario",
                                       "mixed-workload", "--scenario", "multi-engine-frame", "-q", "-o", file});
    INFO(name << ": " << output.out << output.err);
    CHECK(output.exit_code == 0);
    const auto validation = model::read_validation(read_file(file).value(), file);
    REQUIRE(validation.has_value());
    REQUIRE(validation->devices.size() == 1);
    CHECK(validation->devices[0].verdict == model::Verdict::kReplayed);
    CHECK(validation->devices[0].scenarios.size() == 2);
    std::filesystem::remove_all(folder);
}
