// A driver or a file names itself with what moves a terminal's cursor, forges lines and commands a workflow: no text
// for people lets it through, and JSON keeps its exact bytes.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using Json = nlohmann::ordered_json;

namespace {

// ESC ] 0 ; is a terminal's title, U+009B begins a sequence in one character, U+202E turns text around.
constexpr const char* kEvil =
    "::error::evil\n::error file=x::y\r\x1b[31m\x1b]0;t\x07\x7f\xc2\x9b"
    "31m\xef\xbf\xbe\xe2\x80\xae\t##[error]z##vso[task.complete "
    "result=Failed]##teamcity[buildStop]travis_fold:start:x\r\x1b[0Ksection_end:1:x\r"
    "\x1b[0K";
// What Buildkite takes for a group, at the start of a line.
constexpr const char* kGroups[] = {"--- ", "+++ ", "~~~ ", "^^^ +++ "};

Json hostile_report(const std::string& marker) {
    Json report = Json::parse(read_file(test::source_path("reports/anv-kbl-mesa-22.3.6.json")).value());
    Json& device = report["devices"][0];
    for (const char* key : {"driver_id", "api_version"}) device["identity"][key] = kEvil + marker;
    std::size_t group = 0;
    for (const char* key : {"name", "driver_name", "driver_info"})
        device["identity"][key] = kGroups[group++] + (kEvil + marker);
    device["extensions"][0]["name"] = kEvil + marker;
    device["limits"]["VkPhysicalDeviceLimits"][kEvil + marker] = 1;
    device["findings"] = Json::array({Json{{"id", kEvil + marker},
                                           {"severity", "violation"},
                                           {"statement", kGroups[3] + (kEvil + marker)},
                                           {"clause", kEvil},
                                           {"evidence", Json::array({kEvil})}}});
    report["failures"] =
        Json::array({Json{{"driver", kEvil}, {"api", "vulkan"}, {"last_call", kEvil}, {"reason", kEvil + marker}}});
    report["volatile"]["host"] = kEvil + marker;
    return report;
}

// What is wrong with a text, or nothing.
std::string harm_in(const std::string& text, bool has_annotations = false) {
    std::size_t line_start = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::string where = fmt::format(" at {}: {}", at, text.substr(line_start, 120));
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
            return fmt::format("byte {:#x}{}", byte, where);
        const std::string_view rest = std::string_view(text).substr(at);
        if (byte == 0xc2 && rest.size() > 1 && static_cast<unsigned char>(rest[1]) < 0xa0) return "C1" + where;
        if (rest.starts_with("\xef\xbf\xbe")) return "U+FFFE" + where;
        if (rest.starts_with("\xe2\x80\xae")) return "U+202E" + where;
        for (const char* command : {"##[", "##vso[", "##teamcity[", "fold:start:"})
            if (rest.starts_with(command)) return command + where;
        if (at == line_start) {
            for (const char* group : kGroups)
                if (rest.starts_with(group)) return group + where;
        }
        if (byte == '\n') line_start = at + 1;
        if (at == line_start && !has_annotations) {
            const std::size_t first = text.find_first_not_of(" \t", at);
            if (first != std::string::npos && text.compare(first, 2, "::") == 0) return "a command" + where;
        }
        if (at == line_start && has_annotations && rest.starts_with("::") && !rest.starts_with("::error file=") &&
            !rest.starts_with("::warning file=") && !rest.starts_with("::notice file="))
            return "a command that is not ours" + where;
        if (at == line_start && rest.starts_with("::error file=x::y")) return "a forged command" + where;
    }
    return {};
}

// What the program's own colours put around a line; no other sequence.
std::string without_colours(std::string text) {
    for (const char* code : {"\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"}) {
        for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code, at)) {
            const std::size_t end = text.find("\x1b[0m\n", at);
            if ((at != 0 && text[at - 1] != '\n') || end == std::string::npos) return text;
            text.erase(end, std::strlen("\x1b[0m"));
            text.erase(at, std::strlen(code));
        }
    }
    return text;
}

void check(const std::vector<std::string>& arguments, bool has_annotations = false) {
    test::Output output = test::run_program(arguments);
    if (std::ranges::find(arguments, "always") != arguments.end()) output.out = without_colours(output.out);
    INFO(fmt::format("{} {} {}: {}", arguments[0], arguments[1], arguments.back(), output.err.substr(0, 400)));
    CHECK(output.exit_code <= 2);
    CHECK(harm_in(output.out, has_annotations) == "");
    CHECK(harm_in(output.err) == "");
}

}  // namespace

