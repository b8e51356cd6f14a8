#include "render/detail/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>

#include "core/text.hpp"
#include "heapwright/model/claim_text.hpp"
#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "render/advice_table.hpp"
#include "render/chart_tables.hpp"
#include "render/comparison_words.hpp"
#include "render/detail/device_parts.hpp"
#include "render/detail/policy_rows.hpp"
#include "render/device_list.hpp"
#include "render/first_screen.hpp"

namespace heapwright::render::detail {
namespace {

constexpr std::string_view kKinds[] = {"report", "policy", "validation", "comparison", "what-if"};

PageJson places_json(const std::vector<DevicePlace>& places) {
    PageJson list = PageJson::array();
    for (const DevicePlace& place : places) list.push_back({place.document, place.device});
    return list;
}

struct CellJson {
    PageJson operator()(std::monostate) const { return nullptr; }
    PageJson operator()(std::uint64_t value) const { return exact_number(value); }
    PageJson operator()(double value) const { return value; }
    PageJson operator()(const std::string& value) const { return value; }
};

PageJson tables_json(std::span<const ReportDocument> documents) {
    PageJson all = PageJson::object();
    for (const CsvTable& table : chart_tables(documents, ChartDetail::kDrawn)) {
        PageJson rows = PageJson::array();
        for (const auto& row : table.rows) {
            PageJson cells = PageJson::array();
            for (const CsvCell& cell : row) cells.push_back(std::visit(CellJson{}, cell));
            rows.push_back(std::move(cells));
        }
        all[table.name] = {{"columns", table.columns}, {"rows", std::move(rows)}};
    }
    return all;
}

// What the page draws it has as tables and points; what it does not show it does not need.
void leave_out_drawn(PageJson& device) {
    for (const char* key :
         {"image_sweep", "buffer_sweep", "extensions", "sparse_images", "sparse_buffers", "image_compression"})
        device.erase(key);
    if (const auto observed = device.find("observations"); observed != device.end()) {
        observed->erase("images");
        observed->erase("buffers");
    }
    if (const auto run = device.find("volatile"); run != device.end() && run->contains("memory_cost"))
        for (PageJson& curve : run->at("memory_cost")) {
            for (const char* key : {"points", "dedicated_image_points"}) curve.erase(key);
        }
    for (const char* list : {"scenarios", "baselines"}) {
        if (!device.contains(list)) continue;
        for (PageJson& scenario : device.at(list)) {
            if (!scenario.contains("occupancy")) continue;
            PageJson& occupancy = scenario.at("occupancy");
            for (const char* key : {"steps", "heaps", "pools"}) occupancy.erase(key);
            if (!occupancy.contains("maps")) continue;
            for (PageJson& map : occupancy.at("maps")) map.erase("chunks");
        }
    }
}

std::string_view word_of(Standing standing) {
    constexpr std::string_view kWords[] = {"good", "warn", "bad", "plain"};
    return kWords[static_cast<std::size_t>(standing)];
}

// Of each pair of documents, of each device: "14 regressed, 1 missing".
PageJson counts_json(const model::Comparison& comparison) {
    PageJson pairs = PageJson::array();
    for (const model::DocumentComparison& pair : comparison.documents) {
        PageJson devices = PageJson::array();
        for (const model::DeviceComparison& device : pair.devices) devices.push_back(counts_text(counts_of(device)));
        pairs.push_back(std::move(devices));
    }
    return pairs;
}

// "14 regressed, 1 missing, 1 violation", or that nothing got worse, and a line for each device; null where there are
// only groups of many reports.
PageJson verdict_json(const model::Comparison& comparison) {
    if (comparison.documents.empty()) return nullptr;
    using Status = model::ChangeStatus;
    StatusCounts failing;
    std::uint64_t violations = 0;
    bool one_device = true;  // in versions of its driver
    PageJson lines = PageJson::array();
    for (const model::DocumentComparison& pair : comparison.documents) {
        one_device = one_device && !pair.across_devices;
        for (const model::DeviceComparison& device : pair.devices) {
            const StatusCounts counts = counts_of(device);
            for (const auto& [status, count] : counts)
                if (is_failure(status) || status == Status::kInconclusive) failing[status] += count;
            violations += static_cast<std::uint64_t>(
                std::ranges::count_if(listed_changes(device), [](const ListedChange& each) { return each.violation; }));
            lines.push_back(
                fmt::format("{}, {}: {}.", device_title(device), driver_title(device), counts_text(counts)));
        }
    }
    const std::uint64_t inconclusive = failing[Status::kInconclusive];
    const bool fails =
        std::ranges::any_of(failing, [](const auto& each) { return is_failure(each.first) && each.second != 0; });
    std::string verdict = fails ? counts_text(failing) : "Nothing got worse";
    if (!fails && inconclusive != 0) verdict += fmt::format(", {} inconclusive", inconclusive);
    if (violations != 0) verdict += ", " + counted(violations, "violation");
    if (!one_device) lines.insert(lines.begin(), "Different devices: differences are shown, none counts.");
    const Standing standing = !one_device         ? Standing::kPlain
                              : fails             ? Standing::kBad
                              : inconclusive != 0 ? Standing::kDoubtful
                                                  : Standing::kGood;
    return {{"standing", word_of(standing)}, {"verdict", std::move(verdict)}, {"lines", std::move(lines)}};
}

// They stand among the numbers, in words.
void leave_out_reasons(PageJson& value) {
    if (value.is_object() && value.contains("alternatives")) {
        value = PageJson{{"value", value["value"]}};
    } else if (value.is_structured()) {
        for (PageJson& each : value) leave_out_reasons(each);
    }
}

// Promises stand in words; their numbers are in the tables.
void tell_promises(const std::vector<model::ScenarioResult>& runs, std::string_view key, PageJson& device) {
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const std::vector<model::Promise>& promises = runs[run].run.promises;
        for (std::size_t i = 0; i < promises.size(); ++i) {
            const model::Promise& promise = promises[i];
            PageJson& told = device[key][run]["volatile"]["promises"][i];
            told["name"] = model::label_of(promise.name);
            told["predicted"] = model::figure_text(promise, promise.predicted);
            told["measured"] = promise.measured ? model::figure_text(promise, *promise.measured) : "";
            told["bounds"] = model::bounds_text(promise);
        }
    }
}

PageJson document_json(const ReportDocument& each) {
    const std::string text = std::visit([](const auto& document) { return model::write(document); }, each.document);
    PageJson entry{{"file", each.file}, {"kind", kKinds[each.document.index()]}, {"document", PageJson::parse(text)}};
    if (const auto devices = entry["document"].find("devices"); devices != entry["document"].end())
        for (PageJson& device : *devices) leave_out_drawn(device);
    if (std::holds_alternative<model::WhatIf>(each.document))
        for (const char* key : {"inputs", "rows", "curves", "notes"}) entry["document"].erase(key);
    if (const auto* policy = std::get_if<model::Policy>(&each.document)) {
        entry["stable_hash"] = hash_of(each, *policy);
        entry["document"].erase("workload");  // nothing draws it, and a captured one is large
        for (std::size_t i = 0; i < policy->devices.size(); ++i) {
            PageJson& device = entry["document"]["devices"][i];
            leave_out_reasons(device);
            for (std::size_t bucket = 0; bucket < policy->devices[i].buckets.size(); ++bucket) {
                const model::BucketPolicy& told = policy->devices[i].buckets[bucket];
                device["buckets"][bucket]["contents"] = contents_text(told);
                device["buckets"][bucket]["place"] = place_text(policy->devices[i], told);
            }
            if (const auto bucket_ns = bucket_frame_ns(policy->devices[i])) device["bucket_frame_ns"] = *bucket_ns;
            device["numbers"] = numbers_json(policy->devices[i], {});
            std::vector<std::string> warnings = model::lines_of(policy->devices[i].warnings);
            const auto& capacity = policy->devices[i].capacity;
            if (capacity && !capacity->fits) warnings.insert(warnings.begin(), model::statement_of(*capacity));
            device["warnings"] = std::move(warnings);
            device["assumed"] = model::lines_of(policy->devices[i].assumed);
        }
    }
    if (const auto* validation = std::get_if<model::Validation>(&each.document)) {
        for (std::size_t i = 0; i < validation->devices.size(); ++i) {
            tell_promises(validation->devices[i].scenarios, "scenarios", entry["document"]["devices"][i]);
            const std::vector<model::ScenarioResult>& baselines = validation->devices[i].baselines;
            tell_promises(baselines, "baselines", entry["document"]["devices"][i]);
            for (std::size_t run = 0; run < baselines.size(); ++run)
                entry["document"]["devices"][i]["baselines"][run]["label"] = baseline_label(baselines[run]);
        }
    }
    if (const auto* comparison = std::get_if<model::Comparison>(&each.document)) {
        entry["counts"] = counts_json(*comparison);
        entry["verdict"] = verdict_json(*comparison);
    }
    return entry;
}

PageJson step_json(const NextStep& step) {
    return {{"text", step.text}, {"command", step.command}};
}

PageJson first_json(const FirstScreen& screen) {
    PageJson figures = PageJson::array();
    for (const KeyFigure& figure : screen.figures) {
        figures.push_back({{"name", figure.name},
                           {"note", figure.note},
                           {"value", figure.value},
                           {"beside", figure.beside},
                           {"standing", word_of(figure.standing)}});
    }
    PageJson next = PageJson::array();
    for (const NextStep& step : screen.next) next.push_back(step_json(step));
    return {{"standing", word_of(screen.standing)},
            {"verdict", screen.verdict},
            {"cause", screen.cause},
            {"figures", std::move(figures)},
            {"workload", screen.workload},
            {"policy", screen.policy},
            {"driver_standing", word_of(screen.driver_standing)},
            {"driver", screen.driver},
            {"faults", screen.faults},
            {"next", std::move(next)}};
}

PageJson policies_json(std::span<const ReportDocument> documents) {
    const PolicyTable table = policy_table(documents);
    if (table.policies.size() < 2) return nullptr;
    PageJson rows = PageJson::array();
    for (const PolicyRow& row : table.rows)
        rows.push_back({{"group", row.group}, {"name", row.name}, {"cells", row.cells}, {"differs", row.differs}});
    return {{"policies", table.policies}, {"files", table.files}, {"rows", std::move(rows)}};
}

// The documents as if they spoke of this device alone.
std::vector<ReportDocument> documents_of(std::span<const ReportDocument> documents, const ListedDevice& device) {
    std::vector<ReportDocument> own;
    const auto take = [&]<class Document>(const std::vector<DevicePlace>& places, std::type_identity<Document>) {
        for (const DevicePlace& place : places) {
            const ReportDocument& whole = documents[place.document];
            const auto& from = document_at<Document>(documents, place);
            Document part;
            part.header = from.header;
            part.run = from.run;
            if constexpr (!std::is_same_v<Document, model::Report>) part.workload_name = from.workload_name;
            part.devices.push_back(from.devices[place.device]);
            own.push_back({.file = whole.file, .document = std::move(part), .policy_hash = {}});
            if constexpr (std::is_same_v<Document, model::Policy>) own.back().policy_hash = hash_of(whole, from);
        }
    };
    take(device.reports, std::type_identity<model::Report>{});
    take(device.policies, std::type_identity<model::Policy>{});
    take(device.validations, std::type_identity<model::Validation>{});
    return own;
}

// Values that several devices have alike are written once. Children first, so that what is compared stays short.
class SharedValues {
public:
    void share(PageJson& value) {
        constexpr std::size_t kWorthIt = 64;  // a reference takes a fifth of that
        if (!value.is_structured() && !value.is_string()) return;
        if (value.is_structured())
            for (PageJson& child : value) share(child);
        std::string text = value.dump(-1, ' ', true);
        if (text.size() < kWorthIt) return;
        const auto [found, is_new] = places_.try_emplace(text, places_.size());
        if (is_new) lines_ += text + '\n';
        value = PageJson{{"$", found->second}};
    }
    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] std::string take_lines() { return std::move(lines_); }

private:
    std::map<std::string, std::size_t, std::less<>> places_;
    std::string lines_;
};

}  // namespace

