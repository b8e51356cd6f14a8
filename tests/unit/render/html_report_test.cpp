#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "example.hpp"
#include "heapwright/model/claim_text.hpp"
#include "heapwright/model/format.hpp"
#include "heapwright/model/json.hpp"
#include "model/decisions.hpp"
#include "render/chart_tables.hpp"
#include "render/device_list.hpp"
#include "render/html_report.hpp"

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

std::vector<ReportDocument> example_documents() {
    return {{.file = "report.json", .document = model::example::report()},
            {.file = "policy.json", .document = model::example::policy()},
            {.file = "run.json", .document = model::example::validation()},
            {.file = "what-if.json", .document = model::example::what_if()}};
}

void without_reasons(nlohmann::json& value) {
    if (value.is_object() && value.contains("alternatives")) {
        value = {{"value", value.at("value")}};
    } else if (value.is_structured()) {
        for (auto& each : value) without_reasons(each);
    }
}

}  // namespace

TEST_CASE("The page holds every document, without what it is given as the charts' data") {
    const auto documents = example_documents();
    const auto html = html_report(documents);
    REQUIRE(html);
    const auto data = nlohmann::json::parse(data_of(*html));
    auto report = nlohmann::json::parse(model::write(model::example::report()));
    for (auto& device : report.at("devices")) {
        for (const char* key :
             {"image_sweep", "buffer_sweep", "extensions", "sparse_images", "sparse_buffers", "image_compression"})
            device.erase(key);
        device.at("observations").erase("images");
        device.at("observations").erase("buffers");
        for (auto& curve : device.at("volatile").at("memory_cost")) {
            for (const char* key : {"points", "dedicated_image_points"}) curve.erase(key);
        }
    }
    CHECK(data.at("documents").at(0).at("document") == report);
    auto policy = nlohmann::json::parse(model::write(model::example::policy()));
    CHECK(policy.erase("workload") == 1);
    // Decisions stand as values, and once more among the numbers, with their reasons in words.
    without_reasons(policy);
    auto shown = data.at("documents").at(1).at("document");
    const model::Policy whole = model::example::policy();
    for (std::size_t i = 0; i < shown.at("devices").size(); ++i) {
        auto& device = shown.at("devices").at(i);
        const auto listed = model::list_decisions(whole.devices.at(i));
        REQUIRE(device.at("numbers").size() == listed.size());
        for (std::size_t number = 0; number < listed.size(); ++number)
            CHECK(device.at("numbers").at(number).at("reasons") == model::lines_of(listed[number].why->reason));
        device.erase("numbers");
        for (auto& bucket : device.at("buckets")) {
            CHECK(bucket.erase("contents") == 1);
            CHECK(bucket.erase("place") == 1);
        }
        device.erase("bucket_frame_ns");
        // What does not fit is the first warning.
        CHECK(device.at("warnings").at(0) == model::statement_of(*whole.devices.at(i).capacity));
        device.at("warnings").erase(0);
    }
    CHECK(shown == policy);
    auto validation = nlohmann::json::parse(model::write(model::example::validation()));
    for (auto& scenario : validation.at("devices").at(0).at("scenarios")) {
        if (scenario.at("volatile").contains("promises")) {
            const nlohmann::json words{
                {"name", "Waste"}, {"predicted", "25%"}, {"measured", "50%"}, {"bounds", "12.5% to 37.5%"}};
            scenario.at("volatile").at("promises").at(0).update(words);
        }
        if (!scenario.contains("occupancy")) continue;
        for (const char* key : {"steps", "heaps", "pools"}) scenario.at("occupancy").erase(key);
        for (auto& map : scenario.at("occupancy").at("maps")) map.erase("chunks");
    }
    CHECK(data.at("documents").at(2).at("document").at("devices").at(0).at("scenarios") ==
          validation.at("devices").at(0).at("scenarios"));
    CHECK(data.at("documents").at(2).at("kind") == "validation");
    auto what_if = nlohmann::json::parse(model::write(model::example::what_if()));
    for (const char* key : {"inputs", "rows", "curves", "notes"}) CHECK(what_if.erase(key) == 1);
    CHECK(data.at("documents").at(3).at("document") == what_if);
    CHECK(data.at("documents").at(3).at("kind") == "what-if");
    CHECK(html_report(documents).value() == *html);
}

