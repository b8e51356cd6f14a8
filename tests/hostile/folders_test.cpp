// Folders and stores as they are found: a run's folder holds more than reports, and a store more than one answer shows.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;

namespace {

const std::string kReport = test::source_path("reports/anv-kbl-mesa-22.3.6.json");
const std::string kOtherReport = test::source_path("reports/radv-navi10-mesa-22.3.6.json");

}  // namespace

TEST_CASE("a run's policy and validation are no skipped reports") {
    const auto folder = test::fresh_folder("run-folder");
    REQUIRE(write_file_atomically(folder / "report.json", read_file(kReport).value()));
    const std::string policy = (folder / "policy.json").string();
    REQUIRE(test::run_program({"advise", kReport, "-w", "2d-ui", "-q", "-o", policy}).exit_code == 0);
    (void)test::run_program({"validate", policy, "--replay", kReport, "--scenario", "upload", "-q", "-o",
                             (folder / "validation.json").string()});
    REQUIRE(std::filesystem::exists(folder / "validation.json"));
    const std::vector<std::string> arguments{"compare", "--cluster", "--strict", "--no-impact", folder.string()};
    const test::Output output = test::run_program(arguments);
    INFO(output.err);
    CHECK(output.exit_code == 0);
    CHECK(output.err.find("skipped") == std::string::npos);
    // What is none of these is still named.
    REQUIRE(write_file_atomically(folder / "other.json", "{}"));
    const test::Output other = test::run_program(arguments);
    CHECK(other.exit_code == 2);
    CHECK(other.err.find("1 document is no report") != std::string::npos);
    std::filesystem::remove_all(folder);
}

#ifdef HEAPWRIGHT_HAS_STORE
TEST_CASE("a query that shows fewer devices than there are says so, and how many the store holds") {
    const auto folder = test::fresh_folder("store-query");
    const std::string store = (folder / "store.db").string();
    REQUIRE(test::run_program({"store", "add", store, kReport, kOtherReport, "-q"}).exit_code == 0);
    const test::Output one = test::run_program({"store", "query", store, "--limit", "1"});
    INFO(one.out);
    CHECK(one.out.find("1 device shown, and there are more: --limit raises their number; the store holds 2 devices of "
                       "2 reports") != std::string::npos);
    const test::Output all = test::run_program({"store", "query", store, "--limit", "2"});
    CHECK(all.out.find("2 devices shown; the store holds 2 devices") != std::string::npos);
    std::filesystem::remove_all(folder);
}
#endif
