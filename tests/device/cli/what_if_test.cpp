// `what-if` as a user calls it: every preset, dumps, recordings and traces; wrong words; the device's own memory.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "heapwright/model/claim_text.hpp"
#include "model/what_if.hpp"
#include "program.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;
using model::WhatIfColumn;

namespace {

const std::string kWhatIfReport = source_path("reports/nvidia-h100-580.159.04-vulkan.json");

Output what_if(std::vector<std::string> words, const std::string& report = kWhatIfReport) {
    words.insert(words.begin(), "what-if");
    words.insert(words.end(), {"--report", report, "--json", "-q"});
    return run_program(words);
}

model::WhatIf read(const Output& output, int exit_code = 0) {
    INFO(output.err);
    REQUIRE(output.exit_code == exit_code);
    auto document = model::read_what_if(output.out, "what-if");
    if (!document) FAIL(to_string(document.error()));
    return std::move(*document);
}

double value_of(const model::WhatIfRow& row, WhatIfColumn column) {
    const auto cell = std::ranges::find(row.cells, column, &model::WhatIfCell::column);
    INFO(row.name << ": " << row.not_played);
    REQUIRE(cell != row.cells.end());
    return cell->value;
}

std::vector<std::string> known_presets() {
    std::vector<std::string> names;
    const std::string list = run_program({"workload"}).out;
    for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1) {
        const std::string line = list.substr(at, list.find('\n', at) - at);
        if (!line.empty() && line.front() != ' ' && line.find("  ") != std::string::npos)
            names.push_back(line.substr(0, line.find(' ')));
    }
    REQUIRE(names.size() >= 9);
    return names;
}

class WhatIfFolder {
public:
    WhatIfFolder() : path_(fresh_folder("what-if")) {}
    ~WhatIfFolder() { std::filesystem::remove_all(path_); }
    WhatIfFolder(const WhatIfFolder&) = delete;
    WhatIfFolder& operator=(const WhatIfFolder&) = delete;

    [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string save(const std::string& name, const std::string& text) const {
        REQUIRE(write_file_atomically(at(name), text));
        return at(name);
    }

private:
    std::filesystem::path path_;
};

std::string churning_trace(int frames) {
    std::string text = "heapwright-trace 1\n";
    const auto create = [&](int id) {
        text += "create " + std::to_string(id) + " buffer " + std::to_string(4096 * (1 + id % 37)) +
                " usage=VERTEX_BUFFER|TRANSFER_DST memory=device\n";
    };
    for (int id = 0; id < 200; ++id) create(id);
    text += "frame\n";
    for (int frame = 0; frame < frames; ++frame) {
        for (int i = 0; i < 5; ++i) text += "destroy " + std::to_string(frame * 5 + i) + "\n";
        for (int i = 0; i < 5; ++i) create(200 + frame * 5 + i);
        text += "frame\n";
    }
    return text;
}

}  // namespace

TEST_CASE("every preset is played by the usual ways") {
    for (const std::string& preset : known_presets()) {
        CAPTURE(preset);
        const model::WhatIf document = read(what_if({preset + "@10%"}));
        REQUIRE(document.rows.size() == 7);
        CHECK(document.rows.front().name == "advised");
        CHECK(document.seeds == 8);
        for (const model::WhatIfRow& row : document.rows) CHECK(value_of(row, WhatIfColumn::kPeakReserved) > 0);
        CHECK(value_of(document.rows.back(), WhatIfColumn::kMeanWaste) == 0);
    }
}

