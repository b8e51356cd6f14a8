// What stands under "$schema".
#pragma once

#include <optional>
#include <string_view>

#include "heapwright/model/document.hpp"

namespace heapwright::model::detail {

constexpr std::string_view document_id(DocumentKind kind) {
    switch (kind) {
        case DocumentKind::kReport: return "urn:heapwright:schema:report:1";
        case DocumentKind::kWorkload: return "urn:heapwright:schema:workload:1";
        case DocumentKind::kPolicy: return "urn:heapwright:schema:policy:1";
        case DocumentKind::kValidation: return "urn:heapwright:schema:validation:1";
        case DocumentKind::kComparison: return "urn:heapwright:schema:comparison:1";
    }
    return {};
}

constexpr std::optional<DocumentKind> kind_of_id(std::string_view id) {
    for (const DocumentKind kind : {DocumentKind::kReport, DocumentKind::kWorkload, DocumentKind::kPolicy,
                                    DocumentKind::kValidation, DocumentKind::kComparison}) {
        if (document_id(kind) == id) return kind;
    }
    return std::nullopt;
}

}  // namespace heapwright::model::detail
