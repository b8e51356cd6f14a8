// What each command makes of many files: names of results, what is bad, what a second run makes anew, exit codes.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "heapwright/core/file.hpp"
#include "heapwright/core/path.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using test::Output;

namespace batch_commands_test {
namespace {

namespace fs = std::filesystem;

const char* const kLavapipe = "lavapipe-mesa-22.3.6-desktop-app";
const char* const kH100 = "nvidia-h100-580.159.04-vulkan-general-engine";
const char* const kVkd3d = "nvidia-h100-580.159.04-vkd3d-1.2-general-engine";

std::string policy_file(const std::string& name) {
    return test::source_path("policies/" + name + ".json");
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Policies of both APIs and of one name, what is no policy, and a broken one where it is asked for.
fs::path policy_folder(const std::string& name, bool with_broken) {
    const fs::path folder = test::fresh_folder(name) / "in";
    fs::create_directories(folder / "again");
    fs::copy_file(policy_file(kLavapipe), folder / "a.json");
    fs::copy_file(policy_file(kH100), folder / "again" / "a.json");
    fs::copy_file(policy_file(kVkd3d), folder / "b.json");
    fs::copy_file(test::source_path("reports/lavapipe-mesa-22.3.6.json"), folder / "report.json");
    REQUIRE(write_file_atomically(folder / "page.html", "<p>"));
    if (with_broken) REQUIRE(write_file_atomically(folder / "broken.json", "{"));
    return folder;
}

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(path_text(entry.path().filename()));
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST_CASE("export writes a file a policy, with the target's ending, as it does alone") {
    const fs::path in = policy_folder("batch-export", false);
    const fs::path out = in.parent_path() / "out";
    const std::vector<std::string> arguments{"export", path_text(in), "-t", "wgpu", "-o", path_text(out)};
    const Output run = test::run_program(arguments);
    CHECK(run.exit_code == 0);
    CHECK(run.out == "exported 3 files into " + path_text(out) + "; 1 of other kinds passed over\n");
    const auto index = nlohmann::json::parse(read_file(out / "batch.json").value());
    for (const auto& entry : index["inputs"]) {
        const fs::path alone = in.parent_path() / "alone.rs";
        CHECK(test::run_program({"export", entry["source"], "-t", "wgpu", "-o", path_text(alone), "-q"}).exit_code ==
              0);
        const std::string file = entry["results"][0]["file"];
        CHECK(read_file(out / file).value() == read_file(alone).value());
    }
    const auto files = files_in(out);
    REQUIRE(files.size() == 4);
    CHECK(files[0].starts_with("a-"));
    CHECK(files[1] == "a.rs");
    CHECK(files[2] == "b.rs");

    const Output again = test::run_program(arguments);
    CHECK(holds(again.out, "exported 0 files"));
    CHECK(holds(again.out, "3 there already"));
    fs::copy_file(policy_file(kH100), in / "b.json", fs::copy_options::overwrite_existing);
    const Output changed = test::run_program(arguments);
    CHECK(holds(changed.out, "exported 1 file into"));
    const Output listed = test::run_program({"export", path_text(in), "-t", "cpp", "-o", path_text(out), "--json"});
    CHECK(nlohmann::json::parse(listed.out)["inputs"].size() == 3);
}

TEST_CASE("export names the policies that a target cannot take, and goes on") {
    const fs::path in = policy_folder("batch-export-some", true);
    const fs::path out = in.parent_path() / "out";
    const Output some = test::run_program({"export", path_text(in), "-t", "vma", "-o", path_text(out)});
    CHECK(some.exit_code == 5);
    CHECK(holds(some.out, "exported 2 files"));
    CHECK(holds(some.err, "b.json: --target: the policy is for Direct3D 12"));
    CHECK(holds(some.err, "broken.json"));
    const std::string broken = path_text(in / "broken.json");
    CHECK(
        test::run_program({"export", broken, path_text(in / "b.json"), "-t", "vma", "-o", path_text(out)}).exit_code ==
        2);
    const fs::path never = in.parent_path() / "never";
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"-t", "vmx"}, {"-t", "vma", "--account", "x"}}) {
        std::vector<std::string> arguments{"export", path_text(in), "-o", path_text(never)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        CHECK(test::run_program(arguments).exit_code == 2);
        CHECK_FALSE(fs::exists(never));
    }
}

TEST_CASE("export writes a file a device of a policy for several, each for the API that the target configures") {
    const fs::path folder = test::fresh_folder("batch-export-devices");
    auto policy = model::read_policy(read_file(policy_file(kH100)).value(), "policy");
    REQUIRE(policy);
    policy->devices.push_back(policy->devices.front());
    policy->devices.push_back(model::read_policy(read_file(policy_file(kVkd3d)).value(), "d3d12")->devices.front());
    fs::create_directory(folder / "in");
    REQUIRE(write_file_atomically(folder / "in" / "p.json", model::write(*policy)));
    const fs::path out = folder / "out";
    const std::vector<std::string> arguments{"export", path_text(folder / "in"), "-t", "vma", "-o", path_text(out)};
    CHECK(test::run_program(arguments).exit_code == 0);
    CHECK(files_in(out) == std::vector<std::string>{"batch.json", "p-device0.hpp", "p-device1.hpp"});
    CHECK(holds(test::run_program(arguments).out, "1 there already"));
    // The name that a device's file has is taken.
    fs::copy_file(policy_file(kH100), folder / "in" / "p-device1.json");
    CHECK(test::run_program(arguments).exit_code == 5);
    const fs::path third = folder / "third";
    const Output one = test::run_program({"export", path_text(folder / "in" / "p.json"), policy_file(kVkd3d), "-d", "2",
                                          "-t", "cpp", "-o", path_text(third)});
    CHECK(one.exit_code == 5);
    CHECK(holds(one.err, "holds no device of this index"));
    CHECK(files_in(third) == std::vector<std::string>{"batch.json", "p-device2.hpp"});
}

TEST_CASE("explain writes a text or a document a policy") {
    const fs::path in = policy_folder("batch-explain", true);
    const fs::path out = in.parent_path() / "out";
    const Output text = test::run_program({"explain", path_text(in), "-o", path_text(out)});
    CHECK(text.exit_code == 5);
    CHECK(holds(text.out, "explained 3 files"));
    CHECK(read_file(out / "b.explanation.txt").value() == test::run_program({"explain", path_text(in / "b.json")}).out);
    CHECK(holds(test::run_program({"explain", path_text(in), "-o", path_text(out)}).out, "3 there already"));
    const Output documents = test::run_program({"explain", path_text(in), "-o", path_text(out), "--json"});
    CHECK(nlohmann::json::parse(documents.out)["inputs"].size() == 4);
    CHECK(read_file(out / "b.explanation.json").value() ==
          test::run_program({"explain", path_text(in / "b.json"), "--json"}).out);
    const Output none = test::run_program({"explain", path_text(in), "--why", "nothing", "-o", path_text(out)});
    CHECK(none.exit_code == 2);
    CHECK(holds(none.err, "b.json: --why: the policy has no number"));
}

}  // namespace batch_commands_test
