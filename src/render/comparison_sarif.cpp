#include "render/comparison_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/hash.hpp"
#include "core/path.hpp"
#include "core/text.hpp"
#include "heapwright_generated/version.hpp"
#include "model/printable.hpp"
#include "render/comparison_words.hpp"

namespace heapwright::render {
namespace {

using model::ChangeStatus;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMessageBytes = 1000;
// The tool has no home of its own: its documents go by their names.
constexpr std::string_view kDocument = "urn:heapwright:docs:ci";

enum class Level : std::uint8_t { kError, kWarning, kNote };
constexpr std::array<std::string_view, 3> kLevelNames{"error", "warning", "note"};

enum class Notification : std::uint8_t { kNotCompared, kCutOff };
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNotifications{
    {{"HW-NOT-COMPARED", "Nothing could be compared."}, {"HW-CUT-OFF", "There are more results than a run may hold."}}};

// SARIF 2.1.0, 3.11.5 and 3.11.6: braces are placeholders and "[text](target)" is a link, unless they are escaped.
Json message(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '{' || text[at] == '}') result += text[at];
        if (text.substr(at, 2) == "](") result += '\\';
        result += text[at];
    }
    return Json{{"text", std::move(result)}};
}

// A file's name as a URI reference (RFC 3986): relative as it was given, or of the scheme file.
std::string uri_of(const std::string& file) {
    constexpr std::string_view kUnescaped = "-._~/";
    const std::filesystem::path path = path_of(file);
    const std::u8string generic = path.generic_u8string();
    std::string uri;
    for (const char8_t unit : generic) {
        const char c = static_cast<char>(unit);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           kUnescaped.find(c) != std::string_view::npos;
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    if (!path.is_absolute()) return uri;
    return uri.starts_with('/') ? "file://" + uri : "file:///" + uri;
}

// What a device is known by from run to run: never its name, which holds versions, unless it has nothing else.
std::string key_of(const model::DeviceIdentity& identity) {
    std::string key{name_of(identity.api)};
    if (identity.vendor_id != 0 || identity.device_id != 0)
        key += fmt::format(" {:04x}:{:04x}", identity.vendor_id, identity.device_id);
    else
        key += " " + identity.name;
    return identity.driver_id.empty() ? key : key + " " + identity.driver_id;
}

// The same for each device of a document: of several alike also where it is.
std::vector<std::string> device_keys(const model::DocumentComparison& document) {
    std::vector<std::string> keys;
    std::map<std::string, int> alike;
    const auto identity_of = [](const model::DeviceComparison& device) -> const model::DeviceIdentity& {
        return device.baseline ? *device.baseline : *device.other;
    };
    for (const model::DeviceComparison& device : document.devices) {
        keys.push_back(key_of(identity_of(device)));
        ++alike[keys.back()];
    }
    std::map<std::string, int> named;
    for (std::size_t index = 0; index < keys.size(); ++index) {
        const model::DeviceIdentity& identity = identity_of(document.devices[index]);
        if (alike[keys[index]] > 1) {
            if (identity.pci) {
                keys[index] += fmt::format(" {:04x}:{:02x}:{:02x}.{:x}", identity.pci->domain, identity.pci->bus,
                                           identity.pci->device, identity.pci->function);
            } else if (!identity.device_uuid.empty()) {
                keys[index] += " " + identity.device_uuid;
            }
        }
        if (const int count = ++named[keys[index]]; count > 1) keys[index] += fmt::format(" #{}", count);
    }
    return keys;
}

Level level_of(ChangeStatus status, bool across, bool strict) {
    if (across || status == ChangeStatus::kExpected || status == ChangeStatus::kSame) return Level::kNote;
    if (status == ChangeStatus::kInconclusive) return Level::kWarning;
    return is_failure(status) || strict ? Level::kError : Level::kNote;
}

// One difference before it is JSON: thousands are sorted and cut first.
struct SarifResult {
    std::size_t rule = 0;
    Level level = Level::kNote;
    bool violation = false;
    bool suppressed = false;
    std::string text;
    std::string justification;
    std::string fingerprint;
    std::size_t artifact = 0;
    std::uint64_t line = 1;
    std::string device_key;
    std::string path;
    Json properties;
};

class Artifacts {
public:
    std::size_t add(const std::string& file, const std::string& description, std::string_view role) {
        const auto [place, is_new] = indexes_.try_emplace(file, list_.size());
        if (is_new) {
            list_.push_back(Json{{"location", {{"uri", uri_of(file)}}},
                                 {"roles", Json::array({role})},
                                 {"description", message(description)}});
        }
        return place->second;
    }
    [[nodiscard]] Json location(std::size_t index) const {
        return Json{{"uri", list_[index]["location"]["uri"]}, {"index", index}};
    }
    [[nodiscard]] Json take() { return std::move(list_); }

private:
    std::map<std::string, std::size_t> indexes_;
    Json list_ = Json::array();
};

class Results {
public:
    // `shown` is `given` with texts for people; files are found by their exact bytes.
    Results(const model::Comparison& given, const model::Comparison& shown, bool strict) : strict_(strict) {
        for (std::size_t index = 0; index < shown.documents.size(); ++index)
            add_document(given.documents[index], shown.documents[index], shown.documents.size() > 1);
        for (std::size_t index = 0; index < shown.allow_list.size(); ++index)
            add_note(given.allow_list[index], shown.allow_list[index], given);
        // What is cut off is the least grave.
        std::ranges::stable_sort(results_, {}, [](const SarifResult& result) {
            return std::tuple(!result.violation, result.level, result.suppressed);
        });
    }

    [[nodiscard]] std::size_t count() const { return results_.size(); }

    [[nodiscard]] Json first(std::size_t most) const {
        Json list = Json::array();
        for (std::size_t index = 0; index < std::min(most, results_.size()); ++index)
            list.push_back(json_of(results_[index]));
        return list;
    }
    [[nodiscard]] Json take_artifacts() { return artifacts_.take(); }

private:
    void add_document(const model::DocumentComparison& given, const model::DocumentComparison& shown,
                      bool is_one_of_many) {
        artifacts_.add(given.baseline.file, document_title(shown.baseline), "referencedOnCommandLine");
        const std::size_t artifact = artifacts_.add(given.other.file, document_title(shown.other), "analysisTarget");
        const std::vector<std::string> keys = device_keys(shown);
        for (std::size_t index = 0; index < keys.size(); ++index) {
            const model::DeviceComparison& device = shown.devices[index];
            const Json about{{"status", ""},
                             {"device", device_title(device)},
                             {"driver", driver_title(device)},
                             {"baseline", shown.baseline.file}};
            for (const ListedChange& change : listed_changes(device)) {
                SarifResult result{
                    .rule = rule_of_path(change.path),
                    .level = level_of(change.status, shown.across_devices, strict_),
                    .violation = change.violation && !shown.across_devices,
                    .suppressed = change.status == ChangeStatus::kExpected,
                    .text = fmt::format("{}: {}", device_title(device), shortened(change.statement, kMostMessageBytes)),
                    .justification = change.reason,
                    .artifact = artifact,
                    .device_key = keys[index],
                    .path = change.path,
                    .properties = about};
                if (device.impact && change.section.ends_with("_sweep")) result.text += "\n" + device.impact->statement;
                result.properties["status"] = name_of(change.status);
                result.fingerprint = fingerprint(result, is_one_of_many ? given.other.file : std::string());
                results_.push_back(std::move(result));
            }
        }
    }

    void add_note(const model::AllowListNote& given, const model::AllowListNote& shown, const model::Comparison& all) {
        const bool is_option = given.file.starts_with("--");
        SarifResult result{.rule = rule_of_notes(),
                           .level = strict_ ? Level::kError : Level::kWarning,
                           .text = fmt::format("{}: {}", place_of(shown), shown.statement),
                           .device_key = shown.file,
                           .path = "/" + shown.statement,
                           .properties = Json{{"status", "allow-list"}}};
        // An option stands in no file: what it is about does.
        if (!is_option || all.documents.empty())
            result.artifact = artifacts_.add(given.file, shown.file, "userSpecifiedConfiguration");
        else
            result.artifact = artifacts_.add(all.documents.front().other.file, shown.file, "analysisTarget");
        result.line = std::max<std::uint64_t>(given.line, 1);
        result.fingerprint = fingerprint(result, "");
        results_.push_back(std::move(result));
    }

    // Never of values, versions or places in a list, so that an alert of the last run is known in the next.
    std::string fingerprint(const SarifResult& result, const std::string& file) {
        const std::string hash = hash_hex(
            fmt::format("{}\n{}\n{}\n{}", comparison_rules()[result.rule].id, file, result.device_key, result.path));
        return fmt::format("{}:{}", hash, ++seen_[hash]);
    }

    [[nodiscard]] Json json_of(const SarifResult& result) const {
        const std::string_view path = result.path;
        Json suppressions = Json::array();
        if (result.suppressed) {
            suppressions.push_back(Json{{"kind", "external"}, {"status", "accepted"}});
            if (!result.justification.empty()) suppressions[0]["justification"] = result.justification;
        }
        const std::string_view name = path.substr(path.rfind('/') + 1);
        return Json{
            {"ruleId", comparison_rules()[result.rule].id},
            {"ruleIndex", result.rule},
            {"level", kLevelNames[static_cast<std::size_t>(result.level)]},
            {"message", message(result.text)},
            {"locations",
             Json::array({Json{
                 {"physicalLocation",
                  {{"artifactLocation", artifacts_.location(result.artifact)},
                   {"region", {{"startLine", result.line}}}}},
                 {"logicalLocations", Json::array({Json{{"name", name.empty() ? result.device_key : std::string(name)},
                                                        {"fullyQualifiedName", result.device_key + result.path},
                                                        {"kind", "property"}}})}}})},
            {"partialFingerprints",
             {{"deviceAndPath/v1", result.fingerprint}, {"primaryLocationLineHash", result.fingerprint}}},
            // 3.27.23: where one result has suppressions, all have.
            {"suppressions", std::move(suppressions)},
            {"properties", result.properties}};
    }

    bool strict_;
    std::vector<SarifResult> results_;
    Artifacts artifacts_;
    std::map<std::string, int> seen_;
};

Json tool(const std::string& version) {
    Json rules = Json::array();
    for (const ComparisonRule& rule : comparison_rules()) {
        const bool is_note = rule.id == comparison_rules()[rule_of_notes()].id;
        rules.push_back(Json{
            {"id", rule.id},
            {"name", rule.name},
            {"shortDescription", {{"text", rule.brief}}},
            {"fullDescription", {{"text", rule.full}}},
            {"defaultConfiguration", {{"level", is_note ? "warning" : "error"}}},
            {"help",
             {{"text", fmt::format("{} docs/ci.md says what fails and how a difference is accepted.", rule.full)}}},
            {"helpUri", fmt::format("{}#what-fails", kDocument)}});
    }
    Json notifications = Json::array();
    for (const auto& [id, brief] : kNotifications)
        notifications.push_back(Json{{"id", id},
                                     {"shortDescription", {{"text", brief}}},
                                     {"fullDescription", {{"text", brief}}},
                                     {"help", {{"text", fmt::format("{} docs/ci.md says when.", brief)}}}});
    return Json{{"driver",
                 {{"name", "heapwright"},
                  {"fullName", "heapwright compare"},
                  {"version", version},
                  {"informationUri", fmt::format("{}#sarif", kDocument)},
                  {"rules", std::move(rules)},
                  {"notifications", std::move(notifications)}}}};
}

Json notification(Notification which, Level level, std::string_view text) {
    const auto index = static_cast<std::size_t>(which);
    return Json{{"level", kLevelNames[static_cast<std::size_t>(level)]},
                {"descriptor", {{"id", kNotifications[index].first}, {"index", index}}},
                {"message", message(text)}};
}

std::string document_of(const std::string& version, bool successful, Json notifications, Json artifacts, Json results) {
    Json run{{"tool", tool(version)},
             {"invocations", Json::array({Json{{"executionSuccessful", successful},
                                               {"toolExecutionNotifications", std::move(notifications)}}})},
             {"columnKind", "utf16CodeUnits"}};
    if (!artifacts.empty()) run["artifacts"] = std::move(artifacts);
    run["results"] = std::move(results);
    return Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                {"version", "2.1.0"},
                {"runs", Json::array({std::move(run)})}}
               .dump(1, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

}  // namespace

std::string comparison_sarif(const model::Comparison& comparison, bool strict, std::size_t most_results) {
    const model::Comparison shown = model::printable(comparison);
    Results results(comparison, shown, strict);
    Json notifications = Json::array();
    if (results.count() > most_results) {
        notifications.push_back(notification(
            Notification::kCutOff, Level::kWarning,
            fmt::format("{} left out, the least grave: a run holds {} at most. The JSON output has all.",
                        counted(results.count() - most_results, "result is", "results are"), most_results)));
    }
    Json first = results.first(most_results);
    return document_of(shown.header.tool_version, true, std::move(notifications), results.take_artifacts(),
                       std::move(first));
}

std::string no_comparison_sarif(const std::string& reason) {
    Json notifications = Json::array(
        {notification(Notification::kNotCompared, Level::kError, fmt::format("not compared: {}", printable(reason)))});
    return document_of(kVersion, false, std::move(notifications), Json::array(), Json::array());
}

}  // namespace heapwright::render
