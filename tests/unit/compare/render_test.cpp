// The writers: what readers that are not ours make of them, and their limits.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <set>

#include "committed.hpp"
#include "compare/compare.hpp"
#include "core/file.hpp"
#include "model/comparison.hpp"
#include "render/comparison_forms.hpp"
#include "test_paths.hpp"

using namespace heapwright;
using namespace heapwright::test;

namespace {

model::Comparison two_versions() {
    model::Comparison comparison;
    comparison.header.tool_version = "1.2.3";
    const auto result =
        compare::compare_documents(loaded(committed_report("anv-kbl-mesa-22.3.6"), "reports/a,b:c%.json"),
                                   loaded(committed_report("anv-kbl-mesa-25.0.7"), "reports/new.json"), {});
    REQUIRE(result.has_value());
    comparison.documents.push_back(*result);
    comparison.documents[0].devices[0].fields.push_back(
        {.path = "/made/up", .from = "<&\"'\x01>", .to = "a\nb\r|c", .reason = "50% of it: yes, it is"});
    comparison.allow_list.push_back({.file = "allow,1.toml", .line = 7, .statement = "line\nbreak"});
    return comparison;
}

std::string unescaped(std::string text) {
    const std::pair<std::string_view, std::string_view> kPairs[] = {
        {"%3A", ":"}, {"%2C", ","}, {"%0D", "\r"}, {"%0A", "\n"}, {"%25", "%"}};
    for (const auto& [code, character] : kPairs) {
        for (std::size_t at = 0; (at = text.find(code, at)) != std::string::npos; at += character.size())
            text.replace(at, code.size(), character);
    }
    return text;
}

}  // namespace

TEST_CASE("a comparison's JSON reads back to the same bytes") {
    const std::string text = model::write(two_versions());
    const auto read = model::read_comparison(text, "comparison");
    if (!read) FAIL(to_string(read.error()));
    CHECK(model::write(*read) == text);
    CHECK_FALSE(model::read_comparison(text.substr(0, text.size() - 3) + ",\"x\":1}\n", "comparison").has_value());
}

TEST_CASE("JUnit XML is accepted by Jenkins' schema and by a reader that is not ours") {
    const std::string file = test::build_path("compare-junit-test.xml");
    const model::Comparison comparison = two_versions();
    REQUIRE(write_file_atomically(file, render::comparison_junit(comparison, true)));
    if (std::system("xmllint --version >/dev/null 2>&1") != 0) SKIP("no xmllint");
    if (std::system("/usr/bin/python3 -c 'import junitparser' >/dev/null 2>&1") != 0) SKIP("no python3-junitparser");
    const std::string folder = test::source_path("tests/unit/compare/");
    CHECK(std::system(("xmllint --noout --schema " + folder + "junit.xsd " + file + " >/dev/null 2>&1").c_str()) == 0);

    const compare::Outcome outcome = compare::outcome_of(comparison);
    const std::uint64_t failures = outcome.failing + outcome.improved + outcome.allow_list_notes;
    const std::string count =
        "/usr/bin/python3 " + folder + "count-junit " + file + " " + std::to_string(failures) + " >/dev/null";
    CHECK(std::system(count.c_str()) == 0);
    // Both refuse what is none.
    REQUIRE(write_file_atomically(file, "<testsuites><testsuite><testcase/></testsuite></testsuites>"));
    CHECK(std::system(("xmllint --noout --schema " + folder + "junit.xsd " + file + " >/dev/null 2>&1").c_str()) != 0);
    CHECK(std::system((count + " 2>&1").c_str()) != 0);
}

TEST_CASE("annotations follow GitHub's syntax") {
    CHECK(render::escaped_annotation_message("a%b\r\nc:d,e") == "a%25b%0D%0Ac:d,e");
    CHECK(render::escaped_annotation_property("a%b\r\nc:d,e") == "a%25b%0D%0Ac%3Ad%2Ce");
    const std::string text = render::comparison_annotations(two_versions(), false, false);
    std::size_t lines = 0;
    std::size_t errors = 0;
    bool allow_list = false;
    for (std::size_t begin = 0; begin < text.size(); ++lines) {
        const std::size_t end = text.find('\n', begin);
        REQUIRE(end != std::string::npos);
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        INFO(line);
        CHECK(line.find('\r') == std::string::npos);
        const bool known = line.starts_with("::error file=") || line.starts_with("::warning file=") ||
                           line.starts_with("::notice file=");
        CHECK(known);
        if (line.starts_with("::error ")) ++errors;
        // The first "::" after the command ends the properties: none of them may hold one.
        const std::size_t message = line.find("::", 2);
        REQUIRE(message != std::string::npos);
        const std::string properties = line.substr(0, message);
        CHECK(std::ranges::count(properties, ':') == 2);
        CHECK(properties.find(",title=") != std::string::npos);
        allow_list |= properties == "::warning file=allow%2C1.toml,line=7,title=allow-list" &&
                      unescaped(line.substr(message + 2)) == "line\nbreak";
    }
    CHECK(allow_list);
    CHECK(errors > 0);
    CHECK(errors <= 10);
    CHECK(lines <= 30);
}

