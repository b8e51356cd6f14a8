// A report with odd answers: what advise writes, its own readers take.
#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using Json = nlohmann::ordered_json;

TEST_CASE("a policy for buffers of an alignment above the largest resource is one that its reader takes") {
    const auto folder = test::fresh_folder("hostile-alignments");
    const std::string report_file = (folder / "report.json").string();
    const std::string policy_file = (folder / "policy.json").string();
    const Json report = Json::parse(read_file(test::source_path("reports/anv-kbl-mesa-22.3.6.json")).value());
    for (const unsigned alignment : {23u, 24u}) {
        for (const unsigned heap : {25u, 26u}) {
            Json odd = report;
            for (Json& entry : odd["devices"][0]["buffer_sweep"]["requirements"])
                entry["alignment_bytes"] = 1ull << alignment;
            odd["devices"][0]["heaps"][0]["size_bytes"] = 1ull << heap;
            REQUIRE(write_file_atomically(report_file, odd.dump()));
            const test::Output advised =
                test::run_program({"advise", report_file, "-q", "-w", "2d-ui", "-o", policy_file});
            INFO(fmt::format("alignment 2^{}, heap 2^{}: {}", alignment, heap, advised.err));
            REQUIRE(advised.exit_code == 0);
            const test::Output read = test::run_program({"explain", policy_file});
            INFO(read.err);
            CHECK(read.exit_code == 0);
        }
    }
    std::filesystem::remove_all(folder);
}