TEST_CASE("no text for people lets a hostile name through") {
    const auto folder = test::fresh_folder("hostile-names");
    const auto file = [&](const char* name) { return (folder / name).string(); };
    REQUIRE(write_file_atomically(file("a.json"), hostile_report("a").dump()));
    REQUIRE(write_file_atomically(file("b.json"), hostile_report("b").dump()));
    const test::Output advised = test::run_program({"advise", file("a.json"), "-w", "2d-ui", "-o", file("p.json")});
    INFO(advised.err);
    REQUIRE(advised.exit_code == 0);
    CHECK(harm_in(advised.out) == "");
    CHECK(harm_in(advised.err) == "");
    const test::Output validated = test::run_program(
        {"validate", file("p.json"), "--replay", file("a.json"), "--scenario", "upload", "-o", file("v.json")});
    INFO(validated.err);
    REQUIRE(std::filesystem::exists(file("v.json")));

    // One screen, one screen with our own colours, and all the words.
    for (const std::vector<std::string>& form :
         std::vector<std::vector<std::string>>{{"--text"}, {"--text", "--colour", "always"}, {"-v"}}) {
        const auto with_form = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.end(), form.begin(), form.end());
            check(arguments);
        };
        with_form({"advise", file("a.json"), "-w", "2d-ui"});
        with_form({"validate", file("p.json"), "--replay", file("a.json"), "--scenario", "upload"});
        with_form({"import", file("a.json")});
        with_form({"explain", file("p.json")});
    }
    check({"explain", file("p.json"), "--all"});
    for (const char* form : {"text", "markdown", "junit", "sarif", "step-summary"})
        check({"compare", file("a.json"), file("b.json"), "--no-impact", "--all", "-f", form});
    for (const char* form : {"text", "markdown", "junit"})
        check({"compare", file("a.json"), file("b.json"), "-f", form});
    check({"compare", file("a.json"), file("b.json"), "-f", "github"}, true);
    check({"compare", "--cluster", file("a.json"), file("b.json"), "--no-impact"});
    check({"report", file("a.json"), file("p.json"), file("v.json"), "--csv", file("csv")});
    for (const auto& entry : std::filesystem::directory_iterator(folder / "csv")) {
        INFO(entry.path());
        CHECK(harm_in(read_file(entry.path()).value()) == "");
    }
    check({"reproduce", kEvil, file("a.json")});
    for (const char* target : {"cpp", "vma", "markdown", "dxvk", "godot", "llama.cpp"})
        check({"export", file("p.json"), "-t", target});
    std::filesystem::remove_all(folder);
}

TEST_CASE("no error lets a hostile document or argument through") {
    const auto folder = test::fresh_folder("hostile-errors");
    const std::string file = (folder / "x.json").string();
    const std::string evil_file = (folder / "\x1b[31m\n::error::x").string();
    const std::vector<std::string> texts{
        Json{{"$schema", kEvil}}.dump(), Json{{kEvil, 1}}.dump(), std::string(kEvil), "{\"\x1b[31m\": 1}",
        Json{{"$schema", "urn:heapwright:schema:report:1"}, {"schema_version", 1}, {kEvil, 2}}.dump()};
    for (const std::string& text : texts) {
        REQUIRE(write_file_atomically(file, text));
        for (const char* command : {"advise", "explain", "import", "report"}) check({command, file});
        check({"compare", file, file});
        check({"workload", "--check", file});
    }
    for (const char* command : {"advise", "explain", "import", "report", "export"}) check({command, evil_file});
    check({kEvil, kEvil});
    check({"schema", kEvil});
    std::filesystem::remove_all(folder);
}

TEST_CASE("a workload's hostile name stays within its line") {
    const auto folder = test::fresh_folder("hostile-workload");
    const std::string file = (folder / "w.json").string();
    Json workload = Json::parse(test::run_program({"workload", "--show", "2d-ui"}).out);
    workload["name"] = kEvil;
    REQUIRE(write_file_atomically(file, workload.dump()));
    const test::Output checked = test::run_program({"workload", "--check", file});
    INFO(checked.out << checked.err);
    CHECK(checked.exit_code == 0);
    CHECK(harm_in(checked.out) == "");
    CHECK(std::ranges::count(checked.out, '\n') == 2);
    check({"advise", test::source_path("reports/anv-kbl-mesa-22.3.6.json"), "-w", file, "--text"});
    check({"advise", test::source_path("reports/anv-kbl-mesa-22.3.6.json"), "-w", file, "-v"});
    std::filesystem::remove_all(folder);
}

#ifdef HEAPWRIGHT_HAS_STORE
TEST_CASE("a store's hostile names stay within their lines") {
    const auto folder = test::fresh_folder("hostile-store");
    const std::string report = (folder / "a.json").string();
    const std::string store = (folder / "s.db").string();
    REQUIRE(write_file_atomically(report, hostile_report("a").dump()));
    check({"store", "add", store, report});
    check({"store", "query", store});
    std::filesystem::remove_all(folder);
}
#endif

TEST_CASE("JSON keeps the exact bytes of a hostile name") {
    const auto folder = test::fresh_folder("hostile-json");
    const std::string file = (folder / "a.json").string();
    REQUIRE(write_file_atomically(file, hostile_report("a").dump()));
    const test::Output policy = test::run_program({"advise", file, "-w", "2d-ui"});
    REQUIRE(policy.exit_code == 0);
    CHECK(Json::parse(policy.out)["devices"][0]["identity"]["name"] == std::string(kGroups[0]) + kEvil + "a");
    std::filesystem::remove_all(folder);
}