TEST_CASE("The page's tables are the charts' tables, cell by cell") {
    const auto documents = example_documents();
    const auto data = nlohmann::json::parse(data_of(html_report(documents).value()));
    const auto tables = chart_tables(documents, ChartDetail::kDrawn);
    CHECK(data.at("tables").size() == tables.size());
    for (const CsvTable& table : tables) {
        INFO(table.name);
        const auto& given = data.at("tables").at(table.name);
        CHECK(given.at("columns").size() == table.columns.size());
        REQUIRE(given.at("rows").size() == table.rows.size());
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            for (std::size_t cell = 0; cell < table.columns.size(); ++cell) {
                const auto& value = given.at("rows").at(row).at(cell);
                const CsvCell& wanted = table.rows[row][cell];
                if (const auto* number = std::get_if<std::uint64_t>(&wanted)) {
                    const bool exact = *number < std::uint64_t{1} << 53u;
                    CHECK(value ==
                          (exact ? nlohmann::json(*number) : nlohmann::json::array({std::to_string(*number)})));
                } else if (const auto* text = std::get_if<std::string>(&wanted)) {
                    CHECK(value == *text);
                } else if (const auto* share = std::get_if<double>(&wanted)) {
                    CHECK(value.get<double>() == *share);
                } else {
                    CHECK(value.is_null());
                }
            }
        }
    }
}

TEST_CASE("The page's points are the sweeps' answers") {
    const auto data = nlohmann::json::parse(data_of(html_report(example_documents()).value()));
    const model::DeviceReport device = model::example::report().devices.front();
    const auto& images = data.at("images").at(0);
    std::size_t supported = 0;
    for (const model::ImageCase& each : device.image_sweep.cases) {
        if (!each.table) continue;
        const auto& given = images.at("cases").at(supported++);
        const auto& table = images.at("tables").at(given.at("table").get<std::size_t>());
        const auto& texels = images.at("texels").at(given.at("texels").get<std::size_t>());
        for (std::size_t point = 0; point < table.at("size").size(); ++point) {
            const auto [width, height] = device.image_sweep.grid.point(point);
            CHECK(images.at("width").at(point) == width);
            CHECK(images.at("height").at(point) == height);
            CHECK(texels.at(point) == model::packed_size_bytes(each.description(width, height)));
            const auto answer =
                model::answer_at(device.image_sweep.requirements, device.image_sweep.tables[*each.table], point);
            CHECK(table.at("size").at(point) == (answer ? answer->size_bytes : 0));
            CHECK(table.at("alignment").at(point) == (answer ? answer->alignment_bytes : 0));
        }
    }
    CHECK(supported == images.at("cases").size());
    CHECK(supported > 0);
}

TEST_CASE("The page is told a what-if in words, and which tables its charts draw") {
    const auto data = nlohmann::json::parse(data_of(html_report(example_documents()).value()));
    REQUIRE(data.at("what_ifs").size() == 1);
    const auto& what_if = data.at("what_ifs").at(0);
    CHECK(what_if.at("claim").get<std::string>().starts_with("advised reserves 1.5 GiB at the peak"));
    CHECK(what_if.at("not_played") ==
          nlohmann::json::array({"d3d12ma-default was not played: needs a report through Direct3D 12"}));
    CHECK(what_if.at("failed").empty());
    CHECK(what_if.at("rows").size() == 3);
    for (const auto& row : what_if.at("rows")) CHECK(row.at("cells").size() == what_if.at("columns").size());
    const auto& first = what_if.at("rows").at(0).at("cells").at(0);
    CHECK(first == nlohmann::json({{"value", "1.5 GiB"}, {"difference", ""}, {"verdict", "first"}, {"best", true}}));
    CHECK(what_if.at("rows").at(1).at("cells").at(0).at("difference") == "672 to 864 MiB more");
    const auto& curve = what_if.at("curves").at(0);
    CHECK(curve.at("not_played") == nlohmann::json::array({"Not played at 1 MiB: needs 5000 allocations of 4096"}));
    CHECK(curve.at("charts").size() == 3);
    for (const auto& chart : curve.at("charts")) {
        const auto& table = data.at("tables").at(chart.at("table").get<std::string>());
        CHECK(table.at("rows").size() == 2);
        CHECK(table.at("columns").size() == 3);
    }
    CHECK(curve.at("charts").at(0).at("caption") == "From 1.875 GiB at 16 MiB to 3 GiB at 64 MiB.");
    CHECK(curve.at("charts").at(0).at("own_text") == "1.5 GiB");
}

