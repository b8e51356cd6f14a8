// A report of another tool: never called probed, replayed, and what is assumed for it is told wherever figures are.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a policy of an imported report is validated on its replay, and what is assumed is told everywhere") {
    const std::string name = GENERATE("amd-rx7900xtx-radv.38813.json", "apple-m1-moltenvk.38819.json");
    const std::string file = test::source_path("tests/golden/import/input/" + name);
    const auto folder = fresh_folder("imported");
    const std::string report = (folder / "report.json").string();
    const std::string policy = (folder / "policy.json").string();
    CAPTURE(name);
    const Output imported = run_program({"import", file, "--text"});
    CHECK_THAT(imported.out, ContainsSubstring("imported") && !ContainsSubstring("probed"));
    REQUIRE(run_program({"import", file, "-o", report, "-q"}).exit_code == 0);
    REQUIRE(run_program({"advise", report, "-w", "2d-ui", "-o", policy, "-q"}).exit_code == 0);
    CHECK_THAT(run_program({"advise", report, "-w", "2d-ui", "--text"}).out,
               ContainsSubstring("note: assumed, not measured: sizes and alignments, the costs of device memory"));
    CHECK_THAT(run_program({"export", policy, "-t", "vma"}).out,
               ContainsSubstring("// Assumed, not measured: sizes and alignments"));

    const std::vector<std::string> validate{"validate",   policy,           "--replay",       report,
                                            "--scenario", "mixed-workload", "--memory-limit", "1GiB"};
    const auto with = [&](const char* form) {
        std::vector<std::string> words = validate;
        words.emplace_back(form);
        return run_program(words);
    };
    const Output text = with("--text");
    CAPTURE(text.out, text.err);
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.out, ContainsSubstring("resources are assumed: the replayed report holds no sweep"));
    const auto document = model::read_validation(with("--json").out, "validation");
    REQUIRE(document);
    CHECK(document->devices.front().verdict == model::Verdict::kReplayed);
    CHECK(document->devices.front().assumed_requirements > 100);
    CHECK(document->devices.front().interpolated_requirements == 0);
    std::filesystem::remove_all(folder);
}
