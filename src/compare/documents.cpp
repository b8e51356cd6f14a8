#include "compare/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heapwright/model/json.hpp"
#include "heapwright_generated/version.hpp"
#include "model/names.hpp"

namespace heapwright::compare {

model::DocumentKind LoadedDocument::kind() const {
    constexpr std::array kKinds{model::DocumentKind::kReport, model::DocumentKind::kPolicy,
                                model::DocumentKind::kValidation};
    return kKinds[document.index()];
}

std::vector<model::DeviceIdentity> LoadedDocument::identities() const {
    std::vector<model::DeviceIdentity> result;
    std::visit(
        [&](const auto& held) {
            for (const auto& device : held.devices) result.push_back(device.identity);
        },
        document);
    return result;
}

Result<LoadedDocument> load_document(std::string_view text, std::string_view file) {
    HEAPWRIGHT_ASSIGN(const model::DocumentKind kind, model::document_kind(text, file));
    LoadedDocument loaded{.file = std::string(file)};
    switch (kind) {
        case model::DocumentKind::kReport: {
            HEAPWRIGHT_ASSIGN(model::Report report, model::read_report(text, file));
            loaded.stable_hash = model::stable_hash(report);
            loaded.host = report.run.host;
            loaded.document = std::move(report);
            return loaded;
        }
        case model::DocumentKind::kPolicy: {
            HEAPWRIGHT_ASSIGN(model::Policy policy, model::read_policy(text, file));
            loaded.stable_hash = model::stable_hash(policy);
            loaded.host = policy.run.host;
            loaded.document = std::move(policy);
            return loaded;
        }
        case model::DocumentKind::kValidation: {
            HEAPWRIGHT_ASSIGN(loaded.document, model::read_validation(text, file));
            return loaded;
        }
        case model::DocumentKind::kWorkload:
        case model::DocumentKind::kComparison:
        case model::DocumentKind::kWhatIf: break;
    }
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("a {} cannot be compared; reports, policies and validations can", name_of(kind)),
                std::string(file));
}

std::string device_key(const model::DeviceIdentity& identity) {
    return fmt::format("{}/{}/{:04x}:{:04x}", name_of(identity.api), identity.driver_id, identity.vendor_id,
                       identity.device_id);
}

model::Report baseline_of(const std::vector<LoadedDocument>& documents) {
    model::Report baseline;
    baseline.header.tool_version = kVersion;
    for (const LoadedDocument& loaded : documents) {
        const auto* report = std::get_if<model::Report>(&loaded.document);
        if (report == nullptr) continue;
        baseline.header.sources.push_back({.kind = model::DocumentKind::kReport, .stable_hash = loaded.stable_hash});
        for (const model::DeviceReport& device : report->devices) {
            baseline.devices.push_back(device);
            baseline.devices.back().run = {};
        }
    }
    std::ranges::sort(baseline.header.sources, {}, &model::SourceDocument::stable_hash);
    std::ranges::stable_sort(baseline.devices, {}, [](const model::DeviceReport& device) {
        return device_key(device.identity) + " " + device.identity.driver_info;
    });
    return baseline;
}

}  // namespace heapwright::compare
