// What the page is given: the documents without what its charts draw, and beside them the charts' data as
// chart_tables() and the sweeps have it. The page computes no figure of a document again. Pure and thread-safe; throws
// nlohmann's exception where a text is not UTF-8.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "render/explain.hpp"
#include "render/report_document.hpp"

namespace heapwright::render::detail {

using PageJson = nlohmann::ordered_json;

// {tool, documents, devices, tables, images, buffers, first, policies, what_ifs}
[[nodiscard]] PageJson page_data(std::span<const ReportDocument> documents);

// {columns, rows}: a row a device, in the order of list_devices(). A cell is a text, or [number, text] where it is
// sorted by the number; null where the documents do not say. Without a policy or validation among the documents there
// are no columns of policies.
[[nodiscard]] PageJson index_json(std::span<const ReportDocument> documents);

// {tool, index, failures, not_validated, tables, what_ifs, documents}: the devices as one table; of the documents the
// comparisons and what-ifs alone.
[[nodiscard]] PageJson index_data(std::span<const ReportDocument> documents);

// Each device's page_data(), a line each, behind the values that they share, a line each: {"$": 3} stands for the
// fourth of them. The first line is how many they are.
[[nodiscard]] std::string device_pages(std::span<const ReportDocument> documents);

// Of each what-if its words and figures as texts, and the tables that its charts draw.
[[nodiscard]] PageJson what_ifs_json(std::span<const ReportDocument> documents);

// Decoded: of each supported case its shape and which of `tables`, `texels` and `facts` are its. The first two have one
// entry a point; a fact is what image_facts() says of the article's points, which `source` marks, and of all of them.
// Null where nothing is supported.
[[nodiscard]] PageJson image_points(const model::ImageSweep& sweep);
[[nodiscard]] PageJson buffer_points(const model::BufferSweep& sweep);

// The numbers of one device's policy, each with its reasons, inputs and losers in words:
// [{"path", "pattern", "name", "value", "reasons", "inputs", "alternatives"}]
[[nodiscard]] PageJson numbers_json(const model::DevicePolicy& device, const ExplainOptions& options);

// As a number, where a double holds it exactly; else as its digits in an array of one.
[[nodiscard]] PageJson exact_number(std::uint64_t value);

// The built page (src/page/dist/page.html), embedded by the build. Lives as long as the program.

[[nodiscard]] std::string_view page();

}  // namespace heapwright::render::detail
