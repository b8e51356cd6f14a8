// What stands under "$schema".
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "heapwright/model/document.hpp"

namespace heapwright::model::detail {

constexpr std::string_view document_id(DocumentKind kind) {
    switch (kind) {
        case DocumentKind::kReport: return "urn:heapwright:schema:report:1";
        case DocumentKind::kWorkload: return "urn:heapwright:schema:workload:1";
        case DocumentKind::kPolicy: return "urn:heapwright:schema:policy:2";
        case DocumentKind::kValidation: return "urn:heapwright:schema:validation:1";
        case DocumentKind::kComparison: return "urn:heapwright:schema:comparison:1";
        case DocumentKind::kWhatIf: return "urn:heapwright:schema:what-if:1";
    }
    return {};
}

// Of the id of any version; empty: no document of heapwright.
constexpr std::optional<DocumentKind> kind_of_id(std::string_view id) {
    for (const DocumentKind kind : {DocumentKind::kReport, DocumentKind::kWorkload, DocumentKind::kPolicy,
                                    DocumentKind::kValidation, DocumentKind::kComparison, DocumentKind::kWhatIf}) {
        const std::string_view ours = document_id(kind);
        const std::string_view name = ours.substr(0, ours.rfind(':') + 1);
        const std::string_view version = id.substr(std::min(name.size(), id.size()));
        if (id.starts_with(name) && !version.empty() &&
            version.find_first_not_of("0123456789") == std::string_view::npos) {
            return kind;
        }
    }
    return std::nullopt;
}

constexpr std::string_view version_of_id(std::string_view id) {
    return id.substr(id.rfind(':') + 1);
}

// What is said of a document in another version than this build reads: `version` is the one found.
[[nodiscard]] std::string other_version(DocumentKind kind, std::string_view version);

}  // namespace heapwright::model::detail