PageJson page_data(std::span<const ReportDocument> documents) {
    PageJson data;
    data["tool"] = kVersion;
    const std::vector<ListedDevice> listed = list_devices(documents);
    PageJson devices = PageJson::array();
    PageJson images = PageJson::array();
    PageJson buffers = PageJson::array();
    PageJson first = PageJson::array();
    for (const ListedDevice& device : listed) {
        devices.push_back({{"label", device.label},
                           {"reports", places_json(device.reports)},
                           {"policies", places_json(device.policies)},
                           {"validations", places_json(device.validations)}});
        const model::DeviceReport* report = report_of(documents, device);
        images.push_back(report == nullptr ? PageJson() : image_points(report->image_sweep));
        buffers.push_back(report == nullptr ? PageJson() : buffer_points(report->buffer_sweep));
        first.push_back(first_json(first_screen(documents, device)));
    }
    data["devices"] = std::move(devices);
    data["first"] = std::move(first);
    const std::optional<NextStep> step = compare_step(documents);
    data["next"] = step ? step_json(*step) : PageJson();
    data["policies"] = policies_json(documents);
    data["what_ifs"] = what_ifs_json(documents);
    data["tables"] = tables_json(documents);
    data["images"] = std::move(images);
    data["buffers"] = std::move(buffers);
    PageJson list = PageJson::array();
    for (const ReportDocument& each : documents) list.push_back(document_json(each));
    data["documents"] = std::move(list);
    return data;
}

