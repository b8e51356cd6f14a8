// The compare and store commands as a user runs them, on the drivers of this machine.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "committed.hpp"
#include "compare/documents.hpp"
#include "core/file.hpp"
#include "heapwright/model/json.hpp"
#include "model/comparison.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::string probe(const std::string& icd, const std::filesystem::path& file) {
    const Output output =
        run_program({"probe", "--api", "vulkan", "--icd", icd, "-q", "--time-limit", "60", "-o", file.string()});
    INFO(output.err);
    REQUIRE(output.exit_code == 0);
    return file.string();
}

std::string write_report(const model::Report& report, const std::filesystem::path& file) {
    REQUIRE(write_file_atomically(file, model::write(report)));
    return file.string();
}

std::string committed_file(const std::string& name) {
    return test::source_path("reports/") + name + ".json";
}

}  // namespace

TEST_CASE("two probes of one build compare as same, and their baselines are equal bytes") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const auto folder = fresh_folder("same");
    const std::string one = probe(icd, folder / "one.json");
    const std::string other = probe(icd, folder / "other.json");
    const Output output = run_program({"compare", one, other, "--strict", "--all"});
    INFO(output.out << output.err);
    CHECK(output.exit_code == 0);
    CHECK_FALSE(contains(output.out, "regressed"));
    CHECK_FALSE(contains(output.out, "/limits/"));
    for (const std::string& file : {one, other})
        CHECK(run_program({"compare", file, "--write-baseline", file + ".baseline"}).exit_code == 0);
    CHECK(*read_file(one + ".baseline") == *read_file(other + ".baseline"));
    const Output against = run_program({"compare", "--baseline", one + ".baseline", other, "--strict"});
    INFO(against.out << against.err);
    CHECK(against.exit_code == 0);
    std::filesystem::remove_all(folder);
}

TEST_CASE("the two versions of lavapipe differ in what they are known to differ in") {
    const std::string old_icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const std::string new_icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE_BACKPORTS");
    const auto folder = fresh_folder("versions");
    const std::string from = probe(old_icd, folder / "from.json");
    const std::string to = probe(new_icd, folder / "to.json");
    const Output output = run_program({"compare", from, to, "--all", "--write", "junit=" + (folder / "j.xml").string(),
                                       "--write", "json=" + (folder / "c.json").string()});
    INFO(output.out << output.err);
    CHECK(output.exit_code == 1);
    CHECK(contains(output.out, "regressed: alignment 16 to 64 for "));
    CHECK(contains(output.out, "expected: /heaps/device_local/size_bytes: "));
    CHECK(contains(output.out, "(host-dependent)"));
    CHECK(contains(output.out, "improved: /limits/VkPhysicalDeviceLimits/maxPushConstantsSize: 128 to 256"));
    CHECK(contains(output.out, "under general-engine"));
    CHECK(contains(*read_file(folder / "j.xml"), "<failure message="));
    const auto document = model::read_comparison(*read_file(folder / "c.json"), "c.json");
    REQUIRE(document.has_value());
    CHECK(document->documents.at(0).devices.at(0).impact.has_value());
    std::filesystem::remove_all(folder);
}

