// Many files in one run: names, what is there already, what is skipped and why, exit codes.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "core/hash.hpp"
#include "core/path.hpp"
#include "heapwright/model/json.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using test::Output;

namespace batch_test {
namespace {

namespace fs = std::filesystem;

std::string inputs() {
    return test::source_path("tests/golden/import/input");
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& ending) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (path_text(entry.path()).ends_with(ending)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

nlohmann::json index_of(const fs::path& folder) {
    return nlohmann::json::parse(read_file(folder / "batch.json").value());
}

// The reports without when they were made.
std::map<std::string, std::string> reports_of(const fs::path& folder) {
    std::map<std::string, std::string> reports;
    for (const fs::path& file : files_of(folder, ".report.json")) {
        auto report = model::read_report(read_file(file).value(), path_text(file));
        REQUIRE(report);
        report->run.created_utc.clear();
        reports[path_text(file.filename())] = model::write(*report);
    }
    return reports;
}

}  // namespace

TEST_CASE("every file of a folder becomes what it becomes alone") {
    const fs::path out = test::fresh_folder("batch-all") / "out";
    const Output run = test::run_program({"import", inputs(), "-o", path_text(out), "--text"});
    CHECK(run.exit_code == 5);  // some of these files are refused
    const auto reports = reports_of(out);
    const auto index = index_of(out)["inputs"];
    CHECK(index.size() == files_of(inputs(), "").size());
    std::size_t refused = 0;
    for (const auto& entry : index) {
        INFO(entry["source"]);
        const fs::path alone = test::fresh_folder("batch-alone") / "alone.report.json";
        const Output single = test::run_program({"import", entry["source"], "-o", path_text(alone), "-q"});
        refused += entry.contains("reason") ? 1u : 0u;
        CHECK(single.exit_code == (entry.contains("reason") ? 2 : 0));
        if (entry.contains("reason"))
            CHECK(run.err.find(entry["reason"]) != std::string::npos);
        else
            CHECK(reports_of(alone.parent_path()).at("alone.report.json") == reports.at(entry["results"][0]["file"]));
    }
    CHECK(refused + reports.size() == index.size());
    const std::string count = std::to_string(reports.size());
    // Again: nothing is made anew. One that changed, or that is gone, is.
    const fs::path one = files_of(out, ".report.json").front();
    const auto written = fs::last_write_time(one);
    const Output again = test::run_program({"import", inputs(), "-o", path_text(out), "--text"});
    CHECK(again.exit_code == 5);
    CHECK(again.out.find(count + " there already") != std::string::npos);
    CHECK(fs::last_write_time(one) == written);
    fs::remove(one);
    const Output mended = test::run_program({"import", inputs(), "-o", path_text(out), "--text"});
    CHECK(mended.out.find("imported 1 file into") != std::string::npos);
    CHECK(reports_of(out) == reports);
}

TEST_CASE("a bad file is named with its reason and skipped; files of one name are kept apart") {
    const fs::path folder = test::fresh_folder("batch-some");
    const std::string good = read_file(path_of(inputs()) / "intel-b580-anv.38827.json").value();
    const std::string other = read_file(path_of(inputs()) / "apple-m1-moltenvk.38819.json").value();
    for (const char* name : {"a", "b", "b/c"}) fs::create_directory(folder / name);
    REQUIRE(write_file_atomically(folder / "a" / "gpu.json", good));
    REQUIRE(write_file_atomically(folder / "b" / "gpu.json", other));
    REQUIRE(write_file_atomically(folder / "b" / "c" / "gpu.json", good));
    REQUIRE(write_file_atomically(folder / "b" / "notes.txt", "hello"));
    REQUIRE(write_file_atomically(folder / ".hidden.json", "hello"));
    const fs::path out = folder / "out";
    for (int turn = 0; turn < 2; ++turn) {
        const Output run = test::run_program({"import", path_text(folder), "-o", path_text(out), "--text"});
        CHECK(run.exit_code == 5);
        CHECK(run.err.find("notes.txt") != std::string::npos);
        CHECK(run.out.find("1 skipped, with the reason in batch.json") != std::string::npos);
        CHECK(run.out.find(turn == 0 ? "imported 3 files" : "3 there already") != std::string::npos);
        CHECK(reports_of(out).size() == 3);
        const auto index = index_of(out)["inputs"];
        CHECK(index.size() == 4);
        CHECK(std::ranges::count_if(index, [](const auto& entry) { return entry.contains("reason"); }) == 1);
    }
}

TEST_CASE("a batch without a good file is no success, and one without a folder for its results is refused") {
    const fs::path folder = test::fresh_folder("batch-none");
    REQUIRE(write_file_atomically(folder / "a.txt", "hello"));
    REQUIRE(write_file_atomically(folder / "b.txt", "hello"));
    const std::string a = path_text(folder / "a.txt");
    const std::string b = path_text(folder / "b.txt");
    const Output none = test::run_program({"import", a, b, "-o", path_text(folder / "out"), "--text"});
    CHECK(none.exit_code == 2);
    CHECK(none.err.find("a.txt") != std::string::npos);
    CHECK(none.err.find("b.txt") != std::string::npos);
    fs::create_directory(folder / "empty");
    const Output empty =
        test::run_program({"import", path_text(folder / "empty"), "-o", path_text(folder / "out"), "--text"});
    CHECK(empty.exit_code == 2);
    CHECK(empty.err.find("no file to read") != std::string::npos);
    const Output homeless = test::run_program({"import", a, b});
    CHECK(homeless.exit_code == 2);
    CHECK(homeless.err.find("-o FOLDER") != std::string::npos);
    const Output file = test::run_program({"import", a, b, "-o", a});
    CHECK(file.exit_code == 2);
    CHECK(file.err.find("a.txt") != std::string::npos);
    CHECK(read_file(folder / "a.txt").value() == "hello");
}

TEST_CASE("of a folder, heapwright's own documents are passed over; a named one is refused") {
    const fs::path folder = test::fresh_folder("batch-others");
    const std::string report = test::source_path("reports/radv-navi10-mesa-25.0.7.json");
    for (const char* name : {"in", "in/earlier"}) fs::create_directory(folder / name);
    fs::copy_file(path_of(inputs()) / "intel-b580-anv.38827.json", folder / "in" / "gpu.json");
    fs::copy_file(report, folder / "in" / "report.json");
    REQUIRE(write_file_atomically(folder / "in" / "earlier" / "batch.json", "{}"));
    const std::string out = path_text(folder / "out");
    const Output run = test::run_program({"import", path_text(folder / "in"), "-o", out, "--text"});
    CHECK(run.exit_code == 0);
    CHECK(run.out == "imported 1 file into " + out + "; 2 of other kinds passed over\n");
    CHECK(index_of(path_of(out))["inputs"].size() == 1);
    const Output named = test::run_program({"import", path_text(folder / "in"), report, "-o", out, "--text"});
    CHECK(named.exit_code == 5);
    CHECK(named.err.find("navi10") != std::string::npos);
    const Output none = test::run_program({"import", path_text(folder / "in" / "earlier"), "-o", out, "--text"});
    CHECK(none.exit_code == 2);
    CHECK(none.err.find("1 of other kinds passed over") != std::string::npos);
}

TEST_CASE("a batch that was killed is resumed, and a result that somebody changed is made anew") {
    const fs::path folder = test::fresh_folder("batch-killed");
    const fs::path out = folder / "out";
    const fs::path stuck = folder / "stuck.json";  // nobody writes into it, so reading it never ends
    REQUIRE(mkfifo(stuck.c_str(), 0600) == 0);
    const auto gpu = [&](const char* name) {
        const fs::path path = folder / name;
        fs::copy_file(path_of(inputs()) / "intel-b580-anv.38827.json", path, fs::copy_options::overwrite_existing);
        return path_text(path);
    };
    const std::string a = gpu("a.json");
    const std::string b = gpu("b.json");
    const std::string c = gpu("c.json");
    CHECK(test::run_program({"import", b, c, "-o", path_text(out), "--text"}).exit_code == 0);
    const Output killed =
        test::interrupt_program({"import", a, path_text(stuck), b, c, "-o", path_text(out), "-q"}, SIGKILL, 1000);
    CHECK(killed.exit_code == 128 + SIGKILL);
    const Output resumed = test::run_program({"import", a, b, c, "-o", path_text(out), "--text"});
    CHECK(resumed.exit_code == 0);
    CHECK(resumed.out.find("imported 0 files") == 0);
    CHECK(resumed.out.find("; 3 there already") != std::string::npos);
    REQUIRE(write_file_atomically(out / "b.report.json", "mine"));
    const Output mended = test::run_program({"import", a, b, c, "-o", path_text(out), "--text"});
    CHECK(mended.out.find("imported 1 file") == 0);
    CHECK(reports_of(out).size() == 3);
}

TEST_CASE("a name longer than a file system takes is cut, and what is not there is one bad input") {
    const fs::path folder = test::fresh_folder("batch-long");
    const std::string text = read_file(inputs() + "/arm-mali-g715.38609.json").value();
    REQUIRE(write_file_atomically(folder / (std::string(230, 'x') + ".json"), text));
    // Two letters of three bytes each do not end amid one.
    std::string letters;
    for (int i = 0; i < 75; ++i) letters += "\xe4\xb8\xad";
    REQUIRE(write_file_atomically(folder / (letters + ".json"), text));
    const fs::path out = test::fresh_folder("batch-long-out") / "out";
    CHECK(test::run_program({"import", path_text(folder), "-o", path_text(out)}).exit_code == 0);
    CHECK(files_of(out, ".report.json").size() == 2);
    const Output missing = test::run_program(
        {"import", path_text(folder / "none.json"), inputs() + "/arm-mali-g715.38609.json", "-o", path_text(out)});
    CHECK(missing.exit_code == 5);
    CHECK(missing.err.find("none.json: does not exist") != std::string::npos);
    CHECK(index_of(out)["inputs"][0]["reason"].get<std::string>().find("does not exist") != std::string::npos);
}

TEST_CASE("what an input no longer gives is taken away, unless somebody changed it") {
    const fs::path folder = test::fresh_folder("batch-stale");
    const std::string text = read_file(inputs() + "/arm-mali-g715.38609.json").value();
    for (const char* name : {"a.json", "b.json", "c.json"}) REQUIRE(write_file_atomically(folder / name, text));
    const fs::path out = test::fresh_folder("batch-stale-out") / "out";
    const std::vector<std::string> arguments{"import", path_text(folder), "-o", path_text(out)};
    CHECK(test::run_program(arguments).exit_code == 0);
    REQUIRE(write_file_atomically(out / "b.report.json", "mine"));
    for (const char* name : {"a.json", "b.json"}) REQUIRE(write_file_atomically(folder / name, "{"));
    CHECK(test::run_program(arguments).exit_code == 5);
    CHECK_FALSE(fs::exists(out / "a.report.json"));
    CHECK(read_file(out / "b.report.json").value() == "mine");
    CHECK(fs::exists(out / "c.report.json"));
    // Of other inputs nothing is touched.
    CHECK(test::run_program(
              {"import", inputs() + "/arm-mali-g715.38609.json", path_text(folder / "a.json"), "-o", path_text(out)})
              .exit_code == 5);
    CHECK(fs::exists(out / "c.report.json"));
}

TEST_CASE("an index that somebody made takes nothing away outside its folder") {
    const fs::path folder = test::fresh_folder("batch-foreign-index");
    REQUIRE(write_file_atomically(folder / "mine.txt", "mine"));
    REQUIRE(write_file_atomically(folder / "in.json", "{"));
    fs::create_directory(folder / "out");
    const auto index_with = [&](const nlohmann::json& results) {
        const nlohmann::json index{{"recipe", "any"},
                                   {"inputs", {{{"source", path_text(folder / "in.json")}, {"results", results}}}}};
        REQUIRE(write_file_atomically(folder / "out" / "batch.json", index.dump()));
    };
    const std::string hash = hash_hex("mine");
    for (const nlohmann::json& results :
         {nlohmann::json{{{"file", "../mine.txt"}, {"hash", hash}}},
          nlohmann::json{{{"file", path_text(folder / "mine.txt")}, {"hash", hash}}}, nlohmann::json{{{"file", ".."}}},
          nlohmann::json(3), nlohmann::json("x"), nlohmann::json{nullptr, 1, "x"}}) {
        index_with(results);
        const Output run = test::run_program(
            {"import", path_text(folder / "in.json"), path_text(folder / "in.json"), "-o", path_text(folder / "out")});
        CHECK(run.exit_code == 2);
        CHECK(read_file(folder / "mine.txt").value() == "mine");
    }
    // What the folder holds is taken away, so the above is no test that cannot fail.
    REQUIRE(write_file_atomically(folder / "out" / "mine.txt", "mine"));
    index_with({{{"file", "mine.txt"}, {"hash", hash}}});
    const Output run = test::run_program(
        {"import", path_text(folder / "in.json"), path_text(folder / "in.json"), "-o", path_text(folder / "out")});
    CHECK(run.exit_code == 2);
    CHECK_FALSE(fs::exists(folder / "out" / "mine.txt"));
}

}  // namespace batch_test