TEST_CASE("A curve is drawn of the columns that its points have, and one alone has no own figure to stand beside") {
    model::WhatIf what_if = model::example::what_if();
    for (model::WhatIfPoint& point : what_if.curves[0].points)
        std::erase_if(point.cells,
                      [](const model::WhatIfCell& cell) { return cell.column != model::WhatIfColumn::kWorstFrame; });
    what_if.curves[0].of = "another";
    const std::vector<ReportDocument> documents = {{.file = "w.json", .document = what_if}};
    const auto data = nlohmann::json::parse(data_of(html_report(documents).value()));
    const auto& charts = data.at("what_ifs").at(0).at("curves").at(0).at("charts");
    REQUIRE(charts.size() == 1);
    CHECK(charts.at(0).at("table") == "what-if-0-0-worst-frame");
    CHECK(charts.at(0).at("unit") == "time");
    CHECK(charts.at(0).at("own").is_null());
}

TEST_CASE("An index has a row and a page for each device, and says once what they have alike") {
    // A failed driver belongs to no device's page.
    model::Report report = model::example::report();
    report.failures.clear();
    model::Validation validation = model::example::validation();
    validation.failures.clear();
    const std::vector<ReportDocument> one = {{.file = "report.json", .document = report},
                                             {.file = "policy.json", .document = model::example::policy()},
                                             {.file = "run.json", .document = validation}};
    std::vector<ReportDocument> documents = one;
    documents.push_back({.file = "other.json", .document = report});
    const auto html = html_report(documents, PageForm::kIndex);
    REQUIRE(html);
    const auto data = nlohmann::json::parse(data_of(*html));
    const auto& rows = data.at("index").at("rows");
    REQUIRE(rows.size() == list_devices(documents).size());
    for (const auto& row : rows) CHECK(row.size() == data.at("index").at("columns").size());
    constexpr std::string_view kPages = R"(<script type="text/plain" id="heapwright-devices">)";
    const std::size_t start = html->find(kPages);
    REQUIRE(start != std::string::npos);
    std::istringstream lines(html->substr(start + kPages.size()));
    std::string line;
    const auto next = [&] {
        REQUIRE(std::getline(lines, line));
        return nlohmann::json::parse(line);
    };
    const auto shared = next().get<std::size_t>();
    std::vector<nlohmann::json> values;
    const std::function<nlohmann::json(const nlohmann::json&)> resolve = [&](const nlohmann::json& value) {
        if (value.is_object() && value.size() == 1 && value.contains("$")) {
            return resolve(values.at(value.at("$").get<std::size_t>()));
        }
        nlohmann::json whole = value;
        if (value.is_structured())
            for (auto& [key, child] : whole.items()) child = resolve(nlohmann::json(child));
        return whole;
    };
    for (std::size_t i = 0; i < shared; ++i) values.push_back(next());
    // The first device's page is the one that its documents alone make.
    const auto alone = nlohmann::json::parse(data_of(html_report(one).value()));
    const auto page = resolve(next());
    for (const char* key : {"images", "buffers", "first", "documents"}) CHECK(page.at(key) == alone.at(key));
    CHECK(html->size() < 2 * html_report(one).value().size());
}

TEST_CASE("An index names what could not be probed and what could not be validated") {
    const std::vector<ReportDocument> documents = {{.file = "report.json", .document = model::example::report()},
                                                   {.file = "run.json", .document = model::example::validation()}};
    const auto html = html_report(documents, PageForm::kIndex);
    REQUIRE(html);
    const auto data = nlohmann::json::parse(data_of(*html));
    const auto drivers = [&](const char* key) {
        std::vector<std::string> names;
        for (const auto& failure : data.at(key)) names.push_back(failure.at("driver"));
        return names;
    };
    CHECK(drivers("failures").size() == model::example::report().failures.size());
    CHECK(drivers("not_validated") == std::vector<std::string>{"broken_icd.json"});
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