TEST_CASE("another vendor's driver is another device") {
    const std::string lavapipe = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const std::string swiftshader = require_driver("HEAPWRIGHT_ICD_SWIFTSHADER");
    const auto folder = fresh_folder("vendors");
    const std::string one = probe(lavapipe, folder / "one.json");
    const std::string other = probe(swiftshader, folder / "other.json");
    const Output output = run_program({"compare", one, other});
    CHECK(output.exit_code == 1);
    INFO(output.out);
    CHECK(contains(output.out, "is missing"));
    CHECK(contains(output.out, "is new"));
    CHECK(contains(output.out, "the device llvmpipe"));
    CHECK(contains(output.out, "the device SwiftShader"));
    const Output across = run_program({"compare", "--across", one, other});
    INFO(across.out << across.err);
    CHECK(across.exit_code == 0);
    CHECK(contains(across.out, "different devices"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("the AMD and the Intel GPU of the source differ as it says") {
    const Output output = run_program(
        {"compare", "--across", committed_file("radv-navi10-mesa-22.3.6"), committed_file("anv-kbl-mesa-22.3.6")});
    INFO(output.out.substr(0, 4000));
    CHECK(output.exit_code == 0);
    CHECK(contains(output.out, "changed: alignment 65536 to 4096 for R8G8B8A8_UNORM"));
    CHECK(contains(output.out, "at 100x100 and up"));
}

TEST_CASE("an injected regression fails, an allowed one passes, a stale entry fails when strict") {
    const auto folder = fresh_folder("regression");
    const model::Report good = committed_report("radv-navi10-mesa-25.0.7");
    model::Report bad = good;
    double_alignment(bad.devices[0], model::Format::kR8Unorm);
    const std::string from = write_report(good, folder / "good.json");
    const std::string to = write_report(bad, folder / "bad.json");

    const Output regression = run_program({"compare", from, to});
    CHECK(regression.exit_code == 1);
    CHECK(contains(regression.out, "regressed: alignment 65536 to 131072 for R8_UNORM"));
    CHECK(contains(regression.out, " and up"));
    CHECK(contains(regression.out, "the advised policy wastes "));
    CHECK(contains(regression.out, " under general-engine"));
    INFO(regression.out);

    const auto compare_with = [&](const std::string& entries, bool strict) {
        const std::string file = (folder / "allow.toml").string();
        REQUIRE(write_file_atomically(file, entries));
        std::vector<std::string> arguments{"compare", from,      to,           "--allow",
                                           file,      "--today", "2026-11-21", "--no-impact"};
        if (strict) arguments.emplace_back("--strict");
        return run_program(arguments);
    };
    const std::string allowed = "[[allow]]\npath = \"/image_sweep/R8_UNORM/**\"\nreason = \"known\"\n";
    CHECK(compare_with(allowed, true).exit_code == 0);
    const std::string unused = allowed + "[[allow]]\npath = \"/limits/**\"\nreason = \"never\"\n";
    CHECK(compare_with(unused, false).exit_code == 0);
    const Output strict = compare_with(unused, true);
    CHECK(strict.exit_code == 1);
    CHECK(contains(strict.out, "allow.toml:4: the entry for /limits/** allowed nothing"));
    const std::string expired = allowed +
                                "[[allow]]\npath = \"/image_sweep/**\"\nreason = \"old\"\n"
                                "expires = 2026-11-20\n";
    CHECK(compare_with(expired, false).exit_code == 0);
    CHECK(compare_with(expired, true).exit_code == 1);
    CHECK(contains(compare_with(expired, true).out, "allow.toml:4: the entry for /image_sweep/** expired on"));
    const Output mistaken = compare_with("[[allow]]\npath = \"/a\"\nreasn = \"r\"\n", false);
    CHECK(mistaken.exit_code == 2);
    CHECK(contains(mistaken.err, "allow.toml:3"));

    // The other way round: an improvement nobody announced is reported, and fails when strict.
    const Output improvement = run_program({"compare", to, from, "--no-impact"});
    CHECK(improvement.exit_code == 0);
    CHECK(contains(improvement.out, "improved: alignment 131072 to 65536 for R8_UNORM"));
    CHECK(run_program({"compare", to, from, "--no-impact", "--strict"}).exit_code == 1);
    std::filesystem::remove_all(folder);
}

TEST_CASE("policies and validations are compared too") {
    const auto folder = fresh_folder("policies");
    const std::string report = committed_file("radv-navi10-mesa-25.0.7");
    const std::string one = (folder / "one.json").string();
    const std::string other = (folder / "other.json").string();
    REQUIRE(run_program({"advise", report, "-w", "desktop-app", "-o", one}).exit_code == 0);
    REQUIRE(run_program({"advise", report, "-w", "2d-ui", "-o", other}).exit_code == 0);
    CHECK(run_program({"compare", one, one}).exit_code == 0);
    const Output output = run_program({"compare", one, other});
    CHECK(output.exit_code == 1);
    CHECK(contains(output.out, "/largest_ordinary_bytes/value"));
    CHECK_FALSE(contains(output.out, "/reason"));
    const std::string validation = committed_file("nvidia-h100-580.159.04-vulkan-validation");
    CHECK(run_program({"compare", validation, validation}).exit_code == 0);
    const Output mixed = run_program({"compare", one, validation});
    CHECK(mixed.exit_code == 2);
    CHECK(contains(mixed.err, "cannot be compared with"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("usage errors and broken documents exit with 2") {
    const auto folder = fresh_folder("usage");
    CHECK(run_program({"compare"}).exit_code == 2);
    CHECK(run_program({"compare", committed_file("radv-navi10-mesa-25.0.7")}).exit_code == 2);
    const std::string broken = (folder / "broken.json").string();
    REQUIRE(write_file_atomically(broken, "{\"$schema\": \"urn:heapwright:schema:report:1\","));
    const Output output = run_program({"compare", committed_file("radv-navi10-mesa-25.0.7"), broken});
    CHECK(output.exit_code == 2);
    CHECK(contains(output.err, "broken.json"));
    CHECK(run_program({"compare", broken, broken, "-f", "nonsense"}).exit_code == 2);
    std::filesystem::remove_all(folder);
}

TEST_CASE("reports are grouped and kept") {
    const auto folder = fresh_folder("keep");
    std::filesystem::create_directories(folder / "reports");
    for (const char* name : {"radv-navi10-mesa-25.0.7", "radv-navi10-mesa-22.3.6", "anv-kbl-mesa-25.0.7"})
        write_report(committed_report(name), folder / "reports" / (std::string(name) + ".json"));
    REQUIRE(write_file_atomically(folder / "reports" / "broken.json", "{"));
    const Output groups = run_program({"compare", "--cluster", (folder / "reports").string(), "-w", "2d-ui"});
    INFO(groups.out << groups.err);
    CHECK(groups.exit_code == 0);
    CHECK(contains(groups.out, "3 devices of 3 reports behave in 3 ways"));
    CHECK(contains(groups.out, "changed its behaviour: Mesa 22.3.6 to Mesa 25.0.7"));
    CHECK(contains(groups.out, "broken.json"));
    CHECK(contains(groups.err, "1 document is no report that can be read and was skipped"));
    CHECK(run_program({"compare", "--cluster", (folder / "reports").string(), "--no-impact", "--strict"}).exit_code ==
          2);
    CHECK(run_program({"compare", "--cluster", (folder / "reports" / "broken.json").string()}).exit_code == 3);

    const std::string store = (folder / "store.db").string();
    const Output added = run_program({"store", "add", store, (folder / "reports").string()});
    CHECK(added.exit_code == 2);
    CHECK(contains(added.err, "3 reports added, 0 there already, 1 skipped"));
    const Output again = run_program({"store", "add", store, committed_file("radv-navi10-mesa-25.0.7")});
    CHECK(again.exit_code == 0);
    CHECK(contains(again.err, "0 reports added, 1 there already"));
    const Output query = run_program({"store", "query", store, "--driver", "25.0.7", "--json"});
    CHECK(query.exit_code == 0);
    CHECK(contains(query.out, "\"driver_id\": \"MESA_RADV\""));
    CHECK(contains(query.out, "\"driver_id\": \"INTEL_OPEN_SOURCE_MESA\""));
    CHECK_FALSE(contains(query.out, "22.3.6"));
    CHECK(run_program({"store", "query", (folder / "none.db").string()}).exit_code == 2);
    std::filesystem::remove_all(folder);
}
