// The HTML report: one file with the page (src/page, built once and embedded) and the documents as JSON in it.
// It needs no network and loads nothing. Whatever a document says is data there: no text of it can end the script
// element or become markup. The bytes depend on the documents and this version alone. Pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heapwright/core/result.hpp"
#include "render/report_document.hpp"

namespace heapwright::render {

enum class PageForm : std::uint8_t {
    kSideBySide,  // every device in every chart
    kIndex,       // a table of the devices, and a page for each
};

// More devices than this cannot be told apart in one chart.
inline constexpr std::size_t kMostSideBySide = 16;

// Errors: kInvalidArgument when there is no document or a text in one is not UTF-8.
[[nodiscard]] Result<std::string> html_report(std::span<const ReportDocument> documents,
                                              PageForm form = PageForm::kSideBySide);

// JSON text that may stand inside a script element: <, >, & and everything beyond ASCII as \uXXXX.
// `json` must be valid JSON in ASCII.
[[nodiscard]] std::string escape_for_script(std::string_view json);

}  // namespace heapwright::render
