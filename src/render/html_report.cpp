#include "render/html_report.hpp"

#include <nlohmann/json.hpp>

#include "render/detail/page_data.hpp"

namespace heapwright::render {
namespace {

// The page's data element, up to where the data goes.
constexpr std::string_view kOpening = R"(<script type="application/json" id="heapwright-data">)";
constexpr std::string_view kNothing = "null";
constexpr std::string_view kClosing = "</script>\n";
constexpr std::string_view kDevices = R"(<script type="text/plain" id="heapwright-devices">)";

}  // namespace

std::string escape_for_script(std::string_view json) {
    std::string escaped;
    escaped.reserve(json.size() + json.size() / 16);
    for (const char c : json) {
        switch (c) {
            case '<': escaped += "\\u003c"; break;
            case '>': escaped += "\\u003e"; break;
            case '&': escaped += "\\u0026"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

Result<std::string> html_report(std::span<const ReportDocument> documents, PageForm form) {
    if (documents.empty()) return fail(ErrorCode::kInvalidArgument, "there is no document to show");
    const std::string_view page = detail::page();
    const std::size_t place = page.find(std::string(kOpening).append(kNothing));
    if (place == std::string_view::npos) {
        return fail(ErrorCode::kInvariantBroken, "the embedded page has no place for the documents");
    }
    try {
        const bool index = form == PageForm::kIndex;
        // ASCII only, so that neither a line separator nor another encoding's reading of the file can end a string.
        const std::string json =
            (index ? detail::index_data(documents) : detail::page_data(documents)).dump(-1, ' ', true);
        std::string html(page.substr(0, place + kOpening.size()));
        html += escape_for_script(json);
        std::string_view rest = page.substr(place + kOpening.size() + kNothing.size());
        if (index) {
            html += kClosing;
            html += kDevices;
            html += escape_for_script(detail::device_pages(documents));
        }
        html += rest;
        return html;
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kInvalidArgument, std::string("a text is not UTF-8: ") + error.what());
    }
}

}  // namespace heapwright::render
