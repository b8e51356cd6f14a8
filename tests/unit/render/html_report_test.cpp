#include <algorithm>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "example.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/html_report.hpp"

using namespace heapwright;
using namespace heapwright::render;

namespace {

constexpr std::string_view kOpening = R"(<script type="application/json" id="heapwright-data">)";
constexpr std::string_view kClosing = "</script>";

// What a browser takes for the data element's content.
std::string data_of(std::string_view html) {
    const std::size_t start = html.find(kOpening);
    REQUIRE(start != std::string_view::npos);
    const std::size_t from = start + kOpening.size();
    return std::string(html.substr(from, html.find(kClosing, from) - from));
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("The page holds every document as it is written") {
    const std::vector<ReportDocument> documents = {{.file = "report.json", .document = model::example::report()},
                                                   {.file = "policy.json", .document = model::example::policy()},
                                                   {.file = "run.json", .document = model::example::validation()}};
    const auto html = html_report(documents);
    REQUIRE(html);
    const auto data = nlohmann::json::parse(data_of(*html));
    CHECK(data.at("documents").at(0).at("document") == nlohmann::json::parse(model::write(model::example::report())));
    CHECK(data.at("documents").at(1).at("document") == nlohmann::json::parse(model::write(model::example::policy())));
    CHECK(data.at("documents").at(2).at("document") ==
          nlohmann::json::parse(model::write(model::example::validation())));
    CHECK(data.at("documents").at(2).at("kind") == "validation");
    CHECK(data.at("formats").at("BC7_UNORM_BLOCK").at("block_bytes") == 16);
    CHECK(html_report(documents).value() == *html);
}

TEST_CASE("The page needs nothing from anywhere and allows nothing but its own script and style") {
    const auto html = html_report(std::vector<ReportDocument>{{.file = "a", .document = model::example::report()}});
    REQUIRE(html);
    CHECK(count(*html, "default-src 'none'") == 1);
    CHECK(html->find("unsafe-inline") == std::string::npos);
    CHECK(html->find("<link") == std::string::npos);
    CHECK(html->find(" src=\"http") == std::string::npos);
    CHECK(count(*html, "Licensed to the Apache Software Foundation") + count(*html, "Apache License") > 0);
}

TEST_CASE("A text that looks like markup stays data") {
    const std::string hostile = "<script>alert(1)</script><!--<script> &amp; \xE2\x80\xA8 ]]> \"'";
    model::Report report = model::example::report();
    report.devices.front().identity.name = hostile;
    const auto html = html_report(std::vector<ReportDocument>{{.file = hostile, .document = report}});
    REQUIRE(html);
    const std::string data = data_of(*html);
    CHECK(std::none_of(data.begin(), data.end(),
                       [](char c) { return c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) > 126; }));
    CHECK(count(*html, kClosing) == 2);
    const auto parsed = nlohmann::json::parse(data);
    CHECK(parsed.at("documents").at(0).at("file") == hostile);
    CHECK(parsed.at("documents").at(0).at("document").at("devices").at(0).at("identity").at("name") == hostile);
}

TEST_CASE("A text that is not UTF-8 is an error, as is a page of nothing") {
    model::Report report = model::example::report();
    report.devices.front().identity.name = std::string(1, static_cast<char>(0xFF));
    const auto bad = html_report(std::vector<ReportDocument>{{.file = "a", .document = report}});
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == ErrorCode::kInvalidArgument);
    const auto none = html_report({});
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "there is no document to show");
}