TEST_CASE("dumps and recordings are played, and a dump beside what its program had") {
    for (const char* name : {"vma-dump-2.json", "vma-dump-3.json", "vma-recording.csv"}) {
        CAPTURE(name);
        const model::WhatIf document = read(what_if({source_path(std::string("tests/golden/import/cases/") + name)}));
        const bool is_dump = document.inputs.front().kind == "dump";
        CHECK(is_dump == (document.rows[1].name == "as-dumped"));
        CHECK(document.rows.size() == (is_dump ? 8 : 7));
        if (!is_dump) continue;
        CHECK(document.rows[1].cells.size() == 3);
        CHECK(value_of(document.rows[1], WhatIfColumn::kPeakReserved) > 0);
        CHECK(model::text_of(document.notes).find("no order and no times") != std::string::npos);
    }
}

TEST_CASE("a trace is told by its frames, and several inputs by their weights") {
    const WhatIfFolder folder;
    const std::string trace = folder.save("game.trace", churning_trace(300));
    const model::WhatIf alone = read(what_if({trace, "--rule", "vma-default"}));
    CHECK(alone.seeds == 0);
    CHECK(alone.stretches >= 64);
    CHECK(alone.inputs.front().frames == 301);
    CHECK(alone.inputs.front().creations == 200 + 1500);

    const model::WhatIf brief = read(what_if({folder.save("brief.trace", churning_trace(3)), "--rule", "vma-default"}));
    CHECK(brief.stretches == 0);
    CHECK(model::text_of(brief.notes).find("too few") != std::string::npos);

    const std::vector<std::string> two{trace, "2d-ui@10%", "--rule", "vma-default"};
    std::vector<std::string> weighted = two;
    weighted.insert(weighted.end(), {"--weight", "3", "--weight", "1"});
    const model::WhatIf both = read(what_if(weighted));
    REQUIRE(both.inputs.size() == 2);
    CHECK(both.inputs[0].weight == 3);
    const double of_trace = value_of(alone.rows[1], WhatIfColumn::kPeakReserved);
    const model::WhatIf hints = read(what_if({"2d-ui@10%", "--rule", "vma-default"}));
    const double of_hints = value_of(hints.rows[1], WhatIfColumn::kPeakReserved);
    CHECK(value_of(both.rows[1], WhatIfColumn::kPeakReserved) == Catch::Approx((3 * of_trace + of_hints) / 4));
    weighted.pop_back();
    weighted.pop_back();
    CHECK(what_if(weighted).exit_code == 2);
}

TEST_CASE("changes and sweeps of a policy") {
    const WhatIfFolder folder;
    const std::string policy = folder.at("policy.json");
    REQUIRE(run_program({"advise", kWhatIfReport, "-w", "2d-ui@10%", "-q", "-o", policy}).exit_code == 0);
    const Output output =
        what_if({"2d-ui@10%", "--policy", policy, "--set", "chunk=64MiB", "--sweep", "chunk=1MiB..256MiB", "--write",
                 "markdown=" + folder.at("a.md"), "--write", "curves=" + folder.at("a.csv")});
    const model::WhatIf document = read(output);
    REQUIRE(document.rows.size() == 2);
    CHECK(document.rows[0].name == policy);
    CHECK(document.rows[1].name == policy + " with chunk=64MiB");
    CHECK(value_of(document.rows[1], WhatIfColumn::kPeakReserved) >
          value_of(document.rows[0], WhatIfColumn::kPeakReserved));
    REQUIRE(document.curves.size() == 1);
    CHECK(document.curves.front().points.size() == 9);
    CHECK(read_file(folder.at("a.md")).value().find("| way to allocate") != std::string::npos);
    CHECK(read_file(folder.at("a.csv")).value().starts_with("setting,of,size_bytes"));
}