PageJson index_data(std::span<const ReportDocument> documents) {
    PageJson data;
    data["tool"] = kVersion;
    data["index"] = index_json(documents);
    std::vector<ReportDocument> of_many;  // what is told of several devices, or of none
    PageJson failures = PageJson::array();
    PageJson not_validated = PageJson::array();
    const auto tell = [](const std::vector<model::ProbeFailure>& list, PageJson& told) {
        for (const model::ProbeFailure& failure : list)
            told.push_back({{"driver", failure.driver}, {"reason", failure.reason}});
    };
    for (const ReportDocument& each : documents) {
        if (std::holds_alternative<model::Comparison>(each.document) ||
            std::holds_alternative<model::WhatIf>(each.document))
            of_many.push_back(each);
        if (const auto* report = std::get_if<model::Report>(&each.document)) tell(report->failures, failures);
        if (const auto* validation = std::get_if<model::Validation>(&each.document))
            tell(validation->failures, not_validated);
    }
    data["failures"] = std::move(failures);
    data["not_validated"] = std::move(not_validated);
    data["tables"] = tables_json(of_many);
    data["what_ifs"] = what_ifs_json(of_many);
    PageJson list = PageJson::array();
    for (const ReportDocument& each : of_many) list.push_back(document_json(each));
    data["documents"] = std::move(list);
    return data;
}

std::string device_pages(std::span<const ReportDocument> documents) {
    SharedValues shared;
    std::string pages;
    for (const ListedDevice& device : list_devices(documents)) {
        PageJson data = page_data(documents_of(documents, device));
        for (PageJson& member : data) shared.share(member);
        pages += data.dump(-1, ' ', true) + '\n';
    }
    const std::size_t count = shared.size();
    return std::to_string(count) + '\n' + shared.take_lines() + pages;
}

}  // namespace heapwright::render::detail
