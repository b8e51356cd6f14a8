// A policy carries the workload that it was made for: a validation plays it unasked, says so first where it was told to
// play another, and teaches only a policy for the same one. On reports.
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

using Json = nlohmann::ordered_json;

const std::string kPlayedReport = test::source_path("reports/radv-navi10-mesa-25.0.7.json");

// Of an application that is no preset: `buffers` of them, `images` of one size.
Json own_workload(const std::string& name, std::uint32_t images, std::uint32_t side, std::uint32_t buffers) {
    return {{"$schema", "urn:heapwright:schema:workload:1"},
            {"schema_version", 1},
            {"name", name},
            {"churn_steps", 200},
            {"images",
             {{{"format", "R8G8B8A8_UNORM"},
               {"usage", {"TRANSFER_DST", "SAMPLED"}},
               {"extents", {{side, side}}},
               {"count", images}}}},
            {"buffers",
             {{{"usage", {"TRANSFER_DST", "VERTEX_BUFFER"}},
               {"smallest_bytes", 1024},
               {"largest_bytes", 65536},
               {"count", buffers}}}}};
}

class CarriedFolder {
public:
    explicit CarriedFolder(const std::string& name) : path_(fresh_folder(name)) {}
    ~CarriedFolder() { std::filesystem::remove_all(path_); }
    CarriedFolder(const CarriedFolder&) = delete;
    CarriedFolder& operator=(const CarriedFolder&) = delete;

    [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string save(const std::string& name, const Json& document) const {
        REQUIRE(write_file_atomically(at(name), document.dump(2)));
        return at(name);
    }
    // The policy's file; `workload`: a preset or a file.
    [[nodiscard]] std::string advised(const std::string& name, const std::string& workload) const {
        const Output output = run_program({"advise", kPlayedReport, "-w", workload, "-q", "-o", at(name)});
        INFO(output.err);
        REQUIRE(output.exit_code == 0);
        return at(name);
    }

private:
    std::filesystem::path path_;
};

Output replayed(const std::string& policy, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"validate", policy, "--replay", kPlayedReport, "--scenario", "mixed-workload", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
}

Json read_json(const std::string& file) {
    return Json::parse(read_file(file).value());
}

std::string verdict_reason(const Output& output) {
    return Json::parse(output.out)["devices"][0]["reason"];
}

// As messages tell it.
std::string hash_in(const Json& document) {
    return std::string(document["sources"][1]["stable_hash"]).substr(0, 8);
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a policy for a workload of one's own is validated without naming the workload again") {
    const Json own = GENERATE(own_workload("my-game", 40, 256, 60), own_workload("a viewer", 3, 1024, 7));
    const CarriedFolder folder("carried");
    const std::string policy = folder.advised("p.json", folder.save("mygame.json", own));
    std::filesystem::remove(folder.at("mygame.json"));
    const Output output = replayed(policy);
    INFO(output.err);
    CHECK(output.exit_code == 0);
    const Json validation = Json::parse(output.out);
    CHECK(validation["workload_name"] == own["name"]);
    CHECK(validation["sources"][1] == read_json(policy)["sources"][1]);
    CHECK_FALSE(holds(verdict_reason(output), "made for"));
    for (const Json& promise : validation["devices"][0]["scenarios"][0]["volatile"]["promises"])
        CHECK_FALSE(holds(promise["reason"], "another workload"));

    // What is carried is the workload as it was given: it can be taken out and given again.
    const std::string again = folder.save("taken-out.json", read_json(policy)["workload"]);
    CHECK_FALSE(holds(verdict_reason(replayed(policy, {"-w", again})), "made for"));
}

TEST_CASE("hints that a device lacks stand in the workload that a policy carries, though they are left out by plan") {
    const CarriedFolder folder("carried-whole");
    Json own = own_workload("partly", 5, 64, 5);
    own["images"][0]["requires"] = {"texture_compression_astc"};
    const std::string policy = folder.advised("p.json", folder.save("partly.json", own));
    CHECK(read_json(policy)["devices"][0].contains("left_out"));
    CHECK(read_json(policy)["workload"]["images"][0]["count"] == 5);
    const Output output = replayed(policy);
    CHECK(output.exit_code == 0);
    CHECK(holds(verdict_reason(output), "by plan without"));
}

TEST_CASE("another workload than the policy's is played when asked, and the verdict says so first") {
    const CarriedFolder folder("other-workload");
    const std::string own = folder.save("own.json", own_workload("my-game", 40, 256, 60));
    const std::string namesake = folder.save("namesake.json", own_workload("my-game", 3, 512, 9));
    const std::string policy = folder.advised("p.json", own);
    CHECK(verdict_reason(replayed(policy, {"-w", "2d-ui"}))
              .starts_with("the policy was made for \"my-game\", and \"2d-ui\" was played; "));
    const Output screen = replayed(policy, {"-w", namesake, "--text"});
    CHECK(screen.exit_code == 0);
    CHECK(holds(screen.out, "replayed: the policy was made for \"my-game\" of hash " + hash_in(read_json(policy)) +
                                ", and \"my-game\" of hash "));
}

TEST_CASE("an older policy, which carries no workload, is validated with the preset of its name") {
    const CarriedFolder folder("older-policy");
    Json preset = read_json(folder.advised("preset.json", "2d-ui@20%"));
    preset.erase("workload");
    const Output played = replayed(folder.save("preset.json", preset));
    INFO(played.err);
    CHECK(Json::parse(played.out)["workload_name"] == "2d-ui@20%");
    CHECK_FALSE(holds(verdict_reason(played), "made for"));

    const std::string own = folder.save("own.json", own_workload("my-game", 40, 256, 60));
    Json policy = read_json(folder.advised("own-policy.json", own));
    policy.erase("workload");
    const std::string older = folder.save("own-policy.json", policy);
    const Output refused = replayed(older);
    CHECK(refused.exit_code == 2);
    CHECK(holds(refused.err, older + ": /workload"));
    CHECK(holds(refused.err, "\"my-game\" of hash " + hash_in(policy)));
    CHECK(holds(refused.err, "-w FILE"));
    CHECK(replayed(older, {"-w", own}).exit_code == 0);
}

TEST_CASE("advice learns from validations of its own workload alone") {
    const CarriedFolder folder("learns");
    const std::string own = folder.save("own.json", own_workload("my-game", 40, 256, 60));
    const std::string namesake = folder.save("namesake.json", own_workload("my-game", 3, 512, 9));
    const std::string validation = folder.at("v.json");
    REQUIRE(replayed(folder.advised("p.json", own), {"-o", validation}).exit_code == 0);
    const auto learnt = [&](const std::string& workload, const std::string& from) {
        return run_program(
            {"advise", kPlayedReport, "-w", workload, "--from-validation", from, "-o", folder.at("next.json")});
    };
    CHECK(learnt(own, validation).exit_code == 0);

    const Output other = learnt("2d-ui", validation);
    CHECK(other.exit_code == 2);
    CHECK(holds(other.err, "it played \"my-game\", and the policy is to be for \"2d-ui\""));
    const Output alike = learnt(namesake, validation);
    CHECK(alike.exit_code == 2);
    const Json played = read_json(validation);
    CHECK(holds(alike.err, "\"my-game\" of hash " + hash_in(played)));

    // An older validation holds the hash and not the name.
    Json nameless = played;
    nameless.erase("workload_name");
    const std::string older = folder.save("older.json", nameless);
    CHECK(learnt(own, older).exit_code == 0);
    CHECK(learnt("2d-ui", older).exit_code == 2);
}