TEST_CASE("what is wrong is said with what is right") {
    const WhatIfFolder folder;
    const auto refused = [](const std::vector<std::string>& words, const char* why) {
        const Output output = what_if(words);
        CAPTURE(why, output.err);
        CHECK(output.exit_code == 2);
        CHECK(output.out.empty());
        CHECK(output.err.find(why) != std::string::npos);
    };
    refused({"2d-ui@10%", "--rule", "vma-defualt"}, "vma-default");
    refused({"2d-ui@10%", "--set", "chunk=none"}, "none");
    refused({"2d-ui@10%", "--sweep", "chunk=4MiB"}, "chunk=1MiB..256MiB");
    refused({"2d-uu"}, "2d-ui");
    refused({folder.save("broken.trace", "heapwright-trace 1\nframe\ndestroy 4\n")}, "broken.trace:3: 4 is not alive");
    const std::string policy = folder.at("policy.json");
    REQUIRE(run_program({"advise", kWhatIfReport, "-w", "2d-ui@10%", "-q", "-o", policy}).exit_code == 0);
    auto for_no_device = nlohmann::ordered_json::parse(read_file(policy).value());
    for_no_device["devices"] = nlohmann::ordered_json::array();
    refused({"2d-ui@10%", "--policy", folder.save("none.json", for_no_device.dump())}, "for no device");
    auto without_types = nlohmann::ordered_json::parse(
        read_file(source_path("tests/golden/import/intel-b580-anv.38827.json.report.json")).value());
    without_types["devices"][0]["memory_types"] = nlohmann::ordered_json::array();
    const Output nothing = what_if({"2d-ui@10%", "--policy", policy}, folder.save("bare.json", without_types.dump()));
    CHECK(nothing.exit_code == 3);
    CHECK(nothing.err.find("holds no memory types") != std::string::npos);
    auto without_uses = nlohmann::ordered_json::parse(read_file(policy).value());
    without_uses["devices"][0]["memory_uses"] = nlohmann::ordered_json::array();
    refused({"2d-ui@10%", "--policy", folder.save("no-uses.json", without_uses.dump())}, "memory_uses is empty");
    refused({folder.save("idle.trace", "heapwright-trace 1\nframe\nframe\n")}, "creates nothing");
    refused({folder.save("refused.trace",
                         "heapwright-trace 1\ncreate 1 buffer 281474976710656 usage=VERTEX_BUFFER "
                         "memory=device\nframe\n")},
            "refuses every resource");
    refused({"-", "-"}, "named more than once");
    const Output no_device = run_program({"what-if", "2d-ui"});
    CHECK(no_device.exit_code == 2);
    CHECK(no_device.err.find("--gpu") != std::string::npos);
    // A way that cannot be played does not end the others.
    const model::WhatIf part = read(what_if({"2d-ui@10%", "--rule", "as-dumped"}), 5);
    CHECK(part.rows.back().not_played.find("no dump") != std::string::npos);
    CHECK(value_of(part.rows.front(), WhatIfColumn::kPeakReserved) > 0);
}

TEST_CASE("a policy for another device, whose memory types this one lacks, ends nothing") {
    const WhatIfFolder folder;
    const std::string policy = folder.at("h100.json");
    REQUIRE(run_program({"advise", kWhatIfReport, "-w", "2d-ui@10%", "-q", "-o", policy}).exit_code == 0);
    const model::WhatIf document = read(what_if({"2d-ui@10%", "--policy", policy, "--rule", "one-each"},
                                                source_path("reports/lavapipe-mesa-22.3.6.json")),
                                        5);
    CHECK_FALSE(document.rows.front().not_played.empty());
    CHECK(value_of(document.rows.back(), WhatIfColumn::kPeakReserved) > 0);
    CHECK(value_of(document.rows.back(), WhatIfColumn::kFailedRequests) == 0);
    // Nothing to compare with is no difference that could not be told.
    for (const model::WhatIfCell& cell : document.rows.back().cells)
        CHECK(cell.verdict == model::WhatIfVerdict::kFirst);
}

