// A what-if's screen, text, Markdown and CSV: what did not run leads, each fits its place, and no name breaks out of
// it.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "render/what_if_text.hpp"
#include "render/what_if_words.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "example.hpp"

namespace what_if_render_test {

using namespace heapwright;
using namespace heapwright::render;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using model::WhatIf;
using model::WhatIfCell;
using model::WhatIfColumn;
using model::WhatIfRow;
using model::WhatIfVerdict;

namespace {

constexpr ScreenStyle kPlain{.colour = false, .symbols = false};
constexpr std::string_view kNext = "heapwright advise --from game.trace";

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    CHECK(text.empty());
    return lines;
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

// So many rows that all differ, the first the best.
WhatIf with_rows(std::size_t count) {
    WhatIf what_if = model::example::what_if();
    const WhatIfRow first = what_if.rows.at(0);
    const WhatIfRow other = what_if.rows.at(1);
    what_if.rows.clear();
    for (std::size_t i = 0; i < count; ++i) {
        WhatIfRow row = i == 0 ? first : other;
        row.is_real = false;
        if (i != 0) row.name = "fixed:" + std::to_string(i) + "MiB";
        what_if.rows.push_back(std::move(row));
    }
    return what_if;
}

WhatIfCell& cell(WhatIf& what_if, std::size_t row, WhatIfColumn column) {
    return *std::ranges::find(what_if.rows.at(row).cells, column, &WhatIfCell::column);
}

void check_screen(const WhatIf& what_if) {
    const std::string text = what_if_screen(what_if, kPlain, kNext);
    INFO(text);
    const std::vector<std::string> lines = lines_of(text);
    CHECK(lines.size() < kScreenLines);
    for (const std::string& line : lines) CHECK(columns_of(line) <= kScreenColumns);
    CHECK(lines.back() == "Next: " + std::string(kNext));
}

std::string difference(WhatIfColumn column, WhatIfVerdict verdict, double least, double most) {
    return difference_text({.column = column,
                            .value = 0,
                            .verdict = verdict,
                            .least_difference = least,
                            .most_difference = most,
                            .is_best = false});
}

// The cells of a Markdown table's line.
std::vector<std::string> markdown_line(std::string_view line) {
    std::vector<std::string> cells(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) {
            cells.back() += line[++i];
        } else if (line[i] == '|') {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    REQUIRE(cells.size() > 2);
    cells = std::vector<std::string>(cells.begin() + 1, cells.end() - 1);
    for (std::string& each : cells) {
        each.erase(0, each.find_first_not_of(' '));
        each.erase(each.find_last_not_of(' ') + 1);
    }
    return cells;
}

// RFC 4180, without line ends in cells.
std::vector<std::string> csv_line(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[++i];
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    CHECK(!quoted);
    return cells;
}

}  // namespace

TEST_CASE("A what-if's screen is one screen, with no row, one, eight and more than fit") {
    for (const std::size_t count : {0u, 1u, 2u, 8u, 12u, 40u}) {
        WhatIf what_if = with_rows(count);
        check_screen(what_if);
        for (int i = 0; i < 9; ++i) what_if.notes.push_back(std::string(90, 'n') + " " + std::string(300, 'm'));
        check_screen(what_if);
        for (std::size_t i = 0; i < count; ++i) {
            what_if.rows[i].name += " of a long name that hardly fits beside figures";
            what_if.rows[i].is_real = i % 2 == 1;
            cell(what_if, i, WhatIfColumn::kFailedRequests).value = 1e9;
        }
        for (const char* name : {"one", "two", "three"})
            what_if.rows.push_back({.name = name, .how = {}, .not_played = "a reason", .cells = {}});
        what_if.inputs.assign(3, what_if.inputs.at(0));
        check_screen(what_if);
    }
}

TEST_CASE("A screen with twelve rows shows each, and one with more says how many are missing") {
    const std::string twelve = what_if_screen(with_rows(12), kPlain, kNext);
    CHECK_THAT(twelve, ContainsSubstring("fixed:11MiB"));
    CHECK_THAT(what_if_screen(with_rows(40), kPlain, kNext), ContainsSubstring(" more ways (-v)"));
}

TEST_CASE("What was not played and which requests failed stand before the claim") {
    WhatIf what_if = model::example::what_if();
    const auto place = [&](std::string_view part) {
        const std::string text = what_if_screen(what_if, kPlain);
        INFO(text);
        const std::size_t at = text.find(part);
        REQUIRE(at != std::string::npos);
        return at;
    };
    const std::string claim = claim_of(what_if).substr(0, 30);
    CHECK(place("note: d3d12ma-default was not played: needs a report through Direct3D 12") < place(claim));
    cell(what_if, 1, WhatIfColumn::kFailedRequests).value = 12;
    CHECK(place("FAILED: vma-default found no memory for 12 of its requests") < place(claim));
    CHECK(place("no memory") < place("\n  advised "));
    const std::string markdown = what_if_markdown(what_if);
    CHECK(markdown.find("**d3d12ma-default was not played: needs") < markdown.find("**advised"));
    CHECK(markdown.find("**vma-default found no memory") < markdown.find("**advised"));
    // A way that leaves requests without memory is not plainly the best.
    cell(what_if, 1, WhatIfColumn::kPeakReserved).is_best = true;
    cell(what_if, 0, WhatIfColumn::kPeakReserved).is_best = false;
    CHECK_THAT(best_of(what_if), ContainsSubstring("peak reserved: vma-default (it failed requests)"));
}

TEST_CASE("Where the first way was not played there is nothing to compare with, and without any nothing at all") {
    WhatIf what_if = model::example::what_if();
    what_if.rows[0].cells.clear();
    what_if.rows[0].not_played = "it is of another device";
    CHECK(claim_of(what_if) == "advised was not played: there is nothing to compare the other ways with.");
    what_if.rows.erase(what_if.rows.begin() + 1, what_if.rows.end());
    CHECK(claim_of(what_if) == "Nothing was played.");
    CHECK_THAT(what_if_screen(what_if, kPlain), ContainsSubstring("FAILED: advised was not played: it is of another"));
    what_if = with_rows(1);
    CHECK_THAT(claim_of(what_if),
               StartsWith("advised reserves 1.5 GiB at the peak") && ContainsSubstring("no other way was played"));
}

TEST_CASE("The claim weighs what is told, and says what it costs") {
    WhatIf what_if = with_rows(2);
    CHECK(claim_of(what_if) ==
          "advised reserves 1.5 GiB at the peak where fixed:1MiB has 2.25 GiB (50% more) and spends 180 us of its "
          "worst frame on memory instead of 270 us.");
    CHECK(best_of(what_if) == "Best in peak reserved, mean waste, worst frame and time allocating: advised.");
    cell(what_if, 1, WhatIfColumn::kMeanWaste) = {.column = WhatIfColumn::kMeanWaste,
                                                  .value = 0.0625,
                                                  .verdict = WhatIfVerdict::kLess,
                                                  .least_difference = -0.07,
                                                  .most_difference = -0.05,
                                                  .is_best = true};
    CHECK_THAT(claim_of(what_if), ContainsSubstring(", but wastes 12.5% on average instead of 6.25%."));
    for (WhatIfCell& each : what_if.rows[1].cells) each.verdict = WhatIfVerdict::kNotTold;
    CHECK(claim_of(what_if) == "No difference that can be told between advised and fixed:1MiB.");
}

TEST_CASE("Figures read in the units that people use") {
    CHECK(value_text(WhatIfColumn::kPeakReserved, 0) == "0 bytes");
    CHECK(value_text(WhatIfColumn::kPeakReserved, 1023) == "1023 bytes");
    CHECK(value_text(WhatIfColumn::kPeakReserved, 1.66 * (1 << 30)) == "1.66 GiB");
    CHECK(value_text(WhatIfColumn::kPeakReserved, 1023.5 * (1 << 20)) == "1024 MiB");
    CHECK(value_text(WhatIfColumn::kMeanWaste, 0.131) == "13.1%");
    CHECK(value_text(WhatIfColumn::kPeakWaste, 12.5) == "1250%");
    CHECK(value_text(WhatIfColumn::kWorstFrame, 180'000) == "180 us");
    CHECK(value_text(WhatIfColumn::kWorstFrame, 999'960) == "1 ms");
    CHECK(value_text(WhatIfColumn::kAllocating, 2.5e9) == "2.5 s");
    CHECK(value_text(WhatIfColumn::kDeviceAllocations, 40) == "40");
    CHECK(value_text(WhatIfColumn::kDeviceAllocations, 40.25) == "40.2");
}

TEST_CASE("Differences read as intervals, each unit once, and what is not told says so") {
    constexpr double kMiB = 1 << 20;
    const auto peak = WhatIfColumn::kPeakReserved;
    CHECK(difference(peak, WhatIfVerdict::kFirst, 0, 0).empty());
    CHECK(difference(peak, WhatIfVerdict::kSame, 0, 0) == "the same");
    CHECK(difference(peak, WhatIfVerdict::kMore, 512 * kMiB, 576 * kMiB) == "512 to 576 MiB more");
    CHECK(difference(peak, WhatIfVerdict::kMore, 512 * kMiB, 2048 * kMiB) == "512 MiB to 2 GiB more");
    CHECK(difference(peak, WhatIfVerdict::kLess, -2 * kMiB, -kMiB) == "1 to 2 MiB less");
    CHECK(difference(peak, WhatIfVerdict::kMore, kMiB, kMiB) == "1 MiB more");
    CHECK(difference(WhatIfColumn::kWorstFrame, WhatIfVerdict::kNotTold, -2000, 3000) ==
          "not told: 2 us less to 3 us more");
    CHECK(difference(WhatIfColumn::kMeanWaste, WhatIfVerdict::kMore, 0.02, 0.03) == "2 to 3 points more");
    CHECK(difference(WhatIfColumn::kLateAllocations, WhatIfVerdict::kMore, 3, 4) == "3 to 4 more");
}

TEST_CASE("The best of a column is marked where a row is not best, and what is not told from the first") {
    const std::string screen = what_if_screen(with_rows(2), kPlain);
    INFO(screen);
    CHECK_THAT(screen, ContainsSubstring("1.5 GiB*") && ContainsSubstring("2.25 GiB ") &&
                           ContainsSubstring("* the best of the column, or not told from it."));
    CHECK_THAT(screen, ContainsSubstring("135 us~") && ContainsSubstring("~ not told from advised."));
    CHECK_THAT(screen, ContainsSubstring("told by 30 stretches of frames and 8 plays on the device"));
    CHECK_THAT(what_if_text(with_rows(2)), ContainsSubstring("45 us less to 50.62 us more") &&
                                               ContainsSubstring("peak reserved          1.5 GiB, best"));
    // All alike: nothing is best.
    WhatIf alike = with_rows(2);
    alike.rows[1].cells = alike.rows[0].cells;
    for (WhatIfCell& each : alike.rows[1].cells) each.verdict = WhatIfVerdict::kSame;
    CHECK(what_if_screen(alike, kPlain).find('*') == std::string::npos);
    CHECK(best_of(alike).empty());
}

TEST_CASE("Without seeds and stretches the differences are exact for what was played") {
    WhatIf what_if = with_rows(2);
    what_if.stretches = 0;
    what_if.plays = 0;
    CHECK(told_by(what_if) == "Differences are exact, for this trace alone.");
    CHECK_THAT(what_if_screen(what_if, kPlain),
               ContainsSubstring("* the best of the column. ") && ContainsSubstring("Differences are exact, for this"));
    CHECK_THAT(what_if_markdown(what_if), ContainsSubstring("Bold: the best of the column. Differences are exact"));
    what_if.inputs.clear();
    CHECK(told_by(what_if) == "Differences are exact, for these inputs alone.");
    what_if.plays = 8;
    CHECK(
        told_by(what_if) ==
        "Differences are exact, for these inputs alone; on the device they are told by 8 plays, at 99% for each row.");
    what_if.seeds = 32;
    CHECK(told_by(what_if) == "Differences are told by 32 paired seeds, at 99% for each row.");
    what_if.stretches = 30;
    CHECK(told_by(what_if) ==
          "Differences are told by 32 paired seeds, 30 stretches of frames and 8 plays on the device, at 99% for each "
          "row.");
}

TEST_CASE("Names that would break out of their place do not") {
    WhatIf what_if = with_rows(3);
    what_if.rows[1].name = "a\x1b[2J\nb | c` <script>*_[x](y)";
    what_if.rows[2].name = std::string(5000, 'x');
    what_if.rows.push_back({.name = "=cmd|'x'", .how = {}, .not_played = "no\nno | \x07", .cells = {}});
    what_if.device.name = "GPU\r\n# A";
    what_if.inputs[0].name = "t\nrace";
    what_if.notes = "| a\n| b";
    check_screen(what_if);
    const auto is_printed = [](char c) { return c == '\n' || static_cast<unsigned char>(c) >= 0x20; };
    for (const std::string& text : {what_if_screen(what_if, kPlain), what_if_text(what_if), what_if_markdown(what_if),
                                    csv_text(what_if_rows(what_if)), csv_text(what_if_curves(what_if))})
        CHECK(std::ranges::all_of(text, is_printed));
    CHECK_THAT(what_if_markdown(what_if),
               !ContainsSubstring("<script>") && !ContainsSubstring("[x](y)") && !ContainsSubstring("\n# A"));
    CHECK_THAT(csv_text(what_if_rows(what_if)), ContainsSubstring("\n'=cmd"));
}

TEST_CASE("The Markdown tables read back as the rows and points that were played") {
    WhatIf what_if = with_rows(3);
    what_if.rows[1].name = "a|b\\*c";
    const std::vector<std::string> lines = lines_of(what_if_markdown(what_if));
    const auto head =
        std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("| way to allocate"); });
    REQUIRE(lines.end() - head > 4);
    const std::vector<std::string> names = markdown_line(*head);
    CHECK(names.at(1) == "peak reserved");
    CHECK(markdown_line(head[1]).size() == names.size());
    for (std::size_t i = 0; i < what_if.rows.size(); ++i) {
        const std::vector<std::string> cells = markdown_line(head[static_cast<std::ptrdiff_t>(i) + 2]);
        CHECK(cells.size() == names.size());
        CHECK(cells.at(0) == what_if.rows[i].name);
        CHECK(cells.at(1) == (i == 0 ? "**1.5 GiB**" : "2.25 GiB"));
    }
    CHECK(head[5].empty());
    const auto curve = std::ranges::find(lines, "## chunk of advised");
    REQUIRE(lines.end() - curve > 6);
    CHECK(markdown_line(curve[4]).at(0) == "16 MiB");
    CHECK(markdown_line(curve[4]).size() == names.size());
    CHECK_THAT(what_if_markdown(what_if), ContainsSubstring("not played at 1 MiB: needs 5000 allocations of 4096"));
}

TEST_CASE("The CSV tables read back as the rows and points, those that were not played too") {
    WhatIf what_if = model::example::what_if();
    what_if.rows[1].name = "a, \"b\"";
    const std::vector<std::string> rows = lines_of(csv_text(what_if_rows(what_if)));
    REQUIRE(rows.size() == 1 + what_if.rows.size());
    const std::vector<std::string> names = csv_line(rows[0]);
    const auto value = [&](std::size_t row, std::string_view name) {
        const auto at = std::ranges::find(names, name) - names.begin();
        return csv_line(rows.at(row)).at(static_cast<std::size_t>(at));
    };
    for (const std::string& row : rows) CHECK(csv_line(row).size() == names.size());
    CHECK(value(1, "peak_reserved_bytes") == "1610612736");
    CHECK(value(2, "row") == "a, \"b\"");
    CHECK(value(2, "on_the_device") == "0");
    CHECK(value(4, "on_the_device") == "1");
    CHECK(value(2, "not_told_in") == "p99_frame_ns");
    CHECK_THAT(value(2, "more_in"), StartsWith("peak_reserved_bytes mean_waste"));
    CHECK_THAT(value(1, "best_in"), StartsWith("peak_reserved_bytes mean_waste"));
    CHECK(value(3, "not_played") == "needs a report through Direct3D 12");
    CHECK(value(3, "worst_frame_ns").empty());
    const std::vector<std::string> points = lines_of(csv_text(what_if_curves(what_if)));
    REQUIRE(points.size() == 4);
    for (const std::string& point : points) CHECK(csv_line(point).size() == csv_line(points[0]).size());
    CHECK_THAT(points[1], StartsWith("chunk,advised,1048576,needs 5000 allocations of 4096,,"));
    CHECK_THAT(points[2], StartsWith("chunk,advised,16777216,,2013265920,"));
}

}  // namespace what_if_render_test
