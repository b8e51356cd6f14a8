// What every document has in common: its schema, the tool that wrote it, and the documents that it was made from.
// Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heapwright::model {

enum class DocumentKind : std::uint8_t { kReport, kWorkload, kPolicy, kValidation, kComparison, kWhatIf };

// Of the documents of one kind that this build writes and reads.
constexpr std::uint32_t schema_version(DocumentKind kind) {
    return kind == DocumentKind::kPolicy ? 2 : 1;
}

struct SourceDocument {
    DocumentKind kind = DocumentKind::kReport;
    std::string stable_hash;  // XXH3-128 of the document's canonical JSON without its volatile sections
};

struct DocumentHeader {
    std::string tool_version;
    std::vector<SourceDocument> sources;
};

// What differs from run to run. Every document has one at its top ("volatile"), and each of its devices may have one.
struct DocumentVolatile {
    std::string created_utc;  // ISO 8601
    std::string host;         // operating system, kernel and processor; no host name
};

}  // namespace heapwright::model