TEST_CASE("the points of a sweep are compared with each other") {
    const model::WhatIf document = read(what_if({"general-engine@10%", "--sweep", "chunk=1MiB..256MiB"}));
    for (const model::WhatIfPoint& point : document.curves.front().points) {
        const auto peak = std::ranges::find(point.cells, WhatIfColumn::kPeakReserved, &model::WhatIfCell::column);
        const bool is_least =
            std::ranges::none_of(document.curves.front().points, [&](const model::WhatIfPoint& other) {
                return std::ranges::find(other.cells, WhatIfColumn::kPeakReserved, &model::WhatIfCell::column)->value <
                       peak->value;
            });
        CAPTURE(point.size_bytes);
        if (is_least) CHECK(peak->is_best);
        if (point.size_bytes == 256ull << 20) CHECK_FALSE(peak->is_best);
    }
}

TEST_CASE("on the device's own memory every way has the figures of numbers") {
    const std::string icd = require_driver("HEAPWRIGHT_ICD_LAVAPIPE");
    const WhatIfFolder folder;
    const std::string report = folder.at("report.json");
    REQUIRE(run_program({"probe", "--icd", icd, "--api", "vulkan", "--no-timing", "-q", "-o", report}).exit_code == 0);
    const model::WhatIf document = read(what_if(
        {"desktop-app@5%", "--rule", "vma-default", "--rule", "one-each", "--on-device", "--icd", icd}, report));
    REQUIRE(document.rows.size() == 6);
    for (std::size_t i = 0; i < 3; ++i) {
        CAPTURE(document.rows[i].name);
        CHECK_FALSE(document.rows[i].is_real);
        CHECK(document.rows[i + 3].is_real);
        for (const WhatIfColumn same : {WhatIfColumn::kPeakReserved, WhatIfColumn::kDeviceAllocations})
            CHECK(value_of(document.rows[i], same) == value_of(document.rows[i + 3], same));
        CHECK(value_of(document.rows[i + 3], WhatIfColumn::kAllocating) > 0);
    }
    const model::WhatIf trace = read(what_if(
        {folder.save("churn.trace", churning_trace(60)), "--rule", "one-each", "--on-device", "--icd", icd}, report));
    // Numbers are told by the trace's frames as without a device; what the device did, by its plays.
    CHECK(trace.seeds == 0);
    CHECK(trace.stretches == 60);
    CHECK(trace.plays == 8);
    REQUIRE(trace.rows.size() == 4);
    const model::WhatIf alone = read(what_if({folder.at("churn.trace"), "--rule", "one-each"}, report));
    REQUIRE(alone.rows.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        REQUIRE(trace.rows[i].cells.size() == alone.rows[i].cells.size());
        for (std::size_t cell = 0; cell < alone.rows[i].cells.size(); ++cell) {
            CHECK(trace.rows[i].cells[cell].value == alone.rows[i].cells[cell].value);
            CHECK(trace.rows[i].cells[cell].verdict == alone.rows[i].cells[cell].verdict);
            CHECK(trace.rows[i].cells[cell].most_difference == alone.rows[i].cells[cell].most_difference);
        }
    }
    // The first on the device is what the others there are compared with.
    for (const model::WhatIfCell& cell : trace.rows[2].cells) CHECK(cell.verdict == model::WhatIfVerdict::kFirst);
    const auto peak = std::ranges::find(trace.rows[3].cells, WhatIfColumn::kPeakReserved, &model::WhatIfCell::column);
    REQUIRE(peak != trace.rows[3].cells.end());
    CHECK(peak->verdict != model::WhatIfVerdict::kFirst);
    // What the process that opens the device has to say is said.
    const Output noted = run_program({"what-if", "desktop-app@5%", "2d-ui@5%", "--report", report, "--rule", "one-each",
                                      "--on-device", "--icd", icd});
    CHECK(noted.exit_code == 0);
    CHECK(noted.err.find("advised is made for desktop-app") != std::string::npos);
    const Output elsewhere = what_if({"desktop-app@5%", "--on-device", "--icd", icd});
    CHECK(elsewhere.exit_code != 0);
    CHECK(elsewhere.err.find("is not here") != std::string::npos);
}
