#include "heapwright/render/html_report.hpp"

#include <nlohmann/json.hpp>

#include "heapwright/model/format.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright/render/detail/page.hpp"
#include "heapwright/render/device_list.hpp"
#include "heapwright_generated/version.hpp"

namespace heapwright::render {
namespace {

using Json = nlohmann::ordered_json;

// The page's data element, up to where the data goes.
constexpr std::string_view kOpening = R"(<script type="application/json" id="heapwright-data">)";
constexpr std::string_view kNothing = "null";

Json format_table() {
    Json formats = Json::object();
    for (const model::FormatInfo& format : model::swept_formats()) {
        formats[std::string(format.name)] = {{"block_width", format.block_width},
                                             {"block_height", format.block_height},
                                             {"block_bytes", format.block_bytes}};
    }
    return formats;
}

Json places_json(const std::vector<DevicePlace>& places) {
    Json list = Json::array();
    for (const DevicePlace& place : places) list.push_back({place.document, place.device});
    return list;
}

Json devices_json(std::span<const ReportDocument> documents) {
    Json list = Json::array();
    for (const ListedDevice& device : list_devices(documents)) {
        list.push_back({{"label", device.label},
                        {"reports", places_json(device.reports)},
                        {"policies", places_json(device.policies)},
                        {"validations", places_json(device.validations)}});
    }
    return list;
}

constexpr std::string_view kKinds[] = {"report", "policy", "validation", "comparison"};

Json documents_json(std::span<const ReportDocument> documents) {
    Json list = Json::array();
    for (const ReportDocument& each : documents) {
        const std::string text = std::visit([](const auto& document) { return model::write(document); }, each.document);
        Json entry{{"file", each.file}, {"kind", kKinds[each.document.index()]}, {"document", Json::parse(text)}};
        if (const auto* policy = std::get_if<model::Policy>(&each.document)) {
            entry["stable_hash"] = model::stable_hash(*policy);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

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

Result<std::string> html_report(std::span<const ReportDocument> documents) {
    if (documents.empty()) return fail(ErrorCode::kInvalidArgument, "there is no document to show");
    const std::string_view page = detail::page();
    const std::size_t place = page.find(std::string(kOpening).append(kNothing));
    if (place == std::string_view::npos) {
        return fail(ErrorCode::kInvariantBroken, "the embedded page has no place for the documents");
    }
    try {
        Json data;
        data["tool"] = kVersion;
        data["formats"] = format_table();
        data["devices"] = devices_json(documents);
        data["documents"] = documents_json(documents);
        // ASCII only, so that neither a line separator nor another encoding's reading of the file can end a string.
        const std::string json = data.dump(-1, ' ', true);
        std::string html(page.substr(0, place + kOpening.size()));
        html += escape_for_script(json);
        html += page.substr(place + kOpening.size() + kNothing.size());
        return html;
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kInvalidArgument, std::string("a text is not UTF-8: ") + error.what());
    }
}

}  // namespace heapwright::render