TEST_CASE("a rule of the specification that a driver newly breaks comes first in every form") {
    model::Comparison comparison;
    auto result = compare::compare_documents(loaded(committed_report("anv-kbl-mesa-22.3.6"), "old.json"),
                                             loaded(committed_report("anv-kbl-mesa-25.0.7"), "new.json"), {});
    REQUIRE(result.has_value());
    comparison.documents.push_back(std::move(*result));
    constexpr std::string_view kViolation = "/findings/memory-type-order";
    const auto is_first = [&](const std::string& text, std::string_view begin) {
        INFO(text.substr(0, 2000));
        const std::size_t first = text.find(begin);
        REQUIRE(first != std::string::npos);
        const std::size_t violation = text.find(kViolation, first);
        return violation < text.find('\n', first + begin.size());
    };
    CHECK(is_first(render::comparison_text(comparison), "    regressed: "));
    CHECK(is_first(render::comparison_text(comparison, {.one_screen = true}), "    regressed: "));
    CHECK(is_first(render::comparison_markdown(comparison), "|---|---|\n|"));
    CHECK(is_first(render::comparison_annotations(comparison, false, false), "::error "));
    CHECK(is_first(render::comparison_junit(comparison, false), "<testcase "));
    // Accepted, it is in no hurry.
    for (model::FieldChange& field : comparison.documents[0].devices[0].fields)
        if (field.path == kViolation) field.status = model::ChangeStatus::kExpected;
    CHECK_FALSE(is_first(render::comparison_junit(comparison, false), "<testcase "));
}

TEST_CASE("annotations name a step summary only where there is one") {
    const model::Comparison comparison = two_versions();
    const std::string without = render::comparison_annotations(comparison, true, false);
    const std::string with = render::comparison_annotations(comparison, true, true);
    CHECK(without.find("more of this kind: ") != std::string::npos);
    CHECK(without.find("step summary") == std::string::npos);
    CHECK(with.find("more of this kind; the step summary lists them: ") != std::string::npos);
}

TEST_CASE("what was not compared is said in every form, and in JUnit as its schema wants it") {
    const std::string reason = "new.json: <cannot> be \"opened\" | & read\n::error::x";
    const std::string file = test::source_path("tests/unit/compare/junit.xsd");
    const std::string xml = (std::filesystem::temp_directory_path() / "heapwright-no-comparison.xml").string();
    REQUIRE(write_file_atomically(xml, render::no_comparison_junit(reason)));
    CHECK(std::system(("xmllint --noout --schema " + file + " " + xml + " >/dev/null 2>&1").c_str()) == 0);
    const std::string annotation = render::no_comparison_annotation(reason);
    CHECK(annotation.starts_with("::error title=heapwright compare::not compared: "));
    CHECK(std::ranges::count(annotation, '\n') == 1);
    const std::string markdown = render::no_comparison_markdown(reason);
    CHECK(markdown.find("**Not compared:** new.json: &lt;cannot> be") != std::string::npos);
    CHECK(std::ranges::count(markdown, '\n') == 3);
    std::filesystem::remove(xml);
}

TEST_CASE("a step summary stays within GitHub's limit and says what it left out") {
    model::Comparison comparison = two_versions();
    auto& fields = comparison.documents[0].devices[0].fields;
    for (int index = 0; index < 20'000; ++index) {
        fields.push_back({.path = "/made/up/" + std::to_string(index),
                          .from = std::string(50, 'x'),
                          .to = "\xC3\xA4\xC3\xB6\xC3\xBC | <b>"});
    }
    const std::string summary = render::comparison_markdown(comparison, render::kStepSummaryBytes);
    CHECK(summary.size() <= render::kStepSummaryBytes);
    CHECK(summary.size() > render::kStepSummaryBytes * 9 / 10);
    CHECK(summary.find("**Cut off:** ") != std::string::npos);
    CHECK(summary.find("<b>") == std::string::npos);
    const std::string small = render::comparison_markdown(two_versions(), render::kStepSummaryBytes);
    CHECK(small.find("Cut off") == std::string::npos);
}

TEST_CASE("text names what regressed and counts what was expected") {
    const model::Comparison comparison = two_versions();
    const std::string text = render::comparison_text(comparison);
    CHECK(text.find("reports/new.json against the baseline") != std::string::npos);
    CHECK(text.find("regressed: ") != std::string::npos);
    CHECK(text.find("expected: ") != std::string::npos);
    CHECK(text.find("allow,1.toml:7:") != std::string::npos);
    CHECK(text.find("host-dependent)\n") == std::string::npos);
    CHECK(render::comparison_text(comparison, {.all = true}).find("(host-dependent)\n") != std::string::npos);
}

TEST_CASE("two hundred pairs with three regressions: each is named, and every JUnit test has a name of its own") {
    const model::Report report = committed_report("anv-kbl-mesa-22.3.6");
    model::Comparison comparison;
    for (int pair = 0; pair < 200; ++pair) {
        model::Report other = report;
        other.devices[0].identity.name += "\xEF\xBF\xBE";
        if (pair % 70 == 3) {
            for (std::size_t limit = 0; limit < 20; ++limit) other.devices[0].limits[limit].value += 1;
        }
        auto result = compare::compare_documents(loaded(report, "from.json"),
                                                 loaded(other, "to-" + std::to_string(pair) + ".json"), {});
        REQUIRE(result.has_value());
        comparison.documents.push_back(std::move(*result));
    }
    const std::string annotations = render::comparison_annotations(comparison, false, false);
    for (const char* file : {"file=to-3.json", "file=to-73.json", "file=to-143.json"}) {
        INFO(file);
        CHECK(annotations.find(file) != std::string::npos);
    }
    const std::string xml = render::comparison_junit(comparison, false);
    CHECK(xml.find("\xEF\xBF\xBE") == std::string::npos);
    std::set<std::string> names;
    std::size_t tests = 0;
    for (std::size_t at = 0; (at = xml.find("<testcase ", at)) != std::string::npos; ++tests) {
        const std::size_t end = xml.find(" time=", at);
        names.insert(xml.substr(at, end - at));
        at = end;
    }
    CHECK(names.size() == tests);
}
